"""How hard a case is: how close its exact values come to a rounding boundary.

The hardness of a tensor is the largest integer k for which some exact value lies within 2**-k units in the last place
of the middle between two neighbours: about k bits more than the format holds are needed to round it correctly. Values
exactly in the middle, which only rational values can be, are counted apart as ties.
"""

from fractions import Fraction
from math import floor, isfinite

import numpy as np

from .. import catalogue
from ..absolute.sinusoidal import divided
from ..arithmetic import formats, reals
from ..frequencies.yarn import softmax_scale
from ..relative.alibi_slopes import exponents, significand
from ..steps.angles import axis_runs, phases
from ..steps.angles.frequencies import rotary_inv_freq, sinusoid_inv_freq
from ..steps.angles.phases import Angle
from ..steps.distances import bias
from ..steps.positions.exact_positions import read_positions
from ..steps.waves.rotary_arguments import read_token_positions
from .run import argument, arguments_of, outputs_of

BITS = 192
_FLOAT64 = formats.FORMATS["float64"]

#: {function: what yields the exact values of a case, as `_of_integers` reads them}
EXACT_VALUES = {}
#: those of them that are fast, or have ties, so that narrow formats are judged by them too
ALWAYS_EXACT = set()


def exact_values(name, always=False):
    """Enter the decorated generator as the exact values of that function."""

    def enter(function):
        EXACT_VALUES[name] = function
        ALWAYS_EXACT.update({name} if always else ())
        return function

    return enter


def hardness(case, tensors, outputs):
    """{output name: {"bits": k, "ties": count}}.

    None for copies, for integers, and for float64 where the exact values of the function are not entered here.
    """
    entry = catalogue.find(case.suite)
    real = [name for name, tensor in outputs.items() if tensor.dtype != "int64"]
    by_output = dict.fromkeys(outputs)
    if entry.copies or not real:
        return by_output
    fmt = formats.FORMATS[outputs[real[0]].dtype]
    if entry.family == "frequencies":
        values = _frequencies
    else:
        values = EXACT_VALUES.get(case.suite)
    if values and (fmt is _FLOAT64 or entry.family == "frequencies" or case.suite in ALWAYS_EXACT):
        return {**by_output, **_of_exact(values, case, tensors, real, fmt)}
    asked = "dtype" in arguments_of(case)
    # a cotangent has the dtype that is asked for
    in_float64 = "x" in tensors and not asked if entry.is_vjp else "x" in tensors or asked
    if fmt is _FLOAT64 or not in_float64:
        return by_output
    wide = outputs_of(case, dtype="float64")
    found = {name: _of_floats(tensor.values, fmt) for name, tensor in wide.items()}
    if values and any(one["ties"] for one in found.values()):  # of floats that may only be next to a midpoint
        found |= _of_exact(values, case, tensors, real, fmt)
    return found


def _of_exact(values, case, tensors, names, fmt):
    exact = list(values(case, tensors))
    return {name: _of_integers(exact, name, fmt) for name in names}


def _of_floats(values, fmt):
    """From values in float64, each the exact value rounded once: good to 2**-28 units of the narrower formats."""
    values = values[np.isfinite(values)]
    exponent = np.maximum(np.frexp(values)[1] - fmt.precision, fmt.lowest)
    scaled = np.abs(np.ldexp(values, -exponent))
    distance = np.abs(scaled - np.floor(scaled) - 0.5)
    ties = int((distance == 0).sum())
    distance = distance[distance > 0]
    bits = -int(np.frexp(distance.min())[1]) if distance.size else 1
    return {"bits": max(bits, 1), "ties": ties}


def _of_integers(exact, name, fmt):
    """From exact values (which output, n, error, shift): (n +- error) * 2**-shift; error 0 says that it is exact."""
    hardest, ties = 1, 0
    for which, n, error, shift in exact:
        n = abs(n)
        if which not in (name, "output") or not n:
            continue
        drop = max(n.bit_length() - shift - fmt.precision, fmt.lowest) + shift
        if drop <= 0:
            continue
        distance = abs((n & (1 << drop) - 1) - (1 << drop - 1))
        if distance <= error:
            ties += not error
            continue
        hardest = max(hardest, drop - distance.bit_length())
    return {"bits": hardest, "ties": ties}


def _cosines_and_sines(axis, frequencies):
    """Cosines and sines that are all of one output."""
    for row in range(_count(axis)):
        multiplier, exponent = axis.at(row)
        for i in range(len(frequencies) if multiplier else 0):
            cos_and_sin = phases.cos_sin(Angle(frequencies, i, multiplier, exponent), BITS)
            cos, sin, error = _times_factor(frequencies.factor, *cos_and_sin)
            yield "output", cos, error, BITS
            yield "output", sin, error, BITS


def _count(axis):
    return int(np.prod(axis.shape, dtype=np.int64))


def _positions(case, tensors):
    """The positions of a case as the argument of a call."""
    return tensors["positions"].values if "positions" in tensors else argument(case.arguments["positions"])


@exact_values("sinusoidal")
def _sinusoidal(case, tensors):
    arguments = arguments_of(case)
    dim = arguments["dim"] - (arguments["dim"] % 2 if arguments["odd"] == "pad" else 0)
    base, scale = (Fraction(argument(arguments[name])) for name in ("base", "position_scale"))
    frequencies = sinusoid_inv_freq(dim, base, arguments["endpoint"], scale)
    frequencies = divided(frequencies, arguments["dim"], arguments.get("divisor"))
    return _cosines_and_sines(read_positions(_positions(case, tensors)), frequencies)


@exact_values("sincos_2d")
def _sincos_2d(case, tensors):
    arguments = arguments_of(case)
    frequencies = sinusoid_inv_freq(arguments["dim"] // 2, Fraction(argument(arguments["base"])), arguments["endpoint"])
    return _cosines_and_sines(read_positions(max(arguments["height"], arguments["width"])), frequencies)


def _tokens(case, tensors, frequencies):
    """Positions along each axis, a grid as the sequence of its cells."""
    return read_token_positions(_positions(case, tensors), frequencies).along_sequence()


def _phases_of(tokens, frequencies):
    """(row, pair, turns, cos, sin, error): turns where the phase is a fraction of a turn, else None."""
    for i, number in enumerate(frequencies.axes or (0,) * len(frequencies)):
        axis = tokens.axes[number]
        # a fraction that the positions count is counted by the frequencies
        counted = axis_runs.in_units(frequencies, axis.unit)
        for row in range(_count(axis)):
            at = axis.at(row)
            cos_and_sin = _times_factor(counted.factor, *phases.cos_sin(Angle(counted, i, *at), BITS))
            yield row, i, phases.rational_turns(Angle(counted, i, *at)), *cos_and_sin


def _times_factor(factor, cos, sin, error):
    if factor.rational == 1:
        return cos, sin, error
    factor = factor.fixed(BITS)
    # each product is off by (error * factor + 1 * |cos|) * 2**-BITS, and cut
    return cos * factor >> BITS, sin * factor >> BITS, (error * (abs(factor) + 1) >> BITS) + 3


@exact_values("rope_table")
def _rope_table(case, tensors):
    frequencies = argument(case.arguments["frequencies"])
    for _, _, turns, cos, sin, error in _phases_of(_tokens(case, tensors, frequencies), frequencies):
        for name, n, of_cos, of_sin in ("cos", cos, 1, 0), ("sin", sin, 0, 1):
            yield name, *_sum_of(n, error, BITS, of_cos, of_sin, turns, frequencies.factor)


def _sum_of(n, error, shift, of_cos, of_sin, turns, factor):
    """(n, error, shift) of factor (of_cos cosine + of_sin sine) / 2**(shift - BITS), exactly where it is a fraction."""
    exact = None if turns is None else phases.exact_product(factor, of_cos, of_sin, turns)
    return (n, error, shift) if exact is None else _of_fraction(Fraction(exact) / 2 ** (shift - BITS))


def _of_fraction(value):
    """(n, error, shift) of a fraction; error 0 where its denominator is a power of two."""
    shift = value.denominator.bit_length() - 1
    if value.denominator == 1 << shift:
        return value.numerator, 0, shift
    return (value.numerator << 2 * BITS) // value.denominator, 1, 2 * BITS


def _frequencies(case, tensors):
    entry = catalogue.find(case.suite)
    arguments = {name: argument(value) for name, value in arguments_of(case).items() if name != "dtype"}
    frequencies = entry.function(**arguments, **{name: tensor.values for name, tensor in tensors.items()})
    for i, n in enumerate(frequencies.fixed(BITS * 2)):
        value = frequencies.rational(i)
        yield entry.outputs[0], *((n, 1, BITS * 2) if value is None else _of_fraction(value))
    factor = frequencies.factor
    exact = (factor.fixed(BITS), 1, BITS) if factor.rational is None else _of_fraction(factor.rational)
    yield "attention_factor", *exact


@exact_values("attention_temperature", always=True)
def _attention_temperature(case, tensors):
    arguments = arguments_of(case)
    scale, step, shift = (Fraction(argument(arguments[name])) for name in ("attn_scale", "floor_scale", "shift"))
    axis = read_positions(_positions(case, tensors))
    numbers = set()
    for row in range(_count(axis)):
        multiplier, exponent = axis.at(row)
        numbers.add(floor((multiplier * Fraction(2) ** exponent + shift) / step))
    for number in sorted(numbers - {0}):
        value = reals.evaluated(lambda digits, n=number + 1: scale * digits.log(n) + 1)
        yield "output", value.fixed(BITS), 1, BITS


@exact_values("yarn_softmax_scale", always=True)
def _yarn_softmax_scale(case, tensors):
    arguments = arguments_of(case)
    once = softmax_scale(*(Fraction(argument(arguments[name])) for name in ("factor", "mscale_all_dim")))
    if once.rational is None:
        value = reals.evaluated(lambda digits: digits.of(once) * digits.of(once))
        yield "output", value.fixed(BITS), 1, BITS


@exact_values("rope")
def _rope(case, tensors):
    arguments, x = arguments_of(case), tensors["x"].values
    frequencies = _frequencies_of_rope(arguments, x.shape[-1])
    tokens = _tokens(case, tensors, frequencies)
    table = {(row, i): phase for row, i, *phase in _phases_of(tokens, frequencies)}
    pairs = list(_pairs(frequencies, arguments["pairing"]))
    sign = -1 if arguments["inverse"] else 1
    rows = _row_of_each_token(tokens.shape, x.shape, arguments["seq_axis"])
    for row, values in zip(rows, x.reshape(-1, x.shape[-1]).tolist()):
        for i, pair in pairs:
            if not all(map(isfinite, (values[k] for k in pair))):
                continue  # by IEEE arithmetic
            turns, cos, sin, error = table[row, i]
            (a, a_shift), (b, b_shift) = (_as_integer_and_shift(values[k]) for k in pair)
            shift = max(a_shift, b_shift)
            a, b = a << shift - a_shift, b << shift - b_shift
            slack = (abs(a) + abs(b)) * error
            for p, q in (a, -b * sign), (b, a * sign):
                yield "output", *_sum_of(p * cos + q * sin, slack, BITS + shift, p, q, turns, frequencies.factor)


def _frequencies_of_rope(arguments, dim):
    if "frequencies" in arguments:
        return argument(arguments["frequencies"])
    return rotary_inv_freq(arguments.get("rotary_dim", dim), argument(arguments["base"]))


def _row_of_each_token(positions_shape, x_shape, seq_axis):
    """Which row of the positions each vector of x takes, in the order of x."""
    axis, lead = seq_axis % len(x_shape), len(positions_shape) - 1
    index = np.arange(np.prod(positions_shape, dtype=np.int64), dtype=np.int64)
    index = index.reshape(*positions_shape[:-1], *[1] * (axis - lead), -1, *[1] * (len(x_shape) - 2 - axis))
    return np.broadcast_to(index, x_shape[:-1]).reshape(-1).tolist()


def _pairs(frequencies, pairing):
    """(i, its two channels) for each pair."""
    for run in axis_runs.runs(frequencies):
        block = axis_runs.block(frequencies, run.pairs) if pairing == "block-half" else None
        for i in range(len(frequencies))[run.pairs]:
            if block is not None:
                yield i, (block.start + i, block.stop + i)
            else:
                yield i, (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + len(frequencies))


def _as_integer_and_shift(value):
    """n and s of a float n * 2**-s."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def _slopes(case, distances):
    arguments = arguments_of(case)
    max_bias = Fraction(argument(arguments["max_bias"]))
    for power in exponents(arguments["num_heads"], arguments["convention"], max_bias):
        shift, part = floor(power), power - floor(power)
        n, error = (1, 0) if not part else (significand(part, BITS), 2)
        for distance in distances:
            yield "output", n * distance, error * abs(distance), shift + (BITS if part else 0)


@exact_values("alibi_slopes", always=True)
def _alibi_slopes(case, tensors):
    return _slopes(case, [1])


@exact_values("alibi", always=True)
def _alibi(case, tensors):
    arguments = arguments_of(case)
    queries, keys = arguments["query_len"], arguments["key_len"]
    relative = bias.relative_positions(queries, keys, arguments.get("query_offset", keys - queries))
    if arguments["mode"] == "causal":
        relative = relative[relative <= 0]
    return _slopes(case, np.unique(np.abs(relative)).tolist())
