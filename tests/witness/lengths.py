"""What reaches beyond the trained length, from the papers: xPos, log-n factors, and positions pair by pair.

xPos is computed in balls; positions, distances and regions token by token in plain Python with fractions.
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from .balls import leading
from .digits import from_floats, from_fractions, patterns, zeros
from .formulas import flatten, geometric, power, sine_cosine, with_specials


def zeta(j, width, gamma=Fraction(2, 5)):
    """Sun et al. 2022, algorithm 1: (i / (d/2) + gamma) / (1 + gamma)."""
    return (Fraction(j) / Fraction(width, 2) + gamma) / (1 + gamma)


def smallest(total, centring):
    """The first exponent of a sequence of so many tokens, before the division by the scale base."""
    return -total // 2 if centring == "ceil" else -(total // 2)  # -5 // 2 is -3


def exponents(places, centring, length, downscale, scale_base):
    """One fraction for each position: what zeta is raised to."""
    total = length if length is not None else (max(map(Fraction, places)) + 1 if places else 0)
    sign = -1 if downscale else 1
    return [sign * (Fraction(p) + smallest(total, centring)) / Fraction(scale_base) for p in places]


def size_of(base, exponent):
    """About the exponent of two of base**exponent; a guess that only saves time."""
    return math.floor(float(exponent) * (math.log2(base.numerator) - math.log2(base.denominator)))


def _exact_power(base, exponent):
    """base**exponent where it is a fraction, found by roots of numerator and denominator; an error elsewhere."""
    root = exponent.denominator
    parts = [round(n ** (1 / root)) for n in (base.numerator, base.denominator)]
    assert parts[0] ** root == base.numerator and parts[1] ** root == base.denominator, (base, exponent)
    return Fraction(*parts) ** exponent.numerator


def _factor(base, exponent):
    return power(base, exponent) if exponent else arb(1)


def xpos_scale(positions, width, *, centring, downscale=False, length=None, scale_base=512, gamma=Fraction(2, 5)):
    """Digits of zeta_j**exponent, (*positions.shape, width/2)."""
    shape, places = flatten(positions)
    half = width // 2
    raised = exponents(places, centring, length, downscale, scale_base)
    bases = [zeta(j, width, Fraction(gamma)) for j in range(half)]
    pairs = [(b, e) for e in raised for b in bases]

    def evaluate(chosen, bits):
        return [(_factor(*pairs[k]),) for k in (range(len(pairs)) if chosen is None else chosen)]

    expected = [size_of(b, e) for b, e in pairs]
    found = leading(len(pairs), 1, evaluate, expected, lambda row: (_exact_power(*pairs[row]),))
    return found.reshape(*shape, half)


def xpos(
    x, positions, name, *, pairing, centring, downscale=False, length=None, scale_base=512, gamma=Fraction(2, 5),
    base=10000.0, rotary_dim=None, inverse=False, divide=1,
):  # fmt: skip
    """Bit patterns (rows, dim) of x (rows, dim) float64, turned by one position a row and scaled, in format `name`.

    Where an input is not finite the rotation holds in IEEE arithmetic, and the scale, which is positive, is left out;
    at position 0 a zero keeps the sign it has there. Two zeros give +0 twice. divide: what divides the frequencies.
    """
    places = flatten(positions)[1]
    rotary = x.shape[1] if rotary_dim is None else rotary_dim
    half, turn = rotary // 2, -1 if inverse else 1
    first = np.arange(half) if pairing == "half" else 2 * np.arange(half)
    second = first + (half if pairing == "half" else 1)
    raised = exponents(places, centring, length, downscale, scale_base)
    bases = [zeta(j, rotary, Fraction(gamma)) for j in range(half)]
    rule = geometric(half, Fraction(2, rotary), base, Fraction(1, divide))
    sine, cosine = (patterns(value, "float64").view(np.float64) for value in sine_cosine(places, rule, half))
    a, b = x[:, first], x[:, second]
    result = with_specials(x, name)
    finite = np.isfinite(a) & np.isfinite(b)
    still = np.array([p == 0 for p in places], bool)[:, None] & np.ones_like(finite)
    for columns, one, other, turned in ((first, a, b, -turn), (second, b, a, turn)):
        with np.errstate(invalid="ignore", over="ignore"):
            ieee = one * cosine + other * (turned * sine)
        digits = _scaled(one, other, turned, finite, places, raised, bases, rule)
        zero = still & (one == 0) & (other != 0)
        result[:, columns] = np.where(zero | ~finite, with_specials(ieee, name), patterns(digits, name))
    return result


def _scaled(one, other, turn, finite, places, raised, bases, rule):
    """Digits of factor * (one cos + turn * other sin), (rows, half); 0 where both are 0 or one is not finite."""
    half = len(bases)
    result = zeros(one.shape)
    busy = [
        (row, j)
        for row, place in enumerate(places)
        for j in range(half)
        if finite[row, j] and (one[row, j] or (other[row, j] and place))
    ]

    def evaluate(chosen, bits):
        thetas, made, found = rule(), {}, []
        for row, j in busy if chosen is None else [busy[k] for k in chosen]:
            if (row, j) not in made:
                made[row, j] = _factor(bases[j], raised[row])
            s, c = (thetas[j] * places[row]).sin_cos() if places[row] else (arb(0), arb(1))
            found.append(((c * one[row, j].item() + s * (turn * other[row, j].item())) * made[row, j],))
        return found

    expected = [
        math.frexp(max(abs(one[row, j]), abs(other[row, j])))[1] + size_of(bases[j], raised[row]) for row, j in busy
    ]

    def exact(k):
        row, j = busy[k]
        assert not places[row]
        return (Fraction(one[row, j].item()) * _exact_power(bases[j], raised[row]),)

    if busy:
        result[tuple(np.array(busy).T)] = leading(len(busy), 1, evaluate, expected, exact).reshape(len(busy))
    return result


def xpos_table(positions, width, *, base=10000.0, divide=1, centring, **options):
    """Digits (cos, sin), each (rows, width/2), of factor times cosine and sine."""
    places = flatten(positions)[1]
    half = width // 2
    raised = exponents(places, centring, options.get("length"), options.get("downscale", False),
                       options.get("scale_base", 512))  # fmt: skip
    bases = [zeta(j, width, Fraction(options.get("gamma", Fraction(2, 5)))) for j in range(half)]
    rule = geometric(half, Fraction(2, width), base, Fraction(1, divide))
    one, none, finite = np.ones((len(places), half)), np.zeros((len(places), half)), np.ones((len(places), half), bool)
    arguments = finite, places, raised, bases, rule
    return _scaled(one, none, 1, *arguments), _scaled(none, one, 1, *arguments)


# -- factors on queries -----------------------------------------------------------------------------------------------


def log_n_scale(positions, training_length):
    """Digits of max(1, ln(p + 1) / ln(training_length)) at whole positions (n,)."""
    result = from_floats(np.ones(len(positions)))
    rows = [k for k, p in enumerate(positions) if p + 1 > training_length]

    def evaluate(chosen, bits):
        return [
            (arb(positions[rows[k]] + 1).log() / arb(training_length).log(),)
            for k in (range(len(rows)) if chosen is None else chosen)
        ]

    def exact(k):
        # 2**a and 2**b, or other powers of one number: the ratio of the exponents
        n = positions[rows[k]] + 1
        ratios = [Fraction(a, b) for b in range(1, 64) for a in range(b, 64) if n**b == training_length**a]
        return (ratios[0],)

    if rows:
        result[rows] = leading(len(rows), 1, evaluate, exact=exact).reshape(len(rows))
    return result


def mscale(scale, slope):
    """Digits () of slope * ln(scale) + 1 for scale > 1, else of 1."""
    scale = Fraction(scale)
    if scale <= 1:
        return from_floats(np.ones(1)).reshape(())
    value = fmpq(scale.numerator, scale.denominator), fmpq(slope.numerator, slope.denominator)
    return leading(1, 1, lambda chosen, bits: [(arb(value[0]).log() * arb(value[1]) + 1,)]).reshape(())


# -- positions, pair by pair ------------------------------------------------------------------------------------------


def rounded(rows, name):
    """Fractions (nested lists) as int64, or as bit patterns of a format."""
    rows = (
        np.array([[Fraction(v) for v in row] for row in rows], object)
        if rows and isinstance(rows[0], list)
        else (np.array([Fraction(v) for v in rows], object))
    )
    flat = rows.reshape(-1).tolist()
    if name == "int64":
        assert all(v.denominator == 1 for v in flat)
        return np.array([int(v) for v in flat], np.int64).reshape(rows.shape)
    return patterns(from_fractions(flat), name).reshape(rows.shape)


def self_extend_pair(i, j, longest, group, window, shift):
    """(region, distance) of query i and key j: 0 and i - j near, 1 and the grouped distance far.

    longest: the largest position of a query; where it is below the window nothing is shifted.
    """
    if abs(i - j) < window:
        return 0, Fraction(i - j)
    used = 0 if longest < window else window
    moved = used - (used // group if shift == "floor" else Fraction(used, group))
    return 1, i // group + moved - j // group


def rerope_pair(i, j, window, factor=None):
    """(region, distance): i - j near, else the window, or with a factor window + (i - j - window) / factor."""
    if abs(i - j) < window:
        return 0, Fraction(i - j)
    return 1, Fraction(window) if factor is None else window + (i - j - window) / Fraction(factor)


def dual_chunk_pair(i, j, chunk_size, local_size, version):
    """(region, distance): 0 in one chunk, 1 in the chunk before, 2 further back (An et al. 2024, section 3).

    The paper lists the positions of a chunk of s tokens, w = local_size of which are near, in a window c = s + w.
    """
    s, w, c = chunk_size - local_size, local_size, chunk_size
    key, chunks = j % s, i // s - j // s
    if chunks == 0:
        return 0, i % s - key
    if version == "paper":
        successive = ([*range(s, s + w)] + [c - 1] * s)[:s]
        return (1, successive[i % s] - key) if chunks == 1 else (2, c - 1 - key)
    clamped = [min(t + s, c) for t in range(s)]
    return (1, clamped[i % s] - key) if chunks == 1 else (2, clamped[s - 1] - key)
