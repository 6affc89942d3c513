"""Verification: of somebody's answers against the corpus, and of a golden directory itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .. import checks, tensor_files
from ..conformance import CLASSES
from ..diagnosis import explaining, judge
from ..diagnosis.call import Call
from ..diagnosis.error_places import one_value
from ..diagnosis.trial import trial_of
from ..diagnosis.usable import unusable
from ..errors import FileError, InputError, shown
from ..guard import guarded
from ..types import AnyPath, ClassName
from . import case_maps, discover, run
from .answers import answer_files, by_case, in_memory, numbers_wanted, read_answers
from .case import TierName
from .contradictions import contradiction
from .directory import ANSWERS, beside, not_read, verify_directory
from .discover import some_of
from .format import digest, refusal
from .generate import tiers_of
from .manifest import check_locked, is_generated, open_suites, read_manifest
from .read import DATA, on_disk, read_lock
from .result import Finding, Result
from .run import inputs_of, outputs_of
from .starter import EVALUATED, STARTER

UNIVERSAL = ("correct", "faithful")  # the classes that no pipeline is needed for
SHOWN = 3  # wrong names of one case


@guarded
def verify(
    *paths: AnyPath | Mapping[str, Any],
    golden: AnyPath | None = None,
    suites: str | Sequence[str] | None = None,
    cases: str | Sequence[str] | None = None,
    tier: TierName | None = None,
    conformance: ClassName | None = None,
    only_answered: bool = False,
    error_maps: bool = False,
    progress: Callable[[int, int, str], object] | None = None,
) -> Result:
    """Verify answers against the golden corpus, or a golden directory against its own digests.

    Parameters
    ----------
    *paths : str, path or dict
        Files of answers (npz, safetensors, npy), or folders of them; or one dict of arrays in memory, {case id:
        {output: array}} or {name: array}, of NumPy, torch, jax or mlx; or one directory that `generate` wrote: with an
        answers.npz or answers.safetensors in it, these are verified against it (the blind exchange), else the directory
        itself is. A tensor is named "<case id>/<output>", or "<case id>" where there is one output; in a folder of npy
        files, by its path. bfloat16 and float16 may come as uint16 bit patterns; a wider format than the case's is
        rounded once. The refusal of an error case may be answered by "<case id>/error", the code as uint8 ASCII; it
        must be where `cases` has the id itself.
    golden : str or path, optional
        A directory that `generate` wrote (default: the core tier of the package).
    suites, cases : str or sequence of str, optional
        Names of the suites, or ids of the cases, to expect (default: all); "rope_table/telling-*" stands for all cases
        of that form.
    tier : {'starter', 'core', 'extended', 'full'}, optional
        Expect only the cases up to that tier, or the starter cases (default: all).
    conformance : str, optional
        The class that all outputs of each case must meet, or correct or faithful if those are stricter (default: any
        class of the case).
    only_answered : bool, default False
        Leave out the cases of which nothing is answered, and count them; at least one case must be answered, and each
        answer must belong to a case.
    error_maps : bool, default False
        Give the first failing cases of each suite a small picture of their errors, `finding.errors`, and the first two
        what was measured of them, `finding.panels`.
    progress : callable, optional
        Called with (cases done, cases in all, id).

    Returns
    -------
    Result
        A Result: true if all cases ran, none differs and at least one passed; `exit_code` 0, 1 (numbers differ) or 2
        (missing, unusable, or nothing that can be told); `met`, `findings`, `flags`, `absent`, `unanswered`,
        `to_json()`; str() is the report.

    Raises
    ------
    InputError
        E_FILE for a file or directory that is missing, truncated, edited or of another version, and for prompts without
        answers; E_CHOICE for a name or form that no suite or case has.

    Notes
    -----
    A case that meets only classes whose bounds would admit wrong tensors as well is "untold": it counts neither as
    passed nor as wrong.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "answers.npz")
    ...     tensor_files.write_npz(file, {"inverse_frequencies/dim-4": np.array([1.0, 0.01])})
    ...     result = verify(file, cases=["inverse_frequencies/dim-4"])
    >>> bool(result), result.ran, result.expected, result.met
    (True, 1, 1, 'correct')
    """
    if not paths:
        raise InputError("E_FILE", "path", "path must name at least one file or directory, got none")
    held = {}
    if any(isinstance(path, Mapping) for path in paths):
        held, paths = in_memory(paths), ()
    paths = [checks.file_path("path", path) for path in paths]
    tiers = None if tier is None else tiers_of(tier)
    if conformance is not None:
        checks.choice("conformance", conformance, tuple(CLASSES))
    only_answered = checks.flag("only_answered", only_answered)
    error_maps = checks.flag("error_maps", error_maps)
    if progress is not None:
        checks.function("progress", progress)
    if golden is not None:
        golden = checks.file_path("golden", golden)
        if not is_generated(golden):
            raise FileError("E_FILE", "golden", f"golden must be a directory that refpos wrote, got {shown(golden)}")
    suites, cases = (some_of(name, names) for name, names in (("suites", suites), ("cases", cases)))
    generated = [path for path in paths if is_generated(path)]
    if generated and len(paths) > 1:
        raise refusal(generated[0], "hold answers, beside others (golden= names a corpus)", "a golden directory")
    subject = ", ".join(paths) or "answers in memory"
    if generated:
        paths = [os.path.join(subject, name) for name in ANSWERS if os.path.exists(os.path.join(subject, name))]
        if not paths and golden is not None:
            sentence = f"golden must be left out for a golden directory without answers, got {shown(golden)}"
            raise InputError("E_CHOICE", "golden", sentence)
        if not paths and only_answered:
            without = "without answers.npz or answers.safetensors"
            sentence = f"only_answered must be False for a golden directory {without}, got True"
            raise InputError("E_CHOICE", "only_answered", sentence)
        if not paths and tier is not None:
            sentence = f"tier must be left out for a golden directory without answers, got {shown(tier)}"
            raise InputError("E_CHOICE", "tier", sentence)
        if not paths:
            return verify_directory(subject, suites, cases, conformance, progress)
        golden = subject if golden is None else golden
    files = answer_files(paths)
    expected = _expected(on_disk(DATA) if golden is None else golden, suites, cases, tiers)
    answers, unreadable = (held, ()) if held else read_answers(files, numbers_wanted(expected))
    if generated:
        unreadable += tuple(str(not_read(subject, name)) for name in beside(subject, read_manifest(subject)))
    unanswered = _unanswered(expected, answers, cases or ()) if only_answered else None
    result = _verify_answers(subject, answers, expected, conformance, progress, cases, unanswered, error_maps)
    return replace(result, unreadable=unreadable)


# -- cases and findings ------------------------------------------------------------------------------------------------


def _expected(directory, suites, cases, tiers):
    """[(entry, its Suite)] of the cases to expect."""
    is_generated(directory)  # an interrupted one is refused by that name
    lock, manifest, expected = read_lock(), read_manifest(directory), []
    for suite, entries in open_suites(directory, manifest, suites, cases):
        check_locked(suite, lock, manifest)
        expected += [(entry, suite) for entry in entries if tiers is None or _is_of(entry, tiers)]
    if not expected:
        raise InputError("E_CHOICE", "tier", f"tier must be that of a case that is expected, got {tiers[-1]!r}")
    return expected


def _is_of(entry, tiers):
    return entry["tier"] in tiers or ("starter" in tiers and entry["id"] in STARTER)


def _unanswered(expected, answers, named):
    """Ids of the cases to which no tensor belongs; of refusals only those that are asked for by their own id count."""
    held = by_case(answers)
    ids = [entry["id"] for entry, _ in expected if "error" not in entry or entry["id"] in named]
    beside = {entry["id"]: {f"{entry['id']}/{name}" for name in _beside(entry)} for entry, _ in expected}
    return [id for id in ids if not held.get(id, {}).keys() - beside[id]]


def _verify_answers(subject, answers, expected, conformance, progress, cases, unanswered, error_maps):
    """The Result; unanswered: ids of the cases to leave out, or None."""
    findings, used, left_out, failing = [], set(), set(unanswered or ()), {}
    pictured, held = Counter(), by_case(answers)
    for done, (entry, suite) in enumerate(expected):
        if progress:
            progress(done, len(expected), entry["id"])
        used.update(_names(entry))
        if entry["id"] in left_out:
            continue
        tensors = suite.tensors(entry)  # of each case that counts, so that none is damaged
        own = held.get(entry["id"], {})
        trouble = contradiction(entry, _outputs_named(entry), own)
        if trouble:
            findings.append(Finding(entry["id"], "unusable", sentence=trouble, flags=tuple(entry["flags"])))
        elif "error" in entry:
            findings += _refusal_finding(entry, own, entry["id"] in (cases or ()))
        else:
            finding, trial = _finding(entry, tensors, own, conformance)
            if error_maps and finding.state == "differs" and pictured[_suite(entry)] < case_maps.PER_SUITE:
                pictured[_suite(entry)] += 1
                is_measured = pictured[_suite(entry)] <= case_maps.MEASURED_PER_SUITE
                finding = case_maps.pictured(finding, entry, trial, conformance, is_measured)
            findings.append(finding)
            if trial is not None and not finding.classes:
                failing[entry["id"]] = trial
    tried = explaining.explained(failing)
    findings = [replace(one, explanations=tried[one.id]) if one.id in tried else one for one in findings]
    if progress:
        progress(len(expected), len(expected), "")
    # answers to cases that were not asked for are no mistake; another name of one that was may be
    known = set(read_lock()["cases"]) - {entry["id"] for entry, _ in expected}
    unknown = [name for name in sorted(set(answers) - used) if not {name, name.rpartition("/")[0]} & known]
    return Result(subject, tuple(findings), conformance, tuple(unknown), unanswered=unanswered)


def _names(entry):
    """The names of tensors that belong to a case; what it gives may stand beside the answers."""
    sides = (*_beside(entry), *_outputs_named(entry), "error")
    return {entry["id"], *(f"{entry['id']}/{name}" for name in sides)}


def _outputs_named(entry):
    return list(entry.get("outputs") or entry.get("wanted") or ())


def _beside(entry):
    """Names of the tensors that a case gives: its inputs, and of a starter case what is evaluated."""
    given = EVALUATED if entry["id"] in STARTER else ()
    return {*entry["inputs"], *given} - set(_outputs_named(entry))


def _refusal_finding(entry, answers, named):
    """At most one finding: refusals that are neither answered nor asked for by their own id do not count."""
    name = f"{entry['id']}/error"
    answer = answers.get(name)
    if answer is None:
        sentence = f"E_MISSING: expected the tensor {name}, got none"
        return [Finding(entry["id"], "missing", sentence=sentence)] if named else []
    if answer.dtype != "uint8" or isinstance(answer, tensor_files.Unread):
        received = answer.dtype if answer.dtype != "uint8" else f"the shape {answer.shape}"
        sentence = getattr(answer, "why", "") or f"E_DTYPE: expected the code as uint8 ASCII, got {received}"
        return [Finding(entry["id"], "unusable", output="error", sentence=sentence)]
    code = answer.values.tobytes().decode("ascii", "replace")
    same = code == entry["error"]["code"]
    sentence = "" if same else f"the call must be refused with {entry['error']['code']}, got {code!r}"
    return [Finding(entry["id"], "met" if same else "differs", "correct" if same else None, "error", sentence)]


def _finding(entry, tensors, answers, conformance):
    """(Finding of a case, its `Trial` where numbers differ, else None)."""
    id, flags = entry["id"], tuple(entry["flags"])
    names = _outputs_named(entry)
    answered = {name: answers.get(f"{id}/{name}", answers.get(id) if len(names) == 1 else None) for name in names}
    if None in answered.values():
        return _absent(entry, answered, answers), None
    call, outputs = _call(entry, tensors["inputs"]), _outputs(entry, tensors)
    answered = {name: _as_expected(answered[name], outputs[name], name) for name in names}
    trial = trial_of(call, outputs, answered)
    for name, sentence in unusable(trial).items():
        return Finding(id, "unusable", output=name, sentence=sentence, flags=flags), None
    finding = judged(
        entry,
        judge.reports_of(*trial, entry.get("classes")),
        conformance,
    )
    if finding.state in ("met", "untold"):
        return finding, None
    same = one_value(trial)
    # no known mistake gives numbers that are all the same, so that none is hinted at
    return replace(finding, sentence=f"{finding.sentence}, {same}", flags=()) if same else finding, trial


def _as_expected(answer, expected, name):
    """An answer; of 8-bit floats the bit patterns where these are expected, else the numbers."""
    if isinstance(answer, tensor_files.Unread):
        return answer
    return tensor_files.answer(answer, name, expected.dtype)


def _absent(entry, answered, answers):
    """The finding of a case that lacks an output: missing, or unusable where its answers have other names."""
    id = entry["id"]
    absent = [f"{id}/{name}" for name in answered if answered[name] is None]
    known = {f"{id}/{name}" for name in (*_beside(entry), *answered)}
    others = sorted(answers.keys() - known)
    received = ", ".join(map(ascii, others[:SHOWN])) + (" and more" if len(others) > SHOWN else "") or "none"
    sentence = f"E_MISSING: expected the tensors {', '.join(absent)}, got {received}"
    return Finding(id, "unusable" if others else "missing", sentence=sentence, flags=tuple(entry["flags"]))


def judged(entry, reports, conformance):
    """The finding of a case from {output: ({class: met}, report)}: a class is met when every output meets it."""
    id, order = entry["id"], list(CLASSES)
    first = {name: next((kind for kind in order if met.get(kind)), None) for name, (met, _) in reports.items()}
    # the weakest class of all outputs, none of them at the end; among equals the largest error
    rank = {name: len(order) if kind is None else order.index(kind) for name, kind in first.items()}
    worst = max(reports, key=lambda name: (rank[name], reports[name][1].max_abs_error))
    met = judge.met_by_all(reports)
    enough = {None, *met} | (set(order[order.index(met[0]) :]) if met and met[0] in UNIVERSAL else set())
    passed = met and conformance in enough
    flags, silent = tuple(entry["flags"]), judge.silent_in(reports)
    untold = judge.untold(reports)
    if untold and conformance in (None, *judge.admitted_by_all(reports)):
        return Finding(id, "untold", None, None, untold[1], reports[worst][1], flags, silent=silent)
    classes = met or (untold or ())[:1]
    sentence = "" if passed else f"meets {classes[0]}, not {conformance}" if classes else "meets no class"
    if not classes and None not in first.values():
        sentence = "no class is met by all outputs: " + ", ".join(f"{name} {kind}" for name, kind in first.items())
    state = "met" if passed else "differs"
    return Finding(
        id, state, met[0] if met else None, worst, sentence, reports[worst][1], flags, classes, silent=silent
    )


def _outputs(entry, tensors):
    """The expected outputs in full: what the corpus holds as a sample, or not at all, is computed and checked."""
    if tensors["outputs"] and None not in tensors["outputs"].values():
        return tensors["outputs"]
    case = next((case for case in discover.cases(_suite(entry)) if case.id == entry["id"]), None)
    if case is None:
        raise refusal(entry["id"], "be a case that this version of refpos can compute", "an unknown id")
    digests_agree(entry, "inputs", inputs_of(case))
    made = outputs_of(case)
    digests_agree(entry, "outputs", made)
    return made


def _call(entry, inputs):
    """The call of a case, from its entry in the document."""
    return Call(_suite(entry), {name: run.call(value) for name, value in entry["arguments"].items()}, inputs)


def _suite(entry):
    return entry["id"].partition("/")[0]


def digests_agree(entry, side, made):
    """Refuse tensors of one side of a case that have other digests than its entry in the document says."""
    for name, held in entry.get(side, {}).items():
        if name not in made or digest(made[name]) != held["sha256"]:
            received = digest(made[name]) if name in made else "none"
            raise refusal(f"{entry['id']}/{name}", f"have the digest {held['sha256']} when computed here", received)
