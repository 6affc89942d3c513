"""Reading a rotation of x: its pairs, axes, frequencies and positions, and the call of `rope` that gives it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .grouped import ANY, groups_of, measured_only
from .held_format import are_equal
from .one_value import of_one_value
from .pairs import found_pairs, in_any_order
from .reading_result import Reading
from .solving import angles_of, is_usual, unit_of
from .subjects import Rotation, rotation_axes
from .unwrapping import common_step
from .whole import positions_in_call, reading_of, rest_of, with_call
from .wording import frequencies_call, runs

VECTORS = 256  # of channels, that are looked at to find the pairs
MOST_PAIRINGS = 8
LIKELY = 2  # the rank from which on another width may have more usual frequencies
NONE = float("inf"), True, 0.0
DEEPEST = 2  # readings of parts within parts
FEWEST_VECTORS = 8
MOST_ENTRIES = 128  # of an axis, such as heads, that are read one by one


def read_rotation(y, x, depth=0):
    """The `Reading` of y as a rotation of x, both `Held`, of one shape."""
    unit, constant = unit_of(y.format), of_one_value([y])
    pairings = found_pairs(*_few_vectors(x, y), unit)[:MOST_PAIRINGS]
    notes = tuple(dict.fromkeys(one.note for one in (x, y) if one.note))
    if constant is not None and (not y.tensor.values.any() or of_one_value([x]) is None):
        return constant
    if not pairings:
        return _unrotated(x, y, notes, depth)
    best, likelihood = None, NONE
    for pairs in pairings:
        subject = Rotation(x, y, pairs, *rotation_axes(x, y, pairs, unit))
        subject = _in_order(subject, unit) if pairs.free else subject
        # once there is a call, another pairing must have more usual frequencies
        groups, unsolved, angles = groups_of(subject, unit, ANY if likelihood[0] else likelihood[2])
        if best is None or _likelihood(subject, groups) < likelihood:
            best, likelihood = (subject, groups, unsolved, angles), _likelihood(subject, groups)
        if likelihood < (0, False, LIKELY):
            break
    return _reading(*best, notes, depth)


def _in_order(subject, unit):
    """Free pairs from fast to slow, with angles that grow."""
    found = common_step(angles_of(subject, 0, unit).z, unit)
    if found is None:
        return subject
    step, (first, second) = found[0], subject.pairs[:2]
    first, second = np.where(step < 0, second, first), np.where(step < 0, first, second)
    order = np.argsort(-np.abs(step), kind="stable")
    return subject._replace(pairs=in_any_order(first[order], second[order]))


def _likelihood(subject, groups):
    """What is lower the likelier a pairing is: rows outside of the bounds, whether the class is one of other programs,
    then how unusual pairs and frequencies are."""
    if not groups:
        return NONE
    found = groups[0].solutions.values()
    off = sum(int((~one.verdict.within).sum()) for one in found)
    unusual = not all(is_usual(one, unit_of(subject.y.format)) for one in found)
    return off, unusual, groups[0].rule.rank + (0 if subject.pairs.arguments else LIKELY)


def _few_vectors(x, y):
    """Vectors of channels of x and y as float64, (vectors, width), those that are finite and not all 0."""
    shape = y.shape[:-1]
    count = int(np.prod(shape, dtype=np.int64))
    chosen = np.unravel_index(np.linspace(0, count - 1, min(VECTORS, count)).astype(np.int64), shape)
    one, other = x.numbers(chosen), y.numbers(chosen)
    good = np.isfinite(one).all(axis=1) & np.isfinite(other).all(axis=1)
    return one[good], other[good]


def _unrotated(x, y, notes, depth):
    if are_equal(x, y):
        summary = f"a copy of x: none of {y.shape[-1]} channels is rotated"
        return Reading("copy", summary, y.format, elements=y.tensor.values.size, notes=notes)
    for axis in range(len(y.shape) - 2, -1, -1) if depth == 0 else ():
        vectors = y.tensor.values.size // (
            y.shape[axis] * y.shape[-1]
        )  # of an entry: pairs of one alone would be by chance
        parts = _entries(x, y, axis) if 1 < y.shape[axis] <= MOST_ENTRIES and vectors >= FEWEST_VECTORS else ()
        if len(parts) > 1 and any(part.call for _, part in parts):
            summary = f"no one rotation of x: along axis {axis} pairs of channels differ"
            return Reading("unknown", summary, y.format, parts=parts, notes=notes)
    summary = "no rotation of x: no pairs of channels keep their sum of squares, up to a factor"
    return Reading("unknown", summary, y.format, notes=notes)


def _entries(x, y, axis):
    """(where, reading) of the entries of an axis, such as heads; those that are read alike are together. None where
    neither the first, the middle nor the last one has pairs."""
    size, alike = y.shape[axis], {}

    def entry(at):
        index = (*[slice(None)] * axis, slice(at, at + 1))
        return [one._replace(tensor=one.at(index)) for one in (y, x)]

    if not any(found_pairs(*_few_vectors(*entry(at)[::-1]), unit_of(y.format)) for at in {0, size // 2, size - 1}):
        return ()
    for at in range(size):
        part = read_rotation(*entry(at), 1)
        alike.setdefault(str(part), (part, []))[1].append(at)
    return tuple(
        (_entry_text(y, axis, entries), replace(part, elements=part.elements * len(entries)))
        for part, entries in alike.values()
    )


def _entry_text(y, axis, entries):
    if len(y.shape) == 4 and axis == 1:
        return f"head{'s' if len(entries) > 1 else ''} {runs(entries)}"
    return f"axis {axis} at {runs(entries)}"


def _reading(subject, groups, unsolved, angles, notes, depth):
    pairs, width = subject.pairs, subject.y.shape[-1]
    rotated = 2 * len(pairs.first)
    what = f"rotation of {rotated} of {width} channels, {pairs.text}"
    told = tuple(
        tuple(zip(one.tolist(), other.tolist()))
        for one, other in ((pairs.first, pairs.second), (pairs.first_written, pairs.second_written))
    )
    if not groups:
        return reading_of("rotation", what, subject.y.format, told, angles, notes, *measured_only(angles))
    group = groups[0]
    if not subject.copies():
        notes = (*notes, "the channels that are in no pair are not those of x")
    reading = reading_of("rotation", what, subject.y.format, told, angles, notes, *rest_of(subject, group))
    return _with_call(subject, group, unsolved, groups[1:], reading, depth)


def _with_call(subject, group, unsolved, others, reading, depth):
    kept = with_call(subject, reading, group, _call(subject, group, reading))
    if depth >= DEEPEST:
        return kept
    return replace(kept, parts=tuple(_parts(subject, group, unsolved, others, depth)))


def _parts(subject, group, unsolved, others, depth):
    """(where, reading) of the regions and of the rows that are not those of the call."""
    for region in sorted([*unsolved, *(region for one in others for region in one.solutions)]):
        index = _index(subject, region, slice(None))
        part = read_rotation(*(one._replace(tensor=one.at(index)) for one in (subject.y, subject.x)), depth + 1)
        yield subject.place(region), part
    for region, solution in sorted(group.solutions.items()):
        off = np.flatnonzero(~solution.verdict.within)
        if 1 < len(off) < len(solution.positions):
            index = _index(subject, region, off)
            part = read_rotation(*(one._replace(tensor=one.at(index)) for one in (subject.y, subject.x)), depth + 1)
            if part.call is not None:
                where = f"rows {runs(off)}"
                yield (where if subject.shape[0] == 1 else f"{subject.place(region)}, {where}"), part


def _index(subject, region, rows):
    """The index of rows of one region; axes of length 1 stay."""
    index = [slice(None)] * len(subject.y.shape)
    for axis, at in zip(subject.others, np.unravel_index(region, [subject.y.shape[axis] for axis in subject.others])):
        index[axis] = slice(int(at), int(at) + 1)
    index[subject.sequence] = rows
    return tuple(index)


def _call(subject, group, reading):
    """The call of `rope`, as Python writes it."""
    pairs = subject.pairs
    arguments, taken = pairs.arguments, "x"
    if arguments is None:
        arguments, taken = {"pairing": "half"}, "x[..., found.channels]"
    elif pairs.first.min() > 0:
        taken = f"x[..., {int(pairs.first.min())}:]"
    words = [f"{name}={value!r}" for name, value in arguments.items()]
    recipe = group.rule.recipe
    if recipe["function"] == "inverse_frequencies":
        words.append(f"base={recipe['arguments']['base']!r}")
    else:
        words = [word for word in words if not word.startswith("rotary_dim=")]
        words.append(f"frequencies={frequencies_call(recipe)}")
    if group.backwards:
        words.append("inverse=True")
    axis = subject.sequence - len(subject.y.shape)
    if axis != -2:
        words.append(f"seq_axis={axis}")
    return f"refpos.rope({taken}, {positions_in_call(group, reading.positions)}, {', '.join(words)})"
