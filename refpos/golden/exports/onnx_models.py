"""Golden cases as models of ONNX with their test data: operators as their cases have them, and rotations as
RotaryEmbedding of opset 23 with real caches."""

import importlib.util
import os

import numpy as np

from ...errors import InputError
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...rotary.rope_table import rope_table
from ...tensor_files import Tensor, write_atomically
from ..format import SAMPLED, little_endian, refusal
from ..run import argument, arguments_of, inputs_of
from . import onnx_operators
from .onnx_operators import CODES

OPSET, IR = 23, 11
PAIRINGS = {"half": 0, "interleaved": 1}


def prepare():
    """Refuse before anything is written where the package is absent."""
    if importlib.util.find_spec("onnx") is None:
        sentence = 'format "onnx" needs onnx, got an installation without it: pip install "refpos[interop]"'
        raise InputError("E_MISSING", "format", sentence)


def holds(case):
    """Whether a case is one of an operator, or a rotation that RotaryEmbedding computes, by its dtype, pairing and
    order of axes, and whose output, which is as large as x, is held in full."""
    if case.suite in onnx_operators.OPERATORS:
        return onnx_operators.holds(case)
    if case.suite != "rope" or case.refusal:
        return False
    arguments, x = arguments_of(case), inputs_of(case)["x"]
    fits = x.dtype in onnx_operators.ROTATED and 0 < x.values.size <= SAMPLED and arguments["pairing"] in PAIRINGS
    heads_first = arguments["seq_axis"] == -2 and 2 <= x.values.ndim <= 4
    heads_last = arguments["seq_axis"] == -3 and 3 <= x.values.ndim <= 4
    return fits and (heads_first or heads_last)


def write(directory, suite, cases):
    """Write a folder for each case; its model comes last, so that a folder with one is whole."""
    from onnx import helper

    for case, inputs, outputs in cases:
        folder = os.path.join(directory, f"test_{suite}_{case.id.partition('/')[2]}")
        data = os.path.join(folder, "test_data_set_0")
        model = os.path.join(folder, "model.onnx")
        try:
            os.makedirs(data, exist_ok=True)
            if os.path.exists(model):
                os.remove(model)
        except OSError as error:
            raise refusal(folder, "be a directory that can be written", error.strerror or str(error)) from None
        make = onnx_operators.node if case.suite in onnx_operators.OPERATORS else rotation
        made = make(case, inputs, outputs)
        domain, operator, attributes, given, result = made
        for kind, tensors in (("input", given), ("output", result)):
            for k, (name, tensor) in enumerate(tensors.items()):
                _save(os.path.join(data, f"{kind}_{k}.pb"), _proto(name, tensor))
        node = helper.make_node(operator, *made.slots(), domain=domain, **attributes)
        sides = [[_described(name, tensor) for name, tensor in side.items()] for side in (given, result)]
        graph = helper.make_graph([node], case.id.replace("/", "_"), *sides)
        versions = {"": OPSET, **({domain: 1} if domain else {})}
        imports = [helper.make_opsetid(*pair) for pair in versions.items()]
        whole = helper.make_model(graph, opset_imports=imports, ir_version=IR)
        whole.producer_name, whole.doc_string = "refpos", case.about
        _save(model, whole)


def rotation(case, inputs, outputs):
    """The `onnx_operators.Node` that is this rotation.

    X is (batch, heads, seq, dim), or (batch, seq, heads * dim) where the heads come last. The caches have a row for
    each token, and position_ids are their indices: positions may be as large as they like, or fractions.
    """
    arguments = {name: argument(value) for name, value in arguments_of(case).items()}
    x, y = inputs["x"], outputs["output"]
    dim, heads_last = x.values.shape[-1], arguments["seq_axis"] == -3
    frequencies = arguments.get("frequencies")
    if frequencies is None:
        frequencies = inverse_frequencies(arguments.get("rotary_dim", dim), base=arguments["base"])
    cos, sin = _caches(arguments.get("positions", inputs.get("positions")), frequencies, x.dtype)
    if arguments["inverse"]:
        sign = np.uint16(1 << 15) if x.dtype == "bfloat16" else None
        sin = -sin if sign is None else sin ^ sign
    batch, seq, heads = _sizes(x.values.shape, heads_last)
    rows = np.arange(cos.size // cos.shape[-1], dtype=np.int64).reshape(-1, seq)
    shape = (batch, seq, heads * dim) if heads_last else (batch, heads, seq, dim)
    given = {
        "X": Tensor(x.dtype, x.values.reshape(shape)),
        "cos_cache": Tensor(x.dtype, cos.reshape(-1, cos.shape[-1])),
        "sin_cache": Tensor(x.dtype, sin.reshape(-1, sin.shape[-1])),
        "position_ids": Tensor("int64", np.ascontiguousarray(np.broadcast_to(rows, (batch, seq)))),
    }
    attributes = {"interleaved": PAIRINGS[arguments["pairing"]]}
    if 2 * cos.shape[-1] != dim:
        attributes["rotary_embedding_dim"] = 2 * cos.shape[-1]
    if heads_last or "rotary_embedding_dim" in attributes:
        attributes["num_heads"] = heads
    result = {"Y": Tensor(y.dtype, y.values.reshape(shape))}
    return onnx_operators.Node("", "RotaryEmbedding", attributes, given, result)


def _caches(positions, frequencies, dtype):
    """Cosines and sines, rounded once; of bfloat16 as bit patterns."""
    positions = positions.values if isinstance(positions, Tensor) else positions
    if dtype != "bfloat16":
        return rope_table(positions, frequencies, dtype=dtype)
    out = tuple(np.empty(one.shape, np.uint16) for one in rope_table(positions, frequencies, dtype="float16"))
    return rope_table(positions, frequencies, dtype=dtype, out=out)


def _sizes(shape, heads_last):
    """(batch, seq, heads) of x."""
    *ahead, one, two, _ = (1, 1, *shape) if len(shape) == 2 else shape
    seq, heads = (one, two) if heads_last else (two, one)
    return (ahead[0] if ahead else 1), seq, heads


def _proto(name, tensor):
    from onnx import helper

    return helper.make_tensor(name, CODES[tensor.dtype], tensor.values.shape, little_endian(tensor.values), raw=True)


def _described(name, tensor):
    from onnx import helper

    return helper.make_tensor_value_info(name, CODES[tensor.dtype], tensor.values.shape)


def _save(path, message):
    write_atomically(path, [message.SerializeToString(deterministic=True)])
