"""The judgement of one comparison: nothing where the class is met, and otherwise an AssertionError that says why."""

from __future__ import annotations

from typing import Any

from .. import checks
from ..conformance import CLASSES
from ..diagnosis import explaining, judge
from ..diagnosis.call import Call
from ..diagnosis.trial import trial_of
from ..diagnosis.usable import unusable
from ..golden.run import call
from ..golden.verify import judged
from ..tensor_files import Tensor
from .arrays import by_output
from .handing import differs
from .met import Met
from .noticing import notice
from .untold import untold


def hold(
    subject: str,
    of: tuple[str, dict[str, Any], dict[str, Tensor]],
    outputs: dict[str, Tensor],
    actual: Any,
    at_least: str | None,
) -> Met:
    """The strictest class in which `actual` is the outputs of a call (function, its arguments, its tensors); `Untold`,
    which is false, where each class that they meet would admit wrong numbers as well."""
    __tracebackhide__ = True
    if at_least is not None:
        checks.choice("at_least", at_least, tuple(CLASSES))
    function, arguments, tensors = of
    meant = Call(function, {name: call(one) for name, one in arguments.items()}, tensors)
    trial = trial_of(meant, outputs, by_output(actual, outputs))
    for name, sentence in unusable(trial).items():
        differs(subject)
        raise AssertionError(f"{subject}/{name}: {sentence}")
    reports = judge.reports_of(*trial)
    finding = judged({"id": subject, "flags": ()}, reports, at_least)
    if finding.state == "untold":
        return untold(subject, finding.sentence, judge.admitted_by_all(reports), finding.silent[1])
    if finding.state != "met" or finding.met is None:
        differs(subject)
        first, *rest = str(finding).splitlines()
        raise AssertionError("\n".join([first, *_explained(finding, trial), *rest]))
    notice(subject, finding.met, finding.classes, silent=finding.silent)
    return Met(finding.met, *finding.silent)


def _explained(finding, trial):
    """Lines on the wrong calls whose numbers these are; none where a class is met, only not the one asked for."""
    if finding.classes:
        return [f"it meets {', '.join(finding.classes)}"]
    if trial.size > explaining.LARGEST:
        return [f"wrong calls are tried for up to {explaining.LARGEST} elements, and not for these {trial.size}"]
    found = explaining.explanations(trial)
    if not found:
        return [
            "wrong calls were tried, and compared on every element: none gives these numbers, and nothing was measured"
        ]
    return [f"your numbers are {one.told.replace('the numbers', 'those', 1)}" for one in found]
