"""Comparison of two tensors, bit by bit: how many units in the last place apart, where, and which class that meets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Optional

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..errors import InputError, InputTypeError, shown
from ..tensor_files import Tensor, tensor
from ..types import ArrayLike, ClassName, DType
from . import CLASSES

CHUNK = 1 << 18  # elements looked at together
BINS = ("0", "1", "2", "3-4", "5-16", "17-256", "257-65536", ">65536", "NaN")
EDGES = np.array([1, 2, 3, 5, 17, 257, 65537, 2**64 - 1], np.uint64)
APART = np.uint64(2**64 - 1)  # a NaN against a number; two numbers are never that far apart
MIDDLE = np.uint64(1 << 63)


class Worst(NamedTuple):
    """One element that is off: where, both values as shortest decimals and as big-endian hexadecimal bits."""

    index: tuple[int, ...]
    actual: str
    expected: str
    actual_bits: str
    expected_bits: str
    ulp: float
    abs_error: float


class Verdict(NamedTuple):
    """Whether a class is met, and the largest observed error as a share of what the class allows."""

    met: bool
    ratio: float


@dataclass(frozen=True)
class Report:
    """What `compare` found; true when the required class is met."""

    shape: tuple[int, ...]
    dtype: str
    actual_dtype: str
    expected_dtype: str
    count: int
    different: int
    zero_signs: int
    nan_mismatches: int
    ties: int
    max_ulp: float
    max_abs_error: float
    histogram: dict[str, int]
    worst: Optional[Worst]
    worst_abs: Optional[Worst]
    classes: dict[str, Verdict]
    required: str

    @property
    def fraction_off(self) -> float:
        """Share of the elements that differ."""
        return self.different / self.count if self.count else 0.0

    @property
    def met(self) -> str | None:
        """The first class met, strictest first; None when none is."""
        return next((name for name, verdict in self.classes.items() if verdict.met), None)

    def __bool__(self) -> bool:
        return self.classes[self.required].met

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values; infinity is the string "inf"."""
        classes = {name: verdict._asdict() for name, verdict in self.classes.items()}
        worst = {name: getattr(self, name) and getattr(self, name)._asdict() for name in ("worst", "worst_abs")}
        derived = {
            "equal": not self.different,
            "passed": bool(self),
            "fraction_off": self.fraction_off,
            "met": self.met,
        }
        return _plain({**asdict(self), **worst, "classes": classes, **derived})

    def __str__(self) -> str:
        lines = [self._verdict()]
        if self.actual_dtype != self.expected_dtype:
            lines.append(self._dtypes())
        if self.zero_signs:
            lines.append(f"sign of zero differs in {self.zero_signs} (counted as equal)")
        if self.different:
            lines.append(f"at most {self.max_ulp} ulp and {self.max_abs_error:.3g} off")
            lines.append("ulp off: " + ", ".join(f"{key}: {n}" for key, n in self.histogram.items() if n))
            lines.append("largest ulp distance " + _describe(self.worst))
            if self.worst_abs and self.worst_abs.index != self.worst.index:
                lines.append("largest absolute error " + _describe(self.worst_abs))
            judged = ", ".join(f"{name} {'met' if v.met else 'no'} ({v.ratio:.3g})" for name, v in self.classes.items())
            lines.append(f"classes (error / allowed): {judged}")
        return "\n".join(lines)

    def _verdict(self):
        if not self.count:
            return f"nothing to compare: no elements of {self.dtype} in either"
        if not self.different:
            return f"equal: all {self.count} elements of {self.dtype}"
        state = f"meets {self.met}" if self.met else "meets no class"
        share = f"{self.different} of {self.count} elements of {self.dtype} off ({100 * self.fraction_off:.3g}%)"
        return f"{share}; {state}"

    def _dtypes(self):
        ties = f"; {self.ties} halfway between two values, of which the nearer counts" if self.ties else ""
        which = "expected" if self.dtype == self.actual_dtype else "actual"
        kinds = f"actual is {self.actual_dtype}, expected is {self.expected_dtype}"
        return f"{kinds}: {which} rounded once to {self.dtype}{ties}"


def compare(
    actual: ArrayLike | Tensor,
    expected: ArrayLike | Tensor,
    *,
    bounds: Mapping[ClassName, ArrayLike] | None = None,
    dtype: DType | None = None,
    conformance: ClassName = "correct",
) -> Report:
    """How far actual is from expected, in units in the last place and absolutely, and which conformance class it meets.

    actual, expected: arrays (or `files.Tensor`) of one shape, both floating (any of the four formats), both integer, or
    both bool. bounds: {class name: array of that shape}, for one output of `conformance.bounds`; without it, `correct`
    and `faithful` are judged; where a bound is infinite or NaN only equality passes. dtype: the format to compare in;
    with "bfloat16" or "float16", uint16 arrays are taken as bit patterns of it. conformance: the class that must be met
    for the report to be true.

    ULP distance: the number of steps between neighbouring values of the format. +0 and -0 are 0 apart (and counted in
    `zero_signs`), NaN and NaN are 0 apart whatever their payload, NaN and a number infinitely far.
    Absolute error: the difference of the two values in float64, so the true one rounded once (exact where the two are
    within a factor of 2, by Sterbenz's lemma).

    Formats that differ are compared in the one whose values the other contains, after one rounding to nearest even.
    Where the wider value lies exactly halfway, it does not say to which side the number behind it would round, and the
    neighbour nearer to the other array's value counts (`ties`). Everywhere else the second rounding gives what a single
    one would have: halfway values are values of the wider format, so none lies between a number and its wider rounding.

    Raises E_SHAPE when the shapes differ, E_DTYPE when the dtypes cannot be compared (float16 with bfloat16, float with
    integer, complex), E_CHOICE for a class that is unknown or has no bounds here.

    Source: Sterbenz 1974, Floating-Point Computation, theorem 4.3.1.

    >>> report = compare(np.float32([1.0, 2.0000002]), np.float32([1.0, 2.0]))
    >>> bool(report), report.max_ulp, report.met
    (False, 1, 'faithful')
    """
    held = _as_tensor("actual", actual, dtype), _as_tensor("expected", expected, dtype)
    if held[0].values.shape != held[1].values.shape:
        shapes = held[1].values.shape, held[0].values.shape
        raise InputError("E_SHAPE", "actual", f"actual must have the shape {shapes[0]} of expected, got {shapes[1]}")
    fmt = _common(held[0].dtype, held[1].dtype, dtype)
    limits = _limits({} if bounds is None else bounds, held[0].values.shape, fmt)
    checks.choice("conformance", conformance, tuple(limits))
    tally = _Tally(fmt, held, limits)
    for start in range(0, held[0].values.size, CHUNK):
        tally.add(start)
    return tally.report(conformance)


def _as_tensor(name, array, dtype):
    try:
        held = tensor(array)
    except InputTypeError as error:
        raise InputTypeError("E_DTYPE", name, f"{name}: {error}") from None
    except Exception as error:  # whatever an object raises that is asked to be an array
        said = shown(str(error), 200)
        sentence = f"{name} must convert to a NumPy array, got an object that says: {said}"
        raise InputTypeError("E_DTYPE", name, sentence) from None
    if checks.masked(array):
        raise InputError("E_DTYPE", name, f"{name} must have no masked entries, got a masked array")
    sixteen = dtype is not None and formats.resolve(dtype).width == 16
    if sixteen and held.dtype == "uint16":
        kind = formats.resolve(dtype).name
        return Tensor(kind, held.values if kind == "bfloat16" else held.values.view(np.float16))
    return held


def _common(actual, expected, dtype):
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
    raise InputTypeError(
        "E_DTYPE", "actual", f"actual must be floating, integer or bool as expected is, got {received}"
    )


def _contains(wide, fmt):
    return wide.precision >= fmt.precision and wide.lowest <= fmt.lowest and wide.largest >= fmt.largest


def _limits(bounds, shape, fmt):
    """{class: array or number}, strictest first; absolute bounds only from the caller."""
    limits = {"correct": 0, "faithful": 1} if isinstance(fmt, formats.Format) else {"correct": 0}
    if not isinstance(bounds, dict):
        sentence = f"bounds must be a dict of arrays by class, got {type(bounds).__name__}"
        raise InputTypeError("E_CHOICE", "bounds", sentence)
    for name in bounds:
        if name not in CLASSES:
            sentence = f"bounds must name classes among {', '.join(CLASSES)}, got {shown(name)}"
            raise InputError("E_CHOICE", "bounds", sentence)
        if CLASSES[name].unit == "absolute":
            limit = checks.array("bounds", bounds[name])
            if limit.dtype.kind not in "iuf":
                raise InputTypeError("E_DTYPE", "bounds", f"bounds of {name} must be numbers, got {limit.dtype}")
            limit = limit.astype(np.float64)
            if limit.shape != shape:
                raise InputError("E_SHAPE", "bounds", f"bounds of {name} must have shape {shape}, got {limit.shape}")
            limits[name] = limit
    return {name: limits[name] for name in CLASSES if name in limits}


class _Tally:
    """Running counts over the chunks; a class because ten numbers are carried from chunk to chunk."""

    def __init__(self, fmt, held, limits):
        self.fmt, self.held, self.limits = fmt, held, limits
        self.different = self.zero_signs = self.nans = self.ties = 0
        self.bins = np.zeros(len(BINS), np.int64)
        self.max_abs = 0.0
        self.top_ulp, self.top_abs = (0, None), (0.0, None)
        self.met = dict.fromkeys(limits, True)
        self.ratio = dict.fromkeys(limits, 0.0)

    def add(self, start):
        a, e, distance, ties = self._pair(start)
        error = _abs_error(a, e, distance, self.fmt)
        off = distance != 0
        self.different += int(off.sum())
        self.ties += ties
        self.nans += int((distance == APART).sum())
        if isinstance(self.fmt, formats.Format):
            self.zero_signs += int(((a != e) & ((a | e) << 1 & _mask(self.fmt) == 0)).sum())
        self.bins += np.bincount(np.searchsorted(EDGES, distance, side="right"), minlength=len(BINS))
        for top, values in (("top_ulp", distance), ("top_abs", error)):
            at = int(values.argmax())
            if values[at] > getattr(self, top)[0]:
                setattr(self, top, (values[at].item(), self._worst(start + at, a[at], e[at], distance[at], error[at])))
        for name in self.limits:
            self._judge(name, start, distance, error)

    def _pair(self, start):
        """(patterns of actual, of expected, distance, number of ties) for one chunk, in the common format."""
        stop = start + CHUNK
        parts = [flat(t.values, start, stop) for t in self.held]
        if not isinstance(self.fmt, formats.Format):
            a, e = (_integer_key(part) for part in parts)
            return a, e, np.minimum(np.maximum(a, e) - np.minimum(a, e), APART - np.uint64(1)), 0
        near, other = zip(*(_patterns(p, formats.FORMATS[t.dtype], self.fmt) for p, t in zip(parts, self.held)))
        best, distance = list(near), _distance(*near, self.fmt)
        ties = sum(int((o != n).sum()) for n, o in zip(near, other))
        if ties:
            # at most one side is rounded unless dtype= asks for a format narrower than both
            for pair in ((other[0], near[1]), (near[0], other[1]), other):
                again = _distance(*pair, self.fmt)
                nearer = again < distance
                distance = np.where(nearer, again, distance)
                best = [np.where(nearer, new, old) for new, old in zip(pair, best)]
        return best[0], best[1], distance, ties

    def _judge(self, name, start, distance, error):
        limit, observed = self.limits[name], error
        if CLASSES[name].unit == "ulp":
            observed = np.where(distance == APART, np.inf, distance.astype(np.float64))
        else:
            # a bound that is no number bounds nothing: only equality passes
            limit = np.nan_to_num(flat(limit, start, start + CHUNK), nan=0.0, posinf=0.0)
        self.met[name] &= bool((observed <= limit).all()) and not (distance == APART).any()
        wrong = observed > 0
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            share = np.where(wrong, observed / np.where(wrong, limit, 1.0), 0.0)
        self.ratio[name] = max(self.ratio[name], float(np.nan_to_num(share, nan=np.inf, posinf=np.inf).max()))

    def _worst(self, flat_index, a, e, distance, error):
        values = self.held[0].values
        index = tuple(int(i) for i in np.unravel_index(flat_index, values.shape))
        ulp = math.inf if distance == APART else int(distance)
        if isinstance(self.fmt, formats.Format):
            shown = [(_decimal(p, self.fmt), f"{int(p):0{self.fmt.width // 4}x}") for p in (a, e)]
        else:
            shown = [_shown_integer(t.values[index]) for t in self.held]
        return Worst(index, shown[0][0], shown[1][0], shown[0][1], shown[1][1], ulp, float(error))

    def report(self, required):
        exact = isinstance(self.fmt, formats.Format)
        actual, expected = (t.dtype for t in self.held)
        name = self.fmt.name if exact else (expected if self.fmt == "integer" else self.fmt)
        ulp, worst = self.top_ulp
        size = self.held[0].values.size
        return Report(
            shape=self.held[0].values.shape,
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
            classes={name: Verdict(self.met[name], self.ratio[name]) for name in self.limits},
            required=required,
        )


def flat(array, start, stop):
    """Elements start .. stop of the array in C order, without copying the rest."""
    if array.flags.c_contiguous:
        return array.reshape(-1)[start:stop]
    return array.flat[start:stop]


def _patterns(values, held, fmt):
    """Bit patterns in fmt: of the rounding to nearest even, and, of values exactly halfway, of the other neighbour."""
    if held == fmt:
        patterns = formats.bits(values)
        return patterns, patterns
    wide = rounding.widen(values if held.width != 16 else formats.bits(values), held)
    with np.errstate(over="ignore", invalid="ignore"):
        near = formats.bits(rounding.narrow(wide, fmt))
        rounded = _measure(near, fmt)
        one = near.dtype.type(1)
        other = np.where(np.abs(wide) > np.abs(rounded), near + one, near - one)
        halfway = (wide != rounded) & (np.abs(wide - rounded) == np.abs(wide - _measure(other, fmt)))
    return near, np.where(halfway & np.isfinite(wide), other, near)


def _measure(patterns, fmt):
    """The values as float64, with infinity where the next step after the largest number would lie."""
    values = rounding.widen(patterns.view(fmt.storage), fmt)
    return np.where(np.isinf(values), np.copysign(2.0 ** (fmt.largest + 1), values), values)


def _mask(fmt):
    return (1 << fmt.width) - 1


def _distance(a, e, fmt):
    """Steps between values of the format, as uint64; APART where one of the two is NaN."""
    (key_a, nan_a), (key_e, nan_e) = _key(a, fmt), _key(e, fmt)
    distance = np.maximum(key_a, key_e) - np.minimum(key_a, key_e)
    return np.where(nan_a & nan_e, np.uint64(0), np.where(nan_a | nan_e, APART, distance))


def _key(patterns, fmt):
    """Integers in the order of the values, both zeros on one; and which are NaN."""
    wide = patterns.astype(np.uint64)
    magnitude = wide & np.uint64(_mask(fmt) >> 1)
    infinity = (1 << fmt.width - 1) - (1 << fmt.precision - 1)
    negative = wide >> np.uint64(fmt.width - 1) != 0
    return np.where(negative, MIDDLE - magnitude, MIDDLE + magnitude), magnitude > np.uint64(infinity)


def _integer_key(values):
    if values.dtype == np.uint64:
        if values.size and values.max() >= MIDDLE:
            raise InputTypeError("E_DTYPE", "actual", f"integers must fit in int64, got {values.max()}")
        return values + MIDDLE
    return values.astype(np.int64).view(np.uint64) + MIDDLE


def _abs_error(a, e, distance, fmt):
    if not isinstance(fmt, formats.Format):
        return distance.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(rounding.widen(a.view(fmt.storage), fmt) - rounding.widen(e.view(fmt.storage), fmt))
    return np.where(distance == 0, 0.0, np.where(distance == APART, np.inf, error))


def _decimal(pattern, fmt):
    """The decimal of fewest digits that reads back as the pattern."""
    stored = np.array([pattern], f"u{fmt.width // 8}").view(fmt.storage)
    value = float(rounding.widen(stored, fmt)[0])
    if not math.isfinite(value):
        return repr(value)
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        with np.errstate(over="ignore"):
            again = formats.bits(rounding.narrow(np.array([float(text)]), fmt))[0]
        if again == pattern:
            break
    return repr(float(text))


def _shown_integer(value):
    width = value.dtype.itemsize
    return str(value), f"{int(value) & (1 << 8 * width) - 1:0{2 * width}x}"


def _describe(worst):
    return (
        f"at {worst.index}: {worst.actual} (0x{worst.actual_bits}) for {worst.expected} (0x{worst.expected_bits}),"
        f" {worst.ulp} ulp, {worst.abs_error:.3g}"
    )


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value
