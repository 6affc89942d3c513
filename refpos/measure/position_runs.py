"""Integer positions of a sequence in words, and the call that gives them: runs, repeats, padding, narrow formats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats, rounding
from ..positions.batches.cu_seqlens import cu_seqlens
from ..positions.batches.packed_positions import packed_positions
from ..public import dotted
from .wording import GIVEN, LISTED, positions_argument, positions_text

SIGNED, UNSIGNED = ("int8", "int16"), ("uint8", "uint16")
MOST_WORDS = 6  # runs that a sentence lists


class Run(NamedTuple):
    """Positions in words, and the expression that gives them; None where there is none but a list of all of them."""

    words: str
    text: str | None


def run_of(positions, name):
    """The `Run` of positions (n,); name: the function whose call is meant, of those of position ids."""
    for rule in (_one_step, _constant, _periodic, _padded, _wrapped, _rounded, _packed):
        found = rule(positions, name)
        if found is not None:
            return found
    text = positions_argument(positions.astype(np.float64)) if len(positions) <= LISTED else None
    return Run(f"positions {positions_text(positions.astype(np.float64))}", text)


def _one_step(positions, name):
    """Steps of one size: 0, 1, 2, ..; from an offset; every second one; backwards."""
    steps = np.diff(positions)
    if len(steps) and (not steps[0] or (steps != steps[0]).any()):
        return None
    first, count = int(positions[0]), len(positions)
    step = int(steps[0]) if count > 1 else 1
    words = f"positions {positions_text(positions.astype(np.float64))}" + (", reversed" if step == -1 else "")
    if step == 1 and first >= 0 and name == "packed_positions":
        return Run(words, f"{dotted(name)}({count}, restart=True{f', offsets={first}' if first else ''})")
    if step == 1 and first >= 0 and name == "table_rows":
        return Run(words, f"{dotted(name)}({count}, rule='count'{f', offset={first}' if first else ''})")
    if step == 1 and not first:
        return Run(words, str(count) if name == "learned" else f"np.arange({count})")
    ends = f"{first}, {first + count * step}" if first or step != 1 else str(count)
    return Run(words, f"np.arange({ends}{'' if step == 1 else f', {step}'})")


def _constant(positions, name):
    first = int(positions[0])
    return (
        Run(f"position {first} in all {len(positions)} rows", f"np.full({len(positions)}, {first})")
        if (positions == first).all()
        else None
    )


def periodic(positions):
    """(first, rows with one position, different positions) of positions that rise by 1, each repeated, and begin again;
    None where they do not."""
    count, first = len(positions), int(positions[0])
    same = int(np.argmax(positions != first))
    size = int(positions.max()) - first + 1
    if same and size > 1 and (positions == first + np.arange(count, dtype=np.int64) // same % size).all():
        return first, same, size
    return None


def _periodic(positions, name):
    """Each position several times."""
    found = periodic(positions)
    if found is None or found[1] == 1:
        return None
    first, same, size = found
    begin = f"{first} + " if first else ""
    again = f" % {size}" if len(positions) > same * size else ""
    words = f"positions {first} .. {first + size - 1}, each {same} times" + (", and again" if again else "")
    return Run(words, f"{begin}np.arange({len(positions)}) // {same}{again}")


def _starts(positions):
    """Where positions do not rise by 1."""
    return np.concatenate([[0], np.flatnonzero(np.diff(positions) != 1) + 1, [len(positions)]])


def _packed(positions, name):
    """Runs of positions that rise by 1, where packed sequences begin."""
    bounds = _starts(positions)
    first = positions[bounds[:-1]]
    runs = len(first)
    if 2 * runs > len(positions) or first.min() < 0:
        return None
    restart = (first == first[0]).all()
    offsets = f", offsets={int(first[0])}" if restart and first[0] else ""
    if not restart:
        offsets = f", offsets={first.tolist()}"
    where, text = bounds.tolist(), None
    if runs <= LISTED:
        text = f"{dotted('packed_positions')}({where}, restart=True{offsets})"
    elif restart:
        made = cu_seqlens(positions, rule="jumps")
        if np.array_equal(packed_positions(made, restart=True, offsets=first), positions):
            given = "found.rows" if name == "learned" else f"{GIVEN}.astype(int)"
            text = f"{dotted('packed_positions')}({dotted('cu_seqlens')}({given}, rule='jumps'), restart=True{offsets})"
    at = ", ".join(map(str, where[1 : MOST_WORDS + 1][: runs - 1])) + (", .." if runs - 1 > MOST_WORDS else "")
    what = f"restart from {int(first[0])} at {at}" if restart else f"runs that begin at {at}"
    wraps = [kind for kind in UNSIGNED if restart and (np.diff(bounds[:-1]) == np.iinfo(kind).max + 1).all()]
    what += f", as {wraps[0]} wraps" if runs > 1 and wraps and not first[0] else ""
    return Run(f"positions {positions_text(positions.astype(np.float64))}, {what}", text)


def _wrapped(positions, name):
    """Positions of an integer format that is too narrow."""
    count, first = len(positions), int(positions[0])
    true = first + np.arange(count, dtype=np.int64)
    for kind in SIGNED:
        limits = np.iinfo(kind)
        if not limits.min <= first <= limits.max < true[-1]:
            continue
        if (positions == true.astype(np.int64).astype(kind)).all():
            words = f"positions {first} .. {int(true[-1])} wrapped at {limits.max} ({kind})"
            return Run(words, f"np.arange({first}, {first + count}).astype(np.{kind}).astype(np.int64)")
    return None


def _rounded(positions, name):
    """Positions that a floating format has rounded."""
    true = int(positions[0]) + np.arange(len(positions), dtype=np.int64)
    if true[-1] > 65504:
        return None
    for kind in ("bfloat16", "float16"):
        fmt = formats.FORMATS[kind]
        made = rounding.widen(rounding.narrow(true.astype(np.float64), fmt), fmt)
        if (made == positions).all():
            text = "np.arange({}, {}).astype(np.float16).astype(np.int64)" if kind == "float16" else None
            words = f"positions {int(true[0])} .. {int(true[-1])} rounded to {kind}"
            return Run(words, text and text.format(int(true[0]), int(true[-1]) + 1))
    return None


def padding(positions, name):
    """(which rows count on, the first of them, the position of the others) of positions that are one number before or
    behind a count; None where they are not."""
    steps = np.diff(positions) == 1
    if not steps.any():
        return None
    first, last = int(np.argmax(steps)), len(steps) - int(np.argmax(steps[::-1]))
    if not steps[first:last].all():
        return None
    others = np.concatenate([positions[:first], positions[last + 1 :]])
    if not len(others) or (others != others[0]).any():
        return None
    if positions[first] == others[0] and (others[0] or name == "table_rows"):  # a token counts from one more
        first += 1
    kept = np.zeros(len(positions), bool)
    kept[first : last + 1] = True
    return kept, int(positions[first]), int(others[0])


def padded_run(kept, first, other, name):
    """The `Run` of counts from `first` where kept, (.., n), and of another position elsewhere; None where rows are not
    padded on one side."""
    count, length = kept.shape[-1], kept.sum(axis=-1)
    index = np.arange(count, dtype=np.int64)
    left = np.array_equal(kept, index >= count - length[..., None])
    if not left and not np.array_equal(kept, index < length[..., None]):
        return None
    ends = (count - length if left else length)[..., None].tolist()
    test = f"np.arange({count}) {'>=' if left else '<'} np.array"
    words = f"positions from {first} on, {other} where padded on the {'left' if left else 'right'}"
    if first == other + 1:
        tokens = f"np.where({test}({ends}), {other + 1}, {other})"
        return Run(words, f"{dotted('table_rows')}({tokens}, rule='tokens', padding_idx={other})")
    if first == 0 and other >= 0:
        row = f"{test}({ends if kept.ndim > 1 else [ends]})"
        return Run(
            words, f"{dotted('attention_mask_positions')}({row}, masked={other}){'' if kept.ndim > 1 else '[0]'}"
        )
    return Run(words, f"np.where({test}({ends}), {first} + np.cumsum({test}({ends}), -1) - 1, {other})")


def _padded(positions, name):
    """A count with one other position before or behind it."""
    found = None if name == "grid_positions" else padding(positions, name)
    return None if found is None else padded_run(*found, name)
