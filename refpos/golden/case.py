"""A golden case as plain data, and the few words its inputs are written in.

A case says everything in integers, names and exact values, so that its arrays can be made anew on any machine.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ..arithmetic import formats, rounding
from ..guard import guarded
from ..tensor_files import Tensor

Tier = Literal["core", "extended", "full"]
TIERS = get_args(Tier)
#: what may be asked for: a tier, or the choice of core cases in `starter`
TierName = Literal["starter", Tier]
TIER_NAMES = get_args(TierName)


class Values(NamedTuple):
    """An input tensor: the rule that makes it, its element type and shape, and what the rule needs."""

    rule: str
    dtype: str
    shape: tuple[int, ...]
    parameters: tuple[Any, ...] = ()


@guarded
@dataclass(frozen=True)
class Case:
    """One call of a catalogue function: its arguments, its input tensors, and what a failure would mean.

    `refusal` is None, or the (code, argument) with which the call must be refused.
    """

    id: str
    about: str
    arguments: dict[str, Any]
    inputs: dict[str, Values]
    flags: tuple[str, ...]
    tier: Tier
    source: dict[str, str]
    refusal: tuple[str, str] | None = None

    @property
    def suite(self) -> str:
        """Name of the suite, which is the name of the function."""
        return self.id.partition("/")[0]


def paper(citation):
    """Provenance: the paper that defines the values."""
    return {"paper": citation}


def project(name, version, file, function=None):
    """Provenance: the code of a project, pinned, that uses these parameters."""
    source = {"project": name, "version": version, "file": file}
    return source if function is None else {**source, "function": function}


def suite(name, source):
    """Two functions that make the value cases and the error cases of one suite."""

    def value(slug, about, *, flags=(), tier="core", source=source, inputs=(), **arguments):
        return Case(f"{name}/{slug}", about, arguments, dict(inputs), tuple(sorted(flags)), tier, source)

    def refused(slug, about, code, argument, *, source=source, inputs=(), **arguments):
        return Case(f"{name}/refused-{slug}", about, arguments, dict(inputs), (), "core", source, (code, argument))

    return value, refused


# -- arguments --------------------------------------------------------------------------------------------------------


def call(function, **arguments):
    """An argument that is the result of a function of the catalogue, or of coordinates along an axis."""
    return {"function": function, "arguments": arguments}


def grid(*coordinates):
    """The cells of a grid: for each axis a size, or a call of a function of `refpos.coordinates`."""
    return call("grid", coordinates=list(coordinates))


def fraction(numerator, denominator):
    """An argument that is a fraction."""
    return {"fraction": [numerator, denominator]}


# -- input tensors ----------------------------------------------------------------------------------------------------


def listed(values, dtype="int64", shape=None):
    """The values written out; floats are exactly what they are and must be values of the element type."""
    return Values("listed", dtype, (len(values),) if shape is None else tuple(shape), tuple(values))


def counting(start, count, step=1):
    """Integers start, start + step, ... as int64."""
    return Values("counting", "int64", (count,), (start, step))


def scattered(dtype, shape, seed, spread=4):
    """Numbers between -2**spread and 2**spread with full significands, from a counter (see `mixed`)."""
    return Values("scattered", dtype, tuple(shape), (seed, spread))


def skew(dtype, shape, seed, spread=0):
    """Skew-symmetric matrices: `scattered` numbers above the diagonal, their negatives below."""
    return Values("skew", dtype, tuple(shape), (seed, spread))


def tiny(dtype, shape, seed):
    """Subnormal numbers of either sign: up to 7 bits times the smallest one, zeros of both signs among them."""
    return Values("tiny", dtype, tuple(shape), (seed,))


def extreme(dtype, shape):
    """The largest finite number and 0 in turn, both signs, so that no sum leaves the range by more than rounding."""
    return Values("extreme", dtype, tuple(shape))


def cancelling(dtype, shape):
    """Pairs (sin, cos) of the angle they will be rotated by: the first result nearly cancels. Made by the table
    itself."""
    return Values("cancelling", dtype, tuple(shape))


def mixed(count, seed):
    """`count` well mixed 64-bit numbers: the splitmix64 finaliser of seed * 2**32 + 1, + 2, ... times the golden
    ratio."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed << 32)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        return z ^ z >> np.uint64(31)


@guarded
def build(values, case):
    """The tensor that a `Values` describes."""
    return Tensor(values.dtype, _RULES[values.rule](values, case).reshape(values.shape))


def _listed(values, case):
    if values.dtype in formats.FORMATS:
        return rounding.narrow(np.array(values.parameters, np.float64), formats.FORMATS[values.dtype]).view(
            _native(values.dtype)
        )
    return np.array(values.parameters, _native(values.dtype))


def _counting(values, case):
    start, step = values.parameters
    return start + step * np.arange(values.shape[0], dtype=np.int64)


def _scattered(values, case):
    seed, spread = values.parameters
    fmt = formats.FORMATS[values.dtype]
    z = mixed(math.prod(values.shape), seed)
    # precision bits from the top, a sign and a power of two from the bottom: exact in the format
    sign = 1 - 2 * (z >> np.uint64(2) & np.uint64(1)).astype(np.int64)
    significand = (z >> np.uint64(64 - fmt.precision)).astype(np.int64) * sign
    power = (z & np.uint64(3)).astype(np.int32) + (spread - 3 - fmt.precision)  # ldexp takes no int64 everywhere
    return _stored(np.ldexp(significand.astype(np.float64), power), values.dtype)


def _skew(values, case):
    fmt = formats.FORMATS[values.dtype]
    upper = np.triu(rounding.widen(_scattered(values, case).reshape(values.shape), fmt), 1)
    return _stored(upper - upper.swapaxes(-1, -2), values.dtype)


def _tiny(values, case):
    fmt = formats.FORMATS[values.dtype]
    z = mixed(math.prod(values.shape), *values.parameters)
    magnitude = z >> np.uint64(57) & np.uint64(127) >> (z & np.uint64(7))
    pattern = magnitude | (z >> np.uint64(3) & np.uint64(1)) << np.uint64(fmt.width - 1)
    return pattern.astype(f"u{fmt.width // 8}").view(_native(values.dtype))


def _extreme(values, case):
    fmt = formats.FORMATS[values.dtype]
    largest = fmt.nan - (1 << fmt.precision - 2) - 1  # the pattern just below infinity
    cycle = np.array([largest, 0, 0, largest | 1 << fmt.width - 1], np.uint64).astype(f"u{fmt.width // 8}")
    return np.resize(cycle, values.shape).view(_native(values.dtype))


def _cancelling(values, case):
    from ..frequencies.inverse_frequencies import inverse_frequencies
    from ..rotary.rope_table import rope_table

    fmt = formats.FORMATS[values.dtype]
    width = values.shape[-1]
    positions = build(case.inputs["positions"], case).values
    frequencies = inverse_frequencies(width, base=case.arguments.get("base", 10000))
    pair = [np.empty((len(positions), width // 2), fmt.storage) for _ in range(2)]
    cos, sin = rope_table(positions, frequencies, dtype=fmt.name, out=pair if fmt.width > 16 else _tagged(pair, fmt))
    rows = np.empty(values.shape, fmt.storage)
    first, second = (
        (slice(0, width, 2), slice(1, width, 2))
        if case.arguments["pairing"] == "interleaved"
        else (slice(0, width // 2), slice(width // 2, width))
    )
    rows[..., first], rows[..., second] = sin.view(fmt.storage), cos.view(fmt.storage)
    return rows.view(_native(values.dtype))


def _tagged(pair, fmt):
    # float16 is asked for as float16, bfloat16 as patterns
    return tuple(pair) if fmt.name == "bfloat16" else tuple(array.view(np.float16) for array in pair)


def _stored(values, dtype):
    return rounding.narrow(values, formats.FORMATS[dtype]).view(_native(dtype))


def _native(dtype):
    return np.dtype("uint16" if dtype == "bfloat16" else dtype)


_RULES = {
    "listed": _listed,
    "counting": _counting,
    "scattered": _scattered,
    "skew": _skew,
    "tiny": _tiny,
    "extreme": _extreme,
    "cancelling": _cancelling,
}
