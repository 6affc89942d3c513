# A product of complex numbers (a, b) and (c, d) whose sizes are at most 1 and some errors: the size of its error. Sizes of
# products of parts add up to that of the product (cauchy.smt2), here 1 + 2^-46; $region.
@double = float<ieee_64, ne>;
$definitions
P = a * c;
Q = b * d;
R = a * d;
S = b * c;
real = u - E_u;
imag = v - E_v;
{ |P| <= 70368744177665b-46 /\ |Q| <= 70368744177665b-46 /\ |P| + |Q| <= 70368744177665b-46
/\ |R| <= 70368744177665b-46 /\ |S| <= 70368744177665b-46 /\ |R| + |S| <= 70368744177665b-46
/\ |P - Q| in $real /\ |R + S| in $imag
-> real * real + imag * imag <= $square /\ |real| <= 65b-58 /\ |imag| <= 65b-58 }
E_u -> P - Q;
E_v -> R + S;
|real| $$ |P| in (1b-5, 1b-1, 1);
|imag| $$ |R| in (1b-5, 1b-1, 1);
