"""The positions of a call as fractions: counts, tensors, and the cells of grids (docs/golden-format.md, Calls)."""

from intervals import fraction_of, need
from words import argument, known

#: defaults of functions, which are doubles
DOUBLES = {"1e-2": "3f847ae147ae147b", "1e-4": "3f1a36e2eb1c432d", "1e-5": "3ee4f8b588e368f1"}
DOUBLES |= {"1e-6": "3eb0c6f7a0b5ed8d", "1e-8": "3e45798ee2308c3a"}
DOUBLES = {name: {"float64": bits} for name, bits in DOUBLES.items()}
ARGUMENTS = {
    "listed": "values",
    "cropped": "coordinates size start",
    "affine": "size start step",
    "linspace": "size start stop endpoint",
    "half_pixel": "size count",
    "resampled": "size reference",
    "centred": "size rounding",
}


def number(value):
    """An argument as (numerator, denominator)."""
    if isinstance(value, int):
        return int(value), 1
    need(isinstance(value, dict) and len(value) == 1, "an argument that is no number")
    if "fraction" in value:
        return tuple(value["fraction"])
    return fraction_of(int(value["float64"], 16), "float64")


def product(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def coordinates(given):
    """The positions along one axis of a grid: of a size, of numbers one by one, or of a call."""
    if isinstance(given, int):
        return [(i, 1) for i in range(given)]
    if isinstance(given, list):
        return [number(one) for one in given]
    name, a = given["function"], given["arguments"]
    known(name, a, ARGUMENTS.get(name, ""))
    if name == "listed":
        return [number(one) for one in a["values"]]
    size = a["size"]
    if name == "cropped":
        longer = coordinates(a["coordinates"])
        start = a.get("start", (len(longer) - size) // 2)
        return longer[start : start + size]
    if name == "affine":
        (n, d), (m, e) = number(a.get("start", 0)), number(a.get("step", 1))
        return [(n * e + i * m * d, d * e) for i in range(size)]
    if name == "linspace":
        (n, d), (m, e) = number(a["start"]), number(a["stop"])
        gaps = max(size - 1, 1) if a.get("endpoint") else size
        return [(n * e * (gaps - i) + i * m * d, d * e * gaps) for i in range(size)]
    if name == "half_pixel":
        count = argument(a, "count", size)
        return [(2 * i + 1 - count, count) for i in range(size)]
    if name == "resampled":
        return [(i * a["reference"] // size, 1) for i in range(size)]
    need(name == "centred", f"coordinates of {name}")
    middle = {"floor": size, "ceil": size + 1, "middle": size - 1}[a["rounding"]] // 2
    return [(i - middle, 1) for i in range(size)]


def cells(along):
    """Of a grid, the last axis fastest: for each axis the position of every cell."""
    sizes = [len(axis) for axis in along]
    steps = [product(sizes[j + 1 :]) for j in range(len(along))]
    return [
        [axis[t // step % len(axis)] for t in range(product(sizes))] for axis, step in zip(along, steps, strict=True)
    ]


def tokens(given, several):
    """(shape, for each axis the position of every token): of a count, a number, a grid, or a tensor."""
    if isinstance(given, int):
        return [given], [coordinates(given)]
    if given.get("function") == "grid":
        along = [coordinates(one) for one in given["arguments"]["coordinates"]]
        return [len(axis) for axis in along], cells(along)
    if "shape" not in given:
        return [], [[number(given)]]
    shape, values = given["shape"], given["values"]
    lines = shape[0] if several else 1
    size = len(values) // max(lines, 1)
    return shape[1:] if several else shape, [values[size * j : size * (j + 1)] for j in range(lines)]
