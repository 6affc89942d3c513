# exp x as a pair P1, relative to its power of 2: the series V of exp R, R off by er, times the pair T, 2^(j/64) cut to 106 bits,
# of which TT is the true one. E is exp R, and E (1 + ee) exp of the true remainder.
@double = float<ieee_64, ne>;
V = E + ev;
T = TT * (1 + et);
true = E * (1 + ee) * TT;
$definitions
{ E in $sizes /\ |ev| <= $exp_series /\ |ee| <= $ee /\ T in [1b-1, 1] /\ |et| <= 1b-105$known
-> |(P1 - true) / true| <= $bound /\ P1 in [0.49, 1.01] }
TT -> T / (1 + et) { 1 + et <> 0 };
(P1 - true) / true -> ((1 + ev / E) * (1 + et) * (1 + $e) - (1 + ee) + $u / (E * TT)) / (1 + ee) { E <> 0, TT <> 0, 1 + ee <> 0 };
(1 + ev / E) * (1 + et) * (1 + $e) - (1 + ee) -> ev / E + et + $e - ee + ev / E * et + (ev / E + et + ev / E * et) * $e { E <> 0 };
