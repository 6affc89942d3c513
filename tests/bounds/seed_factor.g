# A seed as a pair, (upper + lower), times the factor F, from 1/2 to 1, as a pair (high + low); T is the true cosine or sine.
# high is F rounded to 26 bits, low the rest rounded to a double: F is known to 256 bits.
@double = float<ieee_64, ne>;
$definitions
{ @FIX(upper, -26) /\ upper in $upper /\ @FLT(lower, 53) /\ |lower| <= 1b-27
/\ @FIX(high, -26) /\ high in $factor /\ @FLT(low, 53) /\ |low| <= 1b-27
/\ |F| <= 1 /\ |F - (high + low)| <= 1267650600228229401496703205377b-181 /\ |T| <= 1 /\ |upper + lower - T| <= $seed_pairs
-> |cut + rest - F * T| <= $bound /\ |product - upper * high| <= 0
/\ @FIX(cut, -26) /\ |cut| <= 1 /\ |rest| <= 1b-25 $needed }
cut + rest - F * T -> (rest - E_rest) + (upper + lower - T) * (high + low) - (F - (high + low)) * T;
