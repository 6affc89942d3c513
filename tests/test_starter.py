"""The starter tier, as somebody meets it in the first hour: plain float64 code that knows no refpos reads the prompts,
starts from what is evaluated in them, and passes; each mistake in what is evaluated, or in the code, is seen."""

import base64
import importlib
import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from witness import suites

from refpos import cli, golden, tensor_files
from refpos.conformance import CLASSES
from refpos.errors import FileError, InputError
from refpos.golden import format as golden_format
from refpos.golden.generate import sha256
from refpos.golden.starter import EVALUATED, STARTER, evaluated
from refpos.golden.strict_json import in_lines

ROOT = Path(__file__).resolve().parent.parent
CASES = golden.cases(tier="starter")


@pytest.fixture(scope="module")
def prompt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "prompt"
    assert cli.main(["generate", str(folder), "--tier", "starter", "--prompt"]) == 0
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "starter"
    golden.generate(folder, tier="starter")
    return folder


# -- a port -----------------------------------------------------------------------------------------------------------


def numbers(tensor, payload):
    """An array of the document: integers from bit strings, or from the payload."""
    if "payload" in tensor:
        return payload[tensor["payload"]].values
    data = b"".join(bytes.fromhex(digits)[::-1] for digits in tensor["bits"])
    return np.frombuffer(data, np.dtype(tensor["dtype"]).newbyteorder("<")).reshape(tensor["shape"])


def turned(x, angles, pairing, factor):
    """Rotation of the leading channels of x by angles of one pair each, in float64."""
    x, width = x.astype(np.float64), 2 * angles.shape[-1]
    cos, sin = np.cos(angles) * factor, np.sin(angles) * factor
    first, second = (slice(0, width, 2), slice(1, width, 2))
    if pairing == "half":
        first, second = slice(0, width // 2), slice(width // 2, width)
    result = x.copy()
    result[..., first] = x[..., first] * cos - x[..., second] * sin
    result[..., second] = x[..., second] * cos + x[..., first] * sin
    return result


def rope(given):
    positions = given["position_ids"] if "position_ids" in given else given["positions"]
    places = positions[given["axes"]].T if "axes" in given else np.asarray(positions)[..., None]
    angles = places * given["inv_freq"]
    if given["seq_axis"] == -3:
        angles = angles[:, None]
    return {"output": turned(given["x"], angles, given["pairing"], given["attention_factor"])}


def waves(given, angles, layout):
    parts = {"sin": np.sin(angles), "cos": np.cos(angles)}
    if layout == "interleaved":
        return np.stack([parts["sin"], parts["cos"]], -1).reshape(*angles.shape[:-1], -1)
    return np.concatenate([parts[name] for name in layout.split("-")], -1)


def sinusoidal(given):
    return {"output": waves(given, given["positions"][:, None] * given["inv_freq"], given["layout"])}


def timestep_embedding(given):
    assert given["scale"] == 1 and given["flip_sin_to_cos"]
    return {"output": waves(given, given["timesteps"][:, None] * given["inv_freq"], "cos-sin")}


def sincos_2d(given):
    rows, columns = (waves(given, axis[:, None] * given["inv_freq"], given["layout"]) for axis in given["positions"])
    blocks = [columns, rows] if given["axis_order"] == "wh" else [rows, columns]
    return {"output": np.concatenate(blocks, -1).reshape(given["height"], given["width"], -1)}


def rope_table(given):
    angles = given["positions"][:, None] * given["inv_freq"]
    return {"cos": np.cos(angles) * given["attention_factor"], "sin": np.sin(angles) * given["attention_factor"]}


def alibi(given):
    queries, keys = np.arange(given["query_len"]), np.arange(given["key_len"])
    distance = keys - (queries + given["key_len"] - given["query_len"])[:, None]
    bias = -np.abs(distance) * given["slopes"][:, None, None]
    return {"output": np.where(distance > 0, -np.inf, bias) if given["mode"] == "causal" else bias}


def t5_bias(given):
    return {"output": given["weight"][given["buckets"]].transpose(2, 0, 1)}


def window_bias(given):
    return {"output": given["weight"][given["rows"]].transpose(2, 0, 1)}


PORT = {
    "rope": rope, "rope_2d": rope, "mrope": rope, "rope_table": rope_table, "sinusoidal": sinusoidal,
    "sincos_2d": sincos_2d, "timestep_embedding": timestep_embedding, "alibi": alibi, "t5_bias": t5_bias,
    "window_bias": window_bias,
}  # fmt: skip


def answers_of(folder, change=lambda given: given):
    """{name: array}: what the port makes of the prompts."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text())
        if document.get("suite") not in PORT:
            continue
        beside = path.with_suffix(".safetensors")
        payload = tensor_files.read_tensors(beside) if beside.exists() else {}
        for case in document["cases"]:
            tensors = {**case["inputs"], **case["evaluated"]}
            given = {**case["arguments"], **{name: numbers(one, payload) for name, one in tensors.items()}}
            outputs = PORT[document["suite"]](change(given))
            assert set(outputs) == set(case["wanted"])
            found.update({f"{case['id']}/{name}": array for name, array in outputs.items()})
    return found


def verified(prompt, tmp_path, answers, **options):
    folder = tmp_path / "prompt"
    shutil.copytree(prompt, folder)
    np.savez(folder / "answers.npz", **answers)
    return golden.verify(folder, **options)


def test_plain_code_passes_from_what_is_evaluated(prompt, tmp_path):
    answers = answers_of(prompt)
    result = verified(prompt, tmp_path, answers, only_answered=True)
    assert result and result.ran == 21 and len(result.unanswered) == 4, str(result)
    # float64 arithmetic, or exact: no case needs a float32 class
    assert set(result.counts) <= {"correct", "faithful", "float64-angle"}, result.counts
    everything = golden.verify(tmp_path / "prompt")
    assert everything.exit_code == 2 and len(everything.of("missing")) == 4


def without_factor(given):
    return {**given, "attention_factor": 1.0}


def moved(given):
    return {**given, "positions": given["positions"] + 1} if "positions" in given else given


def other_axes(given):
    return {**given, "axes": given["axes"][::-1]} if "axes" in given else given


def other_pairing(given):
    return {**given, "pairing": {"half": "interleaved", "interleaved": "half"}.get(given.get("pairing"))}


@pytest.mark.exhaustive
@pytest.mark.parametrize("change, wrong", [(without_factor, 1), (moved, 12), (other_axes, 2), (other_pairing, 8)])
def test_each_convention_is_told_by_some_case(change, wrong, prompt, tmp_path):
    result = verified(prompt, tmp_path, answers_of(prompt, change), only_answered=True)
    assert result.exit_code == 1 and len(result.of("differs")) >= wrong, str(result)


# -- what is evaluated ------------------------------------------------------------------------------------------------


def test_frequencies_and_slopes_are_those_of_the_witness():
    seen = set()
    for case in CASES:
        found, arguments = evaluated(case), golden.load(case.id).entry["arguments"]
        assert set(found) <= set(EVALUATED)
        if "slopes" in found:
            options = {name: arguments[name] for name in ("num_heads", "convention")}
            wanted = suites.answer("alibi_slopes", options, {}, "float64")
            assert found["slopes"].values.view(np.uint64).tolist() == wanted["output"].tolist()
        if "rows" in found:
            options = {name: arguments[name] for name in ("height", "width", "sign", "class_token", "stride")}
            wanted = suites.answer("window_rows", options, {}, "int64")
            assert found["rows"].values.reshape(-1).tolist() == wanted["output"].reshape(-1).tolist()
        if "inv_freq" in found:
            made = arguments.get("frequencies") or plain_call(case, arguments)
            wanted = suites.answer(made["function"], made["arguments"], {}, "float64")
            bits = np.ravel(wanted["inv_freq" if "inv_freq" in wanted else "output"]).tolist()
            bits *= 2 if case.suite == "rope_2d" else 1  # the same for both axes
            assert found["inv_freq"].values.view(np.uint64).tolist() == bits, case.id
            if "attention_factor" in wanted:
                assert found["attention_factor"].values.view(np.uint64) == wanted["attention_factor"]
            seen.add(made["function"])
    assert seen == {"inverse_frequencies", "llama3", "yarn"}


def plain_call(case, arguments):
    """The call that makes the frequencies of a width and a base, from the formula of each suite."""
    channels = case.inputs["x"].shape[-1] if "x" in case.inputs else arguments.get("dim")
    dim = {"rope": arguments.get("rotary_dim", channels), "mrope": 2 * sum(arguments.get("sections", []))}
    dim |= {"rope_2d": channels // 2, "sincos_2d": channels // 2, "sinusoidal": channels}
    if case.suite == "timestep_embedding":
        options = {"dim": channels, "base": arguments["max_period"], "exponent_dim": channels - 2}
        return {"function": "inverse_frequencies", "arguments": options}
    return {"function": "inverse_frequencies", "arguments": {"dim": dim[case.suite], "base": arguments["base"]}}


def test_starter_is_a_view_of_small_core_cases():
    assert {case.id for case in CASES} == STARTER and {case.tier for case in CASES} == {"core"}
    assert 15 <= len(CASES) <= 25 and len({case.suite for case in CASES}) >= 10
    for case in CASES:
        held = golden.load(case.id)
        tensors = [*held.inputs.values(), *held.outputs.values(), *evaluated(case).values()]
        assert max(tensor.values.size for tensor in tensors) < 500, case.id
        assert {tensor.dtype for tensor in held.outputs.values()} <= {"float32", "int64"}


def test_the_documents_are_of_the_schema(whole, prompt):
    schema = json.loads(Path(golden_format.__file__).with_name("schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    for folder in (whole, prompt):
        for path in folder.glob("*.json"):
            if path.name != "MANIFEST.json":
                assert list(validator.iter_errors(json.loads(path.read_text()))) == []
                golden_format.check(json.loads(path.read_text()), path.name)


# -- folders and answers ----------------------------------------------------------------------------------------------


def test_the_folder_verifies_itself_and_is_written_again_alike(whole, tmp_path):
    result = golden.verify(whole)
    assert result and result.ran == result.expected == len(CASES)
    golden.generate(tmp_path / "again", tier="starter")
    for path in whole.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def edited(folder, tmp_path, change, suite="rope"):
    """A copy whose document is changed, with every digest made anew."""
    copy = tmp_path / "edited"
    shutil.copytree(folder, copy)
    path, listed = copy / f"{suite}.json", copy / "MANIFEST.json"
    document, manifest = json.loads(path.read_text()), json.loads(listed.read_text())
    change(document, manifest)
    document["digest"] = golden_format.document_digest(document)
    path.write_bytes(golden_format.serialise(document))
    manifest["files"][path.name] = sha256(path)
    listed.write_bytes(in_lines(manifest))
    return copy


def another_frequency(document, manifest):
    tensor = document["cases"][0]["evaluated"]["inv_freq"]
    tensor["bits"][1] = "3fb0000000000000"
    values = golden_format.from_bit_strings(tensor["dtype"], tensor["shape"], tensor["bits"])
    tensor["sha256"] = golden_format.digest(values)


EDITS = {
    "an evaluated number": another_frequency,
    "nothing evaluated": lambda document, manifest: document["cases"][0]["evaluated"].clear(),
    "evaluated gone": lambda document, manifest: document["cases"][0].pop("evaluated"),
    "a case gone": lambda document, manifest: document["cases"].pop(),
    "other words": lambda document, manifest: document["cases"][0].update(about="right"),
    "wider bounds": lambda document, manifest: document["cases"][0]["classes"]["float32-angle"].update(
        output="41cdcd6500000000"
    ),
    "another tier": lambda document, manifest: (document.update(tiers=["core"]), manifest.update(tiers=["core"])),
    "a choice": lambda document, manifest: manifest.update(choice={"cases": ["rope/*"], "dtype": None}),
    "a choice of nothing": lambda document, manifest: manifest.update(choice={"cases": None, "dtype": None}),
    "a choice of numbers": lambda document, manifest: manifest.update(choice={"cases": [1], "dtype": None}),
}


@pytest.mark.parametrize("planted", EDITS)
def test_an_edited_folder_is_red(planted, whole, tmp_path):
    copy = edited(whole, tmp_path, EDITS[planted])
    try:
        result = golden.verify(copy)
    except InputError as error:
        assert 0 < len(str(error)) < 600
        return
    assert not result, str(result)


@pytest.mark.exhaustive
def test_a_chosen_folder_holds_its_choice_and_nothing_else(tmp_path, capsys):
    folder = tmp_path / "chosen"
    command = ["generate", str(folder), "--case", "rope/*", "--case", "alibi*/*", "--dtype", "float32"]
    assert cli.main(command) == 0
    result = golden.verify(folder)
    kinds = [case for case in golden.cases(tier="core") if case.suite in ("rope", "alibi", "alibi_slopes", "alibi_2d")]
    wanted = [case.id for case in kinds if golden.discover.output_dtype(case) == "float32" and not case.refusal]
    assert result and [finding.id for finding in result.findings] == wanted
    pruned = edited(folder, tmp_path, lambda document, manifest: document["cases"].pop(), "alibi_slopes")
    assert golden.verify(pruned).exit_code == 2
    # what stood there before and is not of the choice
    golden.generate(folder, suites=["alibi", "xpos"])
    assert cli.main(command[:4]) == 0
    with pytest.raises(FileError, match="must be of the cases that MANIFEST"):
        golden.verify(folder)


@pytest.mark.exhaustive
def test_answers_to_the_starter_cases_alone(tmp_path):
    golden.export_npz(tmp_path / "npz", tier="starter")
    result = golden.verify(tmp_path / "npz", tier="starter")
    assert result and result.ran == len(CASES)
    held = tensor_files.read_tensors(tmp_path / "npz" / "rope_table.npz")
    assert "rope_table/gpt-oss-131071-f32/inv_freq" in held
    # what is given is no answer, and another tier has other cases
    given = {name: tensor for name, tensor in held.items() if not name.endswith(("/cos", "/sin"))}
    tensor_files.write_npz(tmp_path / "given.npz", given)
    nothing = golden.verify(tmp_path / "given.npz", tier="starter", only_answered=True)
    assert nothing.exit_code == 2 and nothing.ran == 0 and "nothing to verify" in str(nothing)
    assert golden.verify(tmp_path / "npz", tier="core").exit_code == 2
    with pytest.raises(InputError, match="tier must be that of a case"):
        golden.verify(tmp_path / "npz", tier="starter", suites=["xpos"])
    assert cli.main(["verify", str(tmp_path / "npz"), "--tier", "starter"]) == 0


def test_a_tier_of_a_folder_without_answers_is_refused(whole):
    with pytest.raises(InputError, match="tier must be left out"):
        golden.verify(whole, tier="starter")


def test_the_script_of_the_browser_page_holds_every_case(monkeypatch):
    """The numbers and bounds that the page judges by are those of the corpus."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "site")
    made = importlib.import_module("starter_cases").starter()
    assert {one["id"] for one in made["cases"]} == STARTER and made["classes"] == list(CLASSES)
    for one in made["cases"]:
        loaded = golden.load(one["id"])
        assert one["outputs"].keys() == loaded.outputs.keys() and one["inputs"].keys() == loaded.inputs.keys()
        for name, held in one["outputs"].items():
            tensor = loaded.outputs[name]
            assert base64.b64decode(held["data"]) == tensor.values.tobytes()
            assert held["bounds"].keys() == loaded.entry["classes"].keys()
            for kind, bound in held["bounds"].items():
                limit = np.frombuffer(base64.b64decode(bound["limit"]))
                given = loaded.entry["classes"][kind]
                given = given.get(name, given.get("output"))
                assert limit.size == tensor.values.size and limit.max().tobytes()[::-1].hex() == given
