# One step of the Taylor series of erf at the distance h from a centre, from the pair V, which is EV but for what is known, or from
# the terms in plain double; er is what the series leaves out, next to 0 of h / 32.
@double = float<ieee_64, ne>;
$definitions
{ @FLT(h, 53) /\ h in $distance /\ |V - EV| <= $error /\ EV in $sums /\ |er| <= $er$coefficients$known
-> |$off| <= $bound $needed }
$hint
$hints
