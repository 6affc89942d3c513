# Angle addition in plain double, of seeds (c, s) and (d, t) of two angles; T_cos and T_sin are those of the sum.
# |c d| + |s t| and |s d| + |c t| are at most 1 by Cauchy and Schwarz, but for the errors of seeds, below 2^-49. The
# errors of four seeds add up to 2^1.5 times that of one (cauchy.smt2).
@double = float<ieee_64, ne>;
$definitions
C1 = c * d;
C2 = s * t;
S1 = s * d;
S2 = c * t;
{ |C1| + |C2| <= 562949953421313b-49 /\ |C1| <= 562949953421313b-49 /\ |C2| <= 562949953421313b-49
/\ |S1| + |S2| <= 562949953421313b-49 /\ |S1| <= 562949953421313b-49 /\ |S2| <= 562949953421313b-49
/\ |C1 - C2| <= 562949953421313b-49 /\ |S1 + S2| <= 562949953421313b-49
/\ |C1 - C2 - T_cos| <= $propagated /\ |S1 + S2 - T_sin| <= $propagated
-> |u - T_cos| <= $bound /\ |v - T_sin| <= $bound }
u - T_cos -> (u - E_u) + (C1 - C2 - T_cos);
v - T_sin -> (v - E_v) + (S1 + S2 - T_sin);
|u - T_cos| $$ |C1| in (1b-1, 1);
|v - T_sin| $$ |S1| in (1b-1, 1);
E_u -> C1 - C2;
E_v -> S1 + S2;
s * (-t) -> -C2;
c * (-t) -> -S2;
