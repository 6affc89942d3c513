# Rotation in plain double: (c, s) are cosine and sine of the table, C and S the true ones, and the channels are XN and YN
# times N = |x| + |y|. Bounds are of the error over N, which a power of two does not change. |P| + |Q| is at most
# |XN| + |YN| = 1, but for the errors of c and s; so are their sum and difference (rotations.smt2).
@double = float<ieee_64, ne>;
x = XN * N;
y = YN * N;
P = XN * c;
Q = YN * s;
R = YN * c;
U = XN * s;
$definitions
{ N in [0.5, 1] /\ |XN| <= 1 /\ |YN| <= 1
/\ |P| + |Q| <= 562949953421313b-49 /\ |P| <= 562949953421313b-49 /\ |Q| <= 562949953421313b-49
/\ |R| + |U| <= 562949953421313b-49 /\ |R| <= 562949953421313b-49 /\ |U| <= 562949953421313b-49
/\ |P - Q| <= 562949953421313b-49 /\ |R + U| <= 562949953421313b-49
/\ |P - Q - T_u| <= $addition_double /\ |R + U - T_v| <= $addition_double
-> |(u - T_u * N) / N| <= $bound /\ |(v - T_v * N) / N| <= $bound }
(u - T_u * N) / N -> (u - E_u) / N + (P - Q - T_u) { N <> 0 };
(v - T_v * N) / N -> (v - E_v) / N + (R + U - T_v) { N <> 0 };
E_u -> (P - Q) * N;
E_v -> (R + U) * N;
x * c -> P * N;
y * s -> Q * N;
y * (-s) -> -(Q * N);
y * c -> R * N;
x * s -> U * N;
|(u - T_u * N) / N| $$ N in 8, |P| in 16;
|(v - T_v * N) / N| $$ N in 8, |R| in 16;
