"""Comparison with a call, in memory and by command: what cannot be used is refused, and nothing passes uncompared."""

import json
import re

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import cli, golden
from refpos.conformance import CLASSES
from refpos.errors import InputError

FREQUENCIES = refpos.inverse_frequencies(16)
TABLES = refpos.rope_table(40, FREQUENCIES, dtype="float32")


def test_a_comparison_with_a_call_judges_by_its_bounds():
    angles = np.arange(40, dtype=np.float32)[:, None] * FREQUENCIES.rounded("float32")
    result = refpos.compare((np.cos(angles), np.sin(angles)), refpos.rope_table, 40, FREQUENCIES)
    assert result and result.met == "float32-angle" and result.diagnosis is None and result.count == 640
    strict = refpos.compare((np.cos(angles), np.sin(angles)), refpos.rope_table, 40, FREQUENCIES, conformance="correct")
    assert not strict and strict.diagnosis is None
    json.dumps(result.to_json())


def test_a_class_that_a_format_does_not_have_is_named():
    held = refpos.rope_table(40, FREQUENCIES, dtype="bfloat16")
    held[0][1:] = held[0][:-1].copy()
    said = str(refpos.compare(held, refpos.rope_table, 40, FREQUENCIES, conformance="bfloat16-table"))
    assert "bfloat16 numbers have no class bfloat16-table, theirs are correct, faithful, float64-angle, float32" in said
    said = str(refpos.compare(TABLES, refpos.rope_table, 40, FREQUENCIES, conformance="bfloat16-table"))
    assert "have no class" not in said


def test_one_of_several_outputs_goes_in_by_name():
    with pytest.raises(InputError, match=re.escape("one of them alone as {'cos': cos}, got ndarray")):
        refpos.compare(TABLES[0], refpos.rope_table, 40, FREQUENCIES)
    assert refpos.compare({"cos": TABLES[0]}, refpos.rope_table, 40, FREQUENCIES).met == "correct"


def test_a_wrong_one_has_a_diagnosis_that_json_holds():
    result = refpos.compare(TABLES[::-1], refpos.rope_table, 40, FREQUENCIES)
    assert not result and result.met is None
    plain = json.loads(json.dumps(result.to_json()))
    assert plain["diagnosis"]["explanations"][0]["computed"] == "cos and sin exchanged"
    assert "cos and sin exchanged" in str(result)


@pytest.mark.parametrize(
    ("actual", "function", "given", "named", "code"),
    [
        (TABLES, np.sin, (40,), {}, "E_CHOICE"),
        (TABLES, refpos.rope_table, (40,), {}, "E_MISSING"),
        (TABLES, refpos.rope_table, (40, FREQUENCIES), {"pairing": "half"}, "E_CHOICE"),
        (TABLES[0], refpos.rope_table, (40, FREQUENCIES), {}, "E_MISSING"),
        ({}, refpos.rope_table, (40, FREQUENCIES), {}, "E_MISSING"),
        ({"cosine": TABLES[0]}, refpos.rope_table, (40, FREQUENCIES), {}, "E_MISSING"),
        ((TABLES[0][:9], TABLES[1]), refpos.rope_table, (40, FREQUENCIES), {}, "E_SHAPE"),
        (tuple(one.astype(complex) for one in TABLES), refpos.rope_table, (40, FREQUENCIES), {}, "E_DTYPE"),
        (tuple(one[:0] for one in TABLES), refpos.rope_table, (0, FREQUENCIES), {}, "E_MISSING"),
    ],
)
def test_what_cannot_be_compared_is_refused(actual, function, given, named, code):
    for call in (refpos.diagnose, refpos.compare):
        with pytest.raises(refpos.InputError) as error:
            call(actual, function, *given, **named)
        assert error.value.code == code


def test_of_several_calls_that_hold_the_strictest_class_comes_first():
    ones = {"cos": np.ones((26, 8), np.float32)}
    found = refpos.diagnose(ones, refpos.rope_table, 26, refpos.inverse_frequencies(16, base=500000)).explanations
    order = [list(CLASSES).index(one.met) for one in found]
    assert found[0].computed == "positions all 0" and found[0].met == "correct"
    assert order == sorted(order) and order[0] < order[-1]


def test_nan_is_wrong_and_said():
    table = np.full((40, 16), np.nan, np.float32)
    found = refpos.diagnose(table, refpos.sinusoidal, 40, 16)
    assert found.met is None and [one.computed for one in found.explanations] == ["all numbers are NaN"]
    assert found.explanations[0].met == "" and found.where[-1] == "output: all numbers are NaN"
    assert found.where[0] == "output: all 640 elements are off; nan for 0.0 at [0, 0]" and len(found.where) == 2


def test_frequencies_keep_the_call_that_made_them():
    made = refpos.yarn(16, factor=4, original_max_position_embeddings=64)
    assert made.recipe == ("yarn", (16,), {"factor": 4, "original_max_position_embeddings": 64})
    one, other = refpos.inverse_frequencies(8, base=20000), refpos.ntk(8, base=10000, factor=2, rule="product")
    assert (one.recipe[0], other.recipe[0]) == ("inverse_frequencies", "ntk")


def test_frequencies_of_a_list_that_has_changed_are_those_of_their_numbers():
    numbers = np.array([1.0, 0.5])
    made = refpos.frequencies.given_frequencies(numbers)
    numbers[1] = 0.25
    right = refpos.rope_table(9, made, dtype="float32")
    assert refpos.compare(right, refpos.rope_table, 9, made).met == "correct"


def test_verify_takes_a_dict():
    id = "rope_table/telling-500000-f32"
    outputs = {name: tensor.values for name, tensor in golden.load(id).outputs.items()}
    assert golden.verify({id: outputs}, cases=[id])
    assert golden.verify({f"{id}/{name}": array for name, array in outputs.items()}, cases=[id])
    assert golden.verify({id: {"cos": outputs["cos"]}}, cases=[id]).exit_code == 2
    wrong = golden.verify({id: {"cos": outputs["sin"], "sin": outputs["cos"]}}, cases=[id])
    assert wrong.exit_code == 1 and wrong.explanations[0][1] == "cos and sin exchanged"
    for bad in ({}, {3: outputs}, {id: {}}):
        with pytest.raises(refpos.InputError):
            golden.verify(bad, cases=[id])


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("rope_table(40, inverse_frequencies(16))", 0),
        ("rope_table(40, inverse_frequencies(16, base=5000))", 1),
        ("rope_table(p, inverse_frequencies(16))", 0),
        ("refpos.rope_table(p, refpos.inverse_frequencies(16))", 0),
        ("os.rope_table(p, inverse_frequencies(16))", 2),
        ("rope_table(q, inverse_frequencies(16))", 2),
        ("rope_table(40, inverse_frequencies(16, bass=5000))", 2),
        ("rope_table(40, inverse_frequencies(16), **{'dtype': 'float32'})", 2),
        ("rope_table(40, inverse_frequencies(16, **{'base': 5000}))", 2),
        ("rope_table(40, __import__('os'))", 2),
        ("rope_table", 2),
        ("", 2),
    ],
)
def test_the_command(tmp_path, capsys, call, status):
    np.savez(tmp_path / "mine.npz", cos=TABLES[0], sin=TABLES[1])
    np.save(tmp_path / "p.npy", np.arange(40))
    arguments = ["diagnose", str(tmp_path / "mine.npz"), call, "--arrays", f"p={tmp_path / 'p.npy'}"]
    assert cli.main(arguments) == status
    if status < 2:
        assert cli.main([*arguments, "--json"]) == status
        assert '"unexplained"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("inverse_frequencies(4, base=5, base=10000)", "base"),
        ("sinusoidal(9, dim=8, dim=8)", "dim"),
        ("rope_table(9, inverse_frequencies(4, base=5, base=10000))", "base"),
    ],
)
def test_an_argument_that_a_call_names_twice_is_refused(tmp_path, capsys, call, name):
    np.save(tmp_path / "mine.npy", refpos.inverse_frequencies(4).inv_freq)
    assert cli.main(["diagnose", str(tmp_path / "mine.npy"), call]) == 2
    assert f"E_CHOICE: call must name each argument once, got {name} twice in" in capsys.readouterr().err


def test_a_file_larger_than_the_memory_is_refused_unread(tmp_path, capsys):
    with open(tmp_path / "big.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10 << 27,)})
        file.truncate(file.tell() + (10 << 30))
    assert cli.main(["diagnose", str(tmp_path / "big.npy"), "sinusoidal(9, 8)"]) == 2
    assert "must hold at most 4294967296 bytes" in capsys.readouterr().err


def test_offsets_of_a_grid_that_were_ignored_are_named():
    x = np.random.default_rng(0).normal(size=(24, 32)).astype(np.float32)
    mine = refpos.rope_2d(x, 4, 6, axis_order="hw", pairing="half")
    for rows, columns in ((np.arange(3, 7), range(2, 8)), ([0, 1, 2, 3], np.arange(2, 8))):
        found = refpos.compare(mine, refpos.rope_2d, x, rows, columns, axis_order="hw", pairing="half")
        assert not found
        assert found.diagnosis.explanations[0].computed == "coordinates counted from 0 on every axis (offsets ignored)"
    assert refpos.compare(mine, refpos.rope_2d, x, range(4), np.arange(6), axis_order="hw", pairing="half")


# -- answers in another format ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("got, asked", [("float32", "float64"), ("float16", "float32"), ("float16", "bfloat16")])
def test_a_format_that_is_too_narrow_is_named(got, asked):
    table = refpos.sinusoidal(40, 16, dtype=got)
    result = refpos.compare(table, refpos.sinusoidal, 40, 16, dtype=asked)
    assert not result and result.met is None and result.diagnosis.met is None and not result.diagnosis.unexplained
    (found,) = result.diagnosis.explanations
    assert (found.mistake, found.computed, found.asked) == ("dtype", f"dtype={got!r}", f"dtype={asked!r}")
    assert (found.met, found.elements) == ("correct", 640)


def test_a_format_that_is_too_narrow_is_named_beside_another_mistake():
    table = refpos.sinusoidal(np.arange(40) + 1, 16, dtype="float32")[None]
    (found,) = refpos.diagnose(table, refpos.sinusoidal, 40, 16, dtype="float64").explanations
    parts = "positions + 1", "the numbers in another shape of the same order", "dtype='float32'"
    assert found.computed == " and ".join(parts) and found.asked.endswith("dtype='float64'")


@pytest.mark.parametrize("widened", [False, True])
@pytest.mark.parametrize("far", [False, True])
def test_the_error_before_is_that_against_the_format_that_is_asked_for(widened, far):
    x = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)
    right = refpos.rope(x, 16, pairing="half")
    made = refpos.rope(x, np.arange(16) + 1, pairing="half") if far else right
    mine = made.astype(ml_dtypes.bfloat16)
    before = float(np.abs(mine.astype(np.float64) - right).max())
    mine = mine.astype(np.float32) if widened else mine
    first = refpos.diagnose(mine, refpos.rope, x, 16, pairing="half").explanations[0]
    assert "the result rounded to bfloat16" in first.computed and ("positions + 1" in first.computed) == far
    assert first.error_before == before > 1e-4 and first.error_after == 0


def test_a_format_that_nobody_said_is_no_mistake_and_whole_numbers_are_no_format():
    assert refpos.diagnose(refpos.sinusoidal(40, 16, dtype="float32"), refpos.sinusoidal, 40, 16).met == "correct"
    with pytest.raises(refpos.errors.InputError, match="expected float64"):
        refpos.diagnose(np.zeros((40, 16), np.int64), refpos.sinusoidal, 40, 16, dtype="float64")


def test_a_diagnosis_is_neither_true_nor_false():
    """Its truth was false where something had been found, so that `if result.diagnosis:` never held."""
    table = refpos.sinusoidal(12, 8, dtype="float32")
    for actual in (table, table[::-1]):
        found = refpos.diagnose(actual, refpos.sinusoidal, 12, 8)
        with pytest.raises(refpos.errors.InputError, match=r"must be asked for .met .* got bool"):
            bool(found)
    result = refpos.compare(table[::-1], refpos.sinusoidal, 12, 8)
    assert not result and result.diagnosis is not None and result.diagnosis.met is None


def test_a_position_without_axes_is_moved_as_one_position():
    """A moved one would count 16 million positions."""
    frequencies, at = refpos.inverse_frequencies(8), np.array(2**24 + 1)
    cos, sin = refpos.rope_table(at, frequencies)
    assert "cos and sin" in str(refpos.compare((sin, cos), refpos.rope_table, at, frequencies))
