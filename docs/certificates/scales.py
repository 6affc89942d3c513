"""Rotations whose pairs are scaled by a power of the position (xPos): what their golden cases claim."""

from fractions import Fraction

import intervals
from formulas import less, plain_wave, power, text, times
from frequencies import frequencies
from intervals import need
from positions import number, tokens
from rotations import channel, literal, plain_call, rotated, tokens_of
from sums import quotient

#: the claim of a number beyond 2**1029, which rounds to infinity as it does
HUGE = "1@1029"


def scale(a, dim, places):
    """The function from (place, pair) to zeta_j**((place - centre) / scale_base) as a formula."""
    base, gamma = Fraction(*number(a.get("scale_base", 512))), Fraction(*number(a.get("gamma", {"fraction": [2, 5]})))
    need(gamma > 0, "a gamma that is not above 0")
    length = a.get("length")
    if length is None:
        length = max((Fraction(*place) for place in places), default=0) + 1
    half = Fraction(length) * Fraction(1, 2)
    floor, ceiling = half.numerator // half.denominator, -(-half.numerator // half.denominator)
    centre = floor if a["centring"] == "floor" else ceiling

    def of_pair(place, j):
        zeta = Fraction(2 * j + gamma * dim, (1 + gamma) * dim)
        exponent = Fraction(Fraction(*place) - centre, base) * (-1 if a.get("downscale") else 1)
        ratio = f"{zeta.denominator} {zeta.numerator} / ln"
        if exponent < 0 and zeta < 1 and less("760", f"{ratio} {quotient(-exponent)} *"):
            return HUGE
        return power((zeta.numerator, zeta.denominator), exponent.numerator, exponent.denominator)

    return of_pair


def xpos_scale(a, _):
    half, (_, (places,)) = a["dim"] // 2, tokens(a["positions"], False)
    of_pair = scale(a, a["dim"], places)
    return [], "1", lambda index: of_pair(places[index // half], index % half)


def xpos_table(a, output):
    thetas, _, factor = frequencies(a["frequencies"])
    _, (places,) = tokens(a["positions"], False)
    of_pair, kind = scale(a, 2 * len(thetas), places), output[0]

    def value(index):
        row, j = divmod(index, len(thetas))
        found = plain_wave(kind, thetas[j], places[row])
        if found == "0":
            return "0"
        wave = found or f"{text(*places[row])} t{j} * {output}"
        return times(times(wave, of_pair(places[row], j)), "1" if factor == "1" else "f")

    return thetas, factor, value


def xpos(a, _):
    """Rotated pairs times their scale; channels behind them stay as they are."""
    x, sizes = a["x"]["values"], a["x"]["shape"]
    call = plain_call(a, a.get("rotary_dim", sizes[-1]))
    (thetas, axes, factor), (shape, places) = frequencies(call), tokens(a["positions"], False)
    token_of, turn = tokens_of(sizes, shape, a.get("seq_axis", -2)), -1 if a.get("inverse") else 1
    of_pair = scale(a, 2 * len(thetas), places[0])

    def value(index):
        vector, c = divmod(index, sizes[-1])
        if c >= 2 * len(thetas):
            return literal(x[index])
        i, second, other = channel(c, len(thetas), a["pairing"], axes)
        partner, sign = x[vector * sizes[-1] + other], turn if second else -turn
        partner, place = partner and (sign * partner[0], partner[1]), places[0][token_of(vector)]
        found = rotated(x[index], partner, thetas[i], place, i, "1")
        if found in ("0", "-0"):
            return found
        if found.startswith("r "):
            own, other, angle = text(*x[index]), text(*partner), f"t{i} {text(*place)} *"
            found = f"{own} {angle} cos * {other} {angle} sin * +"
        zeta = of_pair(place, i)
        if zeta == HUGE:
            return beyond(found, thetas[i])
        return times(times(found, zeta), "1" if factor == "1" else "f")

    return thetas, factor, value


def beyond(found, theta):
    """The claim of a number of more than 2**-50 in magnitude times one of more than 2**1096."""
    low, high = intervals.evaluated(found, lambda _: intervals.formula(theta))[:2]
    least = intervals.exact(1, 1 << 50)[0]
    need(low > least or high < -least, "a number of unknown size times one beyond 2**1096")
    return HUGE if low > 0 else f"-{HUGE}"


SCALE = "positions centring downscale length scale_base gamma"
FUNCTIONS = {
    "xpos_scale": (xpos_scale, SCALE + " dim"),
    "xpos_table": (xpos_table, SCALE + " frequencies"),
    "xpos": (xpos, SCALE + " x pairing frequencies base rotary_dim inverse seq_axis"),
}
