# What `exponential` leaves of x after k times the parts of ln 2 / 64, as the pair P3. L is ln 2 / 64.
@double = float<ieee_64, ne>;
$definitions
true = x - k * L;
{ @FLT(x, 53) /\ x in $sizes /\ L in $log$known
-> |P3 - true| <= $bound /\ |true| <= $rest /\ |k| <= 1b17 $needed }
true -> -((k - double(x * $scale)) + (double(x * $scale) - x * $scale) + k * ($scale * L - 1)) / $scale;
P3 - true -> (P3 - (H_P2 + (double(L_P1 + L_P2) - double(k * $third)))) + (double(L_P1 + L_P2) - (L_P1 + L_P2))
  - (double(k * $third) - k * $third) + (double((-k) * $second) - (-k) * $second) + (double((-k) * $first) - (-k) * $first)
  + k * (L - ($first + $second + $third));
H_P1 -> true + k * (L - $first) - L_P1 + (double((-k) * $first) - (-k) * $first);
H_P2 -> true + k * (L - ($first + $second)) - L_P1 - L_P2 + (double((-k) * $first) - (-k) * $first) + (double((-k) * $second) - (-k) * $second);
