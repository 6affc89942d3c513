"""Error bounds of gradients in a fixed order: what their derivations of `sequence64` and `sequence32` share."""

import numpy as np

from ... import catalogue, checks
from ...arithmetic.formats import FORMATS
from ...steps.positions.exact_positions import Positions
from ...steps.rows import learned_tables, table_gradients
from ...steps.scores import ordered_sums
from ..classes import BFLOAT16
from ..registry import error_bound
from . import running_error
from .exact_inputs import exact_channels
from .rounding_errors import underflow_error
from .running_error import Bounded

AROUND = 4  # roundings of a term before its sum and after it: those of a scale, wherever a program multiplies by it


def bounds_gradients(name, counted=()):
    """Enter the decorated derivation as the error bound of the gradients of that function.

    It takes the arguments, arrays of floats as exact float64 numbers, and the format of a program, and returns
    {argument: `Bounded`}. counted: arguments of which uint16 are integers, no bit patterns of bfloat16.
    """

    def enter(derivation):
        error_bound(catalogue.VJP + name)(lambda arguments, fmt: _limits(name, arguments, derivation, counted))
        return derivation

    return enter


def _limits(name, arguments, derivation, counted):
    """{class: {output: bounds}}, each in the format of its argument, about the float64 gradients."""
    entry = catalogue.find(catalogue.VJP + name)
    trained = [output.removeprefix(catalogue.GRADIENT) for output in entry.outputs]
    arguments = {
        **arguments,
        **{key: checks.array(key, arguments[key]) for key in trained if _is_listed(arguments[key])},
    }
    bare = {key: getattr(value, "values", value) for key, value in arguments.items()}
    wide = {**bare, **({"dtype": "float64"} if "dtype" in entry.parameters else {})}
    wide.update({key: _wide(arguments[key], key not in counted) for key in (*trained, "cotangent")})
    exact = entry.function(**wide)
    kinds = {key: _format_of(key, bare[key]) for key in exact}
    with np.errstate(all="ignore"):
        programs = {kind: derivation(wide, arithmetic) for kind, arithmetic in running_error.SEQUENCES.items()}
        own = {key: _own(entry, value, programs["sequence64"][key]) for key, value in exact.items()}
        limits = {
            kind: {catalogue.GRADIENT + key: _bound(found[key], own[key], kinds[key]) for key in exact}
            for kind, found in programs.items()
        }
    narrow, wide = (limits[kind] for kind in running_error.SEQUENCES)
    limits["sequence32"] = {key: np.maximum(wide[key], narrow[key]) for key in wide}  # also what float64 may give
    return limits


def _is_listed(value):
    """Whether numbers stand in lists; those of coordinates are read already."""
    return type(value) in (list, tuple) and not any(isinstance(one, Positions) for one in value)


def _own(entry, values, program):
    """The float64 gradient: one in a fixed order is off as the program of float64 is, any other only by the rounding
    that `_bound` has."""
    error = program.error if entry.contract == "written" else np.zeros(values.shape)
    return program._replace(values=values, error=error)


def _bound(program, exact, fmt):
    """The bounds in the shape of the gradient; what neither has an error of is rounded once by both."""
    shape = exact.values.shape
    program, exact = (
        part._replace(values=part.values.reshape(shape), error=part.error.reshape(shape)) for part in (program, exact)
    )
    return np.where((program.error == 0) & (exact.error == 0), 0.0, running_error.bound(program, exact, fmt))


def _format_of(name, value):
    """The format of the gradient for an argument, which is float64 for a number."""
    fmt = table_gradients.format_of(name, value)
    return FORMATS["float64"] if fmt is None else learned_tables.floats(fmt)


def _wide(value, patterns):
    """The exact float64 numbers of an array of floats; numbers, integers and None stay. patterns: whether uint16 are
    bit patterns of bfloat16."""
    if value is None or np.isscalar(value) or not hasattr(value, "dtype"):
        return value
    if getattr(value.dtype, "kind", "f") in "iu" and not (patterns and value.dtype == np.uint16):
        return value
    return exact_channels(value, BFLOAT16)


def numbers(values, fmt):
    """Numbers of the caller; those that are not finite are taken as 0, since what reads them has no bound."""
    if values is None:
        return None
    values = np.asarray(values, np.float64)
    return running_error.from_input(np.where(np.isfinite(values), values, 0.0), fmt)


def sums(summed, a, b, *, unscaled=None, scale=1.0):
    """Sums of products that `summed(a, b)` takes, in any order, of as many terms as `summed` has of ones.

    unscaled: what a is before its scale, by which a program may multiply later. What is then lost below the normal
    range, of b times the scale, of a or of the sum, is multiplied by the other factor or by the scale.
    """
    ones = [np.ones_like(part.values) for part in (a, b)]
    terms = summed(*ones) + AROUND
    made = running_error.sums(summed, a, b, terms)
    if unscaled is None:
        return made
    left, right = (np.abs(part.values) + part.error for part in (unscaled, b))
    most = np.max(np.abs(scale), initial=1.0, where=np.isfinite(scale))
    lost = summed(left, ones[1]) + summed(ones[0], right) + terms * most
    return made._replace(error=made.error + 2 * underflow_error(a.fmt) * lost)


def total(x):
    """Sums over the last axis, in any order."""
    return sums(lambda a, b: ordered_sums.total(a * b), x, numbers(np.ones(x.values.shape), x.fmt))


def changed(x, change):
    """The numbers at other places: `change` of their values and of their errors."""
    return Bounded(change(x.values), change(x.error), x.fmt)


def once_more(x):
    """The same, rounded once more, as by a program that multiplies before it subtracts."""
    return running_error.rounded(x.values, x.error, x.fmt)
