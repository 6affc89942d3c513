# `multiply` of a double h and a pair g + m of any low, which may be the larger one: then fast_two_sum may not be exact. In units
# of the power of two below h and of the one above g.
@double = float<ieee_64, ne>;
$definitions
result = total + $rest;
{ @FIX(h, -52) /\ h in [1, 2] /\ g in $sizes /\ |m| <= 1b-52
-> |result - h * (g + m)| <= $bound }
result - h * (g + m) -> ($rest - (rest - back)) - (back - (total - product)) + (rest - (left + double(double(h * m) + double(0 * g))))
  + (double(double(h * m) + double(0 * g)) - (double(h * m) + double(0 * g))) + (double(h * m) - h * m) + double(0 * g);
back -> (back - (total - product)) + (total - (product + rest)) + rest;
rest - back -> -(total - (product + rest)) - (back - (total - product));
