# log(1 + U) of a pair U next to 0, U times the pair P3. In P1 the terms after U / 2 are in plain double: they are off by less than
# 2^-52 of U, and so P3 by U times that. P4 is the product, of which what the pairs are off by is bounded.
@double = float<ieee_64, ne>;
$definitions
plain = double((-H_U) * double($third - (H_U * 1b-2)));
true = (-U) * ($third - (U * 1b-2));
series = 1 - U * P1;
{ U in $sizes$known
-> |(P1 - E_P1) / U| <= $plain /\ |(P4 - U * series) / (U * series)| <= $bound }
(P1 - E_P1) / U -> (plain - true) / true * (-($third - (U * 1b-2))) { U <> 0, true <> 0 };
(P4 - U * series) / (U * series) -> (P3 - series) / series * (1 + e4) + e4 + u4 / (U * series) { U <> 0, series <> 0 };
P3 - series -> -(U * P1 * e2 + u2) + 1 * e3 - P2 * f3;
