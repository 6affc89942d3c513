# A number v as a pair, in units of the power of two below it; `off` is what it is known by, 2^-158 of numbers from 2^-50 on.
@double = float<ieee_64, ne>;
$definitions
{ v in [1, 2] /\ |off| <= $off
-> |(high + low - (v + off)) / (v + off)| <= $bound }
v - high -> -(high - v);
high + low - (v + off) -> (low - (v - high)) - off;
