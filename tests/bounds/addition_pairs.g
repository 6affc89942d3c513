# Angle addition of pairs (c1 + c0, s1 + s0) and (d1 + d0, t1 + t0); T_cos and T_sin are those of the sum. The errors of
# four seeds add up to 2^1.5 times that of one (cauchy.smt2).
@double = float<ieee_64, ne>;
$definitions
{ @FIX(c1, -26) /\ |c1| <= 1 /\ |c0| <= 1b-27 /\ @FIX(s1, -26) /\ |s1| <= 1 /\ |s0| <= 1b-27
/\ @FIX(d1, -26) /\ |d1| <= 1 /\ |d0| <= 1b-27 /\ @FIX(t1, -26) /\ |t1| <= 1 /\ |t0| <= 1b-27
/\ |c1 + c0| <= 151115727451828646838273b-77 /\ |s1 + s0| <= 151115727451828646838273b-77
/\ |d1 + d0| <= 151115727451828646838273b-77 /\ |t1 + t0| <= 151115727451828646838273b-77
/\ |c1 * d1 - s1 * t1| <= 16777217b-24 /\ |s1 * d1 + c1 * t1| <= 16777217b-24
/\ |(c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos| <= $propagated
/\ |(s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin| <= $propagated
-> |p - (c1 * d1 - s1 * t1)| <= 0 /\ |q - (s1 * d1 + c1 * t1)| <= 0
/\ |p + u - T_cos| <= $bound /\ |q + v - T_sin| <= $bound }
p + u - T_cos -> (p - E_p) + (u - E_u) + ((c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos);
q + v - T_sin -> (q - E_q) + (v - E_v) + ((s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin);
E_p -> c1 * d1 - s1 * t1;
E_q -> s1 * d1 + c1 * t1;
