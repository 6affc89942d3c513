"""Resized tables, waves and kernels of distance as programs of torch, which autograd differentiates; each takes the
arguments of a golden case by name, tensors in the format in which it computes."""

import math

import torch
from torch.nn import functional

from .torch_scores import number

# -- resizing ---------------------------------------------------------------------------------------------------------

AXES = {1: ("linear", None), 2: ("bilinear", "bicubic"), 3: ("trilinear", None)}


def keys(x, a):
    """The cubic of Keys at distances from 0 on."""
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, a * (((x - 5) * x + 8) * x - 4)
    return torch.where(x < 1, near, torch.where(x < 2, far, torch.zeros_like(x)))


def weights_of(old, new, dtype, method, align, cubic=None, antialias=False, border=None, scale=None):
    """(new, old) weights of the rows of one axis, for what torch has no mode."""
    step = torch.tensor(old / new if scale is None else 1 / number(scale), dtype=dtype)
    at = (torch.arange(new, dtype=dtype) + 0.5) * step - 0.5
    if align == "corners":
        at = torch.arange(new, dtype=dtype) * ((old - 1) / (new - 1) if new > 1 else 0.0)
    stretch = max(float(step), 1.0) if antialias else 1.0
    reach = math.ceil((1 if method == "linear" else 2) * stretch) + 1
    offsets = torch.floor(at)[:, None] + torch.arange(-reach, reach + 1, dtype=dtype)
    x = (offsets - at[:, None]).abs() / stretch
    weights = torch.clamp(1 - x, min=0) if method == "linear" else keys(x, number(cubic))
    rows, inside = offsets.clamp(0, old - 1).long(), (offsets >= 0) & (offsets < old)
    if antialias or border in ("zeros", "renormalise"):
        weights = weights * inside
    if antialias or border == "renormalise":
        weights = weights / weights.sum(1, keepdim=True)
    return torch.zeros(new, old, dtype=dtype).scatter_add(1, rows, weights)


def by_weights(table, size, method, scale=None, **options):
    """Matrices along each axis of a table (*old, channels)."""
    scales = scale if isinstance(scale, list) else [scale] * len(size)
    for axis, (new, factor) in enumerate(zip(size, scales, strict=True)):
        matrix = weights_of(table.shape[axis], new, table.dtype, method, scale=factor, **options)
        table = torch.movedim(torch.tensordot(matrix, table, ([1], [axis])), 0, axis)
    return table


def by_mode(table, size, **options):
    grid = torch.movedim(table, -1, 0)[None]
    return torch.movedim(functional.interpolate(grid, size, **options)[0], 0, -1)


def resized(table, size, method, align=None, cubic=None, antialias=False, border=None, scale=None):
    """A table (*old, channels) at another size, by a mode of torch where it has one."""
    if 0 in (*table.shape, *size):
        return table.new_zeros((*size, table.shape[-1])) + 0 * table.sum()
    if method.startswith("nearest"):
        return by_mode(table, size, mode=method)
    linear, bicubic = AXES[len(size)]
    mode = linear if method == "linear" else bicubic
    known = mode if method == "linear" or number(cubic) == (-0.5 if antialias else -0.75) else None
    known = None if antialias and len(size) != 2 else known
    if known and scale is None and border in (None, "clamp"):
        more = {"antialias": True} if antialias else {}
        return by_mode(table, size, mode=known, align_corners=align == "corners", **more)
    return by_weights(table, size, method, align=align, cubic=cubic, antialias=antialias, border=border, scale=scale)


def resize_table(weight, size, method, prefix=0, grid=None, crop=None, window=None, **options):
    size = [size] if isinstance(size, int) else list(size)
    table = weight if grid is None else weight[prefix:].reshape(*grid, weight.shape[-1])
    table = table if crop is None else table[tuple(slice(*ends) for ends in crop)]
    made = resized(table, size, method, **options)
    if window is not None:
        repeats = [-(-new // wide) for new, wide in zip(size, window.shape, strict=False)]
        made = made + window.repeat(*repeats, 1)[tuple(map(slice, size))]
    return made if grid is None else torch.cat([weight[:prefix], made.reshape(-1, weight.shape[-1])])


def resize_packed(weight, grid_thw, merge_size=1, length=None, **options):
    images = []
    for frames, *size in grid_thw.tolist():
        m, (height, width) = merge_size, size
        made = resized(weight, size, **options)
        blocks = made.reshape(height // m, m, width // m, m, -1).transpose(1, 2).reshape(height * width, -1)
        rows = blocks.repeat(frames, 1)
        images.append(rows if length is None else torch.cat([rows, rows[:1].expand(length - len(rows), -1)]))
    if length is None:
        return torch.cat([weight[0, :0], *images])
    return torch.stack(images) if images else weight[:0, :1].expand(-1, length, -1)


#: the grid of offsets of a window, or that of distances, and how it is interpolated
WINDOWS = {
    "swin": {"method": "cubic", "cubic": -0.75, "align": "half-pixel"},
    "beit": {"method": "linear", "align": "half-pixel"},
    "levit": {"method": "cubic", "cubic": -0.5, "align": "half-pixel", "antialias": True},
}


def places_of(old, new):
    """Coordinates of the rows of one axis of "geometric", by the bisection of BEiT."""
    low, high = 1.01, 1.5
    while high - low > 1e-6:
        q = (low + high) / 2
        low, high = (low, q) if (1 - q ** (old - 1)) / (1 - q) > new - 1 else (q, high)
    right, last = [], 1.0
    for i in range(old - 1):
        right.append(last)
        last += q ** (i + 1)
    return [-one for one in reversed(right)] + [0.0] + right


def between(places, new, dtype):
    """(new, old) weights of a line between the places, held beyond the last."""
    places, x = torch.tensor(places, dtype=dtype), torch.arange(1 - new, new, dtype=dtype)
    x = x.clamp(places[0], places[-1])
    right = torch.searchsorted(places, x).clamp(1, max(1, len(places) - 1))
    made, left = torch.zeros(len(x), len(places), dtype=dtype), right - 1
    if len(places) == 1:
        return made + 1
    share = (x - places[left]) / (places[right] - places[left])
    made = made.scatter_add(1, left[:, None], (1 - share)[:, None])
    return made.scatter_add(1, right[:, None], share[:, None])


def resize_bias(weight, old, new, method, class_token=False):
    sizes = [one if method == "levit" else [2 * side - 1 for side in one] for one in (old, new)]
    count = len(weight) - 3 * class_token
    table = weight[:count].reshape(*sizes[0], weight.shape[1])
    if old == new:
        made = table
    elif method == "geometric":
        for axis, sides in enumerate(zip(old, new, strict=True)):
            matrix = between(places_of(*sides), sides[1], weight.dtype)
            table = torch.movedim(torch.tensordot(matrix, table, ([1], [axis])), 0, axis)
        made = table
    else:
        made = resized(table, sizes[1], **WINDOWS[method])
    return torch.cat([made.reshape(-1, weight.shape[1]), weight[count:]])


# -- waves ------------------------------------------------------------------------------------------------------------


def sine(angle):
    return torch.sin(angle)


def cosine(angle):
    return torch.cos(angle)


def times_factor(x, factor):
    """ "pi", "2pi" or a number."""
    size = {"pi": torch.pi, "2pi": 2 * torch.pi}.get(factor) if isinstance(factor, str) else number(factor)
    return x if size == 1 else x * size


def tokens_of(coordinates, dtype):
    """(..., axes) of an array, of a list of positions of each axis, or of a grid."""
    if isinstance(coordinates, dict):
        sizes = coordinates["arguments"]["coordinates"]
        cells = torch.meshgrid(*(torch.arange(size) for size in sizes), indexing="ij")
        return torch.stack(cells, -1).to(dtype)
    if isinstance(coordinates, list):
        axes = [[number(one) for one in axis["arguments"]["values"]] for axis in coordinates]
        return torch.tensor(axes, dtype=dtype).T
    return coordinates.to(dtype)


def fourier_projection(coordinates, weight, factor, layout, phase=None):
    dtype = weight.dtype if weight.dtype.is_floating_point else coordinates.dtype
    sums = tokens_of(coordinates, dtype) @ weight.to(dtype)
    sums = sums if phase is None else sums + phase
    angle = times_factor(sums, factor)
    if layout in ("sin", "cos"):
        return sine(angle) if layout == "sin" else cosine(angle)
    waves = [cosine(angle), sine(angle)] if layout == "cos-sin" else [sine(angle), cosine(angle)]
    return torch.stack(waves, -1).flatten(-2) if layout == "interleaved" else torch.cat(waves, -1)


def time2vec(t, weight, phase, linear=None, kind="sin"):
    dtype = weight.dtype if weight.dtype.is_floating_point else t.dtype
    sums = t.to(dtype)[..., None] * weight.to(dtype) + phase.to(dtype)
    wave = sine if kind == "sin" else cosine
    if linear is None:
        return wave(sums)
    return torch.cat([sums[..., :1], wave(sums[..., 1:])] if linear == "first" else
                     [wave(sums[..., :-1]), sums[..., -1:]], -1)  # fmt: skip


# -- kernels of distance ----------------------------------------------------------------------------------------------


def logarithm(x):
    return torch.log(1 + x)


def power(d, p):
    """d**p, of which 0 has the slope 0."""
    return d**p


def kerple(p, a, query_len, key_len, kind, least=0.01, query_offset=None):
    start = key_len - query_len if query_offset is None else query_offset
    dtype = p.dtype
    d = (torch.arange(start, start + query_len)[:, None] - torch.arange(key_len)).clamp(min=0).to(dtype)
    p, a = (torch.clamp(one.to(dtype), min=number(least))[:, None, None] for one in (p, a))
    if kind == "log":
        return -p * logarithm(a * d)
    bias = -a * power(d, torch.clamp(p, max=2))
    return torch.exp(bias) if kind == "weight" else bias


PROGRAMS = {
    program.__name__: program
    for program in (resize_table, resize_packed, resize_bias, fourier_projection, time2vec, kerple)
}
