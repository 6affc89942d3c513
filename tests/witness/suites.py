"""The witness of each suite of the golden corpus: what its functions make of the arguments and tensors of a case.

A function here takes the arguments and the input tensors of a case in one dictionary (fractions for numbers, exact
float64 or int64 arrays for tensors), the call that makes its frequencies, and the dtype; it returns the bit patterns
of every output.
"""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from . import axes, formulas, generalised, lengths, position_ids, scalings
from .digits import SHAPES, from_floats, from_fractions, patterns, round_fraction

WITNESSES = {}
AS_PATTERNS = set()  # suites whose witness copies the elements of its tensors and reads none


def witness(*suites, as_patterns=False):
    """Registers a function as the witness of suites; as_patterns: it takes the bits of its tensors, not the values."""

    def register(function):
        for suite in suites:
            assert suite not in WITNESSES, suite
            WITNESSES[suite] = function
            AS_PATTERNS.update({suite} if as_patterns else ())
        return function

    return register


def answer(suite, arguments, inputs, dtype):
    """{output: bit patterns} of a case. inputs: {name: (dtype, values)} as the corpus has them."""
    if suite not in WITNESSES:
        raise LookupError(f'{suite} must have a witness: add one below @witness("{suite}") in tests/witness/suites.py')
    given = {name: number(value) for name, value in arguments.items() if name not in ("dtype", "frequencies")}
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
    """Positions are whole numbers, or what real code has in float32."""

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


for _suite in vars(position_ids):
    if _suite.endswith(("_positions", "_order")):
        witness(_suite)(_position_ids(_suite))


@witness("grid_positions")
def _grid_positions(given, call, dtype):
    """(axes, cells), each position rounded once."""
    found = axes.cells(*map(axes.coordinates, given["coordinates"]))
    kind = {"int64": int, "float64": float}[dtype]
    assert dtype == "float64" or all(p == int(p) for line in found for p in line)
    return {"output": unsigned(np.array([[kind(p) for p in line] for line in found], dtype))}


@witness("sinusoidal")
def _sinusoidal(given, call, dtype):
    return {"output": patterns(formulas.sinusoidal(given.pop("positions"), given.pop("dim"), **given), dtype)}


@witness("sincos_2d")
def _sincos_2d(given, call, dtype):
    sizes = [given.pop(name) for name in ("height", "width", "dim")]
    return {"output": patterns(formulas.sincos_2d(*sizes, **given), dtype)}


def _scaling(suite):
    """Of a ladder: its frequencies; of its scalings: frequencies and the factor on cosine and sine."""

    def confirm(given, call, dtype):
        arguments = {**given, **({"frequencies": call} if call else {})}
        frequencies, factor = scalings.scaling_digits({"function": suite, "arguments": arguments})
        if suite == "inverse_frequencies":
            return {"output": patterns(frequencies, dtype)}
        return {"inv_freq": patterns(frequencies, dtype), "attention_factor": patterns(factor, dtype)}

    return confirm


for _suite in scalings.RULES:
    witness(_suite)(_scaling(_suite))


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


for _suite in ("axial_frequencies", "mrope_frequencies"):
    witness(_suite)(_along_axes(_suite))


@witness("given_frequencies")
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


@witness("rope_table")
def _rope_table(given, call, dtype):
    nested = call["arguments"]
    if call["function"] == "inverse_frequencies":
        cos, sin = formulas.rope_table(given["positions"], nested["dim"], base=nested["base"])
    elif call["function"] in scalings.RULES:
        cos, sin = scalings.scaled_table(given["positions"], call)
    else:
        found = axes.turning(call)
        shape, places = places_of(given["positions"], True)
        tables = axes.table(places, found.axes, found.rule, found.factor, found.rational)
        cos, sin = (digits.reshape(*shape, len(found.axes)) for digits in tables)
    return {"cos": patterns(cos, dtype), "sin": patterns(sin, dtype)}


@witness("attention_temperature")
def _attention_temperature(given, call, dtype):
    return {"output": patterns(scalings.temperature(given.pop("positions"), **given), dtype)}


@witness("yarn_softmax_scale")
def _yarn_softmax_scale(given, call, dtype):
    return {"output": patterns(scalings.softmax_scale(given["factor"], given["mscale_all_dim"]), dtype)}


@witness("rope")
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


@witness("rope_2d")
def _rope_2d(given, call, dtype):
    share = (given.get("rotary_dim") or given["x"].shape[-1]) // 2
    order = ["hw".index(axis) for axis in given["axis_order"]]
    found = axes.Turning(*axes.axial({**given, "widths": [share, share], "axes": order}))
    return _turned(given, as_grid(given["height"], given["width"]), found, dtype)


@witness("rope_3d")
def _rope_3d(given, call, dtype):
    order = ["thw".index(axis) for axis in given["axis_order"]]
    found = axes.Turning(*axes.axial({**given, "axes": order}))
    return _turned(given, as_grid(given["frames"], given["height"], given["width"]), found, dtype)


@witness("mrope")
def _mrope(given, call, dtype):
    arguments = {**given, "dim": 2 * sum(given["sections"]), **({"frequencies": call} if call else {})}
    found = axes.turning({"function": "mrope_frequencies", "arguments": arguments})
    return _turned(given, given["position_ids"], found, dtype)


@witness("xdrope")
def _xdrope(given, call, dtype):
    plain = {"dim": 2 * sum(given["sections"]), "base": given.get("base")}
    found = axes.turning(call or {"function": "inverse_frequencies", "arguments": plain})
    first, second = axes.xdrope_axes(given["sections"])
    found = found._replace(axes=first)
    return _turned(given, given["position_ids"], found, dtype, other=(second, found.rule))


@witness("vjepa2_rope")
def _vjepa2_rope(given, call, dtype):
    half, first, second = axes.vjepa2_rules(given["x"].shape[-1], given["base"])
    found = axes.Turning(first, scalings.one, Fraction(1), (0,) * half + (1,) * half + (2,) * half)
    return _turned({**given, "pairing": "interleaved"}, given["positions"], found, dtype, other=(found.axes, second))


@witness("mixed_rope")
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


@witness("ernie_image_rope")
def _ernie_image_rope(given, call, dtype):
    (first, axes_of), second = axes.ernie_image_rules(given["widths"], given["base"])
    found = axes.Turning(first, scalings.one, Fraction(1), axes_of)
    return _turned(given, given["positions"], found, dtype, other=second[::-1])


@witness("liere")
def _liere(given, call, dtype):
    x, (_, places) = given["x"], places_of(given["positions"], True)
    batches = x.reshape(-1, *x.shape[-3:])
    found = [generalised.liere(batch, places, given["generators"], given["inverse"]) for batch in batches]
    return {"output": np.array([patterns(digits, dtype) for digits in found]).reshape(x.shape)}


@witness("liere_generators")
def _liere_generators(given, call, dtype):
    rows = np.arange(given["weight"].shape[-1])
    above = np.where(rows[:, None] < rows, given["weight"], 0)
    entries = [Fraction(a) - Fraction(b) for a, b in zip(above.flat, above.swapaxes(-1, -2).flat, strict=True)]
    return {"output": patterns(from_fractions(entries), dtype).reshape(above.shape)}


@witness("pope")
def _pope(given, call, dtype):
    x = given["x"] if given["x"].ndim > 2 else given["x"][None]
    found = axes.Turning(axes.ladder(x.shape[-1], Fraction(1, x.shape[-1]), given.get("base", 10000)), scalings.one, 1,
                         (0,) * x.shape[-1])  # fmt: skip
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


@witness("path")
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


@witness("sincos_3d")
def _sincos_3d(given, call, dtype):
    return {"output": patterns(axes.sincos_3d(**given), dtype)}


@witness("alibi_slopes")
def _alibi_slopes(given, call, dtype):
    return {"output": patterns(formulas.alibi_slopes(given.pop("num_heads"), **given), dtype)}


@witness("alibi")
def _alibi(given, call, dtype):
    sizes = [given.pop(name) for name in ("num_heads", "query_len", "key_len")]
    return {"output": formulas.alibi(*sizes, dtype, **given)}


@witness("t5_buckets")
def _t5_buckets(given, call, dtype):
    return {"output": formulas.t5_buckets(given.pop("relative_positions"), **given).view(np.uint64)}


@witness("t5_bias", as_patterns=True)
def _t5_bias(given, call, dtype):
    weight, queries, keys = given["weight"], given["query_len"], given["key_len"]
    relative = np.arange(keys)[None, :] - (given["query_offset"] + np.arange(queries))[:, None]
    rows = formulas.t5_buckets(
        relative, bidirectional=given["bidirectional"], num_buckets=len(weight), max_distance=given["max_distance"]
    )
    gathered = weight[rows.reshape(relative.shape)] if relative.size else np.empty((queries, keys, weight.shape[1]))
    return {"output": gathered.astype(weight.dtype).transpose(2, 0, 1)}


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


@witness("xpos")
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


@witness("xpos_scale")
def _xpos_scale(given, call, dtype):
    return {"output": patterns(lengths.xpos_scale(given["positions"], given["dim"], **options_of(given)), dtype)}


@witness("xpos_table")
def _xpos_table(given, call, dtype):
    positions, dim = given["positions"], scalings.dim_of(call)
    shape = (*np.shape(np.zeros(positions) if isinstance(positions, int) else positions), dim // 2)
    found = lengths.xpos_table(positions, dim, divide=divisor(call), **options_of(given))
    return dict(zip(("cos", "sin"), (patterns(digits, dtype).reshape(shape) for digits in found), strict=True))


@witness("log_n_scale")
def _log_n_scale(given, call, dtype):
    places = np.arange(given["positions"]) if isinstance(given["positions"], int) else given["positions"]
    found = lengths.log_n_scale(places.reshape(-1).tolist(), given["training_length"])
    return {"output": patterns(found, dtype).reshape(places.shape)}


@witness("dual_chunk_mscale")
def _dual_chunk_mscale(given, call, dtype):
    slope = Fraction(1, 20 if given["version"] == "chunkllama" else 10)
    return {"output": patterns(lengths.mscale(given["scale"], slope), dtype)}


def line(given, name):
    """Positions as a flat list."""
    places = given[name]
    return list(range(places)) if isinstance(places, int) else places.reshape(-1).tolist()


@witness("self_extend_positions", "rerope_positions", "dual_chunk_positions")
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
    """From the distance of a pair that shows it: keys at 0 turn by 0."""
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
        options = max(queries), given["group_size"], given["neighbor_window"], given["shift"]
        return lambda i, j: lengths.self_extend_pair(i, j, *options)
    return lambda i, j: lengths.rerope_pair(i, j, given["window"], given.get("factor"))


@witness("window_regions", "dual_chunk_regions")
def _regions(given, call, dtype):
    regions, _ = each_pair(given, "float64", (-1, 0) if "chunk_size" in given else None)
    return {"output": unsigned(regions)}


@witness("self_extend_distances", "rerope_distances", "dual_chunk_distances")
def _distances(given, call, dtype):
    return {"output": each_pair(given, dtype, (-1, 0) if "chunk_size" in given else None)[1]}
