"""Tensors of rotations: frequencies (inv_freq), and caches of their cosines and sines."""

import math

import numpy as np

from ..arithmetic import formats, rounding
from ..catalogue import find
from ..conformance.derivations.exact_inputs import exact_values
from .finding import Finding
from .held import held_against, shape_finding
from .rotations import call_of, is_of_rotation, meant_by, on_one_axis

NO_ROTATION = "not described: the configuration describes no rotation for it"
NO_CALL = "not described: no bounds are derived for the frequencies of this rotation"
OTHER_PAIRS = "2i and 2i + 1 have one angle, as for interleaved pairs"
#: positions whose rows are held against a cache at a time
ROWS = 1 << 12


def best(findings):
    """The first finding of a tensor that is right or fits, else the first one; a tensor may belong to several
    rotations."""
    findings = list(findings)
    good = [one for one in findings if one.state in ("right", "fits")]
    return (good or findings)[0]


# -- frequencies ------------------------------------------------------------------------------------------------------


def frequencies_finding(stored, config):
    """The `Finding` of a tensor of frequencies."""
    meant = meant_by(stored.name, config, stored.beside)
    fitting = [one for one in meant if _is_shape_of(stored.shape, one.rotary.frequencies)]
    is_of_any_part = "." not in stored.name and config is not None and len(config.parts) > 1
    if not fitting and (not meant or is_of_any_part or not is_of_rotation(stored.name)):
        return Finding(stored.name, "not described", NO_ROTATION)
    tensor = stored.read() if fitting else None
    if tensor is None:
        shape = _without_ones(stored.shape)
        expected = shape if fitting else (len(meant[0].rotary.frequencies),)
        return shape_finding(stored.name, (fitting or meant)[0].label, shape, expected)
    return best(_of_one(stored, tensor, one) for one in fitting)


def _is_shape_of(shape, frequencies):
    """Whether a tensor has one axis, beside others of size 1, with as many numbers as the rotation has frequencies."""
    return _without_ones(shape) in [(count,) for count in _counts(frequencies)]


def _without_ones(shape):
    return tuple(size for size in shape if size != 1) or (1,)


def _counts(frequencies):
    """How many numbers a tensor of these frequencies may have: all, or those of one axis where all axes have the
    same."""
    axes = frequencies.axes
    counts = [len(frequencies)]
    if axes is not None:
        sizes = {axes.count(axis) for axis in axes}
        counts += [*sizes] if len(sizes) == 1 and len({*axes}) > 1 else []
    return counts


def _of_one(stored, tensor, meant):
    frequencies = meant.rotary.frequencies
    values = exact_values(tensor).reshape(-1)
    exact = frequencies.inv_freq
    if len(values) != len(exact):
        exact = exact[[one == frequencies.axes[0] for one in frequencies.axes]]
    narrow = _rounded_to(tensor, values, exact)
    if narrow is not None:
        return Finding(stored.name, "differs", _of_narrow(narrow, meant.label, values, exact), meant.label)
    call = call_of(frequencies, meant.rotary.parameters)
    if call is None:
        return Finding(stored.name, "not described", NO_CALL, meant.label)
    if len(values) != len(frequencies):
        values = spread(values, frequencies.axes)
    values = values.astype(np.float32 if tensor.dtype != "float64" else np.float64)
    return best(
        held_against(stored.name, meant.label, _answers(one, spelling), spelling)
        for one in _orders(values, call)
        for spelling in _spellings(call)
    )


def _orders(values, call):
    """The frequencies as they are held, and where pairs of rows and columns alternate also in the order that Ernie 4.5
    VL holds: those of all rows, of all columns, and of time."""
    named = call[2]
    if call[0] != "mrope_frequencies" or named.get("arrangement") != "alternating":
        return [values]
    count = sum(named["sections"][:2])
    mixed = values.copy()
    mixed[0:count:2], mixed[1:count:2] = values[: -(-count // 2)], values[-(-count // 2) : count]
    return [values, mixed]


def _answers(values, call):
    """The numbers as answers to a call, which may have more outputs."""
    outputs = find(call[0]).outputs
    return values if len(outputs) == 1 else {outputs[0]: values}


def _spellings(call):
    """The call, and where it multiplies by pi the one without: programs do it before or after."""
    function, given, named = call
    return [call, (function, given, {**named, "times_pi": None})] if named.get("times_pi") else [call]


def made_by(call):
    """The frequencies that a call makes."""
    function, given, named = call
    return find(function).function(*given, **named)


def spread(values, axes):
    """The frequencies of one axis at the places of all axes."""
    full = np.empty(len(axes))
    for axis in {*axes}:
        full[[k for k, one in enumerate(axes) if one == axis]] = values
    return full


def _rounded_to(tensor, values, exact):
    """The narrow format that the frequencies were rounded to; None where they are in a wide one, or no rounding of the
    exact ones."""
    if tensor.dtype in ("bfloat16", "float16"):
        return formats.resolve(tensor.dtype)
    for name in ("bfloat16", "float16"):
        fmt = formats.resolve(name)
        near = np.abs(values - exact) <= np.abs(exact) * math.ldexp(1.0, 1 - fmt.precision) + math.ldexp(
            1.0, fmt.lowest
        )
        if near.all() and np.array_equal(_to(values, fmt), values) and not np.array_equal(_to(exact, fmt), exact):
            return fmt
    return None


def _to(values, fmt):
    """float64 values rounded to a format and back."""
    return rounding.widen(rounding.narrow(values, fmt), fmt)


def _of_narrow(fmt, label, values, exact):
    """The sentence on frequencies in a narrow format."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.nan_to_num(np.abs(values / exact - 1), nan=0.0, posinf=0.0)
    at = int(np.argmax(off))
    told = f"differs from {label}: frequencies in {fmt.name}, {off[at]:.3g} off relatively at [{at}]"
    return f"{told}, {values[at]:.9g} for {exact[at]:.9g}; float32 keeps them"


# -- caches of cosines and sines --------------------------------------------------------------------------------------


def cache_finding(cos, sin, meant, *, sines_first=False):
    """The `Finding` of tables of cosines and sines, (..., positions, channels), read from `Stored` tensors; without sin
    both stand in one table, side by side."""
    name = cos.name if sin is None else f"{cos.name}, {sin.name}"
    if not meant:
        return Finding(name, "not described", NO_ROTATION)
    if sin is not None and sin.shape != cos.shape:
        return shape_finding(name, meant[0].label, sin.shape, cos.shape)
    tables = [_table(one) for one in ((cos,) if sin is None else (cos, sin))]
    if any(one is None for one in tables):
        rotary = meant[0].rotary
        width = cos.shape[-1] if cos.shape else 0
        fits = width in (len(rotary.frequencies), rotary.rotary_dim)
        return shape_finding(name, meant[0].label, (width,), (width if fits else rotary.rotary_dim,))
    if sin is None:
        half = tables[0].values.shape[-1] // 2
        parts = (slice(half, None), slice(half)) if sines_first else (slice(half), slice(half, None))
        tables = [tables[0]._replace(values=np.ascontiguousarray(tables[0].values[:, part])) for part in parts]
    positions = np.arange(len(tables[0].values), dtype=np.int64)
    return best(table_finding(name, tables, positions, one) for one in meant)


def _table(stored):
    """The tensor with its positions and channels alone as axes."""
    tensor = stored.read()
    return tensor if tensor is None else tensor._replace(values=tensor.values.reshape(-1, stored.shape[-1]))


def table_finding(name, tables, positions, meant):
    """The `Finding` of `Tensor` tables (positions, channels) of cosines and of sines; it ends at the first rows that
    differ."""
    frequencies = on_one_axis(meant.rotary.frequencies, meant.rotary.parameters)
    if frequencies is None:  # axes of their own: each row has its position along all of them
        frequencies = meant.rotary.frequencies
        positions = np.stack([positions] * len({*frequencies.axes}))
    call = call_of(frequencies, meant.rotary.parameters)
    if call is None:
        return Finding(name, "not described", NO_CALL, meant.label)
    made = made_by(call)
    pairs = [columns(one, len(made)) for one in tables]
    if any(one is None for one in pairs):
        width = tables[0].values.shape[-1]
        expected = f"{len(made)} columns, or {2 * len(made)} that repeat them"
        return Finding(name, "differs", f"differs from {meant.label}: {width} columns for {expected}", meant.label)
    if _is_of_other_pairs(tables, len(made), meant.rotary):
        expected = f"channels i and i + {len(made)} turn together"
        sentence = f"differs from {meant.label}: columns {OTHER_PAIRS}, where {expected}"
        return Finding(name, "differs", sentence, meant.label)
    return rows_finding(name, pairs, positions, meant.label, made)


def _is_of_other_pairs(tables, count, rotary):
    """Whether columns repeat in pairs and not in halves, where a program of halves multiplies column by column.

    The other way round it is no mistake: code of interleaved pairs takes the first half of such a table (GLM).
    """
    if rotary.pairing != "half" or rotary.blocks > 1 or tables[0].values.shape[-1] != 2 * count:
        return False
    return not all(np.array_equal(one.values[:, :count], one.values[:, count:]) for one in tables)


def rows_finding(name, pairs, positions, label, frequencies):
    """The `Finding` of cosines and sines with a column for each frequency, some rows at a time; positions (rows,), or
    (axes, rows)."""
    found = None
    for start in range(0, positions.shape[-1], ROWS):
        rows = slice(start, start + ROWS)
        part = tuple(one._replace(values=one.values[rows]) for one in pairs)
        found = held_against(name, label, part, ("rope_table", (positions[..., rows], frequencies), {}))
        if found.state != "right":
            return found
    return found


def columns(tensor, count):
    """The table with one column for each frequency, which one of twice as many repeats in halves or in pairs; None
    where it does not."""
    values = tensor.values
    width = values.shape[-1]
    if width == count:
        return tensor
    if width == 2 * count:
        for first, second in ((values[:, :count], values[:, count:]), (values[:, 0::2], values[:, 1::2])):
            if np.array_equal(first, second):
                return tensor._replace(values=np.ascontiguousarray(first))
    return None
