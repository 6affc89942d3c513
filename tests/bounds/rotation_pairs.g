# Rotation of float64 channels by pairs: x cos + y sin, of pairs (c1 + c0, s1 + s0), one by one and in NumPy; T is the true
# value over N = |x| + |y|, and bounds are of the error over N, which a power of two does not change. Parts of x and y are
# no larger than these, and what is left of them at most 2^-25 of them (below), so that sums of their products with cosine
# and sine are at most N, and 2^-25 N (rotations.smt2). In units of the power of two above the factor, where there is one.
@double = float<53, -4000, ne>;
$definitions
$ends
P = x1 * c1 / N;
Q = y1 * s1 / N;
R = (x - x1) * c1 / N;
U = (y - y1) * s1 / N;
V = x * c0 / N;
W = y * s0 / N;
{ N in [0.5, 1] /\ @FLT(x, 53) /\ @FIX(x, -2200) /\ @FLT(y, 53) /\ @FIX(y, -2200)
/\ @FLT(x - x1, 27) /\ @FIX(x - x1, -2200) /\ @FLT(y - y1, 27) /\ @FIX(y - y1, -2200)
/\ @FLT(c1, 26) /\ @FIX(c1, -26) /\ @FLT(s1, 26) /\ @FIX(s1, -26)
/\ |P| <= 1 /\ |Q| <= 1 /\ |P + Q| <= 1
/\ |R| <= 1b-25 /\ |U| <= 1b-25 /\ |R + U| <= 1b-25
/\ |V| <= $low /\ |W| <= $low /\ |V| + |W| <= $low /\ |V + W| <= $low
/\ |P + Q + R + U + V + W - T| <= $seeds /\ |reach / N - $radius| <= $rounded
-> |x1 -/ x| <= 1b-25 /\ |y1 -/ y| <= 1b-25 $exact
/\ |($leading + rest - T * N) / N| <= $bound
/\ |($value + lower - (T * N - reach)) / N| <= $room /\ |($value + upper - (T * N + reach)) / N| <= $room }
($leading + rest - T * N) / N -> $errors + (P + Q + R + U + V + W - T) { N <> 0 };
($value + lower - (T * N - reach)) / N -> (lower - E_lower) / N + ($leading + rest - T * N) / N { N <> 0 };
($value + upper - (T * N + reach)) / N -> (upper - E_upper) / N + ($leading + rest - T * N) / N { N <> 0 };
$sums
(x - x1) * c1 + (y - y1) * s1 -> (R + U) * N { N <> 0 };
x * c0 + y * s0 -> (V + W) * N { N <> 0 };
|($leading + rest - T * N) / N| $$ N in 8, |V| in 8;
