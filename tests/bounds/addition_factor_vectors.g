# The same in the vector code, whose sums begin with the radius; both ends of the rounding test.
@double = float<ieee_64, ne>;
$definitions
u_lower = double(u - twice);
v_lower = double(v - twice);
{ @FIX(c1, -26) /\ |c1| <= 1 /\ |c0| <= 1b-27 /\ @FIX(s1, -26) /\ |s1| <= 1 /\ |s0| <= 1b-27
/\ @FIX(d1, -26) /\ |d1| <= 1 /\ |d0| <= 1b-25 /\ @FIX(t1, -26) /\ |t1| <= 1 /\ |t0| <= 1b-25
/\ |c1 + c0| <= 151115727451828646838273b-77 /\ |s1 + s0| <= 151115727451828646838273b-77
/\ |d1 + d0| <= 75557863725914323419137b-76 /\ |t1 + t0| <= 75557863725914323419137b-76
/\ |c1 * d1 - s1 * t1| <= 8388609b-23 /\ |s1 * d1 + c1 * t1| <= 8388609b-23
/\ |(c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos| <= $propagated
/\ |(s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin| <= $propagated /\ reach in [$radius, $radius]
-> |p - (c1 * d1 - s1 * t1)| <= 0 /\ |q - (s1 * d1 + c1 * t1)| <= 0
/\ |p + u - (T_cos + reach)| <= $bound /\ |p + u_lower - (T_cos - reach)| <= $bound
/\ |q + v - (T_sin + reach)| <= $bound /\ |q + v_lower - (T_sin - reach)| <= $bound }
p + u - (T_cos + reach) -> (p - E_p) + (u - E_u) + ((c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos);
q + v - (T_sin + reach) -> (q - E_q) + (v - E_v) + ((s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin);
p + u_lower - (T_cos - reach) -> (u_lower - (u - twice)) - (twice - 2 * reach) + (p + u - (T_cos + reach));
q + v_lower - (T_sin - reach) -> (v_lower - (v - twice)) - (twice - 2 * reach) + (q + v - (T_sin + reach));
E_p -> c1 * d1 - s1 * t1;
E_q -> s1 * d1 + c1 * t1;
