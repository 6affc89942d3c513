"""What a golden case claims: from its call, as docs/golden-format.md writes it, to a formula for each value.

Nothing of refpos is imported. A formula is text, which intervals.py and check.c evaluate: numbers, and operators after
them. Where a formula depends on a comparison (the ramp of YaRN) it is decided by intervals.
"""

from math import gcd, isqrt

import intervals
from intervals import need
from positions import cells, coordinates, number, product, tokens

#: the arguments and inputs of each function that its claims read; a case with another is not covered
ARGUMENTS = {
    "sinusoidal": "positions dim base endpoint layout odd position_scale zero_row divisor",
    "timestep_embedding": "timesteps dim downscale_freq_shift flip_sin_to_cos max_period scale",
    "sincos_2d": "height width dim axis_order base endpoint layout extra_tokens",
    "sincos_3d": "frames height width dim axis_order base endpoint layout widths extra_tokens",
    "sincos_grid": "grid dim axis_order base endpoint layout packing token_order extra_tokens widths",
    "rope_table": "positions frequencies",
    "rope": "x positions frequencies base rotary_dim pairing inverse seq_axis",
    "rope_2d": "x height width axis_order base arrangement times_pi rotary_dim pairing inverse seq_axis allocation",
    "rope_3d": "x frames height width axis_order base arrangement times_pi widths pairing inverse seq_axis",
    "mrope": "x position_ids sections arrangement frequencies base pairing inverse seq_axis",
    "alibi": "num_heads query_len key_len mode convention max_bias query_offset anchor mask head_dim",
    "alibi_slopes": "num_heads convention max_bias",
    "linear": "dim base factor frequencies exponent_dim",
    "axial_frequencies": "widths base axes arrangement endpoint times_pi frequencies " + "allocation",
    "mrope_frequencies": "dim base sections arrangement frequencies",
    "inverse_frequencies": "dim base exponent_dim",
    "ntk": "dim base factor rule",
    "ntk_alpha": "dim base alpha",
    "dynamic_ntk": "dim base factor max_position_embeddings seq_len",
    "ntk_by_parts": "dim base factor original_max_position_embeddings beta_fast beta_slow truncate clamp",
    "yarn": "dim base factor original_max_position_embeddings max_position_embeddings beta_fast beta_slow truncate"
    " clamp mscale mscale_all_dim mscale_rule attention_factor",
    "llama3": "dim base factor low_freq_factor high_freq_factor original_max_position_embeddings",
    "proportional": "dim base factor partial_rotary_factor",
    "longrope": "dim base long_factor short_factor long_mscale short_mscale factor attention_factor seq_len"
    " max_position_embeddings original_max_position_embeddings",
}


def known(name, a):
    """Refuse arguments that would be left unread."""
    unread = sorted(set(a) - set(ARGUMENTS.get(name, "").split()))
    need(not unread, f"the argument {' '.join(unread)} of {name}")


# -- text ------------------------------------------------------------------------------------------------------------


def text(n, d=1):
    """A fraction as formulas have it: an integer, or an odd numerator and denominator and a power of two."""
    if d < 0:
        n, d = -n, -d
    if n % d == 0 and abs(n // d) < 1 << 53:
        return str(n // d)
    common = gcd(n, d)
    n, d, twos = n // common, d // common, 0
    while n % 2 == 0:
        n, twos = n // 2, twos + 1
    while d % 2 == 0:
        d, twos = d // 2, twos - 1
    assert abs(n) < 1 << 63 and d < 1 << 63
    return f"{n}{f'/{d}' if d > 1 else ''}{f'@{twos}' if twos else ''}"


def power(base, n, d):
    """base**(n/d) of a fraction."""
    common = gcd(n, d) * (1 if d > 0 else -1)
    return f"{text(*base)}^{n // common}/{d // common}" if n else "1"


def times(x, y):
    return x if y == "1" else y if x == "1" else f"{x} {y} *"


def over_root(n):
    """1 / sqrt(n) of an integer."""
    return text(1, isqrt(n)) if isqrt(n) ** 2 == n else f"1 {n} sqrt /"


def less(x, y):
    """Whether one formula is less than another, which intervals must decide."""
    (low, high), (other_low, other_high) = intervals.formula(x), intervals.formula(y)
    need(high < other_low or low >= other_high, "a comparison that is not decided")
    return high < other_low


# -- claims: (thetas, factor, the function from an index to the claim of that value) ----------------------------------


def wave(kind, position, i, factor="1"):
    """The claim of factor times a cosine or sine, which at position 0 is a number."""
    if position[0] == 0 and (factor == "1" or kind == "s"):
        return "1" if kind == "c" else "0"
    return f"{kind} {text(*position)} t{i}"


def slot(c, dim, layout):
    """(s or c, number of the frequency) of a channel."""
    if layout == "interleaved":
        return "sc"[c % 2], c // 2
    first = dim - dim // 2 if layout == "sin-cos" else dim // 2
    return "sc"[(c < first) != (layout == "sin-cos")], c if c < first else c - first


def sinusoidal(a):
    dim, inner = a["dim"], a["dim"] - (a["odd"] == "pad" and a["dim"] % 2)
    sines = inner - inner // 2
    step = (1, max(sines - 1, 1)) if a["endpoint"] else (2, inner)
    scale = text(*number(a.get("position_scale", 1)))
    thetas = [times(power(number(a["base"]), -i * step[0], step[1]), scale) for i in range(sines)]
    _, (places,) = tokens(a["positions"], False)
    need(a.get("divisor") in (None, "sqrt-dim"), "a divisor")
    factor = over_root(dim) if a.get("divisor") else "1"
    still = None if a.get("zero_row") is None else number(a["zero_row"])

    def value(index):
        row, c = divmod(index, dim)
        n, d = places[row]
        if c == inner or (still and n * still[1] == still[0] * d):
            return "0"
        kind, i = slot(c, inner, a["layout"])
        return wave(kind, places[row], i, factor)

    return thetas, factor, value


def timestep_embedding(a):
    dim, half, (n, d) = a["dim"], a["dim"] // 2, number(a["downscale_freq_shift"])
    scale = text(*number(a["scale"]))
    thetas = [times(power(number(a["max_period"]), -i * d, half * d - n) if i else "1", scale) for i in range(half)]
    places = [number(a["timesteps"])] if isinstance(a["timesteps"], int) else tokens(a["timesteps"], False)[1][0]

    def value(index):
        row, c = divmod(index, dim)
        if c == 2 * half:
            return "0"
        return wave("sc"[(c < half) == a["flip_sin_to_cos"]], places[row], c % half)

    return thetas, "1", value


def sincos_grid(a, names=None):
    """Sines and cosines of each axis of a grid, behind rows of zeros for tokens that are no cells."""
    grid = [a[one] for one in names] if names else a["grid"]
    along = [coordinates(one) for one in (grid if isinstance(grid, list) else grid["arguments"]["coordinates"])]
    dim, order, count = a["dim"], a.get("axis_order", "thw"), len(along)
    if isinstance(order, str):
        order = [{2: "hw", 3: "thw"}[count].index(axis) for axis in order]
    halves = [width // 2 for width in a.get("widths") or [dim // count] * count]
    fastest_last = list(range(count))
    if a.get("token_order", "row-major") == "reversed":
        fastest_last.reverse()
    elif a.get("token_order") == "column-major":
        fastest_last[-2:] = fastest_last[:-3:-1]
    lines = dict(zip(fastest_last, cells([along[axis] for axis in fastest_last]), strict=True))
    thetas = []
    for half in halves:
        step = max(half - 1, 1) if a["endpoint"] else half
        thetas += [power(number(a["base"]), -i, step) for i in range(half)]
    extra, whole = a.get("extra_tokens") or 0, sum(halves)

    def value(index):
        row, c = divmod(index, dim)
        if row < extra:
            return "0"
        kinds = a.get("packing") == "kinds"
        kind = "sc"[(c >= whole) != (a["layout"] == "cos-sin")]
        c, j, width = c % whole if kinds else c, 0, 1 if kinds else 2
        while c >= width * halves[j]:
            c, j = c - width * halves[j], j + 1
        if not kinds:
            kind, c = slot(c, 2 * halves[j], a["layout"])
        return wave(kind, lines[order[j]][row - extra], sum(halves[:j]) + c)

    return thetas, "1", value


def rope_table(a, frequencies, output):
    thetas, axes, factor = frequencies(a["frequencies"])
    _, places = tokens(a["positions"], a["frequencies"]["function"] in ("axial_frequencies", "mrope_frequencies"))

    def value(index):
        row, i = divmod(index, len(thetas))
        return wave(output[0], places[axes[i]][row], i, factor)

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


def rotation(a, call, shape, places, frequencies):
    """a cos - b sin and b cos + a sin of the pairs of x; other channels as they are."""
    thetas, axes, factor = frequencies(call)
    x, sizes, count = a["x"]["values"], a["x"]["shape"], len(thetas)
    dim, lead, along = sizes[-1], len(shape) - 1, a.get("seq_axis", -2) % len(sizes)
    turn = -1 if a.get("inverse") else 1

    def token_of(vector):
        index = [vector // product(sizes[j + 1 : -1]) % sizes[j] for j in range(len(sizes) - 1)]
        token = 0
        for j, size in enumerate(shape):
            token = token * size + (index[j if j < lead else along] if size > 1 else 0)
        return token

    def copied(own):
        need(own is not None, "infinity or NaN")
        return "-0" if own == (0, -1) else text(*own)

    def value(index):
        vector, c = divmod(index, dim)
        own = x[index]
        if c >= 2 * count:
            return copied(own)
        i, second, other = channel(c, count, a["pairing"], axes)
        partner, sign = x[vector * dim + other], turn if second else -turn
        need(own is not None and partner is not None, "infinity or NaN")
        position = places[axes[i]][token_of(vector)]
        if position[0] == 0 and (own[0] == 0 or factor == "1"):  # -0 only of -0 less a number times 0
            minus = own == (0, -1) and partner[0] != 0 and (partner[0] < 0) != (sign < 0)
            return "-0" if minus else text(*own)
        return f"r {text(*own)} {text(sign * partner[0], partner[1])} {text(*position)} t{i}"

    return thetas, factor, value


def rope(a, frequencies):
    dim = a.get("rotary_dim", a["x"]["shape"][-1])
    call = a.get("frequencies") or {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": a["base"]}}
    several = call["function"] in ("axial_frequencies", "mrope_frequencies")
    shape, places = tokens(a["positions"], several)
    if isinstance(a["positions"], dict) and "function" in a["positions"]:
        shape = [product(shape)]
    return rotation(a, call, shape, places, frequencies)


def rope_on_grid(a, letters, frequencies):
    """rope_2d and rope_3d: axial frequencies at the cells of a grid."""
    along = [coordinates(a[{"t": "frames", "h": "height", "w": "width"}[letter]]) for letter in letters]
    share = a.get("rotary_dim", a["x"]["shape"][-1]) // 2
    call = {one: a[one] for one in ("base", "allocation", "arrangement", "times_pi", "frequencies") if one in a}
    call |= {"widths": a.get("widths") or [share, share], "axes": [letters.index(axis) for axis in a["axis_order"]]}
    places = cells(along)
    return rotation(a, {"function": "axial_frequencies", "arguments": call}, [len(places[0])], places, frequencies)


def mrope(a, frequencies):
    call = {one: a[one] for one in ("base", "sections", "arrangement", "frequencies") if one in a}
    call["dim"] = 2 * sum(a["sections"])
    shape, places = tokens(a["position_ids"], True)
    return rotation(a, {"function": "mrope_frequencies", "arguments": call}, shape, places, frequencies)


def slopes(a):
    """(2**-e for each head, with the twos of head_dim and the sign of the root that is left of it)."""
    heads, (n, d) = a["num_heads"], number(a.get("max_bias", 8))
    whole, width, twos = 1 << heads.bit_length() - 1, a.get("head_dim", 1), 0
    while width % 2 == 0:
        width, twos = width // 2, twos + 1
    thetas = []
    for k in range(heads):
        over, under = {
            "halving": (k, 1),
            "geometric": (n * (k + 1), d * heads),
            "recursive": (n * (k + 1), d * whole) if k < whole else (n * (2 * (k - whole) + 1), 2 * d * whole),
        }[a["convention"]]
        thetas.append(power((2, 1), -2 * over - twos * under, 2 * under))
    return thetas, width


def alibi_slopes(a):
    return slopes(a)[0], "1", lambda index: f"t{index}"


def alibi(a):
    """Slope times distance; minus infinity behind a causal mask; with an anchor the distance of a key from it."""
    (thetas, width), queries, keys = slopes(a), a["query_len"], a["key_len"]
    offset, anchor = a.get("query_offset", keys - queries), a.get("anchor", "query")
    mask, divisor = [n for n, _ in a["mask"]["values"]] if "mask" in a else [1] * keys, isqrt(width)
    if divisor**2 != width:
        thetas, divisor = [times(theta, over_root(width)) for theta in thetas], 1
    heads = len(thetas)

    def value(index):
        head, q, k = index // (queries * keys) % heads, index // keys % queries, index % keys
        row = index // (queries * keys * heads) * keys
        distance = k - q - offset
        if a["mode"] == "causal" and distance > 0:
            return "-inf"
        distance = -abs(distance) if a["mode"] == "symmetric" else distance
        distance = min(distance, 0) if a["mode"] == "clipped" else distance
        if anchor != "query":
            token = sum(mask[row : row + k]) if mask[row + k] else 0
            distance = token - (keys - 1 if anchor == "last" else 0)
        return times(f"t{head}", text(distance, divisor)) if distance else "0"

    return thetas, "1", value


def of_frequencies(call, frequencies, output):
    """Frequencies themselves, and the factor of theirs."""
    need(output != "axes", "integers, which are not rounded")
    thetas, _, factor = frequencies(call)
    return thetas, factor, lambda index: "f" if output == "attention_factor" else f"t{index}"


def claims(suite, a, output, frequencies):
    """(thetas, factor, the function from an index to the claim) of an output of a case."""
    known(suite, a)
    own = {
        "sinusoidal": lambda: sinusoidal(a),
        "timestep_embedding": lambda: timestep_embedding(a),
        "sincos_grid": lambda: sincos_grid(a),
        "sincos_2d": lambda: sincos_grid(a, ("height", "width")),
        "sincos_3d": lambda: sincos_grid(a, ("frames", "height", "width")),
        "rope_table": lambda: rope_table(a, frequencies, output),
        "rope": lambda: rope(a, frequencies),
        "rope_2d": lambda: rope_on_grid(a, "hw", frequencies),
        "rope_3d": lambda: rope_on_grid(a, "thw", frequencies),
        "mrope": lambda: mrope(a, frequencies),
        "alibi": lambda: alibi(a),
        "alibi_slopes": lambda: alibi_slopes(a),
    }
    return own[suite]() if suite in own else of_frequencies({"function": suite, "arguments": a}, frequencies, output)
