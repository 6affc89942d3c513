"""What reads learned tables as programs of torch, which autograd differentiates; each takes the arguments of a golden
case by name, tensors in the format in which it computes."""

import math

import torch
from torch.nn import functional

from .torch_scores import number


def looked_up(table, rows):
    """The row of each index, (*rows.shape, channels)."""
    return functional.embedding(rows, table)


def scaled(x, factor):
    return x * factor


def averaged(total, counts):
    return total / counts


def of_spans(table, rows):
    """(the vectors of the tokens of each span, zeros for row -1, and how many are not -1)."""
    counted = (rows >= 0)[..., None].to(table.dtype)
    return looked_up(table, rows.clamp(min=0)) * counted, counted.sum(-2)


def learned(weight, rows, scale=None):
    made = looked_up(weight, torch.arange(rows) if isinstance(rows, int) else rows)
    return made if scale is None else scaled(made, number(scale))


def mean_of_rows(weight, rows):
    vectors, counts = of_spans(weight, rows)
    return averaged(vectors.sum(-2), counts.clamp(min=1e-7))


def learned_axes(weights, grid, combine, axis_order=None):
    places = torch.meshgrid(*map(torch.arange, grid), indexing="ij")
    parts = [looked_up(table, place) for table, place in zip(weights, places, strict=True)]
    if combine == "sum":
        return sum(parts[1:], parts[0])
    names = "thw"[-len(grid) :]
    order = [names.index(axis) if isinstance(axis, str) else axis for axis in axis_order]
    return torch.cat([parts[axis] for axis in order], -1)


def tile_table(weight, size):
    size = [size] if isinstance(size, int) else size
    cells = torch.arange(math.prod(weight.shape[:-1])).reshape(weight.shape[:-1])
    for axis, (new, old) in enumerate(zip(size, weight.shape, strict=False)):
        cells = cells.index_select(axis, torch.arange(new) % old)
    return looked_up(weight.reshape(-1, weight.shape[-1]), cells)


def distances(queries, keys, query_offset):
    """Key minus query."""
    return torch.arange(keys) - (torch.arange(queries)[:, None] + query_offset)


def of_heads(table, rows):
    return looked_up(table, rows).movedim(-1, 0)


def t5_bias(weight, query_len, key_len, bidirectional, num_buckets=None, max_distance=128, query_offset=0):
    far, rows = -distances(query_len, key_len, query_offset), 0
    count = num_buckets or len(weight)
    if bidirectional:
        count //= 2
        rows, far = (far < 0) * count, far.abs()
    else:
        far = far.clamp(min=0)
    exact = count // 2
    share = torch.log(far.clamp(min=1).double() / exact) / math.log(max_distance / exact)
    wide = (exact + (share * (count - exact)).long()).clamp(max=count - 1)
    return of_heads(weight, rows + torch.where(far < exact, far, wide))


def signed(far, sign):
    return {"key-query": far, "query-key": -far, "absolute": far.abs()}[sign]


def relative_bias(weight, query_len, key_len, sign, low=None, high=None, outside="clip", query_offset=0):
    far = signed(distances(query_len, key_len, query_offset), sign)
    low = low if low is not None else 0 if sign == "absolute" else -(len(weight) // 2)
    rows = far - low
    return of_heads(weight, rows.clamp(0, len(weight) - 1) if outside == "clip" else rows)


def window_bias(weight, height, width, sign, class_token=False, stride=1):
    keys = torch.cartesian_prod(torch.arange(height), torch.arange(width)).reshape(-1, 2)
    queries = keys[(keys % stride == 0).all(-1)]
    down, across = signed(keys - queries[:, None], sign).unbind(-1)
    around = (0, 0) if sign == "absolute" else (height - 1, width - 1)
    rows = (down + around[0]) * (width + around[1]) + across + around[1]
    if class_token:
        count = len(weight)
        rows = functional.pad(rows, (1, 0, 1, 0))
        rows[0], rows[:, 0], rows[0, 0] = count - 3, count - 2, count - 1
    return of_heads(weight, rows)


PROGRAMS = {
    program.__name__: program
    for program in (learned, learned_axes, mean_of_rows, relative_bias, t5_bias, tile_table, window_bias)
}
