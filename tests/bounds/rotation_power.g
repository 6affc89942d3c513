# Rotation in plain double times a power, of which high is the double and H the true one. (c, s) is a seed, s of either sign;
# the channels are XN and YN times N = |x| + |y|; T is the true P + Q (rotations.smt2). Bounds are of the error over N times
# high, which powers of two do not change.
@double = float<ieee_64, ne>;
x = XN * N;
y = YN * N;
P = XN * c;
Q = YN * s;
$definitions
{ N in [0.5, 1] /\ high in [0.5, 1] /\ |(H - high) / high| <= $power
/\ |P| + |Q| <= 562949953421313b-49 /\ |P| <= 562949953421313b-49 /\ |Q| <= 562949953421313b-49
/\ |P + Q| <= 562949953421313b-49 /\ |P + Q - T| <= $seeds /\ |T| <= 1
-> |(u - T * N * H) / (N * high)| <= $bound }
(u - T * N * H) / (N * high) -> (u - w * high) / (N * high) + (w - E_w) / N + (P + Q - T)
  - T * ((H - high) / high) { N <> 0, high <> 0 };
w * high -> ((w - E_w) + (P + Q) * N) * high;
E_w -> (P + Q) * N;
x * c -> P * N;
y * s -> Q * N;
|(u - T * N * H) / (N * high)| $$ N in 8, high in 8, |P| in 8;
