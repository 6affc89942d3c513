# Seed as a pair. The knot (A, B) is (cos1 + cos0, sin1 + sin0); sin x is x1 + T_s0, and cos x is 1 - k + T_c0 with
# k = half_square = k1 + k0; oc and os are what the error of the phase changes.
@double = float<ieee_64, ne>;
$definitions
T_cos = A * (1 - half_square + T_c0) - B * (x1 + T_s0) + oc;
T_sin = B * (1 - half_square + T_c0) + A * (x1 + T_s0) + os;
cos = cos_high + cos_low;
sin = sin_high + sin_low;
{ @FIX(x1, -35) /\ |x1| <= $x1 /\ |s0 - T_s0| <= $seed_pairs_sine /\ |s0| <= $s0
/\ |c0 - T_c0| <= $seed_pairs_cosine /\ |c0| <= $c0
/\ @FIX(half_square, -71) /\ |half_square| <= 1b-19 /\ @FLT(half_square, 53)
/\ @FIX(cos1, -26) /\ |cos1| <= 1 /\ @FLT(cos0, 53) /\ |cos0| <= 1b-27 /\ |A - (cos1 + cos0)| <= 1b-81
/\ @FIX(sin1, -26) /\ |sin1| <= 1 /\ @FLT(sin0, 53) /\ |sin0| <= 1b-27 /\ |B - (sin1 + sin0)| <= 1b-81
/\ |A| <= 1 /\ |B| <= 1 /\ |oc| <= $phase /\ |os| <= $phase
-> |cos - T_cos| <= $bound /\ |sin - T_sin| <= $bound
/\ @FIX(cos_high, -26) /\ |cos_low| <= 1b-27 /\ @FIX(sin_high, -26) /\ |sin_low| <= 1b-27 $needed }
cos - T_cos -> (cos - (E_cos_high + E_cos_low)) - (A - (cos1 + cos0)) * (1 - half_square + T_c0)
  + (B - (sin1 + sin0)) * (x1 + T_s0) - oc;
sin - T_sin -> (sin - (E_sin_high + E_sin_low)) - (B - (sin1 + sin0)) * (1 - half_square + T_c0)
  - (A - (cos1 + cos0)) * (x1 + T_s0) - os;
