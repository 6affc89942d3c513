"""Verification of a live process: it is sent a case a line, and answers each by a line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from .. import checks, errors
from ..conformance import CLASSES
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..types import AnyPath, ClassName
from . import discover
from .case import TierName
from .discover import dtype_name, output_dtype, some_of
from .format import bit_strings
from .generate import tiers_of
from .live_answers import answer_of, take
from .read import DATA, on_disk
from .result import Finding, Result
from .subprocess_port import Child, Trouble
from .verify import _expected, _unanswered, _verify_answers

IN_A_ROW = 3  # cases without an answer after which no more are asked
BYTES = 64  # that an element of an answer may take, and MARGIN more for a line
MARGIN = 1 << 20


@guarded
def verify_live(
    command: Sequence[str],
    *,
    golden: AnyPath | None = None,
    suites: str | Sequence[str] | None = None,
    cases: str | Sequence[str] | None = None,
    tier: TierName | None = None,
    dtype: str | None = None,
    conformance: ClassName | None = None,
    only_answered: bool = False,
    error_maps: bool = False,
    timeout: float = 30.0,
    progress: Callable[[int, int, str], object] | None = None,
) -> Result:
    """Verify a process that computes: each case is a line of JSON on its standard input, each answer one on its output.

    The process is sent

        {"id": ..., "suite": ..., "arguments": {...}, "inputs": {name: tensor}, "wanted": {name: {"dtype", "shape"}}}

    where a tensor is {"dtype", "shape", "bits"}, its bits hexadecimal as in the corpus, and answers
    {"id": ..., "outputs": {name: tensor}}, or {"id": ..., "unsupported": why}, or, of a case of a refusal,
    {"id": ..., "error": code}. Refusals are asked for by their own ids only.

    Parameters
    ----------
    command : sequence of str
        The words of the command, which no shell reads.
    golden : str or path, optional
        A directory that `generate` wrote; the default is the core tier of the package.
    suites : str or sequence of str, optional
        Names of the suites; None for all.
    cases : str or sequence of str, optional
        Only the cases of those ids, or of forms such as "rope/gpt-*"; None for all.
    tier : {'starter', 'core', 'extended', 'full'}, optional
        "core", "extended" (core too), "full" (all three), or "starter": some twenty small cases of the core.
    dtype : str, optional
        Only cases whose outputs have it.
    conformance : str, optional
        Class that all outputs of each case must meet, as in `verify`.
    only_answered : bool, default False
        Leave out the cases of which nothing is answered, as in `verify`.
    error_maps : bool, default False
        Give the first failing cases a small picture of their errors, as in `verify`.
    timeout : float, default 30
        Seconds for each answer. A process that hangs, ends, or prints anything else is ended; that case is unusable, a
        new process is asked the next, and after three such cases in a row no more are asked. At the end of its input it
        must end with status 0.
    progress : callable, optional
        Called with (cases done, cases in all, id).

    Returns
    -------
    Result
        The Result, as `verify` returns it.

    Raises
    ------
    InputError
        E_FILE for a command that cannot be started, E_CHOICE, E_DTYPE.

    Notes
    -----
    What is unsupported is missing, or with only_answered left out.

    Examples
    --------
    >>> result = verify_live(["false"], cases=["inverse_frequencies/dim-4"])
    >>> result.exit_code, result.of("unusable")[0].sentence
    (2, 'the process ended with status 1 before it answered')
    """
    command = _words(command)
    timeout = _seconds(timeout)
    only_answered, error_maps = checks.flag("only_answered", only_answered), checks.flag("error_maps", error_maps)
    if conformance is not None:
        checks.choice("conformance", conformance, tuple(CLASSES))
    if progress is not None:
        checks.function("progress", progress)
    suites, cases = (some_of(name, names) for name, names in (("suites", suites), ("cases", cases)))
    directory = on_disk(DATA) if golden is None else checks.file_path("golden", golden)
    expected = _of_dtype(_expected(directory, suites, cases, None if tier is None else tiers_of(tier)), dtype)
    asked = [pair for pair in expected if "error" not in pair[0] or pair[0]["id"] in (cases or ())]
    answers, troubles = _answers(command, asked, timeout, progress)
    unanswered = None
    if only_answered:
        failed = {id for id, (state, _) in troubles.items() if state == "unusable"}
        unanswered = [id for id in _unanswered(expected, answers, cases or ()) if id not in failed]
    result = _verify_answers(" ".join(command), answers, expected, conformance, None, cases, unanswered, error_maps)
    findings = tuple(_in_trouble(finding, troubles.get(finding.id)) for finding in result.findings)
    return replace(result, findings=findings)


def _words(command):
    listed = isinstance(command, (list, tuple)) and len(command) > 0
    if not listed or not all(isinstance(word, str) for word in command):
        raise InputTypeError("E_FILE", "command", f"command must be a list of words, got {errors.shown(command)}")
    return list(command)


def _seconds(timeout):
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout <= 86400:
        raise InputError(
            "E_SIZE", "timeout", f"timeout must be above 0 and at most 86400 seconds, got {errors.shown(timeout)}"
        )
    return float(timeout)


def _of_dtype(expected, dtype):
    kind = dtype_name(dtype)
    if kind is None:
        return expected
    wanted = {case.id for case in discover.cases() if output_dtype(case) == kind}
    chosen = [pair for pair in expected if pair[0]["id"] in wanted]
    if not chosen:
        raise InputError("E_CHOICE", "dtype", f"dtype must be the format of a case that is expected, got {dtype!r}")
    return chosen


def _in_trouble(finding, trouble):
    if trouble is None:
        return finding
    state, sentence = trouble
    return Finding(finding.id, state, sentence=sentence, flags=finding.flags)


# -- asking -----------------------------------------------------------------------------------------------------------


def _answers(command, asked, timeout, progress):
    """({name: Tensor}, {id: (state, sentence)} of the cases without an answer)."""
    answers, troubles, child, failed = {}, {}, None, 0
    try:
        for done, (entry, suite) in enumerate(asked):
            id = entry["id"]
            if progress:
                progress(done, len(asked), id)
            if failed == IN_A_ROW:
                troubles[id] = "unusable", f"not asked, as {IN_A_ROW} cases in a row had no answer"
                continue
            child = child or Child(command)
            try:
                take(_exchange(child, entry, suite.tensors(entry)["inputs"], timeout), entry, answers, troubles)
                failed = 0
            except Trouble as trouble:
                troubles[id] = "unusable", str(trouble)
                failed += 1
                child = child.kill()
        if child:
            try:
                child.finish()
            except Trouble as trouble:
                troubles[asked[-1][0]["id"]] = "unusable", str(trouble)
    finally:
        if child:
            child.kill()
    return answers, troubles


def _exchange(child, entry, inputs, timeout):
    """What a process answers to a case: a JSON object of its id."""
    wanted = {**entry.get("outputs", {}), **entry.get("wanted", {})}
    elements = sum(math.prod(held["shape"]) for held in wanted.values())
    line = child.ask(json.dumps(question(entry, inputs)).encode("ascii") + b"\n", timeout, MARGIN + BYTES * elements)
    return answer_of(line, entry["id"])


def question(entry, inputs):
    """What a process is sent of a case."""
    wanted = {**entry.get("outputs", {}), **entry.get("wanted", {})}
    return {
        "id": entry["id"],
        "suite": entry["id"].partition("/")[0],
        "arguments": entry["arguments"],
        "inputs": {name: inline(tensor) for name, tensor in inputs.items()},
        "wanted": {name: {"dtype": held["dtype"], "shape": held["shape"]} for name, held in wanted.items()},
    }


def inline(tensor):
    """A tensor with all its bits."""
    return {"dtype": tensor.dtype, "shape": list(tensor.values.shape), "bits": bit_strings(tensor.values)}
