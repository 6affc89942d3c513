"""Rows of a table that are read otherwise than asked: as a function of the distance, or of the offset of two cells."""

from __future__ import annotations

import numpy as np

from ...measure.copies import offset_rows
from ...measure.estimates import logarithm
from ...measure.wording import several
from .measured import Measured, read_subject, subject_of

BUCKETS, WINDOWS = ("t5_buckets", "t5_bias"), ("window_rows", "window_bias")
EDGE = 1e-4  # of a bucket, by which formulas of float32 may be off
BUCKET_COUNTS = (32, 64, 16, 48, 24, 128)
FEWEST_LINES = 3  # queries, or keys, of which one may be said to be other than the rest
FARTHEST = 1 << 16  # of a max_distance
ROUNDINGS = {"": np.floor, "rounded up (ceil)": np.ceil, "rounded to the nearest": np.rint}
BASES = {"a logarithm of base 2 in place of the natural one (log2)": 2.0,
         "a logarithm of base 10 in place of the natural one": 10.0}  # fmt: skip


def measured_rows(trial) -> Measured | None:
    """Which rows are read, beside those that are asked for; None where they are the same or have no rule."""
    call = trial.call
    if call.suite not in (*BUCKETS, *WINDOWS):
        return None
    got, wanted = _rows(trial, trial.answered), _rows(trial, trial.outputs)
    if got is None or wanted is None or got.shape != wanted.shape or np.array_equal(got, wanted):
        return None
    known = got >= -1 if call.suite.endswith("_bias") else np.ones(got.shape, bool)
    if not known.all():
        return None
    if call.suite in WINDOWS:
        told = _of_window(call, got, wanted)
    else:
        told = _of_buckets(call.arguments, _distances(call, got), got, wanted)
    told = told or _of_one_line(call, got, wanted)
    return None if told is None else Measured(*told, named=True)


def _rows(trial, tensors):
    """The row of each element: the integers themselves, or those that are read from the table; None without."""
    if not trial.call.suite.endswith("_bias"):
        values = next(iter(tensors.values())).values
        return values.astype(np.int64) if values.dtype.kind in "iu" else None
    subject = subject_of(trial)
    found = None if subject is None else read_subject(subject, tensors)
    return None if found is None or found.kind != "copied rows" or not found.rows.size else found.rows


def _distances(call, rows):
    """Key minus query of each element."""
    given = call.tensors.get("relative_positions")
    if given is not None:
        return given.values.astype(np.int64)
    start = call.arguments.get("query_offset", 0)
    return np.arange(rows.shape[1], dtype=np.int64) - start - np.arange(rows.shape[0], dtype=np.int64)[:, None]


def _shift(got, wanted):
    """(what was done, what is asked for) where all rows are off by one number; None where they are not."""
    shifts = np.unique(got - wanted)
    if len(shifts) != 1:
        return None
    return f"each row {int(shifts[0]):+d}", "the rows themselves"


def _of_one_line(call, got, wanted):
    """Words for the rows of the one query, or key, that are others than asked; None where more of them are."""
    off = got != wanted
    for axis, word in enumerate(("query", "key")) if off.ndim == 2 else ():
        lines = np.flatnonzero(off.any(axis=1 - axis))
        if len(lines) != 1 or off.shape[axis] < FEWEST_LINES:
            continue
        one, other = (values.take(lines[0], axis) for values in (got, wanted))
        told = (f"row {one[0]}", f"rows {several(other)}") if (one == one[0]).all() else None
        if told is None and call.suite in BUCKETS:
            distances = _distances(call, got).take(lines[0], axis)
            order = np.argsort(distances, kind="stable")
            ones = np.ones(len(one), np.int64)
            told = _of_line(call.arguments, distances[order], ones, one[order], other[order])
        told = told or (f"rows {several(one)}", f"rows {several(other)}")
        return f"{word} {lines[0]} alone: {told[0]}", told[1]
    return None


# -- buckets ----------------------------------------------------------------------------------------------------------


def _of_buckets(given, distances, got, wanted):
    """Words for the buckets of distances; None where they have no rule that is known, or are none of the distance."""
    shift = _shift(got, wanted)
    if shift is not None:
        return shift
    known, first, inverse, counts = np.unique(distances, return_index=True, return_inverse=True, return_counts=True)
    rows, asked = (part.reshape(-1)[first] for part in (got, wanted))
    if (rows[inverse.reshape(distances.shape)] != got).any():
        return None
    return _of_line(given, known, counts, rows, asked)


def _of_line(given, distances, counts, got, wanted):
    """The same of one row of each distance, of which there are so many."""
    buckets, reach = given.get("num_buckets", 32), given.get("max_distance", 128)
    both = given.get("bidirectional", True)
    if both:
        side = _sides(distances, got, wanted, buckets // 2)
        if side:
            return side, "another half of the table for keys after the query"
    for text, low, high in _rules(distances, buckets, reach, both):
        if ((low <= got) & (got <= high)).all() and ((wanted < low) | (wanted > high)).any():
            return f"buckets with {text}", "buckets of T5"
    told = _numbers(distances, counts, got, both, buckets)
    if told:
        return told, f"num_buckets={buckets}, max_distance={reach}"
    return _edges(distances, got, wanted)


def _sides(distances, got, wanted, half):
    """What was done to the half of the table for keys after the query, in words."""
    plain = wanted - half * (distances > 0)
    for text, made in {
        "no side added: keys after the query and before it read the same rows": plain,
        "the sides exchanged: query - key in place of key - query": plain + half * (distances < 0),
        "the sides exchanged, with distance 0 among the later ones": plain + half * (distances <= 0),
        "distance 0 counted to the upper side": plain + half * (distances >= 0),
        "keys after the query read row 0": np.where(distances > 0, 0, plain),
    }.items():
        if (made == got).all():
            return text
    return ""


def _rules(distances, buckets, reach, both):
    """(what is other, the least and the largest bucket of T5's formula with that, as far as float32 tells)."""
    usual = (buckets // 2 if both else buckets) // 2
    others = [one for one in range(2, 2 * usual) if one != usual]
    for rounding, rounded in ROUNDINGS.items():
        yield (
            rounding or "one more bucket beyond the last one",
            *_buckets(distances, (buckets, reach, both), rounded=rounded, last=-1 if rounding else 0),
        )
    for text, base in BASES.items():
        yield text, *_buckets(distances, (buckets, reach, both), times=1 / float(logarithm(base)))
    for exact in others:
        yield f"exact buckets up to {exact} (asked {usual})", *_buckets(distances, (buckets, reach, both), exact=exact)


def _buckets(distances, given, exact=None, rounded=np.floor, last=-1, times=1.0):
    """The least and the largest bucket that T5's formula may give in float32."""
    buckets, reach, both = given
    count = buckets // 2 if both else buckets
    exact = count // 2 if exact is None else exact
    distances = np.maximum(distances, -(2**63 - 1))  # the least int64 has no absolute value
    sizes = np.abs(distances) if both else -np.minimum(distances, 0)
    side = count * (distances > 0) if both else 0
    if reach <= exact or count <= exact:
        return side + sizes, side + sizes
    scaled = times * logarithm(np.maximum(sizes, 1) / exact) / float(logarithm(reach / exact)) * (count - exact)
    far = (np.minimum(exact + rounded(scaled + sign * EDGE).astype(np.int64), count + last) for sign in (-1, 1))
    low, high = (side + np.where(sizes < exact, sizes, one) for one in far)
    return low, high


def _numbers(distances, counts, got, both, asked):
    """The number of buckets and the max_distance of T5's formula that give rows, in words."""
    most = int(got.max()) + 1
    for buckets in dict.fromkeys((asked, most, most + most % 2, *BUCKET_COUNTS)):
        low, high = 2, FARTHEST
        while low < high:  # buckets fall with the distance that they share
            middle = (low + high) // 2
            if (counts * (_buckets(distances, (buckets, middle, both))[0] - got)).sum() > 0:
                low = middle + 1
            else:
                high = middle
        for reach in (low, low - 1, low + 1):
            least, largest = _buckets(distances, (buckets, reach, both))
            if buckets > 3 and ((least <= got) & (got <= largest)).all():
                return f"num_buckets={buckets} and max_distance={reach}"
    return ""


def _edges(known, rows, asked):
    """Words for the rows of distances that are those of others."""
    pairs = known.tolist(), rows.tolist(), asked.tolist()
    if _are_of(*pairs, lambda one: -one):
        return "query - key in place of key - query (reversed)", "key - query"
    for factor in (2, 3, 4):
        if _are_of(*pairs, lambda one, factor=factor: factor * one):
            return f"distances times {factor}", "the distances"
    for divisor in (2, 3, 4):
        if _are_of(*pairs, lambda one, divisor=divisor: one // divisor):
            return f"distances divided by {divisor} and rounded down", "the distances"
    for shift in (1, -1, 2, -2, 3, -3):
        if _are_of(*pairs, lambda one, shift=shift: one + shift):
            return f"distances {shift:+d}", "the distances"
    most = int(rows.max())
    if most < asked.max() and (np.minimum(asked, most) == rows).all():
        return f"rows of at most {most}", "the rows themselves"
    return None


def _are_of(distances, rows, asked, other):
    """Whether the row of each distance is that asked for another distance, as far as that one is known; of the rows
    that are off two at least, and half of them, are known so."""
    rows_at, known, off = dict(zip(distances, asked)), 0, 0
    for distance, row, wanted in zip(distances, rows, asked):
        there = rows_at.get(other(distance))
        if there is not None and there != row:
            return False
        off += row != wanted
        known += row != wanted and there is not None
    return known >= 2 and 2 * known >= off


# -- windows ----------------------------------------------------------------------------------------------------------


def _of_window(call, got, wanted):
    """Words for the rows of a window; None where they are no function of the offset of two cells."""
    shift = _shift(got, wanted)
    if shift is not None:
        return shift
    count = int(wanted.max()) + 1
    if len(np.unique((got - wanted) % count)) == 1:
        by = int((got - wanted).flat[0]) % count
        by = by - count if 2 * by > count else by
        return f"each row {by:+d} modulo {count} (the table rolled, rows shifted by {-by})", "the rows themselves"
    sizes = (call.arguments["height"], call.arguments["width"], 1, 0)
    for (height, width), cells in ((sizes[:2], "row by row"), (sizes[1::-1], "row by row")):
        told = _formula(got, height, width, cells)
        if told is not None:
            break
        order = np.arange(height * width, dtype=np.int64).reshape(width, height).T.reshape(-1)
        told = _formula(got[np.ix_(order, order)], height, width, "column by column (transposed)")
        if told is not None:
            break
    if told is None:
        return None
    return f"row = {told}", f"row = {_formula(wanted, *sizes[:2], 'row by row') or 'that of window_rows'}"


def _formula(rows, height, width, cells):
    """The row as a sum of multiples of dy and dx in cells of a window, in words; None where it is none."""
    if rows.shape != (height * width, height * width) or min(height, width) < 2:
        return None
    y, x = np.divmod(np.arange(height * width, dtype=np.int64), width)
    dy, dx = y[:, None] - y, x[:, None] - x
    centre = int(rows[0, 0])
    for text, (one, other) in {
        "query - key": (dy, dx), "|query - key|": (abs(dy), abs(dx)),
        "|query - key| down, query - key across": (abs(dy), dx),
        "query - key down, |query - key| across": (dy, abs(dx)),
    }.items():  # fmt: skip
        a, b = int(rows[width, 0]) - centre, int(rows[1, 0]) - centre
        line, most = a * one + b * other + centre, int(rows.max())
        if (rows == np.minimum(line, most)).all():
            ends = f", at most row {most}" if line.max() > most else ""
            where = f"{text}{ends}, in {height} x {width} cells {cells}"
            return f"{offset_rows.formula(a, b, centre)}, {where}{_said(a, b, (height, width))}"
    return None


def _said(a, b, sizes):
    """What the factors of dy and dx are beside the usual ones."""
    height, width = sizes
    told = {"width": 2 * width - 1, "height": 2 * height - 1}
    names = []
    if (a, b) == (1, told["height"]):
        names.append("axes exchanged")
    elif abs(a) == told["height"] != told["width"]:
        names.append("stride 2 height - 1 in place of 2 width - 1")
    elif abs(a) == abs(b) == 1:
        names.append("the sum of both offsets, not multiplied")
    elif abs(a) not in (told["width"], 1):
        names.append(f"stride {abs(a)} in place of {told['width']}")
    if a < 0 < b:
        names.append("rows upside down, dy with the other sign")
    if b < 0 < a:
        names.append("columns mirrored, dx with the other sign")
    return f" ({', '.join(names)})" if names else ""
