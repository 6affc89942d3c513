# Sine of a small angle as a pair, relative to itself: names are those of small_lower.g; ea and ef are what the angle and the
# factor are off by, es what the series leaves.
@double = float<ieee_64, ne>;
angle = x * (1 + ex);
$definitions
# the sine over the angle, less 1
Q = $relative;
G = (h + l) * (f1 + f0);
T = G * (1 + Q + es) * (1 + ea) * (1 + ef);
{ @FLT(h, 53) /\ h in [1, 2] /\ |l| <= 1b-53 /\ @FLT(x, 53) /\ x in [1b-501, $largest] /\ |ex| <= 4097b-65
/\ f1 in $f1 /\ |f0| in $f0 /\ |(m_rest_ - E_m_rest_) / G| <= $small_lower
/\ |ea| <= 1b-101 /\ |ef| <= 1b-103 /\ |es| <= $series
-> |(m_total + m_lower - T) / G| <= $bound }
(m_total + m_lower - T) / G -> (m_total + m_lower - (product + m_rest_)) / G + (m_rest_ - E_m_rest_) / G
  - Q * (l / (h + l)) - (Q + (1 - Q) * (l / (h + l))) * (f0 / (f1 + f0)) - es - (1 + Q + es) * (ea + ef + ea * ef)
  { h + l <> 0, f1 + f0 <> 0, G <> 0 };
# the last sum of the product of pairs is exact but for a rounding of its lower half
m_total + m_lower - (product + m_rest_) -> m_lower - (m_rest_ - (m_total - product));
m_total - product -> (m_total - (product + m_rest_)) + m_rest_;
m_rest_ - double(m_total - product) -> ((product + m_rest_) - m_total) + ((m_total - product) - double(m_total - product));
