# The product of two doubles and its error: exact, of factors a and b from 1 to 2. These stand for any two, as signs and
# powers of two change nothing where nothing underflows.
@double = float<53, -4000, ne>;
$definitions
A = one_high * other_low;
B = one_low * other_high;
C = one_low * other_low;
D = double(rest + double(A));
F = double(D + double(B));
rounded = (rest - E_rest) + (double(A) - A) + (D - (rest + double(A)));
{ a in [1, 2] /\ @FIX(a, -52) /\ b in [1, 2] /\ @FIX(b, -52)
-> |product + error - a * b| <= 0 }
one_high * other_high - product -> (a * b - product) - A - B - C;
rest + double(A) -> (rest - E_rest) + (double(A) - A) + (a * b - product) - B - C;
D + double(B) -> rounded + (double(B) - B) + (a * b - product) - C;
F + double(C) -> rounded + (double(B) - B) + (F - (D + double(B))) + (double(C) - C) + (a * b - product);
product + error - a * b -> rounded + (double(B) - B) + (F - (D + double(B))) + (double(C) - C) + (error - (F + double(C)));
