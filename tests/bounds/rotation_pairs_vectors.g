# The same in the vector code, without and with a fused multiply-add: x cos $sign y sin of channels whose size, N = |x| + |y|
# rounded, has the exponent 0. Sums begin with the radius; both ends of the rounding test.
@double = float<53, -4000, ne>;
$definitions
lower = double(sum4 - 2 * reach);
lost2 = (sum1 - E_sum1) + (sum2 - E_sum2);
lost3 = lost2 + (sum3 - E_sum3);
P = x1 * c1 / N;
Q = y1 * s1 / N;
R = (x - x1) * c1 / N;
U = (y - y1) * s1 / N;
V = x * c0 / N;
W = y * s0 / N;
{ N in [9007199254740991b-53, 2] /\ @FLT(x, 53) /\ |x| <= 2 /\ @FLT(y, 53) /\ |y| <= 2
/\ @FLT(c1, 26) /\ @FIX(c1, -26) /\ |c1| <= 1 /\ @FLT(s1, 26) /\ @FIX(s1, -26) /\ |s1| <= 1
/\ |x1 * c1 $sign y1 * s1| <= 16777217b-23 /\ |(x - x1) * c1| <= 1b-26 /\ |(y - y1) * s1| <= 1b-26
/\ |(x - x1) * c1| + |(y - y1) * s1| <= 46342b-41 /\ |(x - x1) * c1 $sign (y - y1) * s1| <= 46342b-41
/\ |V| <= $low /\ |W| <= $low /\ |V| + |W| <= $low /\ |V $sign W| <= $low
/\ |P $sign Q + (R $sign U) + (V $sign W) - T| <= $seeds /\ |reach / N - $radius| <= $rounded
-> |x - x1| <= 1b-26 /\ |y - y1| <= 1b-26 /\ |leading - E_leading| <= 0 $needed
/\ |(leading + sum4 - (T * N + reach)) / N| <= $bound
/\ |(leading + sum4 - (T * N + reach)) / N| <= $room /\ |(leading + lower - (T * N - reach)) / N| <= $room }
(leading + sum4 - (T * N + reach)) / N -> (leading - E_leading) / N + (sum4 - E_sum4) / N + lost3 / N
  + (P $sign Q + (R $sign U) + (V $sign W) - T) { N <> 0 };
(leading + lower - (T * N - reach)) / N -> (lower - (sum4 - 2 * reach)) / N + (leading + sum4 - (T * N + reach)) / N { N <> 0 };
E_sum2 -> (sum1 - E_sum1) + (V $sign W) * N + reach { N <> 0 };
E_sum3 -> lost2 + (V $sign W) * N + reach $sign (y - y1) * s1 { N <> 0 };
E_sum4 -> lost3 + (V $sign W) * N + reach + ((x - x1) * c1 $sign (y - y1) * s1) { N <> 0 };
|(leading + sum4 - (T * N + reach)) / N| $$ N in 8, |V| in 8;
