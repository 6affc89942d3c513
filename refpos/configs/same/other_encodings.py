"""What differs between two encodings that are not rotations: tables, biases, sinusoids."""

import inspect
import re

from ... import catalogue
from .differences import plain, runs

#: parameters that name weights, which a conversion may call otherwise
NAMES_OF_WEIGHTS = ("tensor", "tensors")
#: by encoding, parameters that change no probability: all queries share one row of such a bias
OF_A_ROW = {"alibi": ("query_offset",)}
#: parameters that are sets, whatever their order
SETS = ("terms",)


def pairs(a, b):
    """(one of a or None, one of b or None) of two lists of `Encoding`: first those of one part, place and name."""
    a, b, found = list(a), list(b), []
    for key in (_exactly, _roughly):
        for one in list(a):
            other = next((other for other in b if key(other) == key(one)), None)
            if other is not None:
                a.remove(one)
                b.remove(other)
                found.append((one, other))
    return found + [(one, None) for one in a] + [(None, other) for other in b]


def _exactly(encoding):
    return encoding.part, encoding.place, encoding.name


def _roughly(encoding):
    return encoding.part, encoding.place


def differences(a, b):
    """(what, value of a, value of b) of two `Encoding` of one part and place."""
    if a.name != b.name:
        return [("encoding", a.name, b.name)]
    left_out = (*NAMES_OF_WEIGHTS, *OF_A_ROW.get(a.name, ()))
    names = [name for name in dict.fromkeys([*a.parameters, *b.parameters]) if name not in left_out]
    values = [(_name(name), *(plain(_value(one, name)) for one in (a, b))) for name in names]
    found = [one for one in values if one[1] != one[2]]
    if not found and not any((name in a.parameters) != (name in b.parameters) for name in names):
        # a call that leaves a parameter to its default is another text with the same meaning
        calls = [(name, _call(a, name), _call(b, name)) for name in ("call", "table", "resize")]
        found = [one for one in calls if one[1] != one[2]]
    return found + _layers(a.weights, b.weights)


def _layers(a, b):
    """Which layers have the encoding, as far as both files say so: a number of layers is no difference; and whether
    they share the table of the first."""
    found, shared = [], ["of the first layer" if one.get("held_by") == "first" else "of each layer" for one in (a, b)]
    if shared[0] != shared[1]:
        found.append(("table", *shared))
    if a.get("divided_by") != b.get("divided_by"):
        found.append(("divided_by", *(plain(one.get("divided_by")) for one in (a, b))))
    for name, word in (("layers", "layers"), ("but_layers", "layers without it")):
        first, second = (one.get(name) for one in (a, b))
        if first and second:
            last = min(max(first), max(second))
            first, second = (tuple(layer for layer in one if layer <= last) for one in (first, second))
            found += [(word, runs(first or a[name]), runs(second or b[name]))] if first != second else []
    return found


def _call(encoding, name):
    """The text of a call without the parameters that change no probability."""
    text = getattr(encoding, name)
    for parameter in OF_A_ROW.get(encoding.name, ()):
        text = re.sub(rf", {parameter}=[^,)]*", "", text) if isinstance(text, str) else text
    return text


def _name(name):
    return "shape of the table" if name == "shape" else name


def _value(encoding, name):
    """A parameter; one that is not written has the default of the function."""
    if name in encoding.parameters:
        value = encoding.parameters[name]
        return sorted(value) if name in SETS and isinstance(value, (list, tuple)) else value
    entry = catalogue.ENTRIES.get(encoding.name)
    parameter = None if entry is None else inspect.signature(entry.function).parameters.get(name)
    return None if parameter is None or parameter.default is inspect.Parameter.empty else parameter.default
