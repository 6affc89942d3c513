"""Real frameworks on the CPU: what they compute, dumped to files, and what `refpos verify` says of it.

The golden cases give the questions; a framework answers them with its own code; nothing of refpos is in an answer.
"""

import json
import math
import subprocess
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
import safetensors.torch
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.t5.modeling_t5 import T5Attention

import refpos
from refpos import golden
from refpos.conformance import error_bounds
from refpos.conformance.compare import compare

# tables of rotary embeddings at whole positions in float32
TABLES = [
    "rope_table/llama-2-4095-f32",
    "rope_table/llama-2-cache-f32",
    "rope_table/llama-3-8191-f32",
    "rope_table/llama-3-131071-f32",
    "rope_table/telling-10000-f32",
    "rope_table/telling-500000-f32",
    "rope_table/offset-65536-f32",
    "rope_table/negative-f32",
]
CONTEXTS = [id for id in TABLES if "llama" in id]


def question(id):
    """(arguments, inputs as arrays) of a golden case."""
    case = golden.load(id)
    return case.entry["arguments"], {name: tensor.values for name, tensor in case.inputs.items()}


def positions_of(id):
    arguments, inputs = question(id)
    return torch.from_numpy(inputs["positions"]) if "positions" in inputs else torch.arange(arguments["positions"])


def verified(file, ids, *options):
    """What the command and the function say of a file of answers: (exit status, text, the result)."""
    words = [sys.executable, "-m", "refpos", "verify", str(file), *options]
    done = subprocess.run([*words, *(word for id in ids for word in ("--case", id))], capture_output=True, text=True)
    conformance = options[options.index("--conformance") + 1] if "--conformance" in options else None
    result = golden.verify(file, cases=ids, conformance=conformance)
    assert done.returncode == result.exit_code, done.stdout + done.stderr
    assert f"ran {len(ids)} of {len(ids)}" in done.stdout and result.ran == result.expected == len(ids)
    return done.returncode, done.stdout, result


# -- transformers: the tables of Llama --------------------------------------------------------------------------------


def llama(id):
    """The rotary module of transformers with the width and base of a case; no weights."""
    frequencies = question(id)[0]["frequencies"]["arguments"]
    config = LlamaConfig(
        head_dim=frequencies["dim"],
        hidden_size=frequencies["dim"],
        num_attention_heads=1,
        num_hidden_layers=1,
        rope_parameters={"rope_type": "default", "rope_theta": float(frequencies["base"])},
    )
    return LlamaRotaryEmbedding(config)


def llama_answers(ids, cast=None):
    """{name: tensor}: the cosines and sines of transformers, of a module cast with `.to(cast)` where that is given."""
    answers = {}
    for id in ids:
        module = llama(id) if cast is None else llama(id).to(cast)
        cos, sin = module(torch.zeros(1, dtype=torch.float32), positions_of(id)[None])
        half = cos.shape[-1] // 2
        assert torch.equal(cos[..., :half], cos[..., half:])
        answers[f"{id}/cos"], answers[f"{id}/sin"] = (part[0, :, :half].contiguous() for part in (cos, sin))
    return answers


def test_transformers_llama_is_float32_angle(tmp_path):
    file = tmp_path / "answers.safetensors"
    safetensors.torch.save_file(llama_answers(TABLES), file)
    status, text, result = verified(file, TABLES)
    assert status == 0 and result.met == "float32-angle" and "float32-angle" in text
    assert all(found.met == "float32-angle" for found in result.findings)
    # and no better: it is not what the formula says
    status, text, _ = verified(file, TABLES, "--conformance", "faithful")
    assert status == 1 and "float32-angle" in text


def test_transformers_llama_cast_to_bfloat16_fails_by_its_narrow_angle(tmp_path):
    """model.to(torch.bfloat16) casts inv_freq, which is a buffer; the angle is then off by up to 1 in 256."""
    answers = llama_answers(TABLES, cast=torch.bfloat16)
    assert all(tensor.dtype == torch.float32 for tensor in answers.values())
    file = tmp_path / "answers.safetensors"
    safetensors.torch.save_file(answers, file)
    status, text, result = verified(file, TABLES)
    assert status == 1
    named = f"{len(result.tried)} cases: your numbers are those of emulate.bfloat16_inv_freq"
    assert named in " ".join(text.split())
    assert len(result.of("differs")) == len(TABLES) and "NarrowAngle" in result.shared_flags
    # a shorter context, and cases that are right: now no other flag fits as well
    short = ["rope_table/gpt-neox-2047-f16"]
    right = ["inverse_frequencies/dim-2", T5_CASES[0]]
    answers |= llama_answers(short, cast=torch.bfloat16)
    answers |= {right[0]: torch.ones(1, dtype=torch.float64), right[1]: t5_answer(right[1])}
    safetensors.torch.save_file(answers, file)
    status, text, result = verified(file, TABLES + short + right)
    assert status == 1 and [found.id for found in result.of("met")] == right
    assert next(iter(result.flags)) == "NarrowAngle" and result.shared_flags == ["NarrowAngle"]
    assert "emulate.bfloat16_inv_freq" in text


def test_float64_cache_is_faithful(tmp_path):
    """The same formula with everything in float64 and one cast at the end, over the contexts of Llama 2 and 3."""
    answers = {}
    for id in CONTEXTS:
        frequencies = question(id)[0]["frequencies"]["arguments"]
        inv_freq = 1.0 / frequencies["base"] ** (torch.arange(0, frequencies["dim"], 2).double() / frequencies["dim"])
        angle = positions_of(id).double()[:, None] * inv_freq
        answers[f"{id}/cos"], answers[f"{id}/sin"] = angle.cos().float().numpy(), angle.sin().float().numpy()
    file = tmp_path / "answers.npz"
    np.savez(file, **answers)
    status, text, result = verified(file, CONTEXTS, "--conformance", "faithful")
    assert status == 0 and result.met in ("correct", "faithful") and result.met in text


# -- rotations --------------------------------------------------------------------------------------------------------

ROTATIONS = {"rope/llama-3-128-f32": "float32-angle", "rope/llama-3-128-bf16": "bfloat16-table"}


@pytest.mark.parametrize("id, expected", ROTATIONS.items())
def test_transformers_rotation(tmp_path, id, expected):
    arguments, inputs = question(id)
    x = inputs["x"] if inputs["x"].dtype != np.uint16 else inputs["x"].view(ml_dtypes.bfloat16)
    q = torch.from_numpy(x.astype(np.float32)).to(torch.bfloat16 if x is not inputs["x"] else torch.float32)[None, None]
    config = LlamaConfig(head_dim=128, rope_parameters={"rope_type": "default", "rope_theta": float(arguments["base"])})
    cos, sin = LlamaRotaryEmbedding(config)(q, torch.from_numpy(inputs["positions"])[None])
    rotated, _ = apply_rotary_pos_emb(q, q, cos, sin)
    file = tmp_path / "answers.safetensors"
    safetensors.torch.save_file({id: rotated[0, 0].contiguous()}, file)
    status, text, result = verified(file, [id])
    assert status == 0 and result.met == expected and expected in text


# the official operator, and the one of the runtime's own domain
OPERATORS = {"": 23, "com.microsoft": 1}
ONNX_CASES = {
    "rope/llama-meta-128-f32": "float32-angle",
    "rope/gpt-j-256-64": "float32-angle",
    "rope/phi-2-80-32": "float32-angle",
}


def onnx_rotation(domain, x, positions, dim, rotary, base, interleaved):
    """x (seq, dim) float32 rotated by onnxruntime, from a cache in float32 as exporters make it."""
    inv_freq = np.float32(1) / np.float32(base) ** (np.arange(0, rotary, 2, dtype=np.float32) / np.float32(rotary))
    angle = np.arange(positions.max() + 1, dtype=np.float32)[:, None] * inv_freq
    feeds = {"x": x[None, None], "cos": np.cos(angle), "sin": np.sin(angle), "ids": positions[None]}
    order = ["x", "cos", "sin", "ids"] if domain == "" else ["x", "ids", "cos", "sin"]
    attributes = {"interleaved": interleaved, "rotary_embedding_dim": rotary if rotary != dim else 0}
    if domain and rotary != dim:
        attributes["num_heads"] = 1  # its partial rotation asks for the count of heads
    node = onnx.helper.make_node("RotaryEmbedding", order, ["y"], domain=domain, **attributes)
    kinds = {np.dtype("float32"): onnx.TensorProto.FLOAT, np.dtype("int64"): onnx.TensorProto.INT64}
    inputs = [onnx.helper.make_tensor_value_info(name, kinds[a.dtype], a.shape) for name, a in feeds.items()]
    outputs = [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, feeds["x"].shape)]
    graph = onnx.helper.make_graph([node], "rotation", inputs, outputs)
    opsets = [onnx.helper.make_opsetid("", 23)] + ([onnx.helper.make_opsetid(domain, 1)] if domain else [])
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)[0][0, 0]


def onnx_answer(domain, id, interleaved=None):
    arguments, inputs = question(id)
    dim = inputs["x"].shape[-1]
    if interleaved is None:
        interleaved = int(arguments["pairing"] == "interleaved")
    rotary, base = arguments.get("rotary_dim") or dim, arguments.get("base", 10000)
    return onnx_rotation(domain, inputs["x"], inputs["positions"], dim, rotary, base, interleaved)


@pytest.mark.parametrize("domain", OPERATORS)
@pytest.mark.parametrize("id, expected", ONNX_CASES.items())
def test_onnxruntime_rotation(tmp_path, domain, id, expected):
    np.savez(tmp_path / "answers.npz", **{id: onnx_answer(domain, id)})
    status, text, result = verified(tmp_path / "answers.npz", [id])
    assert status == 0 and result.met == expected and expected in text


def test_onnxruntime_rotation_of_the_other_pairing_fails(tmp_path):
    id = "rope/llama-meta-128-f32"
    np.savez(tmp_path / "answers.npz", **{id: onnx_answer("", id, interleaved=0)})
    status, text, result = verified(tmp_path / "answers.npz", [id])
    assert status == 1 and "InterleavedVsHalf" in result.shared_flags
    assert "your numbers are those of pairing='half' (asked: pairing='interleaved')" in " ".join(text.split())


# -- the textbook table -----------------------------------------------------------------------------------------------


def textbook(positions, dim):
    """The sinusoidal table as tutorials write it in torch."""
    step = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    table = torch.zeros(len(positions), dim)
    table[:, 0::2] = torch.sin(positions.float()[:, None] * step)
    table[:, 1::2] = torch.cos(positions.float()[:, None] * step)
    return table


def test_torch_textbook_table_is_float32_exp_angle(tmp_path):
    ids = ["sinusoidal/transformer-base-f32", "sinusoidal/telling-interleaved-f32"]
    answers = {id: textbook(positions_of(id), question(id)[0]["dim"]) for id in ids}
    file = tmp_path / "answers.safetensors"
    safetensors.torch.save_file(answers, file)
    status, text, result = verified(file, ids)
    assert status == 0 and result.met in ("float32-angle", "float32-exp-angle") and result.met in text


# -- biases -----------------------------------------------------------------------------------------------------------

T5_CASES = [case.id for case in golden.cases("t5_buckets", tier="core") if not case.refusal]


def t5_answer(id):
    """The buckets of transformers for a golden case, in its order."""
    arguments, inputs = question(id)
    names = ("bidirectional", "num_buckets", "max_distance")
    options = {name: arguments[name] for name in names if name in arguments}
    return T5Attention._relative_position_bucket(torch.from_numpy(inputs["relative_positions"]), **options)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("num_buckets, max_distance", [(32, 128), (32, 256), (64, 1000)])
def test_transformers_t5_buckets(bidirectional, num_buckets, max_distance):
    """At every relative position to 4096, with the models' own settings: float32 logarithms hit every edge here."""
    relative = torch.arange(-4096, 4097)
    theirs = T5Attention._relative_position_bucket(relative, bidirectional, num_buckets, max_distance).numpy()
    options = {"bidirectional": bidirectional, "num_buckets": num_buckets, "max_distance": max_distance}
    ours = refpos.t5_buckets(relative.numpy(), **options)
    wrong = {int(p): (int(a), int(b)) for p, a, b in zip(relative, theirs, ours, strict=True) if a != b}
    assert wrong == {}
    assert len(set(ours.tolist())) == num_buckets - bidirectional  # "after, at distance 0" does not occur


def test_transformers_t5_buckets_of_the_golden_cases(tmp_path):
    """All are right but at -2**63, whose absolute value int64 cannot hold."""
    safetensors.torch.save_file({id: t5_answer(id).contiguous() for id in T5_CASES}, tmp_path / "answers.safetensors")
    status, text, result = verified(tmp_path / "answers.safetensors", T5_CASES)
    far = [id for id in T5_CASES if -(2**63) in question(id)[1]["relative_positions"]]
    assert status == 1 and "LongContextInteger" in result.shared_flags and "LongContextInteger" in text
    assert [found.id for found in result.of("differs")] == far == [id for id in T5_CASES if "/far-" in id]
    status, _, result = verified(tmp_path / "answers.safetensors", [id for id in T5_CASES if id not in far])
    assert status == 0 and result.met == "correct"


@pytest.mark.parametrize("heads", [1, 8, 12, 71, 112])
def test_transformers_bloom_alibi(heads):
    """BLOOM adds slope * key position, which is the linear bias of a query at position 0."""
    theirs = build_alibi_tensor(torch.ones(1, 64, dtype=torch.long), heads, torch.float32).numpy()
    call = {"num_heads": heads, "query_len": 1, "key_len": 64, "mode": "linear", "query_offset": 0}
    ours = refpos.alibi(heads, 1, 64, mode="linear", query_offset=0, dtype="float32")
    limits = {name: limit["output"] for name, limit in error_bounds.bounds("alibi", call, {}, "float32").items()}
    report = compare(theirs, ours, bounds=limits)
    assert theirs.shape == (heads, 1, 64) and report.classes["float32-power"].met


def test_transformers_bloom_slopes_meet_a_class(tmp_path):
    id = "alibi_slopes/bloom-112-f32"
    bias = build_alibi_tensor(torch.ones(1, 2, dtype=torch.long), question(id)[0]["num_heads"], torch.float32)
    safetensors.torch.save_file({id: bias[:, 0, 1].contiguous()}, tmp_path / "answers.safetensors")
    status, text, result = verified(tmp_path / "answers.safetensors", [id])
    assert status == 0 and result.met == "float32-power" and "float32-power" in text


def test_json_says_the_same(tmp_path):
    id = "rope_table/llama-2-4095-f32"
    safetensors.torch.save_file(llama_answers([id], cast=torch.bfloat16), tmp_path / "answers.safetensors")
    words = [sys.executable, "-m", "refpos", "verify", tmp_path / "answers.safetensors", "--case", id, "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    said = json.loads(done.stdout)
    assert done.returncode == said["exit_code"] == 1 and said["differs"] == 1 and "NarrowAngle" in said["shared_flags"]
