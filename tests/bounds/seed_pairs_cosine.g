# cos x - 1 + x1^2 / 2 of the angle x = x1 + x0, for seeds as pairs.
@double = float<ieee_64, ne>;
$definitions
# ec is what the series leaves of the cosine, and ex the error of the angle, times a sine of the angle
T = E_c0 + ec + ex * slope;
{ @FIX(x1, -35) /\ |x1| <= $x1 /\ @FLT(x0, 53) /\ |x0| <= $x0 /\ |ec| <= $ec /\ |ex| <= $reduced_angle /\ |slope| <= $x1
-> |c0 - T| <= $bound /\ |c0| <= $c0
/\ |half_square - E_half_square| <= 0 /\ @FIX(half_square, -71) /\ |half_square| <= 1b-19 $needed }
c0 - T -> (c0 - E_c0) - ec - ex * slope;
