# Seed in plain double, NumPy kernels: `_near_one` of refpos/kernels/numpy_waves.py, and the product with the knot.
# x is the angle from the knot in 2^-74 turns; c1 and s1 are the knot (A, B), rounded.
@double = float<ieee_64, ne>;
$definitions
# ec and es are what the series and the phase leave of cos and sin
T_cos = A * (E_out_real + ec) - B * (E_out_imag + es);
T_sin = B * (E_out_real + ec) + A * (E_out_imag + es);
{ @FLT(x, 53) /\ |x| <= 3b62 /\ |ec| <= $ec /\ |es| <= $es
/\ |A| <= 1 /\ |B| <= 1 /\ |T_cos| <= 1 /\ |T_sin| <= 1
/\ |c1| <= 1 /\ |s1| <= 1 /\ |c1 - A| <= 1b-54 /\ |s1 - B| <= 1b-54
-> |cos - T_cos| <= $bound /\ |sin - T_sin| <= $bound }
cos - T_cos -> (cos - E_cos) - (A * ec - B * es);
sin - T_sin -> (sin - E_sin) - (B * ec + A * es);
