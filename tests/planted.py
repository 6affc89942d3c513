"""Random calls of encodings, and mistakes planted in them: what diagnosis must name."""

import numpy as np

from refpos import catalogue
from refpos.diagnosis.call import Call
from refpos.diagnosis.mistake import same
from refpos.diagnosis.mistakes import mistakes
from refpos.diagnosis.trial import REFUSED, Study, Trial
from refpos.tensor_files import Tensor

TRIED = 4  # mistakes of a name, of which one that makes a difference is planted


def pick(rng, *values):
    return values[int(rng.integers(len(values)))]


def positions(rng, longest=4096):
    count = int(rng.integers(9, 40))
    start = int(rng.integers(0, longest))
    return Tensor("int64", start + np.arange(count, dtype=np.int64))


def base(rng):
    return pick(rng, 10000.0, 500000.0, 1000000.0)


def recipe(function, **arguments):
    return {"function": function, "arguments": arguments}


def plain(rng):
    return recipe("inverse_frequencies", dim=2 * int(rng.integers(6, 33)), base=base(rng))


def linear(rng):
    return recipe("linear", **plain(rng)["arguments"], factor=pick(rng, 2, 4, 8))


def ntk(rng):
    return recipe("ntk", **plain(rng)["arguments"], factor=pick(rng, 2, 4, 8))


def yarn(rng):
    made = recipe("yarn", dim=pick(rng, 64, 96, 128), base=base(rng), factor=pick(rng, 4, 8, 40))
    made["arguments"]["original_max_position_embeddings"] = pick(rng, 2048, 4096, 32768)
    return made


def llama3(rng):
    made = recipe("llama3", dim=pick(rng, 64, 128), base=500000.0, factor=pick(rng, 8.0, 32.0))
    made["arguments"].update(low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)
    return made


def longrope(rng):
    dim, factors = 32, rng.uniform(1, 8, (2, 16)).round(3).tolist()
    made = recipe("longrope", dim=dim, base=10000.0, short_factor=factors[0], long_factor=factors[1])
    made["arguments"].update(original_max_position_embeddings=4096, max_position_embeddings=131072)
    made["arguments"]["seq_len"] = pick(rng, 1000, 9000)
    return made


def table(frequencies):
    def call(rng):
        return Call("rope_table", {"frequencies": frequencies(rng), "dtype": dtype(rng)}, {"positions": positions(rng)})

    return call


def dtype(rng):
    return pick(rng, "float32", "float32", "float64", "float16")


def array(rng, kind, *shape):
    return Tensor(kind, rng.normal(size=shape).astype(kind))


def rope(rng):
    places, dim = positions(rng), 2 * int(rng.integers(8, 25))
    arguments = {"pairing": pick(rng, "half", "interleaved"), "base": base(rng), "inverse": False, "seq_axis": -2}
    arguments["rotary_dim"] = pick(rng, dim, dim // 4 * 2)
    x = array(rng, dtype(rng), 2, int(rng.integers(3, 6)), len(places.values), dim)
    return Call("rope", arguments, {"x": x, "positions": places})


def rope_scaled(rng):
    made, places = pick(rng, yarn, llama3, linear)(rng), positions(rng)
    x = array(rng, dtype(rng), 2, 3, len(places.values), made["arguments"]["dim"])
    arguments = {"pairing": pick(rng, "half", "interleaved"), "frequencies": made, "inverse": False, "seq_axis": -2}
    return Call("rope", arguments, {"x": x, "positions": places})


def sinusoidal(rng):
    arguments = {"dim": 2 * int(rng.integers(6, 33)), "base": base(rng), "endpoint": pick(rng, True, False)}
    arguments.update(layout=pick(rng, "interleaved", "sin-cos", "cos-sin"), dtype=dtype(rng), odd="truncate")
    return Call("sinusoidal", arguments, {"positions": positions(rng)})


def timestep(rng):
    times = Tensor("float64", rng.uniform(1, 1000, int(rng.integers(9, 20))).round(2))
    arguments = {"dim": 2 * int(rng.integers(8, 33)), "flip_sin_to_cos": pick(rng, True, False), "scale": 1}
    arguments.update(downscale_freq_shift=pick(rng, 0, 1), max_period=10000, dtype=dtype(rng))
    return Call("timestep_embedding", arguments, {"timesteps": times})


def sizes(rng, count):
    chosen = rng.choice(np.arange(3, 10), count, replace=False).tolist()
    return dict(zip(("height", "width", "frames")[:count], chosen, strict=True))


def sincos_2d(rng):
    arguments = {**sizes(rng, 2), "dim": 4 * int(rng.integers(4, 17)), "axis_order": pick(rng, "hw", "wh")}
    arguments.update(layout="sin-cos", base=base(rng), endpoint=False, dtype=dtype(rng))
    return Call("sincos_2d", arguments, {})


def sincos_3d(rng):
    arguments = {**sizes(rng, 3), "dim": 6 * int(rng.integers(4, 12)), "axis_order": pick(rng, "thw", "hwt")}
    return Call("sincos_3d", {**arguments, "base": base(rng), "layout": "sin-cos", "dtype": dtype(rng)}, {})


def rope_2d(rng):
    arguments = {**sizes(rng, 2), "axis_order": pick(rng, "hw", "wh"), "pairing": pick(rng, "half", "interleaved")}
    arguments.update(base=pick(rng, 100.0, 10000.0), allocation="separate", arrangement="blocks", inverse=False)
    x = array(rng, dtype(rng), 2, arguments["height"] * arguments["width"], 8 * int(rng.integers(2, 7)))
    return Call("rope_2d", arguments, {"x": x})


def mrope(rng):
    count, third = int(rng.integers(9, 24)), int(rng.integers(3, 8))
    places = Tensor("int64", rng.integers(0, 200, (3, count)))
    arguments = {"pairing": pick(rng, "half", "interleaved"), "sections": [third + 2, third, third]}
    arguments.update(arrangement=pick(rng, "chunked", "interleaved"), base=base(rng), inverse=False, seq_axis=-2)
    return Call(
        "mrope", arguments, {"x": array(rng, dtype(rng), 2, count, 2 * (3 * third + 2)), "position_ids": places}
    )


def alibi(rng):
    arguments = {"num_heads": int(rng.integers(3, 13)), "query_len": int(rng.integers(5, 12))}
    arguments["key_len"] = arguments["query_len"] + int(rng.integers(0, 9))
    arguments.update(mode=pick(rng, "causal", "symmetric"), convention="recursive", max_bias=8, dtype=dtype(rng))
    return Call("alibi", arguments, {})


def t5_buckets(rng):
    distances = Tensor("int64", rng.integers(-400, 400, (int(rng.integers(9, 20)), 30)))
    arguments = {"bidirectional": pick(rng, True, False), "num_buckets": 32, "max_distance": pick(rng, 128, 256)}
    return Call("t5_buckets", arguments, {"relative_positions": distances})


def relative_rows(rng):
    arguments = {"query_len": int(rng.integers(6, 15)), "key_len": int(rng.integers(6, 15)), "query_offset": 0}
    arguments.update(sign=pick(rng, "key-query", "query-key"), low=-4, high=4, outside="clip", query_step=1)
    return Call("relative_rows", arguments, {})


def window_rows(rng):
    arguments = {**sizes(rng, 2), "class_token": pick(rng, True, False), "stride": 1}
    return Call("window_rows", {**arguments, "sign": pick(rng, "key-query", "query-key")}, {})


def alibi_2d(rng):
    arguments = {**sizes(rng, 2), "num_heads": int(rng.integers(3, 13)), "class_token": pick(rng, True, False)}
    return Call("alibi_2d", {**arguments, "convention": "recursive", "max_bias": 8, "dtype": dtype(rng)}, {})


def rope_3d(rng):
    arguments = {**sizes(rng, 3), "axis_order": pick(rng, "thw", "hwt"), "pairing": pick(rng, "half", "interleaved")}
    arguments.update(widths=pick(rng, [8, 12, 12], [16, 8, 4]), base=pick(rng, 256.0, 10000.0), arrangement="blocks")
    count = arguments["height"] * arguments["width"] * arguments["frames"]
    return Call(
        "rope_3d", {**arguments, "inverse": False}, {"x": array(rng, dtype(rng), count, sum(arguments["widths"]))}
    )


def axial(rng):
    widths = pick(rng, [8, 8], [16, 16], [8, 12, 12])
    return recipe("axial_frequencies", widths=widths, base=pick(rng, 100.0, 10000.0), allocation="separate")


def table_of_axes(rng):
    made = axial(rng)
    axes = len(made["arguments"]["widths"])
    places = Tensor("int64", rng.integers(0, 64, (axes, int(rng.integers(9, 24)))))
    return Call("rope_table", {"frequencies": made, "dtype": dtype(rng)}, {"positions": places})


def xpos(rng):
    places, dim = positions(rng, 512), 2 * int(rng.integers(8, 25))
    arguments = {
        "pairing": pick(rng, "half", "interleaved"),
        "centring": pick(rng, "floor", "ceil"),
        "downscale": pick(rng, True, False),
    }
    arguments.update(base=base(rng), scale_base=512, inverse=False, seq_axis=-2)
    return Call("xpos", arguments, {"x": array(rng, dtype(rng), 2, 3, len(places.values), dim), "positions": places})


def by_parts(rng):
    return recipe("ntk_by_parts", **yarn(rng)["arguments"])


def dynamic(rng):
    made = recipe("dynamic_ntk", **ntk(rng)["arguments"], max_position_embeddings=2048)
    made["arguments"]["seq_len"] = pick(rng, 4096, 9000)
    return made


def inv_freq(rng):
    made = pick(rng, yarn, llama3, linear, ntk, longrope, by_parts, dynamic)(rng)
    return Call(made["function"], {**made["arguments"], "dtype": "float64"}, {})


#: {encoding: a random call of it}
CALLS = {
    "rope_table": table(plain),
    "rope_table, linear": table(linear),
    "rope_table, ntk": table(ntk),
    "rope_table, yarn": table(yarn),
    "rope_table, llama3": table(llama3),
    "rope_table, longrope": table(longrope),
    "inv_freq of a scaling": inv_freq,
    "rope": rope,
    "rope, scaled": rope_scaled,
    "rope_2d": rope_2d,
    "mrope": mrope,
    "sinusoidal": sinusoidal,
    "timestep_embedding": timestep,
    "sincos_2d": sincos_2d,
    "sincos_3d": sincos_3d,
    "alibi": alibi,
    "t5_buckets": t5_buckets,
    "relative_rows": relative_rows,
    "rope_table of axes": table_of_axes,
    "rope_3d": rope_3d,
    "xpos": xpos,
    "alibi_2d": alibi_2d,
    "window_rows": window_rows,
}


def redone(mistake, call, outputs):
    """The outputs with the mistake, which is to undo what was done to a result; None where that cannot be redone."""
    made = mistake.outputs(mistake.change(call))
    if mistake.undo is same:
        return made
    moved = moved_back(mistake.undo, made)
    if moved is not None:
        return moved
    again = mistake.undo(made)
    back = mistake.undo(again)
    return again if all(back[name].values.tobytes() == made[name].values.tobytes() for name in made) else None


def moved_back(undo, outputs):
    """The outputs before a function that only moves elements; None where it does more."""
    count, numbered = 0, {}
    for name, tensor in outputs.items():
        size = tensor.values.size
        numbered[name] = Tensor("int64", np.arange(count, count + size, dtype=np.int64).reshape(tensor.values.shape))
        count += size
    try:
        after = undo(numbered)
    except REFUSED:
        return None
    places = np.concatenate([tensor.values.reshape(-1) for tensor in after.values()])
    shapes = [tensor.values.shape for tensor in after.values()]
    if shapes != [tensor.values.shape for tensor in outputs.values()] or set(places.tolist()) != set(range(count)):
        return None
    moved = np.concatenate([tensor.values.reshape(-1) for tensor in outputs.values()])
    back = np.empty_like(moved)
    back[places] = moved
    parts = np.split(back, np.cumsum([tensor.values.size for tensor in outputs.values()])[:-1])
    return {
        name: tensor._replace(values=part.reshape(tensor.values.shape))
        for (name, tensor), part in zip(outputs.items(), parts, strict=True)
    }


def wrong(call, mistake):
    """A `Trial` of a call with a mistake; None where it cannot be told from the right call."""
    expected = call.outputs()
    if makes_frequencies(call):
        expected = {"inv_freq": expected["inv_freq"]}
    try:
        made = redone(mistake, call, expected)
    except REFUSED:
        return None
    if made is None:
        return None
    made = {name: made["output" if name == "inv_freq" and name not in made else name] for name in expected}
    if "format" in mistake.name.split(" and "):  # the bits of one format under the name of the other
        made = {
            name: tensor._replace(dtype=expected[name].dtype, values=tensor.values.view(expected[name].values.dtype))
            for name, tensor in made.items()
        }
    if any(made[name].values.shape != tensor.values.shape for name, tensor in expected.items()):
        return None
    trial = Trial(call, expected, made)
    if Study._classes(call, expected, made):
        return None
    return trial


def noisy(trial, rng):
    """The trial with every fourth number one unit in the last place off, where there are such units."""
    made = {}
    for name, tensor in trial.answered.items():
        values = tensor.values.copy()
        if values.dtype.kind == "f" and values.dtype.isnative:
            moved = (rng.integers(4, size=values.shape) == 0) & np.isfinite(values)  # an infinity has no next number
            with np.errstate(all="ignore"):
                values = np.where(moved, np.nextafter(values, values.dtype.type(0)), values)
        made[name] = tensor._replace(values=values)
    return trial._replace(answered=made)


def makes_frequencies(call):
    return catalogue.find(call.suite).family == "frequencies"


def planted(encoding, seed, left_out=()):
    """(mistake, Trial) of a random call, one mistake of each name but some."""
    call = CALLS[encoding](np.random.default_rng([seed, *encoding.encode()]))
    by_name = {}
    for mistake in mistakes(call):
        if mistake.name not in left_out:
            by_name.setdefault(mistake.name, []).append(mistake)
    for name, found in by_name.items():
        rng = np.random.default_rng([seed, *encoding.encode(), *name.encode()])
        for k in rng.permutation(len(found))[:TRIED]:
            trial = wrong(call, found[k])
            if trial is not None:
                yield found[k], trial if name in ("byte order", "format") else noisy(trial, rng)
                break


def pairs(encoding, seed, count=3):
    """(first, second, Trial) of a random call, some pairs of mistakes."""
    rng = np.random.default_rng([seed, 7, *encoding.encode()])
    call = CALLS[encoding](rng)
    known = [one for one in mistakes(call) if not one.rare]
    found = 0
    for _ in range(40):
        first, second = (known[int(k)] for k in rng.integers(len(known), size=2))
        if first.name == second.name or (first.undo is not same and second.undo is not same) or found >= count:
            continue
        if first.undo is not same:
            first, second = second, first
        alone = [wrong(call, one) for one in (first, second)]
        both = wrong(call, first.then(second))
        if both is not None and None not in alone:
            found += 1
            yield first, second, both if {first.name, second.name} & {"byte order", "format"} else noisy(both, rng)


def same_numbers(mistake, explanation):
    """Whether an explanation is the mistake that was planted, or a call of just the same numbers."""
    # every element agrees to a unit in the last place with an exact call, so that no numbers tell the two apart
    return explanation.computed == mistake.computed or explanation.met in ("correct", "faithful")


def explains_both(first, second, explanation):
    """Whether an explanation names both mistakes that were planted, or is a call of just the same numbers."""
    if all(one.computed in explanation.computed for one in (first, second)):
        return True
    return explanation.met in ("correct", "faithful")


__all__ = ["CALLS", "Trial", "explains_both", "noisy", "pairs", "planted", "same_numbers", "wrong"]
