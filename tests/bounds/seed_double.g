# Seed in plain double, compiled kernels: `seed` of ext/seeds.h.
# x is the angle from the knot in 2^-62 turns, an integer; c1 and s1 are the knot (A, B), rounded.
@double = float<ieee_64, ne>;
$definitions
# em and es are what the series and the phase leave of cos - 1 and sin
T_cos = A * (1 + E_m + em) - B * (E_s + es);
T_sin = B * (1 + E_m + em) + A * (E_s + es);
{ @FIX(x, 0) /\ |x| <= 1b51 /\ |em| <= $em /\ |es| <= $es
/\ |A| <= 1 /\ |B| <= 1 /\ |T_cos| <= 1 /\ |T_sin| <= 1
/\ |c1| <= 1 /\ |s1| <= 1 /\ |c1 - A| <= 1b-54 /\ |s1 - B| <= 1b-54
-> |cos - T_cos| <= $bound /\ |sin - T_sin| <= $bound }
cos - T_cos -> (cos - E_cos) - (A * em - B * es);
sin - T_sin -> (sin - E_sin) - (B * em + A * es);
