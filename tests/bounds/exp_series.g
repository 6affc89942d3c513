# The Taylor series of exp of the pair R, as the pair P11, in pairs from the fifth term on. es is what it leaves out.
@double = float<ieee_64, ne>;
$definitions
{ R in $sizes /\ |es| <= $es$known
-> |P11 - (E_P11 + es)| <= $bound $needed }
P11 - (E_P11 + es) -> (P11 - E_P11) - es;
$hints
