"""The digest lock: what every published number is, so that none changes unnoticed.

`python -m refpos.golden.lock` compares every case with the lock and the package data with both; `--update` writes them
anew, after a deliberate change and a bump of VALUES_VERSION.
"""

import argparse
import sys

from .. import tensor_files
from .case import TIERS
from .discover import cases, suite_names
from .format import VALUES_VERSION, case_digest, serialise, version_numbers
from .generate import case_entry, generate, lock_name, sealed
from .read import DATA, LOCK, read_lock


def current(tiers=TIERS):
    """({case id: digest}, {document: digest}) of the tiers, computed now; a document is that of a suite up to one of
    the tiers, or of its prompts: bounds, flags and words are in it too."""
    digests, documents = {}, {}
    for suite in suite_names():
        entries = [case_entry(case, {}) for case in cases(suite) if case.tier in tiers]
        digests.update({entry["id"]: case_digest(entry) for entry in entries})
        for count in range(1, len(tiers) + 1):
            held = [entry for entry in entries if entry["tier"] in tiers[:count]]
            prompts = [_prompt(entry) for entry in held if "error" not in entry]
            for document in sealed(suite, held, tiers[:count]), sealed(suite, prompts, tiers[:count], prompt=True):
                documents[lock_name(document)] = document["digest"]
    return digests, documents


def _prompt(entry):
    """The entry without what it answers: of each output only the dtype and the shape."""
    rest = {name: value for name, value in entry.items() if name not in ("classes", "hardness", "outputs")}
    wanted = {name: {"dtype": held["dtype"], "shape": held["shape"]} for name, held in entry["outputs"].items()}
    return {**rest, "wanted": wanted}


def differences(locked, found):
    """One sentence for each name that is new, gone or changed."""
    lines = [f"{name}: new" for name in sorted(set(found) - set(locked))]
    lines += [f"{name}: expected {locked[name]}, got none" for name in sorted(set(locked) - set(found))]
    return lines + [
        f"{n}: expected {locked[n]}, got {found[n]}" for n in sorted(locked) if found.get(n, locked[n]) != locked[n]
    ]


def needed(lock, found, documents):
    """Which number of the version must rise: 0 MAJOR for a published bit, 1 MINOR for new cases, 2 PATCH for words and
    bounds, or None."""
    if any(found.get(id) != digest for id, digest in lock["cases"].items()):
        return 0
    if set(found) - set(lock["cases"]):
        return 1
    return 2 if any(documents.get(name, digest) != digest for name, digest in lock["documents"].items()) else None


def risen(old, new, place):
    """Whether the version rose at that place or above it; before the first release anything may."""
    old, new = version_numbers(old), version_numbers(new)
    return old == (0, 0, 0) or new[: place + 1] > old[: place + 1]


def main(arguments=None):
    """Compare with the lock, or write it and the package data anew; 0 when all agree."""
    parser = argparse.ArgumentParser(prog="python -m refpos.golden.lock", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the lock and the package data anew")
    options = parser.parse_args(arguments)
    lock, (found, documents) = read_lock(LOCK), current()
    lines = differences(lock["cases"], found) + differences(lock["documents"], documents)
    place = needed(lock, found, documents)
    if not options.update:
        print("\n".join(lines) or f"{len(found)} cases agree with the lock of values {lock['values_version']}")
        return 1 if lines else 0
    if place is not None and not risen(lock["values_version"], VALUES_VERSION, place):
        part = ("MAJOR", "MINOR", "PATCH")[place]
        print("\n".join(lines))
        print(
            f"VALUES_VERSION must have a higher {part} than {lock['values_version']}, got {VALUES_VERSION}",
            file=sys.stderr,
        )
        return 1
    generate(DATA, resume=False)
    tensor_files.write_atomically(
        LOCK, [serialise({"cases": found, "documents": documents, "values_version": VALUES_VERSION})]
    )
    print(f"{len(found)} cases locked as values {VALUES_VERSION}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
