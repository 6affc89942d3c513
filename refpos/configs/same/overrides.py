"""Keys of a configuration with other values, as a server is given them beside the file."""

import copy
import json

from ... import checks
from ...errors import InputError, InputTypeError, shown
from ..dialects import gguf
from ..keys import DEEPEST

#: how Python writes what JSON writes otherwise
PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}


def overridden(values, overrides, name="override"):
    """The content of a configuration with other values; overrides: {dotted key: value}.

    An object on the way to a key is made where the file has none. A key that the file has as it stands, and any key of
    GGUF metadata, is not taken apart at its dots.
    """
    checks.nesting(name, overrides)
    values = copy.deepcopy(values)
    for key, value in overrides.items():
        steps = _steps(name, key)
        if key in values or gguf.is_file(values):
            _put(values, key, value)
            continue
        inner = values
        for count, step in enumerate(steps[:-1], 1):
            if inner.get(step) is None:
                inner[step] = {}
            inner = inner[step]
            if not isinstance(inner, dict):
                sentence = f"{name} {key} must lead through objects, got {shown(inner)} at {'.'.join(steps[:count])}"
                raise InputError("E_CHOICE", name, sentence)
        _put(inner, steps[-1], value)
    return values


def _put(values, key, value):
    """Set a key; None takes it away."""
    if value is None:
        values.pop(key, None)
    else:
        values[key] = value


def _steps(name, key):
    """The keys on the way to a value."""
    if not isinstance(key, str):
        raise InputTypeError("E_CHOICE", name, f"{name} must have dotted keys, got {shown(key)}")
    steps = key.split(".")
    if not all(steps) or len(steps) > DEEPEST:
        sentence = f"{name} must have dotted keys such as rope_scaling.factor, got {shown(key)}"
        raise InputError("E_CHOICE", name, sentence)
    return steps


def read_overrides(name, texts):
    """{dotted key: value} of texts KEY=VALUE; a value that is not JSON is text."""
    found = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            sentence = f"{name} must be KEY=VALUE, such as rope_scaling.factor=4, got {shown(text)}"
            raise InputError("E_CHOICE", name, sentence)
        if key in found:
            raise InputError("E_CHOICE", name, f"{name} must give each key once, got {key} twice")
        found[key] = _value(name, key, value)
    return found


def _value(name, key, text):
    if text in PYTHON_WORDS:
        raise InputError("E_CHOICE", name, f"{name} {key} must be JSON, {PYTHON_WORDS[text]}, got {text}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if text[:1] in ("{", "[", '"'):
            raise InputError("E_CHOICE", name, f"{name} {key} must be JSON, got {shown(text)}") from None
        return text


def without_effect(overrides, config):
    """{key: why it decides nothing} of overrides, by a `ModelConfig`: those misspelled, or of an object that is not
    read."""
    named = [*config.used, *config.assumed]
    return {
        key: config.ignored.get(key, "no part of the model reads it")
        for key, value in overrides.items()
        if value is not None and not any(path == key or path.startswith(f"{key}.") for path in named)
    }
