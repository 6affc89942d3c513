"""The shape of the scores of a call, whose inputs the function itself refuses where they are none."""

from __future__ import annotations

from typing import get_args

from ... import catalogue, checks
from ...errors import InputError, shown
from ...scores.attention import Causal, read_mask
from ..written import Written

MOST = 1 << 24  # numbers
KINDS = ("scores", "weights", "output")


def checked_scores(y, name, inputs):
    """(the shape of the scores, the inputs with a mask of bool)."""
    if y.tensor.values.size > MOST:
        raise InputError("E_TOO_LARGE", "y", f"y must have at most {MOST} numbers, got {y.tensor.values.size}")
    entry, inputs = catalogue.find(name), dict(inputs)
    given = {key: one.value for key, one in inputs.items() if key in entry.parameters and key != "outputs"}
    given = {**dict.fromkeys(entry.required), **given, "dtype": "float32"}
    if given.get("cosine") is not None:
        sentence = f"cosine must be left out, as such scores are not read, got {shown(given['cosine'])}"
        raise InputError("E_CHOICE", "cosine", sentence)
    if "outputs" in inputs:
        known = KINDS if name == "attention" and "v" in inputs else KINDS[:2]
        checks.choice("outputs", inputs["outputs"].value, known)
    if "causal" in inputs:
        checks.choice("causal", inputs["causal"].value, get_args(Causal))
    shape = entry.function(**given, **({"outputs": "scores"} if name == "attention" else {})).shape
    if "mask" in inputs:
        mask = inputs["mask"]
        read_mask(mask.value, shape)
        inputs["mask"] = Written(
            mask.text, checks.array("mask", mask.value, "E_DTYPE", "an array of bool").astype(bool)
        )
    return shape, inputs
