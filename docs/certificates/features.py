"""Waves of several coordinates and of times: what their golden cases claim."""

from fractions import Fraction

from formulas import log, plain_wave, power, text, times, times_pi, wave
from frequencies import frequencies
from positions import DOUBLES, cells, coordinates, number, product, tokens
from sinusoids import slot
from sums import quotient
from words import argument

WAVES = {"c": "cos", "s": "sin"}


def points(given):
    """For each coordinate its position in every token: of an array (..., n), a grid, or a list of positions."""
    if isinstance(given, list):
        return [coordinates(one) for one in given]
    if "shape" not in given:
        return cells([coordinates(one) for one in given["arguments"]["coordinates"]])
    count, values = given["shape"][-1], given["values"]
    return [values[axis::count] for axis in range(count)]


def scaled(theta, factor):
    """theta times "pi", "2pi" or a number."""
    if factor in ("pi", "2pi"):
        return times_pi(theta, (len(factor) - 1, 1))
    return times(theta, text(*number(factor)))


def coordinate_sine(a, _):
    places, dim, order = points(a["coordinates"]), a["dim"], a["order"]
    widths = argument(a, "widths", [dim // len(order)] * len(order))
    thetas, channels = [], []
    for axis, width in zip(order, widths, strict=True):
        for c in range(width):
            kind, i = slot(c, width, a.get("layout", "interleaved"))
            channels.append((kind, axis, len(thetas) + i))
        steps = [i // 2 * 2 if a.get("repeated") else i for i in range(width // 2)]
        thetas += [scaled(power(number(a.get("base", 10000)), -2 * i, width), a["factor"]) for i in steps]

    def value(index):
        token, c = divmod(index, dim)
        kind, axis, i = channels[c]
        return wave(kind, thetas[i], places[axis][token], i)

    return thetas, "1", value


def fourier_bands(a, _):
    """The coordinates themselves first or last, and waves in the order of three loops."""
    places, calls = points(a["coordinates"]), a["frequencies"]
    calls = calls if isinstance(calls, list) else [calls] * len(places)
    blocks = [[scaled(theta, a["factor"]) for theta in frequencies(call)[0]] for call in calls]
    thetas, kinds = [theta for block in blocks for theta in block], a.get("kinds", "sin-cos").split("-")
    sizes = {"kind": len(kinds), "axis": len(places), "band": len(blocks[0])}
    loops = [sizes[one] for one in a["order"].split("-")]
    waves, include = product(loops), a.get("include")
    width = waves + len(places) * (include is not None)

    def value(index):
        token, c = divmod(index, width)
        c -= len(places) * (include == "first")
        if not 0 <= c < waves:
            own = places[c if c >= 0 and include == "first" else c - waves if c >= waves else c + len(places)][token]
            return "-0" if own == (0, -1) else text(*own)
        at = {}
        for one, size in zip(reversed(a["order"].split("-")), reversed(loops), strict=True):
            c, at[one] = divmod(c, size)
        i = at["axis"] * sizes["band"] + at["band"]
        return wave(kinds[at["kind"]][0], thetas[i], places[at["axis"]][token], i)

    return thetas, "1", value


def wave_of_sum(kind, terms, factor):
    """The claim of a wave of factor times the sum of [(fraction or None, formula)]."""
    terms = [(w, words) for w, words in terms if w != 0]
    theta, found = f"{len(factor) - 1} pi *" if factor in ("pi", "2pi") else text(*number(factor)), None
    if all(w is not None for w, _ in terms):
        total = sum((w for w, _ in terms), Fraction(0))
        found = plain_wave(kind, theta, (total.numerator, total.denominator))
    words = " ".join(words if k == 0 else f"{words} +" for k, (_, words) in enumerate(terms))
    return found or f"{words} {theta} * {WAVES[kind]}"


def fourier_projection(a, _):
    """Waves of sums of coordinates times weights, or of the logarithm of one coordinate times weights."""
    places, (count, width), weights = points(a["coordinates"]), a["weight"]["shape"], a["weight"]["values"]
    phases, logarithm = a["phase"]["values"] if "phase" in a else [(0, 1)] * width, a.get("transform") == "ln"
    interleaved = a["layout"] == "interleaved"
    kinds = ["s", "c"] if interleaved else [one[0] for one in a["layout"].split("-")]

    def term(x, k):
        weight = Fraction(*weights[k])
        if not logarithm:
            return Fraction(*x) * weight, f"{text(*x)} t{k} *"
        return None if weight and x[0] != x[1] else 0, f"{log(*x)} t{k} *"

    def value(index):
        token, c = divmod(index, len(kinds) * width)
        kind, j = (c % 2, c // 2) if interleaved else divmod(c, width)
        terms = [term(places[axis][token], axis * width + j) for axis in range(count)]
        terms.append((Fraction(*phases[j]), f"t{count * width + j}"))
        return wave_of_sum(kinds[kind], terms, a["factor"])

    return [text(*one) for one in [*weights, *phases]], "1", value


def moments(given):
    """Times one by one."""
    if isinstance(given, dict) and "function" in given:
        return coordinates(given)
    return [number(given)] if isinstance(given, int) else tokens(given, False)[1][0]


def timestep_fourier(a, _):
    """Geometric frequencies, or periods, between both ends, times 2 pi."""
    half, (n, d), (m, e) = a["dim"] // 2, number(a["first"]), number(a["last"])
    thetas, sign = [], -1 if a["ends"] == "periods" else 1
    for i in range(half):
        ratio = power((m * d, e * n), sign * i, half - 1) if i else "1"
        thetas.append(times_pi(times(ratio, text(n, d) if sign > 0 else text(d, n)), (2, 1)))
    places = moments(a["timesteps"])

    def value(index):
        token, c = divmod(index, 2 * half)
        kind, i = "sc"[(c < half) == a["flip_sin_to_cos"]], c % half
        return wave(kind, thetas[i], places[token], i)

    return thetas, "1", value


def functional_time(a, _):
    dim, places = a["dim"], moments(a["times"])
    thetas = [power(number(a.get("base", 10**9)), -j, max(dim - 1, 1)) for j in range(dim)]
    return thetas, "1", lambda index: wave("c", thetas[index % dim], places[index // dim], index % dim)


def fixed_temporal(a, _):
    """The waves of all fields of a time, added."""
    dim, fields = a["dim"], a["rows"]["shape"][-1]
    thetas = [power(number(a.get("base", 10000)), -2 * i, dim) for i in range(dim // 2)]

    def value(index):
        token, c = divmod(index, dim)
        numbers = [n for n, _ in a["rows"]["values"][fields * token : fields * (token + 1)]]
        words = [f"t{c // 2} {n} * {'cos' if c % 2 else 'sin'}" for n in numbers]
        return " ".join(one if k == 0 else f"{one} +" for k, one in enumerate(words))

    return thetas, "1", value


def time2vec(a, _):
    """Waves of a sum, beside a channel that is the sum."""
    places, weights, phases, linear = moments(a["t"]), a["weight"]["values"], a["phase"]["values"], a.get("linear")
    width = len(weights)

    def value(index):
        token, j = divmod(index, width)
        x, weight, phase = (Fraction(*one) for one in (places[token], weights[j], phases[j]))
        total, words = x * weight + phase, f"t{j} {text(*places[token])} * t{width + j} +"
        if j == {"first": 0, "last": width - 1, None: -1}[linear]:
            return words
        return f"{words} {a['kind']}" if total else ("1" if a["kind"] == "cos" else "0")

    return [text(*one) for one in [*weights, *phases]], "1", value


def counts_of(mask):
    """(height, width, for each cell of each image (count and total of its column, count and total of its row))"""
    if isinstance(mask, list):
        mask = {"shape": mask, "values": [(1, 1)] * product(mask)}
    (*_, height, width), values = mask["shape"], [int(n != 0) for n, _ in mask["values"]]
    found = []
    for start in range(0, len(values), max(height * width, 1)):
        image = values[start : start + height * width]
        for cell in range(height * width):
            row, column = image[cell // width * width :][:width], image[cell % width :: width]
            column, row = (column, cell // width), (row, cell % width)
            found.append([(sum(line[: at + 1]), sum(line)) for line, at in (column, row)])
    return found


def masked_sine_2d(a, _):
    """Counts of allowed cells, or shares of the count of the whole line."""
    dim, found, eps = a["dim"], counts_of(a["mask"]), number(a.get("eps", DOUBLES["1e-6"]))
    bases = a["base"] if isinstance(a["base"], list) else [a["base"]] * 2
    half, thetas = dim // 2, []
    for base in bases:
        block = [power(number(base), -2 * i, half) for i in range(half // 2)]
        thetas += [scaled(theta, a["scale"]) for theta in block] if a["normalize"] else block

    def value(index):
        token, c = divmod(index, dim)
        axis = {"h": 0, "w": 1}[a["axis_order"][c // half]]
        i, (count, total) = axis * (half // 2) + c % half // 2, found[token][axis]
        place = (2 * count - 1, 2) if a["half_pixel"] and a["normalize"] else (count, 1)
        if not a["normalize"] or place[0] == 0:
            return wave("sc"[c % 2], thetas[i], place, i)
        share = Fraction(*place) * Fraction(1, total + Fraction(*eps))
        if max(abs(share.numerator), share.denominator) < 1 << 50:
            return wave("sc"[c % 2], thetas[i], (share.numerator, share.denominator), i)
        return f"{text(*place)} {total} {text(*eps)} + / t{i} * {'cos' if c % 2 else 'sin'}"

    return thetas, "1", value


def box_relation(a, _):
    """Waves of logarithms of distances and ratios of boxes."""
    shape, dim = a["boxes"]["shape"], a["dim"]
    others = a.get("targets", a["boxes"])
    n, m, scale, eps = shape[-2], others["shape"][-2], text(*number(a["scale"])), number(a["eps"])
    half = dim // 2
    thetas = [times(power(number(a["base"]), -4 * k, dim), scale) for k in range(half)]

    def value(index):
        pair, c = divmod(index, 4 * dim)
        i, j = pair // m, pair // (n * m) * m + pair % m
        kind, of, k = "sc"[c % dim >= half], c // dim, c % half
        one, other = (given["values"][4 * at : 4 * at + 4] for given, at in ((a["boxes"], i), (others, j)))
        size, wide = one[2 + of % 2], other[2 + of % 2]
        above = f"{text(*size)} {text(*eps)} +"
        if of >= 2:
            same, ratio = Fraction(*size) == Fraction(*wide), f"{above} {text(*wide)} {text(*eps)} + /"
        else:
            x, y = sorted((one[of], other[of]), key=lambda xy: Fraction(*xy))
            same, ratio = Fraction(*x) == Fraction(*y), f"{text(*y)} {text(*x)} - {above} / 1 +"
        if same:
            return "1" if kind == "c" else "0"
        return f"{ratio} ln t{k} * {WAVES[kind]}"

    return thetas, "1", value


def soft_grid(a, _):
    height, width = a["height"], a["width"]

    def value(index):
        cell, c = divmod(index, 4)
        at, size = (cell % width, width) if c % 2 else (cell // width, height)
        size = max(size - 1, 1)
        return text(size - at if c >= 2 else at, size)

    return [], "1", value


def centred_points(a, _):
    """Coordinates from the centre of an image, over a share of its longer side (SuperGlue)."""
    places, sizes = points(a["points"]), (a["width"], a["height"])
    side = Fraction(*number(a["share"])) * max(sizes)

    def value(index):
        token, axis = divmod(index, 2)
        return quotient(Fraction(Fraction(*places[axis][token]) - Fraction(sizes[axis], 2), side))

    return [], "1", value


FUNCTIONS = {
    "centred_points": (centred_points, "points height width share"),
    "coordinate_sine": (coordinate_sine, "coordinates dim order factor base layout widths repeated"),
    "fourier_bands": (fourier_bands, "coordinates frequencies factor order kinds include"),
    "fourier_projection": (fourier_projection, "coordinates weight factor layout phase transform"),
    "timestep_fourier": (timestep_fourier, "timesteps dim ends first last flip_sin_to_cos"),
    "functional_time": (functional_time, "times dim base"),
    "fixed_temporal": (fixed_temporal, "rows dim base"),
    "time2vec": (time2vec, "t weight phase linear kind"),
    "masked_sine_2d": (masked_sine_2d, "mask dim normalize half_pixel axis_order scale eps base"),
    "box_relation": (box_relation, "boxes dim targets base scale eps"),
    "soft_grid": (soft_grid, "height width"),
}
