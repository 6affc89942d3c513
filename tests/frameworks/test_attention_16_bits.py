"""Attention of torch and transformers in bfloat16 and float16, judged by the classes `weights16` and `sequence16`."""

import ml_dtypes
import numpy as np
import pytest
import torch
from transformers.models.gemma2.modeling_gemma2 import eager_attention_forward as gemma2
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
from transformers.models.llama.modeling_llama import eager_attention_forward as llama

import refpos
from refpos import conformance, golden
from refpos.golden.run import arguments_of, call, inputs_of
from refpos.tensor_files import Tensor

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
NUMPY = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
SDPA = torch.nn.functional.scaled_dot_product_attention
INF = float("inf")
OPTIONS = ("causal", "scale", "softcap", "cosine")


class Module(torch.nn.Module):
    """What the functions of transformers read of a module."""

    def __init__(self, groups):
        super().__init__()
        self.num_key_value_groups = groups
        self.eval()


# -- refpos -----------------------------------------------------------------------------------------------------------


def report_of(found, inputs, dtype, **options):
    """The report of an output of torch in a format of 16 bits, beside `refpos.attention` of the same numbers."""
    given = {name: as_tensor(array) for name, array in inputs.items()}
    exact = refpos.attention(**{name: one.values for name, one in given.items()}, **options, dtype=dtype)
    limits = conformance.bounds("attention", options, given, dtype)
    actual = numbers(found).view(np.uint16)
    assert actual.shape == exact.shape and actual.size
    bounds = {name: limit["output"] for name, limit in limits.items()}
    return refpos.compare(actual, exact.view(np.uint16), bounds=bounds, dtype=dtype)


def as_tensor(array):
    """An array as bounds take it, which keeps the name of bfloat16."""
    if array.dtype == ml_dtypes.bfloat16:
        return Tensor("bfloat16", array.view(np.uint16))
    return Tensor(array.dtype.name, array)


def numbers(tensor):
    """A tensor as an array of NumPy, of bfloat16 too."""
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.contiguous().numpy()


def torch_of(array):
    """An array of NumPy as a tensor, of bfloat16 too."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.tensor(array.view(np.uint16)).view(torch.bfloat16)
    return torch.tensor(array)


def refused(report):
    """Why a right output is in no class of 16 bits; nothing where it is."""
    if report.classes["sequence16"].met and (report.met or report.untold):
        return ""
    return str(report)


# -- the programs -----------------------------------------------------------------------------------------------------


def eager(q, k, v, bias=None, mask=None, causal=None, scale=None, softcap=None, cosine=None):
    """As modules of transformers compute it: every result in the format, the softmax in float32 and cast."""
    if cosine is not None:
        q, k = (torch.nn.functional.normalize(x, dim=-1) for x in (q, k))
        factor = torch.clamp(cosine, max=float(np.log(100))).exp()
        factor = factor.reshape(-1, 1, 1) if factor.ndim else factor
    else:
        factor = max(q.shape[-1], 1) ** -0.5 if scale is None else scale
    k, v = (repeated(x, q.shape[:-2][-1:]) for x in (k, v))
    scores = torch.matmul(q, k.transpose(-1, -2)) * factor
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    if bias is not None:
        scores = scores + bias
    counts = counted(scores.shape, bias, mask, causal)
    scores = scores.masked_fill(~counts, -INF)
    weights = torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    return torch.matmul(torch.where(counts.any(-1, keepdim=True), weights, 0.0), v)  # 0 where no key counts


def repeated(x, heads):
    """The key heads, each for its group of query heads."""
    return x.repeat_interleave(heads[0] // x.shape[-3], -3) if heads else x


def counted(shape, bias=None, mask=None, causal=None):
    """Which keys count."""
    counts = torch.ones(shape, dtype=torch.bool)
    if causal is not None:
        offset = shape[-1] - shape[-2] if causal == "lower-right" else 0
        counts = counts & torch.ones(shape[-2:], dtype=torch.bool).tril(offset)
    if bias is not None:
        counts = counts & (bias > -INF)
    return counts if mask is None else counts & (mask != 0)


def fused(q, k, v, bias=None, mask=None, causal=None, scale=None):
    """torch.nn.functional.scaled_dot_product_attention, whose mask is a bias of minus infinity too."""
    shape = (*q.shape[:-1], k.shape[-2])
    added = None
    if bias is not None or mask is not None or causal is not None:
        added = torch.zeros(shape, dtype=q.dtype) if bias is None else bias.expand(shape)
        added = added.masked_fill(~counted(shape, bias, mask, causal), -INF)
    return SDPA(q, k, v, attn_mask=added, scale=scale, enable_gqa=q.ndim > 2)


# -- golden cases -----------------------------------------------------------------------------------------------------

CASES = [case for case in golden.cases("attention") if getattr(case, "refusal", None) is None]


def inputs_in(case, dtype):
    """The arrays of a case in a format, as NumPy has them; None where one is beyond float16."""
    made = {}
    for name, tensor in inputs_of(case).items():
        values = tensor.values.view(ml_dtypes.bfloat16) if tensor.dtype == "bfloat16" else tensor.values
        if values.dtype.kind in "iub" and name != "mask":
            values = values.astype(np.float64)
        with np.errstate(over="ignore"):
            made[name] = values if name == "mask" else values.astype(NUMPY[dtype])
        if (np.isfinite(values.astype(np.float64)) & ~np.isfinite(made[name].astype(np.float64))).any():
            return None
    return made


@pytest.mark.parametrize("program", [eager, fused])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_golden_case_in_16_bits(dtype, program):
    """Refused: 0. A case is left out where it has no values, or where a number of it is beyond float16."""
    wrong, compared, told, left_out = {}, 0, 0, []
    for case in CASES:
        arguments, inputs = arguments_of(case), inputs_in(case, dtype)
        options = {name: call(arguments[name]) for name in OPTIONS if name in arguments}
        needs = {"softcap", "cosine"} & {*options, *(inputs or {})}
        if inputs is None or inputs.get("v") is None or not inputs["v"].size or (program is fused and needs):
            left_out.append(case.id)
            continue
        given = {name: torch_of(array) for name, array in inputs.items()}
        theirs = {name: value if name == "causal" else float(value) for name, value in options.items()}
        theirs.update({"cosine": torch.tensor(theirs["cosine"])} if "cosine" in theirs else {})
        found = program(**given, **theirs)
        if not found.numel() or not torch.isfinite(found).all():
            left_out.append(case.id)
            continue
        report = report_of(found, inputs, dtype, **options)
        compared, told = compared + 1, told + (report.met is not None)
        if refused(report):
            wrong[case.id] = refused(report)
    print(f"{program.__name__} {dtype}: {compared} compared, {told} told, left out: {left_out}")
    assert not wrong, wrong
    least = {eager: {"bfloat16": 78, "float16": 73}, fused: {"bfloat16": 53, "float16": 52}}[program][dtype]
    assert compared >= least and told >= {eager: 72, fused: 52}[program]


# -- telling inputs, and faults ---------------------------------------------------------------------------------------

SHAPES = [(1, 4, 2, 5, 9, 16), (2, 8, 8, 33, 33, 64), (1, 2, 1, 40, 128, 128)]  # batch, heads, groups, q, k, dim


def telling(shape, dtype):
    """Queries, keys, values and a bias of size 1."""
    batch, heads, groups, queries, keys, dim = shape
    rng = np.random.default_rng(sum(shape))
    shapes = {"q": (batch, heads, queries, dim), "k": (batch, groups, keys, dim), "v": (batch, groups, keys, dim),
              "bias": (heads, queries, keys)}  # fmt: skip
    return {name: rng.standard_normal(one).astype(NUMPY[dtype]) for name, one in shapes.items()}


#: {fault: what the program is given in place of the right (inputs, options)}
FAULTS = {
    "bias lost": lambda inputs, options: ({name: x for name, x in inputs.items() if name != "bias"}, options),
    "scale times sqrt(2)": lambda inputs, options: (inputs, {**options, "scale": (2 / inputs["q"].shape[-1]) ** 0.5}),
    "causal upper-left": lambda inputs, options: (
        {name: x[..., 1:, :] if name in ("k", "v") else x[..., 1:] if name == "bias" else x
         for name, x in inputs.items()}, options),
    "one key dropped": lambda inputs, options: (
        {**inputs, "mask": torch.arange(inputs["k"].shape[-2]) != 1}, options),
    "no mask": lambda inputs, options: (inputs, {**options, "causal": None}),
    "heads of keys tiled": lambda inputs, options: (
        {**inputs, **{name: inputs[name].repeat(1, 2, 1, 1) for name in "kv"}}, options),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("program", [eager, fused])
@pytest.mark.parametrize("dtype", DTYPES)
def test_faults_are_refused_and_right_programs_not(dtype, program, shape):
    inputs, options = telling(shape, dtype), {"causal": "lower-right"}
    given = {name: torch_of(array) for name, array in inputs.items()}
    assert not refused(report_of(program(**given, **options), inputs, dtype, **options))
    planted = 0
    for name, fault in FAULTS.items():
        if (name == "heads of keys tiled" and shape[1] == shape[2]) or (name.startswith("heads") and shape[2] == 1):
            continue
        wrong, other = fault(given, options)
        report = report_of(program(**wrong, **other), inputs, dtype, **options)
        assert report.met is None and report.untold is None, (name, str(report))
        planted += 1
    assert planted >= 5


# -- functions of transformers ----------------------------------------------------------------------------------------


def hidden_after(queries, keys, dtype):
    """The mask of transformers: the least number of the format at what a query must not read."""
    least = torch.finfo(DTYPES[dtype]).min
    return torch.full((1, 1, queries, keys), least, dtype=DTYPES[dtype]).triu(keys - queries + 1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_eager_attention_forward_of_transformers(dtype, shape):
    """Llama's, whose queries and keys are rotated in the format, and Gemma 2's with its cap."""
    inputs = telling(shape, dtype)
    q, k, v = (torch_of(inputs[name]) for name in "qkv")
    *_, queries, keys, dim = shape
    angle = torch.outer(torch.arange(keys).float(), 10000.0 ** -(torch.arange(0, dim, 2).float() / dim))
    cos, sin = (torch.cat([wave, wave], -1).to(q.dtype)[None] for wave in (angle.cos(), angle.sin()))
    q, _ = apply_rotary_pos_emb(q, q, cos[:, -queries:], sin[:, -queries:])
    k, _ = apply_rotary_pos_emb(k, k, cos, sin)
    turned = {"q": numbers(q), "k": numbers(k), "v": inputs["v"]}
    module, mask = Module(shape[1] // shape[2]), hidden_after(queries, keys, dtype)
    options = {"causal": "lower-right", "scale": dim**-0.5}
    output, _ = llama(module, q, k, v, mask, scaling=dim**-0.5)
    assert not refused(report_of(output.transpose(1, 2), turned, dtype, **options))
    plain = {name: inputs[name] for name in "qkv"}
    assert report_of(output.transpose(1, 2), plain, dtype, **options).met is None
    output, _ = gemma2(module, q, k, v, mask, scaling=dim**-0.5, softcap=1.5)
    assert not refused(report_of(output.transpose(1, 2), turned, dtype, softcap=1.5, **options))
    assert report_of(output.transpose(1, 2), turned, dtype, **options).met is None


# -- every door -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [eager, fused])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_right_program_is_not_accused(dtype, program):
    """Also where its numbers are held in float32, as `.float().numpy()` gives them."""
    inputs = telling(SHAPES[0], dtype)
    given = {name: torch_of(array) for name, array in inputs.items()}
    found = program(**given, causal="lower-right")
    wide = {name: x.float().numpy() for name, x in given.items()}
    for y, arrays in ((found, given), (found.float().numpy(), wide)):
        told = refpos.diagnose(y, refpos.attention, **arrays, causal="lower-right", dtype=dtype)
        assert "nothing is wrong" in str(told), str(told)
    wrong = program(**{name: x for name, x in given.items() if name != "bias"}, causal="lower-right")
    assert "nothing is wrong" not in str(
        refpos.diagnose(wrong, refpos.attention, **given, causal="lower-right", dtype=dtype)
    )
