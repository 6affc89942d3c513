"""Backward passes of resized tables, waves and kernels of distance in float32, as autograd has them."""

from fractions import Fraction

import numpy as np

from .absolute import axes_of, factor_of, numbers
from .angles import F, number
from .learned import weights_of
from .registry import float32
from .relative import distances


def trained(given, found):
    """The gradients of the arguments that are arrays of floats."""
    return [found[name] for name, array in given.items() if getattr(np.asarray(array).dtype, "kind", "") == "f"]


# -- resizing ---------------------------------------------------------------------------------------------------------


def axis_weights(old, new, method, **options):
    """(new, old) weights of the rows of one axis."""
    if not method.startswith("nearest"):
        return weights_of(old, new, method, **options)
    shift = Fraction(method == "nearest-exact", 2)
    rows = [min(int((j + shift) * Fraction(old, new)), old - 1) for j in range(new)]
    return np.eye(old, dtype=F)[rows]


def back(matrices, dy):
    """Sums with the transposed matrix (new, old) of each axis; what a weight of 0 multiplies takes no part."""
    for axis, matrix in enumerate(matrices):
        terms = np.moveaxis(dy, axis, 0)[:, None]
        spread = matrix.reshape(*matrix.shape, *[1] * (dy.ndim - 1))
        terms = np.where(spread == 0, F(0), spread * np.where(spread == 0, F(0), terms))
        dy = np.moveaxis(terms.sum(0, dtype=F), 0, axis)
    return dy


def options_of(given):
    return {name: given.get(name) for name in ("align", "cubic", "antialias", "border")}


@float32("vjp_resize_table", kind="sequence32")
def resize_table(weight, size, method, cotangent, prefix=0, grid=None, crop=None, window=None, scale=None, **given):
    size = [size] if isinstance(size, int) else list(size)
    old, channels = list(weight.shape[:-1] if grid is None else grid), weight.shape[-1]
    parts = tuple(slice(*ends) for ends in crop or [[0, one] for one in old])
    scales = scale if isinstance(scale, list) else [scale] * len(size)
    dy = (cotangent if grid is None else cotangent[prefix:]).reshape(*size, channels)
    lengths = [part.stop - part.start for part in parts]
    made = np.zeros((*old, channels), F)
    made[parts] = back([axis_weights(*axis, method, scale=factor, **options_of(given))
                        for *axis, factor in zip(lengths, size, scales, strict=True)], dy)  # fmt: skip
    of_weight = made if grid is None else np.concatenate([cotangent[:prefix], made.reshape(-1, channels)])
    if window is None:
        return [of_weight]
    tiles = zip(size, window.shape[:-1], strict=True)
    return [of_weight, back([np.eye(n, dtype=F)[np.arange(new) % n] for new, n in tiles], dy)]


@float32("vjp_resize_packed", kind="sequence32")
def resize_packed(weight, grid_thw, method, cotangent, merge_size=1, length=None, **given):
    made, start, m = np.zeros(weight.shape, F), 0, merge_size
    for image, (t, h, w) in enumerate(grid_thw.tolist()):
        rows = cotangent[start : start + t * h * w] if length is None else cotangent[image, : t * h * w]
        blocks = rows.reshape(t, h * w, -1).sum(0, dtype=F)
        if length is not None:
            blocks[0] += cotangent[image, t * h * w :].sum(0, dtype=F)
        cells = blocks.reshape(h // m, w // m, m, m, -1).transpose(0, 2, 1, 3, 4).reshape(h, w, -1)
        axes = zip(weight.shape[:2], (h, w), strict=True)
        made = made + back([axis_weights(*axis, method, scale=None, **options_of(given)) for axis in axes], cells)
        start += t * h * w
    return [made]


#: the grid of offsets of a window, or that of distances, and how it is interpolated
WINDOWS = {
    "swin": {"method": "cubic", "cubic": -0.75, "antialias": False},
    "beit": {"method": "linear", "cubic": None, "antialias": False},
    "levit": {"method": "cubic", "cubic": -0.5, "antialias": True},
}


def geometric(old, new):
    """(rows, rows) weights of a line between the coordinates of BEiT, held beyond the last."""
    low, high = 1.01, 1.5
    while high - low > 1e-6:
        q = (low + high) / 2
        low, high = (low, q) if (1 - q ** (old - 1)) / (1 - q) > new - 1 else (q, high)
    right = np.cumsum([q**i for i in range(old - 1)])
    places = np.concatenate([-right[::-1], [0.0], right]).astype(F)
    x = np.clip(np.arange(1 - new, new).astype(F), places[0], places[-1])
    made, after = np.zeros((len(x), len(places)), F), np.clip(np.searchsorted(places, x), 1, max(1, len(places) - 1))
    if len(places) == 1:
        return made + F(1)
    share = (x - places[after - 1]) / (places[after] - places[after - 1])
    made[np.arange(len(x)), after - 1], made[np.arange(len(x)), after] = F(1) - share, share
    return made


@float32("vjp_resize_bias", kind="sequence32")
def resize_bias(weight, old, new, method, cotangent, class_token=False, **_):
    sizes = [one if method == "levit" else [2 * side - 1 for side in one] for one in (old, new)]
    count = len(cotangent) - 3 * class_token
    dy = cotangent[:count].reshape(*sizes[1], -1)
    if list(old) == list(new):
        made = dy
    elif method == "geometric":
        made = back([geometric(*sides) for sides in zip(old, new, strict=True)], dy)
    else:
        options = {**WINDOWS[method], "align": "half-pixel", "border": None, "scale": None}
        made = back([axis_weights(*axis, **options) for axis in zip(*sizes, strict=True)], dy)
    return [np.concatenate([made.reshape(-1, weight.shape[1]), cotangent[count:]])]


# -- waves ------------------------------------------------------------------------------------------------------------


def of_waves(x, weight, phase, factor, of_sin, of_cos, line=None):
    """(of the tokens x (n, axes), of the weight, of the phase); line: the column whose slope is its cotangent."""
    angle = factor * (sum(x[:, [axis]] * row for axis, row in enumerate(weight)) + phase)
    if np.abs(angle).max(initial=0) > 2**24:  # off by a radian: any slope is within the bound
        raise FloatingPointError("angles without digits")
    slope = factor * (of_sin * np.cos(angle) - of_cos * np.sin(angle))
    if line is not None:
        slope[:, line] = (of_sin + of_cos)[:, line]
    of_weight = np.stack([(x[:, [axis]] * slope).sum(0, dtype=F) for axis in range(x.shape[1])])
    of_x = np.stack([(row * slope).sum(1, dtype=F) for row in weight], -1)
    return of_x, of_weight, slope.sum(0, dtype=F)


@float32("vjp_fourier_projection", kind="sequence32")
def fourier_projection(coordinates, weight, factor, layout, cotangent, phase=None, **_):
    x, count = axes_of(coordinates), weight.shape[1]
    dy = cotangent.reshape(-1, cotangent.shape[-1])
    none = np.zeros((len(dy), count), F)
    parts = {"sin": (dy, none), "cos": (none, dy), "interleaved": (dy[:, ::2], dy[:, 1::2]),
             "sin-cos": (dy[:, :count], dy[:, count:]), "cos-sin": (dy[:, count:], dy[:, :count])}  # fmt: skip
    shift = F(0) if phase is None else phase.astype(F)
    rows = x.reshape(-1, x.shape[-1])
    found = of_waves(rows, weight.astype(F), shift, factor_of(factor), *parts[layout])
    found = dict(zip(("coordinates", "weight", "phase"), (found[0].reshape(x.shape), *found[1:]), strict=True))
    given = {"coordinates": coordinates, "weight": weight, "phase": phase}
    return trained({k: v for k, v in given.items() if isinstance(v, np.ndarray)}, found)


@float32("vjp_time2vec", kind="sequence32")
def time2vec(t, weight, phase, kind, cotangent, linear=None, **_):
    times, dy = numbers(t), cotangent.reshape(-1, cotangent.shape[-1])
    none, line = np.zeros(dy.shape, F), {"first": 0, "last": len(weight) - 1}.get(linear)
    parts = (dy, none) if kind == "sin" else (none, dy)
    of_t, of_weight, of_phase = of_waves(times.reshape(-1, 1), weight.astype(F)[None], phase.astype(F), F(1), *parts,
                                         line)  # fmt: skip
    found = {"t": of_t.reshape(times.shape), "weight": of_weight[0], "phase": of_phase}
    return trained({"t": t, "weight": weight, "phase": phase}, found)


# -- kernels of distance ----------------------------------------------------------------------------------------------


@float32("vjp_kerple", kind="sequence32")
def kerple(p, a, query_len, key_len, kind, least, cotangent, query_offset=None, **_):
    far = np.maximum(-distances(query_len, key_len, query_offset), 0).astype(F)
    least, one = F(number(least)), F(1)
    (held_p, held_a), some = ([np.maximum(x.astype(F), least)[:, None, None] for x in (p, a)]), far > 0
    logs = np.log(np.maximum(far, one))
    if kind == "log":
        of_p, of_a = -np.log(one + held_a * far), -held_p * far / (one + held_a * far)
    else:
        power = far ** np.minimum(held_p, F(2))
        weight = np.exp(-held_a * power) if kind == "weight" else one
        of_p, of_a = -held_a * power * logs * weight, -power * weight
    found = {}
    for name, raw, slope, most in (("p", p, of_p, np.inf if kind == "log" else 2), ("a", a, of_a, np.inf)):
        total = np.where(some, cotangent * slope, F(0)).sum((1, 2), dtype=F)
        found[name] = np.where((raw.astype(F) < least) | (raw.astype(F) > most), F(0), total)
    return trained({"p": p, "a": a}, found)
