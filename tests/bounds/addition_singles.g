# Angle addition in float32, for bfloat16: seeds (c, s) and (d, t) rounded to float32, the radius, and both ends of the
# rounding test, where the value is at most 1 - 2^-10: no midpoint is nearer to 1. So no product is above 1 - 2^-12.
# The errors of four seeds add up to 2^1.5 times that of one (cauchy.smt2).
@single = float<ieee_32, ne>;
$definitions
C1 = c * d;
C2 = s * t;
S1 = s * d;
S2 = c * t;
p_lower = single(p - twice);
q_lower = single(q - twice);
{ |C1| <= 4095b-12 /\ |C2| <= 4095b-12 /\ |S1| <= 4095b-12 /\ |S2| <= 4095b-12 /\ reach in [$radius, $radius]
/\ |T_cos| <= 1023b-10 /\ |C1 - C2 - T_cos| <= $propagated
/\ |T_sin| <= 1023b-10 /\ |S1 + S2 - T_sin| <= $propagated
-> |p - (T_cos + reach)| <= $bound /\ |p_lower - (T_cos - reach)| <= $bound
/\ |q - (T_sin + reach)| <= $bound /\ |q_lower - (T_sin - reach)| <= $bound }
p -> (p - E_p) + (C1 - C2 - T_cos) + T_cos + reach;
q -> (q - E_q) + (S1 + S2 - T_sin) + T_sin + reach;
p - (T_cos + reach) -> (p - E_p) + (C1 - C2 - T_cos);
q - (T_sin + reach) -> (q - E_q) + (S1 + S2 - T_sin);
p_lower - (T_cos - reach) -> (p_lower - (p - twice)) - (twice - 2 * reach) + (p - (T_cos + reach));
q_lower - (T_sin - reach) -> (q_lower - (q - twice)) - (twice - 2 * reach) + (q - (T_sin + reach));
E_p -> (C1 - C2 - T_cos) + T_cos + reach;
E_q -> (S1 + S2 - T_sin) + T_sin + reach;
