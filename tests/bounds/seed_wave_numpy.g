# The same as complex numbers: the size of the error of cos + i sin, where $region.
@double = float<ieee_64, ne>;
$definitions
T_cos = A * (E_out_real + ec) - B * (E_out_imag + es);
T_sin = B * (E_out_real + ec) + A * (E_out_imag + es);
real = cos - T_cos;
imag = sin - T_sin;
{ @FLT(x, 53) /\ |x| <= 3b62 /\ |ec| <= $ec /\ |es| <= $es
/\ |A| <= $A /\ |B| <= $B /\ |T_cos| <= $T_cos /\ |T_sin| <= $T_sin
/\ |c1| <= $A /\ |s1| <= $B /\ |c1 - A| <= $uA /\ |s1 - B| <= $uB
-> real * real + imag * imag <= $square }
cos - T_cos -> (cos - E_cos) - (A * ec - B * es);
sin - T_sin -> (sin - E_sin) - (B * ec + A * es);
