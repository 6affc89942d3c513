"""Positions of the nodes of a tree: the steps that lead to each, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Union

import numpy as np

from .. import checks, foreign
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["tree_positions"]

DEEPEST, WIDEST = 512, 4096


@register(
    family="absolute",
    paper="Shiv and Quirk 2019, Novel positional encodings to enable tree-based transformers, NeurIPS 2019, section 3",
    conventions="newest step first; decays are the innermost axis; times sqrt((1 - decay**2) dim / 2), or 1",
    also="tree positional encoding, tree transformer",
)
def tree_positions(
    paths: Union[Sequence[Sequence[Integer]], ArrayLike],
    *,
    degree: Integer,
    depth: Integer,
    decay: Union[Number, Sequence[Number], Array],
    dim: Number | None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Tree position encoding: the path from the root as one-hot steps, newest first, that fade with age.

        E[node, (a degree + b) P + c] = decay[c]**a * s[c]  where step a before the last goes to child b,  else 0
        s[c] = sqrt((1 - decay[c]**2) dim / 2),   1 where dim is None

    Parameters
    ----------
    paths : array_like or sequence of sequences of int
        For each node the numbers of the children, from the root on, counted from 0: [] is the root, [1, 0] the first
        child of its second child. Or integers (nodes, longest), with -1 behind a path that is shorter than the longest.
    degree : int
        The largest number of children of a node.
    depth : int
        How many steps are told apart; older ones are left out, so that deep nodes whose newest steps agree have one
        vector.
    decay : float, Fraction or array_like
        One number from -1 to 1, or P of them, learned as hyperbolic tangents.
    dim : float, Fraction or None
        The width of the model, or None for the steps as they are.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (nodes, depth * degree * P), the exact value rounded once to `dtype`; the root is zeros, and 0**0 is 1.

    Raises
    ------
    InputError
        E_SIZE (degree, depth), E_SHAPE, E_DTYPE and E_POSITION (paths), E_NUMBER (decay, dim), E_OUT, E_TOO_LARGE.

    References
    ----------
    get_positional_encoding in icecaps/util/trees.py and treeify_positions in
    icecaps/estimators/abstract_transformer_estimator.py of microsoft/icecaps at 926d5bd, trees whose nodes all have
    `degree` children.

    Examples
    --------
    >>> tree_positions([[], [1], [1, 0]], degree=2, depth=2, decay=0.5, dim=None)
    array([[0. , 0. , 0. , 0. ],
           [0. , 1. , 0. , 0. ],
           [1. , 0. , 0. , 0.5]])
    """
    degree = checks.integer("degree", degree, 1, WIDEST)
    depth, fmt = checks.integer("depth", depth, 1, DEEPEST), formats.resolve(dtype)
    nodes, decays = read_paths(paths, degree), read_decays(decay)
    half = None if dim is None else checks.positive("dim", dim) / 2
    count = len(decays)
    result, stored = checks.output(out, (len(nodes), depth * degree * count), fmt, apart_from=doubles.arrays(paths))
    deepest = min(depth, max(map(len, nodes), default=0))
    weights = np.array([[weight(p, a, half, fmt) for p in decays] for a in range(deepest)], np.uint64)
    lines = np.zeros((len(nodes), depth, degree, count), formats.bits(stored).dtype)
    for line, path in zip(lines, nodes):
        for a, child in enumerate(path[: -depth - 1 : -1]):
            line[a, child] = weights[a]
    formats.bits(stored)[...] = lines.reshape(result.shape)
    return result


def weight(decay, power, half, fmt):
    """Bit pattern of decay**power * sqrt((1 - decay**2) half)."""
    size = abs(decay) ** power
    factor = Fraction(1) if half is None else (1 - decay * decay) * half
    pattern = reals.square_root(size * size * factor).pattern(fmt) if size * factor else 0
    return pattern | (1 << fmt.width - 1 if decay < 0 and power % 2 and pattern else 0)


def read_decays(decay):
    """The decays as fractions."""
    decay = checks.of_numpy("decay", decay)
    several = isinstance(decay, (list, tuple)) or (isinstance(decay, np.ndarray) and decay.ndim)
    listed = decay if several else [decay]
    found = [checks.real("decay", one) for one in checks.numbers("decay", listed)]
    for one in found:
        if abs(one) > 1:
            raise InputError("E_NUMBER", "decay", f"decay must be from -1 to 1, got {shown_number(one)}")
    return found


def read_paths(paths, degree):
    """The paths as lists of the numbers of children."""
    rows: Any = paths
    if isinstance(paths, np.ndarray) or foreign.is_foreign(paths):
        rows = checks.integers("paths", paths)
        if rows.ndim != 2:
            raise InputError("E_SHAPE", "paths", f"paths must be (nodes, longest), got shape {rows.shape}")
        rows = rows.tolist()
    found = []
    for path in checks.listed("paths", rows, "paths"):
        steps = without_end(checks.listed("paths", path, "numbers of children"))
        found.append([checks.integer("paths", child, 0, degree - 1, "E_POSITION") for child in steps])
    return found


def without_end(steps):
    """A path without the -1 behind it."""
    count = len(steps)
    while count and type(steps[count - 1]) in (int, np.int64) and steps[count - 1] == -1:
        count -= 1
    return steps[:count]
