"""The digest lock: what every published number is, so that none changes unnoticed.

`python -m refpos.golden.lock` compares every case with the lock and the package data with both; `--update` writes them
anew, after a deliberate change and a bump of VALUES_VERSION.
"""

import argparse
import sys

from .. import files
from .case import TIERS
from .discover import cases, suite_names
from .format import VALUES_VERSION, case_digest, serialise, version_numbers
from .generate import case_entry, document, generate
from .read import DATA, LOCK, read_lock


def current(tiers=TIERS):
    """{case id: digest} of every case of the tiers, computed now."""
    return {case.id: case_digest(case_entry(case, {})) for tier in tiers for case in cases(tier=tier)}


def current_documents():
    """{suite: digest of its core document}, computed now: bounds, flags and words are in it too."""
    return {name: document(name, cases(name, tier="core"), ("core",))[0]["digest"] for name in suite_names()}


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
    return 2 if documents != lock["documents"] else None


def risen(old, new, place):
    """Whether the version rose at that place or above it; before the first release anything may."""
    old, new = version_numbers(old), version_numbers(new)
    return old == (0, 0, 0) or new[: place + 1] > old[: place + 1]


def main(arguments=None):
    """Compare with the lock, or write it and the package data anew; 0 when all agree."""
    parser = argparse.ArgumentParser(prog="python -m refpos.golden.lock", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the lock and the package data anew")
    options = parser.parse_args(arguments)
    lock, found, documents = read_lock(LOCK), current(), current_documents()
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
    files.write_atomically(
        LOCK, [serialise({"cases": found, "documents": documents, "values_version": VALUES_VERSION})]
    )
    print(f"{len(found)} cases locked as values {VALUES_VERSION}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
