"""Reading a table of a grid: the axis of each block of columns, its coordinates and frequencies, and the call."""

from __future__ import annotations

import math
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np

from ..conformance import CLASSES
from ..public import dotted
from ..tensor_files import Tensor
from ..types import Array
from .frequency_rule import made
from .held_format import Held
from .reading_result import Reading
from .row_tables import Found, with_zeros
from .solving import angles_of, solved_by, unit_of
from .wave_layouts import different_rows
from .waves import Waves
from .whole import only_of_16_bits
from .wording import gains_text, positions_argument, positions_text, rule_text, runs

KIND = "sinusoidal grid"
NAMES = {2: "hw", 3: "thw"}
#: shares of the width that the axes have: equal ones, and those of V-JEPA and CogVideoX
SHARES = ((1, 1), (1, 1, 1), (2, 1, 1), (2, 3, 3))
FEWEST = 3  # different rows of the longest axis


class Block(NamedTuple):
    """The columns of one axis, its different rows and which of them each cell has."""

    columns: Array
    first: Array
    which: Array


def read_grid(y, solve):
    """The `Reading` of a table of a grid, `Held`; None where it is none. solve: what makes a `Found` of different
    rows."""
    table = y.tensor.values.reshape(-1, y.shape[-1])
    extra = int(np.argmax(table.any(axis=1)))
    for shares in SHARES:
        for packing in ("axes", "kinds"):
            blocks = _blocks(table[extra:], shares, packing)
            order = None if blocks is None else _order(blocks)
            if order is not None:
                found = _solved(y, extra, blocks, solve)
                if found is not None:
                    return _reading(y, extra, (blocks, order, packing), found)
    return None


def _blocks(table, shares, packing):
    """The `Block` of each share of the columns; None where shares do not divide the width or rows are of no grid."""
    width, whole = table.shape[1], sum(shares)
    if width % (2 * whole):
        return None
    ends = np.cumsum([0, *(width // whole * share for share in shares)], dtype=np.int64)
    columns = [np.arange(start, stop, dtype=np.int64) for start, stop in pairwise(ends)]
    if packing == "kinds":
        halves = [np.arange(start // 2, stop // 2, dtype=np.int64) for start, stop in pairwise(ends)]
        columns = [np.concatenate([one, width // 2 + one]) for one in halves]
    blocks, cells = [], 1
    for one in columns:
        rows = different_rows(table[:, one])
        blocks.append(Block(one, *rows))
        cells *= len(rows.first)
        if cells > len(table):
            return None
    return blocks if cells == len(table) and max(len(one.first) for one in blocks) >= FEWEST else None


def _order(blocks):
    """The blocks whose axes are the outermost, .., the innermost of the cells; None where cells are in no order."""
    sizes = [len(one.first) for one in blocks]
    for order in permutations(range(len(blocks))):
        index = np.unravel_index(np.arange(math.prod(sizes), dtype=np.int64), [sizes[axis] for axis in order])
        if all((blocks[axis].which == at).all() for axis, at in zip(order, index)):
            return order
    return None


def _solved(y, extra, blocks, solve):
    """The `Found` of each block, of one rule; None where they have none. The longest axis tells it."""
    parts = [Held(_part(y, extra, one)) for one in blocks]
    longest = max(range(len(blocks)), key=lambda k: len(blocks[k].first))
    best = solve(parts[longest])
    if best is None or best.solution is None or best.subject.layout.channels is not None:
        return None
    found = []
    for part in parts:
        width, given = part.shape[1], best.solution.rule.recipe["arguments"]
        rule = best.solution.rule._replace(recipe={"function": "sinusoidal", "arguments": {**given, "dim": width}})
        one = _by_rule(part, rule, best)
        if one is None:
            return None
        found.append(one)
    return found


def _by_rule(part, rule, best):
    """The `Found` of a block by a rule, in the layout of another block."""
    half = part.shape[1] // 2
    index = np.arange(half, dtype=np.int64)
    sines, cosines = {
        "interleaved": (2 * index, 2 * index + 1),
        "sin-cos": (index, half + index),
        "cos-sin": (half + index, index),
    }[best.subject.layout.name]
    subject = Waves(part.tensor, best.subject.layout._replace(sines=sines, cosines=cosines))
    angles = angles_of(subject, 0, unit_of(part.format))
    solution = solved_by(subject, 0, angles, rule)
    return None if solution is None else Found(subject, angles, with_zeros(subject, angles, solution))


def _part(y, extra, block):
    """The different rows of a block as a tensor."""
    table = y.tensor.values.reshape(-1, y.shape[-1])[extra:]
    return Tensor(y.format, np.ascontiguousarray(table[block.first][:, block.columns]))


def _reading(y, extra, arrangement, found):
    blocks, order, _ = arrangement
    solutions = [one.solution for one in found]
    met = max((one.verdict.kind for one in solutions), key=list(CLASSES).index)
    within = np.all([one.verdict.within[block.which] for one, block in zip(solutions, blocks)], axis=0)
    off, call = np.flatnonzero(~within), _call(y, extra, arrangement, solutions)
    pairs = tuple(
        (int(block.columns[c]), int(block.columns[s]))
        for one, block in zip(found, blocks)
        for c, s in zip(one.subject.layout.cosines, one.subject.layout.sines)
    )
    width, sizes = y.shape[-1], [len(blocks[axis].first) for axis in order]
    coordinates = "; ".join(positions_text(solutions[axis].positions) for axis in order)
    after = f", after {extra} row{'s' if extra > 1 else ''} of zeros" if extra else ""
    summary = (
        f"{KIND} of {' x '.join(map(str, sizes))} cells{after}, {width} columns, {_columns_text(arrangement)}, "
        f"layout {found[0].subject.layout.text}, {_rules_text(solutions)}, coordinates {coordinates}, "
        f"{gains_text(found[0].angles, 'factor')}{only_of_16_bits(met, y.format)}"
    )
    return Reading(
        KIND, summary, y.format, pairs, pairs, np.concatenate([one.angles.gains for one in found]),
        np.concatenate([made(one.rule.recipe).inv_freq for one in solutions]),
        np.stack([one.positions[block.which] for one, block in zip(solutions, blocks)]),
        call=call if 2 * len(off) < len(within) else None, recipe=solutions[0].rule.recipe, met=met,
        elements=len(within) * width, outside=(f"cells {runs(off)}",) if len(off) else (),
        notes=(y.note,) if y.note else (),
    )  # fmt: skip


def _columns_text(arrangement):
    """Which axis has which columns."""
    blocks, order, packing = arrangement
    if packing == "kinds":
        return f"sines and then cosines of axes {', '.join(str(order.index(k)) for k in range(len(blocks)))}"
    return ", ".join(f"{len(one.columns)} of axis {order.index(k)}" for k, one in enumerate(blocks))


def _rules_text(solutions):
    told = dict.fromkeys(rule_text(one.rule.recipe) for one in solutions)
    return "; ".join(told)


def _call(y, extra, arrangement, solutions):
    """The call of `sincos_2d` or `sincos_3d`, or of `sincos_grid` where coordinates are no counts."""
    blocks, order, packing = arrangement
    count, widths = len(blocks), tuple(len(one.columns) for one in blocks)
    axis_order = "".join(NAMES[count][order.index(k)] for k in range(count))
    along = [_coordinates(solutions[axis].positions, axis) for axis in order]
    recipe = solutions[0].rule.recipe["arguments"]
    words = [f"axis_order={axis_order!r}"]
    words += [f"widths={widths}"] if len(set(widths)) > 1 else []
    words += [f"layout={recipe['layout']!r}", *([f"packing={packing!r}"] if packing != "axes" else [])]
    words += [f"{name}={recipe[name]!r}" for name in ("base", "endpoint") if name in recipe]
    shape = tuple(size for size in y.shape[:-1] if size > 1)
    sizes = tuple(len(blocks[axis].first) for axis in order)
    words += [f"extra_tokens={extra}"] if extra or shape != tuple(size for size in sizes if size > 1) else []
    words.append(f"dtype={y.format!r}")
    plain = all(one.isdigit() for one in along) and packing == "axes" and (count == 3 or len(set(widths)) == 1)
    if plain:
        return f"{dotted(f'sincos_{count}d')}({', '.join(along)}, {y.shape[-1]}, {', '.join(words)})"
    return f"{dotted('sincos_grid')}(({', '.join(along)}), {y.shape[-1]}, {', '.join(words)})"


def _coordinates(positions, block):
    """Coordinates of one axis as an argument."""
    written = positions_argument(positions)
    if not written.startswith("found."):
        return written
    rising = (np.diff(positions) > 0).all()
    return f"np.unique(found.positions[{block}])" if rising else str(positions.tolist())
