"""The digest lock: what every published number is, so that none changes unnoticed.

`python -m refpos.golden.lock` computes every case and compares it, and the package data, with the lock. After a
deliberate change `--update PART` raises the version of the values by that part and writes the lock and the package data
of the suites that changed; it refuses a part that is too small for what changed.
"""

import argparse
import hashlib
import json
import sys

from .. import tensor_files
from ..errors import FileError
from ..guard import guarded
from . import read
from .case import TIERS
from .discover import cases, suite_names
from .format import case_digest, serialise, version_numbers
from .generate import as_prompt, case_entry, generate, lock_name, sealed
from .read import open_suite, read_lock, suite_version
from .run import arguments_of
from .strict_json import in_lines

PARTS = ("major", "minor", "patch")
REASONS = ("published numbers change or go", "there are new cases", "bounds, flags or words change")


# -- what the suites are now ------------------------------------------------------------------------------------------


def definitions(suite):
    """sha256 of all that the cases of a suite say before anything is computed."""
    said = [
        [case.id, case.about, arguments_of(case), case.inputs, case.flags, case.tier, case.source, case.refusal]
        for case in cases(suite)
    ]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode("ascii")).hexdigest()


def entries_of(suites, tiers=TIERS):
    """{suite: the entries of its cases}, computed now."""
    return {suite: [case_entry(case, {}) for case in cases(suite) if case.tier in tiers] for suite in suites}


def case_digests(computed):
    """{case id: digest} of {suite: entries}."""
    return {entry["id"]: case_digest(entry) for entries in computed.values() for entry in entries}


def document_digests(suite, entries, version, tiers=TIERS):
    """{document: digest} of a suite of that version, up to each of the tiers, and of its prompts: bounds, flags and
    words are in it too."""
    digests = {}
    for count in range(1, len(tiers) + 1):
        held = [entry for entry in entries if entry["tier"] in tiers[:count]]
        prompts = [as_prompt(entry) for entry in held if "error" not in entry]
        for prompt, members in ((False, held), (True, prompts)):
            document = sealed(suite, members, tiers[:count], version, prompt)
            digests[lock_name(document)] = document["digest"]
    return digests


def core_bytes(suite, entries, version):
    """sha256 of the file of a suite that is shipped."""
    held = [entry for entry in entries if entry["tier"] == TIERS[0]]
    return hashlib.sha256(serialise(sealed(suite, held, TIERS[:1], version))).hexdigest()


def current(lock, tiers=TIERS):
    """({case id: digest}, {document: digest}) of every suite, computed now, each in the version that the lock says."""
    computed, documents = entries_of(suite_names(), tiers), {}
    for suite, entries in computed.items():
        documents.update(document_digests(suite, entries, suite_version(lock, suite), tiers))
    return case_digests(computed), documents


# -- what differs -----------------------------------------------------------------------------------------------------


def differences(locked, received):
    """One sentence for each name that is new, gone or changed."""
    lines = [f"{name}: new" for name in sorted(set(received) - set(locked))]
    lines += [f"{name}: expected {locked[name]}, got none" for name in sorted(set(locked) - set(received))]
    changed = [name for name in sorted(locked) if received.get(name, locked[name]) != locked[name]]
    return lines + [f"{name}: expected {locked[name]}, got {received[name]}" for name in changed]


def shipped_differences(lock):
    """One sentence for each suite of the package data that is not the one in the lock, in its version."""
    lines = []
    for suite in suite_names():
        try:
            document = open_suite(read.DATA, suite).document
        except FileError as error:
            lines.append(str(error))
            continue
        received = {lock_name(document): document["digest"], "values_version": document["values_version"]}
        received["sha256"] = hashlib.sha256(serialise(document)).hexdigest()
        wanted = {name: lock["documents"].get(name, "none") for name in (f"{suite}/core",)}
        wanted["values_version"] = suite_version(lock, suite)
        wanted["sha256"] = lock["suites"].get(suite, {}).get("sha256", "none")
        lines += [f"package data: {line}" for line in differences(wanted, received)]
    return lines


def needed(lock, ids, documents):
    """Which part of the version must rise: 0 MAJOR for a published bit, 1 MINOR for new cases, 2 PATCH for words and
    bounds, or None. ids: {case id: digest}; documents: {document: digest}, of those that were computed."""
    if any(ids.get(id) != digest for id, digest in lock["cases"].items()):
        return 0
    if set(ids) - set(lock["cases"]):
        return 1
    return 2 if any(documents.get(name, digest) != digest for name, digest in lock["documents"].items()) else None


def needed_by_ids(lock):
    """(the part that must rise as far as the ids of the cases prove it, a sentence for each id that is new or gone)."""
    ids = {case.id: lock["cases"].get(case.id, "new") for case in cases()}
    return needed(lock, ids, {}), differences(lock["cases"], ids)


def raised(version, part):
    """The version with that part raised by one, and 0 in the parts behind it.

    >>> raised("1.2.3", 1)
    '1.3.0'
    """
    numbers = version_numbers(version)
    return ".".join(map(str, (*numbers[:part], numbers[part] + 1, *[0] * (2 - part))))


# -- the command ------------------------------------------------------------------------------------------------------


@guarded
def main(arguments=None):
    """Compare with the lock, or write it and the package data anew; 0 when all agree."""
    options = _options(arguments)
    lock = read_lock()
    part, lines = needed_by_ids(lock)
    if lines:
        which = f"the {PARTS[part]} part of the version {'rises' if options.update else 'must rise'}"
        print("\n".join([*lines, f"{which}: {REASONS[part]}"]), flush=True)
    if options.update:
        return _update(lock, PARTS.index(options.update), part, options.only_changed)
    ids, documents = current(lock)
    later = [line for line in differences(lock["cases"], ids) if line not in lines]
    later += differences(lock["documents"], documents) + shipped_differences(lock)
    if lines or later:
        print("\n".join(later))
        return 1
    print(f"{len(ids)} cases agree with the lock of values {lock['values_version']}")
    return 0


def _options(arguments):
    parser = argparse.ArgumentParser(prog="python -m refpos.golden.lock", description=__doc__)
    what = "; ".join(f"{part}: {reason}" for part, reason in zip(PARTS, REASONS))
    parser.add_argument("--update", choices=PARTS, help=f"raise that part of the version and write ({what})")
    only = "with --update: compute only the suites whose cases are defined otherwise than those of the lock"
    parser.add_argument("--only-changed", action="store_true", help=only)
    options = parser.parse_args(arguments)
    if options.only_changed and not options.update:
        parser.error("--only-changed goes with --update: a comparison computes every suite")
    return options


def _update(lock, part, proven, only_changed):
    """Write the lock and the package data, once the part that rises is enough for what changed."""
    if _too_small(part, proven):
        return 1
    suites = suite_names()
    changed = [suite for suite in suites if lock["suites"].get(suite, {}).get("definitions") != definitions(suite)]
    if only_changed and not changed:
        print("--only-changed must meet a suite whose cases are defined anew, got none: leave it out", file=sys.stderr)
        return 1
    computed = entries_of(changed if only_changed else suites)
    new = _updated(lock, computed, part)
    place = needed(lock, new["cases"], new["documents"])
    if _too_small(part, place):
        print("\n".join(differences(lock["cases"], new["cases"])))
        return 1
    if new != lock:
        tensor_files.write_atomically(read.LOCK, [in_lines(new)])
    generate(read.DATA)
    print(f"computed {len(computed)} of {len(suites)} suites; {len(new['cases'])} cases locked as values", end=" ")
    print(new["values_version"])
    if len(computed) < len(suites):
        print("the numbers of the other suites were not computed: python -m refpos.golden.lock compares them all")
    if place == 0:
        print("docs/golden-format.md must say under Errata what changed, and why")
    return 0


def _too_small(part, place):
    """Whether a larger part of the version must rise; says so."""
    if place is None or part <= place:
        return False
    sentence = f"--update must be {' or '.join(PARTS[: place + 1][::-1])}, since {REASONS[place]}, got {PARTS[part]}"
    print(sentence, file=sys.stderr)
    return True


def _updated(lock, computed, part):
    """The lock with the suites that were computed; a suite that changed is of the version that rises for it."""
    gone = set(lock["suites"]) - set(suite_names())
    renewed = gone | set(computed)
    kept = {
        name: {key: value for key, value in lock[name].items() if key.partition("/")[0] not in renewed}
        for name in ("cases", "documents", "suites")
    }
    ids = {**kept["cases"], **case_digests(computed)}
    documents, suites, version = kept["documents"], kept["suites"], raised(lock["values_version"], part)
    for suite, entries in computed.items():
        own = suite_version(lock, suite)
        digests = document_digests(suite, entries, own)
        if any(lock["documents"].get(name) != digest for name, digest in digests.items()):
            own, digests = version, document_digests(suite, entries, version)
        documents.update(digests)
        shipped = core_bytes(suite, entries, own)
        suites[suite] = {"definitions": definitions(suite), "sha256": shipped, "values_version": own}
    same = (ids, documents) == (lock["cases"], lock["documents"])
    return {
        "cases": ids,
        "documents": documents,
        "suites": suites,
        "values_version": lock["values_version"] if same else version,
    }


if __name__ == "__main__":
    sys.exit(main())
