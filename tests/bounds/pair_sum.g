# `add` of the pairs h + l and g + m, h the larger one, in units of the power of two below it, which has either sign. Where
# their sum is small, fast_two_sum may not be exact.
@double = float<ieee_64, ne>;
size = |g|;
$definitions
{ @FIX(h, -52) /\ h in [1, 2] /\ |l| <= 1b-53 /\ |g| <= 2 /\ |m| <= 1b-53 /\ |m / g| <= 1b-53 /\ $case
-> $goal /\ |(result - (h + l + g + m)) / (h + size)| <= $bound }
(result - (h + l + g + m)) / (h + size) -> $difference / (h + size) { h + size <> 0 };
$hints
