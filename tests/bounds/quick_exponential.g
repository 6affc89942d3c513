# exp x to 72 bits: `scaled` of refpos/arithmetic/quick_exponential.py, and both ends of its rounding test. high + low is
# 2^(j/1024), off by et; E is exp of rest - second, and E (1 + ed) of what it is the double of.
@double = float<ieee_64, ne>;
$definitions
E = 1 + E_r + E_series + es;
true = (high + low + et) * (E * (1 + ed));
upper = double(tail + radius);
lower = double(tail - radius);
{ |E_r| <= $most /\ |second| <= 1b-23 /\ $grid /\ |es| <= $es /\ |ed| <= $ed
/\ @FIX(high, -26) /\ high in [0.99, 1.9999] /\ |low| <= 134217729b-54 /\ |et| <= 1b-80 /\ radius in [$radius, $radius]
-> |total + upper - (true + radius)| <= $bound /\ |total + lower - (true - radius)| <= $bound
/\ |product - E_product| <= 0 /\ |total - high - double(total - high)| <= 0 $needed }
rest -> E_r + second;
total + upper - (true + radius) -> (upper - (tail + radius)) + (tail - E_tail) + (total + E_tail - true);
total + lower - (true - radius) -> (lower - (tail - radius)) + (tail - E_tail) + (total + E_tail - true);
total + E_tail - true -> -(high + low) * es - et * E - (high + low + et) * E * ed;
rest - r_high -> (r - r_high) - (r - E_r) + second;
double(rest - r_high) - second -> (double(rest - r_high) - (rest - r_high)) + (r - r_high) - (r - E_r);
total - high -> (total - (high + product)) + product;
product - double(total - high) -> -(double(total - high) - (total - high)) - (total - (high + product));
E_product - (total - high) -> (E_product - product) - (total - (high + product));
