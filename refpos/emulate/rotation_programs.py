"""Rotations in an emulated arithmetic."""

from functools import partial

import numpy as np

from ..conformance.derivations.exact_inputs import exact_channels, exact_positions, shaped_like_x
from ..conformance.derivations.rotations import pairs_of
from ..conformance.derivations.tables import axis_sizes
from ..conformance.registry import complete, exact_frequencies
from ..errors import InputError
from ..steps.waves.grids import grid
from ..steps.waves.rotary_arguments import read_token_positions
from .float_angles import tables
from .float_frequencies import made
from .operations import FLOAT32, product, rounded, total
from .profile_registry import emulates


@emulates("rope")
def _rope(arguments, profile, fmt):
    x = exact_channels(arguments["x"], fmt)
    call = arguments["frequencies"] or {
        "function": "inverse_frequencies",
        "arguments": {"dim": arguments["rotary_dim"] or x.shape[-1], "base": arguments["base"]},
    }
    exact, positions = exact_frequencies(call), exact_positions(arguments["positions"])
    cos, sin = tables(positions, made(call, profile), exact, profile)
    tokens = read_token_positions(positions, exact)
    shape = (-1,) if tokens.grid is not None else tokens.shape
    beside = partial(shaped_like_x, shape=x.shape, seq_axis=arguments["seq_axis"])
    cos, sin = (beside(part.reshape(*shape, part.shape[-1])) for part in (cos, sin))
    sin = -sin if arguments["inverse"] else sin
    return (_rotated(x, cos, sin, pairs_of(arguments["pairing"], exact), _inside(profile, fmt)),)


def _inside(profile, fmt):
    """The format of the products and sums of a rotation: the one it says, or the one that holds x and the table."""
    if profile.rotation not in (None, fmt):
        name = profile.rotation.name
        raise InputError("E_DTYPE", "x", f"x must have dtype {name} for {profile.name}, got {fmt.name}")
    if profile.rotation:
        return profile.rotation
    if fmt is not profile.wave_format and fmt.width == profile.wave_format.width == 16:
        return FLOAT32
    return max(fmt, profile.wave_format, key=lambda one: one.precision)


def _rotated(x, cos, sin, pairs, fmt):
    """The channels rotated in pairs: two products and a sum for each."""
    first, second = pairs
    one, other = rounded(x[..., first], fmt), rounded(x[..., second], fmt)
    cos, sin = rounded(cos, fmt), rounded(sin, fmt)
    y = np.array(x)
    y[..., first] = total(product(one, cos, fmt), -product(other, sin, fmt), fmt)
    y[..., second] = total(product(other, cos, fmt), product(one, sin, fmt), fmt)
    return y


@emulates("rope_2d")
def _rope_2d(arguments, profile, fmt):
    rotary = arguments["rotary_dim"] or exact_channels(arguments["x"], fmt).shape[-1]
    return _at_cells(arguments, profile, fmt, "hw", [rotary // 2] * 2, "allocation")


@emulates("rope_3d")
def _rope_3d(arguments, profile, fmt):
    return _at_cells(arguments, profile, fmt, "thw", arguments["widths"])


def _at_cells(arguments, profile, fmt, letters, widths, *more):
    axial = {name: arguments[name] for name in ("base", "arrangement", "times_pi", *more)}
    axial.update(widths=widths, axes=[letters.index(axis) for axis in arguments["axis_order"]])
    cells = grid(*axis_sizes(arguments, letters).values())
    return _rope_with(arguments, cells, "axial_frequencies", axial, profile, fmt)


@emulates("mrope")
def _mrope(arguments, profile, fmt):
    options = {name: arguments[name] for name in ("sections", "arrangement", "base", "frequencies")}
    options["dim"] = 2 * sum(arguments["sections"])
    return _rope_with(arguments, arguments["position_ids"], "mrope_frequencies", options, profile, fmt)


def _rope_with(arguments, positions, function, options, profile, fmt):
    call = {name: arguments[name] for name in ("x", "pairing", "inverse", "seq_axis")}
    call.update(positions=positions, frequencies={"function": function, "arguments": options})
    return _rope(complete("rope", call), profile, fmt)
