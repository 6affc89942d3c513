"""Numbers of 8 bits (OFP8) and blocks of them with a scale (OCP MX 1.0, section 6.3): what golden cases claim."""

import biases
import intervals
import rotations
import sinusoids
from formulas import spelled, times
from intervals import LEVELS, need
from positions import product
from sums import copied, elements
from words import known

CALLS = sinusoids.FUNCTIONS | rotations.FUNCTIONS | biases.FUNCTIONS
DEFAULTS = {"alibi": {"convention": "recursive"}, "timestep_embedding": {"max_period": 10000, "scale": 1}}
ARRAYS = {"x", "positions", "position_ids", "timesteps", "weight"}
BLOCK = 32
#: largest number, and the exponent of the power of two below it
LARGEST = {"float8_e4m3fn": (448, 8), "float8_e5m2": (57344, 15)}


def values_of(a):
    """(numbers, factor, the claims) of an array or of a call that is not rounded."""
    if "shape" in a["values"]:
        values = a["values"]["values"]
        return elements(values), "1", lambda index: copied(values, index)
    call = a["values"]
    name, given = call["function"], dict(call["arguments"])
    given |= {key: sinusoids.listed(given[key]) for key in ARRAYS & set(given)}
    given = DEFAULTS.get(name, sinusoids.defaults_of(name)) | given
    function, arguments = CALLS[name]
    known(name, given, arguments)
    if name != "rope_table":
        return function(given, "output")
    (thetas, factor, cos), (_, _, sin) = function(given, "cos"), function(given, "sin")
    count = product(given["positions"]["shape"]) * len(thetas)
    return thetas, factor, lambda index: cos(index) if index < count else sin(index - count)


def within(a, thetas, factor, claim):
    """The claim of a number that is cut to the largest one, or of one that becomes no NaN."""
    largest, _ = LARGEST[a["dtype"]]
    low, high = intervals.value(claim, thetas, factor)[:2]
    unit = intervals.exact(largest)[0]
    if a["saturate"] and (low >= unit or high <= -unit):
        return str(largest if low > 0 else -largest)
    beyond = a["dtype"] == "float8_e4m3fn" and max(abs(low), abs(high)) > intervals.exact(464)[0]
    need(not beyond, "infinity or NaN")
    return claim


def round_float8(a, _):
    thetas, factor, value = values_of(a)
    return thetas, factor, lambda index: within(a, thetas, factor, value(index))


def magnitude(claims, thetas, factor):
    """Of the largest number: (exponent of two, whole sixteenths of the significand, whether something is left)."""
    for level in LEVELS:
        with intervals.Precision(level):
            found = [intervals.value(claim, thetas, factor)[:2] for claim in claims]
            low, high = max(max(x[0], -x[1], 0) for x in found), max(max(x[1], -x[0]) for x in found)
            if high == 0:
                return None
            top = low.bit_length() - 1
            if low == high or (low and low >> top - 4 == high - 1 >> top - 4):
                return top - level, low >> top - 4, low % (1 << top - 4) > 0 or high > low
    raise intervals.Uncovered("a scale that is not decided")


def scale_of(a, claims, thetas, factor):
    """s of a block with the scale 2**s."""
    need("-inf" not in claims, "infinity or NaN")
    found, (_, most) = magnitude(claims, thetas, factor), LARGEST[a["dtype"]]
    if found is None:
        return -127
    exponent, sixteenths, rest = found
    if a["scale_rule"] == "even":  # rounded to 4 or 3 bits
        exponent += sixteenths >= (31 if a["dtype"] == "float8_e4m3fn" else 30)
    elif a["scale_rule"] == "rceil":
        exponent += sixteenths > 28 or (sixteenths == 28 and rest)
    return min(max(exponent - most, -127), 127)


def round_mxfp8(a, output):
    need(output == "elements", "integers, which are not rounded")
    thetas, factor, value = values_of(a)
    scales = {}

    def element(index):
        block = index // BLOCK
        if block not in scales:
            claims = [value(k) for k in range(BLOCK * block, BLOCK * (block + 1))]
            scales[block] = scale_of(a, claims, thetas, factor)
        claim = value(index)
        if claim in ("0", "-0") or scales[block] == 0:
            found = claim
        else:
            found = times(spelled(claim), f"1@{-scales[block]}")
        return within(a | {"saturate": True}, thetas, factor, found)

    return thetas, factor, element


FUNCTIONS = {
    "round_float8": (round_float8, "values dtype saturate"),
    "round_mxfp8": (round_mxfp8, "values dtype scale_rule"),
}
