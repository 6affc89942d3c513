"""Rotations and their tables: what their golden cases claim."""

from formulas import TWICE_COS, less, text, times, twelfths, wave
from frequencies import frequencies, plain
from intervals import need
from positions import cells, coordinates, number, product, tokens
from words import argument


def rope_table(a, output):
    thetas, axes, factor = frequencies(a["frequencies"])
    _, places = tokens(a["positions"], a["frequencies"]["function"] in ("axial_frequencies", "mrope_frequencies"))

    def value(index):
        row, i = divmod(index, len(thetas))
        return wave(output[0], thetas[i], places[axes[i]][row], i, factor)

    return thetas, factor, value


def channel(c, count, pairing, axes):
    """(pair, 1 if c is its second channel, the other channel)"""
    if pairing == "interleaved":
        return c // 2, c % 2, c ^ 1
    start, half = 0, count
    if pairing == "block-half":  # each block of an axis in halves
        half = axes.count(axes[0])
        while c >= 2 * (start + half):
            start += half
            half = axes.count(axes[start])
    second = (c - 2 * start) // half
    return start + (c - 2 * start) % half, second, c - half if second else c + half


def rotated_fraction(k, own, other):
    """own cos(k pi / 12) + other sin(k pi / 12) where it is a fraction, or None."""
    if k is None:
        return None
    (a, d), (b, e) = own, other
    cos, sin = TWICE_COS.get(k), TWICE_COS.get((k - 6) % 24)
    if (a == 0 or cos is not None) and (b == 0 or sin is not None):
        return a * (cos or 0) * e + b * (sin or 0) * d, 2 * d * e
    opposite = k in (9, 21)  # cos = -sin, and cos = sin for 3 and 15
    return (0, 1) if k % 6 == 3 and a * e == (b if opposite else -b) * d else None


def literal(own):
    """The claim of a copy."""
    need(own is not None, "infinity or NaN")
    return "-0" if own == (0, -1) else text(*own)


def rotated(own, other, theta, position, i, factor):
    """The claim of factor times own cos + other sin of an angle."""
    need(own is not None and other is not None, "infinity or NaN")
    if position[0] == 0 and own == (0, -1):  # -0 only of -0 less a number times 0
        return "-0" if other[0] * other[1] < 0 else "0"
    found = rotated_fraction(twelfths(theta, position), own, other)
    if found and (found[0] == 0 or factor == "1"):
        return text(*found)
    return f"r {text(*own)} {text(*other)} {text(*position)} t{i}"


def tokens_of(sizes, shape, along):
    """The function from the number of a vector to that of its token."""
    lead, along = len(shape) - 1, along % len(sizes)

    def token_of(vector):
        index = [vector // product(sizes[j + 1 : -1]) % sizes[j] for j in range(len(sizes) - 1)]
        token = 0
        for j, size in enumerate(shape):
            token = token * size + (index[j if j < lead else along] if size > 1 else 0)
        return token

    return token_of


def turning(a, thetas, factor, tokens, angles):
    """a cos - b sin and b cos + a sin of the pairs of x; angles[c] is (frequency, axis, second or not, the other)."""
    shape, places = tokens
    x, sizes = a["x"]["values"], a["x"]["shape"]
    token_of, turn = tokens_of(sizes, shape, a.get("seq_axis", -2)), -1 if a.get("inverse") else 1

    def value(index):
        vector, c = divmod(index, sizes[-1])
        if c >= len(angles):
            return literal(x[index])
        i, axis, second, other = angles[c]
        partner, sign = x[vector * sizes[-1] + other], turn if second else -turn
        partner = partner and (sign * partner[0], partner[1])
        return rotated(x[index], partner, thetas[i], places[axis][token_of(vector)], i, factor)

    return thetas, factor, value


def rotation(a, call, shape, places):
    """Of frequencies; channels behind them stay as they are."""
    thetas, axes, factor = frequencies(call)
    pairs = [channel(c, len(thetas), a["pairing"], axes) for c in range(2 * len(thetas))]
    return turning(a, thetas, factor, (shape, places), [(i, axes[i], *rest) for i, *rest in pairs])


def plain_call(a, dim):
    if a.get("frequencies") is not None:
        return a["frequencies"]
    return {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": a["base"]}}


def rope(a, _):
    call = plain_call(a, a.get("rotary_dim", a["x"]["shape"][-1]))
    several = call["function"] in ("axial_frequencies", "mrope_frequencies")
    shape, places = tokens(a["positions"], several)
    if isinstance(a["positions"], dict) and "function" in a["positions"]:
        shape = [product(shape)]
    return rotation(a, call, shape, places)


def rope_on_grid(a, letters):
    """rope_2d and rope_3d: axial frequencies at the cells of a grid."""
    along = [coordinates(a[{"t": "frames", "h": "height", "w": "width"}[letter]]) for letter in letters]
    share = a.get("rotary_dim", a["x"]["shape"][-1]) // 2
    call = {one: a[one] for one in ("base", "allocation", "arrangement", "times_pi", "frequencies") if one in a}
    call |= {"widths": argument(a, "widths", [share, share]), "axes": [letters.index(axis) for axis in a["axis_order"]]}
    places = cells(along)
    return rotation(a, {"function": "axial_frequencies", "arguments": call}, [len(places[0])], places)


def mrope(a, _):
    call = {one: a[one] for one in ("base", "sections", "arrangement", "frequencies") if one in a}
    call["dim"] = 2 * sum(a["sections"])
    shape, places = tokens(a["position_ids"], True)
    return rotation(a, {"function": "mrope_frequencies", "arguments": call}, shape, places)


def gradient(function):
    """Of a rotation: the other way, of the cotangent."""
    return lambda a, _: function(a | {"x": a["cotangent"], "inverse": not a.get("inverse", False)}, _)


def several_axes(given):
    shape, places = tokens(given, True)
    return [product(shape)] if "function" in given else shape, places


def vjepa2_rope(a, _):
    """Three blocks of pairs, whose two channels have neighbouring frequencies."""
    width = a["x"]["shape"][-1] // 3 // 2 * 2
    thetas = plain({"dim": width, "base": a["base"]})
    angles = [(c % width % len(thetas), c // width, c % 2, c ^ 1) for c in range(3 * width)]
    return turning(a, thetas, "1", several_axes(a["positions"]), angles)


def halves(count, angle_of):
    """The angles of channels c and c + count / 2."""
    half = count // 2
    return [(*angle_of(c), c // half, c - half if c >= half else c + half) for c in range(count)]


def xdrope(a, _):
    """The two channels of a pair have the same frequency, but axes of their own."""
    axis_of = [axis for axis, pairs in enumerate(a["sections"]) for _ in range(2 * pairs)]
    thetas, _, factor = frequencies(plain_call(a, len(axis_of)))
    angles = halves(len(axis_of), lambda c: (c % len(thetas), axis_of[c]))
    return turning(a, thetas, factor, several_axes(a["position_ids"]), angles)


def ernie_image_rope(a, _):
    """Each angle stands twice."""
    call = {"widths": a.get("widths", [32, 48, 48]), "base": a.get("base", 256)}
    thetas, axes, _ = frequencies({"function": "axial_frequencies", "arguments": call})
    angles = halves(2 * len(thetas), lambda c: (c // 2, axes[c // 2]))
    return turning(a, thetas, "1", several_axes(a["positions"]), angles)


def rope_in_qkv(a, _):
    """Of the heads of queries and keys; values are copied."""
    heads, keys = a["num_heads"], a.get("num_kv_heads", a["num_heads"])
    (*lead, width), count = a["x"]["shape"], heads + 2 * keys
    dim, x = width // count, a["x"]["values"]
    thetas, factor, value = rope(a | {"x": {"shape": [*lead, count, dim], "values": x}, "seq_axis": -3}, _)

    def of_head(index):
        head, group = index // dim % count, heads // keys
        is_rotated = head < heads + keys if a["fusion"] == "concatenated" else head % (group + 2) <= group
        return value(index) if is_rotated else literal(x[index])

    return thetas, factor, of_head


def rope_to_cache(a, _):
    """Of the tokens in the slots that are named; the others are copied."""
    thetas, factor, value = rope(a | {"seq_axis": -3}, _)
    token_in, size = {slot: t for t, (slot, _) in enumerate(a["slot_mapping"]["values"])}, product(a["x"]["shape"][1:])

    def of_slot(index):
        slot, rest = divmod(index, size)
        return value(token_in[slot] * size + rest) if slot in token_in else literal(a["cache"]["values"][index])

    return thetas, factor, of_slot


def mlx_rope(a, _):
    """Positions count from an offset, of all or of each sequence, and are scaled."""
    (n, d), sizes, dims = number(a["scale"]), a["x"]["shape"], a["dims"]
    several, length = not isinstance(a["offset"], int), sizes[-2]
    offsets = [one for one, _ in a["offset"]["values"]] if several else [a["offset"]]
    shape = [len(offsets), length] if several else [length]
    places = [[(n * (offset + t), d) for offset in offsets for t in range(length)]]
    thetas = [text(e, m) for m, e in a["freqs"]["values"]] if "freqs" in a else plain({"dim": dims, "base": a["base"]})
    pairs = [channel(c, dims // 2, "interleaved" if a["traditional"] else "half", None) for c in range(dims)]
    return turning(a, thetas, "1", (shape, places), [(i, 0, *rest) for i, *rest in pairs])


def ggml_rope_ext(a, _):
    """Pairs of llama.cpp at 1f08e2d; with ext_factor 1 the frequencies and the factor of YaRN."""
    half, scale, m = a["n_dims"] // 2, number(a["freq_scale"]), text(*number(a["attn_factor"]))
    call = {"dim": a["n_dims"], "base": a["freq_base"]}
    if number(a["ext_factor"])[0]:
        call |= {"factor": {"fraction": [scale[1], scale[0]]}, "original_max_position_embeddings": a["n_ctx_orig"]}
        call |= {"beta_fast": a["beta_fast"], "beta_slow": a["beta_slow"]}
        thetas, _, m = frequencies({"function": "yarn", "arguments": call})
    else:
        thetas = [times(theta, text(*scale)) for theta in plain(call)]
    if "freq_factors" in a:
        thetas = [times(theta, text(d, n)) for theta, (n, d) in zip(thetas, a["freq_factors"]["values"], strict=True)]
    axes, places = [0] * half, [a["positions"]["values"]]
    if a["mode"] == 8:
        axes = [axis for axis, pairs in enumerate(a["sections"]) for _ in range(pairs)]
        count = len(places[0]) // 4
        places = [places[0][axis * count : (axis + 1) * count] for axis in range(4)]
    pairs = [channel(c, half, "half" if a["mode"] else "interleaved", None) for c in range(a["n_dims"])]
    angles = [(i, axes[i], *rest) for i, *rest in pairs]
    return turning(a | {"seq_axis": -3}, thetas, m, ([len(places[0])], places), angles)


def softplus(x):
    """ln(1 + e**x)"""
    if x[0] == 0:
        return "2 ln"
    need(-2000 * x[1] < x[0] < 700 * x[1], "softplus of numbers beyond -2000 .. 700")
    return f"{text(*x)} {text(-x[0], x[1])} exp 1 + ln +" if x[0] > 0 else f"{text(*x)} exp 1 + ln"


def pope(a, _):
    """Each channel is a pair of the length of its softplus, at an angle with a bias within -2 pi .. 0."""
    x, sizes = a["x"]["values"], a["x"]["shape"]
    call = plain_call(a, 2 * sizes[-1])
    (thetas, axes, factor), (shape, places) = frequencies(call), several_or_one(a["positions"], call)
    token_of, count, half = tokens_of(sizes, shape, -2), len(thetas), a["pairing"] == "half"
    shifts = a["bias"]["values"] if "bias" in a else None

    def value(index):
        vector, c = divmod(index, sizes[-1] + count)
        if c >= 2 * count:
            return literal(x[vector * sizes[-1] + c - count])
        i, second = (c % count, c // count) if half else (c // 2, c % 2)
        own, place = x[vector * sizes[-1] + i], places[axes[i]][token_of(vector)]
        need(own is not None, "infinity or NaN")
        shift = shifts[vector // sizes[-2] % (len(shifts) // count) * count + i] if shifts else (0, 1)
        shift = "" if shift[0] >= 0 or not less("-2 pi *", text(*shift)) else text(*shift)
        angle = f"{text(*place)} {thetas[i]} *{f' {shift} +' if shift else ''}" if place[0] else shift
        wave = f"{angle} {'sin' if second else 'cos'}" if angle else "01"[not second]
        given = a["magnitude"] == "given"
        if wave == "0" or (given and own[0] == 0):
            below = wave != "0" and less(wave, "0")
            return "-0" if given and (own[0] < 0 or own == (0, -1)) != below else "0"
        return times(times(literal(own) if given else softplus(own), wave), "1" if factor == "1" else "f")

    return thetas, factor, value


def several_or_one(given, call):
    """Positions of each axis of frequencies that have several, or of the only one."""
    if call["function"] in ("axial_frequencies", "mrope_frequencies"):
        return several_axes(given)
    return tokens(given, False)


ROPE = "x positions frequencies base rotary_dim pairing inverse seq_axis"
ROPE_2D = "x height width axis_order base arrangement times_pi rotary_dim pairing inverse seq_axis allocation"
ROPE_3D = "x frames height width axis_order base arrangement times_pi widths pairing inverse seq_axis"
MROPE = "x position_ids sections arrangement frequencies base pairing inverse seq_axis"
YARN = " beta_fast beta_slow"
FUNCTIONS = {
    "rope_table": (rope_table, "positions frequencies"),
    "rope": (rope, ROPE),
    "rope_2d": (lambda a, _: rope_on_grid(a, "hw"), ROPE_2D),
    "rope_3d": (lambda a, _: rope_on_grid(a, "thw"), ROPE_3D),
    "mrope": (mrope, MROPE),
    "vjp_rope": (gradient(rope), ROPE + " cotangent"),
    "vjp_rope_2d": (gradient(lambda a, _: rope_on_grid(a, "hw")), ROPE_2D + " cotangent"),
    "vjp_rope_3d": (gradient(lambda a, _: rope_on_grid(a, "thw")), ROPE_3D + " cotangent"),
    "vjp_mrope": (gradient(mrope), MROPE + " cotangent"),
    "ggml_rope_ext": (
        ggml_rope_ext,
        "x positions freq_factors n_dims mode n_ctx_orig freq_base freq_scale ext_factor attn_factor sections" + YARN,
    ),
    "pope": (pope, "x positions pairing bias magnitude frequencies base"),
    "vjepa2_rope": (vjepa2_rope, "x positions base seq_axis"),
    "xdrope": (xdrope, "x position_ids sections base frequencies seq_axis"),
    "ernie_image_rope": (ernie_image_rope, "x positions widths base seq_axis"),
    "rope_in_qkv": (rope_in_qkv, ROPE + " num_heads num_kv_heads fusion"),
    "rope_to_cache": (rope_to_cache, ROPE + " cache slot_mapping"),
    "mlx_rope": (mlx_rope, "x dims traditional base scale offset freqs"),
}
