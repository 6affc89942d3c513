"""Verification of a golden directory itself: every file against the manifest, every document against the lock."""

import os

from .folders import files_below, is_of_tensors
from .format import case_digest, refusal
from .generate import lock_name
from .manifest import check_locked, members_of, open_suites, read_manifest, suites_of
from .read import SIDES, read_lock
from .result import Finding, Result

ANSWERS = ("answers.npz", "answers.safetensors")


def verify_directory(directory, suites=None, cases=None, conformance=None, progress=None):
    """What the directory holds, case by case; FileError where its words, bounds or files are not the published ones."""
    manifest = read_manifest(directory)
    _only_its_own(directory, manifest)
    opened, lock, findings = open_suites(directory, manifest, suites, cases), read_lock(), []
    for done, (suite, entries) in enumerate(opened):
        name = suite.document["suite"]
        if progress:
            progress(done, len(opened), name)
        chosen = [_finding(entry, lock["cases"].get(entry["id"])) for entry in entries]
        if cases is None:
            chosen += _gone(suite, manifest)
        if all(finding.state == "met" for finding in chosen):
            check_locked(suite, lock, manifest)
        for entry in entries:
            suite.tensors(entry, SIDES)
        findings += chosen
    everything = suites is None and cases is None
    absent = len(set(lock["cases"]) - {finding.id for finding in findings}) if everything else 0
    return Result(directory, tuple(findings), conformance, absent=absent)


def beside(directory, manifest):
    """Files of tensors beside the corpus and below it, which may be answers under a name that nothing reads."""
    read = {*ANSWERS, *(f"{suite}.safetensors" for suite in suites_of(directory, manifest))}
    paths = [
        os.path.join(folder, name) for folder, names in files_below(directory) for name in filter(is_of_tensors, names)
    ]
    return [name for name in (os.path.relpath(path, directory) for path in paths) if name not in read]


def not_read(directory, name):
    """The error on a file beside the corpus."""
    expected = "hold answers as answers.npz or answers.safetensors, and no other tensors beside the corpus"
    return refusal(directory, expected, repr(name))


def _only_its_own(directory, manifest):
    """Refuse tensors beside the corpus."""
    for name in beside(directory, manifest):
        raise not_read(directory, name)
    if manifest["prompt"]:
        where = os.path.basename(os.path.abspath(directory))
        received = f"no answers.npz or answers.safetensors in {where}"
        raise refusal(directory, "hold the answers to its prompts", received)


def _finding(entry, locked):
    digest = case_digest(entry)
    if locked is None:
        sentence = "E_MISSING: expected the digest of this case in the lock of refpos, got none"
        return Finding(entry["id"], "unusable", sentence=sentence)
    if locked != digest:
        sentence = f"expected the case digest {locked}, got {digest}"
        return Finding(entry["id"], "differs", sentence=sentence, flags=tuple(entry["flags"]))
    return Finding(entry["id"], "met", "correct")


def _gone(suite, manifest):
    """A finding for each case that the document should hold and does not."""
    document = suite.document
    held, name = {entry["id"] for entry in document["cases"]}, lock_name(document)
    return [
        Finding(case.id, "missing", sentence=f"E_MISSING: expected this case in {suite.path} ({name}), got none")
        for case in members_of(manifest, document["suite"])
        if case.id not in held
    ]
