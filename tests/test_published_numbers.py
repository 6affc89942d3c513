"""What refpos computes is what it ships: the bits of every output, every largest bound, and how near each case comes to
a rounding boundary. No suite and no case is sampled.
"""

import pytest

from refpos import golden, kernels
from refpos.golden.bounds import bounds_of, largest
from refpos.golden.format import digest
from refpos.golden.hardness import hardness
from refpos.golden.read import DATA, open_suite, read_lock
from refpos.golden.run import arguments_of, inputs_of, outputs_of
from refpos.kernels import numpy_kernels

LOCK = read_lock()  # with it documents are read and not checked again
NAMES = golden.suite_names()
each_suite = pytest.mark.parametrize("name", NAMES)


def shipped(name):
    """(case, its entry in the shipped document) of every case of a suite that has outputs."""
    cases = {case.id: case for case in golden.cases(name, tier="core")}
    entries = [entry for entry in open_suite(DATA, name, LOCK).document["cases"] if "outputs" in entry]
    assert entries
    return [(cases[entry["id"]], entry) for entry in entries]


def other_values(entry, outputs):
    """One sentence for each output whose name, dtype, shape or bits are not those of the entry."""
    if set(outputs) != set(entry["outputs"]) or not outputs:
        yield f"{entry['id']} must give {sorted(entry['outputs'])}, got {sorted(outputs)}"
    for name in outputs.keys() & entry["outputs"]:
        if digest(outputs[name]) != entry["outputs"][name]["sha256"]:
            yield f"{entry['id']} must give the published bits of {name}, got others"


def other_bounds(case, entry, outputs):
    """One sentence for each class whose largest bounds are not those of the entry."""
    limits = largest(bounds_of(case.suite, arguments_of(case), inputs_of(case), outputs))
    for kind in sorted(limits.keys() | entry["classes"].keys()):
        published = entry["classes"].get(kind)
        if limits.get(kind) != published:
            yield f"{case.id} must have the published bound {published} of {kind}, got {limits.get(kind)}"


def other_hardness(case, entry, outputs):
    found = hardness(case, inputs_of(case), outputs)
    if found != entry["hardness"]:
        yield f"{case.id} must have the published hardness {entry['hardness']}, got {found}"


@each_suite
def test_every_case_has_the_published_values_and_bounds(name):
    differences = []
    for case, entry in shipped(name):
        outputs = outputs_of(case)
        differences += [*other_values(entry, outputs), *other_bounds(case, entry, outputs)]
    assert differences == []


@pytest.mark.exhaustive
@each_suite
def test_every_case_has_the_published_values_with_numpy_kernels(name, monkeypatch):
    monkeypatch.setattr(kernels, "active", numpy_kernels)
    assert [sentence for case, entry in shipped(name) for sentence in other_values(entry, outputs_of(case))] == []


@pytest.mark.exhaustive
@each_suite
def test_every_case_has_the_published_hardness(name):
    pairs = shipped(name)
    assert [words for case, entry in pairs for words in other_hardness(case, entry, outputs_of(case))] == []


def test_no_published_case_is_left_out():
    published = [(name, entry["id"]) for name in NAMES for entry in open_suite(DATA, name, LOCK).document["cases"]
                 if "outputs" in entry]  # fmt: skip
    assert [(name, case.id) for name in NAMES for case, _ in shipped(name)] == published
    assert len(published) > 4200


def test_each_difference_is_named():
    case, entry = shipped("alibi")[0]
    outputs = outputs_of(case)
    assert [*other_values(entry, outputs), *other_bounds(case, entry, outputs)] == []
    assert list(other_hardness(case, entry, outputs)) == []
    changed = {
        **entry,
        "outputs": {"output": {**entry["outputs"]["output"], "sha256": "0" * 64}},
        "classes": {**entry["classes"], "float32-power": {"output": "0" * 16}},
        "hardness": {"bits": 1, "ties": 0},
    }
    assert list(other_values(changed, outputs)) == [f"{case.id} must give the published bits of output, got others"]
    assert list(other_values(entry, {})) == [f"{case.id} must give ['output'], got []"]
    assert [words.split(" of ")[1][:13] for words in other_bounds(case, changed, outputs)] == ["float32-power"]
    assert list(other_hardness(case, changed, outputs)) == [
        f"{case.id} must have the published hardness {changed['hardness']}, got {entry['hardness']}"
    ]
