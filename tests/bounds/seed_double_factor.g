# The same, of knots times a factor F 2^k with F from 1/2 to 1, in units of 2^k.
@double = float<ieee_64, ne>;
c1 = double(a1 * f);
s1 = double(b1 * f);
$definitions
T_cos = F * (A * (1 + E_m + em) - B * (E_s + es));
T_sin = F * (B * (1 + E_m + em) + A * (E_s + es));
{ @FIX(x, 0) /\ |x| <= 1b51 /\ |em| <= $em /\ |es| <= $es
/\ |A| <= 1 /\ |B| <= 1 /\ |T_cos| <= 1 /\ |T_sin| <= 1
/\ F in [1b-1, 1] /\ f in [1b-1, 1] /\ |f - F| <= 1b-54
/\ |a1| <= 1 /\ |b1| <= 1 /\ |a1 - A| <= 1b-54 /\ |b1 - B| <= 1b-54
-> |cos - T_cos| <= $bound /\ |sin - T_sin| <= $bound }
cos - T_cos -> (cos - E_cos) - F * (A * em - B * es);
sin - T_sin -> (sin - E_sin) - F * (B * em + A * es);
