"""Elementary functions in ball arithmetic, and whether a float is the nearest to one."""

import math

from flint import arb, ctx

LARGEST = math.ldexp(2 - 2**-52, 1023)


def _sigmoid(x):
    return 1 / ((-x).exp() + 1)


def _softplus(x):
    """x + log(1 + e**-x), of which no digits are lost on either side."""
    return x.exp().log1p() if x < 0 else x + (-x).exp().log1p()


FUNCTIONS = {
    "exp": arb.exp,
    "log": arb.log,
    "log1p": arb.log1p,
    "sigmoid": _sigmoid,
    "tanh": arb.tanh,
    "softplus": _softplus,
    "logsigmoid": lambda x: -_softplus(-x),
    "erf": arb.erf,
}


def is_nearest(name, x, y):
    """Whether y is the float64 nearest to the function of the float64 x; both are finite, or y is an overflow."""
    for precision in (120, 300, 1200):
        ctx.prec = precision
        value = FUNCTIONS[name](arb(x))
        below, above = (_middle(y, side) for side in (-1, 1))
        if below < value < above:
            return True
        if value < below or value > above:
            return False
        if below == value or above == value:
            raise AssertionError(f"{name} of {x!r} is a midpoint, or has no digits left")
    raise AssertionError(f"{name} of {x!r} has no digits left")


def _middle(y, side):
    """The number halfway between y and its neighbour; beyond the largest float half of the spacing below it."""
    neighbour = math.nextafter(y, side * math.inf)
    if math.isinf(y) and side * y < 0:
        return arb(neighbour) + side * -1 * arb(2) ** 970
    if math.isinf(neighbour):
        return arb("inf") * side if math.isinf(y) else arb(y) + side * arb(2) ** 970
    return (arb(y) + arb(neighbour)) / 2


def enclosure(name, x, precision=400):
    """The ball of the function at a float."""
    ctx.prec = precision
    return FUNCTIONS[name](arb(x))


def rounded(name, x):
    """The float64 nearest to the function of a float64."""
    if x != x or math.isinf(x) or (x == 0 and name not in ("softplus", "logsigmoid")):
        return _limit(name, x)
    if abs(x) > 10_000 and name not in ("log", "log1p"):
        linear = (name, x > 0) in (("softplus", True), ("logsigmoid", False))
        return x if linear else _limit(name, math.copysign(math.inf, x))
    ctx.prec = 200
    value = float(FUNCTIONS[name](arb(x)))
    for y in (value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
        if is_nearest(name, x, y):
            return y
    raise AssertionError(f"{name} of {x!r} is none of three floats")


def _limit(name, x):
    """What a function is at 0, at the infinities and at NaN."""
    if x != x:
        return x
    at_zero = {"exp": 1.0, "log": -math.inf, "sigmoid": 0.5}.get(name, x)
    at_top = {"sigmoid": 1.0, "tanh": 1.0, "erf": 1.0, "logsigmoid": -0.0}.get(name, math.inf)
    at_bottom = {"log": math.nan, "log1p": math.nan, "tanh": -1.0, "erf": -1.0, "logsigmoid": -math.inf}.get(name, 0.0)
    return at_zero if x == 0 else at_top if x > 0 else at_bottom
