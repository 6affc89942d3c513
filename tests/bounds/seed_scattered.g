# Seed that is rounded at once, float64: `seed_rest` and `turn_knot` of ext/seeds.h, `own_pairs` of ext/tables.h.
# The knot (A, B) is (cos1 + cos0, sin1 + sin0). es and em are what the series and the error of the angle x1 + x0 leave
# of the sine and of 1 - cosine, oc and os what the error of the phase changes.
@double = float<ieee_64, ne>;
$definitions
T_cos = A * (1 - E_m - em) - B * (x1 + E_s0 + es) + oc;
T_sin = B * (1 - E_m - em) + A * (x1 + E_s0 + es) + os;
cos_upper = cos_leading + double(cos_rest + radius);
cos_lower = cos_leading + double(cos_rest - radius);
sin_upper = sin_leading + double(sin_rest + radius);
sin_lower = sin_leading + double(sin_rest - radius);
{ @FIX(x1, -35) /\ |x1| <= $x1 /\ @FLT(x0, 53) /\ |x0| <= $x0 /\ |es| <= $es /\ |em| <= $em
/\ |oc| <= $phase /\ |os| <= $phase /\ |radius| <= $radius /\ |A| <= 1 /\ |B| <= 1
/\ @FIX(cos1, -26) /\ |cos1| <= 1 /\ @FLT(cos0, 53) /\ |cos0| <= 1b-27 /\ |A - (cos1 + cos0)| <= 1b-81
/\ @FIX(sin1, -26) /\ |sin1| <= 1 /\ @FLT(sin0, 53) /\ |sin0| <= 1b-27 /\ |B - (sin1 + sin0)| <= 1b-81
-> |cos_upper - (T_cos + radius)| <= $bound /\ |cos_lower - (T_cos - radius)| <= $bound
/\ |sin_upper - (T_sin + radius)| <= $bound /\ |sin_lower - (T_sin - radius)| <= $bound }
cos_upper - (T_cos + radius) -> (double(cos_rest + radius) - (cos_rest + radius)) + (cos_leading + cos_rest - T_cos);
cos_lower - (T_cos - radius) -> (double(cos_rest - radius) - (cos_rest - radius)) + (cos_leading + cos_rest - T_cos);
sin_upper - (T_sin + radius) -> (double(sin_rest + radius) - (sin_rest + radius)) + (sin_leading + sin_rest - T_sin);
sin_lower - (T_sin - radius) -> (double(sin_rest - radius) - (sin_rest - radius)) + (sin_leading + sin_rest - T_sin);
cos_leading + cos_rest - T_cos -> (cos_rest - E_cos_rest) - (A - (cos1 + cos0)) * (1 - E_m)
  + (B - (sin1 + sin0)) * (x1 + E_s0) + A * em + B * es - oc;
sin_leading + sin_rest - T_sin -> (sin_rest - E_sin_rest) - (B - (sin1 + sin0)) * (1 - E_m)
  - (A - (cos1 + cos0)) * (x1 + E_s0) + B * em - A * es - os;
# what the first sum loses is exact
cos_leading - cos1 -> (cos_leading - (cos1 + cos_step)) + cos_step;
cos_step - (cos_leading - cos1) -> (cos1 + cos_step) - cos_leading;
sin_leading - sin1 -> (sin_leading - (sin1 + sin_step)) + sin_step;
sin_step - (sin_leading - sin1) -> (sin1 + sin_step) - sin_leading;
