"""Arrays of other libraries as tensors: what NumPy, torch and jax hold, bfloat16 included; none of them is imported."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError, shown
from ..tensor_files import Tensor, tensor


def as_tensor(name: str, array: Any) -> Tensor:
    """The array as a Tensor: by `__array__`, else by DLPack; an array that needs a step before says which."""
    __tracebackhide__ = True
    if isinstance(array, Tensor):
        return tensor(array)
    if getattr(array, "requires_grad", False) is True:
        raise InputTypeError("E_DTYPE", name, f"{name} must need no gradient, got one that does: call .detach()")
    kind = str(getattr(array, "dtype", ""))
    if kind == "torch.bfloat16":  # which NumPy has not; whoever made the tensor has imported torch
        array = array.contiguous().view(sys.modules["torch"].uint16)
    try:
        by_dlpack = hasattr(array, "__dlpack__") and not hasattr(array, "__array__")
        made = tensor(np.from_dlpack(array) if by_dlpack else np.asarray(array))
    except InputError as error:
        raise InputTypeError("E_DTYPE", name, f"{name}: {error}") from None
    except Exception as error:  # whatever an object raises that is asked to be an array
        said = shown(str(error), 200)
        sentence = f"{name} must convert to a NumPy array on the CPU, got {type(array).__name__} that says: {said}"
        raise InputTypeError("E_DTYPE", name, sentence) from None
    return Tensor("bfloat16", made.values) if kind == "torch.bfloat16" else made


def by_output(actual: Any, names: tuple[str, ...]) -> dict[str, Tensor]:
    """{output: Tensor} of an array, or of as many arrays as there are outputs, in their order or by their names."""
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
    return {name: as_tensor(f"actual {name}", array) for name, array in zip(names, held)}
