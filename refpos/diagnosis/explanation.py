"""What is said of wrong numbers: the call that gives them, or what they were measured to be."""

from __future__ import annotations

from typing import NamedTuple

#: the mistake of an explanation that is a measurement
MEASURED = "measured"


class Explanation(NamedTuple):
    """A wrong call that gives every element of an answer, or what was measured of it: the mistake, what was computed in
    place of what is asked for, and the class in which the answer meets it, which is empty of a measurement that no call
    verifies; how many elements that are, the largest error before and after, None where it is not known, and of a
    measurement the call that has the numbers."""

    mistake: str
    computed: str
    asked: str
    met: str
    elements: int = 0
    error_before: float = 0.0
    error_after: float | None = 0.0
    call: str = ""

    @property
    def told(self) -> str:
        """What the numbers are, in words."""
        lead = "the numbers of" if self.met else "measured:"
        return f"{lead} {self.computed} (asked: {self.asked})"
