# What `scaled` of refpos/arithmetic/quick_exponential.py leaves of x after k times the parts of L = ln 2 / 1024, as rest - second,
# and twice what that is off by: the exponential is below 2.
@double = float<ieee_64, ne>;
$definitions
true = x - k * L;
{ @FLT(x, 53) /\ x in $sizes /\ L in $log
-> |2 * (rest - second - true)| <= $bound /\ |E_rest - E_second| <= $rest /\ |second| <= 1b-23 /\ $grid $needed }
E_rest - E_second -> -((k - parted) + (parted - x * $scale) + k * ($scale * ($first + $second) - 1)) / $scale;
x - double(k * $first) -> (E_rest - E_second) + E_second - (double(k * $first) - k * $first);
rest - second - true -> (rest - (x - double(k * $first))) - (double(k * $first) - k * $first) - (second - E_second)
  + k * (L - ($first + $second));
