# A multiple of ln 2, by the integer e, and the logarithm L of a number from 0.7071 to 1.4143: the pair P2.
@double = float<ieee_64, ne>;
$definitions
true = e * LN2 + L;
{ @FIX(e, 0) /\ e in $sizes /\ LN2 in $log /\ L in [-0.3467, 0.3467]$known
-> |(P2 - true) / true| <= $bound }
(P2 - true) / true -> ((P2 - true) / (e * LN2)) / (1 + L / (e * LN2)) { e <> 0, LN2 <> 0, true <> 0 };
(P2 - true) / (e * LN2) -> (($pair - LN2) / LN2 + $pair / LN2 * e1 + u1 / (e * LN2))
  + P1 / (e * LN2) * e2 + L / (e * LN2) * f2 { e <> 0, LN2 <> 0 };
P1 / (e * LN2) -> 1 + (($pair - LN2) / LN2 + $pair / LN2 * e1) + u1 / (e * LN2) { e <> 0, LN2 <> 0 };
