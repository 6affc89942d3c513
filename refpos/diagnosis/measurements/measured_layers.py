"""Rates of decay of another layer, of other numbers of layers or heads, or with another exponent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...measure.estimates import LOG_2, logarithm
from ...measure.solving import unit_of
from ..call import Call
from ..judge import met_by_all, reports_of
from ..numbers import as_numbers
from ..trial import REFUSED
from .measured import Measured

SUITE = "decay_rates"
CLOSE = 0.1  # of a layer, that one may be off
UNITS = 16  # rounding units that a common factor may be off


def measured_layer(trial) -> Measured | None:
    """The arguments with which the rates of heads are those of the numbers; None without."""
    call = trial.call
    if call.suite != SUITE or call.arguments.get("rule") != "lightning":
        return None
    ((name, expected),) = trial.outputs.items()
    got, wanted = (as_numbers(one[name], expected) for one in (trial.answered, trial.outputs))
    if got.shape != wanted.shape or len(got) < 2 or not (np.isfinite(got) & (got > 0)).all():
        return None
    ratio = got / wanted
    if np.ptp(ratio) <= UNITS * unit_of(expected.dtype) * ratio.max():
        for told, changed in _of_factor(call, float(np.median(ratio))):
            made = _outputs(changed)
            met = () if made is None else met_by_all(reports_of(changed, made, trial.answered))
            if met:
                return Measured(told, _asked(call, told), "", met[0], named=True)
        return Measured(f"rates times {float(np.median(ratio)):.6g}", "the rates of that layer", named=True)
    return _of_exponents(got, expected.dtype)


def _outputs(call):
    try:
        return call.outputs()
    except REFUSED:
        return None


def _asked(call, told):
    return ", ".join(f"{name}={call.arguments[name]!r}" for name in [told.partition("=")[0]])


def _of_factor(call, ratio) -> Iterator[tuple[str, Call]]:
    """(the argument, the call with it) whose common factor is that of the call times a ratio."""
    given: dict[str, Any] = call.arguments
    layer, layers, eps = given["layer"], given["layers"], float(given["eps"])
    factor = ratio * (1 - layer / (layers - 1 + eps) + eps)
    other = (1 + eps - factor) * (layers - 1 + eps)
    if abs(other - round(other)) < CLOSE and 0 <= round(other) < layers:
        yield f"layer={round(other)}", call.change(layer=round(other))
    if layer and factor < 1:
        count = layer / (1 + eps - factor) + 1 - eps
        if abs(count - round(count)) < CLOSE * max(1, layer) and round(count) > layer:
            yield f"layers={round(count)}", call.change(layers=round(count))
    for power in range(-8, 0):
        yield f"eps={float(f'1e{power}'):g}", call.change(eps=float(f"1e{power}"))


def _of_exponents(got, fmt):
    """The step of the exponents of two, where it is one from head to head."""
    exponents = -logarithm(got) / LOG_2
    steps = np.diff(exponents)
    step = float(exponents[-1] - exponents[0]) / (len(got) - 1)
    if np.abs(steps - step).max() > UNITS * unit_of(fmt) / LOG_2:
        return None
    heads = 8 / step if step > 0 else 0.0
    of = f", the first {len(got)} of {heads:.0f} heads" if abs(heads - round(heads)) < CLOSE else ""
    told = f"rates 2**(-{step * len(got):.4g} (h + 1) / {len(got)}), exponent {step * len(got):.4g}{of}"
    return Measured(told, "exponent 8", named=True)
