"""Writing the corpus: one document and one payload for each suite, the manifest last."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import partial

from .. import checks, tensor_files
from ..errors import FileError, InputError, shown
from ..guard import guarded
from ..types import AnyPath, FloatName, Integer
from . import discover
from .arguments import json_value
from .bounds import bounds_of, largest, resolved
from .case import TIER_NAMES, TIERS, TierName
from .discover import chosen, dtype_name, is_of, names_of, suite_names
from .format import FORMAT_VERSION, LICENCE, SAMPLED, entry, refusal, sampled_entry, seal, serialise
from .hardness import hardness
from .read import open_suite, read_lock, suite_version
from .run import arguments_of, inputs_of, outputs_of
from .starter import evaluated
from .strict_json import in_lines

MANIFEST = "MANIFEST.json"


@guarded
def generate(
    directory: AnyPath,
    *,
    suites: str | Sequence[str] | None = None,
    tier: TierName = "core",
    cases: str | Sequence[str] | None = None,
    dtype: FloatName | None = None,
    prompt: bool = False,
    progress: Callable[[int, int, str], object] | None = None,
    resume: bool = True,
    threads: Integer | None = None,
) -> int:
    """Write the golden corpus to a directory: per suite a JSON document and, where needed, a safetensors payload.

    Parameters
    ----------
    directory : str or path
        Folder to write to.
    suites : str or sequence of str, optional
        Names of suites; None for all.
    tier : {'starter', 'core', 'extended', 'full'}, default 'core'
        "core", "extended" (core too), "full" (all three), or "starter": some twenty small cases of the core, whose
        frequencies and positions stand beside them evaluated.
    cases : str or sequence of str, optional
        Only those ids, or forms such as "rope/gpt-*".
    dtype : {'float64', 'float32', 'float16', 'bfloat16'}, optional
        Only cases whose outputs have that dtype.
    prompt : bool, default False
        Whether to write the inputs and the dtype and shape of the wanted outputs, but no values and no error cases: the
        blind exchange.
    progress : callable, optional
        Called with (cases done, cases in all, id).
    resume : bool, default True
        Whether to keep the suites in the directory that are complete and as locked.
    threads : int, optional
        Number of threads that may share a large table; the default is one for each core.

    Returns
    -------
    int
        The number of cases in the directory.

    Raises
    ------
    InputError
        E_CHOICE (suites, tier, and cases or dtype that no case has), E_DTYPE, E_SIZE (threads), E_FILE when the
        directory cannot be written or is full.

    Notes
    -----
    The same bytes on every platform, with every kernel. Files appear complete or not at all; MANIFEST.json, with the
    sha256 of each file, is written last.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, suites=["inverse_frequencies"]) > 10
    True
    """
    checks.thread_count(threads)
    return write_corpus(directory, suites, tier, cases, dtype, prompt, progress, resume, partial(_made_here, threads))


def write_corpus(directory, suites, tier, cases, dtype, prompt, progress, resume, make):
    """What `generate` says. make({suite: its cases}, prompt, progress) yields (suite, entries of its cases, payload) of
    the suites that are to be written, in any order."""
    names, tiers, lock = read_suites(suites), tiers_of(tier), read_lock()
    prompt, resume = checks.flag("prompt", prompt), checks.flag("resume", resume)
    progress = None if progress is None else checks.function("progress", progress)
    directory = checks.file_path("directory", directory)
    choice = _choice(names_of("cases", cases), dtype_name(dtype))
    wanted = wanted_cases(names, tiers, prompt, choice)
    make_folder(directory)
    total = sum(map(len, wanted.values()))
    step = Step(progress, total)
    held = {name: _kept(directory, name, wanted[name], tiers, prompt, lock) if resume else None for name in wanted}
    step(sum(len(members) for name, members in wanted.items() if held[name] is not None), "")
    missing = {name: members for name, members in wanted.items() if held[name] is None}
    if missing:
        _remove(os.path.join(directory, MANIFEST))  # it would vouch for files that are about to change
    for name, entries, payload in make(missing, prompt, step):
        if "starter" in tiers:
            entries = [with_evaluated(entry, case, payload) for entry, case in zip(entries, wanted[name])]
        held[name] = _write(directory, name, sealed(name, entries, tiers, suite_version(lock, name), prompt), payload)
        step(0, name)
    listed = {file: digest for digests in held.values() for file, digest in digests.items()}
    _write_manifest(
        directory,
        {
            "files": listed,
            "format_version": FORMAT_VERSION,
            "licence": LICENCE,
            "prompt": prompt,
            "tiers": list(tiers),
            "values_version": lock["values_version"],
            **choice,
        },
    )
    return total


def _choice(forms, dtype):
    """What the manifest says of a choice among the cases; nothing where there is none."""
    return {} if forms is None and dtype is None else {"choice": {"cases": forms, "dtype": dtype}}


def wanted_cases(names, tiers, prompt, choice):
    """{suite: its cases to write}; a choice, of which each part must be that of a case, may leave suites out."""
    members = [case for name in names for case in discover.cases(name) if is_of(case, tiers)]
    members = [case for case in members if not (prompt and case.refusal)]
    if choice:
        members = chosen(members, *choice["choice"].values())
    if not members:
        sentence = f"suites must have cases of tier {tiers[-1]}, got {shown(names)}"
        raise InputError("E_CHOICE", "suites", sentence)
    wanted = {name: [] for name in names}
    for case in members:
        wanted[case.suite].append(case)
    partial = choice or "starter" in tiers
    return {name: members for name, members in wanted.items() if members or not partial}


def _made_here(threads, missing, prompt, step):
    """The entries and the payload of each suite, computed in this process."""
    for name, members in missing.items():
        payload, entries = {}, []
        for case in members:
            step(0, case.id)
            entries.append(case_entry(case, payload, prompt, threads))
            step.done += 1
        yield name, entries, payload


class Step:
    """Progress, counted over all suites: called with the number of cases that are done since, and a name."""

    def __init__(self, progress, total):
        self.progress, self.done, self.total = progress, 0, total

    def __call__(self, count, name):
        """So many more cases are done, the last of that name."""
        self.done += count
        if self.progress:
            self.progress(self.done, self.total, name)


def read_suites(suites):
    """The names of the suites that are asked for, all of them for None."""
    known = suite_names()
    chosen = known if suites is None else checks.choices("suites", suites, known, "refpos list")
    return [name for name in known if name in chosen]


def tiers_of(tier):
    """The tiers that the name of one stands for: core is part of extended, and starter stands alone."""
    checks.choice("tier", tier, TIER_NAMES)
    return (tier,) if tier == "starter" else TIERS[: TIERS.index(tier) + 1]


# -- documents --------------------------------------------------------------------------------------------------------


def sealed(name, entries, tiers, version, prompt=False):
    """The document of a suite from the entries of its cases, with its digest."""
    held = {
        "cases": entries,
        "format_version": FORMAT_VERSION,
        "licence": LICENCE,
        "prompt": prompt,
        "suite": name,
        "tiers": list(tiers),
        "values_version": version,
    }
    return seal(held)


def case_entry(case, payload, prompt=False, threads=None):
    """The JSON object of a case; large tensors go to the payload."""
    tensors = inputs_of(case)
    common = {
        "about": case.about,
        "arguments": {name: json_value(value) for name, value in arguments_of(case).items()},
        "flags": list(case.flags),
        "id": case.id,
        "inputs": {name: entry(tensor, f"{case.id}/{name}", payload) for name, tensor in tensors.items()},
        "source": case.source,
        "tier": case.tier,
    }
    if case.refusal:
        return {**common, "error": dict(zip(("code", "argument"), case.refusal))}
    outputs = outputs_of(case, threads=threads)
    if prompt:
        wanted = {name: {"dtype": t.dtype, "shape": list(t.values.shape)} for name, t in outputs.items()}
        return {**common, "wanted": wanted}
    bounds = bounds_of(case.suite, arguments_of(case), tensors, outputs)
    return {
        **common,
        "classes": largest(bounds),
        "hardness": hardness(case, tensors, outputs),
        "outputs": {name: _output_entry(tensor, f"{case.id}/{name}", payload) for name, tensor in outputs.items()},
        "resolved": resolved(bounds, outputs),
    }


def as_prompt(entry):
    """The entry of a case without what it answers: of each output only the dtype and the shape."""
    rest = {name: value for name, value in entry.items() if name not in ("classes", "hardness", "outputs", "resolved")}
    wanted = {name: {"dtype": held["dtype"], "shape": held["shape"]} for name, held in entry["outputs"].items()}
    return {**rest, "wanted": wanted}


def with_evaluated(held, case, payload):
    """The entry of a case with what stands between its arguments and its outputs."""
    tensors = evaluated(case)
    return {**held, "evaluated": {name: entry(one, f"{case.id}/{name}", payload) for name, one in tensors.items()}}


def _output_entry(tensor, name, payload):
    return sampled_entry(tensor) if tensor.values.size > SAMPLED else entry(tensor, name, payload)


# -- files ------------------------------------------------------------------------------------------------------------


def make_folder(directory):
    """Make the directory, where it is not there yet."""
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise refusal(directory, "be a directory that can be made", error.strerror or str(error)) from None


def _remove(path):
    try:
        if os.path.lexists(path):
            os.remove(path)
    except OSError as error:
        raise refusal(path, "be a file that can be replaced", error.strerror or str(error)) from None


def _write(directory, name, content, payload):
    """Write the two files of a suite, the payload first; return their sha256 by name."""
    tensors = os.path.join(directory, f"{name}.safetensors")
    if payload:
        tensor_files.write_safetensors(tensors, payload)
    else:
        _remove(tensors)
    tensor_files.write_atomically(os.path.join(directory, f"{name}.json"), [serialise(content)])
    return file_digests(directory, name, payload)


def file_digests(directory, name, payload):
    """sha256 of the files of a suite, by file name."""
    names = [f"{name}.json"] + ([f"{name}.safetensors"] if payload else [])
    return {file: sha256(os.path.join(directory, file)) for file in names}


def sha256(path):
    """The digest of a file's bytes."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError as error:
        raise refusal(path, "be a readable file", error.strerror or str(error)) from None
    return digest.hexdigest()


def _kept(directory, name, members, tiers, prompt, lock):
    """The digests of a suite's files when they are complete, of these cases and of this version; else None."""
    try:
        suite = open_suite(directory, name, lock)
        for case in suite.document["cases"]:
            suite.tensors(case)
    except FileError:
        return None
    held = suite.document
    same = (
        held["values_version"] == suite_version(lock, name)
        and held["tiers"] == list(tiers)
        and held["prompt"] == prompt
        and [case["id"] for case in held["cases"]] == [case.id for case in members]
        and all(_agrees(case, member) for case, member in zip(held["cases"], members))
        and held["digest"] == lock["documents"].get(lock_name(held))
    )
    return file_digests(directory, name, suite.payload) if same else None


def lock_name(document):
    """The name of a document in the lock: rope/core, rope/extended, rope/full/prompt."""
    return "/".join([document["suite"], document["tiers"][-1]] + ["prompt"] * document["prompt"])


def _agrees(entry, case):
    """Whether an entry says of a case what the case says now, its numbers aside."""
    arguments = {name: json_value(value) for name, value in arguments_of(case).items()}
    said = entry["about"], entry["flags"], entry["source"], entry["tier"], entry["arguments"]
    return said == (case.about, list(case.flags), case.source, case.tier, arguments)


def _write_manifest(directory, manifest):
    tensor_files.write_atomically(os.path.join(directory, MANIFEST), [in_lines(manifest)])
