# Cosine of a small angle as a pair, relative to itself: f1 is its high, the factor is f1 + f0 times a power of two. ex and ef
# are what x is off the angle by, and the factor; es what the series leaves.
@double = float<ieee_64, ne>;
angle = x * (1 + ex);
$definitions
# the cosine less 1
Q = $relative;
T = (f1 + f0) * (1 + Q + es) * (1 + ef);
{ @FLT(x, 53) /\ x in [1b-501, $largest] /\ |ex| <= 4097b-65 /\ f1 in $f1 /\ |f0| in $f0 /\ |ef| <= 1b-103 /\ |es| <= $series
-> |(f1 + low - T) / (f1 + f0)| <= $bound }
(f1 + low - T) / (f1 + f0) -> (low - E_low) / (f1 + f0) - Q * (f0 / (f1 + f0)) - es - (1 + Q + es) * ef { f1 + f0 <> 0 };
square - E_square -> (square - x * x) - x * x * (2 * ex + ex * ex);
|(f1 + low - T) / (f1 + f0)| $$ f1 in 16;
