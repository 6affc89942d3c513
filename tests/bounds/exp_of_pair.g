# exp(h + l), relative: the pair V is exp h, off by ev, and exp l is 1 + l + l^2 / 2 + l3.
@double = float<ieee_64, ne>;
V = v * (1 + ev);
$definitions
factor = 1 + low + low * low / 2 + l3;
true = v * factor;
{ v in [0.9, 2.1] /\ |ev| <= $exponential /\ low in $sizes /\ |l3| <= 1b-122$known
-> |(P2 - true) / true| <= $bound $needed }
(P2 - true) / true -> (1 + ev) * (1 + (J1 - factor) / factor) * (1 + e2) - 1 + u2 / true { v <> 0, factor <> 0, true <> 0 };
J1 - factor -> (J1 - E_J1) - l3;
$hints
