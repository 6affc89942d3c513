"""Waves that are added, multiplied or damped: what their golden cases claim."""

from fractions import Fraction

from features import WAVES, points, scaled
from formulas import fits, plain_wave, power, text, times, wave
from frequencies import frequencies
from intervals import fraction, need
from positions import DOUBLES, number, product, tokens
from rotations import channel, rotated
from sinusoids import slot
from sums import quotient, roots
from words import argument


def hyena_features(a, _):
    """Places along a length, and waves of bands that are spaced evenly."""
    length, n, low = max(a["length"], 1), (a["dim"] - 1) // 2, Fraction(*number(a.get("low", DOUBLES["1e-4"])))

    def theta(b):
        """2 pi / length times the band."""
        band = (low + Fraction(b * (n - 1 - low), max(n - 1, 1))) * Fraction(2, length)
        if fits(band.numerator, band.denominator):
            return f"{text(band.numerator, band.denominator)} pi *"
        share = text(low.numerator, low.denominator)
        return f"{share} {n - 1} {share} - {b} * {max(n - 1, 1)} / + {text(2, length)} * pi *"

    thetas = [theta(b) for b in range(n)]

    def value(index):
        p, c = divmod(index, 2 * n + 1)
        if c == 0:
            return text(p, max(length - 1, 1))
        kind, b = ("c", c - 1) if c <= n else ("s", c - 1 - n)
        place = p if kind == "c" else -p  # the sine of -x is minus that of x
        return wave(kind, thetas[b], (place, 1), b)

    return thetas, "1", value


def cape_2d(a, _):
    """Waves over a plane, each in a direction of its own."""
    (xs, ys), n = points(a["coordinates"]), a["dim"] // 2

    def radius(k):
        return power((10, 1), *((k, max(n - 1, 1)) if a["radii"] == "ends" else (k + 1, n)))

    def value(index):
        token, c = divmod(index, 2 * n)
        kind, k = "sc"[c < n], c % n
        x, y = xs[token], ys[token]
        if k == 0 or (x[0] == 0 and y[0] == 0):
            found = plain_wave(kind, f"{radius(0)} pi *" if "^" not in radius(0) else "none", x)
            if found:
                return found
        return f"{text(*x)} {k} cos * {text(*y)} {k} sin * + t{k} * {WAVES[kind]}"

    return [f"{radius(k)} pi *" for k in range(n)], "1", value


def shift_matrix(a, _):
    """Cosines and sines of an offset where a channel meets its pair."""
    dim, offset, half = a["dim"], number(a["offset"]), a["dim"] // 2
    steps = (1, max(half - 1, 1)) if a.get("endpoint") else (2, dim)
    thetas = [power(number(a.get("base", 10000)), -i * steps[0], steps[1]) for i in range(half)]

    def value(index):
        (kind, i), (other, j) = (slot(c, dim, a["layout"]) for c in divmod(index, dim))
        if i != j:
            return "0"
        if kind == other:
            return wave("c", thetas[i], offset, i)
        return wave("s", thetas[i], offset if kind == "s" else (-offset[0], offset[1]), i)

    return thetas, "1", value


def integrated_fourier(a, _):
    """Waves of the mean, damped by the variance."""
    means, variances, calls = points(a["mean"]), points(a["variance"]), a["frequencies"]
    calls = calls if isinstance(calls, list) else [calls] * len(means)
    blocks, kinds = [frequencies(call)[0] for call in calls], a.get("kinds", "sin-cos").split("-")
    bare = [theta for block in blocks for theta in block]
    thetas = [scaled(theta, a["factor"]) for theta in bare]
    order = a["order"].split("-")
    sizes = {"kind": len(kinds), "axis": len(means), "band": len(blocks[0])}
    width = product(sizes.values())

    def value(index):
        (token, c), at = divmod(index, width), {}
        for one in reversed(order):
            c, at[one] = divmod(c, sizes[one])
        i = at["axis"] * sizes["band"] + at["band"]
        mean, variance = means[at["axis"]][token], variances[at["axis"]][token]
        found = plain_wave(kinds[at["kind"]][0], thetas[i], mean)
        if found == "0" or variance[0] == 0 or bare[i] == "0":
            return found or wave(kinds[at["kind"]][0], thetas[i], mean, i)
        damped = f"{bare[i]} {bare[i]} * {text(-variance[0], 2 * variance[1])} * exp"
        return times(damped, found or f"{text(*mean)} t{i} * {WAVES[kinds[at['kind']][0]]}")

    return thetas, "1", value


def mixed_rope(a, _):
    """Pairs rotated by sums of positions times weights."""
    x, (*_, heads, length, dim), given = a["x"]["values"], a["x"]["shape"], a["positions"]
    places = tokens(given, True)[1] if "shape" in given else points(given)
    weights, half = a["weight"]["values"], dim // 2
    rooted = roots([number(one) for one in argument(a, "squared_scale", [1] * len(places))])
    turn = [channel(c, half, a["pairing"], None) for c in range(dim)]

    def value(index):
        vector, c = divmod(index, dim)
        head, token = vector // length % heads, vector % length
        i, second, other = turn[c]
        own, partner = x[index], x[vector * dim + other]
        need(own is not None and partner is not None, "infinity or NaN")
        partner = partner if second else (-partner[0], partner[1])
        terms = []
        for axis, (share, root) in enumerate(rooted):
            k, place = (axis * heads + head) * half + i, share * Fraction(*places[axis][token])
            if place and weights[k][0]:
                terms.append((f"t{k} {text(place.numerator, place.denominator)} *", root))
        if not terms:
            return rotated(own, partner, "0", (0, 1), 0, "1")
        words = []
        for used in sorted({root for _, root in terms}):
            words += ["0", *(f"{one} +" for one, root in terms if root == used), used, "*", "+"]
        angle = " ".join(["0", *words])
        return f"{text(*own)} {angle} cos * {text(*partner)} {angle} sin * +"

    return [text(*one) for one in weights], "1", value


def waves_of_place(rule, count):
    """Of each channel the waves (kind, number of an angle, number of a frequency or None) whose product it is.

    Angles are longitude, latitude, and for theory both with the longitude halved; C and M have channels twice.
    """
    if rule == "grid":
        return [[(kind, angle, t)] for angle in (0, 1) for t in range(count) for kind in "sc"]
    found = []
    for t in range(count):
        if rule == "theory":
            found += [[(kind, angle, t)] for angle in (0, 2, 3) for kind in "sc"]
            continue
        one = [[("s", 1, t)], [("c", 1, t)], [("s", 0, t)], [("c", 0, t)]][: 4 if "+" in rule else 1]
        for kind in "cs":
            if rule[0] == "C":
                one.append([("c", 1, t), (kind, 0, t)])
            else:
                one += [[("c", 1, t), (kind, 0, None)], [("c", 1, None), (kind, 0, t)]]
        found += [waves for waves in one for _ in range(2)]
    return found


def sum_of_cosines(x, y):
    """Of x pi and y pi where it is a fraction, else None: of two, of opposites, of fifths (Conway and Jones 1976)."""
    x, y = sorted(min(one % 2, 2 - one % 2) for one in (x, y))
    if x + y == 1:
        return Fraction(0)
    if (5 * x, 5 * y) in ((1, 3), (2, 4)):
        return Fraction(1 if 5 * x == 1 else -1, 2)
    found = [plain_wave("c", "1 pi *", (one.numerator, one.denominator)) for one in (x, y)]
    return None if None in found else sum(Fraction(*fraction(one)) for one in found)


def of_degrees(a):
    """Angles, places on the sphere, or waves of longitude and latitude in degrees; angles in halves of a turn."""
    places = [[Fraction(*one) * Fraction(1, 180) for one in axis] for axis in points(a["coordinates"])]
    width, quarter = {"direct": 2, "cartesian": 3, "wrap": 4}[a["rule"]], Fraction(1, 2)

    def cosine(angle):
        return plain_wave("c", "1 pi *", (angle.numerator, angle.denominator)) or f"{quotient(angle)} pi * cos"

    def value(index):
        token, c = divmod(index, width)
        lon, lat = (axis[token] for axis in places)
        if a["rule"] == "direct":
            angle = (lat if c else lon) - 1
            return f"{quotient(angle)} pi *" if angle else "0"
        if a["rule"] == "wrap" or c == 2:
            return cosine([lon, lon - quarter, lat, lat - quarter][3 if a["rule"] == "cartesian" else c])
        shifted = lon - quarter if c else lon
        one, other, total = cosine(shifted), cosine(lat), sum_of_cosines(shifted - lat, shifted + lat)
        if "0" in (one, other):
            return "0"
        return times(one, other) if total is None else quotient(total * quarter)

    return [], "1", value


def sphere_code(a, _):
    """Products of waves of the numbers of degrees, taken as radians."""
    if "frequencies" not in a:
        return of_degrees(a)
    places, thetas = points(a["coordinates"]), frequencies(a["frequencies"])[0]
    channels = waves_of_place(a["rule"], len(thetas))

    def angle_of(token, which):
        x, y = (places[axis][token] for axis in (0, 1))
        if which < 2:
            return text(*(x, y)[which]) if (x, y)[which][0] else None
        half = f"{text(-x[0], 2 * x[1])} 3 sqrt {text((1 if which == 2 else -1) * y[0], 2 * y[1])} * +"
        return half if x[0] or y[0] else None

    def value(index):
        token, c = divmod(index, len(channels))
        words = []
        for kind, which, t in channels[c]:
            angle = angle_of(token, which)
            if angle is None and kind == "s":
                return "0"
            if angle:
                words.append(f"{angle} {'' if t is None else f't{t} * '}{WAVES[kind]}")
        return " ".join(one if k == 0 else f"{one} *" for k, one in enumerate(words)) or "1"

    return thetas, "1", value


FUNCTIONS = {
    "sphere_code": (sphere_code, "coordinates rule frequencies"),
    "hyena_features": (hyena_features, "length dim low"),
    "cape_2d": (cape_2d, "coordinates dim radii"),
    "shift_matrix": (shift_matrix, "offset dim base layout endpoint"),
    "integrated_fourier": (integrated_fourier, "mean variance frequencies factor order kinds"),
    "mixed_rope": (mixed_rope, "x positions weight pairing squared_scale"),
}
