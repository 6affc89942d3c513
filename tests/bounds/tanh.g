# (1 - u) / (1 + u), absolute. U is u as a pair, off by eu; UU what is left of it beside 1, where it may be subnormal.
@double = float<ieee_64, ne>;
U = u * (1 + eu);
UU = U + us;
$definitions
true = (1 - u) / (1 + u);
{ u in $sizes /\ |eu| <= $exponential /\ |us| <= 1b-1070$known
-> |P3 - true| <= $bound }
P3 - true -> ((P1 - (1 - u)) - true * (P2 - (1 + u))) / P2 + P1 / P2 * e3 { P2 <> 0, 1 + u <> 0 };
P1 - (1 - u) -> -(u * eu + us) + 1 * e1 - UU * f1;
P2 - (1 + u) -> u * eu + us + 1 * e2 + UU * f2;
