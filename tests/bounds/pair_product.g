# `multiply` of the pairs h + l and g + m, in units of the powers of two below h and g, of either sign. The low of the second
# is at most half an ulp of it, or 2^-52 of it where the pair was cut. `lost` is what `exact_product` returns.
@double = float<ieee_64, ne>;
$definitions
{ @FIX(h, -52) /\ h in [1, 2] /\ |l| <= 1b-53 /\ @FIX(g, -52) /\ g in [1, 2] /\ $low <= 1b-$most
-> |lost - left| <= 0
/\ |double(h - one_high) - (h - one_high)| <= 0 /\ |double(g - other_high) - (g - other_high)| <= 0
/\ |rest_ / product| <= 1b-50 /\ |(product + rest_ - (h + l) * (g + m)) / (h * g)| <= $bound }
(product + rest_ - (h + l) * (g + m)) / (h * g) ->
  ((rest_ - (left + double(double(h * m) + double(l * g)))) + (double(double(h * m) + double(l * g)) - (double(h * m) + double(l * g)))
  + (double(h * m) - h * m) + (double(l * g) - l * g)) / (h * g) - (l * m) / (h * g) { h <> 0, g <> 0 };
lost - left -> (lost - (double(double(rest + double(one_high * other_low)) + double(one_low * other_high)) + double(one_low * other_low)))
  + (double(one_low * other_low) - one_low * other_low)
  + (double(double(rest + double(one_high * other_low)) + double(one_low * other_high)) - (double(rest + double(one_high * other_low)) + double(one_low * other_high)))
  + (double(one_low * other_high) - one_low * other_high)
  + (double(rest + double(one_high * other_low)) - (rest + double(one_high * other_low)))
  + (double(one_high * other_low) - one_high * other_low)
  + (rest - (double(one_high * other_high) - product)) + (double(one_high * other_high) - one_high * other_high);
double(one_high * other_high) - product -> (double(one_high * other_high) - one_high * other_high)
  + (one_high * other_high - h * g) + (h * g - product);
one_high * other_high - h * g -> -(one_low * other_high) - one_high * other_low - one_low * other_low;
|(product + rest_ - (h + l) * (g + m)) / (h * g)| $$ h in 8, g in 8;
$hint
