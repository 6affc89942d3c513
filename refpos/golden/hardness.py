"""How hard a case is: how close its exact values come to a rounding boundary.

The hardness of a tensor is the largest whole k for which some exact value lies within 2**-k units in the last place of
the middle between two neighbours: about k bits more than the format holds are needed to round it right. Exact middles,
which only rational values have, are counted apart as ties.
"""

from fractions import Fraction
from math import floor

import numpy as np

from .. import catalogue
from ..arithmetic import formats, reals
from ..encodings.alibi_slopes import exponents, significand
from ..frequencies.yarn import softmax_scale
from ..steps import axis_runs, bias, phases, positions, token_positions
from ..steps import frequencies as steps
from .run import argument, arguments_of, outputs_of

BITS = 192
_WORDS = ("dtype", "positions")  # arguments that are no parameters of a formula
_WIDE = formats.FORMATS["float64"]


def hardness(case, tensors, outputs):
    """{output name: {"bits": k, "ties": count}}, or None for copies, whole numbers, and float64 without an account."""
    real = [name for name, tensor in outputs.items() if tensor.dtype != "int64"]
    found = dict.fromkeys(outputs)
    if case.suite == "t5_bias" or not real:
        return found
    fmt = formats.FORMATS[outputs[real[0]].dtype]
    scaling = catalogue.find(case.suite).family == "frequencies"
    account = _frequencies if scaling else _EXACT.get(case.suite)
    if account and (fmt is _WIDE or scaling or case.suite in _ALWAYS_EXACT):
        reached = list(account(case, tensors))
        return {**found, **{name: _of_integers(reached, name, fmt) for name in real}}
    if fmt is _WIDE or "dtype" not in arguments_of(case) and "x" not in tensors:
        return found
    wide = outputs_of(case, dtype="float64")
    return {name: _of_floats(tensor.values, fmt) for name, tensor in wide.items()}


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


def _of_integers(found, name, fmt):
    """From exact values (which output, n, error, shift): (n +- error) * 2**-shift; error 0 says that it is exact."""
    hardest, ties = 1, 0
    for which, n, error, shift in found:
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


def _waves(where, frequencies, rows=None):
    for row in range(rows if rows is not None else _count(where)):
        multiplier, exponent = where.at(row)
        for i in range(len(frequencies) if multiplier else 0):
            cos, sin, error = phases.cos_sin(frequencies, i, multiplier, exponent, BITS)
            yield row, i, cos, sin, error


def _count(where):
    return int(np.prod(where.shape, dtype=np.int64))


def _as_outputs(waves, cos, sin):
    for _, _, c, s, error in waves:
        yield cos, c, error, BITS
        yield sin, s, error, BITS


def _positions(case, tensors):
    given = tensors.get("positions")
    return positions.read(case.arguments["positions"] if given is None else given.values)


def _sinusoidal(case, tensors):
    found = arguments_of(case)
    dim = found["dim"] - (found["dim"] % 2 if found["odd"] == "pad" else 0)
    base, scale = (Fraction(argument(found[name])) for name in ("base", "position_scale"))
    ladder = steps.sinusoid_ladder(dim, base, found["endpoint"], scale)
    return list(_as_outputs(_waves(_positions(case, tensors), ladder), "output", "output"))


def _sincos_2d(case, tensors):
    found = arguments_of(case)
    ladder = steps.sinusoid_ladder(found["dim"] // 2, Fraction(argument(found["base"])), found["endpoint"])
    where = positions.read(max(found["height"], found["width"]))
    return list(_as_outputs(_waves(where, ladder), "output", "output"))


def _places(case, tensors, frequencies):
    """Positions along each axis, a grid as the sequence of its cells."""
    given = tensors.get("positions")
    return token_positions.along_sequence(
        token_positions.read(argument(case.arguments["positions"]) if given is None else given.values, frequencies)
    )


def _turned(places, frequencies):
    """(row, pair, turns, cos, sin, error): turns where the phase is a fraction of a turn, else None."""
    for i, axis in enumerate(frequencies.axes or (0,) * len(frequencies)):
        where = places.axes[axis]
        # a fraction that the positions count is counted by the frequencies
        moved = axis_runs.in_units(frequencies, where.unit)
        for row in range(_count(where)):
            at = where.at(row)
            wave = _times_factor(moved.factor, *phases.cos_sin(moved, i, *at, BITS))
            yield row, i, phases.rational_turns(moved, i, *at), *wave


def _times_factor(factor, cos, sin, error):
    if factor.rational == 1:
        return cos, sin, error
    factor = factor.fixed(BITS)
    # each product is off by (error * factor + 1 * |cos|) * 2**-BITS, and cut
    return cos * factor >> BITS, sin * factor >> BITS, (error * (abs(factor) + 1) >> BITS) + 3


def _rope_table(case, tensors):
    frequencies = argument(case.arguments["frequencies"])
    for _, _, turns, cos, sin, error in _turned(_places(case, tensors, frequencies), frequencies):
        for name, n, of_cos, of_sin in ("cos", cos, 1, 0), ("sin", sin, 0, 1):
            yield name, *_sum_of(n, error, BITS, of_cos, of_sin, turns, frequencies.factor)


def _sum_of(n, error, shift, of_cos, of_sin, turns, factor):
    """(n, error, shift) of factor (of_cos cosine + of_sin sine) / 2**(shift - BITS), exactly where it is a fraction."""
    known = None if turns is None else phases.exact_product(factor, of_cos, of_sin, turns)
    return (n, error, shift) if known is None else _whole_or_near(Fraction(known) / 2 ** (shift - BITS))


def _whole_or_near(value):
    """(n, error, shift) of a fraction; error 0 where its denominator is a power of two."""
    shift = value.denominator.bit_length() - 1
    if value.denominator == 1 << shift:
        return value.numerator, 0, shift
    return (value.numerator << 2 * BITS) // value.denominator, 1, 2 * BITS


def _frequencies(case, tensors):
    given = {name: argument(value) for name, value in arguments_of(case).items() if name != "dtype"}
    made = catalogue.find(case.suite).function(**given, **{name: tensor.values for name, tensor in tensors.items()})
    for i, n in enumerate(made.fixed(BITS * 2)):
        value = made.rational(i)
        yield catalogue.find(case.suite).outputs[0], *((n, 1, BITS * 2) if value is None else _whole_or_near(value))
    factor = made.factor
    known = (factor.fixed(BITS), 1, BITS) if factor.rational is None else _whole_or_near(factor.rational)
    yield "attention_factor", *known


def _attention_temperature(case, tensors):
    found = {name: Fraction(argument(value)) for name, value in arguments_of(case).items() if name not in _WORDS}
    where = _positions(case, tensors)
    numbers = set()
    for row in range(_count(where)):
        multiplier, exponent = where.at(row)
        numbers.add(floor((multiplier * Fraction(2) ** exponent + found["shift"]) / found["floor_scale"]))
    for number in sorted(numbers - {0}):
        value = reals.evaluated(lambda digits, n=number + 1: found["attn_scale"] * digits.log(n) + 1)
        yield "output", value.fixed(BITS), 1, BITS


def _yarn_softmax_scale(case, tensors):
    found = arguments_of(case)
    once = softmax_scale(*(Fraction(argument(found[name])) for name in ("factor", "mscale_all_dim")))
    if once.rational is None:
        value = reals.evaluated(lambda digits: digits.of(once) * digits.of(once))
        yield "output", value.fixed(BITS), 1, BITS


def _rope(case, tensors):
    found = arguments_of(case)
    x = tensors["x"].values
    width = found.get("rotary_dim", x.shape[-1])
    given = found.get("frequencies")
    frequencies = argument(given) if given else steps.rotary_ladder(width, argument(found["base"]))
    places = _places(case, tensors, frequencies)
    axis = found["seq_axis"] % x.ndim
    lead = len(places.shape) - 1
    index = np.arange(np.prod(places.shape, dtype=np.int64), dtype=np.int64)
    index = index.reshape(*places.shape[:-1], *[1] * (axis - lead), -1, *[1] * (x.ndim - 2 - axis))
    row_of = np.broadcast_to(index, x.shape[:-1]).reshape(-1)
    table = {(row, i): wave for row, i, *wave in _turned(places, frequencies)}
    pairs = list(_pairs(frequencies, found["pairing"]))
    sign = -1 if found["inverse"] else 1
    for row, values in zip(row_of.tolist(), x.reshape(-1, x.shape[-1]).tolist()):
        for i, pair in pairs:
            turns, cos, sin, error = table[row, i]
            (a, a_shift), (b, b_shift) = (_whole(values[k]) for k in pair)
            shift = max(a_shift, b_shift)
            a, b = a << shift - a_shift, b << shift - b_shift
            slack = (abs(a) + abs(b)) * error
            for p, q in (a, -b * sign), (b, a * sign):
                yield "output", *_sum_of(p * cos + q * sin, slack, BITS + shift, p, q, turns, frequencies.factor)


def _pairs(frequencies, pairing):
    """(i, its two channels) for each pair."""
    for run in axis_runs.runs(frequencies):
        start, stop = run.pairs.start, run.pairs.stop
        for i in range(len(frequencies))[run.pairs]:
            if pairing == "block-half":
                yield i, (start + i, start + i + stop - start)
            else:
                yield i, (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + len(frequencies))


def _whole(value):
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def _slopes(case, distances):
    found = arguments_of(case)
    powers = exponents(found["num_heads"], found["convention"], Fraction(argument(found["max_bias"])))
    for power in powers:
        whole, part = floor(power), power - floor(power)
        n, error = (1, 0) if not part else (significand(part, BITS), 2)
        for distance in distances:
            yield "output", n * distance, error * abs(distance), whole + (BITS if part else 0)


def _alibi_slopes(case, tensors):
    return _slopes(case, [1])


def _alibi(case, tensors):
    found = arguments_of(case)
    queries, keys = found["query_len"], found["key_len"]
    offset = found.get("query_offset", keys - queries)
    relative = bias.relative_positions(queries, keys, offset)
    if found["mode"] == "causal":
        relative = relative[relative <= 0]
    return _slopes(case, np.unique(np.abs(relative)).tolist())


_EXACT = {
    "sinusoidal": _sinusoidal,
    "sincos_2d": _sincos_2d,
    "rope_table": _rope_table,
    "attention_temperature": _attention_temperature,
    "yarn_softmax_scale": _yarn_softmax_scale,
    "rope": _rope,
    "alibi_slopes": _alibi_slopes,
    "alibi": _alibi,
}
_ALWAYS_EXACT = ("attention_temperature", "yarn_softmax_scale", "alibi_slopes", "alibi")
