"""Running a case: from plain data to the call, and from its result to tensors."""

from fractions import Fraction

from .. import catalogue
from ..diagnosis.call import argument as made
from ..diagnosis.call import results as results_of
from ..errors import InputError
from .arguments import python_value
from .case import build

_NOT_NUMBERS = ("out", "threads", "view")  # they never change a value


def arguments_of(case):
    """The arguments of a case with the defaults of the function written out; those that default to None stay away."""
    if case.refusal:
        return dict(case.arguments)  # what is left out does not matter
    left_out = {*case.inputs, *_NOT_NUMBERS}
    if "frequencies" in case.arguments:
        left_out.add("base")
    defaults = {
        name: default
        for name, default in catalogue.find(case.suite).defaults.items()
        if name not in left_out and default is not None
    }
    if _makes_frequencies(case):
        defaults["dtype"] = "float64"
    return {**defaults, **case.arguments}


def inputs_of(case):
    """The input tensors of a case."""
    return {name: build(values, case) for name, values in case.inputs.items()}


def outputs_of(case, dtype=None, threads=None):
    """The output tensors of a case, by name; `dtype` asks for another format than the case does."""
    return results(case.suite, arguments_of(case), inputs_of(case), dtype, threads)


def results(suite, arguments, tensors, dtype=None, threads=None):
    """The output tensors, by name, of a call whose arguments are those of a document."""
    arguments = {name: call(value) for name, value in arguments.items()}
    return results_of(suite, arguments, tensors, dtype, threads)


def refusal_of(case):
    """(code, argument) with which the call is refused; None when it is not."""
    try:
        outputs_of(case)
    except InputError as error:
        return error.code, error.argument
    return None


def argument(value):
    """An argument of a document as a function takes it, with every call in it made."""
    return made(call(value))


def call(value):
    """A call {"function": ..., "arguments": ...} with its arguments as Python takes them, but not made."""
    if isinstance(value, (list, tuple)):
        return [call(one) for one in value]
    if isinstance(value, dict) and "function" in value:
        return {**value, "arguments": {name: call(inner) for name, inner in value["arguments"].items()}}
    return _number(value)


def _number(value):
    if isinstance(value, dict) and "fraction" in value:
        return Fraction(*value["fraction"])
    return python_value(value)


def _makes_frequencies(case):
    return catalogue.find(case.suite).family == "frequencies"
