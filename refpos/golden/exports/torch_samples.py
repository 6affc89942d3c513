"""Rotations as samples of torch.nn.functional.rotary_embedding, the proposal of pytorch#187286: a Python module."""

import os
import pprint

import numpy as np

from ...operators._rotary import by_token
from ...tensor_files import Tensor, write_atomically
from ..format import SAMPLED
from ..read import read_lock, suite_version
from ..run import arguments_of, inputs_of, outputs_of
from . import tolerances

SUITE, FILE = "onnx_rotary_embedding", "rotary_embedding_samples.py"
MODULE = '''"""Samples of torch.nn.functional.rotary_embedding(x, cos, sin, position_ids=None, *, interleaved=False), as
pytorch#187286 proposes it, with the correctly rounded results. refpos, golden values {version}, CC0-1.0.

`sample_inputs` is what OpInfo takes as sample_inputs_func; `expected` and `is_within` say what a sample must give.
Tensors are {{"dtype", "shape", "data"}}, their numbers exact; "atol" is how far each element may be from "expected": it
admits two products and a sum, each rounded to the dtype or not.
"""

import torch

SAMPLES = {samples}

if not SAMPLES:
    raise ValueError("SAMPLES must hold a sample, got none")


def tensor(held, device="cpu"):
    """A tensor of a sample; None stays None."""
    if held is None:
        return None
    dtype = getattr(torch, held["dtype"])
    return torch.tensor(held["data"], dtype=dtype, device=device).reshape(held["shape"])


def sample_inputs(op_info, device, dtype, requires_grad, **kwargs):
    """Yield a SampleInput for each sample of the dtype."""
    from torch.testing._internal.opinfo.core import SampleInput

    for sample in SAMPLES:
        if getattr(torch, sample["input"]["dtype"]) is dtype:
            x = tensor(sample["input"], device).requires_grad_(requires_grad)
            args = tuple(tensor(one, device) for one in sample["args"])
            yield SampleInput(x, args=args, kwargs=dict(sample["kwargs"]), name=sample["name"])


def expected(name, device="cpu"):
    """(The correctly rounded result, the bound of each element in float64) of the sample of a name."""
    (sample,) = (one for one in SAMPLES if one["name"] == name)
    result = tensor(sample["expected"], device)
    return result, torch.tensor(sample["atol"], dtype=torch.float64, device=device).reshape(result.shape)


def is_within(actual, name):
    """Whether a result has the dtype and shape of a sample, and is within its bounds."""
    result, atol = expected(name, actual.device)
    if (actual.dtype, actual.shape) != (result.dtype, result.shape):
        return False
    return bool(((actual.double() - result.double()).abs() <= atol).all())
'''


def prepare():
    """Nothing is needed: torch reads the file, and does not write it."""


def holds(case):
    """Whether the proposal has the rotation: all channels of a head, x and caches of one dtype, held in full."""
    if case.suite != SUITE or case.refusal or arguments_of(case)["rotary_embedding_dim"]:
        return False
    inputs = inputs_of(case)
    fits = tolerances.rotates_within(inputs) and inputs["x"].values.size <= SAMPLED
    return fits and tolerances.tell(case, inputs, outputs_of(case))


def write(directory, suite, cases):
    """Write the module with its samples."""
    samples = [_sample(case, inputs, outputs) for case, inputs, outputs in cases]
    text = pprint.pformat(samples, width=118, compact=True, sort_dicts=False)
    module = MODULE.format(version=suite_version(read_lock(), suite), samples=text)
    write_atomically(os.path.join(directory, FILE), [module.encode("ascii")])


def _sample(case, inputs, outputs):
    """The record of a case: x (batch, heads, seq, dim), caches (rows, half), or (batch, 1, seq, half) without
    position_ids, of one sequence (seq, half)."""
    arguments, limits = arguments_of(case), tolerances.absolute(case, inputs, outputs)["output"]
    ids = inputs.get("position_ids")
    x, result, limits = (
        _heads_first(array, arguments["num_heads"]) for array in (inputs["x"].values, outputs["output"].values, limits)
    )
    caches = [inputs[name] for name in ("cos_cache", "sin_cache")]
    if ids is None:
        caches = [Tensor(one.dtype, one.values[0] if len(x) == 1 else one.values[:, None]) for one in caches]
    args = caches if ids is None else [*caches, ids]
    return {
        "name": case.id,
        "input": _record(Tensor(inputs["x"].dtype, x)),
        "args": [_record(one) for one in args],
        "kwargs": {"interleaved": bool(arguments["interleaved"])},
        "expected": _record(Tensor(outputs["output"].dtype, result)),
        "atol": limits.reshape(-1).tolist(),
    }


def _heads_first(array, heads):
    """(batch, heads, seq, dim) of an array of three or four axes."""
    return array if array.ndim == 4 else np.ascontiguousarray(by_token(array, heads).swapaxes(1, 2))


def _record(tensor):
    return {"dtype": tensor.dtype, "shape": list(tensor.values.shape), "data": tolerances.numbers(tensor)}
