"""The witness of each suite of the golden corpus: what its functions make of the arguments and tensors of a case.

A function here takes the arguments and the input tensors of a case in one dictionary (fractions for numbers, exact
float64 or int64 arrays for tensors), the call that makes its frequencies, and the dtype; it returns the bit patterns
of every output.
"""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from . import (
    attention,
    axes,
    batches,
    calendars,
    decays,
    distances,
    formulas,
    fourier,
    gates,
    generalised,
    graphs,
    image_scores,
    learned_biases,
    lengths,
    position_ids,
    relative_vectors,
    resampling,
    scalings,
    sequences,
    sums,
    times,
    transformer_xl,
)
from .closed_forms import (
    box_relation,
    cape_2d,
    centred_points,
    equal_earth,
    integrated_fourier,
    soft_grid,
    sphere_code,
    spherical_harmonics,
)
from .digits import SHAPES, from_floats, from_fractions, patterns, round_fraction

WITNESSES = {}
SOURCES = {}  # {suite: what its witness was written from}
#: kinds of sources; "order" is the order of operations, which only refpos itself writes down
KINDS = ("paper", "code", "standard", "definition", "order")
AS_PATTERNS = set()  # suites whose witness copies the elements of its tensors and reads none
WITH_DTYPES = set()  # suites whose witness rounds to the dtypes of its tensors, given as {name: dtype} of "dtypes"
OF_8_BITS = {"round_float8", "round_mxfp8"}  # whose results are bit patterns, of the format that an argument names


def witness(*suites, source, as_patterns=False, dtypes=False):
    """Registers a function as the witness of suites.

    source: what it was written from, "KIND: TEXT" or several of these, with the kinds of KINDS; as_patterns: it takes
    the bits of its tensors, not the values; dtypes: it takes {name: dtype} of its tensors too.
    """
    sources = (source,) if isinstance(source, str) else source
    for one in sources:
        kind, _, text = one.partition(": ")
        assert kind in KINDS and text, f"a source must be one of {', '.join(KINDS)}, a colon and a text, got {one!r}"

    def register(function):
        for suite in suites:
            assert suite not in WITNESSES, suite
            WITNESSES[suite], SOURCES[suite] = function, sources
            AS_PATTERNS.update({suite} if as_patterns else ())
            WITH_DTYPES.update({suite} if dtypes else ())
        return function

    return register


def answer(suite, arguments, inputs, dtype):
    """{output: bit patterns} of a case. inputs: {name: (dtype, values)} as the corpus has them."""
    if suite not in WITNESSES:
        raise LookupError(f'{suite} must have a witness: add one below @witness("{suite}") in tests/proofs/{suite}.py')
    given = {name: number(value) for name, value in arguments.items() if name not in ("dtype", "frequencies")}
    if suite in OF_8_BITS:
        given["dtype"] = arguments["dtype"]
    if suite in WITH_DTYPES:
        given["dtypes"] = {name: kind for name, (kind, _) in inputs.items()}
    for name, (kind, values) in inputs.items():
        if suite in AS_PATTERNS:
            given[name] = unsigned(values)
        else:  # the dtype of seconds decides how their products are rounded
            given[name] = values if hasattr(position_ids, suite) else widened(kind, values)
    return WITNESSES[suite](given, number(arguments.get("frequencies", {})), dtype)


def unsigned(values):
    """Bit patterns of an array."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def widened(dtype, values):
    """Exact float64 values of floats, int64 as they are."""
    values = values.view(ml_dtypes.bfloat16) if dtype == "bfloat16" else values
    return values if dtype == "int64" else values.astype(np.float64)


def number(value):
    """An argument of the JSON document with fractions for its numbers, also within lists and calls."""
    if isinstance(value, list):
        return [number(one) for one in value]
    if isinstance(value, dict) and "float64" in value:
        return Fraction(float(np.array([int(value["float64"], 16)], np.uint64).view(np.float64)[0]))
    if isinstance(value, dict) and "fraction" in value:
        return Fraction(*value["fraction"])
    if isinstance(value, dict):
        return {name: number(given) for name, given in value.items()}
    return value


def _position_ids(suite):
    """Positions are integers, or what real code has in float32."""

    def confirm(given, call, dtype):
        given = {name: float(value) if isinstance(value, Fraction) else value for name, value in given.items()}
        found = getattr(position_ids, suite)(**given)
        found = found if isinstance(found, tuple) else (found,)
        names = {"glm_image_positions": ("positions", "decode_positions")}.get(suite, ("positions", "deltas"))
        if suite in ("flux_positions", "flux2_positions", "qwen_image_positions"):
            names, width = ("text", "image"), len(found[1][0])
            found = [np.array(values, dtype).reshape(-1, width) for values in found]  # text may be empty
        names = names if len(found) == 2 else ("output",)
        return {name: unsigned(np.array(values, dtype)) for name, values in zip(names, found, strict=True)}

    return confirm


for _suite, _source in position_ids.SOURCES.items():
    witness(_suite, source=_source)(_position_ids(_suite))


def _of_batches(suite):
    """Integers, one array for each output."""

    def confirm(given, call, dtype):
        given = {name: int(value) if isinstance(value, Fraction) else value for name, value in given.items()}
        found, names = getattr(batches, suite)(**given), batches.NAMES.get(suite, ("output",))
        found = found if len(names) > 1 else (found,)
        return {name: unsigned(np.array(values, dtype)) for name, values in zip(names, found, strict=True)}

    return confirm


for _suite, _source in batches.SOURCES.items():
    witness(_suite, source=_source)(_of_batches(_suite))


@witness("grid_positions", source="definition: the cells of a grid, row by row")
def _grid_positions(given, call, dtype):
    """(axes, cells), each position rounded once."""
    found = axes.cells(*map(axes.coordinates, given["coordinates"]))
    kind = {"int64": int, "float64": float}[dtype]
    assert dtype == "float64" or all(p == int(p) for line in found for p in line)
    return {"output": unsigned(np.array([[kind(p) for p in line] for line in found], dtype))}


@witness("sinusoidal", source="paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.5")
def _sinusoidal(given, call, dtype):
    return {"output": patterns(formulas.sinusoidal(given.pop("positions"), given.pop("dim"), **given), dtype)}


@witness("shift_matrix", source="paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.5")
def _shift_matrix(given, call, dtype):
    return {"output": patterns(formulas.shift_matrix(given.pop("offset"), given.pop("dim"), **given), dtype)}


@witness("binary_code", source="definition: binary numbers")
def _binary_code(given, call, dtype):
    shape, places = formulas.flatten(given["positions"])
    written = [format(place, f"0{given['bits']}b") for place in places]
    digits = [[int(digit) for digit in (text[::-1] if given["lowest_first"] else text)] for text in written]
    return {"output": unsigned(np.array(digits, np.int64).reshape(*shape, given["bits"]))}


@witness("sincos_2d", source="paper: He et al. 2022, arXiv:2111.06377, appendix A.1")
def _sincos_2d(given, call, dtype):
    sizes = [given.pop(name) for name in ("height", "width", "dim")]
    return {"output": patterns(formulas.sincos_2d(*sizes, **given), dtype)}


@witness(
    "timestep_embedding",
    source=(
        "paper: Ho et al. 2020, arXiv:2006.11239, appendix B",
        "code: diffusers 0.42.1, models/unets/unet_2d_condition.py",
    ),
)
def _timestep_embedding(given, call, dtype):
    return {"output": patterns(times.embedding(given.pop("timesteps"), given.pop("dim"), **given), dtype)}


@witness(
    "timestep_fourier",
    source=(
        "paper: Black et al. 2024, arXiv:2410.24164, appendix B",
        "code: transformers 5.23.0, models/pi0/modeling_pi0.py, PI0TimestepEmbeddings",
    ),
)
def _timestep_fourier(given, call, dtype):
    return {"output": patterns(times.fourier(given.pop("timesteps"), given.pop("dim"), **given), dtype)}


@witness(
    "add",
    source=(
        "paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.5",
        "code: transformers 5.23.0, models/speecht5/modeling_speecht5.py, SpeechT5ScaledPositionalEncoding",
    ),
)
def _add(given, call, dtype):
    """x a + t b in fractions, or in IEEE arithmetic where an operand is no finite number; the prefix is left alone."""
    return {"output": sums.add(dtype=dtype, **given)}


def _scaling(suite):
    """Of plain frequencies: themselves; of its scalings: frequencies and the factor on cosine and sine."""

    def confirm(given, call, dtype):
        arguments = {**given, **({"frequencies": call} if call else {})}
        frequencies, factor = scalings.scaling_digits({"function": suite, "arguments": arguments})
        if suite == "inverse_frequencies":
            return {"output": patterns(frequencies, dtype)}
        return {"inv_freq": patterns(frequencies, dtype), "attention_factor": patterns(factor, dtype)}

    return confirm


def scaling(name, *, source):
    """Registers a rule of tests/witness/scalings.py as that of a scaling, and as its witness."""

    def register(rule):
        scalings.RULES[name] = rule
        witness(name, source=source)(_scaling(name))
        return rule

    return register


for _suite, _source in scalings.SOURCES.items():
    witness(_suite, source=_source)(_scaling(_suite))


def _along_axes(suite):
    """Of frequencies along several axes: themselves, the factor, and the axis of each."""

    def confirm(given, call, dtype):
        arguments = {**given, **({"frequencies": call} if call else {})}
        found = axes.turning({"function": suite, "arguments": arguments})
        frequencies, factor = axes.frequency_digits(found)
        return {
            "inv_freq": patterns(frequencies, dtype),
            "attention_factor": patterns(factor, dtype),
            "axes": np.array(found.axes, np.uint64),
        }

    return confirm


for _suite, _source in {
    "axial_frequencies": "paper: Heo et al. 2024, arXiv:2403.13298, section 3",
    "mrope_frequencies": (
        "paper: Wang et al. 2024, arXiv:2409.12191, section 2.1",
        "code: transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py",
    ),
}.items():
    witness(_suite, source=_source)(_along_axes(_suite))


@witness("given_frequencies", source="definition: the numbers themselves, rounded")
def _given_frequencies(given, call, dtype):
    thetas = [Fraction(value) for value in given["inv_freq"].tolist()]
    return {"output": patterns(from_fractions(thetas), dtype)}


def places_of(positions, several):
    """(shape, the flat positions of each axis) of a grid, of position ids, or of one axis."""
    if isinstance(positions, dict):
        along = [axes.coordinates(axis) for axis in positions["arguments"]["coordinates"]]
        return tuple(map(len, along)), axes.cells(*along)
    array = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    array = array if several else array[None]
    return array.shape[1:], [axis.reshape(-1).tolist() for axis in array]


@witness("rope_table", source="paper: Su et al. 2021, arXiv:2104.09864, section 3.4.2")
def _rope_table(given, call, dtype):
    nested = call["arguments"]
    if call["function"] == "inverse_frequencies" and "exponent_dim" not in nested:
        cos, sin = formulas.rope_table(given["positions"], nested["dim"], base=nested["base"])
    elif call["function"] in scalings.RULES:
        cos, sin = scalings.scaled_table(given["positions"], call)
    else:
        found = axes.turning(call)
        shape, places = places_of(given["positions"], True)
        tables = axes.table(places, found.axes, found.rule, found.factor, found.rational)
        cos, sin = (digits.reshape(*shape, len(found.axes)) for digits in tables)
    return {"cos": patterns(cos, dtype), "sin": patterns(sin, dtype)}


@witness(
    "attention_temperature", source="code: transformers 5.23.0, models/llama4/modeling_llama4.py, Llama4TextAttention"
)
def _attention_temperature(given, call, dtype):
    return {"output": patterns(scalings.temperature(given.pop("positions"), **given), dtype)}


@witness(
    "yarn_softmax_scale",
    source="code: transformers 5.23.0, models/deepseek_v3/modeling_deepseek_v3.py, yarn_apply_mscale",
)
def _yarn_softmax_scale(given, call, dtype):
    return {"output": patterns(scalings.softmax_scale(given["factor"], given["mscale_all_dim"]), dtype)}


@witness("rope", source="paper: Su et al. 2021, arXiv:2104.09864, section 3.4.2")
def _rope(given, call, dtype):
    if (call and call["function"] != "inverse_frequencies") or given["pairing"] == "block-half":
        found = axes.turning(call)
        several = call["function"] not in scalings.RULES
        return _turned(given, given["positions"], found, dtype, several=several)
    x, positions, axis = given.pop("x"), given.pop("positions"), given.pop("seq_axis")
    positions = np.arange(positions) if isinstance(positions, int) else positions
    lead = positions.ndim - 1
    axis = axis % x.ndim
    places = positions.reshape(*positions.shape[:-1], *[1] * (axis - lead), -1, *[1] * (x.ndim - 2 - axis))
    places = np.broadcast_to(places, x.shape[:-1]).reshape(-1)
    if call:
        given.update(base=call["arguments"]["base"], rotary_dim=call["arguments"]["dim"])
    rows = x.reshape(-1, x.shape[-1])
    return {"output": formulas.rope(rows, places, dtype, **given).reshape(x.shape)}


def _turned(given, positions, found, dtype, *, other=None, several=True):
    """Rows of x turned by positions on several axes; the channels beyond are as they were."""
    x, pairs = given["x"], len(found.axes)
    shape, places = places_of(positions, several)
    if isinstance(positions, dict):
        shape = (math.prod(shape),)
    axis = given.get("seq_axis", -2) % x.ndim
    index = np.arange(math.prod(shape))
    index = index.reshape(*shape[:-1], *[1] * (axis - len(shape) + 1), -1, *[1] * (x.ndim - 2 - axis))
    rows = np.broadcast_to(index, x.shape[:-1]).reshape(-1)
    along = [[line[row] for row in rows] for line in places]
    flat = x.reshape(-1, x.shape[-1])
    first, second = channels_of(found.axes, given.get("pairing", "half"))
    made = axes.rotate(
        flat[:, first], flat[:, second], along, found.axes, found.rule, found.factor, other, found.rational,
        -1 if given.get("inverse") else 1,
    )  # fmt: skip
    result = patterns(from_floats(flat.astype(np.float64)), dtype)
    for columns, digits in zip((first, second), made, strict=True):
        result[:, columns] = patterns(digits, dtype)
    assert len(first) == pairs
    return {"output": result.reshape(x.shape)}


def channels_of(turned_by, pairing):
    """The first and the second channel of each pair."""
    pairs = len(turned_by)
    if pairing == "block-half":  # each block of an axis in halves
        first = [i + turned_by.index(axis) for i, axis in enumerate(turned_by)]
        return first, [k + turned_by.count(axis) for k, axis in zip(first, turned_by, strict=True)]
    if pairing == "half":
        return list(range(pairs)), list(range(pairs, 2 * pairs))
    return list(range(0, 2 * pairs, 2)), list(range(1, 2 * pairs, 2))


def as_grid(*coordinates):
    return {"function": "grid", "arguments": {"coordinates": list(coordinates)}}


@witness("rope_2d", source="paper: Heo et al. 2024, arXiv:2403.13298, section 3")
def _rope_2d(given, call, dtype):
    share = (given.get("rotary_dim") or given["x"].shape[-1]) // 2
    order = ["hw".index(axis) for axis in given["axis_order"]]
    found = axes.Turning(*axes.axial({**given, "widths": [share, share], "axes": order}))
    return _turned(given, as_grid(given["height"], given["width"]), found, dtype)


@witness("rope_3d", source="paper: Kong et al. 2024, arXiv:2412.03603, section 4.2")
def _rope_3d(given, call, dtype):
    order = ["thw".index(axis) for axis in given["axis_order"]]
    found = axes.Turning(*axes.axial({**given, "axes": order}))
    return _turned(given, as_grid(given["frames"], given["height"], given["width"]), found, dtype)


@witness(
    "mrope",
    source=(
        "paper: Wang et al. 2024, arXiv:2409.12191, section 2.1",
        "code: transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py",
    ),
)
def _mrope(given, call, dtype):
    arguments = {**given, "dim": 2 * sum(given["sections"]), **({"frequencies": call} if call else {})}
    found = axes.turning({"function": "mrope_frequencies", "arguments": arguments})
    return _turned(given, given["position_ids"], found, dtype)


@witness("xdrope", source="code: transformers 5.23.0, models/hunyuan_vl/modeling_hunyuan_vl.py")
def _xdrope(given, call, dtype):
    plain = {"dim": 2 * sum(given["sections"]), "base": given.get("base")}
    found = axes.turning(call or {"function": "inverse_frequencies", "arguments": plain})
    first, second = axes.xdrope_axes(given["sections"])
    found = found._replace(axes=first)
    return _turned(given, given["position_ids"], found, dtype, other=(second, found.rule))


@witness("vjepa2_rope", source="code: vjepa2 c2963a4, src/models/utils/modules.py, rotate_queries_or_keys")
def _vjepa2_rope(given, call, dtype):
    half, first, second = axes.vjepa2_rules(given["x"].shape[-1], given["base"])
    found = axes.Turning(first, scalings.one, Fraction(1), (0,) * half + (1,) * half + (2,) * half)
    return _turned({**given, "pairing": "interleaved"}, given["positions"], found, dtype, other=(found.axes, second))


@witness(
    "mixed_rope",
    source=(
        "paper: Heo et al. 2024, arXiv:2403.13298, section 3.2",
        "code: mochi 0c86aeb, src/genmo/mochi_preview/dit/joint_model/rope_mixed.py",
    ),
)
def _mixed_rope(given, call, dtype):
    """Each token of each head has angles of its own: one row of x, turned by 1."""
    x, weight = given["x"], given["weight"].astype(np.float64)
    _, places = places_of(given["positions"], True)
    squares = [Fraction(square) for square in given.get("squared_scale") or [1] * len(weight)]
    result = []
    for head in np.ndindex(x.shape[:-2]):
        tokens = []
        for token, row in enumerate(x[head]):
            terms = [
                axes.by_root(Fraction(line[token]) * Fraction(learned), square, squares)
                for column in weight[:, head[-1]].T.tolist()
                for line, learned, square in zip(places, column, squares, strict=True)
            ]
            sums = [terms[k : k + len(squares)] for k in range(0, len(terms), len(squares))]
            found = axes.Turning(
                lambda sums=sums: [axes.sum_of_roots(parts) for parts in sums], scalings.one, 1, (0,) * len(sums)
            )
            options = {"x": row[None], "pairing": given["pairing"]}
            tokens.append(_turned(options, np.array([1]), found, dtype, several=False)["output"])
        result.append(np.concatenate(tokens))
    return {"output": np.array(result).reshape(x.shape)}


@witness("ernie_image_rope", source="code: diffusers 0.42.1, models/transformers/transformer_ernie_image.py")
def _ernie_image_rope(given, call, dtype):
    (first, axes_of), second = axes.ernie_image_rules(given["widths"], given["base"])
    found = axes.Turning(first, scalings.one, Fraction(1), axes_of)
    return _turned(given, given["positions"], found, dtype, other=second[::-1])


@witness("liere", source="paper: Ostmeier et al. 2024, arXiv:2406.10322, section 4")
def _liere(given, call, dtype):
    x, (_, places) = given["x"], places_of(given["positions"], True)
    batches = x.reshape(-1, *x.shape[-3:])
    found = [generalised.liere(batch, places, given["generators"], given["inverse"]) for batch in batches]
    return {"output": np.array([patterns(digits, dtype) for digits in found]).reshape(x.shape)}


@witness(
    "liere_generators",
    source=(
        "paper: Ostmeier et al. 2024, arXiv:2406.10322, section 4",
        "code: LieRE b27b41b, models/rope_vit.py, LierePositionEncoder",
    ),
)
def _liere_generators(given, call, dtype):
    rows = np.arange(given["weight"].shape[-1])
    above = np.where(rows[:, None] < rows, given["weight"], 0)
    entries = [Fraction(a) - Fraction(b) for a, b in zip(above.flat, above.swapaxes(-1, -2).flat, strict=True)]
    return {"output": patterns(from_fractions(entries), dtype).reshape(above.shape)}


@witness("pope", source="paper: Gopalakrishnan et al. 2025, arXiv:2509.10534, section 3")
def _pope(given, call, dtype):
    x = given["x"] if given["x"].ndim > 2 else given["x"][None]
    found = axes.Turning(axes.geometric(x.shape[-1], Fraction(1, x.shape[-1]), given.get("base", 10000)), scalings.one,
                         1, (0,) * x.shape[-1])  # fmt: skip
    found = axes.turning(call) if call else found
    count = len(found.axes)
    _, places = places_of(given["positions"], len(set(found.axes)) > 1)
    result, seq = [], x.shape[-2]
    for k, batch in enumerate(x.reshape(-1, *x.shape[-3:])):
        rows = slice(k * seq, (k + 1) * seq) if len(places[0]) > seq else slice(seq)
        pair = generalised.pope(batch[..., :count], [axis[rows] for axis in places], found.rule, found.axes,
                                given.get("bias"), given["magnitude"], found.factor)  # fmt: skip
        parts = [patterns(part, dtype) for part in pair]
        both = np.concatenate(parts, -1) if given["pairing"] == "half" else np.stack(parts, -1)
        rest = patterns(from_floats(batch[..., count:]), dtype)
        result.append(np.concatenate([both.reshape(*batch.shape[:-1], 2 * count), rest], -1))
    return {"output": np.array(result).reshape(*given["x"].shape[:-1], -1)}


@witness("path", source="paper: Yang et al. 2025, arXiv:2505.16381, section 3")
def _path(given, call, dtype):
    """Scores; minus infinity, the last pattern but the NaNs, where the key is after the query."""
    precision, _, largest, width = SHAPES[dtype]
    masked = (1 << width - 1) + (2 * largest + 1 << precision - 1)
    tensors = [given[name] for name in ("q", "k", "w", "beta", "gate") if name in given]
    shape, found = tensors[0].shape, []
    for at in np.ndindex(shape[:-2]):
        scores = generalised.path(*(tensor[at] for tensor in tensors))
        found.append([masked if s is None else round_fraction(s, dtype) for row in scores for s in row])
    return {"output": np.array(found, f"u{width // 8}").reshape(*shape[:-1], shape[-2])}


@witness(
    "sincos_3d",
    source=(
        "paper: Bardes et al. 2024, arXiv:2404.08471, appendix A",
        "code: diffusers 0.42.1, models/embeddings.py, get_3d_sincos_pos_embed",
    ),
)
def _sincos_3d(given, call, dtype):
    return {"output": patterns(axes.sincos_3d(**given), dtype)}


@witness("sincos_grid", source="code: positional-encodings 6.0.3, positional_encodings/torch_encodings.py")
def _sincos_grid(given, call, dtype):
    return {"output": patterns(axes.sincos_grid(**given), dtype)}


@witness("joined", source="code: SatMAE e31c11f, models_mae_temporal.py, forward_encoder")
def _joined(given, call, dtype):
    found = [answer(part["function"], part["arguments"], {}, dtype)["output"] for part in given["parts"]]
    shape = np.broadcast_shapes(*(part.shape[:-1] for part in found))
    cells = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in found], -1)
    if given.get("extra_tokens") is not None:
        cells = cells.reshape(-1, cells.shape[-1])
        cells = np.concatenate([np.zeros((given["extra_tokens"], cells.shape[-1]), cells.dtype), cells])
    return {"output": cells}


@witness(
    "coordinate_sine",
    source="code: transformers 5.23.0, models/dab_detr/modeling_dab_detr.py, encode_sinusoidal_position_embedding",
)
def _coordinate_sine(given, call, dtype):
    return {"output": patterns(fourier.coordinate_sine(given.pop("coordinates"), given.pop("dim"), **given), dtype)}


@witness("masked_sine_2d", source="code: transformers 5.23.0, models/detr/modeling_detr.py, DetrSinePositionEmbedding")
def _masked_sine_2d(given, call, dtype):
    return {"output": patterns(fourier.masked_sine_2d(given.pop("mask"), given.pop("dim"), **given), dtype)}


@witness(
    "bands",
    source=(
        "paper: Mildenhall et al. 2020, arXiv:2003.08934, section 5.1",
        "code: transformers 5.23.0, models/perceiver/modeling_perceiver.py, generate_fourier_features",
    ),
)
def _bands(given, call, dtype):
    return {"output": patterns(fourier.bands(**given), dtype)}


@witness(
    "fourier_bands",
    source=(
        "paper: Mildenhall et al. 2020, arXiv:2003.08934, section 5.1",
        "code: transformers 5.23.0, models/perceiver/modeling_perceiver.py, generate_fourier_features",
    ),
)
def _fourier_bands(given, call, dtype):
    return {"output": patterns(fourier.fourier_bands(given.pop("coordinates"), call, **given), dtype)}


@witness(
    "fourier_projection",
    source=(
        "paper: Tancik et al. 2020, arXiv:2006.10739, section 5",
        "code: diffusers 0.42.1, models/embeddings.py, GaussianFourierProjection",
    ),
)
def _fourier_projection(given, call, dtype):
    return {
        "output": patterns(fourier.fourier_projection(given.pop("coordinates"), given.pop("weight"), **given), dtype)
    }


@witness("integrated_fourier", source="paper: Barron et al. 2021, arXiv:2103.13415, section 3.1, equation 14")
def _integrated_fourier(given, call, dtype):
    mean, variance = given.pop("mean"), given.pop("variance")
    return {"output": patterns(integrated_fourier(mean, variance, call, **given), dtype)}


@witness(
    "spherical_harmonics",
    source=(
        "paper: Sloan 2008, Stupid Spherical Harmonics (SH) Tricks, appendix A2",
        "code: nerfstudio 50e0e3c, nerfstudio/utils/spherical_harmonics.py",
    ),
)
def _spherical_harmonics(given, call, dtype):
    return {"output": patterns(spherical_harmonics(given.pop("x"), given.pop("degree"), **given), dtype)}


@witness("sphere_code", source="code: satclip 1ead106, satclip/positional_encoding/grid_and_sphere.py, GridAndSphere")
def _sphere_code(given, call, dtype):
    return {"output": patterns(sphere_code(given.pop("coordinates"), call, **given), dtype)}


@witness("equal_earth", source="paper: Savric, Patterson and Jenny 2019, doi:10.1080/13658816.2018.1504949")
def _equal_earth(given, call, dtype):
    return {"output": patterns(equal_earth(given.pop("coordinates"), **given), dtype)}


@witness("cape_2d", source="code: cape d456950, cape/cape.py, CAPE2d")
def _cape_2d(given, call, dtype):
    return {"output": patterns(cape_2d(given.pop("coordinates"), given.pop("dim"), **given), dtype)}


@witness(
    "box_relation",
    source=(
        "paper: Hou et al. 2024, arXiv:2407.11699, section 4.1",
        "code: transformers 5.23.0, models/pp_doclayout_v2/modeling_pp_doclayout_v2.py",
    ),
)
def _box_relation(given, call, dtype):
    return {"output": patterns(box_relation(given.pop("boxes"), given.pop("dim"), **given), dtype)}


@witness(
    "soft_grid",
    source=(
        "paper: Locatello et al. 2020, arXiv:2006.15055, appendix E",
        "code: google-research 20622ff, slot_attention/model.py, build_grid",
    ),
)
def _soft_grid(given, call, dtype):
    return {"output": patterns(soft_grid(**given), dtype)}


@witness(
    "centred_points", source="code: transformers 5.23.0, models/superglue/modeling_superglue.py, normalize_keypoints"
)
def _centred_points(given, call, dtype):
    return {"output": patterns(centred_points(given.pop("points"), **given), dtype)}


@witness(
    "alibi_slopes",
    source=(
        "paper: Press et al. 2022, arXiv:2108.12409, section 3",
        "code: transformers 5.23.0, models/bloom/modeling_bloom.py, build_alibi_tensor",
    ),
)
def _alibi_slopes(given, call, dtype):
    return {"output": patterns(formulas.alibi_slopes(given.pop("num_heads"), **given), dtype)}


@witness(
    "alibi",
    source=(
        "paper: Press et al. 2022, arXiv:2108.12409",
        "code: transformers 5.23.0, models/bloom/modeling_bloom.py, build_alibi_tensor",
    ),
)
def _alibi(given, call, dtype):
    sizes = [given.pop(name) for name in ("num_heads", "query_len", "key_len")]
    return {"output": formulas.alibi(*sizes, dtype, **given)}


def _of_distances(suite):
    """Biases and features of distances: the sizes first, in the order of the call."""

    def confirm(given, call, dtype):
        sizes = [given.pop(name) for name in SIZES[suite]]
        return {"output": getattr(decays, suite)(*sizes, dtype, **given)}

    return confirm


#: the arguments of each function in decays.py that come first
SIZES = {
    "alibi_2d": ("num_heads", "height", "width"),
    "decay": ("num_heads", "query_len", "key_len"),
    "decay_rates": ("num_heads",),
    "distance_features": ("query_len", "key_len", "features"),
    "exponential_modulation": ("length", "channels"),
    "hyena_features": ("length", "dim"),
    "kerple": ("query_len", "key_len"),
    "offset_geometric": ("dim",),
    "sandwich": ("num_heads", "query_len", "key_len"),
}
for _suite, _source in decays.SOURCES.items():
    witness(_suite, source=_source)(_of_distances(_suite))


@witness(
    "t5_buckets",
    source=(
        "paper: Raffel et al. 2020, arXiv:1910.10683, section 2.1",
        "code: transformers 5.23.0, models/t5/modeling_t5.py, _relative_position_bucket",
    ),
)
def _t5_buckets(given, call, dtype):
    return {"output": formulas.t5_buckets(given.pop("relative_positions"), **given).view(np.uint64)}


@witness("relative_rows", source="paper: Shaw et al. 2018, arXiv:1803.02155, section 3.2")
def _relative_rows(given, call, dtype):
    return {"output": distances.relative_rows(given.pop("query_len"), given.pop("key_len"), **given).view(np.uint64)}


@witness("relative_bias", source="paper: Shaw et al. 2018, arXiv:1803.02155, section 3.2", as_patterns=True)
def _relative_bias(given, call, dtype):
    weight, view = given.pop("weight"), given.pop("view", False)
    assert not view
    return {"output": heads_first(weight, distances.relative_bias_rows(len(weight), **given))}


def heads_first(weight, rows):
    """(heads, query, key) of weights (rows, heads); -1 is not among these rows."""
    assert rows.size == 0 or rows.min() >= 0
    gathered = weight[rows] if rows.size else np.empty((*rows.shape, weight.shape[1]), weight.dtype)
    return np.ascontiguousarray(np.moveaxis(gathered, -1, 0))


@witness(
    "log_buckets",
    source=(
        "paper: Raffel et al. 2020, arXiv:1910.10683",
        "code: transformers 5.23.0, models/deberta_v2/modeling_deberta_v2.py, make_log_bucket_position",
    ),
)
def _log_buckets(given, call, dtype):
    return {"output": distances.log_buckets(given.pop("relative_positions"), **given).view(np.uint64)}


@witness("window_rows", source="paper: Liu et al. 2021, arXiv:2103.14030, section 3.2")
def _window_rows(given, call, dtype):
    return {"output": distances.window_rows(given.pop("height"), given.pop("width"), **given).view(np.uint64)}


@witness("window_bias", source="paper: Liu et al. 2021, arXiv:2103.14030, section 3.2", as_patterns=True)
def _window_bias(given, call, dtype):
    weight = given.pop("weight")
    return {"output": heads_first(weight, distances.window_rows(given.pop("height"), given.pop("width"), **given))}


@witness("decomposed_rows", source="code: transformers 5.23.0, models/vitdet/modeling_vitdet.py, get_rel_pos")
def _decomposed_rows(given, call, dtype):
    return {"output": distances.decomposed_rows(**given).view(np.uint64)}


@witness("resize_bias", source="code: timm 1.0.31, timm/layers/pos_embed_rel.py, resize_rel_pos_bias_table")
def _resize_bias(given, call, dtype):
    weight, sizes = given["weight"], (given["old"], given["new"])
    if sizes[0] == sizes[1]:
        kept, made = weight, []
    else:
        count = len(weight) - 3 * given.get("class_token", False)
        kept, made = weight[count:], distances.resized_bias(weight[:count], *sizes, given["method"])
    copied = patterns(from_floats(kept.reshape(-1)), dtype)
    copied |= np.signbit(kept).reshape(-1).astype(copied.dtype) << (8 * copied.itemsize - 1)
    return {"output": np.concatenate([patterns(from_fractions(made), dtype), copied]).reshape(-1, weight.shape[1])}


@witness(
    "irpe_rows",
    source=(
        "paper: Wu et al. 2021, arXiv:2107.14222, sections 3.2 and 3.3",
        "code: Cream 12aed81bb10a, iRPE/DeiT-with-iRPE/irpe.py, get_bucket_ids_2d",
    ),
)
def _irpe_rows(given, call, dtype):
    return {"output": distances.irpe_rows(given.pop("height"), given.pop("width"), **given).view(np.uint64)}


@witness(
    "log_coordinates",
    source=(
        "paper: Liu et al. 2022, arXiv:2111.09883, section 3.3, equation 4",
        "code: transformers 5.23.0, models/swinv2/modeling_swinv2.py, create_coords_table_and_index",
    ),
)
def _log_coordinates(given, call, dtype):
    made = distances.log_coordinates(given.pop("height"), given.pop("width"), dtype, **given)
    return {"output": np.array(made, f"u{SHAPES[dtype][-1] // 8}")}


@witness(
    "t5_bias",
    source=(
        "paper: Raffel et al. 2020, arXiv:1910.10683, section 2.1",
        "code: transformers 5.23.0, models/t5/modeling_t5.py, compute_bias",
    ),
    as_patterns=True,
)
def _t5_bias(given, call, dtype):
    weight, queries, keys = given["weight"], given["query_len"], given["key_len"]
    relative = np.arange(keys)[None, :] - (given["query_offset"] + np.arange(queries))[:, None]
    rows = formulas.t5_buckets(
        relative, bidirectional=given["bidirectional"], num_buckets=len(weight), max_distance=given["max_distance"]
    )
    gathered = weight[rows.reshape(relative.shape)] if relative.size else np.empty((queries, keys, weight.shape[1]))
    return {"output": gathered.astype(weight.dtype).transpose(2, 0, 1)}


# -- learned tables ---------------------------------------------------------------------------------------------------


@witness("resize_table", source=("paper: Keys 1981, equation 8", "code: torch 2.13.0, nn/functional.py, interpolate"))
def _resize_table(given, call, dtype):
    weight, prefix, size = given["weight"], given["prefix"], given["size"]
    size = [size] if isinstance(size, int) else size
    names = ("method", "align", "cubic", "antialias", "border", "scale")
    options = {name: given.get(name) for name in names}
    options["border"] = options["border"] or "clamp"
    old = given.get("grid", weight.shape[:-1])
    grid = weight[prefix:].reshape(*old, weight.shape[-1])
    for axis, (start, stop) in enumerate(given.get("crop", ())):
        grid = grid.take(range(start, stop), axis)
    made = resampling.resized(grid, size, **options)
    if "window" in given:
        made = resampling.with_window(made, size, given["window"])
    found = patterns(from_fractions(made), dtype)
    if "grid" not in given:
        return {"output": found.reshape(*size, weight.shape[-1])}
    kept = patterns(from_floats(weight[:prefix]), dtype)
    return {"output": np.concatenate([kept, found.reshape(-1, weight.shape[-1])])}


@witness("learned", source="paper: Gehring et al. 2017, arXiv:1705.03122, section 3.1")
def _learned(given, call, dtype):
    weight, rows = given["weight"], given["rows"]
    rows = np.arange(rows) if isinstance(rows, int) else rows
    kept = weight[rows.reshape(-1)].reshape(-1)
    digits = from_floats(kept)
    if "scale" in given:
        digits = from_fractions([Fraction(value) * Fraction(given["scale"]) for value in kept.tolist()])
    found = patterns(digits, dtype)
    if "scale" not in given:  # a zero that is copied keeps its sign
        found |= np.signbit(kept).astype(found.dtype) << (8 * found.itemsize - 1)
    return {"output": found.reshape(*rows.shape, weight.shape[1])}


@witness("resize_packed", source="code: transformers 5.23.0, models/qwen3_vl/modeling_qwen3_vl.py")
def _resize_packed(given, call, dtype):
    weight, merge, images = given["weight"], given.get("merge_size", 1), []
    options = {name: given.get(name) for name in ("method", "align", "cubic", "antialias", "border", "scale")}
    options["border"] = options["border"] or "clamp"
    for frames, height, width in given["grid_thw"].tolist():
        made = patterns(from_fractions(resampling.resized(weight, (height, width), **options)), dtype)
        made = made.reshape(height // merge, merge, width // merge, merge, -1).swapaxes(1, 2)
        images.append(np.tile(made.reshape(height * width, -1), (frames, 1)))
    none = patterns(from_fractions([]), dtype).reshape(0, weight.shape[-1])
    if "length" in given:
        filled = [np.concatenate([rows, rows[:1].repeat(given["length"] - len(rows), 0)]) for rows in images]
        return {"output": np.concatenate([none, *filled]).reshape(len(images), given["length"], weight.shape[-1])}
    return {"output": np.concatenate([none, *images])}


@witness(
    "tile_table", source="code: transformers 5.23.0, models/sam2/modeling_sam2.py, _get_pos_embed", as_patterns=True
)
def _tile_table(given, call, dtype):
    weight, size = given["weight"], given["size"]
    for axis, new in enumerate([size] if isinstance(size, int) else size):
        weight = np.concatenate([weight] * (new // weight.shape[axis] + 1), axis).take(range(new), axis)
    return {"output": weight}


@witness("learned_axes", source="paper: Carion et al. 2020, arXiv:2005.12872")
def _learned_axes(given, call, dtype):
    weights, grid = given["weights"], given["grid"]
    order = [
        "thw"[3 - len(grid) :].index(axis) if isinstance(axis, str) else axis for axis in given.get("axis_order", "")
    ]
    cells = []
    for cell in np.ndindex(*grid):
        if order:
            cells += [from_floats(np.concatenate([weights[axis][cell[axis]] for axis in order]))]
        else:
            rows = [weights[axis][place].tolist() for axis, place in enumerate(cell)]
            cells += [from_fractions([sum(map(Fraction, values)) for values in zip(*rows, strict=True)])]
    width = sum(weights[axis].shape[1] for axis in order) or weights.shape[2]
    found = [patterns(from_fractions([]), dtype), *(patterns(cell, dtype) for cell in cells)]
    return {"output": np.concatenate(found).reshape(*grid, width)}


@witness("mean_of_rows", source="code: transformers 5.23.0, models/luke/modeling_luke.py, LukeEntityEmbeddings")
def _mean_of_rows(given, call, dtype):
    weight, spans = given["weight"], given["rows"]
    means = []
    for span in spans.reshape(int(np.prod(spans.shape[:-1])), spans.shape[-1]).tolist():
        read = [weight[row].tolist() for row in span if row != -1] or [[0.0] * weight.shape[1]]
        means += [sum(map(Fraction, values)) / len(read) for values in zip(*read, strict=True)]
    return {"output": patterns(from_fractions(means), dtype).reshape(*spans.shape[:-1], weight.shape[1])}


@witness("learned_boxes", source="code: transformers 5.23.0, models/layoutlm/modeling_layoutlm.py, LayoutLMEmbeddings")
def _learned_boxes(given, call, dtype):
    (x, y, h, w), boxes, clip = given["weights"], given["boxes"], given["clip"]
    size = abs if clip is None else lambda n: sorted((0, n, clip))[1]
    found = [patterns(from_fractions([]), dtype)]
    for left, upper, right, lower in boxes.reshape(-1, 4).tolist():
        rows = x[left], y[upper], x[right], y[lower], h[size(lower - upper)], w[size(right - left)]
        if given["combine"] == "concat":
            found += [patterns(from_floats(np.concatenate(rows)), dtype)]
        else:
            rows = zip(*(row.tolist() for row in rows), strict=True)
            found += [patterns(from_fractions([sum(map(Fraction, values)) for values in rows]), dtype)]
    width = x.shape[1] * (6 if given["combine"] == "concat" else 1)
    return {"output": np.concatenate(found).reshape(*boxes.shape[:-1], width)}


# -- learned weights, in the fixed order ----------------------------------------------------------------------------


def of_doubles(values, shape, dtype):
    """Bit patterns of float64 values rounded once; of NaN the positive quiet one."""
    values = np.array(values, np.float64).reshape(-1)
    finite = np.isfinite(values)
    result = patterns(from_floats(np.where(finite, values, 0.0)), dtype)
    precision, width = SHAPES[dtype][0], 8 * result.itemsize
    infinity = (1 << width - 1) - (1 << precision - 1)
    result |= np.signbit(values).astype(result.dtype) << np.array(width - 1, result.dtype) & np.where(
        np.isnan(values), 0, ~np.array(0, result.dtype)
    ).astype(result.dtype)
    result = np.where(np.isinf(values), result | infinity, result)
    return np.where(np.isnan(values), infinity | 1 << precision - 2, result).astype(result.dtype).reshape(shape)


@witness(
    "mlp_positions",
    source=("paper: Li et al. 2021, arXiv:2106.02795, section 3", "order: docs/orders/mlp_positions.txt"),
)
def _mlp_positions(given, call, dtype):
    positions = given["positions"]
    positions = np.arange(positions) if isinstance(positions, int) else positions
    divisor = Fraction(given.get("divisor", 1))
    first, last = given["weight_in"].reshape(-1, 1).tolist(), given["weight_out"].tolist()
    rows = []
    for position in positions.reshape(-1).tolist():
        hidden = sequences.linear([float(Fraction(position) / divisor)], first, given["bias_in"])
        hidden = [sequences.activation(given["activation"], float(value)) for value in hidden]
        rows.append(sequences.linear(hidden, last, given["bias_out"]))
    return {"output": of_doubles(rows, (*positions.shape, len(last)), dtype)}


@witness(
    "conv_positions",
    source=(
        "paper: Baevski et al. 2020, arXiv:2006.11477, section 2",
        "code: transformers 5.23.0, models/wav2vec2/modeling_wav2vec2.py, Wav2Vec2PositionalConvEmbedding",
        "order: docs/orders/conv_positions.txt",
    ),
)
def _conv_positions(given, call, dtype):
    x, weight = given["x"], given["weight"]
    if "magnitude" in given:
        weight = sequences.weight_norm(weight, given["magnitude"].tolist())
    kernel_axes = weight.ndim - 2
    around = [(n - 1, 0) if given["padding"] == "causal" else (n // 2, (n - 1) // 2) for n in weight.shape[2:]]
    wide = np.pad(x, [(0, 0)] * (x.ndim - kernel_axes - 1) + around + [(0, 0)])
    shape = (*x.shape[:-1], len(weight))
    taken, made = weight.shape[1], len(weight) // given["groups"]
    result = np.zeros(shape)
    for cell in np.ndindex(*shape[:-1]):
        lead, start = cell[: len(cell) - kernel_axes], cell[len(cell) - kernel_axes :]
        window = wide[(*lead, *(slice(i, i + n) for i, n in zip(start, weight.shape[2:], strict=True)))]
        for o in range(len(weight)):
            part = np.moveaxis(window, -1, 0)[o // made * taken : (o // made + 1) * taken]
            result[(*cell, o)] = sequences.dot(part.reshape(-1).tolist(), weight[o].reshape(-1).tolist())
            if given.get("bias") is not None:
                result[(*cell, o)] += given["bias"][o]
        row = result[cell].tolist()
        if given.get("norm_eps") is not None:
            ones, zeros = [1.0] * len(row), [0.0] * len(row)
            row = sequences.layer_norm(row, ones, zeros, float(given["norm_eps"]))
        row = [sequences.activation(given["activation"], value) for value in row]
        if given.get("residual"):
            row = [value + other for value, other in zip(row, x[cell].tolist(), strict=True)]
        result[cell] = row
    return {"output": of_doubles(result, shape, dtype)}


@witness(
    "normalised_sinusoidal",
    source=(
        "code: transformers 5.23.0, models/patchtst/modeling_patchtst.py, PatchTSTPositionalEncoding",
        "order: docs/orders/normalised_sinusoidal.txt",
    ),
)
def _normalised_sinusoidal(given, call, dtype):
    table = _sinusoidal({"layout": "interleaved", **given}, call, "float64")["output"].view(np.float64)
    entries = table.reshape(-1).tolist()
    middle = sequences.mean(entries) if entries else 0.0
    entries = [value - middle for value in entries]
    size = 10.0 * math.sqrt(sequences.variance(entries, True)) if entries else 0.0
    return {"output": of_doubles([sequences.divided(value, size) for value in entries], table.shape, dtype)}


@witness(
    "gated_table",
    source=(
        "code: transformers 5.23.0, models/mllama/modeling_mllama.py, MllamaPrecomputedPositionEmbedding",
        "order: docs/orders/gated_table.txt",
    ),
)
def _gated_table(given, call, dtype):
    gate = given["gate"]
    gate = float(gate if isinstance(gate, Fraction) else gate.reshape(-1)[0])
    factor = sequences.activation("tanh", gate)
    factor = 1.0 - factor if given["complement"] else factor
    weight = given["weight"]
    return {"output": of_doubles([factor * value for value in weight.reshape(-1).tolist()], weight.shape, dtype)}


@witness(
    "cosmos_learnable",
    source=(
        "code: diffusers 0.42.1, models/transformers/transformer_cosmos.py, CosmosLearnablePositionalEmbed",
        "order: docs/orders/cosmos_learnable.txt",
    ),
)
def _cosmos_learnable(given, call, dtype):
    weights, grid = given["weights"], given["grid"]
    eps, n = float(given.get("eps", 1e-6)), weights.shape[2]
    rows = []
    for t, r, c in np.ndindex(*grid):
        vectors = (part[index].tolist() for part, index in zip(weights, (t, r, c), strict=True))
        cell = [a + b + d for a, b, d in zip(*vectors, strict=True)]
        size = eps + math.sqrt(1.0 / n) * math.sqrt(sequences.total([value * value for value in cell]))
        rows.append([sequences.divided(value, size) for value in cell])
    return {"output": of_doubles(rows, (*grid, n), dtype)}


# -- beyond the trained length ----------------------------------------------------------------------------------------


def options_of(given):
    """What fixes the factors of xPos."""
    names = ("centring", "downscale", "length", "scale_base", "gamma")
    return {name: given[name] for name in names if name in given}


def divisor(call):
    """What a linear scaling divides the frequencies by."""
    if not call or call["function"] == "inverse_frequencies":
        return 1
    assert call["function"] == "linear", call["function"]
    return Fraction(call["arguments"]["factor"])


@witness("xpos", source="paper: Sun et al. 2022, arXiv:2212.10554, algorithm 1")
def _xpos(given, call, dtype):
    x, positions = given["x"], given["positions"]
    seq = given.get("seq_axis", -2)
    values = np.moveaxis(x, seq, -2)
    rows = np.broadcast_to(np.arange(positions) if isinstance(positions, int) else positions, values.shape[:-1])
    turn = {name: given[name] for name in ("pairing", "rotary_dim", "inverse", "base") if name in given}
    turn["divide"] = divisor(call)
    if call:
        assert scalings.dim_of(call) == turn.get("rotary_dim", x.shape[-1])
    top = max(rows.reshape(-1).tolist(), default=-1)
    options = {"length": int(top) + 1 if top == int(top) else None, **options_of(given)}
    flat = lengths.xpos(values.reshape(-1, values.shape[-1]), rows.reshape(-1), dtype, **turn, **options)
    return {"output": np.ascontiguousarray(np.moveaxis(flat.reshape(values.shape), -2, seq))}


@witness("xpos_scale", source="paper: Sun et al. 2022, arXiv:2212.10554, algorithm 1")
def _xpos_scale(given, call, dtype):
    return {"output": patterns(lengths.xpos_scale(given["positions"], given["dim"], **options_of(given)), dtype)}


@witness("xpos_table", source="paper: Sun et al. 2022, arXiv:2212.10554, algorithm 1")
def _xpos_table(given, call, dtype):
    positions, dim = given["positions"], scalings.dim_of(call)
    shape = (*np.shape(np.zeros(positions) if isinstance(positions, int) else positions), dim // 2)
    base = call["arguments"].get("base", 10000)
    found = lengths.xpos_table(positions, dim, base=base, divide=divisor(call), **options_of(given))
    return dict(zip(("cos", "sin"), (patterns(digits, dtype).reshape(shape) for digits in found), strict=True))


@witness("log_n_scale", source="code: rerope 2cbd019, rerope_patch.py, forward_with_rerope")
def _log_n_scale(given, call, dtype):
    places = np.arange(given["positions"]) if isinstance(given["positions"], int) else given["positions"]
    found = lengths.log_n_scale(places.reshape(-1).tolist(), given["training_length"])
    return {"output": patterns(found, dtype).reshape(places.shape)}


@witness("dual_chunk_mscale", source="code: ChunkLlama 2add4d7, chunkllama_attn_replace.py, get_mscale")
def _dual_chunk_mscale(given, call, dtype):
    slope = Fraction(1, 20 if given["version"] == "chunkllama" else 10)
    return {"output": patterns(lengths.mscale(given["scale"], slope), dtype)}


def line(given, name):
    """Positions as a flat list."""
    places = given[name]
    return list(range(places)) if isinstance(places, int) else places.reshape(-1).tolist()


@witness("self_extend_positions", source="paper: Jin et al. 2024, arXiv:2401.01325, section 3.2 and algorithm 1")
@witness("rerope_positions", source="code: rerope 2cbd019, rerope_patch.py, forward_with_rerope")
@witness("dual_chunk_positions", source="paper: An et al. 2024, arXiv:2402.17463, section 3")
def _position_of_each_token(given, call, dtype):
    places = line(given, "positions")
    shape = (len(places),) if isinstance(given["positions"], int) else given["positions"].shape
    if not places:
        return {"output": np.empty(shape, f"u{8 if dtype == 'int64' else SHAPES[dtype][3] // 8}")}
    rule = _self_extend if "group_size" in given else _dual_chunk if "chunk_size" in given else _rerope
    found = [rule(p, given, given.get("longest", max(places))) for p in places]
    return {"output": unsigned(lengths.rounded(found, dtype)).reshape(shape)}


def _self_extend(p, given, longest):
    group, window = given["group_size"], given["neighbor_window"]
    if given["role"] == "key":
        return p // group
    shift = window // group if given["shift"] == "floor" else Fraction(window, group)
    return p // group + (0 if longest < window else window - shift)


def _rerope(p, given, longest):
    factor, query = given.get("factor"), given["role"] == "query"
    if factor is None:
        return given["window"] if query else 0
    return (p + (given["window"] * (Fraction(factor) - 1) if query else 0)) / Fraction(factor)


def _dual_chunk(p, given, longest):
    """From the distance of a pair that shows it: keys at 0 rotate by 0."""
    role, chunk, local = given["role"], given["chunk_size"], given["local_size"]
    size = chunk - local
    pair = {"intra": (p % size, 0), "successive": (p % size + size, 0), "inter": (p % size + 2 * size, 0)}
    if role in pair:
        return lengths.dual_chunk_pair(*pair[role], chunk, local, given["version"])[1]
    return p % size + {"key": 0, "successive-critical": size, "inter-critical": chunk}[role]


def each_pair(given, dtype, causal):
    """(regions, distances) of queries and keys, int64 and of the dtype. causal: the region and the distance of pairs
    whose key is after the query, where they have none."""
    queries, keys = line(given, "query_positions"), line(given, "key_positions")
    pairs = [rule_of_pairs(given, queries)(i, j) if causal is None or i >= j else causal for i in queries for j in keys]
    shape = len(queries), len(keys)
    if not pairs:
        return np.empty(shape, np.int64), unsigned(np.empty(shape, np.int64))
    regions, distances = ([pair[k] for pair in pairs] for k in (0, 1))
    return np.array(regions, np.int64).reshape(shape), unsigned(lengths.rounded(distances, dtype)).reshape(shape)


def rule_of_pairs(given, queries):
    """The function of a query and a key that gives the region and the distance of the pair."""
    if "chunk_size" in given:
        options = given["chunk_size"], given["local_size"], given.get("version", "paper")
        return lambda i, j: lengths.dual_chunk_pair(i, j, *options)
    if "group_size" in given:
        longest = given.get("longest", max(queries))
        options = longest, given["group_size"], given["neighbor_window"], given["shift"]
        return lambda i, j: lengths.self_extend_pair(i, j, *options)
    return lambda i, j: lengths.rerope_pair(i, j, given["window"], given.get("factor"))


@witness("window_regions", source="code: LongLM 18950b5, self_extend_patch/Llama.py, self_extend_forward")
@witness("dual_chunk_regions", source="paper: An et al. 2024, arXiv:2402.17463, section 3")
def _regions(given, call, dtype):
    regions, _ = each_pair(given, "float64", (-1, 0) if "chunk_size" in given else None)
    return {"output": unsigned(regions)}


@witness("self_extend_distances", source="paper: Jin et al. 2024, arXiv:2401.01325, section 3.2 and algorithm 1")
@witness("rerope_distances", source="code: rerope 2cbd019, rerope_patch.py, forward_with_rerope")
@witness("dual_chunk_distances", source="paper: An et al. 2024, arXiv:2402.17463, section 3")
def _distances(given, call, dtype):
    return {"output": each_pair(given, dtype, (-1, 0) if "chunk_size" in given else None)[1]}


# -- attention --------------------------------------------------------------------------------------------------------


@witness(
    "attention",
    source=(
        "paper: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1",
        "code: torch 2.13.0, torch/nn/functional.py, scaled_dot_product_attention",
        "order: docs/orders/attention.txt",
    ),
)
def _attention(given, call, dtype):
    q, k, v, outputs = (given[name] for name in ("q", "k", "v", "outputs"))
    channels = 0 if v is None else v.shape[-1]
    found = {"scores": [], "weights": [], "output": []}
    for index, of_keys, options in attention.queries(given):
        values = None if v is None else v[of_keys].tolist()
        row = attention.of_query(q[index].tolist(), k[of_keys].tolist(), values, channels, **options)
        for name, values in zip(found, row, strict=True):
            found[name].append(values)
    counts = (*q.shape[:-1], k.shape[-2])
    shapes = {"scores": counts, "weights": counts, "output": (*q.shape[:-1], channels)}
    asked = [outputs] if isinstance(outputs, str) else outputs
    return {name: of_doubles(found[name], shapes[name], dtype) for name in asked}


# -- a vector for each distance ---------------------------------------------------------------------------------------


@witness(
    "relative_scores",
    source=("paper: Shaw et al. 2018, arXiv:1803.02155, equation 5", "order: docs/orders/relative_scores.txt"),
)
def _relative_scores(given, call, dtype):
    scale = None if given.get("scale") is None else float(given["scale"])
    found = relative_vectors.scores(given["x"], given["weight"], given["rows"], given["by"], scale)
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "relative_values",
    source=("paper: Shaw et al. 2018, arXiv:1803.02155, equation 3", "order: docs/orders/relative_values.txt"),
)
def _relative_values(given, call, dtype):
    found = relative_vectors.values(given["probabilities"], given["weight"], given["rows"])
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "bucket_scores",
    source=(
        "code: transformers 5.23.0, models/prophetnet/modeling_prophetnet.py, ProphetNetNgramSelfAttention",
        "order: docs/orders/bucket_scores.txt",
    ),
)
def _bucket_scores(given, call, dtype):
    found = relative_vectors.bucket_scores(*(given[name] for name in ("x", "weight", "bias", "rows", "heads")))
    return {"output": of_doubles(found, found.shape, dtype)}


# -- Transformer-XL and its kin ---------------------------------------------------------------------------------------


@witness(
    "xl_scores",
    source=(
        "paper: Dai et al. 2019, arXiv:1901.02860, section 3.3",
        "code: transformers 5.23.0, models/xlnet/modeling_xlnet.py, XLNetRelativeAttention.rel_attn_core",
        "order: docs/orders/xl_scores.txt",
    ),
)
def _xl_scores(given, call, dtype):
    q, k = given["q"], given["k"]
    shape = (*q.shape[:-1], k.shape[-2])
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 and k.shape[-3] else 1
    scale = given.get("scale")
    scale = transformer_xl.inverse_root(q.shape[-1]) if scale is None else float(scale)
    names = [("projected", "rows", "v")] + [("segments", "segment_rows", "s")] * ("segments" in given)
    result = np.zeros(shape)
    for cell in np.ndindex(*shape):
        *lead, i, j = cell
        own = [*lead[:-1], lead[-1] // group] if lead else []

        def of_head(name, axes, row, lead=lead):
            array = given.get(name)
            if array is None or row is None:
                return None
            return (array[(*lead[-1:], *row)] if array.ndim == axes + bool(lead) else array[tuple(row)]).tolist()

        terms = []
        for table, index, bias in names:
            row = int(np.broadcast_to(given[index], shape)[cell])
            terms.append((of_head(table, 2, None if row < 0 else [row]), of_head(bias, 1, [])))
        query, key = q[(*lead, i)].tolist(), k[(*own, j)].tolist()
        how = given.get("scaled", "sum")
        result[cell] = transformer_xl.score(query, key, of_head("u", 1, []), terms, scale, how)
    return {"output": of_doubles(result, shape, dtype)}


@witness(
    "project_table",
    source=("paper: Dai et al. 2019, arXiv:1901.02860, section 3.3", "order: docs/orders/project_table.txt"),
)
def _project_table(given, call, dtype):
    table, weight = given["table"], given["weight"]
    matrices = weight.reshape(math.prod(weight.shape[:-2]), *weight.shape[-2:])
    rows = [[[sequences.dot(line, row) for line in one] for row in table.tolist()] for one in matrices.tolist()]
    return {"output": of_doubles(rows, (*weight.shape[:-2], len(table), weight.shape[-2]), dtype)}


@witness(
    "per_dim_scale",
    source=(
        "code: transformers 5.23.0, models/gemma3n/modeling_gemma3n.py, Gemma3nAudioAttention",
        "order: docs/orders/per_dim_scale.txt",
    ),
)
def _per_dim_scale(given, call, dtype):
    weight = given["weight"]
    found = [transformer_xl.per_dim_scale(value, given["dim"]) for value in weight.reshape(-1).tolist()]
    return {"output": of_doubles(found, weight.shape, dtype)}


@witness(
    "segment_rows",
    source=(
        "paper: Yang et al. 2019, arXiv:1906.08237, section 2.5",
        "code: transformers 5.23.0, models/xlnet/modeling_xlnet.py, XLNetModel.forward",
    ),
)
def _segment_rows(given, call, dtype):
    queries, keys = given["query_segments"], given["key_segments"]
    lead = np.broadcast_shapes(queries.shape[:-1], keys.shape[:-1])
    queries, keys = (np.broadcast_to(part, (*lead, part.shape[-1])) for part in (queries, keys))
    names = given["order"].split("-")
    result = np.zeros((*lead, queries.shape[-1], keys.shape[-1]), np.int64)
    for *where, i, j in np.ndindex(*result.shape):
        pair = queries[(*where, i)], keys[(*where, j)]
        same = transformer_xl.same_segment(*map(int, pair), given.get("shared"))
        result[(*where, i, j)] = names.index("same" if same else "different")
    return {"output": unsigned(result)}


@witness(
    "funnel_positions",
    source=(
        "paper: Dai et al. 2020, arXiv:2006.03236, section 2.2",
        "code: transformers 5.23.0, models/funnel/modeling_funnel.py, FunnelAttentionStructure",
    ),
)
def _funnel_positions(given, call, dtype):
    return {"output": unsigned(np.array(transformer_xl.funnel_positions(**given), np.int64))}


@witness("context_rows", source="code: transformers 5.23.0, models/gemma3n/modeling_gemma3n.py, _extract_block_context")
def _context_rows(given, call, dtype):
    width = given["left"] + given["block"] + given["right"]
    return {"output": unsigned(np.array(transformer_xl.context_rows(**given), np.int64).reshape(-1, width))}


# -- DeBERTa, WavLM, LayoutLM, Mega -----------------------------------------------------------------------------------


def at(array, index):
    """The entry of an array at the last numbers of an index, the array's own 0 where it has one entry."""
    sizes = array.shape[:-2]
    index = index[len(index) - len(sizes) :]
    return array[tuple(0 if size == 1 else k for size, k in zip(sizes, index, strict=True))].tolist()


@witness(
    "deberta_scores",
    source=(
        "paper: He et al. 2021, arXiv:2006.03654, section 3.1",
        "code: transformers 5.23.0, models/deberta_v2/modeling_deberta_v2.py, DisentangledSelfAttention",
        "order: docs/orders/deberta_scores.txt",
    ),
)
def _deberta_scores(given, call, dtype):
    q, k = given["q"], given["k"]
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 and k.shape[-3] else 1
    names = ("key_table", "query_table", "rows", "query_rows")
    made = []
    for index in np.ndindex(q.shape[:-2]):
        own = (*index[:-1], index[-1] // group) if index else ()
        parts = [None if given.get(name) is None else at(given[name], index) for name in names]
        made.append(learned_biases.deberta_scores(q[index].tolist(), k[own].tolist(), *parts, given["scaling"]))
    return {"output": of_doubles(made, (*q.shape[:-1], k.shape[-2]), dtype)}


@witness(
    "gated_bias",
    source=(
        "code: transformers 5.23.0, models/wavlm/modeling_wavlm.py, WavLMAttention",
        "order: docs/orders/gated_bias.txt",
    ),
)
def _gated_bias(given, call, dtype):
    bias, hidden, weight = given["bias"], given["hidden"], given["weight"].tolist()
    offsets = None if given["weight_bias"] is None else given["weight_bias"].tolist()
    shape = (*hidden.shape[:-1], bias.shape[-1])
    bias, made = np.broadcast_to(bias, shape), []
    for index in np.ndindex(hidden.shape[:-1]):
        gate = learned_biases.gate(hidden[index].tolist(), weight, offsets, float(given["constant"][index[-2]]))
        made.append([gate * value for value in bias[index].tolist()])
    return {"output": of_doubles(made, shape, dtype)}


@witness(
    "layout_bias",
    source=(
        "code: transformers 5.23.0, models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Encoder",
        "order: docs/orders/layout_bias.txt",
    ),
)
def _layout_bias(given, call, dtype):
    tables = [given[name] for name in ("weight", "x_weight", "y_weight")]
    heads = next(table for table in tables if table is not None).shape[1]
    positions, boxes = given["position_ids"], given["boxes"]
    tokens = len(positions[..., :].T) if boxes is None else boxes.shape[-2]
    lead = np.broadcast_shapes(*(part.shape[:end] for part, end in ((positions, -1), (boxes, -2)) if part is not None))
    places = None if positions is None else np.broadcast_to(positions, (*lead, tokens))
    sides = None if boxes is None else np.broadcast_to(boxes, (*lead, tokens, 4))
    most = given.get("max_distance", 128), given.get("max_box_distance", 256)
    made = [
        learned_biases.layout_bias(*tables, *(None if one is None else one[index].tolist() for one in (places, sides)),
                                   given["head_dim"], *most)
        for index in np.ndindex(lead)
    ]  # fmt: skip
    return {"output": of_doubles(made, (*lead, heads, tokens, tokens), dtype)}


@witness(
    "rotary_bias",
    source=(
        "paper: Ma et al. 2023, arXiv:2209.10655, appendix B",
        "code: transformers 4.40.2, models/mega/modeling_mega.py, MegaRotaryRelativePositionalBias",
    ),
)
def _rotary_bias(given, call, dtype):
    first = [given.pop(name) for name in ("alpha", "beta", "query_len", "key_len")]
    return {"output": learned_biases.rotary_bias(*first, dtype, **given)}


# -- scores of places in images, networks of offsets ------------------------------------------------------------------


@witness(
    "decomposed_scores",
    source=(
        "paper: Li et al. 2022, arXiv:2112.01526, section 4.1",
        "code: transformers 5.23.0, models/vitdet/modeling_vitdet.py, add_decomposed_relative_positions",
        "order: docs/orders/decomposed_scores.txt",
    ),
)
def _decomposed_scores(given, call, dtype):
    q, grids, first = given["q"], (given["query_grid"], given["key_grid"]), int(given["class_token"])
    counts = [2 * (max(pair) if given["sign"] == "query-key" else pair[1]) - 1 for pair in zip(*grids, strict=True)]
    tables = [given["weight_h"].tolist(), given["weight_w"].tolist()]
    tables = [
        table if len(table) == count else image_scores.resized(table, count)
        for table, count in zip(tables, counts, strict=True)
    ]
    images = [
        image_scores.decomposed(image.tolist(), tables, *grids, given["sign"], first)
        for image in q.reshape(math.prod(q.shape[:-2]), *q.shape[-2:])
    ]
    shape = (*q.shape[:-1], math.prod(grids[1]) + first)
    return {"output": of_doubles(images, shape, dtype)}


@witness(
    "convit_attention",
    source=(
        "paper: d'Ascoli et al. 2021, arXiv:2103.10697, section 3, equations 6 and 7",
        "code: timm 1.0.31, timm/models/convit.py, GPSA.get_attention",
        "order: docs/orders/convit_attention.txt",
    ),
)
def _convit_attention(given, call, dtype):
    q, k, grid = given["q"], given["k"], (given["height"], given["width"])
    group, bias, scale = q.shape[-3] // k.shape[-3], given.get("bias"), given.get("scale")
    scale = 1.0 / math.sqrt(q.shape[-1] or 1) if scale is None else float(scale)
    found = []
    for index in np.ndindex(q.shape[:-2]):
        head, keys = index[-1], k[(*index[:-1], index[-1] // group)]
        options = given["weight"][head].tolist(), None if bias is None else float(bias[head])
        gate = float(given["gate"][head])
        found.append(image_scores.convit(q[index].tolist(), keys.tolist(), grid, *options, gate, scale))
    return {"output": of_doubles(found, (*q.shape[:-1], k.shape[-2]), dtype)}


@witness(
    "convit_start",
    source=(
        "paper: d'Ascoli et al. 2021, arXiv:2103.10697, section 3",
        "code: timm 1.0.31, timm/models/convit.py, GPSA.local_init",
    ),
)
def _convit_start(given, call, dtype):
    side, strength = math.isqrt(given["num_heads"]), Fraction(given["strength"])
    middle = Fraction(side - 1, 2)
    rows = [(2 * (x - middle) * strength, 2 * (y - middle) * strength, -strength)
            for x in range(side) for y in range(side)]  # fmt: skip
    return {"output": patterns(from_fractions([one for row in rows for one in row]), dtype).reshape(len(rows), 3)}


@witness(
    "distance_mlp",
    source=(
        "paper: Liu et al. 2022, arXiv:2111.09883, section 3.3",
        "code: transformers 5.23.0, models/swinv2/modeling_swinv2.py, Swinv2SelfAttention",
        "order: docs/orders/distance_mlp.txt",
    ),
)
def _distance_mlp(given, call, dtype):
    sizes = given["size"] if isinstance(given["size"], list) else [given["size"]]
    spans = [n - 1 for n in given.get("pretrained") or sizes]
    lines = [[image_scores.coordinate(d, given["coordinates"], span) for d in range(1 - n, n)]
             for n, span in zip(sizes, spans, strict=True)]  # fmt: skip
    layers, norms = layers_of(given, len(sizes))
    factor = None if given.get("sigmoid") is None else float(given["sigmoid"])
    rows = [
        image_scores.network([line[n] for line, n in zip(lines, place, strict=True)], layers, norms,
                             given["activation"], factor)
        for place in np.ndindex(*(len(line) for line in lines))
    ]  # fmt: skip
    return {"output": of_doubles(rows, (*map(len, lines), len(layers[-1][0])), dtype)}


def layers_of(given, inputs):
    """[(weight, bias)] of a network of offsets, and what is normalised before every activation."""

    def listed(name):
        return None if given.get(name) is None else given[name].tolist()

    first = given["weight_in"].reshape(-1, inputs).tolist()
    middle = listed("weights") or []
    between = zip(middle, listed("biases") or [None] * len(middle), strict=True)
    layers = [(first, listed("bias_in")), *between, (given["weight_out"].tolist(), listed("bias_out"))]
    count = len(layers) - 1
    if given.get("norm_eps") is None:
        return layers, [None] * count
    parts = (listed(name) or [None] * count for name in ("norm_weights", "norm_biases"))
    return layers, [(float(given["norm_eps"]), *both) for both in zip(*parts, strict=True)]


# -- perceptrons and gates of distances, and scores merged ------------------------------------------------------------

LINES = ("weight_in", "bias_in", "weight_out", "bias_out")


def lines_of(given):
    """The arrays of both lines as lists, None for a bias that is left out; one number for each is a column."""
    first = given["weight_in"]
    arrays = {**given, "weight_in": first.reshape(-1, 1) if first.ndim == 1 else first}
    return [None if arrays.get(name) is None else arrays[name].tolist() for name in LINES]


@witness(
    "fire",
    source=(
        "paper: Li et al. 2024, arXiv:2310.04418, section 3.2",
        "code: DAPE bde344a844f2, DAPE.py, FIRE",
        "order: docs/orders/fire.txt",
    ),
)
def _fire(given, call, dtype):
    queries, keys = line(given, "query_positions"), line(given, "key_positions")
    numbers = {name: float(given[name]) for name in ("c", "length", "eps")}
    found = gates.fire(queries, keys, lines_of(given), mode=given["mode"], activation=given["activation"], **numbers)
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "dape",
    source=(
        "paper: Zheng et al. 2024, arXiv:2405.14722, section 3.2",
        "code: DAPE bde344a844f2, DAPE.py, AliBi_DAPE",
        "order: docs/orders/dape.txt",
    ),
)
def _dape(given, call, dtype):
    found = gates.dape(given["scores"], given["bias"], lines_of(given), given.get("activation", "leaky_relu"))
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "cope",
    source=(
        "paper: Golovneva et al. 2024, arXiv:2405.18719, section 4",
        "code: x-transformers 2.31.10, x_transformers/x_transformers.py, CoPE",
        "order: docs/orders/cope.txt",
    ),
)
def _cope(given, call, dtype):
    scale = None if given["scale"] is None else float(given["scale"])
    found = gates.cope(given["scores"], given["q"], given["weight"], given.get("mask"), scale)
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "forget_gate", source=("paper: Lin et al. 2025, arXiv:2503.02130, section 3", "order: docs/orders/forget_gate.txt")
)
def _forget_gate(given, call, dtype):
    logits = given["logits"]
    queries = given.get("query_len")
    options = {"mode": given["mode"], "scale": float(given.get("scale", 1))}
    options["queries"] = logits.shape[-1] if queries is None else queries
    found = gates.forget_gate(logits, given.get("backward"), **options)
    return {"output": of_doubles(found, found.shape, dtype)}


@witness(
    "merge_outputs",
    source=("paper: An et al. 2024, arXiv:2402.17463, section 3.5", "order: docs/orders/merge_outputs.txt"),
)
def _merge_outputs(given, call, dtype):
    found = gates.merge_outputs(given["outputs"], given["log_sums"])
    return {"output": of_doubles(found, found.shape, dtype)}


@witness("merge_scores", source="paper: An et al. 2024, arXiv:2402.17463, section 3")
def _merge_scores(given, call, dtype):
    scores, regions = given["scores"], given["regions"]
    result = np.full(scores.shape[1:], -math.inf)
    regions = np.broadcast_to(regions, result.shape)
    for cell in np.ndindex(result.shape):
        if regions[cell] >= 0:
            result[cell] = scores[(regions[cell], *cell)]
    return {"output": of_doubles(result, result.shape, dtype)}


@witness("abacus_positions", source="code: arithmetic 86022a57d38c, abacus.py, Abacus.helper")
def _abacus_positions(given, call, dtype):
    found = gates.abacus_positions(given["tokens"], given["digits"].tolist(), given.get("offset", 0))
    return {"output": unsigned(found)}


# -- time and sound ---------------------------------------------------------------------------------------------------


@witness("calendar_features", source="code: gluonts 0.17.0, time_feature/_base.py, time_features_from_frequency_str")
def _calendar_features(given, call, dtype):
    return {"output": patterns(calendars.calendar_features(given.pop("times"), **given), dtype)}


@witness("calendar_rows", source="code: gluonts 0.17.0, time_feature/_base.py, time_features_from_frequency_str")
def _calendar_rows(given, call, dtype):
    return {"output": unsigned(calendars.calendar_rows(given.pop("times"), **given))}


@witness("fixed_temporal", source="code: Informer2020 29f2a73, models/embed.py, TemporalEmbedding")
def _fixed_temporal(given, call, dtype):
    return {"output": patterns(calendars.fixed_temporal(given.pop("rows"), given.pop("dim"), **given), dtype)}


@witness("periodic", source="definition: the sine and cosine of a fraction of a turn")
def _periodic(given, call, dtype):
    return {"output": patterns(calendars.periodic(given["x"], given["period"]), dtype)}


@witness(
    "functional_time",
    source=(
        "paper: Xu et al. 2020, arXiv:2002.07962, section 3.1",
        "code: StatsDLMathsRecomSys/Inductive-representation-learning-on-temporal-graphs, module.py",
    ),
)
def _functional_time(given, call, dtype):
    return {"output": patterns(calendars.functional_time(given.pop("times"), given.pop("dim"), **given), dtype)}


@witness("time2vec", source="paper: Kazemi et al. 2019, arXiv:1907.05321, section 4")
def _time2vec(given, call, dtype):
    return {
        "output": patterns(calendars.time2vec(given.pop("t"), given.pop("weight"), given.pop("phase"), **given), dtype)
    }


@witness("frames", source="definition: the framing of a short-time Fourier transform", as_patterns=True)
def _frames(given, call, dtype):
    return {"output": calendars.frames(given.pop("samples"), **given)}


@witness(
    "audio_patches",
    source=(
        "paper: Gong et al. 2021, arXiv:2104.01778, section 2.1",
        "code: transformers 5.23.0, models/audio_spectrogram_transformer",
    ),
    as_patterns=True,
)
def _audio_patches(given, call, dtype):
    return {"output": calendars.audio_patches(given.pop("spectrogram"), **given)}


# -- graphs and trees -------------------------------------------------------------------------------------------------


def edges_of(given):
    """Edges as pairs, and the nodes."""
    return [tuple(edge) for edge in given.pop("edges").reshape(-1, 2).tolist()], given.pop("n")


@witness(
    "laplacian_positions",
    source=("paper: Dwivedi et al. 2020, arXiv:2003.00982, section 2.2", "order: refpos/steps/graphs/eigenvectors.py"),
)
@witness(
    "laplacian_values",
    source=("paper: Kreuzer et al. 2021, arXiv:2106.03893, section 3", "order: refpos/steps/graphs/eigenvectors.py"),
)
def _laplacian(given, call, dtype):
    confirm = graphs.laplacian_positions if "normaliser" in given else graphs.laplacian_values
    found = confirm(*edges_of(given), **given)
    return {"output": of_doubles(found, found.shape, dtype)}


@witness("random_walk_positions", source="paper: Dwivedi et al. 2022, arXiv:2110.07875, section 3.2")
def _random_walk_positions(given, call, dtype):
    steps = given["steps"]
    steps = list(range(1, steps + 1)) if isinstance(steps, int) else steps.tolist()
    return {"output": graphs.random_walks(*edges_of(given), steps, given.get("space_dim", 0), dtype)}


@witness(
    "heat_kernel",
    source=(
        "paper: Rampasek et al. 2022, arXiv:2205.12454, table 1",
        "code: GraphGPS 2801570, graphgps/transform/posenc_stats.py, get_heat_kernels_diag",
    ),
)
def _heat_kernel(given, call, dtype):
    times = [Fraction(time) for time in given["times"].tolist()]
    return {"output": graphs.heat(*edges_of(given), times, given.get("space_dim", 0), dtype)}


@witness(
    "electrostatic_positions",
    source="code: GraphGPS 2801570, graphgps/transform/posenc_stats.py, get_electrostatic_function_encoding",
)
def _electrostatic_positions(given, call, dtype):
    return {"output": graphs.electrostatic(*edges_of(given), dtype)}


@witness("tree_positions", source="paper: Shiv and Quirk 2019, section 3")
def _tree_positions(given, call, dtype):
    decay, dim = given["decay"], given["dim"]
    decays = [Fraction(one) for one in (decay.tolist() if isinstance(decay, np.ndarray) else [decay])]
    paths = [[child for child in path if child >= 0] for path in given["paths"].tolist()]
    dim = None if dim is None else Fraction(dim)
    return {"output": graphs.tree(paths, given["degree"], given["depth"], decays, dim, dtype)}


@witness("spatial_rows", source="code: Graphormer ac154fe, graphormer/data/algos.pyx, floyd_warshall")
@witness(
    "degree_rows",
    source=(
        "paper: Ying et al. 2021, arXiv:2106.05234, section 3.1.1",
        "code: Graphormer ac154fe, graphormer/data/wrapper.py, preprocess_item",
    ),
)
@witness("path_edge_rows", source="code: Graphormer ac154fe, graphormer/data/algos.pyx, gen_edge_input")
def _rows_of_graphs(given, call, dtype):
    name = "spatial_rows" if "rule" in given else "degree_rows" if "direction" in given else "path_edge_rows"
    return {"output": unsigned(getattr(graphs, name)(*edges_of(given), **given))}


@witness(
    "graphormer_bias",
    source=(
        "paper: Ying et al. 2021, arXiv:2106.05234, sections 3.1.2 and 3.1.3",
        "code: Graphormer ac154fe, graphormer/modules/graphormer_layers.py, GraphAttnBias",
        "order: docs/orders/graphormer_bias.txt",
    ),
)
def _graphormer_bias(given, call, dtype):
    found = graphs.graphormer_bias(**given)
    return {"output": of_doubles(found, found.shape, dtype)}
