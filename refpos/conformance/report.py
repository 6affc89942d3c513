"""What a comparison says: counts, the worst elements, and which class is met."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


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
    """The result of `compare`; true when the required class is met."""

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
    worst: Worst | None
    worst_abs: Worst | None
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
        return _as_json({**asdict(self), **worst, "classes": classes, **derived})

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
        state = f"meets {self.met}" if self.met else self._nearest()
        share = f"{self.different} of {self.count} elements of {self.dtype} off ({100 * self.fraction_off:.3g}%)"
        return f"{share}; {state}"

    def _nearest(self):
        """That no class is met, and by how much the class that is nearest is missed."""
        name, verdict = min(self.classes.items(), key=lambda item: item[1].ratio)
        if not 1 < verdict.ratio < math.inf:  # not one number, or a bound that bounds nothing
            return "meets no class"
        return f"meets no class; nearest is {name}, whose bound is exceeded {verdict.ratio:.3g} times"

    def _dtypes(self):
        ties = f"; {self.ties} halfway between two values, of which the nearer counts" if self.ties else ""
        which = "expected" if self.dtype == self.actual_dtype else "actual"
        kinds = f"actual is {self.actual_dtype}, expected is {self.expected_dtype}"
        return f"{kinds}: {which} rounded once to {self.dtype}{ties}"


def _describe(worst):
    return (
        f"at {worst.index}: {worst.actual} (0x{worst.actual_bits}) for {worst.expected} (0x{worst.expected_bits}),"
        f" {worst.ulp} ulp, {worst.abs_error:.3g}"
    )


def _as_json(value):
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_as_json(item) for item in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value
