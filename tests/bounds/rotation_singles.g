#@ -Echange-threshold=0.0001
# Rotation in float32 of bfloat16 channels XN N and YN N, N = |x| + |y|, by (c, s) in float32: the radius, R N, and both ends
# of the rounding test. Bounds are of the error over N, which a power of two does not change (rotations.smt2). They are close:
# Gappa must not keep one that another beats by less than 1 %, as it does without the option above.
@single = float<ieee_32, ne>;
x = XN * N;
y = YN * N;
reach = R * N;
P = XN * c;
Q = YN * s;
V = YN * c;
W = XN * s;
$definitions
p_lower = single(p - 2 * reach);
q_lower = single(q - 2 * reach);
{ N in $sizes /\ |R - $radius| <= 1b-44
/\ |P| <= $left /\ |Q| in $part /\ |P - Q| <= 16777217b-24 /\ |P - Q - T_u| <= $seeds /\ |T_u| <= 1
/\ |V| <= $left /\ |W| in $part /\ |V + W| <= 16777217b-24 /\ |V + W - T_v| <= $seeds /\ |T_v| <= 1
-> |(p - (T_u + R) * N) / N| <= $bound /\ |(p_lower - (T_u - R) * N) / N| <= $bound
/\ |(q - (T_v + R) * N) / N| <= $bound /\ |(q_lower - (T_v - R) * N) / N| <= $bound }
(p - (T_u + R) * N) / N -> (p - E_p) / N + (P - Q - T_u) { N <> 0 };
(q - (T_v + R) * N) / N -> (q - E_q) / N + (V + W - T_v) { N <> 0 };
(p_lower - (T_u - R) * N) / N -> (p_lower - (p - 2 * reach)) / N + (p - (T_u + R) * N) / N { N <> 0 };
(q_lower - (T_v - R) * N) / N -> (q_lower - (q - 2 * reach)) / N + (q - (T_v + R) * N) / N { N <> 0 };
p - 2 * reach -> (p - E_p) + (P - Q - R) * N;
q - 2 * reach -> (q - E_q) + (V + W - R) * N;
E_p -> (P - Q + R) * N;
E_q -> (V + W + R) * N;
reach - y * s -> (R - Q) * N;
reach + x * s -> (R + W) * N;
x * c -> P * N;
y * s -> Q * N;
y * c -> V * N;
x * s -> W * N;
