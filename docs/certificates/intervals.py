"""Real numbers enclosed by integers, and the proof that a stored number is a formula rounded once.

Formulas are text, numbers and operators after them: `10000^-2/64 1/4 *`. The same text is read by check.c.
"""

#: precision, exponent bits
FORMATS = {"float64": (53, 11), "float32": (24, 8), "float16": (11, 5), "bfloat16": (8, 8)}
FORMATS |= {"float8_e4m3fn": (4, 4), "float8_e5m2": (3, 5)}  # the first has no infinity, and one NaN
LEVELS = (256, 3520)  # bits behind the binary point, the second where the first do not decide
#: the last one is F: an interval is (low, high), integers; the number times 2**F is low = high or between them, not at
#: an end
PRECISIONS = [LEVELS[0]]


class Uncovered(Exception):
    """A case of a form that these programs do not derive."""


def need(condition, reason):
    if not condition:
        raise Uncovered(reason)


class Precision:
    """`with Precision(bits):` computes with so many bits behind the binary point."""

    def __init__(self, bits):
        self.bits = bits

    def __enter__(self):
        PRECISIONS.append(self.bits)

    def __exit__(self, *_):
        PRECISIONS.pop()


def exact(n, d=1):
    F = PRECISIONS[-1]
    return (n << F) // d, -((-n << F) // d)


def add(x, y):
    return x[0] + y[0], x[1] + y[1]


def neg(x):
    return -x[1], -x[0]


def mul(x, y):
    F = PRECISIONS[-1]
    ends = [a * b for a in x[:2] for b in y[:2]]
    return min(ends) >> F, -(-max(ends) >> F)


def quotient(x, y):
    """x / y of an interval y above 0; the quotient of two numbers with one in this precision is that one."""
    F = PRECISIONS[-1]
    need(y[0] > 0, "a divisor that may be 0 or below")
    return min((x[0] << F) // n for n in y[:2]), max(-((-x[1] << F) // n) for n in y[:2])


def series(t, factor, n, step):
    """The sum of t, t factor / n, ... and a bound of its error in units of 2**-F.

    The divisors are n, n + 1, ... (step 1) or n (n + 1), (n + 2)(n + 3), ... (step 2). With |factor / divisor| < 0.7 a
    term is off by 3 units and 0.7 of the error of the one before: by less than 10, as are the terms left out.
    """
    F = PRECISIONS[-1]
    total = count = 0
    while t not in (0, -1):
        total, count = total + t, count + 1
        t = (t * factor >> F) // (n if step == 1 else n * (n + 1))
        n += step
    return total, 16 * (count + 4)


def arctangents(y, sign):
    """y - sign y**3 / 3 + y**5 / 5 ...: artanh for sign -1, arctan for 1; |y| <= 1/3."""
    F = PRECISIONS[-1]
    total, power, k, square = 0, y, 0, y * y >> F
    while power not in (0, -1):
        total += (-sign) ** k * (power // (2 * k + 1))
        power, k = power * square >> F, k + 1
    return total, 16 * (k + 4)


def around(value, error):
    return value - error, value + error


CONSTANTS = {}
KNOWN = {}  # formulas, cosines and sines of a case


def constant(name):
    """ln 2 = 2 artanh(1/3), and pi = 16 arctan(1/5) - 4 arctan(1/239) (Machin)."""
    F = PRECISIONS[-1]
    if (name, F) not in CONSTANTS:
        if name == "ln2":
            total, error = arctangents((1 << F) // 3, -1)
            CONSTANTS[name, F] = around(2 * total, 2 * error)
        else:
            (a, e), (b, f) = (arctangents((1 << F) // n, 1) for n in (5, 239))
            CONSTANTS[name, F] = around(16 * a - 4 * b, 16 * e + 4 * f)
    return CONSTANTS[name, F]


def log(x):
    """Of an interval above 0; each end is n = 2**k m with 1 <= m < 2, and ln m = 2 artanh((m - 1) / (m + 1))."""
    F = PRECISIONS[-1]
    need(x[0] > 0, "a logarithm of 0")
    ends = []
    for n in x:
        top = 1 << n.bit_length() - 1
        total, error = arctangents(((n - top) << F) // (n + top), -1)
        ends.append(add(mul(constant("ln2"), exact(n.bit_length() - 1 - F)), around(2 * total, 2 * error)))
    return ends[0][0], ends[1][1]


def exp(x):
    """exp(n) = 2**k exp(r), with 0 <= r < 0.7 but for the error of k ln 2, which the width of r holds."""
    F = PRECISIONS[-1]
    ends = []
    for n in x:
        if n < -5000 << F:  # exp(n) is below a unit, of both levels
            ends.append((0, 1))
            continue
        k = n // constant("ln2")[1]
        r = add((n, n), neg(mul(constant("ln2"), exact(k))))
        need(r[1] - r[0] < 1 << F - 8, "an exponential of this size")
        total, error = series(1 << F, r[0], 1, 1)
        low, high = around(total, error + 3 * (r[1] - r[0]))
        ends.append((low << k, high << k) if k >= 0 else (low >> -k, -(-high >> -k)))
    return ends[0][0], ends[1][1]


def cos_sin(x):
    """Of an interval: r = x - k pi / 2, both series at the lower end of r, which is off by the width of r at most."""
    F = PRECISIONS[-1]
    if x[:2] == (0, 0):
        return exact(1), (0, 0)
    quarter = mul(constant("pi"), exact(1, 2))
    k = (2 * x[0] + quarter[0]) // (2 * quarter[0])
    r = add(x, neg(mul(quarter, exact(k))))
    if r[1] - r[0] > 1 << F - 8 or abs(r[0]) > 9 << F - 3:  # too few bits for a number of this size
        return ((-1 << F) - 1, (1 << F) + 1), ((-1 << F) - 1, (1 << F) + 1)
    square = -(r[0] * r[0] >> F)
    cos, sin = ((n, e + r[1] - r[0]) for n, e in (series(1 << F, square, 1, 2), series(r[0], square, 2, 2)))
    quadrants = [cos, sin, (-cos[0], cos[1]), (-sin[0], sin[1])]
    return around(*quadrants[(0, 3, 2, 1)[k % 4]]), around(*quadrants[(1, 0, 3, 2)[k % 4]])


def power(base, n, d):
    """base**(n/d) of a fraction; exact where both are powers of two."""
    over, under = base
    need(over > 0 and under > 0, "a power of a number that is not above 0")
    exponent = (over.bit_length() - under.bit_length()) * n
    if n == 0 or (over & over - 1 == under & under - 1 == 0 and exponent % d == 0):
        exponent = exponent // d if n else 0
        return exact(1 << max(exponent, 0), 1 << max(-exponent, 0))
    return exp(mul(log(exact(*base)), exact(n, d)))


# -- formulas as text -------------------------------------------------------------------------------------------------


def fraction(text):
    """(numerator, denominator) of 3, -16/3, or 5@-2, which is 5 2**-2."""
    text, _, twos = text.partition("@")
    n, _, d = text.partition("/")
    twos = int(twos or 0)
    return int(n) << max(twos, 0), int(d or 1) << max(-twos, 0)


def number(text):
    """The interval of a fraction, of a power of one as 10000^-2/64, of pi, or of minus infinity."""
    if text == "pi":
        return constant("pi")
    if text == "-inf":
        return (-1 << PRECISIONS[-1] + 1029,) * 2
    base, _, exponent = text.partition("^")
    return power(fraction(base), *fraction(exponent)) if exponent else exact(*fraction(base))


OPERATORS = {
    "+": add,
    "-": lambda x, y: add(x, neg(y)),
    "*": mul,
    "/": quotient,
}
FUNCTIONS = {
    "ln": log,
    "sqrt": lambda x: exp(mul(log(x), exact(1, 2))),
    "exp": exp,
    "cos": lambda x: cos_sin(x)[0],
    "sin": lambda x: cos_sin(x)[1],
}


def evaluated(text, given=None):
    """The interval of numbers, and words of `given`, with operators behind them."""
    stack = []
    for word in text.split():
        if word in OPERATORS:
            y, x = stack.pop(), stack.pop()
            stack.append(OPERATORS[word](x, y))
        elif word in FUNCTIONS:
            stack.append(FUNCTIONS[word](stack.pop()))
        else:
            stack.append(given(word) if given and word[0] in "ft" else number(word))
    (found,) = stack
    return found


def formula(text):
    """The interval of a formula that occurs often."""
    key = text, PRECISIONS[-1]
    if key not in KNOWN:
        KNOWN[key] = evaluated(text)
    return KNOWN[key]


def waves(position, theta):
    """cos and sin of the product of a fraction and a formula."""
    F = PRECISIONS[-1]
    key = position, theta, F
    if key not in KNOWN:
        KNOWN[key] = cos_sin(mul(formula(theta), number(position)))
    return KNOWN[key]


def value(claim, thetas, factor):
    """The interval of a value as claims say it (docs/certificates.md), a third element with that of -0."""
    if claim == "-0":
        return 0, 0, "minus"
    kind, *given = claim.split()
    if kind not in ("c", "s", "r"):
        return evaluated(claim, lambda word: formula(factor if word == "f" else thetas[int(word[1:])]))
    *weights, position, name = given
    cos, sin = waves(position, thetas[int(name[1:])])
    if kind == "r":
        cos, sin = mul(number(weights[0]), cos), mul(number(weights[1]), sin)
        return mul(add(cos, sin), formula(factor))
    return mul({"c": cos, "s": sin}[kind], formula(factor))


# -- what a stored number and its certificate say ---------------------------------------------------------------------


def parts(bits, dtype):
    """(negative, m, q, the lower neighbour is half as far): the number is m 2**q; infinity as if one more followed."""
    precision, width = FORMATS[dtype]
    exponent, m = bits >> precision - 1 & (1 << width) - 1, bits & (1 << precision - 1) - 1
    if precision == 4:
        need((exponent, m) != (15, 7), "NaN")
    else:
        need(exponent < (1 << width) - 1 or m == 0, "NaN")
    smallest = exponent <= 1
    if exponent:
        m |= 1 << precision - 1
    q = max(exponent, 1) - (1 << width - 1) + 2 - precision
    return bits >> precision - 1 + width, m, q, m == 1 << precision - 1 and not smallest


def fraction_of(bits, dtype):
    """(numerator, denominator) of a stored number."""
    if dtype == "int64":
        return bits - (bits >> 63 << 64), 1
    negative, m, q, _ = parts(bits, dtype)
    need(not infinite(bits, dtype), "infinity")
    m = -m if negative else m
    return (m << q, 1) if q >= 0 else (m, 1 << -q)


def infinite(bits, dtype):
    precision, width = FORMATS[dtype]
    return precision != 4 and bits >> precision - 1 & (1 << width) - 1 == (1 << width) - 1


def proved(bits, dtype, text, x):
    """Whether the certificate encloses x, and nothing that it encloses rounds to other bits."""
    F = PRECISIONS[-1]
    negative, m, q, closer = parts(bits, dtype)
    if x[0] == x[1] == 0:
        return m == 0 and negative == (len(x) == 3) and text == "=0"
    low, high = neg(x) if negative else x[:2]
    sign, digits = text[0], text[1:]
    k = len(digits)
    below, above = ((4 * m - 1) << 4 * k - 2 if closer else (2 * m - 1) << 4 * k - 1), (2 * m + 1) << 4 * k - 1
    unit = F + q - 4 * k  # of the last digit, as a power of two, in units of 2**-F
    if unit < 0 or low < 0:  # the number is above 0 where low is 0 and high is not
        return False
    if infinite(bits, dtype):
        return text == "=0" and low >= below << unit
    point = m
    for digit in digits:
        point = 16 * point + (-1 if sign in "-~" else 1) * int(digit, 16)
    first, last = {"+": (point, point + 1), "-": (point - 1, point)}.get(sign, (point, point))
    rounds = (below < first or (below == first and m % 2 == 0)) and (last < above or (last == above and m % 2 == 0))
    if sign in "=~":
        return rounds and low == high == point << unit
    return rounds and low > (first << unit) - (m == 0) and high < last << unit


def refuted(bits, dtype, x):
    """Whether no number in x rounds to the bits."""
    F = PRECISIONS[-1]
    negative, m, q, closer = parts(bits, dtype)
    if x[0] == x[1] == 0:
        return m != 0 or negative != (len(x) == 3)
    low, high = neg(x) if negative else x[:2]
    below, above = 4 * m - (1 if closer else 2), None if infinite(bits, dtype) else 4 * m + 2
    scale = F + q - 2  # of the midpoints, as a power of two, in units of 2**-F
    low, high = low << max(-scale, 0), high << max(-scale, 0)
    below, above = max(below, 0) << max(scale, 0), above and above << max(scale, 0)
    if low == high:
        return low < below or (above and low > above) or (m % 2 == 1 and low in (below, above))
    return high <= below or bool(above and low >= above)


def digits(bits, dtype, x):
    """The certificate of a number with the value in x, or None where more bits are needed."""
    F = PRECISIONS[-1]
    negative, m, q, _ = parts(bits, dtype)
    if x[0] == x[1] == 0 or infinite(bits, dtype):
        return "=0" if proved(bits, dtype, "=0", x) else None
    low, high = neg(x) if negative else x[:2]
    for k in range(1, 250):
        unit = F + q - 4 * k
        if unit < 0:
            return None
        point, exactly = (low >> unit) - (m << 4 * k), low == high and low % (1 << unit) == 0
        sign = "=~"[point < 0] if exactly else "+-"[point < 0]
        found = f"{sign}{abs(point) - (sign == '-'):0{k}x}"
        if len(found) == k + 1 and proved(bits, dtype, found, x):
            return found
    return None
