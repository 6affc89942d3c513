"""Golden cases as parameters of tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from .. import checks, golden
from ..errors import CODES, InputError, InputTypeError, nearest, shown
from ..golden import case as golden_case
from ..golden import run
from ..golden.discover import dtype_name, names_of, output_dtype
from ..golden.verify import digests_agree
from ..tensor_files import Tensor
from ..types import ClassName, FloatName
from .judging import hold
from .noticing import notice


@dataclass(frozen=True, eq=False)
class TestCase:
    """One golden case in a test: its arguments, and the judgement of what other code makes of them.

    Its `str` and its name in pytest are the id, such as rope/llama-3-128-f32.
    """

    id: str
    golden: golden_case.Case = field(repr=False)
    __test__ = False  # no class of tests, whatever its name

    @property
    def __name__(self) -> str:
        """The id, which pytest takes for the name of a parameter."""
        return self.id

    def __str__(self) -> str:
        return self.id

    @property
    def about(self) -> str:
        """One sentence on the case."""
        return self.golden.about

    @property
    def suite(self) -> str:
        """The name of the function that the case calls."""
        return self.golden.suite

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the call, its arrays among them; of bfloat16 their bit patterns, as uint16.

        What another function makes is made: `frequencies` is a `refpos.Frequencies`, which has inv_freq.
        """
        plain = {name: run.argument(value) for name, value in run.arguments_of(self.golden).items()}
        tensors = self._inputs
        tagged = {"dtype": "bfloat16"} if tensors.get("x", Tensor("", None)).dtype == "bfloat16" else {}
        return {**tagged, **plain, **{name: tensor.values for name, tensor in tensors.items()}}

    @cached_property
    def expected(self) -> dict[str, Tensor]:
        """{output: Tensor(dtype, values)} of the published numbers; of a refused call none."""
        if self.golden.refusal:
            return {}
        held = golden.load(self.id) if self.golden.tier == "core" else None
        if held is not None and None not in held.outputs.values():
            return held.outputs
        made = run.outputs_of(self.golden)
        if held is not None:
            digests_agree(held.entry, "outputs", made)
        return made

    @cached_property
    def _inputs(self):
        return run.inputs_of(self.golden)

    def check(self, actual: Any, *, at_least: ClassName | None = None) -> str:
        """Compare what other code computed with the published numbers; the strictest class that it meets.

        actual: an array (NumPy, torch, jax, or what has `__array__` or `__dlpack__`); of several outputs a tuple in
        their order, or a dict by their names. at_least: the class that must be met, or a stricter one; None: any of the
        case.

        Raises AssertionError, which says how far off the numbers are and which wrong call gives them; InputError for
        what cannot be read, and E_CHOICE for a class that is unknown or for a case whose call must be refused.
        """
        __tracebackhide__ = True
        if self.golden.refusal:
            sentence = f"{self.id} must be refused and has no numbers: use `with case.raises(ValueError):`"
            raise InputError("E_CHOICE", "case", sentence)
        call = self.suite, run.arguments_of(self.golden), self._inputs
        return hold(self.id, call, self.expected, actual, at_least)

    @contextmanager
    def raises(self, *errors: type[BaseException]) -> Iterator[None]:
        """A `with` block in which other code must refuse the call, by one of the errors; else AssertionError.

        The errors are yours to name: with `Exception` a misspelt argument would pass for a refusal.
        """
        __tracebackhide__ = True
        if not self.golden.refusal:
            raise InputError("E_CHOICE", "case", f"{self.id} has numbers and is not refused: use case.check(actual)")
        if not errors or not all(isinstance(one, type) and issubclass(one, BaseException) for one in errors):
            sentence = f"errors must be one class of exceptions or more, got {shown(errors)}"
            raise InputTypeError("E_CHOICE", "errors", sentence)
        try:
            yield
        except errors:
            notice(self.id, "correct")
            return
        code, argument = self.golden.refusal
        raise AssertionError(f"{self.id}: the call must be refused ({code} {argument}: {CODES[code]}), got no error")


def cases(
    names: str | Sequence[str] | None = None,
    *,
    dtype: FloatName | None = None,
    tier: golden_case.TierName = "core",
    refused: bool = False,
) -> list[TestCase]:
    """The golden cases of one tier, for `pytest.mark.parametrize`; there is always one.

    names: suites, as "rope", or ids and forms of them, as "rope/llama-*"; None for all. dtype: only outputs of that
    format. refused: the calls that must be refused, in place of those with numbers.

    Raises E_CHOICE for a name, tier or dtype that no case has.

    >>> [case.id for case in cases("alibi_slopes", dtype="float32")][:2]
    ['alibi_slopes/recursive-6-f32', 'alibi_slopes/recursive-10-f32']
    """
    refused, names, kind = checks.flag("refused", refused), names_of("names", names), dtype_name(dtype)
    if refused and dtype is not None:
        raise InputError("E_CHOICE", "dtype", f"dtype must be None for refused calls, got {shown(dtype)}")
    members = [case for case in golden.cases(tier=tier) if bool(case.refusal) == refused]
    left, kept = [case for case in members if kind in (None, output_dtype(case))], {}
    for form in ["*/*"] if names is None else names:
        form = form if "/" in form else f"{form}/*"
        found = [case for case in left if fnmatchcase(case.id, form)]
        if not found:
            raise InputError("E_CHOICE", "names", _none(form.removesuffix("/*"), members, left, tier, dtype))
        kept.update((case.id, TestCase(case.id, case)) for case in found)
    if not kept:
        raise InputError("E_CHOICE", "names", "names must hold a suite or a case, got an empty list")
    return list(kept.values())


def _none(form, members, left, tier, dtype):
    """The sentence on a form that no case has."""
    known = sorted({case.suite for case in left}) + [case.id for case in left]
    like = nearest(form, known, 2)
    kind = "" if dtype is None else f" with outputs of {dtype_name(dtype)}"
    hint = f", such as {', '.join(like)}" if like else ""
    return f"names must be those of suites or cases of tier {tier}{kind}{hint}, got {shown(form, 60)}"
