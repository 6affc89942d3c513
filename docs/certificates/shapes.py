"""The shapes of outputs of one tensor, from their calls."""

from calendars import features_of
from features import points
from frequencies import frequencies
from operators import cut, padded
from positions import coordinates, product, tokens
from sinusoids import GRIDS, broadcast, cells_of, listed, part


def counted(given):
    """Of positions: of a count, a grid, a tensor, a list, or of one number."""
    if isinstance(given, list):
        return listed(given)["shape"]
    return tokens(given, False)[0]


def moments(given):
    """Of times, where an integer is a time."""
    if isinstance(given, int):
        return []
    return [len(coordinates(given))] if given.get("function", "grid") != "grid" else counted(given)


def spread(given):
    """Of points: of an array (..., n), of a grid, or of a list of positions for each coordinate."""
    if isinstance(given, list):
        return [len(coordinates(given[0]))]
    return given["shape"][:-1] if "shape" in given else tokens(given, True)[0]


def joined(a):
    parts = [part(call)[:2] for call in a["parts"]]
    _, shape = broadcast([shape for shape, _ in parts])
    if a.get("extra_tokens") is not None:
        shape = [a["extra_tokens"] + product(shape)]
    return [*shape, sum(width for _, width in parts)]


def table(a):
    """Of cosines or sines."""
    call = a["frequencies"]
    several = call["function"] in ("axial_frequencies", "mrope_frequencies")
    return [*tokens(a["positions"], several)[0], len(frequencies(call)[0])]


def pope(a):
    """Each of the channels that turn becomes two."""
    (*lead, width), call = a["x"]["shape"], a.get("frequencies")
    return [*lead, width + (width if call is None else len(frequencies(call)[0]))]


def bias(a, heads=None):
    return [a["num_heads"] if heads is None else heads, a["query_len"], a["key_len"]]


def window(a):
    """Of the queries on each stride-th row and column, and all keys, with a class token."""
    height, width, stride, first = a["height"], a["width"], a.get("stride", 1), int(a.get("class_token", False))
    return [a["weight"]["shape"][1], -(-height // stride) * -(-width // stride) + first, height * width + first]


def patches_of_image(a):
    return a["height"] * a["width"] + int(a.get("class_token", False))


def fourier(a, name):
    """Waves of each coordinate, and the coordinates themselves where they are included."""
    count, calls, kinds = len(points(a[name])), a["frequencies"], a.get("kinds", "sin-cos").split("-")
    calls = calls if isinstance(calls, list) else [calls] * count
    waves = len(kinds) * sum(len(frequencies(call)[0]) for call in calls)
    return [*spread(a[name]), waves + count * (a.get("include") is not None)]


def projection(a):
    kinds = 2 if a["layout"] == "interleaved" else len(a["layout"].split("-"))
    return [*spread(a["coordinates"]), kinds * a["weight"]["shape"][1]]


def boxes(a):
    *lead, count, _ = a["boxes"]["shape"]
    return [*lead, count, a.get("targets", a["boxes"])["shape"][-2], 4 * a["dim"]]


def sphere(a):
    channels = {"direct": 2, "cartesian": 3, "wrap": 4, "grid": 4, "theory": 6, "C": 6, "M": 10, "C+": 12, "M+": 16}
    count = len(frequencies(a["frequencies"])[0]) if "frequencies" in a else 1
    return [*spread(a["coordinates"]), channels[a["rule"]] * count]


def calendar(a):
    given, shape = a["times"], []
    if isinstance(given, dict):
        shape = given["shape"]
    while isinstance(given, list):
        shape, given = [*shape, len(given)], given[0] if given else None
    return [*shape, len(features_of(a["frequency"]))]


def listed_or_one(given):
    return given if isinstance(given, list) else [given]


def resized(a):
    """Flat where rows stand before the grid, or where the old rows were."""
    prefix, size = a.get("prefix") or 0, listed_or_one(a["size"])
    flat = prefix or a.get("grid") is not None
    return [*([prefix + product(size)] if flat else size), a["weight"]["shape"][-1]]


def packed(a):
    """The rows of all images, or of each as many."""
    numbers, length, channels = [n for n, _ in a["grid_thw"]["values"]], a.get("length"), a["weight"]["shape"][-1]
    if length is not None:
        return [len(numbers) // 3, length, channels]
    return [sum(product(numbers[k : k + 3]) for k in range(0, len(numbers), 3)), channels]


def resized_bias(a):
    sides = a["new"] if a["method"] == "levit" else [2 * n - 1 for n in a["new"]]
    return [product(sides) + 3 * a.get("class_token", False), a["weight"]["shape"][1]]


def combined(a, tables):
    """Channels of so many tables side by side, or of their sum."""
    return a["weights"]["shape"][-1] * (tables if a["combine"] == "concat" else 1)


def audio_patches(a):
    size, _, count = cut(a)
    return [*a["spectrogram"]["shape"][:-2], product(count), product(size)]


def trees(a):
    decays = a["decay"].get("shape", []) if isinstance(a["decay"], dict) else []
    return [*a["paths"]["shape"][:-1], a["depth"] * a["degree"] * product(decays)]


def distances(a):
    return [a["query_len"] + a["key_len"] - 1 if a["query_len"] and a["key_len"] else 0, a["features"]]


def grid(a):
    along = [coordinates(one) for one in a["coordinates"]]
    return [len(along), product(len(axis) for axis in along)]


def eight_bits(a):
    """Of an array, or of a call that is rounded."""
    given = a["values"]
    if "shape" in given:
        return given["shape"]
    call = {name: listed(one) if name in ARRAYS else one for name, one in given["arguments"].items()}
    shape = SHAPES[given["function"]](call)
    return [2, *shape] if given["function"] == "rope_table" else shape


def pairs(a):
    return [*counted(a["query_positions"]), *counted(a["key_positions"])]


def of(name):
    return lambda a: a[name]["shape"]


ARRAYS = {"x", "positions", "position_ids", "timesteps", "weight"}
SHAPES = {
    "add": of("x"),
    "alibi": lambda a: [*(a["mask"]["shape"][:-1] if "mask" in a else []), *bias(a)],
    "alibi_2d": lambda a: [a["num_heads"], patches_of_image(a), patches_of_image(a)],
    "alibi_slopes": lambda a: [a["num_heads"]],
    "attention_temperature": lambda a: counted(a["positions"]),
    "audio_patches": audio_patches,
    "box_relation": boxes,
    "calendar_features": calendar,
    "cape_2d": lambda a: [*spread(a["coordinates"]), a["dim"]],
    "centred_points": lambda a: [*spread(a["points"]), 2],
    "convit_start": lambda a: [a["num_heads"], 3],
    "coordinate_sine": lambda a: [*spread(a["coordinates"]), a["dim"]],
    "decay": bias,
    "decay_rates": lambda a: [a["num_heads"]],
    "distance_features": distances,
    "dual_chunk_mscale": lambda _: [],
    "electrostatic_positions": lambda a: [a["n"], 10],
    "ernie_image_rope": of("x"),
    "exponential_modulation": lambda a: [a["length"], a["channels"]],
    "fixed_temporal": lambda a: [*a["rows"]["shape"][:-1], a["dim"]],
    "fourier_bands": lambda a: fourier(a, "coordinates"),
    "fourier_projection": projection,
    "frames": lambda a: [*a["samples"]["shape"][:-1], padded(a)[1], a["size"]],
    "functional_time": lambda a: [*moments(a["times"]), a["dim"]],
    "ggml_rope_ext": of("x"),
    "grid_positions": grid,
    "hyena_features": lambda a: [a["length"], a["dim"]],
    "integrated_fourier": lambda a: fourier(a, "mean"),
    "joined": joined,
    "kerple": lambda a: bias(a, a["a"]["shape"][0]),
    "learned": lambda a: [*counted(a["rows"]), a["weight"]["shape"][1]],
    "learned_axes": lambda a: [*a["grid"], combined(a, a["weights"]["shape"][0])],
    "learned_boxes": lambda a: [*a["boxes"]["shape"][:-1], combined(a, 6)],
    "liere": of("x"),
    "liere_generators": of("weight"),
    "log_coordinates": lambda a: [2 * a["height"] - 1, 2 * a["width"] - 1, 2],
    "log_n_scale": lambda a: counted(a["positions"]),
    "masked_sine_2d": lambda a: [*(a["mask"] if isinstance(a["mask"], list) else a["mask"]["shape"]), a["dim"]],
    "mean_of_rows": lambda a: [*a["rows"]["shape"][:-1], a["weight"]["shape"][1]],
    "merge_scores": lambda a: a["scores"]["shape"][1:],
    "microsoft_rotary_embedding": of("x"),
    "mixed_rope": of("x"),
    "mlx_rope": of("x"),
    "mrope": of("x"),
    "onnx_rotary_embedding": of("x"),
    "path": lambda a: [*a["q"]["shape"][:-1], a["q"]["shape"][-2]],
    "periodic": lambda a: [*moments(a["x"]), 2],
    "pope": pope,
    "random_walk_positions": lambda a: [a["n"], *counted(a["steps"])],
    "relative_bias": lambda a: bias(a, a["weight"]["shape"][1]),
    "rerope_distances": pairs,
    "rerope_positions": lambda a: counted(a["positions"]),
    "resize_bias": resized_bias,
    "resize_packed": packed,
    "resize_table": resized,
    "rope": of("x"),
    "rope_2d": of("x"),
    "rope_3d": of("x"),
    "rope_in_qkv": of("x"),
    "rope_table": table,
    "rope_to_cache": of("cache"),
    "rotary_bias": lambda a: bias(a, a["alpha"]["shape"][0]),
    "round_float8": eight_bits,
    "round_mxfp8": eight_bits,
    "sandwich": bias,
    "self_extend_distances": pairs,
    "self_extend_positions": lambda a: counted(a["positions"]),
    "shift_matrix": lambda a: [a["dim"], a["dim"]],
    "sincos_2d": lambda a: [*cells_of(a, GRIDS["sincos_2d"]), a["dim"]],
    "sincos_3d": lambda a: [*cells_of(a, GRIDS["sincos_3d"]), a["dim"]],
    "sincos_grid": lambda a: [*cells_of(a, None), a["dim"]],
    "sinusoidal": lambda a: [*counted(a["positions"]), a["dim"]],
    "soft_grid": lambda a: [a["height"], a["width"], 4],
    "sphere_code": sphere,
    "spherical_harmonics": lambda a: [*spread(a["x"]), a["degree"] ** 2],
    "t5_bias": lambda a: bias(a, a["weight"]["shape"][1]),
    "tile_table": lambda a: [*listed_or_one(a["size"]), a["weight"]["shape"][-1]],
    "time2vec": lambda a: [*moments(a["t"]), a["weight"]["shape"][0]],
    "timestep_embedding": lambda a: [*moments(a["timesteps"]), a["dim"]],
    "timestep_fourier": lambda a: [*moments(a["timesteps"]), a["dim"]],
    "tree_positions": trees,
    "vjepa2_rope": of("x"),
    "window_bias": window,
    "xdrope": of("x"),
    "xpos": of("x"),
    "xpos_scale": lambda a: [*counted(a["positions"]), a["dim"] // 2],
    "xpos_table": table,
    "yarn_softmax_scale": lambda _: [],
}
