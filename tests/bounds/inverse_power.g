# The logarithm of 2^-e for e = (n 2^53 + m) 2^-106 from 0 to 1, cut there: the product of a pair of integers, whose low may be the
# larger one, with ln 2 as a pair. It is below 0.
@double = float<ieee_64, ne>;
h = n * -1b-53;
l = m * -1b-106;
$definitions
true = (h + l + cut) * LN2;
{ @FIX(n, 0) /\ n in $sizes /\ @FIX(m, 0) /\ m in [0, 1b53] /\ LN2 in $log /\ cut in [-1b-106, 0]
-> |total + $rest - true| <= $bound }
total + $rest - true -> ($rest - (rest - back)) - (back - (total - product)) + (rest - (left + double(double(h * $low) + double(l * $high))))
  + (double(double(h * $low) + double(l * $high)) - (double(h * $low) + double(l * $high))) + (double(h * $low) - h * $low)
  + (double(l * $high) - l * $high) + h * ($high + $low - LN2) + l * ($high - LN2) - cut * LN2;
back -> (back - (total - product)) + (total - (product + rest)) + rest;
rest - back -> -(total - (product + rest)) - (back - (total - product));
