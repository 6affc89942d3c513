"""How far emulations can be from the correctly rounded value: the derivations of the conformance classes, with the
roundings of an emulation in place of those of a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import catalogue, checks
from ..arithmetic import formats
from ..conformance import error_bounds
from ..conformance.classes import INSTEAD, Pipeline
from ..conformance.derivations import biases
from ..conformance.derivations.angles import frequency_errors
from ..conformance.derivations.rounding_errors import (
    compound,
    relative_bound,
    rounded_bound,
    underflow_error,
    unit_roundoff,
)
from ..conformance.registry import complete, computed_frequencies, derivation_of, is_call
from ..errors import InputError
from ..guard import guarded
from ..steps.rows import doubles
from ..types import ArrayLike, DType
from . import calls
from .float_frequencies import SCALED
from .operations import BFLOAT16, FLOAT32
from .profiles import PROFILES, Profile

#: the classes whose bounds hold for emulations of slopes
SLOPE_CLASSES = {"press_alibi": "float32-product", "bloom_alibi": "float32-power", "mpt_alibi": "float32-power"}


@guarded
def bounds(
    profile: Profile | str,
    function_name: str,
    arguments: Mapping[str, Any],
    inputs: Mapping[str, ArrayLike],
    fmt: DType,
) -> dict[str, NDArray[np.float64]]:
    """How far an emulation, or a program that does the same steps, can be from the correctly rounded output.

        |emulated - expected| <= bound

    Parameters
    ----------
    profile : Profile or str
        An emulation or its name.
    function_name : str
        Name of a function of the catalogue.
    arguments : dict
        Its keyword arguments, as in `conformance.bounds`.
    inputs : dict of array_like
        Its arrays by argument name, as in `conformance.bounds`.
    fmt : str or dtype
        Dtype of the output.

    Returns
    -------
    dict of ndarray
        {output: float64 array of the shape of the output}.

    Raises
    ------
    InputError
        E_CHOICE for an emulation that the function has none of, and what `conformance.bounds` raises.

    Notes
    -----
    Functions of the program may be off by what docs/conformance.md lists, so that the bound covers real libraries too.
    What overflows is in no bound.

    References
    ----------
    docs/emulations.md.

    Examples
    --------
    >>> limits = bounds("bfloat16_inv_freq", "rope_table", {"dim": 4}, {"positions": np.array([0, 100])}, "float32")
    >>> limits["sin"].round(3)
    array([[0.   , 0.   ],
           [0.   , 0.002]])
    """
    if not isinstance(profile, Profile):
        profile = PROFILES[checks.choice("profile", profile, tuple(PROFILES))]
    fmt = formats.resolve(fmt)
    if not calls.applies(profile, checks.choice("function_name", function_name, tuple(catalogue.ENTRIES))):
        sentence = f"function_name must be one that {profile.name} is an emulation of, got {function_name!r}"
        raise InputError("E_CHOICE", "function_name", sentence)
    if profile.name in SLOPE_CLASSES:
        limits = error_bounds.bounds(function_name, arguments, inputs, fmt)
        return limits.get(SLOPE_CLASSES[profile.name]) or limits["float32-power"]
    call = complete(function_name, error_bounds.read_call(function_name, arguments, inputs))
    error_bounds.check(function_name, call, fmt)
    if profile.kind == "slopes":
        return {"output": _falcon(function_name, call, fmt)}
    pipeline = pipeline_of(profile.for_output(fmt), call)
    if catalogue.find(function_name).family == "frequencies":
        return _frequencies(function_name, call, pipeline, fmt)
    token = INSTEAD.set({profile.name: pipeline})
    try:
        return derivation_of(function_name)(call, fmt)[profile.name]
    finally:
        INSTEAD.reset(token)


def pipeline_of(profile, call):
    """The roundings of an emulation; call: the arguments, of which a scale costs two roundings more."""
    scale = next((doubles.number(name, call[name]) for name in ("position_scale", "scale") if name in call), 1.0)
    frequencies = FLOAT32 if profile.arithmetic.width == 16 else profile.arithmetic
    return Pipeline(
        profile.wave_format,
        exponential=profile.frequencies in ("exp", "exp-quotient", "mlx-exp"),
        base_two=profile.frequencies == "mlx-exp",
        table=profile.table,
        frequencies=frequencies,
        product=profile.wave_format,
        inv_freq=FLOAT32 if profile.frequencies == "float64" else profile.inv_freq,
        positions=profile.positions,
        operands=profile.operands,
        scale=scale,
        running=profile.frequencies == "running",
        scaled=_is_scaled(call.get("frequencies")),
    )


def _is_scaled(call):
    """Whether frequencies are made by a scaling, or of one."""
    return is_call(call) and (call["function"] in SCALED or _is_scaled(call["arguments"].get("frequencies")))


def _frequencies(name, arguments, pipeline, fmt):
    computed = computed_frequencies({"function": name, "arguments": arguments})
    theta, factor = np.abs(computed.frequencies.inv_freq), np.array(computed.frequencies.attention_factor)
    made = pipeline._replace(arithmetic=pipeline.frequencies)
    found = {"inv_freq": relative_bound(theta, frequency_errors(computed, made), made.arithmetic, fmt)}
    outputs = catalogue.find(name).outputs
    if len(outputs) == 1:
        return {outputs[0]: found["inv_freq"]}
    return {**found, "attention_factor": relative_bound(factor, computed.factor_error(made), made.arithmetic, fmt)}


def _falcon(name, arguments, fmt):
    """Slopes of a float32 power, which with the positions and their products are rounded to bfloat16."""
    slopes, u = biases.exact_slopes(arguments), unit_roundoff(BFLOAT16)
    errors = biases.slope_errors(arguments)["float32-power"]
    errors = errors + (1 + errors) * u
    if name == "alibi_slopes":
        return rounded_bound(slopes * errors + underflow_error(BFLOAT16), slopes, BFLOAT16, fmt)
    distances, masked, spread = biases.distances_of(arguments)
    distances, width = np.abs(distances).astype(np.float64), arguments["head_dim"]
    slopes = slopes if width is None else slopes / np.sqrt(width)
    size = slopes[:, None] * distances[..., None, :]
    # the position, its product; the root and the quotient
    product = compound(2 * u + (0 if width is None else u + 2 * unit_roundoff(FLOAT32)))
    error = size * (errors[:, None] + product + errors[:, None] * product)
    error = error + underflow_error(BFLOAT16) * (1 + distances)[..., None, :]
    exact = masked | (distances[..., None, :] == 0)
    return spread(np.where(exact, 0.0, rounded_bound(error, size, BFLOAT16, fmt)))
