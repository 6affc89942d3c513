"""What `verify` says of wrong answers: the one mistake of float32 code that shares nothing with refpos, by name."""

import numpy as np
import pytest
import test_float32_answers as honest
from float32 import angles
from test_float32_answers import bfloat16, of_thetas, on_result, with_argument
from tiers import sampled

from refpos import golden
from refpos.diagnosis import explaining, mistakes, search
from refpos.diagnosis.call import Call
from refpos.diagnosis.mistake import same
from refpos.golden import run

SWAPPED = {"half": "interleaved", "interleaved": "half"}
TABLES = ["rope_table", "rope"]
SCALINGS = ("linear", "yarn", "llama3", "ntk", "dynamic_ntk")


def of_base(base):
    return lambda made: lambda dim, _=None, exponent_dim=None, **other: made(dim, base, exponent_dim)


def turned_back(turned):
    return lambda x, tables, channels, inverse=False: turned(x, tables, channels, not inverse)


def unscaled(made):
    def without(call):
        options = call["arguments"]
        known = call["function"] in SCALINGS and "dim" in options
        return angles.inverse_frequencies(options["dim"], options.get("base", 10000.0)) if known else made(call)

    return without


def every(call):
    return True


def listed(call):
    """Whether positions are an array of integers that float32 holds, and so does their neighbour."""
    tensor = call.tensors.get("positions")
    return tensor is not None and tensor.dtype == "int64" and np.abs(tensor.values).max(initial=0) < 2**23


def by_base(call):
    """Whether the frequencies are those of a base alone."""
    made = call.arguments.get("frequencies")
    return made is None or made["function"] == "inverse_frequencies"


def scaled(call):
    made = call.arguments.get("frequencies")
    return made is not None and made["function"] in SCALINGS and "dim" in made["arguments"]


#: {mistake: (function of angles.py, how it is changed, suites, how its explanation begins, which calls, least cases)}
PLANTED = {
    "the other pairing": ("rope", with_argument(pairing=SWAPPED.get), ["rope"], "pairing=", every, 100),
    "cosines and sines exchanged": ("waves", on_result(lambda made: made[::-1]), ["rope_table"], "cos and", every, 100),
    "a position too far": ("places", on_result(lambda p: p + 1), TABLES, "positions + 1", listed, 100),
    "a position too near": ("places", on_result(lambda p: p - 1), TABLES, "positions - 1", listed, 100),
    "positions in bfloat16": ("places", on_result(bfloat16), TABLES, "positions held in bfloat16", listed, 5),
    "another base": ("inverse_frequencies", of_base(1000.0), TABLES, "base=1000", by_base, 40),
    "inv_freq in bfloat16": (
        "inverse_frequencies", of_thetas(bfloat16), TABLES, "inv_freq rounded to bfloat16", by_base, 40
    ),
    "turned back": ("turned", turned_back, ["rope"], "inverse=", every, 100),
    "no scaling": ("made", unscaled, TABLES, "no scaling", scaled, 5),
    "another order of axes": (
        "sincos_2d", with_argument(axis_order=lambda order: order[::-1]), ["sincos_2d"], "axis_order=", every, 20
    ),
}  # fmt: skip


def call_of(case):
    arguments = {key: run.call(value) for key, value in run.arguments_of(case).items()}
    return Call(case.suite, arguments, run.inputs_of(case))


def failing_cases(name, monkeypatch):
    """{id: Trial} of every case that a planted mistake moves out of all classes."""
    function, change, suites, _, known, _ = PLANTED[name]
    right = {suite: honest.right_answers(suite) for suite in suites}
    monkeypatch.setattr(angles, function, change(getattr(angles, function)))
    trials = {}
    for suite in suites:
        cases = honest.cases_of(suite)
        wrong = honest.answers(cases)
        for case in cases:
            answered = {output: wrong[f"{case.id}/{output}"] for output in run.outputs_of(case)}
            if any(honest.moved(right[suite][f"{case.id}/{output}"], tensor) for output, tensor in answered.items()):
                # at positions beyond float32 no bound of float32 tells one mistake from another
                if known(call_of(case)) and not (case.id.startswith("rope_table/hard-") and case.id.endswith("-f64")):
                    trials[case.id] = search.Trial(call_of(case), run.outputs_of(case), answered)
    return trials


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PLANTED)
def test_a_mistake_of_other_code_is_named_in_every_case(name, monkeypatch):
    *_, computed, _, least = PLANTED[name]
    trials = failing_cases(name, monkeypatch)
    assert len(trials) >= least, len(trials)
    unnamed = []
    for id in explaining._spread(list(trials), 60):
        found = [one.computed for one in search.explanations(trials[id])]
        # an emulation with that mistake says so behind its name
        if not any(one.startswith(computed) or f" with {computed}" in one for one in found):
            unnamed.append((id, found))
    assert not unnamed, f"{len(unnamed)} of {len(trials)}: {unnamed[:10]}"


@pytest.mark.parametrize("name", sampled(["the other pairing", "a position too far", "inv_freq in bfloat16"], 3))
def test_the_report_says_it_first(tmp_path, monkeypatch, name):
    function, change, suites, computed, *_ = PLANTED[name]
    cases = [case for case in honest.cases_of(suites[0]) if "float32" in honest.dtypes(case).values()]
    cases = [case for case in cases if listed(call_of(case)) and by_base(call_of(case))][:3]
    monkeypatch.setattr(angles, function, change(getattr(angles, function)))
    result = honest.verified(tmp_path, cases, honest.answers(cases), None)
    assert result.exit_code == 1 and result.tried
    assert [what.startswith(computed) for _, what, _ in result.explanations] == [True] * len(result.explanations) != []
    text = str(result)
    first = text.index("your numbers are those of")
    assert computed in text[first : first + 80]
    assert not any(flag in text for flag in ("NarrowAngle (", "InterleavedVsHalf ("))
    explained = [one for entry in result.to_json()["explanations"] for one in entry["cases"]]
    assert sorted(explained) == sorted(finding.id for finding in result.tried)


def size_of(case):
    return sum(tensor.values.size for tensor in run.outputs_of(case).values())


@pytest.mark.exhaustive
def test_noise_is_no_known_mistake(tmp_path):
    cases = [case for case in honest.cases_of("rope_table") if set(honest.dtypes(case).values()) == {"float32"}]
    cases = sorted(cases, key=size_of)[:2]
    rng = np.random.default_rng(7)
    noise = {}
    for name, tensor in honest.answers(cases).items():
        noise[name] = tensor._replace(values=rng.uniform(-1, 1, tensor.values.shape).astype(np.float32))
    result = honest.verified(tmp_path, cases, noise, None)
    assert result.tried and not result.explanations
    assert f"{len(result.tried)} cases: the numbers of no call that was tried" in str(result)


@pytest.mark.exhaustive
@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_answers_of_one_value_say_so_and_hint_at_no_mistake(tmp_path, value):
    cases = [case for case in honest.cases_of("rope_table") if set(honest.dtypes(case).values()) == {"float32"}]
    cases = sorted(cases, key=size_of)[:2]
    same = {
        name: tensor._replace(values=np.full_like(tensor.values, value))
        for name, tensor in honest.answers(cases).items()
    }
    result = honest.verified(tmp_path, cases, same, None)
    assert result.exit_code == 1 and not result.flags
    said = "all numbers are " + ("NaN" if np.isnan(value) else "0")
    assert [finding.sentence for finding in result.of("differs")] == [f"meets no class, {said}"] * 2


@pytest.mark.exhaustive
def test_one_wrong_element_is_no_known_mistake(tmp_path, monkeypatch):
    cases = [case for case in honest.cases_of("rope") if honest.dtypes(case) == {"output": "float32"}]
    case = min((case for case in cases if size_of(case) > 100), key=size_of)
    monkeypatch.setattr(angles, "rope", with_argument(pairing=SWAPPED.get)(angles.rope))
    tensors = honest.answers([case])
    (tensor,) = tensors.values()
    tensor.values.flat[3] += 1
    result = honest.verified(tmp_path, [case], tensors, None)
    assert result.tried and {mistake for mistake, *_ in result.explanations} <= {"measured"}


def test_right_answers_are_not_accused(tmp_path):
    cases = honest.cases_of("rope_table")[:20]
    result = honest.verified(tmp_path, cases, honest.answers(cases), None)
    assert result and not result.tried and "your numbers" not in str(result)


SELF_INVERSE = ("exchanged", "sign", "transposed", "byte order", "reversed")


def test_changes_of_a_result_undo_themselves():
    checked = 0
    for suite in ("rope_table", "alibi", "sinusoidal", "relative_rows"):
        case = next(case for case in golden.cases(suite) if not case.refusal)
        outputs = run.outputs_of(case)
        for mistake in mistakes.mistakes(call_of(case)):
            if mistake.undo is not same and mistake.name in SELF_INVERSE:
                again = mistake.undo(mistake.undo(outputs))
                assert [one.values.tobytes() for one in again.values()] == [
                    one.values.tobytes() for one in outputs.values()
                ], (suite, mistake.computed)
                checked += 1
    assert checked >= 20


def test_wrong_calls_are_those_of_the_types():
    """A choice of a function is tried without being listed anywhere."""
    case = next(case for case in golden.cases("relative_rows") if not case.refusal)
    found = {one.computed for one in mistakes.mistakes(call_of(case))}
    signs = {"key-query", "query-key", "absolute"} - {case.arguments["sign"]}
    assert {f"sign={sign!r}" for sign in signs} <= found


def test_failing_cases_are_tried_evenly_over_the_suites():
    assert explaining._spread(list(range(10)), 4) == [0, 3, 6, 9]
    assert explaining._spread([5], 8) == [5] and explaining._spread([], 8) == []
