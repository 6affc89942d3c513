"""Arrays of mlx."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def read(name: str, array: Any) -> tuple[np.ndarray, str | None]:
    """(array, None), or (bit patterns, "bfloat16")."""
    if str(array.dtype) == "mlx.core.bfloat16":
        return np.asarray(array.view(sys.modules["mlx.core"].uint16)), "bfloat16"
    return np.asarray(array), None
