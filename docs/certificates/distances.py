"""Decays and features of distances: what their golden cases claim."""

from fractions import Fraction

from formulas import less, log, plain_wave, power, text, times
from positions import DOUBLES, number
from sums import quotient
from words import argument


def log_coordinates(a, _):
    """Logarithms of the offsets of rows and columns."""
    height, width, (rows, columns) = a["height"], a["width"], argument(a, "pretrained", [a["height"], a["width"]])

    def value(index):
        place, axis = divmod(index, 2)
        row, column = divmod(place, 2 * width - 1)
        d, n = (column - width + 1, columns) if axis else (row - height + 1, rows)
        sign = -1 if d < 0 else 1
        if d == 0:
            return "0"
        if a["rule"] == "cr":
            return f"{1 + abs(d)} ln {sign} *"
        over, under = n - 1 + 8 * abs(d), n - 1
        for k in range(1, 64):  # ln 2**k / ln 8
            if over == under << k:
                return text(sign * k, 3)
        return f"{text(over, under)} ln {sign} * 8 ln /"

    return [], "1", value


def rates(a):
    """The rate of each head: of lightning as a formula, of retnet the fraction that counts a token later."""
    n = a["num_heads"]
    if a["rule"] == "retnet":
        return [f"1 1@{-5 - h} -" for h in range(n)]
    eps = text(*number(a.get("eps", DOUBLES["1e-5"])))
    share = f"1 {eps} +" if a["layer"] == 0 else f"1 {a['layer']} {a['layers'] - 1} {eps} + / - {eps} +"
    return [f"{share} {power((2, 1), -8 * (h + 1), n)} *" for h in range(n)]


def decay(a, _):
    """What a token counts at a distance, 0 after the query."""
    queries, keys, found = a["query_len"], a["key_len"], rates(a)
    offset = a.get("query_offset", keys - queries)

    def value(index):
        head, d = index // (queries * keys), index // keys % queries + offset - index % keys
        if d <= 0:
            return "0" if d else "1"
        if a["rule"] == "retnet":
            return power(((32 << head) - 1, 32 << head), d, 1)
        return f"t{head} {-d} * exp"

    return found, "1", value


def kerple(a, _):
    """Power or logarithmic kernels with parameters that are kept within bounds."""
    queries, keys, least = a["query_len"], a["key_len"], number(a.get("least", DOUBLES["1e-2"]))
    offset = a.get("query_offset", keys - queries)

    def kept(given):
        return [least if n * least[1] < least[0] * d else (n, d) for n, d in given["values"]]

    slopes, powers = kept(a["a"]), kept(a["p"])
    if a["kind"] != "log":
        powers = [(2, 1) if n > 2 * d else (n, d) for n, d in powers]

    def value(index):
        head, d = index // (queries * keys), max(index // keys % queries + offset - index % keys, 0)
        slope, exponent = text(*slopes[head]), powers[head]
        if d == 0:
            return "1" if a["kind"] == "weight" else "0"
        if a["kind"] == "log":
            return f"{slope} {d} * 1 + ln {text(-exponent[0], exponent[1])} *"
        found = f"{power((d, 1), *exponent)} {text(-slopes[head][0], slopes[head][1])} *"
        return f"{found} exp" if a["kind"] == "weight" else found

    return [], "1", value


def within(rule, j, n, length, p):
    """Whether the width of a central mask is above a distance: powers of integers are compared."""
    if rule == "doubling":
        return (1 << j + 1) - 1 > p
    if rule == "root":
        return (length + 1) ** (j + 1) > (p + 1) ** n
    return p < j or (length - n + 1) ** j > (p - j) ** n


def halved(j, n, length, p):
    """2**(-p / h), h = 8 (length / 8)**(j / (n - 1))."""
    if p == 0:
        return "1"
    period = times(power((length, 8), j, max(n - 1, 1)), "8")
    return power((2, 1), -p, int(period)) if period.isdigit() else f"2 ln {-p} * {period} / exp"


def log_of_factorial(n):
    """The logarithms of products of factors that are short enough, added."""
    found, words = 1, "0"
    for factor in range(2, n + 1):
        if found * factor >= 1 << 53:
            words, found = f"{words} {found} ln +", 1
        found *= factor
    return f"{words} {found} ln +"


def densities(a, n, length):
    """The logarithms of the factorials of the shapes, and the function from (distance, feature) to the formula."""
    eps, most = text(*number(a.get("eps", DOUBLES["1e-8"]))), max(a["query_len"], a["key_len"]) - 1
    factorials = [log_of_factorial(4 * (j + 1) ** 2 - 1) for j in range(n)]

    def log_of_density(p, j, constant):
        shape, rate = 4 * (j + 1) ** 2, (4 * n * (j + 1), length)
        return f"{text(*rate)} ln {shape} * {p} ln {shape - 1} * + {text(rate[0] * p, rate[1])} - {constant} -"

    def largest(pairs):
        best = pairs[0]
        for pair in pairs[1:]:
            if less(*(log_of_density(*one, factorials[one[1]]) for one in (best, pair))):
                best = pair
        return best

    def near_mode(j):
        mode = (4 * (j + 1) ** 2 - 1) * length // (4 * n * (j + 1))
        return [(p, j) for p in sorted({min(max(p, 1), most) for p in (mode, mode + 1)})]

    of_table = largest([pair for j in range(n) for pair in near_mode(j)]) if most > 0 else None

    def feature(p, j):
        best = of_table
        if a["normalise"] == "row":
            best = largest([(p, k) for k in range(n)]) if p else None
        if best in (None, (p, j)):
            return "1"
        above, below = (f"{log_of_density(*one, f't{one[1]}')} exp {eps} +" for one in ((max(p, 1), j), best))
        return f"{above if p else eps} {below} /"

    return factorials, feature


def distance_features(a, _):
    """n features of each basis, and the same with the sign of the distance."""
    bases, queries, symmetric = a["basis"], a["query_len"], a.get("symmetric", False)
    bases = bases if isinstance(bases, list) else [bases]
    length = argument(a, "length", max(queries, a["key_len"]))
    n = a["features"] // (len(bases) * (1 if symmetric else 2))

    numbers, density = densities(a, n, length) if "gamma" in bases else ([], None)

    def feature(basis, j, p):
        if basis == "gamma":
            return density(p, j)
        if basis == "exponential":
            return halved(j, n, length, p)
        if basis == "cosine":
            theta = f"{text(8, 5 << j)} pi *"
            return plain_wave("c", theta, (p, 1)) or f"{p} {theta} * cos"
        return "1" if (p == j if basis == "one-hot" else within(a["rule"], j, n, length, p)) else "0"

    def value(index):
        p, c = index // a["features"] - queries + 1, index % a["features"]
        signed, c = divmod(c, n * len(bases))
        found = feature(bases[c // n], c % n, abs(p))
        if signed and p == 0:
            return "0"
        return f"{found} -1 *" if signed and p < 0 else found

    return numbers, "1", value


def exponential_modulation(a, _):
    """target**(t / slow) to target**(t / fast) at t = p / (length - 1), the windows of Hyena's filters."""
    target, shift = Fraction(*number(a["target"])), Fraction(*number(a["shift"]))
    slow, fast = (Fraction(1, Fraction(*number(a[name]))) for name in ("slow", "fast"))
    count, last = a["channels"], max(a["length"] - 1, 1)

    def value(index):
        p, c = divmod(index, count)
        rate = slow + (fast - slow) * Fraction(c, max(count - 1, 1))
        exponent = Fraction(p, last) * rate * (1 if target <= 1 else -1)
        if target == 1 or p == 0:
            return quotient(1 + shift)
        return f"{log(target.numerator, target.denominator)} {quotient(exponent)} * exp {quotient(shift)} +"

    return [], "1", value


KERNEL = "query_len key_len query_offset"
FUNCTIONS = {
    "log_coordinates": (log_coordinates, "height width rule pretrained"),
    "decay_rates": (lambda a, _: (rates(a), "1", lambda h: f"t{h}"), "num_heads rule layer layers eps"),
    "decay": (decay, "num_heads rule layer layers eps " + KERNEL),
    "exponential_modulation": (exponential_modulation, "length channels fast slow target shift"),
    "kerple": (kerple, "p a kind least " + KERNEL),
    "distance_features": (
        distance_features,
        "query_len key_len features basis rule normalise length symmetric eps",
    ),
}
