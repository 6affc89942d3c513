# The angle from a knot in radians as x1 + x0, for seeds as pairs.
@double = float<ieee_64, ne>;
$definitions
# TWO_PI is 2 pi; cut is what is cut off the phase, in turns
angle = TWO_PI * ($turns + cut);
{ $known /\ TWO_PI in $two_pi
-> |angle - (x1 + x0)| <= $bound
/\ @FIX(x1, -35) /\ |x1| <= $x1 /\ |x0| <= $x0 $needed }
angle - (x1 + x0) -> ($difference + TWO_PI * cut) - (x0 - E_x0);
