"""Golden cases as parameters of tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from .. import checks, golden
from ..diagnosis.call import passed
from ..errors import CODES, InputError, InputTypeError, nearest, shown
from ..golden import case as golden_case
from ..golden import run
from ..golden.discover import dtype_name, names_of, output_dtype
from ..golden.verify import digests_agree
from ..guard import guarded
from ..tensor_files import Tensor
from ..types import ClassName, FloatName
from .choosing import taking_only
from .handing import differs, is_unanswered, read
from .judging import hold
from .met import Met
from .noticing import notice
from .published import refuse_published, remember


@guarded
@dataclass(frozen=True, eq=False)
class TestCase:
    """One golden case in a test: its arguments, and the judgement of what other code makes of them.

    Its `str` and its name in pytest are the id, such as rope/llama-3-128-f32.
    """

    id: str
    golden: golden_case.Case = field(repr=False)
    __test__ = False  # no class of tests, whatever its name

    def __post_init__(self) -> None:
        if self.id != self.golden.id:
            raise InputError("E_CHOICE", "id", f"id must be that of the case, {self.golden.id}, got {shown(self.id)}")

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

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the call, its arrays among them; of bfloat16 their bit patterns, as uint16.

        What another function makes is made: `frequencies` is a `refpos.Frequencies`, which has inv_freq. But a call
        whose exact values are rounded, as by `round_float8`, is a `functools.partial`.
        """
        return self._read("_arguments")

    @property
    def expected(self) -> dict[str, Tensor]:
        """{output: Tensor(dtype, values)} of the published numbers; of a refused call none."""
        return self._read("_shown")

    def _read(self, name):
        """What is handed out; the test that reads it must compare the case."""
        read(self.id, name == "_arguments")
        return getattr(self, name)

    @property
    def _is_read(self):
        """Whether the arguments of the call were ever handed out."""
        return "_arguments" in vars(self)

    @cached_property
    def _arguments(self):
        plain = {name: passed(name, run.call(value)) for name, value in run.arguments_of(self.golden).items()}
        tensors = self._inputs
        tagged = {"dtype": "bfloat16"} if tensors.get("x", Tensor("", None)).dtype == "bfloat16" else {}
        # copies, since code that works in place may not change what its bounds are derived from
        return {**tagged, **plain, **{name: tensor.values.copy() for name, tensor in tensors.items()}}

    @cached_property
    def _shown(self):
        shown = {name: Tensor(tensor.dtype, tensor.values.copy()) for name, tensor in self._expected.items()}
        remember(self.id, shown)
        return shown

    @cached_property
    def _expected(self):
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

    def check(self, actual: Any, *, at_least: ClassName | None = None) -> Met:
        """Compare what other code computed with the published numbers; the strictest class that it meets, or where each
        of these would admit wrong numbers as well an `Untold`, which is false and says why; pytest skips such a test.

        actual: an array (NumPy, torch, jax, or what has `__array__` or `__dlpack__`); of several outputs a tuple in
        their order, or a dict by their names. at_least: the class that must be met, or a stricter one; None: any of the
        case.

        Raises AssertionError, which says how far off the numbers are and which wrong call gives them; InputError for
        what cannot be read, and E_CHOICE for a class that is unknown, for `expected` itself as the answer, and for a
        case whose call must be refused.
        """
        __tracebackhide__ = True
        if self.golden.refusal:
            sentence = f"{self.id} must be refused and has no numbers: use `with case.raises(ValueError):`"
            raise InputError("E_CHOICE", "case", sentence)
        unanswered = is_unanswered(self.id, self._is_read, "_shown" in vars(self))
        refuse_published(self.id, actual, tuple(self._expected), unanswered)
        call = self.suite, run.arguments_of(self.golden), self._inputs
        return hold(self.id, call, self._expected, actual, at_least)

    @contextmanager
    def raises(self, *errors: type[BaseException]) -> Iterator[None]:
        """A `with` block in which other code must refuse the call, by one of the errors; else AssertionError.

        errors: subclasses of Exception, but neither Exception itself nor NameError, AttributeError and ImportError, by
        which a misspelt name would pass for a refusal. The call must be made with `arguments`, so that these must be
        read.
        """
        __tracebackhide__ = True
        if not self.golden.refusal:
            raise InputError("E_CHOICE", "case", f"{self.id} has numbers and is not refused: use case.check(actual)")
        if not errors or not all(isinstance(one, type) and _is_narrow(one) for one in errors):
            sentence = f"errors must be subclasses of Exception, such as ValueError, got {shown(errors)}"
            raise InputTypeError("E_CHOICE", "errors", sentence)
        try:
            yield
        except errors:
            if not self._is_read:
                sentence = f"{self.id}: the call must be made with case.arguments, got a refusal without reading them"
                raise InputError("E_CHOICE", "case", sentence) from None
            notice(self.id, "correct")
            return
        differs(self.id)
        code, argument = self.golden.refusal
        raise AssertionError(f"{self.id}: the call must be refused ({code} {argument}: {CODES[code]}), got no error")


def _is_narrow(error):
    """Whether a class of errors can mean that a call was refused."""
    misspelt = issubclass(error, (NameError, AttributeError, ImportError))
    return issubclass(error, Exception) and error is not Exception and not misspelt


@guarded
def cases(
    names: str | Sequence[str] | None = None,
    *,
    dtype: FloatName | None = None,
    tier: golden_case.TierName = "core",
    refused: bool = False,
    only: Iterable[str] | None = None,
) -> list[TestCase]:
    """The golden cases of one tier, for `pytest.mark.parametrize`; there is always one.

    Parameters
    ----------
    names : str or sequence of str, optional
        Suites, as "rope", or ids and forms of them, as "rope/llama-*"; None for all.
    dtype : {'float64', 'float32', 'float16', 'bfloat16'}, optional
        Only outputs of that format.
    tier : {'starter', 'core', 'extended', 'full'}, default 'core'
        "core", "extended" or "full", or "starter": some twenty small cases of the core tier.
    refused : bool, default False
        Whether to give the calls that must be refused, in place of those with numbers.
    only : iterable of str, optional
        Names of arguments that your code has; the others that have a default must be at it. dtype need not be among
        them.

    Returns
    -------
    list of TestCase
        The cases, at least one.

    Raises
    ------
    InputError
        E_CHOICE for a name, tier or dtype that no case has, for arguments that no function has, and where no case is
        left.

    Examples
    --------
    >>> [case.id for case in cases("alibi_slopes", dtype="float32")][:2]
    ['alibi_slopes/recursive-6-f32', 'alibi_slopes/recursive-10-f32']
    >>> len(cases("timestep_embedding", only=())) < len(cases("timestep_embedding"))
    True
    """
    refused, names, kind = checks.flag("refused", refused), names_of("names", names), dtype_name(dtype)
    if refused and dtype is not None:
        raise InputError("E_CHOICE", "dtype", f"dtype must be None for refused calls, got {shown(dtype)}")
    left, kept = _of_suites(_suites_named(names), tier, refused, kind), {}
    for form in ["*/*"] if names is None else names:
        form = form if "/" in form else f"{form}/*"
        found = [case for case in left if fnmatchcase(case.id, form)]
        if not found:
            left = _of_suites([None], tier, refused, kind)
            raise InputError("E_CHOICE", "names", _none(form.removesuffix("/*"), left, tier, dtype))
        kept.update((case.id, TestCase(case.id, case)) for case in found)
    if not kept:
        raise InputError("E_CHOICE", "names", "names must hold a suite or a case, got an empty list")
    if only is None:
        return list(kept.values())
    chosen = {case.id for case in taking_only([one.golden for one in kept.values()], only)}
    return [one for one in kept.values() if one.id in chosen]


def _suites_named(names):
    """The suites to read for those names: [None], which stands for all, unless each name begins with a whole one."""
    suites = {name.partition("/")[0] for name in names or ()}
    return sorted(suites) if suites and suites <= set(golden.suite_names()) else [None]


def _of_suites(suites, tier, refused, kind):
    """The cases of the suites that are refused or not, as asked, and whose outputs are of the dtype `kind`."""
    members = [case for suite in suites for case in golden.cases(suite, tier=tier) if bool(case.refusal) == refused]
    return [case for case in members if kind is None or output_dtype(case) == kind]


def _none(form, left, tier, dtype):
    """The sentence on a form that no case has."""
    known = sorted({case.suite for case in left}) + [case.id for case in left]
    like = nearest(form, known, 2)
    kind = "" if dtype is None else f" with outputs of {dtype_name(dtype)}"
    hint = f" (did you mean {', '.join(like)}?)" if like else ""
    return f"names must be those of suites or cases of tier {tier}{kind}{hint}, got {shown(form, 60)}"
