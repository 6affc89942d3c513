# `divide` of the pairs h + l and g + m, in units of the powers of two below h and g, of either sign.
@double = float<ieee_64, ne>;
$definitions
Q = (h + l) / (g + m);
{ @FIX(h, -52) /\ h in [1, 2] /\ |l| <= 1b-53 /\ @FIX(g, -52) /\ g in [1, 2] /\ |m| <= 1b-53 /\ $case
-> |h - product - double(h - product)| <= 0 /\ |small / quotient| <= 1b-50 /\ |(quotient + small - Q) / Q| <= $bound }
(quotient + small - Q) / Q -> ((small - remainder / g) + (remainder / g - (h + l - quotient * (g + m)) / (g + m))) / Q
  { g <> 0, g + m <> 0, Q <> 0 };
remainder / g - (h + l - quotient * (g + m)) / (g + m) ->
  (remainder - (h + l - quotient * (g + m))) / (g + m) + remainder / g * m / (g + m) { g <> 0, g + m <> 0 };
remainder - (h + l - quotient * (g + m)) -> (remainder - (double(double(h - product) - rest) + double(l - double(quotient * m))))
  + (double(double(h - product) - rest) - (double(h - product) - rest)) + (double(h - product) - (h - product))
  + (double(l - double(quotient * m)) - (l - double(quotient * m))) - (double(quotient * m) - quotient * m);
h - product -> (h / g - quotient) * g + rest { g <> 0 };
double(h - product) - rest -> (double(h - product) - (h - product)) + (h / g - quotient) * g { g <> 0 };
|(quotient + small - Q) / Q| $$ h in 8, g in 8;
quotient $$ h in 2, g in 2;
