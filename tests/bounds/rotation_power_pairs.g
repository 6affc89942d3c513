# Rotation of float64 channels by pairs times a power, of which high + low is the pair and H the true one: x cos + y sin, of
# pairs (c1 + c0, s1 + s0); T is the true value over N = |x| + |y|. Bounds are of the error over N times high, which powers
# of two do not change; units are such that this is M, from 1/2 to 1. Products have
# their errors exactly (exact_product.g).
@double = float<53, -4000, ne>;
$definitions
lower = double(result - reach);
upper = double(result + reach);
P = x * c1 / N;
Q = y * s1 / N;
V = x * c0 / N;
W = y * s0 / N;
M = N * high;
{ N in [0.5, 1] /\ M in [0.5, 1] /\ high in [0.5, 2] /\ |low / high| <= 1b-53
/\ |(H - (high + low)) / high| <= $power /\ |T| <= 1
/\ |P| <= 1 /\ |Q| <= 1 /\ |P + Q| <= 1 /\ |V| <= 1b-27 /\ |W| <= 1b-27 /\ |V| + |W| <= 1b-27 /\ |V + W| <= 1b-27
/\ |P + Q + V + W - T| <= $seeds /\ |reach / M - $radius| <= $rounded
-> |(leading + result - T * N * H) / M| <= $bound
/\ |(leading + lower - (T * N * H - reach)) / M| <= $room /\ |(leading + upper - (T * N * H + reach)) / M| <= $room }
(leading + result - T * N * H) / M -> (result - E_result) / M + (rest - E_rest) / N * (1 + low / high)
  - (rest / N) * (low / high) + (P + Q + V + W - T) * (1 + low / high) - T * ((H - (high + low)) / high)
  { N <> 0, M <> 0, high <> 0 };
(leading + lower - (T * N * H - reach)) / M -> (lower - (result - reach)) / M + (leading + result - T * N * H) / M { M <> 0 };
(leading + upper - (T * N * H + reach)) / M -> (upper - (result + reach)) / M + (leading + result - T * N * H) / M { M <> 0 };
rest / N -> (rest - E_rest) / N + (first + second - total) / N + (x * c1 - first) / N + (y * s1 - second) / N + (V + W) { N <> 0 };
total / N -> (total - E_total) / N + (first - x * c1) / N + (second - y * s1) / N + (P + Q) { N <> 0 };
first + second -> (first - x * c1) + (second - y * s1) + (P + Q) * N { N <> 0 };
x * c0 + y * s0 -> (V + W) * N { N <> 0 };
rest * high -> (rest / N) * M { N <> 0 };
total * high -> (total / N) * M { N <> 0 };
total * low -> (total / N) * (low / high) * M { N <> 0, high <> 0 };
|(leading + result - T * N * H) / M| $$ N in (17b-5, 31b-5), M in (17b-5, 31b-5), |V| in 4;
