# sin x - x1 of the angle x = x1 + x0, for seeds as pairs.
@double = float<ieee_64, ne>;
$definitions
# es is what the series leaves of the sine, and ex the error of the angle
T = E_s0 + es + ex;
{ @FIX(x1, -35) /\ |x1| <= $x1 /\ @FLT(x0, 53) /\ |x0| <= $x0 /\ |es| <= $es /\ |ex| <= $reduced_angle
-> |s0 - T| <= $bound /\ |s0| <= $s0 }
s0 - T -> (s0 - E_s0) - es - ex;
