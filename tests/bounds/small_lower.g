# The lower half of the sine of a small angle before the last sum, relative to the sine: h + l is the angle times a power of two,
# which x has too, x is h times that; the factor is f1 + f0 times a power of two.
@double = float<ieee_64, ne>;
angle = x * (1 + ex);
$definitions
G = (h + l) * (f1 + f0);
{ @FLT(h, 53) /\ h in [1, 2] /\ |l| <= 1b-53 /\ @FLT(x, 53) /\ x in [1b-501, $largest] /\ |ex| <= 4097b-65
/\ f1 in $f1 /\ |f0| in $f0
-> |(m_rest_ - E_m_rest_) / G| <= $bound }
square - E_square -> (square - x * x) - x * x * (2 * ex + ex * ex);
|(m_rest_ - E_m_rest_) / G| $$ h in 16, f1 in 4;
