"""What a diagnosis, and a comparison with a call, say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..conformance import CLASSES
from ..conformance.report import Report, says_nothing
from ..errors import InputTypeError
from ..guard import guarded
from .explanation import Explanation


@guarded
@dataclass(frozen=True)
class Diagnosis:
    """What `diagnose` found.

    It has no truth value, which would be false where something was found: ask `met`.

    Attributes
    ----------
    function : str
        The function that was meant.
    elements : int
        Number of elements that were compared.
    met : str or None
        The strictest class that all of them meet.
    explanations : tuple of Explanation
        The wrong calls whose numbers they are, each checked on every element, the likeliest first; where no call that
        was tried gives them, what was measured of them; empty where nothing could be measured.
    where : tuple of str
        Sentences on the rows and columns that are off; where no call gives the numbers, first how many elements of each
        output are off and in which part of it, and the largest error.
    untold : str
        Why it cannot be told whether something is wrong, or nothing: the bounds of the classes that are met would admit
        wrong tensors as well.
    silent : int
        Number of elements of which the bounds of `met` say nothing.
    held : str
        The format in which they are judged, where all of them lie on it and the dtype of their array is wider.
    """

    function: str
    elements: int
    met: str | None
    explanations: tuple[Explanation, ...]
    where: tuple[str, ...]
    untold: str = ""
    silent: int = 0
    held: str = ""

    @property
    def unexplained(self) -> bool:
        """Whether the numbers are wrong, no call that was tried gives them, and nothing could be measured."""
        return self.met is None and not self.explanations and not self.untold

    def __bool__(self) -> NoReturn:
        sentence = "a Diagnosis must be asked for .met (None where something is wrong) or .explanations, got bool()"
        raise InputTypeError("E_CHOICE", "diagnosis", sentence)

    def to_json(self) -> dict[str, Any]:
        """The diagnosis as plain JSON values."""
        return {
            "function": self.function,
            "elements": self.elements,
            "met": self.met,
            "untold": self.untold,
            "silent": self.silent,
            "held": self.held,
            "unexplained": self.unexplained,
            "explanations": [_plain(one) for one in self.explanations],
            "where": list(self.where),
        }

    def __str__(self) -> str:
        if self.met is not None:
            silent = says_nothing(self.silent, self.elements) + judged_as(self.held)
            return f"{self.function}: nothing is wrong, all {self.elements} elements meet {self.met}{silent}"
        if self.untold:
            return f"{self.function}: cannot be told: {self.untold}"
        if not self.explanations:
            unknown = "unexplained, these are the numbers of no call that was tried"
            lines = [f"{self.function}: {unknown}{judged_as(self.held)}"]
        else:
            lines = [f"{self.function}: your numbers are {_sentence(self.explanations[0], self.held)}"]
            lines += [f"  or {_sentence(one)}" for one in self.explanations[1:]]
        return "\n".join([*lines, *(f"  {sentence}" for sentence in self.where)])


def _plain(explanation):
    plain = explanation._asdict()
    return {name: "inf" if value == float("inf") else value for name, value in plain.items()}


def judged_as(held: str) -> str:
    """That numbers were judged in a format on which all of them lie; nothing without one."""
    return f", judged as {held}, on which all of them lie" if held else ""


def _sentence(one, held=""):
    after = "" if one.error_after is None else f", {one.error_after:.3g} after"
    judged = f"all {one.elements} elements, {one.met}" if one.met else "no call is verified"
    errors = f"largest error {one.error_before:.3g} before{after}{judged_as(held)}"
    text = f"{one.told.replace('the numbers', 'those', 1)} ({judged}; {errors})"
    return f"{text}\n  {one.call}" if one.call else text


@guarded
@dataclass(frozen=True)
class Comparison:
    """The result of `compare` with a call; true when every output meets the required class.

    Attributes
    ----------
    function : str
        The function of the call.
    reports : dict of Report
        {output: `Report`}.
    classes : tuple of str
        Those that all outputs meet, strictest first.
    required : str or None
        The class that was asked for; None where any class of the function is enough.
    diagnosis : Diagnosis or None
        What is wrong; None where a class is met.
    untold : str
        Why it cannot be told whether the numbers are right, or nothing: the bounds of the classes that they meet would
        admit wrong tensors as well.
    held : str
        The format in which they are judged, where all of them lie on it and the dtype of their array is wider.
    """

    function: str
    reports: dict[str, Report]
    classes: tuple[str, ...]
    required: str | None
    diagnosis: Diagnosis | None
    untold: str = ""
    held: str = ""

    @property
    def met(self) -> str | None:
        """The strictest class that all outputs meet; None when there is none."""
        return self.classes[0] if self.classes else None

    @property
    def report(self) -> Report:
        """The report of the output that is worst."""
        return max(self.reports.values(), key=lambda report: report.max_abs_error)

    @property
    def max_abs_error(self) -> float:
        """The largest absolute error of all outputs."""
        return self.report.max_abs_error

    @property
    def max_ulp(self) -> float:
        """The largest distance in units in the last place of all outputs."""
        return max(report.max_ulp for report in self.reports.values())

    @property
    def different(self) -> int:
        """How many elements differ."""
        return sum(report.different for report in self.reports.values())

    @property
    def count(self) -> int:
        """How many elements were compared."""
        return sum(report.count for report in self.reports.values())

    def __bool__(self) -> bool:
        if not self.count or not self.classes:
            return False
        if self.required is None or self.required in self.classes:
            return True
        order = list(CLASSES)
        strict = order.index(self.classes[0]) <= order.index("faithful")
        return strict and order.index(self.classes[0]) <= order.index(self.required)

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        return {
            "function": self.function,
            "passed": bool(self),
            "met": self.met,
            "classes": list(self.classes),
            "required": self.required,
            "untold": self.untold,
            "held": self.held,
            "reports": {name: report.to_json() for name, report in self.reports.items()},
            "diagnosis": None if self.diagnosis is None else self.diagnosis.to_json(),
        }

    def __str__(self) -> str:
        # what is wrong first, and then how far the numbers are off
        lines = [str(self.diagnosis)] if self.diagnosis is not None else []
        for name, report in self.reports.items():
            first, *rest = str(report).splitlines()
            held = judged_as(self.held) if self.diagnosis is None else ""
            lines += [f"{self.function} {name}: {first}{held}", *(f"  {line}" for line in rest)]
        if self.required is not None and not any(self.required in report.classes for report in self.reports.values()):
            lines.append(f"{self.function}: {self._without_required()}")
        return "\n".join(lines)

    def _without_required(self):
        """That the class asked for has no bounds here, and the classes that have."""
        report = self.report
        return f"{report.dtype} numbers have no class {self.required}, theirs are {', '.join(report.classes)}"
