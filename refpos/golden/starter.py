"""The starter tier: small cases to begin with, one for each much used encoding and convention, and what their calls
make of their arguments first, so that a port can be tried before it makes frequencies or grids of its own."""

import numpy as np

from .. import catalogue
from ..tensor_files import Tensor
from . import run

#: all are of the core tier
STARTER = frozenset(
    """
    inverse_frequencies/dim-128-f32
    sinusoidal/telling-interleaved-f32 sinusoidal/telling-sin-cos-f32
    sincos_2d/base-1000000-f32
    timestep_embedding/shift-1-cos-f32
    rope_table/llama-2-4095-f32 rope_table/llama-3-131071-f32 rope_table/llama-3.1-131071-f32
    rope_table/gpt-oss-131071-f32
    rope/base-500000-f32 rope/frequencies rope/partial-16-12-half rope/heads-after-sequence rope/decode-step
    rope_2d/square
    mrope/chunked-half-f32 mrope/interleaved-interleaved-f32
    dynamic_ntk/twice-f32 longrope/phi-3-long-f32
    alibi_slopes/recursive-6-f32 alibi/symmetric-recursive-4x4-f32 alibi/causal-recursive-7x3-f32
    t5_bias/t5-small-encoder-f32 t5_bias/t5-small-decoder-f32 window_bias/swin-2x4-f32
    """.split()
)

#: names of what stands between arguments and outputs
EVALUATED = ("inv_freq", "attention_factor", "axes", "positions", "slopes", "buckets", "rows")


def evaluated(case):
    """{name: Tensor} of what stands between the arguments of a starter case and its outputs.

    inv_freq: the frequencies, as float64; attention_factor: what cosines and sines are multiplied by; axes: for each
    frequency the axis of the positions that it multiplies; positions: those that are counted, or lie on a grid, one row
    for each axis; slopes: of ALiBi; buckets and rows: the row of `weight` for each query and key
    of T5 and of a window.
    """
    arguments = {name: run.argument(value) for name, value in run.arguments_of(case).items()}
    inputs = run.inputs_of(case)
    made = _FIRST[case.suite](arguments, inputs) if case.suite in _FIRST else {}
    return {
        name: value if isinstance(value, Tensor) else Tensor(value.dtype.name, value) for name, value in made.items()
    }


def _called(name, *sizes, **arguments):
    return catalogue.find(name).function(*sizes, **arguments)


def _of(frequencies, positions=None):
    """The tensors of frequencies, and of positions that are given as a count or a grid."""
    factor = np.array(frequencies.attention_factor, np.float64)
    made = {"inv_freq": np.asarray(frequencies.inv_freq, np.float64), "attention_factor": factor}
    if frequencies.axes is not None:
        made["axes"] = np.array(frequencies.axes, np.int64)
    return made if positions is None else {**made, "positions": positions}


def _table(arguments, inputs):
    return _of(arguments["frequencies"])


def _rope(arguments, inputs):
    count = arguments.get("positions")
    positions = None if count is None else np.arange(count, dtype=np.int64)
    width = arguments.get("rotary_dim", inputs["x"].values.shape[-1])
    given = arguments.get("frequencies")
    return _of(given or _called("inverse_frequencies", width, base=arguments["base"]), positions)


def _rope_2d(arguments, inputs):
    half = inputs["x"].values.shape[-1] // 2
    axes = (0, 1) if arguments["axis_order"] == "hw" else (1, 0)
    frequencies = _called("axial_frequencies", (half, half), base=arguments["base"], axes=axes)
    return _of(frequencies, _cells(arguments))


def _cells(arguments):
    return np.asarray(_called("grid_positions", [arguments["height"], arguments["width"]]), np.int64)


def _mrope(arguments, inputs):
    sections, arrangement = arguments["sections"], arguments["arrangement"]
    options = {"sections": sections, "arrangement": arrangement, "base": arguments["base"]}
    return _of(_called("mrope_frequencies", 2 * sum(sections), **options))


def _sinusoidal(arguments, inputs):
    return {"inv_freq": _called("inverse_frequencies", arguments["dim"], base=arguments["base"]).inv_freq}


def _timesteps(arguments, inputs):
    dim, base = arguments["dim"], arguments["max_period"]
    span = 2 * (dim // 2 - arguments["downscale_freq_shift"])
    return {"inv_freq": _called("inverse_frequencies", dim, base=base, exponent_dim=span).inv_freq}


def _sincos_2d(arguments, inputs):
    frequencies = _called("inverse_frequencies", arguments["dim"] // 2, base=arguments["base"])
    return {"inv_freq": frequencies.inv_freq, "positions": _cells(arguments)}


def _alibi(arguments, inputs):
    return {"slopes": _called("alibi_slopes", arguments["num_heads"], convention=arguments["convention"])}


def _t5_bias(arguments, inputs):
    queries, keys = (np.arange(arguments[name], dtype=np.int64) for name in ("query_len", "key_len"))
    options = {"num_buckets": inputs["weight"].values.shape[0], "max_distance": arguments["max_distance"]}
    distances = keys - queries[:, None] - arguments["query_offset"]
    return {"buckets": _called("t5_buckets", distances, bidirectional=arguments["bidirectional"], **options)}


def _window_bias(arguments, inputs):
    options = {name: arguments[name] for name in ("sign", "class_token", "stride")}
    return {"rows": _called("window_rows", arguments["height"], arguments["width"], **options)}


_FIRST = {
    "rope_table": _table,
    "rope": _rope,
    "rope_2d": _rope_2d,
    "mrope": _mrope,
    "sinusoidal": _sinusoidal,
    "timestep_embedding": _timesteps,
    "sincos_2d": _sincos_2d,
    "alibi": _alibi,
    "t5_bias": _t5_bias,
    "window_bias": _window_bias,
}
