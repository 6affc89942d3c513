# Angle addition of pairs (c1 + c0, s1 + s0) and (d1 + d0, t1 + t0), the latter times a factor from 1/2 to 1 (seed_factor.g);
# T_cos and T_sin are those of the sum, times the factor. Errors of a cosine and a sine count 2^0.5 times (cauchy.smt2).
# Both ends of the rounding test: the true number lies between them.
@double = float<ieee_64, ne>;
$definitions
u_upper = double(u + radius);
u_lower = double(u - radius);
v_upper = double(v + radius);
v_lower = double(v - radius);
{ @FIX(c1, -26) /\ |c1| <= 1 /\ |c0| <= 1b-27 /\ @FIX(s1, -26) /\ |s1| <= 1 /\ |s0| <= 1b-27
/\ @FIX(d1, -26) /\ |d1| <= 1 /\ |d0| <= 1b-25 /\ @FIX(t1, -26) /\ |t1| <= 1 /\ |t0| <= 1b-25
/\ |c1 + c0| <= 151115727451828646838273b-77 /\ |s1 + s0| <= 151115727451828646838273b-77
/\ |d1 + d0| <= 75557863725914323419137b-76 /\ |t1 + t0| <= 75557863725914323419137b-76
/\ |c1 * d1 - s1 * t1| <= 8388609b-23 /\ |s1 * d1 + c1 * t1| <= 8388609b-23 /\ radius in [$radius, $radius]
/\ |(c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos| <= $propagated
/\ |(s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin| <= $propagated
-> |p - (c1 * d1 - s1 * t1)| <= 0 /\ |q - (s1 * d1 + c1 * t1)| <= 0
/\ |p + u - T_cos| <= $bound /\ |q + v - T_sin| <= $bound
/\ p + u_upper - T_cos >= 0 /\ p + u_lower - T_cos <= 0 /\ q + v_upper - T_sin >= 0 /\ q + v_lower - T_sin <= 0 }
p + u - T_cos -> (p - E_p) + (u - E_u) + ((c1 + c0) * (d1 + d0) - (s1 + s0) * (t1 + t0) - T_cos);
q + v - T_sin -> (q - E_q) + (v - E_v) + ((s1 + s0) * (d1 + d0) + (c1 + c0) * (t1 + t0) - T_sin);
p + u_upper - T_cos -> (u_upper - (u + radius)) + (p + u - T_cos) + radius;
p + u_lower - T_cos -> (u_lower - (u - radius)) + (p + u - T_cos) - radius;
q + v_upper - T_sin -> (v_upper - (v + radius)) + (q + v - T_sin) + radius;
q + v_lower - T_sin -> (v_lower - (v - radius)) + (q + v - T_sin) - radius;
E_p -> c1 * d1 - s1 * t1;
E_q -> s1 * d1 + c1 * t1;
