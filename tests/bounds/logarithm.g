# The logarithm of the pair M as the pair P2, from y, the logarithm in plain double. I is the pair exp(-y), off by ei; M exp(-y) is
# 1 + w, and its logarithm w - w^2 / 2 + w3.
@double = float<ieee_64, ne>;
$definitions
true = y + w - w * w / 2 + w3;
{ M in $sizes /\ I in [0.6, 1.5] /\ |M * I - (1 + w) * (1 + ei)| <= 0
/\ |ei| <= $exponential /\ |w| <= $w /\ |w3| <= $w3 /\ |y| <= 0.45$known
-> |P2 - true| <= $bound /\ |H_P1 - 1 - double(H_P1 - 1)| <= 0 }
P1 -> 1 + (P1 - 1);
P1 - 1 -> w + (P1 - 1 - w);
P1 - 1 - w -> (M * I - (1 + w) * (1 + ei)) * (1 + e1) + (1 + w) * (ei + e1 + ei * e1) + u1;
H_P1 - 1 -> (H_P1 - P1) + (P1 - 1);
d - w -> (d - (double(H_P1 - 1) + L_P1)) + (double(H_P1 - 1) - (H_P1 - 1)) + (P1 - 1 - w);
double(H_P1 - 1) + L_P1 -> (double(H_P1 - 1) - (H_P1 - 1)) + (P1 - 1);
d -> w + (d - w);
P2 - true -> (P2 - (y + (d - double(d * d) * 1b-1))) + (d - w) - ((double(d * d) - d * d) + (d - w) * (d + w)) / 2 - w3;
