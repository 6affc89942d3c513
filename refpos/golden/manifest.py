"""A directory that `generate` wrote: its manifest, and its suites as far as the manifest and the lock bear them out."""

import os
import re
from fnmatch import fnmatchcase

from .. import checks
from ..errors import InputError, nearest, shortened, shown
from . import discover
from .case import TIERS
from .discover import is_of, matching, suite_names
from .format import FORMAT_VERSION, LICENCE, parse_json, refusal
from .generate import MANIFEST, as_prompt, case_entry, lock_name, sealed, sha256, with_evaluated
from .read import DATA, open_suite, read_lock, suite_version
from .strict_json import in_lines

FEW, LIKE = 5, 2  # names in a message: of suites, of cases
START = b'{\n "cases":'  # of every document of a suite
SAID_TWICE = ("format_version", "licence", "prompt", "tiers")  # by the manifest and by each document


def is_generated(path):
    """Whether the path is a directory with a manifest; one that holds suites and none is refused."""
    if not os.path.isdir(path):
        return False
    if os.path.exists(os.path.join(path, MANIFEST)):
        return True
    if any(_starts_as_a_suite(os.path.join(path, f"{name}.json")) for name in suite_names()):
        raise refusal(path, f"hold {MANIFEST}", f"no {MANIFEST}: generate was interrupted; run it again")
    return False


def _starts_as_a_suite(path):
    try:
        with open(path, "rb") as file:
            return file.read(len(START)) == START
    except OSError:
        return False


def read_manifest(directory):
    """The manifest of a directory, of this version; FileError where it is missing, edited or of another version."""
    path = os.path.join(directory, MANIFEST)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise refusal(path, "be a readable file", error.strerror or str(error)) from None
    manifest = parse_json(data, path)
    fields = {"files", "values_version", *SAID_TWICE}
    held = set(manifest) - {"choice"} if isinstance(manifest, dict) else None
    is_object = held == fields and isinstance(manifest["files"], dict)
    if not is_object or not all(re.fullmatch(r"[a-z0-9_]+\.(json|safetensors)", name) for name in manifest["files"]):
        raise refusal(path, f"have the fields {', '.join(sorted(fields))}", f"{manifest!r:.80}")
    if in_lines(manifest) != data:
        raise refusal(
            path,
            "be spelled as refpos writes it (sorted names, a line each, one space of indentation)",
            "another spelling",
        )
    version = read_lock()["values_version"]
    for field, here in ("format_version", FORMAT_VERSION), ("licence", LICENCE), ("values_version", version):
        if manifest[field] != here:
            expected = f"have the {field} {here!r} of this refpos, whose `refpos generate` writes the folder anew"
            raise refusal(path, expected, f"{manifest[field]!r:.80}")
    prompt, tiers = manifest["prompt"], manifest["tiers"]
    if type(prompt) is not bool or tiers not in [["starter"], *(list(TIERS[: n + 1]) for n in range(len(TIERS)))]:
        raise refusal(path, "say prompt and tiers as generate does", f"{prompt!r:.40}, {tiers!r:.40}")
    if "choice" in manifest and not _is_choice(manifest["choice"]):
        raise refusal(path, "say its choice as generate does", f"{manifest['choice']!r:.80}")
    return manifest


def _is_choice(choice):
    """Whether it is that of `generate`: forms of ids or null, and a dtype or null."""
    if not isinstance(choice, dict) or set(choice) != {"cases", "dtype"}:
        return False
    forms, dtype = choice["cases"], choice["dtype"]
    forms_fit = forms is None or (isinstance(forms, list) and all(isinstance(form, str) for form in forms))
    return forms_fit and (dtype is None or isinstance(dtype, str)) and (forms, dtype) != (None, None)


def members_of(manifest, name):
    """The cases that the document of a suite must hold, as its manifest says."""
    choice = manifest.get("choice", {"cases": None, "dtype": None})
    members = [case for case in discover.cases(name) if is_of(case, manifest["tiers"])]
    members = [case for case in members if not (manifest["prompt"] and case.refusal)]
    return matching(members, choice["cases"], choice["dtype"])


def suites_of(directory, manifest):
    """Names of the suites in the directory: those of the manifest, and what else stands there under such a name."""
    known, files = suite_names(), manifest["files"]
    stems = {file: file.partition(".")[0] for file in files}
    odd = [
        file for file, stem in stems.items()
        if stem not in known or f"{stem}.json" not in files or file not in (f"{stem}.json", f"{stem}.safetensors")
    ]  # fmt: skip
    if odd or not files:
        received = repr(odd[0]) if odd else "no files"
        raise refusal(os.path.join(directory, MANIFEST), "list the documents of known suites", received)
    there = [name for name in known if os.path.exists(os.path.join(directory, f"{name}.json"))]
    for file, stem in stems.items():
        if stem not in there:
            raise refusal(os.path.join(directory, file), f"be there, as {MANIFEST} says", "no such file")
    return there


def open_suites(directory, manifest, suites=None, cases=None):
    """[(Suite, its entries that are asked for)]: each name must be that of a suite there, and each form meet a case.

    suites: names, or None for all. cases: ids, or forms such as "rope/gpt-*", or None for all.
    """
    there, known = suites_of(directory, manifest), suite_names()
    for name in suites or ():
        checks.choice("suites", name, known, "refpos list")
        if name not in there:
            sentence = f"suites must be in {shortened(str(directory))}, which has {_few(there)}, got {name!r}"
            raise InputError("E_CHOICE", "suites", sentence)
    names = [name for name in there if suites is None or name in suites]
    chosen = {name: [form for form in cases or () if fnmatchcase(name, form.partition("/")[0])] for name in names}
    chosen = {name: forms for name, forms in chosen.items() if forms or cases is None}
    _check_files(directory, chosen, manifest)
    opened, met, lock = [], set(), read_lock()
    for name, forms in chosen.items():
        suite, entries = _opened(directory, name, manifest, lock), []
        for entry in suite.document["cases"]:
            fitting = [form for form in forms if fnmatchcase(entry["id"], form)]
            met.update(fitting)
            entries += [entry] if cases is None or fitting else []
        opened.append((suite, entries))
    if unknown := sorted(set(cases or ()) - met):
        ids = [entry["id"] for name in there for entry in open_suite(directory, name).document["cases"]]
        _check_chosen(unknown[0], ids, names)
        where = f"{shortened(str(directory), 80)}{_alike(nearest(unknown[0], ids, LIKE))}"
        sentence = f"cases must be ids of cases in {where}, or patterns of them, got {shown(unknown[0], 60)}"
        raise InputError("E_CHOICE", "cases", sentence)
    if not any(entries for _, entries in opened):
        raise refusal(directory, "hold suites of the golden corpus", "none")
    return opened


def _check_chosen(form, ids, suites):
    """Refuse a form that is met by cases of other suites than those that are chosen."""
    others = sorted({id.partition("/")[0] for id in ids if fnmatchcase(id, form)})
    if others:
        received = f"{shown(form, 60)} of {_few(others)}"
        sentence = f"cases must be those of the suites that are chosen ({_few(suites)}), got {received}"
        raise InputError("E_CHOICE", "cases", sentence)


def _few(names):
    """Some of the names, for a message."""
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def _alike(names):
    return f" (did you mean {', '.join(names)}?)" if names else " (`refpos list` names the suites)"


def _check_files(directory, names, manifest):
    """Refuse, with FileError, a file of these suites that is not the one in the manifest."""
    for file, wanted in manifest["files"].items():
        if file.partition(".")[0] in names:
            path = os.path.join(directory, file)
            got = sha256(path)
            if got != wanted:
                raise refusal(path, f"have the sha256 {wanted!r:.80} of {MANIFEST}", got)


def _opened(directory, name, manifest, lock):
    """The suite, with the files that the manifest lists, and its document of the kind that the manifest says."""
    listed = {file for file in manifest["files"] if file.partition(".")[0] == name}
    suite = open_suite(directory, name, lock)
    files = {f"{name}.json"} | ({f"{name}.safetensors"} if suite.payload else set())
    if listed and listed != files:
        raise refusal(
            os.path.join(directory, MANIFEST), f"list {' and '.join(sorted(files))}", ", ".join(sorted(listed))
        )
    for field in SAID_TWICE:
        said, held = manifest[field], suite.document[field]
        if held != said:
            raise refusal(suite.path, f"have the {field} {said!r} of {MANIFEST}", f"{held!r:.80}")
    return suite


def check_locked(suite, lock, manifest):
    """Refuse, with FileError, a document that is not the published one, whatever its own digests say."""
    name, received = lock_name(suite.document), suite.document["digest"]
    if manifest["tiers"] == ["starter"] or "choice" in manifest:
        if not members_of(manifest, suite.document["suite"]):
            raise refusal(suite.path, f"be of the cases that {MANIFEST} chooses", "a suite that has none of them")
        wanted, whose = _chosen_document(suite.document["suite"], lock, manifest)["digest"], "refpos writes for"
    else:
        wanted, whose = lock["documents"].get(name, "none"), "the lock of refpos has for"
    if received != wanted:
        raise refusal(suite.path, f"have the digest {wanted} that {whose} {name}", received)


def _chosen_document(name, lock, manifest):
    """The document of some cases of a suite: the published entries of the core, and those that are computed."""
    document = open_suite(DATA, name).document
    if document["digest"] != lock["documents"].get(lock_name(document)):
        raise refusal(DATA, f"hold {lock_name(document)} as the lock of refpos has it", document["digest"])
    shipped, entries = {entry["id"]: entry for entry in document["cases"]}, []
    for case in members_of(manifest, name):
        held = shipped[case.id] if case.id in shipped else case_entry(case, {})
        held = as_prompt(held) if manifest["prompt"] else held
        entries.append(with_evaluated(held, case, {}) if manifest["tiers"] == ["starter"] else held)
    return sealed(name, entries, manifest["tiers"], suite_version(lock, name), manifest["prompt"])
