"""What the papers define, as balls: angles, tables, rotations, slopes and buckets.

Positions come as an int n (meaning 0 .. n-1) or as an array of ints or floats; floats mean their exact binary value.
"""

import math
from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb, ctx, fmpq

from .balls import leading
from .digits import SHAPES, concatenate, from_floats, from_fractions, negated, patterns, stack, zeros


def power(base, exponent):
    """base**exponent for fractions, as a ball."""
    if exponent == 0:
        return arb(1)
    return (_ball(base).log() * _ball(exponent)).exp()


def _ball(fraction):
    return arb(fmpq(fraction.numerator, fraction.denominator))


def geometric(count, step, base, scale=1):
    """A rule that gives scale * base**(-i * step), i < count, as balls at the current precision."""
    base, step, scale = Fraction(base), Fraction(step), Fraction(scale)
    return lambda: [power(base, -i * step) * _ball(scale) for i in range(count)]


def frequency_digits(count, step, base, scale=1):
    """Digits of the frequencies themselves, (count,); rational ones are decided exactly."""
    base, step, scale = Fraction(base), Fraction(step), Fraction(scale)
    rule = geometric(count, step, base, scale)

    def evaluate(rows, bits):
        balls = rule()
        return [(balls[k],) for k in (range(count) if rows is None else rows)]

    def exact(row):
        # the only fraction of small height in the ball; it must satisfy (f / scale)**q * base**p == 1
        exponent = row * step
        middle = rule()[row].mid() * arb(2) ** 4000
        candidate = Fraction(int(middle.floor().unique_fmpz()) + 1, 2**4000).limit_denominator(2**1500)
        assert (candidate / scale) ** exponent.denominator * base**exponent.numerator == 1, (base, exponent)
        return (candidate,)

    return leading(count, 1, evaluate, exact=exact).reshape(count)


def flatten(positions):
    """The shape, and the positions as a flat list of ints and floats."""
    if isinstance(positions, (int, np.integer)):
        return (int(positions),), list(range(int(positions)))
    array = np.asarray(positions)
    if array.dtype.kind not in "iu":
        array = array.astype(np.float64)  # exact from every narrower float
    return array.shape, array.reshape(-1).tolist()


def root_of_a_fraction(square):
    """(rule that gives the root as a ball, its digits)."""
    numerator, denominator = isqrt(square.numerator), isqrt(square.denominator)

    def rule():
        return _ball(square).sqrt()

    if Fraction(numerator, denominator) ** 2 == square:
        return rule, from_fractions([Fraction(numerator, denominator)])
    return rule, leading(1, 1, lambda rows, bits: [(rule(),)]).reshape(1)


def sine_cosine(places, rule, count, factor=None):
    """Digits of sine and cosine of position * frequency, each (len(places), count); exact at angle 0.

    factor: what multiplies them, as `root_of_a_fraction` gives it.
    """
    rows = [k for k, p in enumerate(places) if p != 0]

    def times_factor(pair):
        return pair if factor is None else tuple(value * factor[0]() for value in pair)

    def evaluate(chosen, bits):
        thetas = rule()
        if chosen is None:
            return [times_factor((t * places[row]).sin_cos()) for row in rows for t in thetas]
        return [times_factor((thetas[k % count] * places[rows[k // count]]).sin_cos()) for k in chosen]

    both = from_floats(np.tile([0.0, 1.0], (len(places), count, 1)))
    if factor is not None:
        for k in np.ndindex(len(places), count):
            both[(*k, 1)] = factor[1][0]
    both[rows] = leading(len(rows) * count, 2, evaluate).reshape(len(rows), count, 2)
    return both[..., 0], both[..., 1]


def sinusoidal(positions, dim, *, base=10000.0, layout="interleaved", endpoint=False, odd="truncate", position_scale=1,
               zero_row=None, divisor=None):  # fmt: skip
    """Digits of the sinusoidal table of Vaswani et al. 2017, section 3.5, (*positions.shape, dim)."""
    shape, places = flatten(positions)
    factor = root_of_a_fraction(Fraction(1, dim)) if divisor else None
    pad = odd == "pad" and dim % 2 == 1
    sines = dim // 2 if pad else dim - dim // 2
    cosines = dim // 2
    if endpoint:
        step = Fraction(1, sines - 1) if sines > 1 else Fraction(0)
    else:
        step = Fraction(1, sines) if pad else Fraction(2, dim)
    sine, cosine = sine_cosine(places, geometric(sines, step, base, position_scale), sines, factor)
    cosine = cosine[:, :cosines]
    if layout == "interleaved":
        paired = stack([sine[:, :cosines], cosine], 2).reshape(len(places), 2 * cosines)
        blocks = [paired, sine[:, cosines:]]
    else:
        blocks = [sine, cosine] if layout == "sin-cos" else [cosine, sine]
    if pad:
        blocks.append(zeros((len(places), 1)))
    rows = concatenate(blocks, 1)
    for k in (k for k, place in enumerate(places) if place == zero_row):
        rows[k] = zeros((dim,))
    return rows.reshape(*shape, dim)


def shift_matrix(offset, dim, *, base=10000.0, layout="interleaved", endpoint=False):
    """Digits of the matrix (dim, dim) that carries sin(p t) and cos(p t) to p + offset, by the addition theorems."""
    half, offset = dim // 2, Fraction(offset)
    step = Fraction(1, max(half - 1, 1)) if endpoint else Fraction(1, half)
    # sin((p + k) t) = cos(k t) sin(p t) + sin(k t) cos(p t); cos((p + k) t) = cos(k t) cos(p t) - sin(k t) sin(p t)
    sine, cosine = sine_cosine([offset and 1], geometric(half, step, base, abs(offset) or 1), half)
    places = {"interleaved": (0, 1, 2), "sin-cos": (0, half, 1), "cos-sin": (half, 0, 1)}[layout]
    result = zeros((dim, dim))
    for i in range(half):
        s, c = (first + i * places[2] for first in places[:2])
        result[s, s] = result[c, c] = cosine[0, i]
        forward, backward = sine[0, i], negated(sine[0, i])
        result[s, c], result[c, s] = (forward, backward) if offset > 0 else (backward, forward)
    return result


def sincos_2d(height, width, dim, *, axis_order, layout="sin-cos", base=10000.0, endpoint=False, extra_tokens=None):
    """Digits of the grid table of ViT and MAE, (height, width, dim), or (extra + height*width, dim)."""
    options = {"layout": layout, "base": base, "endpoint": endpoint}
    rows, columns = sinusoidal(height, dim // 2, **options), sinusoidal(width, dim // 2, **options)
    down = rows[np.repeat(np.arange(height), width)]  # the row index of every token, row-major
    along = columns[np.tile(np.arange(width), height)]
    tokens = concatenate([down, along] if axis_order == "hw" else [along, down], 1)
    if extra_tokens is None:
        return tokens.reshape(height, width, dim)
    return concatenate([zeros((extra_tokens, dim)), tokens], 0)


def rope_table(positions, dim, *, base=10000.0):
    """Digits (cos, sin) of the angles of Su et al. 2021, equation 15, each (*positions.shape, dim/2)."""
    shape, places = flatten(positions)
    sine, cosine = sine_cosine(places, geometric(dim // 2, Fraction(2, dim), base), dim // 2)
    return cosine.reshape(*shape, dim // 2), sine.reshape(*shape, dim // 2)


def rope(x, positions, name, *, pairing, base=10000.0, rotary_dim=None, inverse=False):
    """Bit patterns (rows, dim) of x (rows, dim) float64 rotated by one position a row, rounded to format `name`.

    x must hold values of that format. Where an input is not finite, and at position 0, the formula holds in IEEE
    arithmetic with cosine and sine rounded to float64 (which says the signs of zeros there); every NaN is the positive
    quiet one. Two zeros give +0 twice.
    """
    places = flatten(positions)[1]
    assert x.ndim == 2 and len(places) == len(x)
    rotary = x.shape[1] if rotary_dim is None else rotary_dim
    count, turn = rotary // 2, -1 if inverse else 1
    first = np.arange(count) if pairing == "half" else 2 * np.arange(count)
    second = first + (count if pairing == "half" else 1)
    a, b = x[:, first], x[:, second]
    rule = geometric(count, Fraction(2, rotary), base)
    sine, cosine = (patterns(value, "float64").view(np.float64) for value in sine_cosine(places, rule, count))
    exact = rotate(a, b, places, rule, turn)
    still = np.array([p == 0 for p in places], bool)[:, None]
    result = with_specials(x, name)
    with np.errstate(invalid="ignore", over="ignore"):
        ieee = a * cosine - b * (turn * sine), b * cosine + a * (turn * sine)
    for columns, value, float64 in zip((first, second), exact, ieee, strict=True):
        special = (still & ((a != 0) | (b != 0))) | ~(np.isfinite(a) & np.isfinite(b))
        result[:, columns] = np.where(special, with_specials(float64, name), patterns(value, name))
    return result


def rotate(a, b, places, rule, turn):
    """Digits of (a cos - b sin, b cos + a sin), each (rows, pairs); 0 where an input is not finite."""
    rows, count = a.shape
    u, v = np.where(np.isfinite(a) & np.isfinite(b), a, 0.0), np.where(np.isfinite(a) & np.isfinite(b), b, 0.0)
    size = np.frexp(np.maximum(np.abs(u), np.abs(v)))[1].reshape(-1)
    still = np.array([p == 0 for p in places], bool)[:, None] | np.zeros((1, count), bool)
    busy = np.flatnonzero(~still & ((u != 0) | (v != 0)))
    left, right = u.reshape(-1)[busy].tolist(), v.reshape(-1)[busy].tolist()
    where = [divmod(k, count) for k in busy.tolist()]

    def evaluate(chosen, bits):
        thetas = rule()
        result = []
        for k in range(len(where)) if chosen is None else chosen:
            row, i = where[k]
            s, c = (thetas[i] * (turn * places[row])).sin_cos()
            p, q = left[k], right[k]
            result.append((c * p - s * q, c * q + s * p))
        return result

    found = leading(len(busy), 2, evaluate, size[busy])
    answers = []
    for k, same in enumerate((u, v)):
        flat = from_floats(np.where(still, same, 0.0).reshape(-1))
        flat[busy] = found[:, k]
        answers.append(flat.reshape(rows, count))
    return answers


def with_specials(values, name):
    """Bit patterns of float64 values rounded to a format, with infinities, signed zeros and one quiet NaN."""
    precision, _, _, width = SHAPES[name]
    sign = np.signbit(values).astype(np.uint64) << np.uint64(width - 1)
    quiet = (1 << width - 1) - (1 << precision - 2)  # an exponent of ones and the first fraction bit
    infinite = (1 << width - 1) - (1 << precision - 1)
    finite = patterns(from_floats(np.where(np.isfinite(values), np.abs(values), 0.0)), name)
    bits = np.where(np.isinf(values), finite.dtype.type(infinite), finite) | sign.astype(finite.dtype)
    return np.where(np.isnan(values), finite.dtype.type(quiet), bits)


def alibi_exponents(heads, convention, max_bias=8):
    """Fractions e_k with slope_k = 2**-e_k."""
    max_bias = Fraction(max_bias)
    if convention == "halving":
        return [Fraction(k) for k in range(heads)]
    if convention == "geometric":
        return [max_bias * k / heads for k in range(1, heads + 1)]
    whole = 2 ** (heads.bit_length() - 1)
    exponents = [max_bias * k / whole for k in range(1, whole + 1)]
    # every second slope of twice as many heads fills up what is missing
    doubled = [max_bias * k / (2 * whole) for k in range(1, 2 * whole + 1)]
    return exponents + doubled[0::2][: heads - whole]


def alibi_slopes(heads, *, convention="recursive", max_bias=8):
    """Digits of the slopes of Press et al. 2022, (heads,)."""
    return products(alibi_exponents(heads, convention, max_bias), [1])[:, 0]


def products(exponents, distances, divisor=1):
    """Digits of 2**-e * d / sqrt(divisor) for whole distances d, (len(exponents), len(distances))."""
    result = zeros((len(exponents), len(distances)))
    roots = []
    for k, e in enumerate(exponents):
        known = _square_root(Fraction(2) ** int(-2 * e) / divisor) if (2 * e).denominator == 1 else None
        if known is None:  # only the square of a fraction is a fraction
            roots.append(k)
        else:
            result[k] = from_fractions([known * d for d in distances])
    columns = [k for k, d in enumerate(distances) if d != 0]
    pairs = [(k, c) for k in roots for c in columns]
    size = [distances[c].bit_length() - int(exponents[k]) - int(divisor).bit_length() // 2 for k, c in pairs]

    def evaluate(rows, bits):
        slopes = {k: power(Fraction(2), -exponents[k]) / arb(divisor).sqrt() for k in roots}
        chosen = pairs if rows is None else [pairs[row] for row in rows]
        return [(slopes[k] * distances[c],) for k, c in chosen]

    if pairs:
        found = leading(len(pairs), 1, evaluate, size).reshape(len(roots), len(columns))
        result[np.ix_(roots, columns)] = found
    return result


def _square_root(value):
    roots = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(*roots) if Fraction(*roots) ** 2 == value else None


def alibi(heads, query_len, key_len, name, *, mode, convention="recursive", max_bias=8, query_offset=None,
          anchor="query", mask=None, head_dim=1):  # fmt: skip
    """Bit patterns (heads, query_len, key_len) of the bias, or (*batch, heads, query_len, key_len) with a mask."""
    if mask is not None:
        tokens = [_tokens_before(row) for row in mask.reshape(-1, key_len).tolist()]
    else:
        tokens = [list(range(key_len))]
    offset = key_len - query_len if query_offset is None else query_offset
    distance = np.arange(key_len)[None, :] - (offset + np.arange(query_len))[:, None]  # key minus query
    signed = {"symmetric": -np.abs(distance), "clipped": np.minimum(distance, 0)}.get(mode, distance)[None]
    if anchor != "query":
        start = key_len - 1 if anchor == "last" else 0
        signed = np.array([[[token - start for token in row]] * query_len for row in tokens], np.int64)
        signed = signed.reshape(len(tokens), query_len, key_len)
    distinct, where = np.unique(signed, return_inverse=True)
    digits = products(alibi_exponents(heads, convention, max_bias), distinct.tolist(), head_dim)
    bits = np.moveaxis(patterns(digits, name)[:, where.reshape(signed.shape)], 0, 1)
    if mode == "causal":
        minus = patterns(from_fractions([-(Fraction(2) ** 2000)]), name)[0]
        bits[:, :, distance > 0] = minus
    return bits[0] if mask is None else bits.reshape(*mask.shape[:-1], *bits.shape[1:])


def _tokens_before(mask):
    """For each token the number of tokens before it, 0 for a pad."""
    return [sum(mask[:k]) if here else 0 for k, here in enumerate(mask)]


def t5_bucket(distance, *, bidirectional, num_buckets, max_distance):
    """The bucket of one key-minus-query distance (Raffel et al. 2020, their code)."""
    base = 0
    if bidirectional:
        num_buckets //= 2
        base = num_buckets if distance > 0 else 0
        far = abs(distance)
    else:
        far = max(-distance, 0)
    near = num_buckets // 2
    if far < near:
        return base + far
    if far >= max_distance:
        return base + num_buckets - 1
    return base + min(near + _log_steps(far, near, max_distance, num_buckets - near), num_buckets - 1)


def _log_steps(far, near, limit, steps):
    # floor(steps * log(far/near) / log(limit/near)); equality is decided by whole powers, all else by balls
    before, bits = ctx.prec, 64
    try:
        while True:
            ctx.prec = bits
            ratio = steps * (arb(far) / near).log() / (arb(limit) / near).log()
            floor = ratio.floor().unique_fmpz()
            if floor is not None:
                return int(floor)
            middle = int((ratio + arb(0.5)).floor().unique_fmpz())
            if Fraction(far, near) ** steps == Fraction(limit, near) ** middle:
                return middle
            bits *= 2
    finally:
        ctx.prec = before


def t5_buckets(distances, *, bidirectional, num_buckets=32, max_distance=128):
    """Buckets of an array of distances, int64."""
    distinct, where = np.unique(distances, return_inverse=True)
    found = [
        t5_bucket(d, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance)
        for d in distinct.tolist()
    ]
    return np.array(found, np.int64)[where].reshape(np.shape(distances))
