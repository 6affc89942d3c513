"""Sines and cosines of positions: what their golden cases claim."""

from formulas import over_root, power, text, times, wave
from intervals import need
from positions import cells, coordinates, number, product, tokens
from words import argument, known

GRIDS = {"sincos_2d": ("height", "width"), "sincos_3d": ("frames", "height", "width")}


def slot(c, dim, layout):
    """(s or c, number of the frequency) of a channel."""
    if layout == "interleaved":
        return "sc"[c % 2], c // 2
    first = dim - dim // 2 if layout == "sin-cos" else dim // 2
    return "sc"[(c < first) != (layout == "sin-cos")], c if c < first else c - first


def sinusoidal(a, _):
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
        return wave(kind, thetas[i], places[row], i, factor)

    return thetas, factor, value


def timestep_embedding(a, _):
    dim, half, (n, d) = a["dim"], a["dim"] // 2, number(a["downscale_freq_shift"])
    scale = text(*number(a["scale"]))
    thetas = [times(power(number(a["max_period"]), -i * d, half * d - n) if i else "1", scale) for i in range(half)]
    places = [number(a["timesteps"])] if isinstance(a["timesteps"], int) else tokens(a["timesteps"], False)[1][0]

    def value(index):
        row, c = divmod(index, dim)
        if c == 2 * half:
            return "0"
        kind, i = "sc"[(c < half) == a["flip_sin_to_cos"]], c % half
        return wave(kind, thetas[i], places[row], i)

    return thetas, "1", value


def axes_of(a, names=None):
    """The positions along each axis of a grid."""
    grid = [a[one] for one in names] if names else a["grid"]
    return [coordinates(one) for one in (grid if isinstance(grid, list) else grid["arguments"]["coordinates"])]


def nesting(a, count):
    """The axes of a grid in the order of its tokens, that which runs fastest last."""
    found = list(range(count))
    if a.get("token_order", "row-major") == "reversed":
        found.reverse()
    elif a.get("token_order") == "column-major":
        found[-2:] = found[:-3:-1]
    return found


def sincos_grid(a, names=None):
    """Sines and cosines of each axis of a grid, behind rows of zeros for tokens that are no cells."""
    along = axes_of(a, names)
    dim, order, count = a["dim"], a.get("axis_order", "thw"), len(along)
    if isinstance(order, str):
        order = [{2: "hw", 3: "thw"}[count].index(axis) for axis in order]
    halves = [width // 2 for width in argument(a, "widths", [dim // count] * count)]
    fastest_last = nesting(a, count)
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
        i = sum(halves[:j]) + c
        return wave(kind, thetas[i], lines[order[j]][row - extra], i)

    return thetas, "1", value


def listed(given):
    """Nested lists of numbers as a tensor."""
    if not isinstance(given, list):
        return given
    shape, values = [], given
    while values and isinstance(values[0], list):
        shape.append(len(values))
        values = [one for row in values for one in row]
    sizes = [len(given)] if not shape else [*ratios(shape), len(values) // shape[-1]]
    return {"shape": sizes, "values": [number(one) for one in values]}


def ratios(counts):
    return [count // before for before, count in zip([1, *counts], counts, strict=False)]


def cells_of(a, names):
    """The shape of the tokens of a grid, flat with those that are no cells."""
    along = axes_of(a, names)
    shape = [len(along[axis]) for axis in nesting(a, len(along))]
    return shape if a.get("extra_tokens") is None else [a["extra_tokens"] + product(shape)]


def defaults_of(name):
    """The arguments that a call within another one may leave out."""
    if name == "sinusoidal":
        return {"base": 10000, "endpoint": False, "layout": "interleaved", "odd": "truncate"}
    return {"base": 10000, "endpoint": False, "layout": "sin-cos"} if name.startswith("sincos") else {}


def part(call):
    """(the axes of a table before its channels, its width, its claims)"""
    name, given = call["function"], {key: one for key, one in call["arguments"].items() if key != "dtype"}
    a = defaults_of(name) | given
    if name == "sinusoidal":
        a |= {"positions": listed(a["positions"])}
        shape, _ = tokens(a["positions"], False)
    else:
        shape = cells_of(a, GRIDS.get(name))
    function, arguments = FUNCTIONS[name]
    known(name, a, arguments)
    return shape, a["dim"], function(a, "output")


def broadcast(shapes):
    """(shapes of as many axes, the shape that all are repeated to)"""
    most = max(len(shape) for shape in shapes)
    padded = [[1] * (most - len(shape)) + shape for shape in shapes]
    return padded, [min(along) if 0 in along else max(along) for along in zip(*padded, strict=True)]


def joined(a, _):
    """Tables side by side, each repeated along the axes that it does not have, behind rows of zeros."""
    need(all(isinstance(one, dict) and one.get("function") in FUNCTIONS for one in a["parts"]), "other parts")
    parts = [part(call) for call in a["parts"]]
    need(all(factor == "1" for _, _, (_, factor, _) in parts), "a factor of a part")
    padded, sizes = broadcast([shape for shape, _, _ in parts])
    width, extra = sum(one for _, one, _ in parts), a.get("extra_tokens") or 0
    numbers = [theta for _, _, (thetas, _, _) in parts for theta in thetas]

    def value(index):
        cell, c = divmod(index, width)
        if cell < extra:
            return "0"
        cell, before, k = cell - extra, 0, 0
        while c >= parts[k][1]:
            c, before, k = c - parts[k][1], before + len(parts[k][2][0]), k + 1
        place, step = 0, 1
        for size, own in zip(reversed(sizes), reversed(padded[k]), strict=True):
            cell, at = divmod(cell, size)
            place, step = place + (at if own > 1 else 0) * step, step * own
        claim = parts[k][2][2](place * parts[k][1] + c)
        *words, last = claim.split()
        return " ".join([*words, f"t{before + int(last[1:])}"]) if last[0] == "t" else claim

    return numbers, "1", value


FUNCTIONS = {
    "joined": (joined, "parts extra_tokens"),
    "sinusoidal": (sinusoidal, "positions dim base endpoint layout odd position_scale zero_row divisor"),
    "timestep_embedding": (timestep_embedding, "timesteps dim downscale_freq_shift flip_sin_to_cos max_period scale"),
    "sincos_2d": (
        lambda a, _: sincos_grid(a, GRIDS["sincos_2d"]),
        "height width dim axis_order base endpoint layout extra_tokens",
    ),
    "sincos_3d": (
        lambda a, _: sincos_grid(a, GRIDS["sincos_3d"]),
        "frames height width dim axis_order base endpoint layout widths extra_tokens",
    ),
    "sincos_grid": (
        lambda a, _: sincos_grid(a),
        "grid dim axis_order base endpoint layout packing token_order extra_tokens widths",
    ),
}
