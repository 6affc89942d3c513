"""Rotations and their tables: what their golden cases claim."""

from formulas import TWICE_COS, text, twelfths, wave
from frequencies import frequencies
from intervals import need
from positions import cells, coordinates, product, tokens


def rope_table(a, output):
    thetas, axes, factor = frequencies(a["frequencies"])
    _, places = tokens(a["positions"], a["frequencies"]["function"] in ("axial_frequencies", "mrope_frequencies"))

    def value(index):
        row, i = divmod(index, len(thetas))
        return wave(output[0], thetas[i], places[axes[i]][row], i, factor)

    return thetas, factor, value


def channel(c, count, pairing, axes):
    """(pair, 1 if c is its second channel, the other channel)"""
    if pairing == "interleaved":
        return c // 2, c % 2, c ^ 1
    start, half = 0, count
    if pairing == "block-half":  # each block of an axis in halves
        half = axes.count(axes[0])
        while c >= 2 * (start + half):
            start += half
            half = axes.count(axes[start])
    second = (c - 2 * start) // half
    return start + (c - 2 * start) % half, second, c - half if second else c + half


def turned_by(k, own, other):
    """own cos(k pi / 12) + other sin(k pi / 12) where it is a fraction, or None."""
    if k is None:
        return None
    (a, d), (b, e) = own, other
    cos, sin = TWICE_COS.get(k), TWICE_COS.get((k - 6) % 24)
    if (a == 0 or cos is not None) and (b == 0 or sin is not None):
        return a * (cos or 0) * e + b * (sin or 0) * d, 2 * d * e
    opposite = k in (9, 21)  # cos = -sin, and cos = sin for 3 and 15
    return (0, 1) if k % 6 == 3 and a * e == (b if opposite else -b) * d else None


def rotation(a, call, shape, places):
    """a cos - b sin and b cos + a sin of the pairs of x; other channels as they are."""
    thetas, axes, factor = frequencies(call)
    x, sizes, count = a["x"]["values"], a["x"]["shape"], len(thetas)
    dim, lead, along = sizes[-1], len(shape) - 1, a.get("seq_axis", -2) % len(sizes)
    turn = -1 if a.get("inverse") else 1

    def token_of(vector):
        index = [vector // product(sizes[j + 1 : -1]) % sizes[j] for j in range(len(sizes) - 1)]
        token = 0
        for j, size in enumerate(shape):
            token = token * size + (index[j if j < lead else along] if size > 1 else 0)
        return token

    def copied(own):
        need(own is not None, "infinity or NaN")
        return "-0" if own == (0, -1) else text(*own)

    def value(index):
        vector, c = divmod(index, dim)
        own = x[index]
        if c >= 2 * count:
            return copied(own)
        i, second, other = channel(c, count, a["pairing"], axes)
        partner, sign = x[vector * dim + other], turn if second else -turn
        need(own is not None and partner is not None, "infinity or NaN")
        position = places[axes[i]][token_of(vector)]
        other = sign * partner[0], partner[1]
        if position[0] == 0 and own == (0, -1):  # -0 only of -0 less a number times 0
            return "-0" if other[0] * other[1] < 0 else "0"
        turned = turned_by(twelfths(thetas[i], position), own, other)
        if turned and (turned[0] == 0 or factor == "1"):
            return text(*turned)
        return f"r {text(*own)} {text(*other)} {text(*position)} t{i}"

    return thetas, factor, value


def rope(a, _):
    dim = a.get("rotary_dim", a["x"]["shape"][-1])
    call = a.get("frequencies") or {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": a["base"]}}
    several = call["function"] in ("axial_frequencies", "mrope_frequencies")
    shape, places = tokens(a["positions"], several)
    if isinstance(a["positions"], dict) and "function" in a["positions"]:
        shape = [product(shape)]
    return rotation(a, call, shape, places)


def rope_on_grid(a, letters):
    """rope_2d and rope_3d: axial frequencies at the cells of a grid."""
    along = [coordinates(a[{"t": "frames", "h": "height", "w": "width"}[letter]]) for letter in letters]
    share = a.get("rotary_dim", a["x"]["shape"][-1]) // 2
    call = {one: a[one] for one in ("base", "allocation", "arrangement", "times_pi", "frequencies") if one in a}
    call |= {"widths": a.get("widths") or [share, share], "axes": [letters.index(axis) for axis in a["axis_order"]]}
    places = cells(along)
    return rotation(a, {"function": "axial_frequencies", "arguments": call}, [len(places[0])], places)


def mrope(a, _):
    call = {one: a[one] for one in ("base", "sections", "arrangement", "frequencies") if one in a}
    call["dim"] = 2 * sum(a["sections"])
    shape, places = tokens(a["position_ids"], True)
    return rotation(a, {"function": "mrope_frequencies", "arguments": call}, shape, places)


FUNCTIONS = {
    "rope_table": (rope_table, "positions frequencies"),
    "rope": (rope, "x positions frequencies base rotary_dim pairing inverse seq_axis"),
    "rope_2d": (
        lambda a, _: rope_on_grid(a, "hw"),
        "x height width axis_order base arrangement times_pi rotary_dim pairing inverse seq_axis allocation",
    ),
    "rope_3d": (
        lambda a, _: rope_on_grid(a, "thw"),
        "x frames height width axis_order base arrangement times_pi widths pairing inverse seq_axis",
    ),
    "mrope": (mrope, "x position_ids sections arrangement frequencies base pairing inverse seq_axis"),
}
