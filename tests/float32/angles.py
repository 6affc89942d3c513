"""Positional encodings as programs write them in float32, from the plain data of golden cases; refpos is not imported.

A call is {"function": name, "arguments": {...}} and a fraction {"fraction": [n, d]}, as cases say them.
"""

import math
from fractions import Fraction

import numpy as np

F = np.float32


def number(value):
    return Fraction(*value["fraction"]) if isinstance(value, dict) else value


# -- frequencies ------------------------------------------------------------------------------------------------------


def made(call):
    """(inv_freq, factor, axes or None) of a call."""
    return globals()[call["function"]](**call["arguments"])


def inverse_frequencies(dim, base=10000.0, exponent_dim=None, **_):
    exponent = np.arange(0, dim, 2).astype(F) / F(exponent_dim or dim)
    return F(1) / F(number(base)) ** exponent, F(1), None


def given_frequencies(inv_freq):
    return np.array([float(number(value)) for value in inv_freq]).astype(F), F(1), None


def axial_frequencies(
    widths,
    base=10000.0,
    axes=None,
    allocation="separate",
    arrangement="blocks",
    endpoint=False,
    times_pi=None,
    frequencies=None,
):
    bases = base if isinstance(base, (list, tuple)) else [base] * len(widths)
    halves, count = [width // 2 for width in widths], len(widths)
    if frequencies:
        blocks = [made(one)[0] for one in frequencies]
    elif allocation == "separate":
        blocks = [_rungs(width, b, endpoint) for width, b in zip(widths, bases, strict=True)]
    else:
        whole, starts = _rungs(sum(widths), base, endpoint), np.cumsum([0, *halves])
        blocks = [
            whole[k::count] if allocation == "strided" else whole[starts[k] : starts[k + 1]] for k in range(count)
        ]
    turned_by = [np.full(half, axis) for half, axis in zip(halves, axes or range(count), strict=True)]
    join = np.concatenate if arrangement == "blocks" else lambda parts: np.stack(parts, -1).reshape(-1)
    found = join(blocks)
    return found if times_pi is None else found * F(times_pi * math.pi), F(1), join(turned_by)


def _rungs(width, base, endpoint):
    if not endpoint:
        return inverse_frequencies(width, base)[0]
    return F(1) / F(number(base)) ** np.linspace(0, 1, width // 2, dtype=F)


def mrope_frequencies(dim, sections, arrangement, base=10000.0, frequencies=None):
    found, scale, _ = made(frequencies) if frequencies else inverse_frequencies(dim, base)
    if arrangement == "chunked":
        axes = np.repeat([0, 1, 2], sections)
    elif arrangement == "alternating":
        axes = np.array([1, 2] * sections[0] + [0] * sections[2])
    else:
        axes = np.zeros(dim // 2, int)
        for axis in (1, 2):
            axes[axis : 3 * sections[axis] : 3] = axis
    return found, scale, axes


# -- positions --------------------------------------------------------------------------------------------------------


def coordinates(given):
    """The coordinates along one axis of a grid."""
    if isinstance(given, int):
        return np.arange(given).astype(F)
    if isinstance(given, dict):
        return globals()[given["function"]](**given["arguments"])
    return np.asarray(given, F)


def affine(size, start=0, step=1):
    start, step = Fraction(number(start)), Fraction(number(step))
    i = np.arange(size).astype(F)
    return F(start) + i / F(step.denominator) * F(step.numerator)


def half_pixel(size, span="signed", count=None, offset=0):
    found = (np.arange(size).astype(F) + F(0.5) + F(offset)) / F(count or size)
    return F(2) * found - F(1) if span == "signed" else found


def cropped(coordinates, size, start=None):
    longer = globals()["coordinates"](coordinates)
    start = (len(longer) - size) // 2 if start is None else start
    return longer[start : start + size]


def centred(size, rounding):
    middle = {"floor": size // 2, "ceil": -(-size // 2), "middle": (size - 1) // 2}[rounding]
    return (np.arange(size) - middle).astype(F)


def linspace(start, stop, size, endpoint=False):
    start, stop = float(number(start)), float(number(stop))
    if not endpoint:
        stop = start + (stop - start) * (size - 1) / size
    # from both ends, as torch.linspace does
    step, i = (F(stop) - F(start)) / F(max(size - 1, 1)), np.arange(size)
    return np.where(i < size / 2, F(start) + step * i.astype(F), F(stop) - step * (size - 1 - i).astype(F))


def listed(values):
    # as quotients
    fractions = [Fraction(number(value)) for value in values]
    return np.array([F(f.numerator) / F(f.denominator) for f in fractions], F)


def resampled(size, reference):
    return (np.arange(size) * reference // size).astype(F)


def cells(*axes):
    """The coordinates of all cells of a grid: (axes, *sizes)."""
    return np.stack(np.meshgrid(*map(coordinates, axes), indexing="ij"))


def places(given):
    """Positions as float32: a count, an array, or a grid."""
    if isinstance(given, dict):
        return cells(*given["arguments"]["coordinates"])
    return np.arange(given).astype(F) if isinstance(given, int) else np.asarray(given).astype(F)


# -- tables and rotations ---------------------------------------------------------------------------------------------


def angles(positions, made_of):
    """(angles, factor): positions (..., tokens), or (axes, ..., tokens) where the frequencies have axes."""
    inv_freq, factor, axes = made_of
    p = positions[..., None] if axes is None else np.stack([positions[axis] for axis in axes], -1)
    return p * inv_freq, factor


def waves(positions, made_of):
    angle, factor = angles(positions, made_of)
    return np.cos(angle) * factor, np.sin(angle) * factor


def pairs(pairing, axes, half):
    """The channels that come first and second in each pair."""
    i = np.arange(half)
    if pairing == "interleaved":
        return 2 * i, 2 * i + 1
    if pairing == "half":
        return i, i + half
    starts = np.concatenate([[0], np.flatnonzero(np.diff(axes)) + 1, [half]])
    sizes = np.repeat(np.diff(starts), np.diff(starts))
    first = i + np.repeat(starts[:-1], np.diff(starts))
    return first, first + sizes


def turned(x, tables, channels, inverse=False):
    """x (..., channels) turned by tables (..., pairs); tables[1] are those of the second channels of the pairs."""
    y, (one, other) = x.copy(), channels
    (cos, sin), (cos2, sin2) = ((c, -s) if inverse else (c, s) for c, s in tables)
    y[..., one] = x[..., one] * cos - x[..., other] * sin
    y[..., other] = x[..., other] * cos2 + x[..., one] * sin2
    return y


def beside(part, shape, seq_axis):
    """Tables (..., seq, n) beside x of that shape."""
    axis = seq_axis % len(shape)
    lead = part.ndim - 2
    ones = (1,) * (axis - lead), (1,) * (len(shape) - 2 - axis)
    return part.reshape(*part.shape[:lead], *ones[0], part.shape[-2], *ones[1], part.shape[-1])


def rope(
    x, positions, pairing, base=10000.0, rotary_dim=None, frequencies=None, inverse=False, seq_axis=-2, factors=None
):
    computed = made(frequencies) if frequencies else inverse_frequencies(rotary_dim or x.shape[-1], base)
    where = places(positions)
    if isinstance(positions, dict):
        where = where.reshape(len(where), -1)
    tables = [beside(part, x.shape, seq_axis) for part in waves(where, computed)]
    if factors is not None:
        tables = [part * beside(factors, x.shape, seq_axis) for part in tables]
    return turned(x, [tables, tables], pairs(pairing, computed[2], len(computed[0])), inverse)


def grid_rope(x, sizes, letters, widths, pairing, axis_order, rotary_dim=None, **given):
    axial = {name: given.pop(name) for name in ("base", "allocation", "arrangement", "times_pi") if name in given}
    call = {"widths": widths, "axes": [letters.index(axis) for axis in axis_order], **axial}
    where = {"function": "grid", "arguments": {"coordinates": sizes}}
    return rope(x, where, pairing, frequencies={"function": "axial_frequencies", "arguments": call}, **given)


def rope_2d(x, height, width, rotary_dim=None, **given):
    return grid_rope(x, [height, width], "hw", [(rotary_dim or x.shape[-1]) // 2] * 2, **given)


def rope_3d(x, frames, height, width, widths, **given):
    return grid_rope(x, [frames, height, width], "thw", widths, **given)


def mrope(x, position_ids, pairing, sections, arrangement, inverse=False, seq_axis=-2, **of):
    call = {"dim": 2 * sum(sections), "sections": sections, "arrangement": arrangement, **of}
    call = {"function": "mrope_frequencies", "arguments": call}
    return rope(x, position_ids, pairing, frequencies=call, inverse=inverse, seq_axis=seq_axis)


def vjepa2_rope(x, positions, base=10000.0, seq_axis=-2):
    half = x.shape[-1] // 3 // 2
    where = places(positions)
    where = where.reshape(3, -1) if isinstance(positions, dict) else where
    theta = np.tile(inverse_frequencies(2 * half, base)[0], 2)  # of the channels of a block
    tables = []
    for odd in (0, 1):
        parts = [waves(axis, (theta[odd::2], F(1), None)) for axis in where]
        tables.append([beside(np.concatenate(part, -1), x.shape, seq_axis) for part in zip(*parts, strict=True)])
    return turned(x, tables, pairs("interleaved", None, 3 * half))


def xdrope(x, position_ids, sections, base=10000.0, frequencies=None, seq_axis=-2):
    half = sum(sections)
    computed = made(frequencies) if frequencies else inverse_frequencies(2 * half, base)
    axes = np.repeat(np.arange(len(sections)), 2 * np.array(sections))
    where = places(position_ids)
    tables = [
        [beside(part, x.shape, seq_axis) for part in waves(where, (computed[0], computed[1], axes[of]))]
        for of in (slice(0, half), slice(half, None))
    ]
    return turned(x, tables, pairs("half", None, half))


def ernie_image_rope(x, positions, widths=(32, 48, 48), base=256.0, seq_axis=-2):
    where = places(positions)
    where = where.reshape(len(where), -1) if isinstance(positions, dict) else where
    cos, sin = (np.repeat(part, 2, -1) for part in waves(where, axial_frequencies(widths, base)))
    half = cos.shape[-1] // 2
    tables = [[beside(part[..., of], x.shape, seq_axis) for part in (cos, sin)]
              for of in (slice(0, half), slice(half, None))]  # fmt: skip
    return turned(x, tables, pairs("half", None, half))


def mixed_rope(x, positions, weight, pairing, squared_scale=None):
    where = places(positions)
    where = where.reshape(len(where), -1) if isinstance(positions, dict) else where
    if squared_scale:
        where = where * np.sqrt(np.array([float(number(square)) for square in squared_scale]).astype(F))[:, None]
    angle = sum(axis[None, :, None] * row[:, None] for axis, row in zip(where, weight.astype(F), strict=True))
    table = np.cos(angle), np.sin(angle)
    return turned(x, [table, table], pairs(pairing, None, weight.shape[-1]))


# -- xPos -------------------------------------------------------------------------------------------------------------


def xpos_scale(positions, dim, centring, downscale=False, length=None, scale_base=512, gamma=None):
    where, gamma = places(positions), 0.4 if gamma is None else gamma
    whole = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    total = (whole.max() + 1 if whole.size else 0) if length is None else length
    centre = total // 2 if centring == "floor" else -(-total // 2)
    zeta = (np.arange(0, dim, 2).astype(F) + F(gamma * dim)) / F((1 + gamma) * dim)
    found = zeta ** ((where - F(centre)) / F(scale_base))[..., None]
    return F(1) / found if downscale else found


XPOS = ("centring", "downscale", "length", "scale_base", "gamma")


def xpos(x, positions, **given):
    own = {name: given.pop(name) for name in XPOS if name in given}
    call = given.get("frequencies")
    width = call["arguments"]["dim"] if call else given.get("rotary_dim") or x.shape[-1]
    return rope(x, positions, factors=xpos_scale(positions, width, **own), **given)


def xpos_table(positions, frequencies, **own):
    factors = xpos_scale(positions, frequencies["arguments"]["dim"], **own)
    return [part * factors for part in waves(places(positions), made(frequencies))]


def rope_table(positions, frequencies):
    return waves(places(positions), made(frequencies))


# -- absolute ---------------------------------------------------------------------------------------------------------


def sinusoid(p, width, base=10000.0, endpoint=False, layout="sin-cos"):
    half = width // 2
    exponent = np.arange(half).astype(F) / F(max(half - 1, 1) if endpoint else half)
    angle = p[:, None] * (F(1) / F(base) ** exponent)
    parts = [np.sin(angle), np.cos(angle)]
    if layout == "interleaved":
        return np.stack(parts, -1).reshape(len(p), width)
    return np.concatenate(parts if layout == "sin-cos" else parts[::-1], -1)


def sincos_2d(height, width, dim, axis_order, **given):
    return sincos_grid([height, width], dim, axis_order, **given)


def sincos_3d(frames, height, width, dim, axis_order="thw", **given):
    return sincos_grid([frames, height, width], dim, axis_order, **given)


def sincos_grid(grid, dim, axis_order, widths=None, packing="axes", layout="sin-cos", extra_tokens=None,
                token_order="row-major", **options):  # fmt: skip
    sizes = grid["arguments"]["coordinates"] if isinstance(grid, dict) else grid
    where, count = cells(*sizes), len(sizes)
    order = [{2: "hw", 3: "thw"}[count].index(axis) if isinstance(axis, str) else axis for axis in axis_order]
    outer = list(range(count))[::-1] if token_order == "reversed" else list(range(count))
    if token_order == "column-major":
        outer[-2:] = outer[:-3:-1]
    where = where.transpose(0, *(axis + 1 for axis in outer))
    blocks = [
        sinusoid(where[axis].reshape(-1), share, layout=layout, **options)
        for axis, share in zip(order, widths or [dim // count] * count, strict=True)
    ]
    if packing == "kinds":
        blocks = [np.split(block, 2, -1)[kind] for kind in (0, 1) for block in blocks]
    rows = np.concatenate(blocks, -1)[:, :dim]
    if extra_tokens is None:
        return rows.reshape(*where.shape[1:], dim)
    return np.concatenate([np.zeros((extra_tokens, dim), F), rows])
