"""What a call returns: the name, dtype and shape of each output, of which a golden case must have all and no others."""

from frequencies import ARGUMENTS, frequencies
from gradients import INPUTS
from intervals import need
from positions import coordinates
from shapes import SHAPES

#: functions whose outputs have the dtype of an input, if a call names none
INPUT_OF = {
    "x": "add ernie_image_rope ggml_rope_ext liere microsoft_rotary_embedding mixed_rope mlx_rope mrope"
    " onnx_rotary_embedding pope rope rope_2d rope_3d rope_in_qkv rope_to_cache vjepa2_rope xdrope xpos",
    "weight": "learned liere_generators mean_of_rows relative_bias resize_bias resize_packed resize_table t5_bias"
    " tile_table window_bias",
    "weights": "learned_axes learned_boxes",
    "samples": "frames",
    "scores": "merge_scores",
    "spectrogram": "audio_patches",
}
INPUT_OF = {name: given for given, names in INPUT_OF.items() for name in names.split()}
COUNTS = "rerope_distances rerope_positions self_extend_distances self_extend_positions".split()  # integers by default
NO_DTYPE = "audio_patches frames grid_positions joined relative_bias t5_bias tile_table window_bias".split()
WITHOUT_FACTOR = "inverse_frequencies given_frequencies bands offset_geometric".split()


def dtype_of(suite, a, dtypes):
    """The dtype of the only kind of output."""
    if suite == "round_float8" or suite == "round_mxfp8" or (suite in COUNTS and "dtype" not in dtypes):
        return "int64"
    if suite == "grid_positions":
        whole = all(n % d == 0 for axis in a["coordinates"] for n, d in coordinates(axis))
        return "int64" if whole else "float64"
    if suite == "joined":
        found = {call["arguments"].get("dtype", "float64") for call in a["parts"]}
        need(len(found) == 1, "parts of several dtypes")
        return found.pop()
    return dtypes.get("dtype") or dtypes.get(INPUT_OF.get(suite), "float64")


def of_gradients(suite, a, dtypes):
    """Of each input that has a gradient and is a tensor of floats."""
    need(a["cotangent"]["shape"] == SHAPES[suite.removeprefix("vjp_")](a), "a cotangent of another shape")
    given = [name for name in INPUTS[suite] if dtypes.get(name, "int64") != "int64"]
    return {f"gradient_{name}": (dtypes[name], a[name]["shape"]) for name in given}


def of_frequencies(suite, a, dtypes):
    """Frequencies alone, or with their factor, and the axis of each where there are several."""
    count, dtype = len(frequencies({"function": suite, "arguments": a})[0]), dtypes.get("dtype", "float64")
    if suite in WITHOUT_FACTOR:
        return {"output": (dtype, [count])}
    found = {"inv_freq": (dtype, [count]), "attention_factor": (dtype, [])}
    return found | ({"axes": ("int64", [count])} if suite in ("axial_frequencies", "mrope_frequencies") else {})


def outputs(suite, a, dtypes):
    """{name: (dtype, shape)} of a call; `dtypes` has those of its inputs, and "dtype", that which it names."""
    if suite in INPUTS:
        return of_gradients(suite, a, dtypes)
    if suite in ARGUMENTS:
        return of_frequencies(suite, a, dtypes)
    need("dtype" not in dtypes or suite not in NO_DTYPE, f"the argument dtype of {suite}")
    dtype, shape = dtype_of(suite, a, dtypes), SHAPES[suite](a)
    if suite == "round_mxfp8":
        return {"elements": (dtype, shape), "scales": (dtype, [*shape[:-1], -(-shape[-1] // 32)])}
    names = ["cos", "sin"] if suite in ("rope_table", "xpos_table") else ["output"]
    return dict.fromkeys(names, (dtype, shape))
