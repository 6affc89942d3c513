# max(x, 0) + log(1 + u). The pair L is the logarithm of 1 + UU as a pair, scaled by 2^-e, off by el; ei what UU and that sum are
# off by. The part of x in the error of the last sum, 2^-104 of x, is apart.
@double = float<ieee_64, ne>;
$definitions
true = e * LN2 + (L + el + ei) + X;
{ e in $powers /\ LN2 in $log /\ L in [-0.3467, 0.3467] /\ X in [0, 64] /\ |el| <= $logarithm /\ |ei| <= $ei$known
-> |P3 - X * f3 - true| <= $bound }
P3 - X * f3 - true -> (P2 - (e * LN2 + L)) + P2 * e3 - el - ei;
P2 - (e * LN2 + L) -> e * ($pair - LN2) + e * $pair * e1 + u1 + P1 * e2 + L * f2;
