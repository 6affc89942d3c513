"""Verification: of somebody's answers against the corpus, and of a golden directory itself."""

import json
import os
import re
from fnmatch import fnmatchcase

from .. import comparison as comparing
from .. import conformance as classes_module
from .. import checks, files, formats
from ..errors import InputError, InputTypeError, shortened
from .bounds import bounds_of
from .discover import cases as all_cases
from .discover import suite_names
from .format import case_digest, digest, refusal, serialise
from .generate import MANIFEST, sha256
from .read import DATA, open_suite, read_lock
from .result import Finding, Result
from .run import inputs_of, outputs_of

ANSWERS = ("answers.npz", "answers.safetensors")


def verify(*paths, golden=None, suites=None, cases=None, conformance=None, progress=None):
    """Verify answers against the golden corpus, or a golden directory against its own digests.

    paths: files of answers (npz, safetensors, npy), or folders of them; or one directory that `generate` wrote: with an
    answers.npz or answers.safetensors in it, these are verified against it (the blind exchange), else the directory
    itself is. A tensor is named "<case id>/<output>", or "<case id>" where there is one output; in a folder of npy
    files, by its path. bfloat16 and float16 may come as uint16 bit patterns; a wider format than the case's is rounded
    once. The refusal of an error case may be answered by "<case id>/error", the code as uint8 ASCII.

    golden: a directory that `generate` wrote (default: the core tier of the package). suites, cases: names of the
    suites, or ids of the cases, to expect (default: all); "rope_table/telling-*" stands for all cases of that form.
    conformance: the class each case must meet, or a stricter one (default: any class of the case). progress: called
    with (cases done, cases in all, id).

    Returns a Result: true if all cases ran and passed; `exit_code` 0, 1 (numbers differ) or 2 (missing or unusable);
    `met`, `findings`, `flags`, `to_json()`; str() is the report.

    Raises E_FILE for a file or directory that is missing, truncated or edited, E_CHOICE for an unknown name.

    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "answers.npz")
    ...     files.write_npz(file, {"inverse_frequencies/dim-4": np.array([1.0, 0.01])})
    ...     result = verify(file, cases=["inverse_frequencies/dim-4"])
    >>> bool(result), result.ran, result.expected, result.met
    (True, 1, 1, 'correct')
    """
    if not paths:
        raise InputError("E_FILE", "path", "path must name at least one file or directory, got none")
    paths = [checks.path("path", path) for path in paths]
    if conformance is not None:
        checks.choice("conformance", conformance, tuple(classes_module.CLASSES))
    if progress is not None:
        checks.function("progress", progress)
    if golden is not None:
        golden = checks.path("golden", golden)
    if len(paths) == 1 and os.path.exists(os.path.join(paths[0], MANIFEST)):
        answers = [os.path.join(paths[0], name) for name in ANSWERS if os.path.exists(os.path.join(paths[0], name))]
        if not answers:
            return _verify_directory(paths[0], progress)
        golden, subject, paths = golden or paths[0], paths[0], answers
    else:
        subject = ", ".join(paths)
    expected = _expected(DATA if golden is None else golden, suites, cases)
    return _verify_answers(subject, _read_answers(paths), expected, conformance, progress)


# -- answers ----------------------------------------------------------------------------------------------------------


def _read_answers(paths):
    """{name: Tensor} of all files; in folders, of every file of tensors."""
    answers = {}
    for path in paths:
        for name, tensor in (_folder(path) if os.path.isdir(path) else files.read_tensors(path)).items():
            if name in answers:
                raise refusal(path, "name each tensor once", f"{name!r} twice")
            answers[name] = tensor
    return answers


def _folder(path):
    found = {}
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            stem, suffix = os.path.splitext(name)
            if suffix not in (".npy", ".npz", ".safetensors"):
                continue
            tensors = files.read_tensors(os.path.join(folder, name))
            if suffix == ".npy":
                inside = os.path.relpath(os.path.join(folder, stem), path).replace(os.sep, "/")
                tensors = {inside: next(iter(tensors.values()))}
            for key in tensors:
                if key in found:
                    raise refusal(path, "name each tensor once", f"{key!r} twice")
            found.update(tensors)
    if not found:
        raise refusal(path, "hold answers (.npz, .safetensors or .npy)", "none")
    return found


def _expected(directory, suites, cases):
    """[(entry, tensors by side)] of the cases to expect; outputs are None where a prompt holds no values."""
    known = suite_names()
    if suites is not None:
        suites = checks.choices("suites", suites, known)
    cases = None if cases is None else checks.items("cases", cases, "case ids")
    if cases is not None and not all(isinstance(name, str) for name in cases):
        raise InputTypeError("E_CHOICE", "cases", f"cases must be a list of case ids, got {shortened(cases)}")
    found, met = [], set()
    for name in known:
        if suites is not None and name not in suites or not os.path.exists(os.path.join(directory, f"{name}.json")):
            continue
        if cases is not None and not any(fnmatchcase(name, pattern.partition("/")[0]) for pattern in cases):
            continue
        suite = open_suite(directory, name)
        for entry in suite.document["cases"]:
            patterns = [pattern for pattern in cases or () if fnmatchcase(entry["id"], pattern)]
            met.update(patterns)
            if cases is None or patterns:
                found.append((entry, suite.tensors(entry, ("inputs", "outputs"))))
    unknown = sorted(set(cases or ()) - met)
    if unknown:
        raise InputError(
            "E_CHOICE",
            "cases",
            f"cases must be ids of cases in {directory}, or patterns of them, got {shortened(unknown[0])}",
        )
    if not found:
        raise refusal(directory, "hold suites of the golden corpus", "none")
    return found


def _verify_answers(subject, answers, expected, conformance, progress):
    findings, used = [], set()
    for done, (entry, tensors) in enumerate(expected):
        if progress:
            progress(done, len(expected), entry["id"])
        used.update(_names(entry))
        if "error" in entry:
            findings += _refusal_finding(entry, answers)
        else:
            findings.append(_finding(entry, tensors, answers, conformance))
    if progress:
        progress(len(expected), len(expected), "")
    # answers to cases that were not asked for are no mistake
    known = {case.id for case in all_cases()}
    unknown = [name for name in sorted(set(answers) - used) if not {name, name.rpartition("/")[0]} & known]
    return Result(subject, tuple(findings), conformance, tuple(unknown))


def _names(entry):
    """The names of tensors that belong to a case; its inputs may stand beside the answers."""
    sides = {**entry["inputs"], **entry.get("outputs", {}), **entry.get("wanted", {}), "error": None}
    return {entry["id"], *(f"{entry['id']}/{name}" for name in sides)}


def _refusal_finding(entry, answers):
    """At most one finding: refusals that are not answered do not count."""
    answer = answers.get(f"{entry['id']}/error")
    if answer is None:
        return []
    if answer.dtype != "uint8":
        sentence = f"E_DTYPE: expected the code as uint8 ASCII, got {answer.dtype}"
        return [Finding(entry["id"], "unusable", output="error", sentence=sentence)]
    code = answer.values.tobytes().decode("ascii", "replace")
    same = code == entry["error"]["code"]
    sentence = "" if same else f"the call must be refused with {entry['error']['code']}, got {code!r}"
    return [Finding(entry["id"], "met" if same else "differs", "correct" if same else None, "error", sentence)]


def _finding(entry, tensors, answers, conformance):
    id, flags = entry["id"], tuple(entry["flags"])
    names = list(entry.get("outputs") or entry["wanted"])
    given = {name: answers.get(f"{id}/{name}", answers.get(id) if len(names) == 1 else None) for name in names}
    absent = [f"{id}/{name}" for name in names if given[name] is None]
    if absent:
        return Finding(
            id, "missing", sentence=f"E_MISSING: expected the tensors {', '.join(absent)}, got none", flags=flags
        )
    outputs = _outputs(entry, tensors)
    for name in names:
        sentence = _unusable(given[name], outputs[name])
        if sentence:
            return Finding(id, "unusable", output=name, sentence=sentence, flags=flags)
    reports = _compare(entry, tensors["inputs"], outputs, given)
    order = list(classes_module.CLASSES)
    met = {name: next((kind for kind in order if found.get(kind)), None) for name, (found, _) in reports.items()}
    # the weakest class of all outputs, none of them at the end; among equals the largest error
    rank = {name: len(order) if kind is None else order.index(kind) for name, kind in met.items()}
    worst = max(names, key=lambda name: (rank[name], reports[name][1].max_abs_error))
    passed = met[worst] is not None and (conformance is None or rank[worst] <= order.index(conformance))
    sentence = "" if passed else f"meets {met[worst]}, not {conformance}" if met[worst] else "meets no class"
    return Finding(id, "met" if passed else "differs", met[worst], worst, sentence, reports[worst][1], flags)


def _outputs(entry, tensors):
    """The expected outputs in full: what the corpus holds as a sample, or not at all, is computed and checked."""
    if tensors["outputs"] and None not in tensors["outputs"].values():
        return tensors["outputs"]
    case = next((case for case in all_cases(_suite(entry)) if case.id == entry["id"]), None)
    if case is None:
        raise refusal(entry["id"], "be a case that this version of refpos can compute", "an unknown id")
    _digests_agree(entry, "inputs", inputs_of(case))
    made = outputs_of(case)
    _digests_agree(entry, "outputs", made)
    return made


def _suite(entry):
    return entry["id"].partition("/")[0]


def _digests_agree(entry, side, made):
    for name, found in entry.get(side, {}).items():
        if name not in made or digest(made[name]) != found["sha256"]:
            received = digest(made[name]) if name in made else "none"
            raise refusal(f"{entry['id']}/{name}", f"have the digest {found['sha256']} when computed here", received)


def _unusable(answer, expected):
    """Why an answer cannot be compared, or nothing."""
    if answer.values.shape != expected.values.shape:
        return f"E_SHAPE: expected the shape {expected.values.shape}, got {answer.values.shape}"
    have, want = formats.FORMATS.get(answer.dtype), formats.FORMATS.get(expected.dtype)
    patterns = answer.dtype == "uint16" and want is not None and want.width == 16
    whole = want is None and answer.values.dtype.kind in "iu" and answer.dtype != "bfloat16"
    if not (patterns or whole or _holds(have, want)):
        return f"E_DTYPE: expected {expected.dtype} or a format that holds its values, got {answer.dtype}"
    return ""


def _holds(have, want):
    """Whether a format holds all values of another and is no other of the same width."""
    if have is None or want is None:
        return False
    wider = have.precision > want.precision and have.lowest <= want.lowest and have.largest >= want.largest
    return have is want or wider


def _compare(entry, inputs, outputs, given):
    """{output: ({class: met}, report)}."""
    limits = bounds_of(_suite(entry), entry["arguments"], inputs, outputs)
    found = {}
    for name, expected in outputs.items():
        dtype = expected.dtype if given[name].dtype == "uint16" and expected.dtype in formats.FORMATS else None
        allowed = {kind: limit[name] for kind, limit in limits.items()}
        report = comparing.compare(given[name], expected, bounds=allowed, dtype=dtype)
        found[name] = {kind: verdict.met for kind, verdict in report.classes.items() if kind in limits}, report
    return found


# -- a golden directory -----------------------------------------------------------------------------------------------


def _verify_directory(directory, progress):
    """Every file against the manifest, every tensor against its digest, every case against the lock."""
    manifest = _manifest(directory)
    locked = read_lock()["cases"]
    findings = []
    for name, wanted in manifest["files"].items():
        got = sha256(os.path.join(directory, name))
        if got != wanted:
            raise refusal(os.path.join(directory, name), f"have the sha256 {wanted} of {MANIFEST}", got)
    names = [name[: -len(".json")] for name in manifest["files"] if name.endswith(".json")]
    for done, name in enumerate(names):
        if progress:
            progress(done, len(names), name)
        suite = open_suite(directory, name)
        for entry in suite.document["cases"]:
            suite.tensors(entry)
            findings.append(_locked(entry, locked.get(entry["id"]), manifest["prompt"]))
    return Result(directory, tuple(findings))


def _locked(entry, locked, prompt):
    if prompt:
        return Finding(entry["id"], "met", None, sentence="inputs only")
    if locked is None:
        return Finding(
            entry["id"],
            "unusable",
            sentence="E_MISSING: expected the digest of this case in the lock of refpos, got none",
        )
    found = case_digest(entry)
    if locked != found:
        return Finding(
            entry["id"],
            "differs",
            sentence=f"expected the case digest {locked}, got {found}",
            flags=tuple(entry["flags"]),
        )
    return Finding(entry["id"], "met", "correct")


def _manifest(directory):
    path = os.path.join(directory, MANIFEST)
    try:
        with open(path, "rb") as file:
            data = file.read()
        found = json.loads(data.decode("ascii"))
    except OSError as error:
        raise refusal(path, "be a readable file", error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise refusal(path, "be a whole JSON document in ASCII", f"one that says: {error}") from None
    fields = {"files", "format_version", "licence", "prompt", "tiers", "values_version"}
    plain = isinstance(found, dict) and set(found) == fields and isinstance(found["files"], dict)
    if not plain or not all(re.fullmatch(r"[a-z0-9_]+\.(json|safetensors)", name) for name in found["files"]):
        raise refusal(path, f"have the fields {', '.join(sorted(fields))}", f"{found!r:.80}")
    if serialise(found) != data:
        raise refusal(
            path, "be spelled as refpos writes it (sorted names, one space of indentation)", "another spelling"
        )
    return found
