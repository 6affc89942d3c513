"""The arrays of an answer by output, of whatever library they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InputError, shown
from ..tensor_files import Tensor, answer


def by_output(actual: Any, outputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """{output: Tensor} of an array, or of as many arrays as there are outputs, in their order or by their names; of
    8-bit floats the bit patterns where those are expected."""
    __tracebackhide__ = True
    held = unread(actual, tuple(outputs))
    return {name: answer(array, f"actual {name}", outputs[name].dtype) for name, array in held.items()}


def by_name(actual: Any, names: tuple[str, ...]) -> dict[str, Tensor]:
    """{output: Tensor} of what `by_output` takes, before the outputs are known."""
    __tracebackhide__ = True
    return {name: answer(array, f"actual {name}") for name, array in unread(actual, names).items()}


def unread(actual: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """{output: what was given for it}, of what `by_output` takes."""
    __tracebackhide__ = True
    if isinstance(actual, Mapping):
        if set(actual) != set(names):
            sentence = f"actual must have the outputs {', '.join(names)}, got {shown(sorted(map(str, actual)))}"
            raise InputError("E_MISSING", "actual", sentence)
        held = [actual[name] for name in names]
    elif len(names) == 1:
        held = [actual]
    else:
        if not isinstance(actual, (tuple, list)) or len(actual) != len(names):
            count = f"{len(actual)} arrays" if isinstance(actual, (tuple, list)) else f"a {type(actual).__name__}"
            sentence = f"actual must be the {len(names)} arrays {', '.join(names)}, got {count}"
            raise InputError("E_MISSING", "actual", sentence)
        held = list(actual)
    return dict(zip(names, held))
