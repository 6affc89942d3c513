# Rotation of float16 channels XN N and YN N, N = |x| + |y|: x cos $sign y sin, of a cosine and a sine cut to 13 bits each, and
# what is left of them as floats; powers of two that cancel are left out. Bounds are of the error over N, which a power of
# two does not change; T is the true value over N. The two roundings of whole results are relative: sum1 is its exact value
# times 1 + d1, and the result is sum1 + sum2 times 1 + d2, both at most 2^-24. All else is E (rotation_split.smt2).
@single = float<24, -4000, ne>;
$definitions
G = x * (c - cos) / N;
H = y * (s - sin) / N;
K = x * (cos_rest - (c - cos)) / N;
L = y * (sin_rest - (s - sin)) / N;
E = E_sum1 * (1 + d1) + sum2 - T * N * (1 + d1);
{ N in [0.5, 1] /\ |d1| <= 1b-24 /\ |c| <= 1 /\ |s| <= 1 /\ @FLT(x, $bits) /\ @FIX(x, -900) /\ @FLT(y, $bits) /\ @FIX(y, -900)
/\ @FIX(c, -900) /\ @FIX(s, -900)
/\ |G| <= 1b-12 /\ |H| <= 1b-12 /\ |G| + |H| <= 1b-12 /\ |G $sign H| <= 1b-12
/\ |K| <= 1b-37 /\ |L| <= 1b-37 /\ |K $sign L| <= 1b-37 /\ |(x * c $sign y * s) / N - T| <= $rotation_double
-> |cos -/ c| <= 1b-12 /\ |sin -/ s| <= 1b-12 /\ |cos_rest - (c - cos)| <= 1b-37 /\ |sin_rest - (s - sin)| <= 1b-37
/\ |$first - E_sum1| <= 0 /\ |sum1 -/ $first| <= 1b-24
/\ |result -/ (sum1 + sum2)| <= 1b-24 /\ |E / N| <= $bound }
E / N -> (sum2 - E_sum2) / N + (K $sign L) + ((x * c $sign y * s) / N - T) * (1 + d1) - (G $sign H) * d1 { N <> 0 };
E_sum2 -> (G $sign H + (K $sign L)) * N { N <> 0 };
x * cos_rest -> (G + K) * N { N <> 0 };
y * sin_rest -> (H + L) * N { N <> 0 };
|E / N| $$ N in 8, |G| in 8;
