"""How far from the correctly rounded value each class admits a result: the door to the derivations.

Bounds come from the parameters of the call alone, element by element, and are never fitted to what some program gave;
docs/conformance.md derives every constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import catalogue, checks
from ..arithmetic import formats
from ..errors import InputError, InputTypeError, shown
from ..guard import guarded
from ..tensor_files import Tensor
from ..types import ArrayLike, ClassName, DType
from . import registry
from .classes import ANGLE_CLASSES, BFLOAT16, CLASSES, PIPELINES
from .derivations.exact_inputs import exact_values
from .derivations.rounding_errors import relative_bound
from .registry import complete, computed_frequencies, derivation_of

__all__ = ["CLASSES", "bounds", "derives"]


@guarded
def bounds(
    function_name: str, arguments: Mapping[str, Any], inputs: Mapping[str, ArrayLike], fmt: DType
) -> dict[ClassName, dict[str, NDArray[np.float64]]]:
    """For each conformance class, how far from the correctly rounded output its pipeline can end up.

        |actual - expected| <= bound,  bound = error of the pipeline + half an ulp of the expected value

    Parameters
    ----------
    function_name : str
        Name of a function of the catalogue, or "vjp_" and that of a function whose gradients have error bounds.
    arguments : dict
        Its keyword arguments; those left out have the defaults of the function. Frequencies are given as the call that
        makes them, {"function": "yarn", "arguments": {...}}, since the derivation starts from its arguments; a width
        (dim, rotary_dim) and a base may stand in their place.
    inputs : dict of array_like
        Its arrays by argument name (positions, x, weight; an integer positions may stand in either).
    fmt : str or dtype
        Dtype of the output; a gradient has that of its argument.

    Returns
    -------
    dict of dict of ndarray
        {class: {output name: float64 array of the output's shape}}, strictest class first; outputs are "cos" and "sin"
        of tables, "inv_freq", "attention_factor" and "axes" of frequencies, "gradient_q" and so on of gradients,
        "output" of everything else.

    Raises
    ------
    InputError
        E_CHOICE for a function without error bound, an argument that it does not take, or frequencies that are not
        given as a call, E_MISSING for an argument that it needs, and what the function itself raises.

    Notes
    -----
    The arrays of `correct` and `faithful` count ulps, all others are absolute. Bounds of sine and cosine are at most 2
    where no factor multiplies them. Where x is not finite the bound is 0: only equality passes. A pipeline that
    overflows is in no class.

    References
    ----------
    docs/conformance.md.

    Examples
    --------
    >>> limits = bounds("rope_table", {"dim": 4, "base": 10000}, {"positions": np.array([0, 131072])}, "float32")
    >>> limits["float32-angle"]["sin"] < 0.01
    array([[ True,  True],
           [ True,  True]])
    """
    known = {*registry.ERROR_BOUNDS, *catalogue.ENTRIES}
    if not isinstance(function_name, str) or function_name not in known:
        checks.choice("function_name", function_name, sorted(filter(registry.derives, known)))
    call, entry = read_call(function_name, arguments, inputs), catalogue.find(function_name)
    if not entry.exact:
        derivation_of(function_name)  # or the reason for none
        check(function_name, complete(function_name, call), formats.resolve(fmt))
    limits = of_answered(function_name, call, fmt)
    return {kind: {name: np.require(one, requirements="W") for name, one in parts.items()}
            for kind, parts in limits.items()}  # fmt: skip


def of_answered(function_name, call, fmt):
    """The bounds of a call that the function is known to take; those that count ulps are one number in the shape of the
    outputs, which cannot be written to."""
    entry = catalogue.find(function_name)
    if entry.exact:
        return {"correct": _zeros(entry, complete(function_name, call))}
    derivation, fmt = derivation_of(function_name), formats.resolve(fmt)
    if entry.family == "frequencies":
        limits = _of_frequencies(function_name, call, fmt)
    else:
        limits = derivation(complete(function_name, call), fmt)
    return {**_counted(limits), **limits}


def check(function_name, call, fmt):
    """Let the function itself refuse what it refuses of a complete call whose results are of that format."""
    arrays = {name: value for name, value in call.items() if isinstance(value, Tensor)}
    given = {**call, **{name: _array(name, tensor) for name, tensor in arrays.items()}}
    if catalogue.find(function_name).is_vjp:  # the dtype of its result is that of its cotangent
        return registry.check(function_name, given)
    patterns = fmt is BFLOAT16 and getattr(given.get("x"), "dtype", None) == np.uint16
    if catalogue.find(function_name).defaults.get("dtype") is None:  # that of the arrays
        patterns = patterns or any(tensor.dtype == "bfloat16" for tensor in arrays.values())
        return registry.check(function_name, given, "bfloat16" if patterns else None)
    # results of the same shape, which every NumPy holds
    return registry.check(function_name, given, "float16" if fmt is BFLOAT16 else fmt.name)


def _array(name, tensor):
    """The array of a tensor as the function takes it: positions as numbers, all else as bit patterns."""
    return exact_values(tensor) if name in ("positions", "timesteps") else tensor.values


def read_call(function_name, arguments, inputs):
    """All arguments of a call by name."""
    for name, value in (("arguments", arguments), ("inputs", inputs)):
        if not isinstance(value, Mapping):
            raise InputTypeError("E_CHOICE", name, f"{name} must be a dict by argument name, got {shown(value)}")
    call = registry.plain_numbers(function_name, {**arguments, **inputs})
    nested, widths = call.get("frequencies"), [call]
    for one in nested if isinstance(nested, (list, tuple)) else [nested]:
        if registry.is_call(one):
            widths.append(one["arguments"])
        elif one is not None:
            sentence = f"frequencies must be given as the call that makes them, got {type(one).__name__}"
            raise InputError("E_CHOICE", "frequencies", sentence)
    for arguments, name in product(widths, registry.WIDTHS):
        if type(arguments.get(name)) in (int, float):  # each channel of which has a bound of its own
            checks.integer(name, arguments[name], -checks.LARGEST_SIZE, checks.WIDEST)
    return call


def _zeros(entry, call):
    """The bounds of what is an integer or a copy: zeros in the shape of each output, which cannot be written to."""
    arrays = {name: value.values if isinstance(value, Tensor) else value for name, value in call.items()}
    results = entry.function(**arrays)
    results = results if isinstance(results, tuple) else (results,)
    return {output: np.broadcast_to(0.0, result.shape) for output, result in zip(entry.outputs, results, strict=True)}


def _of_frequencies(name, arguments, fmt):
    """Bounds of frequencies and of their attention factor, for as many outputs as the function has."""
    computed = computed_frequencies({"function": name, "arguments": arguments})
    theta, factor = np.abs(computed.frequencies.inv_freq), np.array(computed.frequencies.attention_factor)
    outputs = catalogue.find(name).outputs
    limits = {}
    for kind in ANGLE_CLASSES:
        pipeline = PIPELINES[kind]
        errors = (theta, computed.errors(pipeline)), (factor, computed.factor_error(pipeline))
        limits[kind] = {
            output: relative_bound(exact, relative, pipeline.arithmetic, fmt)
            for output, (exact, relative) in zip(outputs, errors)
        }
        limits[kind].update({output: np.zeros(theta.shape) for output in outputs[2:]})  # axes are copies
    return limits


def _counted(limits):
    """The bounds of `correct` and `faithful`, in ulps, for outputs of the shapes of other bounds."""
    shapes = {output: limit.shape for output, limit in next(iter(limits.values())).items()}
    return {
        name: {output: np.broadcast_to(ulps * (output != "axes"), shape) for output, shape in shapes.items()}
        for name, ulps in (("correct", 0.0), ("faithful", 1.0))
    }


@guarded
def derives(name: str) -> bool:
    """Whether bounds of pipelines are derived for the function of that name.

    Parameters
    ----------
    name : str
        Name of a function.

    Returns
    -------
    bool
        True where bounds are derived.

    Raises
    ------
    InputError
        E_CHOICE for a name that is not text.

    Examples
    --------
    >>> derives("rope_table"), derives("path")
    (True, False)
    """
    if not isinstance(name, str):
        raise InputTypeError("E_CHOICE", "name", f"name must be text, got {shown(name)}")
    return registry.derives(name)
