"""Comparison of two tensors, bit by bit: how many units in the last place apart, where, and which class that meets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..errors import InputError, InputTypeError, shown
from ..foreign import is_float8
from ..tensor_files import Tensor, answer
from ..tensor_files.tensors import PATTERN_INTEGERS, patterns_of
from ..types import ArrayLike, ClassName, DType
from . import earned, power
from .classes import CLASSES
from .distances import (
    APART,
    absolute_error,
    all_bits,
    is_infinite,
    ordered_integers,
    patterns_in,
    shortest_decimal,
    shown_integer,
    steps_between,
)
from .report import Report, Verdict, Worst

CHUNK = 1 << 14  # elements compared together, of which temporary arrays are not mapped anew each time
BINS = ("0", "1", "2", "3-4", "5-16", "17-256", "257-65536", ">65536", "NaN")
EDGES = np.array([1, 2, 3, 5, 17, 257, 65537, 2**64 - 1], np.uint64)


def compare(
    actual: ArrayLike | Tensor,
    expected: ArrayLike | Tensor,
    *,
    bounds: Mapping[ClassName, ArrayLike] | None = None,
    dtype: DType | None = None,
    conformance: ClassName = "correct",
) -> Report:
    """How far actual is from expected, in units in the last place and absolutely, and which conformance class it meets.

    Parameters
    ----------
    actual, expected : array_like
        Arrays (or `tensor_files.Tensor`) of one shape, both floating (any of the four formats), both integer, or both
        bool.
    bounds : dict of array_like, optional
        {class name: array of that shape}, for one output of `conformance.bounds`; without it, `correct` and `faithful`
        are judged; where a bound is infinite or NaN only equality passes. A class whose bounds would admit a wrong
        tensor as well cannot be told, and does not count as met.
    dtype : str or dtype, optional
        Format to compare in; with "bfloat16" or "float16", uint16 arrays are taken as bit patterns of it.
    conformance : str, default 'correct'
        Class that must be met for the report to be true.

    Returns
    -------
    Report
        The differences, and the classes that are met.

    Raises
    ------
    InputError
        E_SHAPE when the shapes differ, E_DTYPE when the dtypes cannot be compared (float16 with bfloat16, float with
        integer, complex), E_CHOICE for a class that is unknown or has no bounds here.

    Notes
    -----
    ULP distance: the number of steps between neighbouring values of the format. +0 and -0 are 0 apart (and counted in
    `zero_signs`), NaN and NaN are 0 apart whatever their payload, NaN and a number infinitely far. Infinity is 1 from
    the largest finite number, but an overflow is no last place: `faithful` allows neither in place of the other.
    Absolute error: the difference of the two values in float64, so the true one rounded once (exact where the two are
    within a factor of 2, by Sterbenz's lemma).

    Formats that differ are compared in the one whose values the other contains, after one rounding to nearest even.
    Where the wider value lies exactly halfway, it does not say to which side the number behind it would round, and the
    neighbour nearer to the other array's value counts (`ties`). Everywhere else the second rounding gives what a single
    one would have: halfway values are values of the wider format, so none lies between a number and its wider rounding.

    References
    ----------
    Sterbenz 1974, Floating-Point Computation, theorem 4.3.1.

    Examples
    --------
    >>> report = compare(np.float32([1.0, 2.0000002]), np.float32([1.0, 2.0]))
    >>> bool(report), report.max_ulp, report.met
    (False, 1, 'faithful')
    """
    tally = tally_of(actual, expected, dtype)
    limits = limits_of({} if bounds is None else bounds, tally.fmt, tally.shape)
    _check_class(conformance, limits)
    tally.add(..., limits)
    return tally.report(lambda: [(..., limits)], conformance)


def tally_of(actual, expected, dtype=None):
    """The `Tally` of two tensors of one shape that `compare` takes."""
    pair = _pair_of(actual, expected, dtype)
    shape, wanted = (tensor.values.shape for tensor in pair)
    if shape != wanted:
        hint = f", of as many elements: .reshape{wanted}" if math.prod(shape) == math.prod(wanted) else ""
        raise InputError("E_SHAPE", "actual", f"actual must have the shape {wanted} of expected, got {shape}{hint}")
    return Tally(_common_format(pair[0].dtype, pair[1].dtype, dtype), pair)


def element_errors(actual, expected, *, dtype=None):
    """(units in the last place apart, absolute error) of every element in C order, as `compare` takes them; NaN against
    a number is infinitely far."""
    pair = _pair_of(actual, expected, dtype)
    tally = Tally(_common_format(pair[0].dtype, pair[1].dtype, dtype), pair)
    found = np.empty(pair[0].values.size), np.empty(pair[0].values.size)
    for start in range(0, pair[0].values.size, CHUNK):
        for whole, part in zip(found, tally.errors(start)):
            whole[start : start + CHUNK] = part
    return found


def _check_class(conformance, limits):
    if isinstance(conformance, str) and conformance in CLASSES and conformance not in limits:
        judged = ", ".join(map(repr, limits))
        sentence = f"conformance must be one of {judged}, got {conformance!r}, which bounds= is needed to judge"
        raise InputError("E_CHOICE", "conformance", sentence)
    checks.choice("conformance", conformance, tuple(limits))


def _pair_of(actual, expected, dtype):
    """Both arguments of `compare` as Tensors."""
    kinds = [str(getattr(one, "dtype", "")).rpartition(".")[2] for one in (actual, expected)]
    if all(map(is_float8, kinds)) and kinds[0] != kinds[1]:
        received = f"actual {kinds[0]} and expected {kinds[1]}"
        raise InputTypeError("E_DTYPE", "actual", f"one format must contain the other's values, got {received}")
    pair = as_tensor("actual", actual, dtype), as_tensor("expected", expected, dtype)
    if pair[1].dtype in PATTERN_INTEGERS:  # of 8-bit floats the bit patterns are compared
        return as_tensor("actual", actual, dtype, pair[1].dtype), pair[1]
    return pair


def as_tensor(name, array, dtype, like=None):
    """An argument of `compare` as a Tensor, uint16 as bit patterns where dtype= says so; like: the dtype that it is
    compared with."""
    converted = patterns_of(answer(array, name, like))
    fmt = None if dtype is None else formats.resolve(dtype)
    if fmt and fmt.width == 16 and converted.dtype == "uint16":
        return Tensor(fmt.name, converted.values if fmt.name == "bfloat16" else converted.values.view(np.float16))
    return converted


def _common_format(actual, expected, dtype):
    """The Format to compare in, or "integer" or "bool"."""
    wanted = formats.resolve(dtype) if dtype is not None else None
    if actual in formats.FORMATS and expected in formats.FORMATS:
        ends = [formats.FORMATS[actual], formats.FORMATS[expected]]
        fmt = wanted or min(ends, key=lambda fmt: (fmt.precision, -fmt.lowest))
        if all(_contains(end, fmt) for end in ends):
            return fmt
        received = f"actual {actual} and expected {expected}" + (f" with dtype {fmt.name}" if wanted else "")
        raise InputTypeError("E_DTYPE", "actual", f"one format must contain the other's values, got {received}")
    if wanted is None and actual == expected == "bool":
        return "bool"
    if wanted is None and all("int" in name for name in (actual, expected)):
        return "integer"
    received = f"{actual} for {expected}" + (f" with dtype {wanted.name}" if wanted else "")
    if actual in formats.FORMATS and "int" in expected and wanted is None:
        received += ": .astype(int) makes integers of them"
    raise InputTypeError(
        "E_DTYPE", "actual", f"actual must be floating, integer or bool as expected is, got {received}"
    )


def _contains(wide, fmt):
    return wide.precision >= fmt.precision and wide.lowest <= fmt.lowest and wide.largest >= fmt.largest


def limits_of(bounds, fmt, shape):
    """{class: array or number}, strictest first; absolute bounds only from the caller."""
    limits = {"correct": 0, "faithful": 1} if isinstance(fmt, formats.Format) else {"correct": 0}
    if not isinstance(bounds, Mapping):
        sentence = f"bounds must be a dict of arrays by class, got {type(bounds).__name__}"
        raise InputTypeError("E_CHOICE", "bounds", sentence)
    for name in bounds:
        if name not in CLASSES:
            sentence = f"bounds must name classes among {', '.join(CLASSES)}, got {shown(name)}"
            raise InputError("E_CHOICE", "bounds", sentence)
        if CLASSES[name].unit == "absolute":
            limit = checks.widened("bounds", bounds[name])
            if limit.dtype.kind not in "iuf":
                raise InputTypeError("E_DTYPE", "bounds", f"bounds of {name} must be numbers, got {limit.dtype}")
            limit = limit.astype(np.float64, copy=False)
            if limit.shape != shape:
                raise InputError("E_SHAPE", "bounds", f"bounds of {name} must have shape {shape}, got {limit.shape}")
            limits[name] = limit
    return {name: limits[name] for name in CLASSES if name in limits}


class Tally:
    """Running counts over the parts of two tensors; a class because ten numbers are carried from part to part."""

    def __init__(self, fmt, tensors):
        self.fmt, self.tensors, self.shape = fmt, tensors, tensors[0].values.shape
        self.different = self.zero_signs = self.nans = self.ties = 0
        self.bins = np.zeros(len(BINS), np.int64)
        self.top_ulp, self.top_abs = (0, None), (0.0, None)
        self.met, self.ratio, self.most, self.strict, self.far = {}, {}, {}, {}, {}

    def add(self, index, limits):
        """Count the elements of a part, an index of both tensors, by its {class: array or number}."""
        if not self.met:
            self.met, self.ratio, self.most = dict.fromkeys(limits, True), *(dict.fromkeys(limits, 0.0) for _ in "ab")
            self.strict = {name: earned.stricter(name, limits) for name in limits}
            self.far = {name: np.zeros(2, np.int64) for name, strict in self.strict.items() if strict}
        part = _Part(index, [one.values[index] for one in self.tensors], limits)
        for start in range(0, part.values[0].size, CHUNK):
            self._add(part, start)

    def _add(self, part, start):
        if self._is_same(part, start):
            self.bins[0] += min(CHUNK, part.values[0].size - start)
            return
        a, e, distance, ties = self._pair(part.values, start)
        error = absolute_error(a, e, distance, self.fmt)
        off = distance != 0
        self.different += int(off.sum())
        self.ties += ties
        self.nans += int((distance == APART).sum())
        if isinstance(self.fmt, formats.Format):
            self.zero_signs += int(((a != e) & ((a | e) << 1 & all_bits(self.fmt) == 0)).sum())
        self.bins += np.bincount(np.searchsorted(EDGES, distance, side="right"), minlength=len(BINS))
        for top, values in (("top_ulp", distance), ("top_abs", error)):
            at = int(values.argmax())
            place, (most, worst) = part.place(start + at), getattr(self, top)
            # of several that are as far the first one
            if values[at] > most or (worst is not None and values[at] == most and place < worst.index):
                worst = self._worst(place, a[at], e[at], distance[at], error[at])
                setattr(self, top, (values[at].item(), worst))
        beyond = (distance == APART) | (off & (is_infinite(a, self.fmt) != is_infinite(e, self.fmt)))
        for name in self.met:
            self._judge(name, part, start, distance, error, beyond)

    def _is_same(self, part, start):
        """Whether the bits of a chunk are the same in one format, so that nothing is off and no bound has to be looked
        at: neither of those that are numbers is below 0."""
        one, other = self.tensors
        known = not isinstance(self.fmt, formats.Format) or self.fmt.name == one.dtype
        if not known or one.dtype != other.dtype or not self.met.keys() <= {"correct", "faithful"}:
            return False
        a, e = (flat(values, start, start + CHUNK) for values in part.values)
        return a.dtype == e.dtype and a.tobytes() == e.tobytes()

    def errors(self, start):
        """(distance as float64, absolute error) of one chunk."""
        a, e, distance, _ = self._pair([one.values for one in self.tensors], start)
        return np.where(distance == APART, np.inf, distance.astype(np.float64)), absolute_error(
            a, e, distance, self.fmt
        )

    def _pair(self, arrays, start):
        """(patterns of actual, of expected, distance, number of ties) for one chunk, in the common format."""
        parts = [flat(values, start, start + CHUNK) for values in arrays]
        if not isinstance(self.fmt, formats.Format):
            a, e = (ordered_integers(part) for part in parts)
            return a, e, np.minimum(np.maximum(a, e) - np.minimum(a, e), APART - np.uint64(1)), 0
        nearest, other = zip(*(patterns_in(p, formats.FORMATS[t.dtype], self.fmt) for p, t in zip(parts, self.tensors)))
        best, distance = list(nearest), steps_between(*nearest, self.fmt)
        ties = sum(int((o != n).sum()) for n, o in zip(nearest, other))
        if ties:
            # at most one side is rounded unless dtype= asks for a format narrower than both
            for pair in ((other[0], nearest[1]), (nearest[0], other[1]), other):
                again = steps_between(*pair, self.fmt)
                closer = again < distance
                distance = np.where(closer, again, distance)
                best = [np.where(closer, new, old) for new, old in zip(pair, best)]
        return best[0], best[1], distance, ties

    def _judge(self, name, part, start, distance, error, beyond):
        """beyond: which elements no class allows, a NaN or an infinity in place of another number."""
        limit, observed = part.limits[name], error
        if CLASSES[name].unit == "ulp":
            observed = np.where(beyond, np.inf, distance.astype(np.float64))
            self.most[name] = limit
        else:
            # a bound that is not a number bounds nothing: only equality passes
            limit = np.nan_to_num(flat(limit, start, start + CHUNK), nan=0.0, posinf=0.0)
            self.most[name] = max(self.most[name], float(limit.max()))
            if name in self.far:
                strict = flat(part.limits[self.strict[name]], start, start + CHUNK)
                self.far[name] += earned.counted(observed, limit, np.nan_to_num(strict, nan=0.0, posinf=0.0))
        self.met[name] &= bool((observed <= limit).all()) and not beyond.any()
        wrong = observed > 0
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            share = np.where(wrong, observed / np.where(wrong, limit, 1.0), 0.0)
        self.ratio[name] = max(self.ratio[name], float(np.nan_to_num(share, nan=np.inf, posinf=np.inf).max()))

    def _worst(self, index, a, e, distance, error):
        ulp = math.inf if distance == APART else int(distance)
        if isinstance(self.fmt, formats.Format):
            texts = [(shortest_decimal(p, self.fmt), f"{int(p):0{self.fmt.width // 4}x}") for p in (a, e)]
        else:
            texts = [shown_integer(t.values[index]) for t in self.tensors]
        (actual, expected), bits = zip(*texts)
        return Worst(index, actual, expected, *bits, ulp, float(error))

    def report(self, parts, required="correct"):
        """The `Report` of what was counted; parts(): those that were added, (index, limits), where a bound may say
        nothing of some elements."""
        exact = isinstance(self.fmt, formats.Format)
        actual, expected = (t.dtype for t in self.tensors)
        name = self.fmt.name if exact else (expected if self.fmt == "integer" else self.fmt)
        ulp, worst = self.top_ulp
        size = self.tensors[0].values.size
        return Report(
            shape=self.shape,
            dtype=name,
            actual_dtype=actual,
            expected_dtype=expected,
            count=size,
            different=self.different,
            zero_signs=self.zero_signs,
            nan_mismatches=self.nans,
            ties=self.ties,
            max_ulp=math.inf if ulp == int(APART) else ulp,
            max_abs_error=self.top_abs[0],
            histogram={label: int(n) for label, n in zip(BINS, self.bins)},
            worst=worst,
            worst_abs=self.top_abs[1],
            classes=self._verdicts(parts),
            required=required,
        )

    def _verdicts(self, parts):
        """{class: Verdict}; of how many elements a bound says something is asked only where that decides."""
        met = {}
        for name in self.met:
            met[name] = self.met[name]
            if met[name] and name in self.far and not any(met[one] for one in met if one != name):
                met[name] = earned.is_earned(*self.far[name]) or earned.on_grid(name, self.tensors[0])
        expected, first = self.tensors[1], next((name for name in met if met[name]), None)
        told = {first: expected.values.size} if first == "correct" else {}
        if first not in (None, "correct"):
            told = self._resolved(parts, [name for name in met if met[name]])
        return {name: Verdict(met[name], self.ratio[name], told.get(name)) for name in met}

    def _resolved(self, parts, classes):
        """{class: of how many elements its bounds say something}."""
        expected = self.tensors[1]
        size, units = power.largest(expected), {name: CLASSES[name].unit for name in classes}
        told = dict.fromkeys(classes, expected.values.size)
        units = {
            name: unit for name, unit in units.items() if not power.are_small(self.most[name], unit, self.fmt, size)
        }
        return {**told, **power.resolved_in(expected, units, parts(), self.fmt, size)} if units else told


class _Part(NamedTuple):
    """An index of tensors, their values there, and the limits of each class."""

    index: Any
    values: list[Any]
    limits: dict[str, Any]

    def place(self, at):
        """The index in the tensors of an element in C order of the part."""
        local = map(int, np.unravel_index(at, self.values[0].shape))
        if self.index is ...:
            return tuple(local)
        starts = [one.start or 0 for one in self.index]
        return tuple(one + start for one, start in zip_longest(local, starts, fillvalue=0))


def flat(array, start, stop):
    """Elements start .. stop of the array in C order, without copying the rest."""
    if array.flags.c_contiguous:
        return array.reshape(-1)[start:stop]
    return array.flat[start:stop]
