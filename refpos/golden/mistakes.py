"""Wrong calls: what somebody may have computed in place of what a case asks for, one mistake at a time.

Every choice and every flag of a function is tried with its other values, as the types of its parameters say them; so a
new encoding brings its mistakes with it. What no type says stands below: bases, positions, precision, scalings and
what became of the result.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, get_args, get_origin

import numpy as np

from .. import catalogue
from ..arithmetic import formats, rounding
from ..tensor_files import Tensor
from . import emulated, run

BASES = (10000, 500000, 1000000, 1000, 100000)
SHIFTS = (1, -1, 2, -2)
NARROWER = ("bfloat16", "float16", "float32")
#: arguments that say where and how a result is returned, not what it is
_NOT_TRIED = ("dtype", "out", "threads", "view", "frequencies")


class Call(NamedTuple):
    """A call of a function of the catalogue; arguments as Python takes them, frequencies as calls that make them."""

    suite: str
    arguments: dict[str, Any]
    tensors: dict[str, Tensor]

    def change(self, **arguments):
        """The call with other arguments."""
        return self._replace(arguments={**self.arguments, **arguments})


class Mistake(NamedTuple):
    """A mistake: its name, what was computed, what is asked for, the call of what was computed, and what was done to
    the outputs afterwards, if anything; done again, it is undone."""

    name: str
    computed: str
    asked: str
    call: Call
    after: Callable[[dict[str, Tensor]], dict[str, Tensor]] | None = None

    def outputs(self):
        """The outputs with the mistake."""
        made = run.results(*self.call)
        return made if self.after is None else self.after(made)


def call_of(entry, tensors):
    """The call of a case, from its entry in the document."""
    arguments = {name: run.call(value) for name, value in entry["arguments"].items()}
    return Call(entry["id"].partition("/")[0], arguments, tensors)


def mistakes(call: Call) -> Iterator[Mistake]:
    """All wrong calls that are tried for a call, the likeliest first."""
    yield from _other_choices(call)
    yield from _other_results(call)
    yield from _other_positions(call)
    yield from _other_bases(call)
    yield from _other_frequencies(call)
    yield from _other_offsets(call)
    yield from (Mistake(*found) for found in emulated.mistakes(call))


# -- choices and flags ------------------------------------------------------------------------------------------------


def _other_choices(call):
    for name, value, other in _alternatives(call.suite, call.arguments):
        yield Mistake(name, f"{name}={other!r}", f"{name}={value!r}", call.change(**{name: other}))


def _alternatives(function, arguments):
    """(name, value, another value) of the arguments of a function that are flags or choices."""
    for name, values in _choices(function).items():
        if name in arguments and name not in _NOT_TRIED:
            known = [value for value in values if type(value) is not type(arguments[name]) or value != arguments[name]]
            yield from ((name, arguments[name], other) for other in known)


@lru_cache(maxsize=256)
def _choices(function):
    """{parameter: its values} of the flags and choices of a function."""
    hints = typing.get_type_hints(catalogue.find(function).function)
    values = {name: tuple(_values(hint)) for name, hint in hints.items()}
    return {name: known for name, known in values.items() if known}


def _values(hint):
    if hint is bool:
        return [False, True]
    if get_origin(hint) is typing.Literal:
        return get_args(hint)
    return [value for part in get_args(hint) for value in _values(part)] if get_origin(hint) is typing.Union else []


# -- results ----------------------------------------------------------------------------------------------------------


def _other_results(call):
    names = catalogue.find(call.suite).outputs
    if len(names) == 2 and catalogue.find(call.suite).family != "frequencies":
        first, second = names
        text = f"{first} and {second} exchanged"
        yield Mistake("exchanged", text, f"{first}, {second}", call, _exchanged)
    yield Mistake("sign", "minus the result", "the result", call, _each(_negated))
    yield Mistake("transposed", "the last two axes exchanged", "the result", call, _each(_transposed))
    yield Mistake("byte order", "the bytes of each number reversed", "little-endian numbers", call, _each(_swapped))
    for axis in (-1, -2, -3):
        text = f"axis {axis} from its end to its beginning"
        yield Mistake("reversed", text, "the result", call, _each(lambda values, axis=axis: _reversed(values, axis)))


def _exchanged(outputs):
    (first, one), (second, other) = outputs.items()
    return {first: other, second: one}


def _each(change):
    return lambda outputs: {name: tensor._replace(values=change(tensor.values)) for name, tensor in outputs.items()}


def _negated(values):
    if values.dtype == np.uint16:  # bit patterns
        return values ^ np.uint16(1 << 15)
    return -values


def _transposed(values):
    return values.swapaxes(-1, -2) if values.ndim > 1 else values


def _swapped(values):
    return values.byteswap()


def _reversed(values, axis):
    return np.flip(values, axis) if values.ndim >= -axis else values


# -- positions --------------------------------------------------------------------------------------------------------


def _other_positions(call):
    name = next((one for one in ("positions", "timesteps") if one in call.tensors or one in call.arguments), None)
    if name is None:
        return
    tensor = call.tensors.get(name)
    if tensor is None:
        count = call.arguments[name]
        if type(count) is not int:
            return
        tensor = Tensor("int64", np.arange(count, dtype=np.int64))
    arguments = {key: value for key, value in call.arguments.items() if key != name}

    def moved(kind, values):
        return Call(call.suite, arguments, {**call.tensors, name: Tensor(kind, values)})

    if tensor.dtype not in formats.FORMATS or tensor.dtype == "float64":
        for shift in SHIFTS:
            text = f"{name} {'+' if shift > 0 else '-'} {abs(shift)}"
            yield Mistake(name, text, name, moved(tensor.dtype, tensor.values + tensor.values.dtype.type(shift)))
        yield Mistake(name, f"minus the {name}", name, moved(tensor.dtype, -tensor.values))
        for kind in NARROWER:
            held = _held(tensor.values.astype(np.float64), kind)
            if (held != tensor.values).any() and np.isfinite(held).all():
                yield Mistake("precision", f"{name} held in {kind}", name, moved("float64", held))


def _held(values, kind):
    """float64 values rounded to a format."""
    fmt = formats.FORMATS[kind]
    with np.errstate(over="ignore"):
        return np.asarray(rounding.widen(rounding.narrow(values, fmt), fmt), np.float64)


def _other_offsets(call):
    for name in ("query_offset", "first"):
        value = call.arguments.get(name)
        if type(value) is int:
            for shift in SHIFTS[:2]:
                yield Mistake(name, f"{name}={value + shift}", f"{name}={value}", call.change(**{name: value + shift}))


# -- bases and frequencies --------------------------------------------------------------------------------------------


def _other_bases(call):
    base = call.arguments.get("base")
    if isinstance(base, (int, float)):
        for other in _bases_beside(base):
            yield Mistake("base", f"base={other}", f"base={base}", call.change(base=other))


def _bases_beside(base):
    near = [base * 10, base / 10 if isinstance(base, float) or base % 10 else base // 10]
    return [other for other in dict.fromkeys([*BASES, *near]) if other != base and other > 1]


def _other_frequencies(call):
    """The frequencies of the call with another choice, base or precision, or without their scaling."""
    made = call.arguments.get("frequencies")
    if not isinstance(made, dict) or "function" not in made:
        made = _plain(call)
        if made is None:
            return
    function, options = made["function"], made["arguments"]

    def changed(**other):
        return _with_frequencies(call, {"function": function, "arguments": {**options, **other}})

    if "frequencies" in call.arguments:
        for name, value, other in _alternatives(function, options):
            yield Mistake(name, f"{name}={other!r}", f"{name}={value!r}", changed(**{name: other}))
        base = options.get("base")
        if isinstance(base, (int, float)):
            yield from (Mistake("base", f"base={b}", f"base={base}", changed(base=b)) for b in _bases_beside(base))
        yield from _without_scaling(call, function, options)
        if {"beta_fast", "beta_slow"} <= set(options):
            fast, slow = options["beta_fast"], options["beta_slow"]
            text = "beta_fast and beta_slow exchanged"
            yield Mistake("beta", text, f"beta_fast={fast}", changed(beta_fast=slow, beta_slow=fast))
    for kind in NARROWER:
        rounded = _rounded_frequencies(made, kind)
        if rounded is not None:
            text = f"inv_freq rounded to {kind}"
            yield Mistake("precision", text, "inv_freq", _with_frequencies(call, rounded))


def _plain(call):
    """The call that makes the frequencies of a rotation with a base; None where there is none."""
    if "frequencies" not in catalogue.find(call.suite).parameters or "x" not in call.tensors:
        return None
    dim = call.arguments.get("rotary_dim") or call.tensors["x"].values.shape[-1]
    return {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": call.arguments.get("base", 10000)}}


def _with_frequencies(call, made):
    left = {name: value for name, value in call.arguments.items() if name not in ("base", "rotary_dim")}
    return call._replace(arguments={**left, "frequencies": made})


def _without_scaling(call, function, options):
    """The frequencies as if they had no scaling, or its factor on cosine and sine were left out."""
    width = options.get("dim", options.get("rotary_dim"))
    if function == "inverse_frequencies" or not isinstance(width, int):
        return
    base = {"base": options["base"]} if "base" in options else {}
    plain = {"function": "inverse_frequencies", "arguments": {"dim": width, **base}}
    yield Mistake("scaling", f"no scaling ({function} dropped)", function, _with_frequencies(call, plain))
    factor = {"function": function, "arguments": {**options, "attention_factor": 1.0}}
    if "attention_factor" in catalogue.find(function).parameters and options.get("attention_factor") != 1.0:
        yield Mistake("attention_factor", "attention_factor dropped", function, _with_frequencies(call, factor))


def _rounded_frequencies(made, kind):
    """The call of the rounded frequencies; None where that changes nothing, or they have a factor or axes."""
    frequencies = run.argument(made)
    if frequencies.axes is not None or frequencies.factor.rational != 1:
        return None
    exact, held = frequencies.inv_freq, _held(frequencies.inv_freq, kind)
    if (exact == held).all():
        return None
    return {"function": "given_frequencies", "arguments": {"inv_freq": held.tolist()}}
