"""A comparison, a class or an end of the command with a mistake planted in it is never green."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_false_green import is_red

from refpos import cli, golden, tensor_files
from refpos.conformance.compare import compare

# -- classes ----------------------------------------------------------------------------------------------------------


KINDS = "float32-angle", "float32-product"


def verdict_on(expected, **outputs):
    """The finding of a case whose outputs have these errors and these bounds: {class: bound} and an error each."""
    from refpos.golden.verify import judged

    reports = {}
    for name, (error, limits) in outputs.items():
        bounds = {kind: np.array([limit]) for kind, limit in limits.items()}
        report = compare(np.array([1.0 + error]), np.ones(1), bounds=bounds)
        kinds = {"correct", "faithful", *limits}
        reports[name] = {kind: held.met for kind, held in report.classes.items() if kind in kinds}, report
    return judged({"id": "suite/case", "flags": []}, reports, expected)


def test_a_case_meets_the_classes_that_all_its_outputs_meet():
    # bounds that exclude other numbers
    one, other = ({kind: 2.0**-8 * (kind == met) for kind in KINDS} for met in KINDS)
    apart = verdict_on(None, cos=(2.0**-9, one), sin=(2.0**-9, other))
    assert (apart.state, apart.met) == ("differs", None) and "cos float32-angle, sin float32-product" in apart.sentence
    assert verdict_on(None, cos=(2.0**-9, one), sin=(0.0, other)).classes == ("float32-angle",)
    assert verdict_on(None, cos=(0.0, one), sin=(0.0, other)).met == "correct"
    # a class is not met for being named earlier in the list than another
    assert verdict_on("float32-product", cos=(2.0**-9, one)).state == "differs"
    assert verdict_on("float32-angle", cos=(2.0**-9, one)).state == "met"
    assert verdict_on("float32-logarithm", cos=(2.0**-9, one)).state == "differs"
    assert verdict_on("float32-logarithm", cos=(2.0**-52, one)).state == "met"


def test_the_closing_sentence_says_what_is_true_of_every_case():
    kinds = ("correct", "faithful"), ("float32-angle", "float32-exp-angle"), ("float32-product", "float32-power")
    found = [golden.Finding(f"alibi/{n}", "met", kind[0], classes=kind) for n, kind in enumerate(kinds)]
    mixed = golden.Result("mine", tuple(found))
    assert mixed and mixed.met is None and mixed.to_json()["class_met"] is None
    counts = "every case meets a class: correct 1, float32-angle 1, float32-product 1"
    assert counts in str(mixed) and counts in " ".join(cli_report(mixed).split())
    alike = golden.Result("mine", tuple(found[:2]))
    assert alike.met == "float32-angle" and "every case meets float32-angle" in cli_report(alike)
    assert not golden.Result("mine", ())


def cli_report(result):
    from refpos.cli import report

    return report.described(result)


# -- comparison -------------------------------------------------------------------------------------------------------

ONES = np.ones((2, 3), np.float32)

#: two arrays, and what else is given, that must not come out equal
PAIRS = {
    "one ulp": (ONES, np.nextafter(ONES, np.float32(2)), {}),
    "a sign": (ONES, -ONES, {}),
    "NaN on the left": (ONES * np.nan, ONES, {}),
    "NaN on the right": (ONES, ONES * np.nan, {}),
    "NaN in other places": (np.array([np.nan, 1.0]), np.array([1.0, np.nan]), {}),
    "NaN on both sides and one bit": (np.array([np.nan, 1.0]), np.array([np.nan, 1.0 + 2.0**-52]), {}),
    "infinities of other signs": (np.array([np.inf]), np.array([-np.inf]), {}),
    "infinity for the largest": (np.array([np.inf]), np.array([np.finfo(float).max]), {}),
    "another shape": (ONES, ONES.T, {}),
    "an axis more": (ONES, ONES[None], {}),
    "one for many": (np.float32(1), ONES, {}),
    "many for one": (ONES, ONES[:1, :1], {}),
    "empty for some": (ONES[:0], ONES, {}),
    "some for empty": (ONES, ONES[:0], {}),
    "empty of another shape": (np.zeros((0, 3)), np.zeros((3, 0)), {}),
    "empty of another kind": (np.zeros(0, np.float32), np.zeros(0, np.int64), {}),
    "integers for floats": (ONES.astype(np.int64), ONES, {}),
    "truth values for floats": (ONES > 0, ONES, {}),
    "patterns for numbers": (np.array([0x3F80], np.uint16), np.ones(1, np.float32), {}),
    "float16 for bfloat16": (
        np.ones(1, np.float16), tensor_files.Tensor("bfloat16", np.array([0x3F80], np.uint16)), {},
    ),
    "integers off by one": (np.arange(3), np.arange(1, 4), {}),
    "text": (np.array(["x"]), np.array(["x"]), {}),
    "objects": (np.array([None]), np.array([None]), {}),
    "nothing at all": (None, None, {}),
    "complex numbers": (ONES * 1j, ONES * 1j, {}),
    "lists of other lengths": ([[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]], {}),
    "no bounds": (ONES, ONES + 1, {"bounds": {}}),
    "an infinite bound": (ONES, ONES + 1, {"bounds": {"float32-angle": ONES * np.inf}, "conformance": "float32-angle"}),
    "a NaN for a bound": (ONES, ONES + 1, {"bounds": {"float32-angle": ONES * np.nan}, "conformance": "float32-angle"}),
    "a negative bound": (ONES, ONES + 1, {"bounds": {"float32-angle": -ONES}, "conformance": "float32-angle"}),
    "a bound of minus infinity": (ONES, ONES, {
        "bounds": {"float32-angle": ONES * -np.inf}, "conformance": "float32-angle"
    }),
    "bounds of another element": (np.array([1.0, 2.0]), np.array([1.0, 3.0]), {
        "bounds": {"float32-angle": np.array([2.0, 0.0])}, "conformance": "float32-angle"
    }),
    "bounds of another shape": (ONES, ONES + 1, {
        "bounds": {"float32-angle": np.full(6, 2.0)}, "conformance": "float32-angle"
    }),
    "one bound for all": (ONES, ONES + 1, {"bounds": {"float32-angle": 2.0}, "conformance": "float32-angle"}),
    "NaN within an infinite bound": (ONES * np.nan, ONES, {
        "bounds": {"float32-angle": ONES * np.inf}, "conformance": "float32-angle"
    }),
    "bounds on the count of ulps": (ONES, ONES + 1, {"bounds": {"correct": ONES * 1e9}}),
    "bounds of a class that is none": (ONES, ONES, {"bounds": {"exact": ONES}}),
    "a class without bounds": (ONES, ONES, {"conformance": "float32-angle"}),
    "a class that is none": (ONES, ONES, {"conformance": "exact"}),
    "a format that is none": (ONES, ONES, {"dtype": "float7"}),
    "a wider format than both": (ONES, ONES, {"dtype": "float64"}),
    "a format for integers": (np.arange(3), np.arange(3), {"dtype": "float32"}),
}  # fmt: skip


@pytest.mark.parametrize("planted", PAIRS)
def test_a_comparison_with_a_mistake_is_red(planted):
    actual, expected, options = PAIRS[planted]
    assert is_red(lambda: compare(actual, expected, **options))


def test_a_comparison_of_no_elements_says_so():
    assert str(compare(np.zeros((0, 3)), np.zeros((0, 3)))) == "nothing to compare: no elements of float64 in either"


X, Y = np.arange(6.0).reshape(2, 3), np.ones(2)

#: tensors of two archives, and the status of comparing them
ARCHIVES = {
    "no name in common": ({"a": X, "b": Y}, {"c": X, "d": Y}, 2, "'c', 'd', got 'a', 'b'"),
    "one tensor each, of two names": ({"x": X}, {"y": X}, 2, "'y', got 'x'"),
    "one name only on the left": ({"x": X, "y": Y}, {"x": X}, 1, "y"),
    "one name only on the right": ({"x": X}, {"x": X, "y": Y}, 1, "y"),
    "one name on each side": ({"x": X, "y": Y}, {"x": X, "z": Y}, 1, "z"),
    "no tensors on the left": ({}, {"x": X}, 2, "at least one tensor"),
    "no tensors on the right": ({"x": X}, {}, 2, "at least one tensor"),
    "no tensors": ({}, {}, 2, "at least one tensor"),
    "no elements": ({"x": X[:0]}, {"x": X[:0]}, 2, "at least one number"),
    "another shape": ({"x": X}, {"x": X.T}, 2, "E_SHAPE"),
    "another kind": ({"x": X}, {"x": X.astype(np.int64)}, 2, "E_DTYPE"),
    "one value": ({"x": X, "y": Y}, {"x": X, "y": 1 + Y}, 1, "y: "),
    "one empty of two, and one value": ({"x": X[:0], "y": Y}, {"x": X[:0], "y": 1 + Y}, 1, "y: "),
    "NaN on one side": ({"x": X * np.nan}, {"x": X}, 1, "x: "),
    "a name in other letters": ({"x": X}, {"X": X}, 2, "'X', got 'x'"),
}


@pytest.mark.parametrize("kinds", [("npz", "npz"), ("safetensors", "npz"), ("safetensors", "safetensors")])
@pytest.mark.parametrize("planted", ARCHIVES)
def test_archives_with_a_mistake_are_red(planted, kinds, tmp_path, capsys):
    *held, status, words = ARCHIVES[planted]
    write = {"npz": tensor_files.write_npz, "safetensors": tensor_files.write_safetensors}
    paths = [str(tmp_path / f"{side}.{kind}") for side, kind in zip("ab", kinds, strict=True)]
    for path, kind, tensors in zip(paths, kinds, held, strict=True):
        write[kind](path, tensors)
    assert cli.main(["compare", *paths]) == status
    said = capsys.readouterr()
    assert words in " ".join((said.err if status == 2 else said.out).split())
    assert cli.main(["compare", *paths, "--json"]) == status
    assert status == 2 or json.loads(capsys.readouterr().out)["passed"] is False


def test_npy_files_are_compared_whatever_their_names(tmp_path):
    for name, values in (("a", X), ("b", X), ("c", X + 1)):
        np.save(tmp_path / f"{name}.npy", values)
    tensor_files.write_npz(tmp_path / "one.npz", {"x": X})
    tensor_files.write_npz(tmp_path / "two.npz", {"x": X, "y": Y})
    statuses = {("a.npy", "b.npy"): 0, ("a.npy", "c.npy"): 1, ("a.npy", "one.npz"): 0, ("one.npz", "c.npy"): 1,
                ("a.npy", "two.npz"): 2, ("two.npz", "a.npy"): 2}  # fmt: skip
    for pair, status in statuses.items():
        assert cli.main(["compare", *(str(tmp_path / name) for name in pair)]) == status, pair


def test_names_from_files_reach_no_terminal_as_they_are(tmp_path, capsys):
    name = "\x1b[31mX\x07\u202e"
    held = {"a.npz": {name: X}, "b.npz": {name: X + 1}, "c.npz": {"y": X}, "d.npz": {name: X, "y": X}}
    for file, tensors in held.items():
        tensor_files.write_npz(tmp_path / file, tensors)
    for pair, status in ((("a.npz", "b.npz"), 1), (("a.npz", "c.npz"), 2), (("d.npz", "c.npz"), 1)):
        assert cli.main(["compare", *(str(tmp_path / name) for name in pair)]) == status
        said = "".join(capsys.readouterr())
        assert "\\x1b[31mX\\x07\\u202e" in said and all(c.isprintable() or c == "\n" for c in said)


# -- the command line -------------------------------------------------------------------------------------------------


BREAKDOWNS = [ValueError("x\ny"), KeyError("x"), ZeroDivisionError(), RecursionError("deep"), Warning("w")]


@pytest.mark.parametrize("error", BREAKDOWNS, ids=lambda error: type(error).__name__)
def test_a_breakdown_is_no_difference(error, monkeypatch, capsys, tmp_path):
    """Status 1 says that numbers differ; whatever else goes wrong is a sentence and 2."""

    def breaks(*paths, **options):
        raise error

    monkeypatch.setattr(golden, "verify", breaks)
    assert cli.main(["verify", "a.npz"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and type(error).__name__ in said.err
    assert said.err.startswith(f"refpos: a mistake of refpos itself, {Path(__file__).name} line ")


def test_an_interruption_stays_one(monkeypatch):
    def interrupted(*paths, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(golden, "verify", interrupted)
    assert cli.main(["verify", "a.npz"]) == 130
