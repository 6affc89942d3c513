# The logarithm of high + low in plain double, y: T is the table's logarithm of cell / 128, LC the true one, el what low adds, es
# what the series leaves out. What is shown of z is known of zz, from which the series is made, and its true value Z.
@double = float<ieee_64, ne>;
$definitions
true = LC + E_series + es + el;
{ @FLT(high, 53) /\ high in $sizes /\ |T - LC| <= 1b-54 /\ |LC| <= 0.45 /\ |es| <= $es /\ |el| <= 1b-51
/\ |zz - Z| <= 1b-59 /\ |Z| <= $largest
-> |y - true| <= $bound /\ |z - E_z| <= 1b-59 /\ |E_z| <= $largest }
high - (cell * 1b-7) -> -(cell - (high * 128)) * 1b-7;
y - true -> (y - (T + series)) + (T - LC) + (series - E_series) - es - el;
