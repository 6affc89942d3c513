"""Convolutions of the class `sequence64`: over (input channel, kernel element) ascending, elements in C order."""

import math

import numpy as np

from . import ordered_sums


def convolution(x, weight, bias=None, *, groups, padding, threads=None):
    """Slide weight (out, in / groups, *kernel) over x (..., *sizes, in), surrounded by zeros: (..., *new sizes, out).

    padding: (before, after) of each axis of the kernel. A new size is size + before + after - kernel + 1, or 0. As in
    deep learning, the kernel is not reversed. Zeros outside are multiplied as all others are.
    """
    axes = weight.ndim - 2
    lead = x.shape[: x.ndim - axes - 1]
    x = np.pad(x, [(0, 0)] * len(lead) + list(padding) + [(0, 0)])
    sizes = [max(0, size - kernel + 1) for size, kernel in zip(x.shape[len(lead) : -1], weight.shape[2:])]
    result = np.zeros((*lead, *sizes, len(weight)))
    if not result.size:
        return result
    # (..., *new sizes, in, *kernel), no copy
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], tuple(range(len(lead), x.ndim - 1)))
    taken, made = weight.shape[1], len(weight) // groups
    depth = taken * math.prod(weight.shape[2:])
    for k in range(groups):
        part = windows[(..., slice(k * taken, (k + 1) * taken), *[slice(None)] * axes)]
        kernel = weight[k * made : (k + 1) * made].reshape(made, depth)
        result[..., k * made : (k + 1) * made] = ordered_sums.linear(
            part.reshape(*lead, *sizes, depth), kernel, threads=threads
        )
    if bias is None:
        return result
    with np.errstate(all="ignore"):
        return ordered_sums.canonical(result + bias)


def weight_norm(direction, size, axis, threads=None):
    """size * direction / |direction|, the norm over all axes but one: direction * (size / norm), two roundings.

    direction: (out, in, *kernel); size: its shape with 1 for every axis but `axis`. Squares are summed in C order.
    """
    rows = np.moveaxis(direction, axis, 0).reshape(direction.shape[axis], -1)
    with np.errstate(all="ignore"):
        norm = np.sqrt(ordered_sums.total(rows * rows, threads))
        return ordered_sums.canonical(direction * (size / norm.reshape(size.shape)))
