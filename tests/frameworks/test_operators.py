"""Golden cases of operators run by onnxruntime and by the reference evaluator of onnx, and where these differ."""

from collections import Counter

import mlx.core as mx
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from refpos import golden
from refpos.conformance import bounds
from refpos.golden.exports import onnx_operators
from refpos.golden.run import argument, arguments_of, inputs_of, outputs_of
from refpos.operators import group_query_attention
from refpos.tensor_files import Tensor, tensor

OPERATORS = sorted(onnx_operators.OPERATORS)
#: what a run raises where a program has no code for the dtype
ABSENT = onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented
#: how many cases each program answers; onnxruntime has no kernel of bfloat16
RUNS = {
    ("onnx_rotary_embedding", "onnxruntime"): 41,
    ("onnx_rotary_embedding", "onnx"): 59,
    ("microsoft_rotary_embedding", "onnxruntime"): 35,
    ("onnx_attention", "onnxruntime"): 38,
    ("onnx_attention", "onnx"): 48,
    ("group_query_attention", "onnxruntime"): 48,
}
#: cases of values that onnxruntime 1.32.0 refuses, with what it says
NOT_RUN = {
    "onnx_rotary_embedding/longer-than-cache-f32": "Updating cos_cache and sin_cache in RotaryEmbedding is not",
    "onnx_attention/mask-batch-f32": "inconsistent q_sequence_length (between attn_mask and Q)",
}
#: outputs in which a program differs from the specification: docs/frameworks.md says how
DIFFER = {
    *(("onnx", f"onnx_attention/mode-0-{dtype}", "qk_matmul_output") for dtype in ("f64", "f32", "f16", "bf16")),
    *(("onnxruntime", f"onnx_attention/past-causal-{dtype}", "qk_matmul_output") for dtype in ("f32", "f16")),
}
#: attention of 16 bits, which the reference evaluator computes in them: units of the largest number of an output
LOOSE = 16
UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
#: refused cases that a program answers: docs/frameworks.md says what with
ANSWERED = {
    "onnxruntime": {
        "onnx_attention/refused-causal",
        "onnx_attention/refused-mask-numbers",
        "onnx_attention/refused-mode",
        "onnx_attention/refused-softcap",
        "onnx_rotary_embedding/refused-interleaved",
        "onnx_rotary_embedding/refused-odd-head",
        "onnx_rotary_embedding/refused-odd-rotary",
        "microsoft_rotary_embedding/refused-four-heads",
        "microsoft_rotary_embedding/refused-odd-rotary",
        "microsoft_rotary_embedding/refused-packed",
        "microsoft_rotary_embedding/refused-scale",
        "group_query_attention/refused-sink-smooth",
        "group_query_attention/refused-softcap",
        "group_query_attention/refused-window",
        "group_query_attention/refused-qk-none",
        "group_query_attention/refused-window-cache-bit",
    },
    "onnx": {
        "onnx_attention/refused-causal",
        "onnx_attention/refused-mask-numbers",
        "onnx_attention/refused-mode",
        "onnx_attention/refused-softcap",
        "onnx_rotary_embedding/refused-cache-batch",
        "onnx_rotary_embedding/refused-ids-negative",
        "onnx_rotary_embedding/refused-ids-shape",
        "onnx_rotary_embedding/refused-interleaved",
        "onnx_rotary_embedding/refused-sin-dtype",
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("operators")
    golden.export(where, format="onnx", suites=OPERATORS)
    return where


def loaded(path):
    """The array of a file of test data, with its name."""
    held = onnx.TensorProto()
    held.ParseFromString(path.read_bytes())
    return held.name, numpy_helper.to_array(held)


def runners(model):
    """{program: a function of the feeds} of those that have the operator."""

    def by_onnxruntime(feeds):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds)

    def by_onnx(feeds):
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(model).run(None, feeds)

    return {"onnxruntime": by_onnxruntime, **({} if model.graph.node[0].domain else {"onnx": by_onnx})}


def is_within(found, expected, limit, case):
    """Whether numbers are within the bound, infinities and NaN where they are expected."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), case
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore"):
        same = (found == expected) | np.isnan(found) & np.isnan(expected) | (np.abs(found - expected) <= limit)
    # what overflows in a product of the format is infinite or NaN
    return (same | ~np.isfinite(found) & ("extreme" in case)).all()


@pytest.mark.parametrize("suite", OPERATORS)
def test_programs_give_the_golden_values(suite, folder):
    ran, refused, differ = Counter(), {}, set()
    for case in filter(onnx_operators.holds, golden.cases(suite, tier="core")):
        where = folder / f"test_{suite}_{case.id.partition('/')[2]}"
        model = onnx.load(where / "model.onnx")
        onnx.checker.check_model(model, full_check=True)
        feeds = dict(loaded(path) for path in sorted((where / "test_data_set_0").glob("input_*.pb")))
        results = dict(loaded(path) for path in sorted((where / "test_data_set_0").glob("output_*.pb")))
        limits = limits_of(case, results)
        for program, run in runners(model).items():
            try:
                answers = run(feeds)
            except ABSENT:
                assert program == "onnxruntime" and tensor(next(iter(results.values()))).dtype == "bfloat16"
                continue
            except Exception as error:
                refused[case.id] = str(error)
                continue
            for answer, (name, expected), limit in zip(answers, results.items(), limits, strict=True):
                if not is_within(answer, expected, limit, case.id):
                    differ.add((program, case.id, name))
            ran[suite, program] += 1
    assert differ == {one for one in DIFFER if one[1].startswith(f"{suite}/")}
    assert ran == {key: count for key, count in RUNS.items() if key[0] == suite}
    wanted = {id: said for id, said in NOT_RUN.items() if id.startswith(f"{suite}/")}
    assert refused.keys() == wanted.keys() and all(said in refused[id] for id, said in wanted.items())


def limits_of(case, results):
    """The bounds of the outputs of a case in their order."""
    inputs = inputs_of(case)
    (dtype,) = {one.dtype for one in inputs.values() if one.dtype != "int64"}
    arguments = {name: argument(value) for name, value in arguments_of(case).items() if name != "dtype"}
    found = bounds(case.suite, arguments, {name: bare(one) for name, one in inputs.items()}, dtype)
    kind = found.get("rounded-table") or found["sequence32"]
    if case.suite == "onnx_attention" and dtype in UNITS:
        wide = [np.abs(one.astype(np.float64)) for one in results.values()]
        return [LOOSE * UNITS[dtype] * np.max(one[np.isfinite(one)]) for one in wide]
    return [kind[known] for known in onnx_operators.OPERATORS[case.suite].outputs.values() if known in kind]


def bare(held: Tensor):
    return held.values


def refused_model(case):
    """(model, feeds) of a call that must be refused."""
    operator, inputs = onnx_operators.OPERATORS[case.suite], inputs_of(case)
    given = {
        name: onnx_operators.as_lengths(known, inputs[known])
        for name, known in operator.inputs.items()
        if known in inputs
    }
    attributes = {name: argument(value) for name, value in case.arguments.items() if value is not None}
    attributes = {name: float(value) if name in onnx_operators.FLOATS else value for name, value in attributes.items()}
    outputs = attributes.pop("outputs", [next(iter(operator.outputs))])
    (output, *_), (first, *_) = outputs, given
    inputs = [name if name in given else "" for name in operator.inputs]
    left = [name if name in outputs else "" for name in operator.outputs]
    node = helper.make_node(operator.name, inputs, left, domain=operator.domain, **attributes)
    sides = [helper.make_tensor_value_info(name, onnx_operators.CODES[one.dtype], one.values.shape)
             for name, one in given.items()]  # fmt: skip
    kind = onnx_operators.CODES[given[first].dtype]
    graph = helper.make_graph([node], "refused", sides, [helper.make_tensor_value_info(output, kind, None)])
    domains = [helper.make_opsetid("", 23), *([helper.make_opsetid(operator.domain, 1)] if operator.domain else [])]
    model = helper.make_model(graph, opset_imports=domains, ir_version=11)
    return model, {name: one.values for name, one in given.items()}


@pytest.mark.parametrize("program", ANSWERED)
def test_what_programs_answer_that_is_to_be_refused(program):
    answered = set()
    for case in (case for suite in OPERATORS for case in golden.cases(suite, tier="core") if case.refusal):
        model, feeds = refused_model(case)
        try:
            runners(model)[program](feeds)
        except Exception:  # whatever a program raises that refuses a call
            continue
        answered.add(case.id)
    assert answered == ANSWERED[program]


def test_onnxruntime_does_not_read_the_scale():
    """com.microsoft.RotaryEmbedding has the attribute, which changes nothing."""
    case = next(case for case in golden.cases("microsoft_rotary_embedding") if case.id.endswith("/refused-scale"))
    model, feeds = refused_model(case)
    (with_scale,) = runners(model)["onnxruntime"](feeds)
    del model.graph.node[0].attribute[:]
    (without,) = runners(model)["onnxruntime"](feeds)
    assert with_scale.tobytes() == without.tobytes()


def grouped(q, k, v, total, cache, **attributes):
    """GroupQueryAttention of onnxruntime: (output, present_key, present_value) of new tokens behind a cache."""
    lengths = {"seqlens_k": total - 1, "total_sequence_length": total}
    lengths = {name: np.array([count], np.int32) for name, count in lengths.items()}
    feeds = {"query": q, "key": k, "value": v, **cache, **lengths}
    operator = onnx_operators.OPERATORS["group_query_attention"]
    names = [name if name in feeds else "" for name in operator.inputs]
    outputs = ["output", "present_key", "present_value"]
    node = helper.make_node(operator.name, names, outputs, domain=operator.domain, **HEADS, **attributes)
    inputs = [helper.make_tensor_value_info(name, onnx_operators.CODES[str(one.dtype)], one.shape)
              for name, one in feeds.items()]  # fmt: skip
    results = [helper.make_tensor_value_info(name, onnx_operators.CODES["float32"], None) for name in outputs]
    domains = [helper.make_opsetid("", 23), helper.make_opsetid(operator.domain, 1)]
    graph = helper.make_graph([node], "grouped", inputs, results)
    return runners(helper.make_model(graph, opset_imports=domains, ir_version=11))["onnxruntime"](feeds)


HEADS = {"num_heads": 2, "kv_num_heads": 1}


@pytest.mark.parametrize("step", [1, 2, 5, 13])
@pytest.mark.parametrize(("capacity", "window"), [(5, 3), (3, 3), (6, 1), (20, 4)])
def test_a_cache_of_a_window_step_by_step(step, capacity, window):
    """Its rows are those of onnxruntime in every step, but those that no token has; the output is that of a whole
    cache."""
    rng, count = np.random.default_rng(5), 13
    q, k, v = (rng.standard_normal((1, count, width)).astype(np.float32) for width in (16, 8, 8))
    names, call = ["output", "present_key", "present_value"], {"local_window_size": window, "sliding_window_cache": 1}
    whole = group_query_attention(q, k, v, None, None, [count - 1], count, **HEADS, local_window_size=window)
    theirs = dict.fromkeys(("past_key", "past_value"), np.full((1, 1, capacity, 8), 9, np.float32))
    ours, parts = dict(theirs), []
    for begin in range(0, count, step):
        end = min(begin + step, count)
        new = [part[:, begin:end] for part in (q, k, v)]
        found = grouped(*new, end, theirs, **call)
        mine = group_query_attention(*new, *ours.values(), [end - 1], end, **HEADS, **call, outputs=names)
        held = [row for row in range(capacity) if mine[1][0, 0, row].any()]
        assert held and held == list(range(len(held))) and min(end, window) <= len(held) <= min(end, capacity)
        assert all((a[:, :, held] == b[:, :, held]).all() for a, b in zip(found[1:], mine[1:], strict=True))
        assert (mine[1][0, 0, held] == k[0, end - len(held) : end]).all(), "the last tokens, the oldest first"
        assert np.abs(found[0] - mine[0]).max() < 1e-5
        theirs, ours = (dict(zip(theirs, present[1:], strict=True)) for present in (found, mine))
        parts.append(mine[0])
    assert (np.concatenate(parts, axis=1) == whole).all()


@pytest.mark.parametrize("interleaved", [2, 0, 1])
def test_what_programs_take_another_number_for(interleaved):
    """2 is 0 for onnxruntime and 1 for the reference evaluator of onnx."""
    case = next(case for case in golden.cases("onnx_rotary_embedding") if case.id.endswith("/refused-interleaved"))
    model, feeds = refused_model(case)
    answers = {name: run(feeds)[0] for name, run in runners(model).items()}
    model.graph.node[0].attribute[0].i = interleaved
    again = {name: run(feeds)[0] for name, run in runners(model).items()}
    same = {name for name in again if again[name].tobytes() == answers[name].tobytes()}
    assert same == {0: {"onnxruntime"}, 1: {"onnx"}, 2: {"onnx", "onnxruntime"}}[interleaved]


#: the class that MLX meets in each format that it has on a CPU
CLASS_OF_MLX = {"float32": "float32-angle", "float16": "float16-table", "bfloat16": "bfloat16-table"}
MLX_CASES = [
    case
    for case in golden.cases("mlx_rope", tier="core")
    if not case.refusal and case.inputs["x"].dtype in CLASS_OF_MLX
]


def by_mlx(x, dtype, arguments, arrays):
    """mx.fast.rope of an array of float32 in a dtype, as float64."""
    numbers = {name: float(value) for name, value in arguments.items() if name in ("base", "scale") and value}
    given = {name: mx.array(array.astype(np.int32) if name == "offset" else array) for name, array in arrays.items()}
    call = {"base": None, **arguments, **numbers, **given}
    found = mx.fast.rope(mx.array(x).astype(getattr(mx, dtype)), call.pop("dims"), **call)
    return np.array(found.astype(mx.float32)).astype(np.float64)


@pytest.mark.parametrize("case", MLX_CASES, ids=lambda case: case.id.partition("/")[2])
def test_mlx_gives_the_golden_values(case):
    inputs, arguments = inputs_of(case), {name: argument(one) for name, one in arguments_of(case).items()}
    arguments = {name: value for name, value in arguments.items() if name != "dtype"}
    dtype, arrays = inputs["x"].dtype, {name: one.values for name, one in inputs.items() if name != "x"}
    x, expected = (widened(one) for one in (inputs["x"], *outputs_of(case).values()))
    found = by_mlx(x, dtype, arguments, arrays)
    limit = bounds("mlx_rope", arguments, {**arrays, "x": inputs["x"].values}, dtype)[CLASS_OF_MLX[dtype]]["output"]
    assert found.shape == expected.shape and (np.abs(found - expected) <= limit).all()
    if x.size:
        moved = by_mlx(x, dtype, {**arguments, "traditional": not arguments["traditional"]}, arrays)
        assert not (np.abs(moved - expected) <= limit).all(), "pairs of other channels are told"


def widened(held: Tensor):
    """The numbers of a tensor in float32."""
    values = held.values
    return (values.astype(np.uint32) << 16).view(np.float32) if held.dtype == "bfloat16" else values.astype(np.float32)
