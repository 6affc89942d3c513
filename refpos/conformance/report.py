"""What a comparison says: counts, the worst elements, and which class is met."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ..guard import guarded
from .classes import PIPELINES


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
    """Whether a class is met, and the largest observed error as a share of what the class allows.

    resolved: of how many elements the bounds of a class that is met say something, 0 where they would admit a wrong
    tensor as well; None where the class is not met, and where the numbers are correct.
    """

    met: bool
    ratio: float
    resolved: int | None = None


@guarded
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
    def told(self) -> tuple[str, ...]:
        """The classes that are met, strictest first, from the first on whose bounds exclude wrong tensors; those after
        it are weaker."""
        met = [name for name, verdict in self.classes.items() if verdict.met]
        while met and met[0] != "correct" and not self.classes[met[0]].resolved:
            del met[0]
        return tuple(met)

    @property
    def met(self) -> str | None:
        """The first class that is met and excludes wrong tensors, strictest first; None when there is none."""
        return self.told[0] if self.told else None

    @property
    def untold(self) -> str | None:
        """The first class met, where each class that is met would admit a wrong tensor too; else None."""
        return None if self.told else next((name for name, verdict in self.classes.items() if verdict.met), None)

    @property
    def silent(self) -> int:
        """Of how many elements the bounds of `met` say nothing."""
        kind = self.met or self.untold
        return 0 if kind in (None, "correct") else self.count - (self.classes[kind].resolved or 0)

    def __bool__(self) -> bool:
        return self.required in self.told

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values; infinity is the string "inf"."""
        classes = {name: verdict._asdict() for name, verdict in self.classes.items()}
        worst = {name: getattr(self, name) and getattr(self, name)._asdict() for name in ("worst", "worst_abs")}
        derived = {
            "equal": not self.different,
            "passed": bool(self),
            "fraction_off": self.fraction_off,
            "met": self.met,
            "untold": self.untold,
            "silent": self.silent,
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
            faithful = self.classes.get("faithful")
            if faithful is not None and faithful.ratio == math.inf and not self.nan_mismatches:
                lines.append("an infinity stands in place of another number, which no class allows")
            lines.append("ulp off: " + ", ".join(f"{key}: {n}" for key, n in self.histogram.items() if n))
            lines.append("largest ulp distance " + _describe(self.worst))
            if self.worst_abs and self.worst_abs.index != self.worst.index:
                lines.append("largest absolute error " + _describe(self.worst_abs))
            judged = ", ".join(f"{name} {_word(name, v)} ({v.ratio:.3g})" for name, v in self.classes.items())
            lines.append(f"classes (error / allowed): {judged}")
        return "\n".join(lines)

    def _verdict(self):
        if not self.count:
            return f"nothing to compare: no elements of {self.dtype} in either"
        if not self.different:
            return f"equal: all {self.count} elements of {self.dtype}"
        state = self._nearest()
        if self.met:
            state = f"meets {self.met}{says_nothing(self.silent, self.count)}"
        elif self.untold:
            state = f"cannot be told: it meets {self.untold}, {EXCLUDES_NOTHING}"
        share = f"{self.different} of {self.count} elements of {self.dtype} off ({100 * self.fraction_off:.3g}%)"
        return f"{share}; {state}"

    def _nearest(self):
        """That no class is met, and by how much the class that is nearest is missed."""
        unearned = next((name for name, one in self.classes.items() if _word(name, one) == UNEARNED), None)
        if unearned:
            return f"meets no class: {unearned} allows errors of this size, but few are as large as those of 16 bits"
        name, verdict = min(self.classes.items(), key=lambda item: item[1].ratio)
        if not 1 < verdict.ratio < math.inf:  # not one number, or a bound that bounds nothing
            return "meets no class"
        return f"meets no class; nearest is {name}, whose bound is exceeded {verdict.ratio:.3g} times"

    def _dtypes(self):
        ties = f"; {self.ties} halfway between two values, of which the nearer counts" if self.ties else ""
        which = "expected" if self.dtype == self.actual_dtype else "actual"
        kinds = f"actual is {self.actual_dtype}, expected is {self.expected_dtype}"
        return f"{kinds}: {which} rounded once to {self.dtype}{ties}"


UNEARNED = "not earned"
#: of a class whose bounds would admit a wrong tensor as well
EXCLUDES_NOTHING = "whose bounds would admit wrong numbers as well"


def says_nothing(silent, count):
    """Of how many elements bounds say nothing, in brackets; nothing where they say something of all."""
    return f" ({_counted(silent, count)})" if silent else ""


def _word(name, verdict):
    """Whether a class is met, or, of a table of 16 bits whose bound all are within, the errors are of another kind."""
    if verdict.met:
        return "met"
    of_table = name in PIPELINES and PIPELINES[name].table is not None
    return UNEARNED if of_table and verdict.ratio <= 1 else "no"


def _counted(silent, count):
    return f"says nothing of {silent} of {count} elements"


def in_all(counts, what):
    """One sentence on what passes by a class that says nothing of some elements; nothing where counts are empty.

    counts: of each, (of how many elements nothing is said, how many there are). what: a noun, as "case".
    """
    if not counts:
        return ""
    silent, elements = (sum(held) for held in zip(*counts))
    passes = f"{what} passes" if len(counts) == 1 else f"{what}s pass"
    return f"{len(counts)} {passes} by a class that {_counted(silent, elements)}"


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
