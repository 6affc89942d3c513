# log(1 + u) next to 0, from the pair U, which is off by eu: U times the pair P3. In P1 the terms after u / 2 are in plain double:
# they are off by less than 2^-52 of u, and so P3 by u times that. P4 is the product, of which what all else is off by is bounded.
@double = float<ieee_64, ne>;
U = u * (1 + eu);
$definitions
plain = double((-H_U) * double($third - (H_U * 1b-2)));
true = (-u) * ($third - (u * 1b-2));
series = 1 - u * P1;
{ u in $sizes /\ |eu| <= $exponential$known
-> |(P1 - (1b-1 + true)) / u| <= $plain /\ |(P4 - u * series) / (u * series)| <= $bound }
(P1 - (1b-1 + true)) / u -> (plain - true) / true * (-($third - (u * 1b-2))) { u <> 0, true <> 0 };
(H_U - u) / u -> (H_U - U) / U * (1 + eu) + eu { u <> 0, U <> 0 };
(P4 - u * series) / (u * series) -> (1 + eu) * (1 + (P3 - series) / series) * (1 + e4) - 1 + u4 / (u * series) { u <> 0, series <> 0 };
P3 - series -> -(u * P1 * (eu + e2 + eu * e2) + u2) + 1 * e3 - P2 * f3;
