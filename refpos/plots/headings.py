"""What stands above a picture: a sentence that says what it shows, the call, and which numbers are only examples."""

from __future__ import annotations

import textwrap
from collections.abc import Container
from fractions import Fraction
from typing import Any

import numpy as np

from .calls import Call

WIDTH = 78  # characters of a line
#: arguments whose numbers stand at an axis of the picture
AT_AN_AXIS = ("coordinates", "positions", "t", "timesteps", "times")


def heading(call: Call, given: Container[str], model: str | None = None) -> str:
    """The lines above the picture of a call; given: the arguments whose values are those of the caller."""
    sentence = call.entry.summary.replace("`", "")
    lines = textwrap.wrap(sentence if model is None else f"{model}: {sentence}", WIDTH)
    known = examples(call, given)
    said = [f"Example numbers, not of a model: {', '.join(known)}."] if known else []
    return "\n".join([*lines, subject(call), *said])


def examples(call: Call, given: Container[str]) -> list[str]:
    """The arguments with real numbers that stand for those of a model or of its input."""
    known = call.arguments.items()
    return [name for name, value in known if name not in (*AT_AN_AXIS, "out") and name not in given and _real(value)]


def _real(value):
    """Whether it is an array of real numbers, or a list of such arrays."""
    first = value[0] if isinstance(value, (list, tuple)) and len(value) else value
    return isinstance(first, np.ndarray) and first.dtype.kind == "f"


def subject(call: Call) -> str:
    """The call in a line: arrays by their names, the others with their values."""
    texts: list[str] = []
    for name, value in call.arguments.items():
        if name not in ("out", "threads", "outputs"):
            text = _said(name, value)
            texts.insert(len(texts) if "=" in text else sum("=" not in one for one in texts), text)
    text = f"{call.entry.name}({', '.join(texts)})"
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 2].rpartition(', ')[0]}, …)"


def _said(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}={value!r}"
    short = isinstance(value, tuple) and len(value) <= 3
    return f"{name}={value}" if short or isinstance(value, (bool, int, float, Fraction)) else name
