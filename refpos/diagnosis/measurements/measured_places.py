"""Elements that hold one number, or that many times or that much more than is asked for, where all others agree: keys
after the query, beyond a distance, or so many of all."""

from __future__ import annotations

import numpy as np

from ...measure.solving import unit_of
from ...measure.wording import number
from .. import judge
from ..bounds import bounds_of
from ..error_places import one_number
from ..numbers import as_numbers
from .measured import Measured

UNITS = 4  # rounding units of the largest number, that elements may be off
FEWEST = 3  # elements that tell a rule
LARGEST = 1 << 22  # elements that are looked at


def measured_places(trial) -> Measured | None:
    """What the elements that are off hold, and where they are; None where they have no rule."""
    ((name, expected), *others) = trial.outputs.items()
    if others or expected.values.ndim < 2 or trial.size > LARGEST:
        return None
    got, wanted, off = as_numbers(trial.answered[name], expected), as_numbers(expected, expected), trial.beyond[name]
    if not FEWEST <= off.sum() < off.size:
        return None
    told = _rule(got[off], wanted[off], unit_of(expected.dtype) if expected.values.dtype.kind != "i" else 0.0)
    if not told:
        return None
    answer = trial.answered[name]
    kept = {name: answer._replace(values=np.where(off, expected.values, answer.values))}
    limits = bounds_of(*trial.call, trial.outputs)
    met = judge.met_by_all(judge.reports_of(trial.call, trial.outputs, kept, limits=limits))
    if not met:
        return None
    return Measured(f"{_where(off)}: {told[0]}", told[1], met=met[0], named=True)


def _rule(got, wanted, unit):
    """(what elements hold, what is asked for in its place); None without a rule."""
    if np.isnan(got).all() or (got == got[0]).all():
        return one_number(got[0]), "their own numbers"
    if not (np.isfinite(got).all() and np.isfinite(wanted).all()):
        return None
    more, size = float(np.median(got - wanted)), np.abs(got).max()
    if more and (np.abs(wanted + more - got) <= UNITS * unit * size).all():
        return f"{number(abs(more))} {'more' if more > 0 else 'less'}", "nothing added"
    ratio = float(np.median(got / np.where(wanted != 0, wanted, 1)))
    if ratio and (np.abs(wanted * ratio - got) <= UNITS * unit * np.abs(got)).all():
        return f"times {number(ratio)}", "times 1"
    return None


def _where(off):
    """The places of elements of (.., queries, keys) or (.., rows, columns) in words."""
    plane = off.any(axis=tuple(range(off.ndim - 2)))
    rows, columns = plane.shape
    away = np.arange(columns, dtype=np.int64) - np.arange(rows, dtype=np.int64)[:, None]
    if (off == plane).all():
        last = columns - rows
        for origin in dict.fromkeys((0, last)):
            moved = away - origin
            for text, chosen in (("keys after the query", moved > 0), ("keys before the query", moved < 0),
                                 ("the query itself", moved == 0), ("the query and keys after it", moved >= 0),
                                 ("the query and keys before it", moved <= 0)):  # fmt: skip
                if (plane == chosen).all():
                    return f"elements of {text}" + (f", which is row + {origin}" if origin else "")
            most = int(np.abs(moved[~plane]).max(initial=-1))
            if (plane == (np.abs(moved) > most)).all():
                return f"elements more than {most} from the query"
    return f"{int(off.sum())} of {off.size} elements"
