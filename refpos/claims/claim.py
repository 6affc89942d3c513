"""The answer to a claim: whether the formula has the property, and how far the rounded numbers are from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..conformance.distances import APART, steps_between
from ..errors import InputError
from ..guard import guarded


@guarded
class Claim(NamedTuple):
    """What a function of `refpos.claims` returns; true where the formula holds and the numbers agree with it.

    Attributes
    ----------
    holds : bool
        Whether the formula has the property, for all inputs.
    why : str
        The reason, in a sentence.
    dtype : str
        Format of the numbers compared.
    ulp : float
        The largest difference of two numbers that the claim says are equal, in units in the last place of dtype, after
        rounding.
    index : tuple of int or None
        Where that difference is; None where all are equal.
    difference, bound : float
        Those of the number whose difference is the largest part of what rounding explains, both absolute.
    compared : int
        Number of numbers that were compared, at least one.
    """

    holds: bool
    why: str
    dtype: str
    ulp: float
    index: tuple[int, ...] | None
    difference: float
    bound: float
    compared: int

    def __bool__(self) -> bool:
        return self.holds and self.difference <= self.bound

    def __str__(self) -> str:
        state = "holds" if self.holds else "does not hold"
        where = "" if self.index is None else f" at {self.index}"
        least = f"{self.difference:.3g} for at most {self.bound:.3g} by rounding"
        return f"{state}: {self.why}\n{self.compared} numbers of {self.dtype}: {self.ulp} ulp{where}; {least}"


def judged(holds, why, fmt, pair, differences, bounds):
    """The `Claim` of two arrays of bit patterns, their absolute differences and what rounding explains of these."""
    if not differences.size:
        raise InputError("E_SHAPE", "shift", "a claim must compare at least one number, got none")
    if not np.isfinite(bounds).all():
        raise InputError("E_NUMBER", "q", "numbers must be so small that their bound is finite, got larger ones")
    ulp = steps_between(*(np.asarray(part, np.uint64) for part in pair), fmt)
    worst = int(ulp.argmax())
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(differences == 0, 0.0, differences / bounds)
    at = int(np.nan_to_num(share, nan=np.inf).argmax())
    difference, bound = (float(part.reshape(-1)[at]) for part in (differences, bounds))
    if holds and not difference <= bound:
        why += "; but the numbers are further apart than rounding explains"
    if not holds and difference <= bound:
        why += "; these numbers do not show it"
    most = ulp.reshape(-1)[worst]
    index = tuple(int(k) for k in np.unravel_index(worst, ulp.shape)) if most else None
    far = float("inf") if most == APART else int(most)
    return Claim(bool(holds), why, fmt.name, far, index, difference, bound, differences.size)
