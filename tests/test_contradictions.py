"""Answers that contradict themselves are refused, in memory, in files and from a live process."""

import json

import numpy as np
import pytest
from test_live import verified
from tiers import sampled

from refpos import golden, tensor_files
from refpos.errors import InputError
from refpos.golden.run import outputs_of

ID, PAIR = "inverse_frequencies/dim-4", "rope_table/telling-500000-f32"
REFUSED = next(case for case in golden.cases("rope") if case.refusal)
RIGHT, WRONG = np.array([1.0, 0.01]), np.array([9.0, 9.0])


def pair():
    (case,) = (case for case in golden.cases("rope_table") if case.id == PAIR)
    return {f"{PAIR}/{name}": tensor.values for name, tensor in outputs_of(case).items()}


def code(text):
    return np.frombuffer(text.encode("ascii"), np.uint8)


#: answers and the words of the sentence that refuses them; the right ones stand among them
ANSWERS = {
    "a bare name and its output": ({ID: WRONG, f"{ID}/output": RIGHT}, "expected one tensor for an output, got two"),
    "equal numbers twice": ({ID: RIGHT, f"{ID}/output": RIGHT}, "expected one tensor for an output, got two"),
    "an error and a bare name": ({ID: RIGHT, f"{ID}/error": code("E_BASE")}, f"numbers or {ID}/error, got both"),
    "an error and an output": ({f"{ID}/output": RIGHT, f"{ID}/error": code("E_BASE")}, "numbers or"),
    "a bare name and two outputs": ({**pair(), PAIR: WRONG}, f"one tensor for each of cos, sin, got '{PAIR}'"),
    "a bare name of two outputs": ({PAIR: WRONG}, f"one tensor for each of cos, sin, got '{PAIR}'"),
    "numbers of a refused call": (
        {REFUSED.id: WRONG, f"{REFUSED.id}/error": code(REFUSED.refusal[0])},
        "numbers of a call that must be refused",
    ),
    "numbers alone of a refused call": ({REFUSED.id: WRONG}, "numbers of a call that must be refused"),
}


@pytest.mark.parametrize("suffix", sampled(["", ".npz", ".safetensors"], 3))
@pytest.mark.parametrize("kind", ANSWERS)
def test_two_answers_to_one_question_are_unusable(kind, suffix, tmp_path):
    answers, words = ANSWERS[kind]
    (id,) = {name if name.count("/") == 1 else name.rpartition("/")[0] for name in answers}
    source = answers
    if suffix:
        source = tmp_path / f"answers{suffix}"
        write = tensor_files.write_npz if suffix == ".npz" else tensor_files.write_safetensors
        write(source, {name: tensor_files.tensor(values) for name, values in answers.items()})
    for options in ({"cases": [id]}, {"suites": [id.partition("/")[0]], "only_answered": True}):
        result = golden.verify(source, **options)
        assert not result and result.exit_code == 2, str(result)
        (finding,) = result.of("unusable")
        assert finding.id == id and words in finding.sentence, finding.sentence


def test_a_folder_of_npy_files_names_each_tensor_once(tmp_path):
    (tmp_path / "inverse_frequencies" / "dim-4").mkdir(parents=True)
    np.save(tmp_path / "inverse_frequencies" / "dim-4.npy", WRONG)
    np.save(tmp_path / "inverse_frequencies" / "dim-4" / "output.npy", RIGHT)
    result = golden.verify(tmp_path, cases=[ID])
    assert result.exit_code == 2 and "got two" in result.findings[0].sentence


@pytest.mark.parametrize("outputs", [{}, {"": RIGHT}, {None: RIGHT}, {0: RIGHT}])
def test_outputs_in_memory_have_names(outputs):
    with pytest.raises(InputError, match="must map names of outputs to arrays"):
        golden.verify({ID: outputs, "inverse_frequencies/dim-2": [1.0]}, suites=["inverse_frequencies"])


#: what the process prints in place of its answer -> words of the sentence
LINES = {
    '{{"id": {id}, "outputs": {wrong}, "outputs": {right}}}': "each key must stand once in an object, got 'outputs'",
    '{{"id": "rope/other", "id": {id}, "outputs": {right}}}': "each key must stand once in an object, got 'id' twice",
    '{{"id": {id}, "outputs": {{"output": {tensor}, "output": {tensor}}}}}': "got 'output' twice",
    '{{"id": {id}, "outputs": {{"output": {{"shape": [9], {fields}}}}}}}': "got 'shape' twice",
    '{{"id": {id}, "outputs": {right}, "status": "FAILED"}}': "no fields of an answer but id, outputs, unsupported and",
    '{{"id": {id}, "outputs": {right}, "max_error": NaN}}': "numbers must be finite, got NaN",
    '{{"id": {id}, "outputs": {right}, "error": "E_BASE"}}': "expected one of outputs, unsupported and error",
    '{{"id": {id}, "outputs": {right}, "unsupported": false}}': "expected one of outputs, unsupported and error",
    '{{"id": {id}, "unsupported": null}}': "expected text as unsupported, got 'None'",
    '{{"id": {id}, "outputs": {{"output": {{"sha256": "{zeros}", {fields}}}}}}}': "output: expected the sha256 of its",
    '{{"id": {id}, "outputs": {{"output": {{"sha256": null, {fields}}}}}}}': "output: expected the sha256 of its bits",
    '{{"id": {id}, "outputs": {{"output": {{"scale": 2, {fields}}}}}}}': "no fields of the tensor output but dtype",
    '{{"id": {id}, "outputs": {{"output": {tensor}, "error": {tensor}}}}}': "expected numbers or",
}


@pytest.mark.parametrize("line", LINES)
def test_a_live_answer_says_one_thing(line, tmp_path):
    planted = f"""
        right = answer["outputs"]
        tensor = right["output"]
        wrong = {{"output": {{**tensor, "bits": ["0" * 16] * len(tensor["bits"])}}}}
        texts = dict(right=right, wrong=wrong, tensor=tensor, id=case["id"])
        texts = {{name: json.dumps(one) for name, one in texts.items()}}
        print({line!r}.format(fields=texts["tensor"][1:-1], zeros="0" * 64, **texts), flush=True)
        continue
    """
    result = verified(tmp_path, planted, cases=[ID])
    assert result.exit_code == 2 and result.findings[0].state == "unusable", str(result)
    assert LINES[line] in result.findings[0].sentence, result.findings[0].sentence


def test_an_input_is_no_output_of_a_live_process(tmp_path):
    id = "rope_table/telling-500000-f32"
    planted = 'answer["outputs"]["positions"] = answer["outputs"]["cos"]'
    result = verified(tmp_path, planted, cases=[id])
    assert result.exit_code == 2 and "got \"'positions'\", an input" in result.findings[0].sentence


def test_the_digest_of_a_live_answer_is_held_against_its_bits(tmp_path):
    (case,) = (case for case in golden.cases("inverse_frequencies") if case.id == ID)
    digest = golden.format.digest(outputs_of(case)["output"])
    planted = f'answer["outputs"]["output"]["sha256"] = {json.dumps(digest)}'
    assert verified(tmp_path, planted, cases=[ID])
