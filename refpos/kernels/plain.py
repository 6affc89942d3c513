"""The kernels in NumPy, by whole arrays; the reference that the compiled twin is compared with bit for bit.

A pair (high, low) of doubles stands for high + low; in the tables high is a multiple of 2**-26 and |low| <= 2**-27,
so a product of two highs is exact in double without a fused multiply-add. Entries whose rounding is not certain are not
decided here: their flat indices are reported and the caller settles them with whole numbers.
"""

import numpy as np

from .. import rounding

HALF_TURN = np.uint64(1 << 52)
LOW32 = np.uint64(0xFFFFFFFF)
SHIFT32 = np.uint64(32)

# 2 pi to 26 bits, and the rest
TWO_PI_HIGH = 52707179 * 2.0**-23
TWO_PI_LOW = -5.5636270456668466e-08
TWO_PI = 6.283185307179586


def _to_grid(values, bits):
    """Round to a multiple of 2**-bits: adding 1.5 * 2**(52 - bits) leaves no bit below."""
    anchor = 1.5 * 2.0 ** (52 - bits)
    return (values + anchor) - anchor


def turns(multipliers, phases):
    """Fractional turns of multipliers (n,) times phases (5, half): uint64 (n, half), 64 bits and the next 32."""
    size = np.abs(multipliers).astype(np.uint64)[:, None]
    low, high = size & LOW32, size >> SHIFT32
    # columns of 32 bits; column 0 only carries. Column k takes low * phase_k and high * phase_(k-1), and the upper
    # halves of the column below; all sums stay below 2**35
    columns = []
    carry = low * phases[0] >> SHIFT32
    carry_high = np.uint64(0)
    for k in range(1, 5):
        a, b = low * phases[k], high * phases[k - 1]
        total = carry + carry_high + (a & LOW32) + (b & LOW32)
        columns.append(total & LOW32)
        carry = (total >> SHIFT32) + (a >> SHIFT32)
        carry_high = b >> SHIFT32
    return columns[3] << SHIFT32 | columns[2], columns[1]


BLOCK = 1 << 15  # entries that a caller hands over at a time: temporaries stay in the cache
TILE = 1  # rows of a rotation that are done together, and for which `undecided` must have room


def seeds(multipliers, phases, knots, out):
    """Cosine and sine at multipliers (n,) times phases (5, half), as pairs or in plain double.

    out (4, n, half) gets cos high, cos low, sin high, sin low; out (2, n, half) gets cos, sin. knots (4, 2048) are the
    pairs at j/2048 turns. Absolute error below 2**-77.8 for pairs and 2**-51.5 in plain double (docs/numbers.md).
    """
    top, rest = turns(multipliers, phases)
    top += HALF_TURN
    knot = (top >> np.uint64(53)).astype(np.intp)
    offset = (top & np.uint64((1 << 53) - 1)).astype(np.int64) - np.int64(1 << 52)  # units of 2**-64 turns
    # 26 bits and the rest of the distance to the knot, |turns| <= 2**-12
    high = (offset >> np.int64(27)).astype(np.float64) * 2.0**-37
    low = ((offset & np.int64((1 << 27) - 1)) << np.int64(32) | rest.astype(np.int64)).astype(np.float64) * 2.0**-96
    # x = 2 pi * distance = x1 + x0, x1 a multiple of 2**-35
    product = high * TWO_PI_HIGH  # exact, 52 bits
    x1 = _to_grid(product, 35)
    x0 = (product - x1) + (high * TWO_PI_LOW + low * TWO_PI)
    # sin x = x1 + s0; cos x = 1 - k1 - k0 + c0 with k1 + k0 = x1^2/2 exactly, k1 a multiple of 2**-45
    x = x1 + x0
    square = x * x
    s0 = x0 + x * square * (-1 / 6 + square * (1 / 120 - square * (1 / 5040)))
    half_square = x1 * x1 * 0.5
    k1 = _to_grid(half_square, 45)
    k0 = half_square - k1
    c0 = square * square * (1 / 24 - square * (1 / 720)) - x0 * (x1 + 0.5 * x0)
    cos1, cos0, sin1, sin0 = knots[:, knot]
    cos = _turn(cos1, cos0, -sin1, -sin0, x1, s0, k1, k0, half_square, c0)
    sin = np.stack(_turn(sin1, sin0, cos1, cos0, x1, s0, k1, k0, half_square, c0))
    backwards = multipliers < 0
    sin[:, backwards] = 0.0 - sin[:, backwards]
    if len(out) == 2:
        np.add(*cos, out=out[0])
        np.add(*sin, out=out[1])
    else:
        out[0], out[1] = cos
        out[2:] = sin


def _turn(a1, a0, b1, b0, x1, s0, k1, k0, k, c0):
    """(a1 + a0) cos x + (b1 + b0) sin x as a pair."""
    first = b1 * x1  # exact: 26 by 26 bits
    second = a1 * k1  # exact: 26 by 26 bits
    first_high, second_high = _to_grid(first, 26), _to_grid(second, 26)
    tail = ((b1 + b0) * s0 + b0 * x1) - ((a1 * k0 + a0 * k) - (a1 + a0) * c0)
    fine = ((first - first_high) - (second - second_high)) + (a0 + tail)
    carry = _to_grid(fine, 26)
    return ((a1 + first_high) - second_high) + carry, fine - carry


def _anchors(multipliers, phases, knots, steps):
    out = np.empty((len(steps), len(multipliers), phases.shape[1]))
    seeds(multipliers, phases, knots, out)
    return out


def table(multipliers, phases, knots, steps, cos, sin, fmt, radius, again, stream, undecided):
    """Fill cos (n, <= half) and sin (n, half) by angle addition; returns (entries of `undecided`, rows filled).

    multipliers are those of the rows, steps (planes, nb, half) the seeds of the rows from each nb-th one to the next.
    They are pairs (4 planes) for float64, doubles (2 planes) for the narrower formats. A value is accepted when value -
    radius and value + radius round alike; the flat indices of (row, frequency) where cosine or sine fail go to
    `undecided`. again, which allows another look with that radius, and stream, which asks for stores past the cache,
    mean nothing here.
    """
    rows = len(sin)
    add = _add_pairs if fmt.width == 64 else _add_doubles
    factors = _anchors(multipliers[:: steps.shape[1]], phases, knots, steps)[:, :, None], steps[:, None]
    open_cos = _store(*add(*factors, False), cos, rows, fmt, radius)
    open_sin = _store(*add(*factors, True), sin, rows, fmt, radius)
    open_sin[:, : cos.shape[1]] |= open_cos
    return _report(np.flatnonzero(open_sin), undecided, rows, sin.shape[1])


def _report(found, undecided, rows, entries):
    """Write as many of the flat indices as there is room for, of whole rows of so many entries: (indices, rows)."""
    if len(found) > len(undecided):
        rows = int(found[len(undecided)]) // entries
        found = found[: np.searchsorted(found, rows * entries)]
    undecided[: len(found)] = found
    return len(found), rows


def _add_pairs(a, b, sine):
    """cos or sin of a sum of angles: the exact leading part and the rest, to 2**-75.6 with both inputs' own errors."""
    (c1, c0, s1, s0), (d1, d0, t1, t0) = a, b
    if sine:
        return s1 * d1 + c1 * t1, ((s1 + s0) * d0 + s0 * d1) + ((c1 + c0) * t0 + c0 * t1)
    return c1 * d1 - s1 * t1, ((c1 + c0) * d0 + c0 * d1) - ((s1 + s0) * t0 + s0 * t1)


def _add_doubles(a, b, sine):
    """cos or sin of a sum of angles in plain double, off by less than 2**-49.6; nothing below."""
    (c, s), (d, t) = a, b
    return (s * d + c * t, 0.0) if sine else (c * d - s * t, 0.0)


def _store(leading, rest, out, rows, fmt, radius):
    """Round leading + rest into out; returns where the rounding is not certain: bool (rows, columns)."""
    columns = out.shape[1]
    leading = leading.reshape(-1, leading.shape[-1])[:rows, :columns]
    rest = rest.reshape(-1, rest.shape[-1])[:rows, :columns] if fmt.width == 64 else 0.0
    lower = rounding.narrow(leading + (rest - radius), fmt)
    upper = rounding.narrow(leading + (rest + radius), fmt)
    out[...] = upper
    return lower != upper


def rotate(
    multipliers,
    phases,
    knots,
    steps,
    first,
    second,
    out_first,
    out_second,
    fmt,
    radius,
    again,
    backwards,
    stream,
    undecided,
    starts=None,
    order=None,
):
    """Rotate pairs of channels: first, second and the outs are (n, repeats, half), the positions as in `table`.

    out_first = first cos - second sin, out_second = second cos + first sin (backwards: with -sin). Pairs of channels of
    which one value is not certain are left as they are and their flat indices go to `undecided`. With starts (axes + 1)
    multipliers are those of each axis in turn, phases stand axis by axis from these columns on, and order (half) says
    which pair each is, None where they stand in place.
    """
    cos, sin = np.split(_sums(multipliers, phases, knots, steps, len(first), starts, order)[:, :, None], 2)
    if backwards:
        sin = -sin
    x, y = rounding.widen(first, fmt), rounding.widen(second, fmt)
    with np.errstate(all="ignore"):
        size = np.abs(x) + np.abs(y)
        combine = _combine_pairs if fmt.width == 64 else _combine_doubles
        sums = combine(x, y, cos, -sin), combine(y, x, cos, sin)
        rounded, certain = [], (size == 0) | (size >= 2.0**-900)
        for leading, rest in sums:
            lower = rounding.narrow(leading + (rest - size * radius), fmt)
            upper = rounding.narrow(leading + (rest + size * radius), fmt)
            rounded.append(rounding.narrow(leading + rest, fmt))
            certain &= (_patterns(lower) == _patterns(upper)) | (size == 0)
        certain &= np.isfinite(size)
    count, rows = _report(np.flatnonzero(~certain), undecided, len(first), first[0].size)
    for out, values in zip((out_first, out_second), rounded):
        np.copyto(out[:rows], values[:rows], where=certain[:rows])
    return count, rows


def _sums(multipliers, phases, knots, steps, rows, starts, order):
    """The seeds of every row: in plain double by angle addition, as pairs times the cosine of the only step."""
    if starts is None:
        anchors = _anchors(multipliers[:: steps.shape[1]], phases, knots, steps)
    else:
        anchors = np.empty((len(steps), rows, phases.shape[1]))
        for at, low, high in zip(multipliers.reshape(-1, rows), starts, starts[1:]):
            columns = slice(low, high) if order is None else order[low:high]
            anchors[:, :, columns] = _anchors(at, phases[:, low:high], knots, steps)
    if len(steps) == 4:
        return _times(anchors, *steps[:2, 0])
    both = [_add_doubles(anchors[:, :, None], steps[:, None], sine)[0] for sine in (False, True)]
    return np.stack(both).reshape(2, -1, steps.shape[2])[:, :rows]


def _times(pairs, high, low):
    """Pairs times a factor: pairs again, whose highs are multiples of 2**-26 times a power of two above the factor."""
    if (high == 1).all() and not low.any():
        return pairs
    grid = np.ldexp(1.5, 26 + np.frexp(high)[1])
    found = np.empty_like(pairs)
    for at in (0, 2):
        product = pairs[at] * high  # exact: 27 by 26 bits
        found[at] = (product + grid) - grid
        found[at + 1] = (product - found[at]) + (pairs[at] * low + pairs[at + 1] * high + pairs[at + 1] * low)
    return found


def _patterns(values):
    return values.view(f"u{values.dtype.itemsize}")


def _combine_doubles(x, y, cos, sin):
    """x cos + y sin in plain double: off by less than (|x| + |y|) * 2**-49.3, sums of angles included."""
    return x * cos[0] + y * sin[0], 0.0


def _combine_pairs(x, y, cos, sin):
    """x cos + y sin as a pair, off by less than (|x| + |y|) * 2**-75.5, errors of cosine and sine included."""
    (c1, c0), (s1, s0) = cos, sin
    x1, y1 = _upper(x), _upper(y)
    p, q = x1 * c1, y1 * s1  # exact: 26 by 26 bits
    leading = p + q
    other = leading - p
    error = (p - (leading - other)) + (q - other)  # leading + error = p + q exactly
    middle = (x - x1) * c1 + (y - y1) * s1  # exact products of 27 by 26 bits, one rounded sum
    return leading, error + (middle + (x * c0 + y * s0))


def _upper(values):
    """The upper 26 bits of the significand, cut."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return (bits & np.uint64(0xFFFF_FFFF_F800_0000)).view(np.float64)


def spread(source, out, stream):
    """Copy bytes, run by run of the last axis; the source may repeat itself."""
    np.copyto(out, source)
