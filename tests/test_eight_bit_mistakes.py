"""Answers in a wrong 8-bit format, or rounded or scaled by wrong rules, are named by every function that judges
them."""

from functools import partial

import ml_dtypes
import numpy as np
import pytest
from eight_bit_plants import E4, E5, LARGEST, OTHERS, PLANTS, scattered_blocks, tagged, telling, through
from tiers import sampled

import refpos
import refpos.testing
from refpos import golden, tensor_files
from refpos.cli import main
from refpos.golden.run import arguments_of, inputs_of
from refpos.tables import round_float8, round_mxfp8

plants = pytest.mark.parametrize("plant", sampled(PLANTS, 3), ids=lambda plant: plant.name.replace(" ", "-"))


def function_of(plant):
    return round_mxfp8 if plant.blocks else round_float8


def values_of(plant):
    return scattered_blocks() if plant.blocks else telling(plant.options["dtype"])


def given(arrays):
    """One array alone, and several as a tuple."""
    return arrays if len(arrays) > 1 else arrays[0]


def same(one, other):
    pairs = zip(one, other, strict=True)
    return all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


@plants
def test_the_right_numbers_are_those_of_the_package_and_a_plant_changes_them(plant):
    values = values_of(plant)
    found = function_of(plant)(values, **plant.options)
    right = plant.right(values)
    assert same(found if plant.blocks else (found,), right) and not same(right, plant.made(values))
    assert refpos.diagnose(given(right), function_of(plant), values, **plant.options).met == "correct"


@plants
def test_what_was_computed_is_named(plant):
    function, values = function_of(plant), values_of(plant)
    answer = given(plant.made(values))
    found = refpos.diagnose(answer, function, values, **plant.options)
    assert found.met is None and plant.named in found.explanations[0].computed, found
    compared = refpos.compare(answer, function, values, **plant.options)
    assert not compared and compared.met is None and plant.named in str(compared)
    with pytest.raises(AssertionError) as raised:
        refpos.testing.assert_matches(answer, function, values, **plant.options)
    assert plant.named in str(raised.value)


# -- golden cases -----------------------------------------------------------------------------------------------------

#: no golden case has numbers on two axes of 32 or more
WITH_CASES = [plant for plant in PLANTS if "columns" not in plant.name]


def applies(plant, case):
    arguments = {} if case.refusal or "values" not in case.inputs else arguments_of(case)
    return all(arguments.get(name) == value for name, value in plant.options.items())


def wrong_answers(plant):
    """{case: answers} of the golden cases of numbers that a plant changes."""
    names = ("elements", "scales") if plant.blocks else ("output",)
    found = {}
    for case in golden.cases(function_of(plant).__name__, tier="core"):
        tensor = inputs_of(case)["values"] if applies(plant, case) else None
        # what lies below float32 ml_dtypes rounds twice
        if tensor is None or tensor.dtype == "bfloat16" or not tensor.values.size or "/range-" in case.id:
            continue
        values = tensor.values.astype(np.float64)
        if plant.blocks and not np.isfinite(values).all():
            continue
        if not same(plant.right(values), plant.made(values)):
            found[case.id] = dict(zip(names, plant.made(values), strict=True))
    return found


@pytest.mark.parametrize("plant", sampled(WITH_CASES, 3), ids=lambda plant: plant.name.replace(" ", "-"))
def test_answers_to_golden_cases_are_named(plant):
    answers = wrong_answers(plant)
    result = golden.verify(answers, cases=list(answers))
    assert answers and not result and result.expected == len(answers) and not result.of("met")
    for finding in result.findings:
        told = [finding.sentence, *(one.computed for one in finding.explanations or ())]
        assert any(plant.named in one for one in told), finding


def test_a_file_of_another_format_is_named(tmp_path, capsys):
    case = golden.load("round_float8/edges-e4m3-saturated")
    patterns = case.outputs["output"].values.astype(np.uint8)
    path = tmp_path / "a.safetensors"
    tensor_files.write_safetensors(path, {case.id: patterns.view(ml_dtypes.float8_e5m2)})
    result = golden.verify(path, cases=[case.id])
    assert not result and f"the bytes of {E4} read as {E5}" in result.findings[0].sentence
    call = f"round_float8([1.0, 2.5], dtype='{E4}', saturate=True)"
    tensor_files.write_safetensors(path, {"y": np.array([1.0, 2.5]).astype(ml_dtypes.float8_e5m2)})
    assert main(["diagnose", str(path), call]) == 1
    report = " ".join(capsys.readouterr().out.split())
    assert f"your numbers are those of values rounded to {E5} (asked: {E4})" in report


# -- formats ----------------------------------------------------------------------------------------------------------


def test_one_wrong_element_of_blocks_is_listed():
    values = np.random.default_rng(4).normal(size=(8, 64))
    elements, scales = (one.copy() for one in round_mxfp8(values, dtype=E4, scale_rule="floor"))
    elements[3, 5] ^= 3
    found = refpos.diagnose((elements, scales), round_mxfp8, values, dtype=E4, scale_rule="floor")
    assert found.met is None and found.explanations[0].computed == f"elements[3, 5] = {elements[3, 5]}"
    assert found.explanations[0].asked == str(elements[3, 5] ^ 3)


@pytest.mark.parametrize("kind", [E5, *OTHERS])
def test_two_arrays_of_8_bits_are_compared_in_one_format(kind):
    ones = [np.ones(3).astype(getattr(ml_dtypes, name)) for name in (kind, E4)]
    with pytest.raises(refpos.InputError, match=f"got actual {kind} and expected {E4}"):
        refpos.compare(*ones)
    assert refpos.compare(ones[0], ones[0].copy()).met == "correct"


def test_numbers_are_no_bit_patterns():
    values = telling(E4)
    numbers = tagged(round_float8(values, dtype=E4, saturate=True), E4).astype(np.float32)
    sentence = f"expected {E4}, or its bit patterns as integers, got float32"
    with pytest.raises(refpos.InputError, match=sentence):
        refpos.diagnose(numbers, round_float8, values, dtype=E4, saturate=True)
    with pytest.raises(AssertionError, match=sentence):
        refpos.testing.assert_matches(numbers, round_float8, values, dtype=E4, saturate=True)


def test_an_array_of_another_format_that_is_otherwise_wrong_is_unexplained_and_not_met():
    wrong = np.random.default_rng(1).integers(0, 100, (4, 8)).astype(np.uint8)
    found = refpos.diagnose(tagged(wrong, E5), round_float8, np.ones((4, 8)), dtype=E4, saturate=True)
    assert found.met is None and found.unexplained
    with pytest.raises(AssertionError, match=f"expected {E4}, or its bit patterns as integers, got {E5}$"):
        refpos.testing.assert_matches(tagged(wrong, E5), round_float8, np.ones((4, 8)), dtype=E4, saturate=True)


# -- results of other functions ---------------------------------------------------------------------------------------

X = np.random.default_rng(3).normal(size=(40, 16)).astype(np.float32)
CALLS = {
    "sinusoidal": partial(refpos.sinusoidal, 40, 16, dtype="float32"),
    "rope": partial(refpos.rope, X, 40, pairing="half"),
    "rope_table": partial(refpos.rope_table, 40, refpos.inverse_frequencies(16), dtype="float32"),
    "attention": partial(refpos.attention, X, X, X),
}


@pytest.mark.parametrize("first", sampled(["float32", "bfloat16"], 2))
@pytest.mark.parametrize("kind", sampled([E4, E5, "float8_e4m3fnuz"], 3))
@pytest.mark.parametrize("name", CALLS)
def test_results_in_8_bits_are_named(name, kind, first):
    """As an array of the format, or widened again."""
    call = CALLS[name]
    made = call() if name == "rope_table" else (call(),)
    cast = [through(one, first).astype(getattr(ml_dtypes, kind)) for one in made]
    text = f"the result rounded to {kind}" + (", and to bfloat16 first" if first == "bfloat16" else "")
    for answer in (cast, [one.astype(np.float32) for one in cast]):
        arguments = {key: value for key, value in call.keywords.items() if key != "dtype"}
        found = refpos.diagnose(given(tuple(answer)), call.func, *call.args, **arguments)
        assert found.met is None and found.explanations[0].computed == text, found
        assert found.explanations[0].met == "correct" and found.explanations[0].error_after == 0


def test_results_of_few_numbers_say_nothing_of_a_format():
    answer = np.array([[0.5, 1.0], [2.0, -1.0]], np.float32)
    found = refpos.diagnose(answer, refpos.rope, np.ones((2, 2), np.float32), 2, pairing="half")
    assert found.met is None and not any("float8" in one.computed for one in found.explanations)


def test_the_largest_numbers_of_the_plants_are_those_of_ml_dtypes():
    assert {kind: float(ml_dtypes.finfo(kind).max) for kind in (E4, E5)} == LARGEST


def test_bytes_that_were_read_as_int8_are_bit_patterns():
    """As `tensor.view(torch.int8)` gives them; in memory, in a test and of a golden case."""
    x = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)
    options = {"dtype": E4, "saturate": True}
    codes = refpos.tables.round_float8(x, **options)
    signed = codes.view(np.int8)
    assert (signed < 0).any() and refpos.compare(signed, refpos.tables.round_float8, x, **options)
    assert not refpos.compare(signed + np.int8(1), refpos.tables.round_float8, x, **options)
    refpos.testing.assert_matches(signed, refpos.tables.round_float8, x, **options)
    case = refpos.golden.load("round_float8/scattered-f32-e4m3")
    answers = {f"{case.id}/{name}": one.values.astype(np.uint8).view(np.int8) for name, one in case.outputs.items()}
    assert refpos.golden.verify(answers, cases=[case.id])
    # position ids of int8 are numbers
    assert not refpos.compare(np.array([-1, 0], np.int8), refpos.positions.packed_positions, [0, 2], restart=True)
