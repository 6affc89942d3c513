"""Angles of rows and pairs as unit numbers, whose phases are computed once for all rules that are tried."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ..types import Array
from .unwrapping import phases


class UnitNumbers(NamedTuple):
    """Unit numbers of the rows of a region, (rows, pairs), 0 where there is no angle; gains of pairs and of rows;
    rounding unit of what the angles were made of, and that of the format of the numbers."""

    z: Array
    gains: Array
    rows_of_gain: Array
    unit: float
    of_format: float


class Angles(UnitNumbers):
    """The same with what rules ask of them, each computed once."""

    @cached_property
    def rows(self):
        """Which rows have an angle in some pair."""
        return (self.z != 0).any(axis=1)

    @cached_property
    def pairs(self):
        """Which pairs have an angle in some row."""
        return (self.z != 0).any(axis=0)

    @cached_property
    def phases(self):
        """The phases of all rows, (rows, pairs)."""
        return phases(self.z)

    @cached_property
    def from_first(self):
        """(unit numbers of the rows with an angle beside the first of them, their phases)."""
        z = self.z[self.rows]
        z = z * z[0].conj()
        return z, phases(z)

    @cached_property
    def steps(self):
        """(unit numbers of the rows with an angle beside the one before, their phases)."""
        z = self.z[self.rows]
        z = z[1:] * z[:-1].conj()
        return z, phases(z)
