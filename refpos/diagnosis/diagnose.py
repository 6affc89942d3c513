"""Diagnosis and comparison in memory: the call that was meant says what is expected, its classes and what is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Union, overload

from .. import checks
from ..conformance import CLASSES
from ..conformance import compare as comparing
from ..conformance.report import Report
from ..errors import InputError
from ..guard import guarded
from ..measure.held_format import is_telling
from ..tensor_files import Tensor
from ..types import ArrayLike, ClassName, DType
from . import judge, shapes
from .bounds import bounds_of
from .eight_bits.eight_bit_mistakes import of_another_kind
from .eight_bits.eight_bit_results import of_8_bits
from .error_places import error_places, error_sizes
from .explaining import explanations, explanations_after
from .narrower import NOTHING, Done, in_own_formats, of_another_format
from .reading import names_dtype, read_answers, read_call, read_function
from .result import Comparison, Diagnosis
from .search import UNIT, error_of
from .trial import Trial, trial_of
from .usable import unusable

#: an array, the outputs of a function in their order, or some of them by name
Answers = Union[ArrayLike, Tensor, Sequence[Any], Mapping[str, Any]]
Function = Callable[..., Any]


@guarded
def diagnose(actual: Answers, function: Function, /, *given: Any, **named: Any) -> Diagnosis:
    """Say which wrong call gives somebody's numbers, by making wrong calls until one does.

    Parameters
    ----------
    actual : array_like, tuple or dict of array_like
        Numbers to be explained, in place of what the call function(*given, **named) of refpos gives: an array, a tuple
        of the outputs of a function that has several, or a dict of some of them by name; of NumPy, torch, jax, mlx,
        cupy or any library with DLPack or `__array__`, bfloat16 included.
    function : callable
        A function of the catalogue, such as refpos.rope, followed by its arguments.
    *given : arguments
        Its arguments, as it takes them; where they give no dtype, it is that of actual.
    **named : keywords
        Its arguments by keyword.

    Returns
    -------
    Diagnosis
        A `Diagnosis`: `met`, the strictest class that the numbers meet, None where something is wrong or `untold` says
        why that cannot be told; `explanations`, the likeliest first, with evidence; `unexplained`; `where`; str() is
        the report.

    Raises
    ------
    InputError
        E_CHOICE for a function that is not in the catalogue or arguments it does not have, E_MISSING, E_SHAPE and
        E_DTYPE for answers that cannot be compared, and what the function itself raises.

    Notes
    -----
    Where the numbers meet no class of the call, other calls are tried on a few rows, one mistake at a time and then
    two: every choice and flag with its other values, other positions, bases, frequencies and scalings, and what may
    have become of the result. What is claimed has been checked on every element by its error bounds.

    Where no such call has the numbers, they are measured as by `read`, and said beside what is asked for; the part that
    is off, found by the bounds of the call, is explained by itself. `met` of a measurement that no call verifies is
    empty.

    Answers in a narrower format than the call says are wrong, and named so; they are then judged in their own. A call
    that leaves its dtype to the answers is one in the format on which all of them lie, whatever the dtype of their
    array: `q.float()` of a bfloat16 tensor is judged as bfloat16, where x lies on bfloat16 too, and `held` says so.

    Examples
    --------
    >>> import numpy as np, refpos
    >>> x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
    >>> mine = refpos.rope(x, 8, pairing="interleaved")
    >>> found = diagnose(mine, refpos.rope, x, 8, pairing="half")
    >>> found.met, found.explanations[0].computed
    (None, "pairing='interleaved'")
    """
    return diagnosed(actual, function, given, named)[0]


def diagnosed(actual, function, given, named):
    """(`Diagnosis`, `Examined`) of answers to the call function(*given, **named)."""
    found = examined(actual, function, given, named)
    return _diagnosis(found), found


class Examined(NamedTuple):
    """Answers to a call, judged: what was done to those of another shape or format, or None; the largest error in the
    format that was asked for; {output: ({class: met}, Report)}; and the format in which they are judged, where it is
    narrower than that of their array."""

    trial: Trial
    done: Done | None
    before: float
    judged: dict[str, Any]
    held: str = ""

    @property
    def met(self):
        """The classes that all outputs meet, strictest first."""
        return judge.met_by_all(self.judged)

    @property
    def strictness(self):
        """The number of the strictest class that is met, from 0; how many there are where none is."""
        return list(CLASSES).index(self.met[0]) if self.met else len(CLASSES)

    @property
    def untold(self):
        """(class that is met, why that says nothing) where its bounds would admit wrong tensors too; else None."""
        return judge.untold(self.judged)

    @property
    def off(self):
        """The outputs that are wrong: they meet no class, or none together, or have another shape."""
        off = [name for name, (classes, _) in self.judged.items() if not any(classes.values())]
        return off or ([] if (self.met or self.untold) and self.done is None else list(self.judged))

    def maps(self):
        """{output: ErrorMap} of the outputs that are wrong."""
        trial = self.trial
        limits = bounds_of(*trial.call, trial.outputs)
        return {name: judge.map_of(trial.answered[name], trial.outputs[name], name, limits) for name in self.off}


def examined(actual, function, given, named):
    """`Examined`: answers, and the call function(*given, **named) that was meant."""
    trial, done, before = _trial(actual, function, given, named)
    found = _judged(trial, done, before)
    if done or names_dtype(function, given, named) or found.strictness <= UNIT:
        return found
    narrow = [_judged(one, None, 0.0, next(iter(one.answered.values())).dtype) for one in in_own_formats(trial)]
    if not narrow or of_8_bits(trial) is not None:  # numbers of 8 bits lie on wider formats as well
        return found
    # wrong numbers of which few differ, such as 0 and 1, lie on every format
    telling = any(is_telling(one.values) for one in trial.answered.values())
    first = [found] if found.met or found.untold or not telling else []
    return min([*first, *narrow], key=lambda one: one.strictness)


def _judged(trial, done, before, held=""):
    """`Examined` of a trial, by the bounds of its call."""
    return Examined(trial, done, before, judge.reports_of(*trial), held)


def _trial(actual, function, given, named):
    """(trial, what was done to answers of another shape or format, or None, and their largest error before)."""
    entry = read_function(function)
    named = entry.current(named)
    asked = list(entry.outputs_of(named))
    answered = read_answers(actual, asked, entry.whole)
    call = read_call(entry, given, named, answered)
    outputs = {name: tensor for name, tensor in call.outputs().items() if name in answered}
    trial, done = trial_of(call, outputs, answered), NOTHING
    if not trial.size:
        raise InputError("E_MISSING", "actual", f"{entry.name} must give at least one number to compare, got none")
    other = of_another_kind(trial)
    if other is not None:
        return (*other, math.inf)
    if any(answered[name].values.shape != tensor.values.shape for name, tensor in outputs.items()):
        trial, done = shapes.of_another_shape(trial) or (trial, done)
    sentences, asked = unusable(trial), trial
    if any(sentence.startswith("E_DTYPE") for sentence in sentences.values()):
        other, also = of_another_format(trial) or (trial, NOTHING)
        if not unusable(other):
            trial, done, sentences = other, done.then(also), {}
    for name, sentence in sentences.items():
        code, _, text = sentence.partition(": ")
        raise InputError(code, "actual", f"actual {name}: {text}")
    return (trial, None, 0.0) if done == NOTHING else (trial, done, error_of(asked))


def _diagnosis(found):
    """The `Diagnosis` of answers that were examined."""
    trial, met = found.trial, found.met
    if found.done is not None:
        error = max(report.max_abs_error for _, report in found.judged.values())
        named = explanations_after(trial, found.done, (met[0], error) if met else None, found.before)
    else:
        named = () if met or found.untold else explanations(trial)
    where = () if met or found.untold else error_places(trial)
    if not (met or found.untold or any(one.met for one in named)):
        where = (*error_sizes(trial, found.judged), *where)
    untold = found.untold[1] if found.untold and found.done is None else ""
    met = met[0] if met and found.done is None else None
    return Diagnosis(
        trial.call.suite, trial.size, met, named, where, untold, judge.silent_in(found.judged)[0], found.held
    )


@overload
def compare(
    actual: ArrayLike | Tensor,
    expected: ArrayLike | Tensor,
    /,
    *,
    bounds: Mapping[ClassName, ArrayLike] | None = None,
    dtype: DType | None = None,
    conformance: ClassName = "correct",
) -> Report: ...


@overload
def compare(
    actual: Answers, expected: Function, /, *given: Any, conformance: ClassName | None = None, **named: Any
) -> Comparison: ...


@guarded
def compare(actual: Any, expected: Any, /, *given: Any, **named: Any) -> Report | Comparison:
    """How far numbers are from what they should be: other numbers, or those of a call of refpos.

    Parameters
    ----------
    actual : array_like, tuple or dict of array_like
        Numbers to be judged, as for `diagnose`.
    expected : array_like or callable
        An array, or a function of the catalogue followed by its arguments, as it takes them; where they give no dtype,
        it is that of actual.
    *given : arguments
        Arguments of the function.
    **named : keywords
        Arguments of the function by keyword; conformance, the class that must be met for the result to be true (with a
        function, any of its classes by default); with an array also bounds and dtype, those of
        `conformance.compare.compare`.

    Returns
    -------
    Report or Comparison
        A `Report` where expected is an array. With a function it is a `Comparison`: `reports` by output, `met` and
        `classes`, judged by the error bounds of the call, and where no class is met a `diagnosis`; `untold`, where the
        only classes met would admit wrong tensors too; str() is the report.

    Raises
    ------
    InputError
        What `conformance.compare.compare` and `diagnose` raise (E_CHOICE, E_MISSING, E_SHAPE, E_DTYPE).

    Examples
    --------
    >>> import numpy as np, refpos
    >>> bool(compare(np.float32([1.0, 2.0]), np.float32([1.0, 2.0])))
    True
    >>> cos, sin = refpos.rope_table(9, refpos.inverse_frequencies(4), dtype="float32")
    >>> wrong = compare((sin, cos), refpos.rope_table, 9, refpos.inverse_frequencies(4))
    >>> bool(wrong), wrong.diagnosis.explanations[0].computed
    (False, 'cos and sin exchanged')
    """
    if not callable(expected) or hasattr(expected, "__array__"):
        return comparing.compare(actual, expected, *given, **named)
    required = named.pop("conformance", None)
    if required is not None:
        checks.choice("conformance", required, tuple(CLASSES))
    found = examined(actual, expected, given, named)
    reports = {name: report for name, (_, report) in found.judged.items()}
    wrong = not found.met or found.done is not None
    classes = () if found.done else found.met
    diagnosis = _diagnosis(found) if wrong else None
    untold = "" if diagnosis is None else diagnosis.untold
    return Comparison(found.trial.call.suite, reports, classes, required, diagnosis, untold, found.held)
