"""Learned tables, their resizing, sums of rows, and graphs, in float32; sums of the format of the result where a class
asks for them."""

import math
from fractions import Fraction

import numpy as np

from . import angles
from .absolute import sinusoidal
from .angles import F, number, places
from .registry import float32
from .scores import ACTIVATIONS, layer_norm, mlp


@float32("mlp_positions", kind="sequence32")
def mlp_positions(positions, weight_in, weight_out, activation, divisor, bias_in=None, bias_out=None, **_):
    x = places(positions)[..., None] / F(number(divisor))
    return mlp(x, weight_in.reshape(-1, 1), bias_in, weight_out, bias_out, activation)


@float32("conv_positions", kind="sequence32")
def conv_positions(x, weight, groups, padding, activation, bias=None, magnitude=None, norm_eps=None, residual=False,
                   **_):  # fmt: skip
    kernel = weight.shape[2:]
    if magnitude is not None:
        weight = magnitude * (weight / np.sqrt((weight * weight).sum((0, 1), keepdims=True)))
    edges = [(t // 2, (t - 1) // 2) if padding == "same" else (t - 1, 0) for t in kernel]
    axes = len(kernel)
    padded = np.pad(x, [(0, 0)] * (x.ndim - axes - 1) + edges + [(0, 0)])
    size, out, share = x.shape[-axes - 1 : -1], weight.shape[0] // groups, weight.shape[1]
    elements = list(np.ndindex(*kernel))
    parts = [padded[(..., *(slice(t, t + n) for t, n in zip(at, size, strict=True)), slice(None))] for at in elements]
    found = []
    for group in range(groups):
        rows, columns = (slice(group * n, (group + 1) * n) for n in (out, share))
        matrix = np.concatenate([weight[(rows, slice(None), *at)] for at in elements], -1)
        found.append(np.concatenate([part[..., columns] for part in parts], -1) @ matrix.T)
    found = np.concatenate(found, -1)
    found = found if bias is None else found + bias
    found = found if norm_eps is None else layer_norm(found, norm_eps)
    found = ACTIVATIONS[activation](found)
    return found + x if residual else found


@float32("gated_table", kind="sequence32")
def gated_table(weight, gate, complement, **_):
    g = np.tanh(np.asarray(gate if isinstance(gate, np.ndarray) else F(number(gate))).reshape(()))
    return ((F(1) - g) if complement else g) * weight


@float32("cosmos_learnable", kind="sequence32")
def cosmos_learnable(weights, grid, eps, **_):
    t, r, c = (table[:n] for table, n in zip(weights, grid, strict=True))
    total = t[:, None, None] + r[:, None] + c
    norm = np.sqrt((total * total).sum(-1, keepdims=True, dtype=F))
    return total / (F(number(eps)) + norm * np.sqrt(F(1 / total.shape[-1])))


# -- resizing ---------------------------------------------------------------------------------------------------------


def kernel(d, method, a):
    if method == "linear":
        return np.maximum(F(1) - d, F(0))
    a = F(number(a))
    near = (a + F(2)) * d**3 - (a + F(3)) * d**2 + F(1)
    far = a * (d**3 - F(5) * d**2 + F(8) * d - F(4))
    return np.where(d < 1, near, np.where(d < 2, far, F(0)))


def weights_of(old, new, method, align, cubic, antialias, border, scale):
    """(new, old) weights of the rows of one axis."""
    j, ratio = np.arange(new).astype(F), F(old / max(new, 1)) if scale is None else F(1) / F(number(scale))
    if align == "corners":
        x = j * F((old - 1) / (new - 1)) if new > 1 else j * F(0)
    else:
        x = (j + F(0.5)) * ratio - F(0.5)
    wide = ratio if antialias and ratio > 1 else F(1)
    reach = math.ceil((1 if method == "linear" else 2) * wide) + 1
    i = np.floor(x).astype(int)[:, None] + np.arange(-reach, reach + 1)
    w = kernel(np.abs(x[:, None] - i.astype(F)) / wide, method, cubic)
    inside = (i >= 0) & (i < old)
    if antialias or border == "renormalise":
        w = np.where(inside, w, F(0))
        w = w / w.sum(1, keepdims=True, dtype=F)
    elif border == "zeros":
        w = np.where(inside, w, F(0))
    table = np.zeros((new, old), F)
    np.add.at(table, (np.arange(new)[:, None], np.clip(i, 0, old - 1)), w)
    return table


@float32("resize_table", kind="float32-resize", wide=("weight",))
def resize_table(weight, size, method, align=None, cubic=None, antialias=False, border=None, scale=None, prefix=0,
                 grid=None, crop=None, window=None, **_):  # fmt: skip
    size = [size] if isinstance(size, int) else list(size)
    first, table = weight[:prefix], weight
    if grid is not None:
        table = weight[prefix:].reshape(*grid, weight.shape[-1])
    if crop is not None:
        table = table[tuple(slice(*ends) for ends in crop)]
    scales = scale if isinstance(scale, list) else [scale] * len(size)
    for axis, (new, factor) in enumerate(zip(size, scales, strict=True)):
        old = table.shape[axis]
        if method.startswith("nearest"):
            shift = 0 if method == "nearest" else 1
            ratio = Fraction(old, new) if factor is None else 1 / Fraction(number(factor))
            rows = [min(int(Fraction(2 * j + shift, 2) * ratio), old - 1) for j in range(new)]
            table = np.take(table, rows, axis)
            continue
        table = table.astype(F)
        rows = weights_of(old, new, method, align, cubic, antialias, border, factor)
        # a row whose weight is 0 takes no part, be it infinite
        terms = np.moveaxis(table, axis, 0)[None]
        spread = rows.reshape(*rows.shape, *[1] * (table.ndim - 1))
        terms = np.where(spread == 0, F(0), spread * np.where(spread == 0, F(0), terms))
        table = np.moveaxis(terms.sum(1, dtype=F), 0, axis)
    if window is not None:
        index = np.ix_(*(np.arange(new) % n for new, n in zip(size, window.shape[:-1], strict=True)))
        table = table + window[index]
    return table if grid is None else np.concatenate([first, table.reshape(-1, table.shape[-1])])


@float32("resize_packed", kind="float32-resize", wide=("weight",))
def resize_packed(weight, grid_thw, merge_size, length=None, **given):
    images = []
    for t, h, w in grid_thw.tolist():
        table, m = resize_table(weight, [h, w], **given), merge_size
        blocks = table.reshape(h // m, m, w // m, m, -1).transpose(0, 2, 1, 3, 4).reshape(h * w, -1)
        rows = np.concatenate([blocks] * t)
        if length is not None:
            rows = np.concatenate([rows, np.repeat(rows[:1], length - len(rows), 0)])
        images.append(rows)
    if length is not None:
        return np.array(images, F).reshape(len(images), length, weight.shape[-1])
    return np.concatenate([weight[0, :0], *images])


# -- sums of rows -----------------------------------------------------------------------------------------------------


@float32("mean_of_rows", kind="rounded-table", narrow=True)
def mean_of_rows(weight, rows, **_):
    some = rows >= 0
    total = np.zeros((*rows.shape[:-1], weight.shape[-1]), weight.dtype)
    for k in range(rows.shape[-1]):
        total = np.where(some[..., k, None], total + weight[np.maximum(rows[..., k], 0)], total)
    count = np.maximum(some.sum(-1, keepdims=True), 1).astype(weight.dtype)
    return total / count


@float32("learned_boxes", kind="rounded-table", narrow=True)
def learned_boxes(weights, boxes, combine, clip=None, **_):
    x0, y0, x1, y1 = np.moveaxis(boxes, -1, 0)
    high, wide = (size if clip is None else np.clip(size, 0, clip) for size in (y1 - y0, x1 - x0))
    sides = [x0, y0, x1, y1, high, wide]
    tables = [weights[k] for k in (0, 1, 0, 1, 2, 3)]
    parts = [table[side] for table, side in zip(tables, sides, strict=True)]
    if combine == "concat":
        return np.concatenate(parts, -1)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@float32("add", kind="rounded-table", narrow=True)
def add(x, table, scale, x_scale, squared_scale=None, squared_x_scale=None, prefix=0, at=None, **_):
    def factor(plain, squared):
        value = float(number(plain)) if squared is None else math.sqrt(number(squared))
        return np.asarray(value).astype(x.dtype)

    body = x[..., prefix:, :]
    rows = table[: body.shape[-2]] if at is None else table[at]
    found = factor(x_scale, squared_x_scale) * body + factor(scale, squared_scale) * rows.astype(x.dtype)
    return np.concatenate([x[..., :prefix, :], np.broadcast_to(found, body.shape)], -2)


@float32("joined", kind="float32-angle")
def joined(parts, extra_tokens=None, **_):
    defaults = {"sinusoidal": {"base": 10000, "position_scale": 1, "layout": "interleaved", "endpoint": False,
                               "odd": "truncate"}}  # fmt: skip
    programs = {"sinusoidal": sinusoidal, "sincos_2d": angles.sincos_2d, "sincos_grid": angles.sincos_grid}
    tables = []
    for part in parts:
        call = {name: value for name, value in part["arguments"].items() if name != "dtype"}
        tables.append(programs[part["function"]](**{**defaults.get(part["function"], {}), **call}))
    shape = np.broadcast_shapes(*(table.shape[:-1] for table in tables))
    cells = np.concatenate([np.broadcast_to(table, (*shape, table.shape[-1])) for table in tables], -1)
    if extra_tokens is None:
        return cells
    return np.concatenate([np.zeros((extra_tokens, cells.shape[-1]), F), cells.reshape(-1, cells.shape[-1])])


# -- graphs and trees -------------------------------------------------------------------------------------------------


@float32("random_walk_positions", kind="sequence32")
def random_walk_positions(edges, n, steps, space_dim, **_):
    a = np.zeros((n, n), F)
    np.add.at(a, tuple(edges.reshape(-1, 2).T), F(1))
    degree = a.sum(1, keepdims=True)
    walk = a / np.where(degree == 0, F(1), degree)
    listed = list(range(1, steps + 1)) if isinstance(steps, int) else [int(step) for step in steps]
    found, power, k = {}, np.eye(n, dtype=F), 0
    for step in sorted(set(listed)):
        while k < step:
            power, k = power @ walk, k + 1
        found[step] = power.diagonal() * np.sqrt(F(step) ** F(space_dim))
    return np.stack([found[step] for step in listed], -1) if listed else np.zeros((n, 0), F)


@float32("tree_positions", kind="sequence32")
def tree_positions(paths, degree, depth, decay, dim=None, **_):
    decay = np.atleast_1d(np.asarray(decay if isinstance(decay, np.ndarray) else number(decay)).astype(F))
    listed = [[b for b in path if b >= 0] for path in (paths.tolist() if isinstance(paths, np.ndarray) else paths)]
    share = np.ones(len(decay), F) if dim is None else np.sqrt((F(1) - decay * decay) * F(dim) / F(2))
    found = np.zeros((len(listed), depth, degree, len(decay)), F)
    for node, path in enumerate(listed):
        for a, b in enumerate(path[::-1][:depth]):
            found[node, a, b] = decay ** F(a) * share
    return found.reshape(len(listed), depth * degree * len(decay))
