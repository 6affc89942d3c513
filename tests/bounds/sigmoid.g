# 1 / (1 + u), and u / (1 + u), relative. U is u as a pair, off by eu; UU what is left of it beside 1, where it may be subnormal.
@double = float<ieee_64, ne>;
U = u * (1 + eu);
UU = U + us;
$definitions
true = $top / (1 + u);
{ u in [1b-1080, 1] /\ |eu| <= $exponential /\ |us| <= 1b-1070$known
-> |(P2 - true) / true| <= $bound }
(P2 - true) / true -> (1 + $error) * (1 + e2) / (1 + (P1 - (1 + u)) / (1 + u)) - 1 { u <> 0, P1 <> 0, 1 + u <> 0 };
(P1 - (1 + u)) / (1 + u) -> (u * eu + us + 1 * e1 + UU * f1) / (1 + u) { 1 + u <> 0 };
