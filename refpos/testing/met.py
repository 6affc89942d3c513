"""What a comparison that passes returns."""

from __future__ import annotations


class Met(str):
    """The strictest class that is met. `silent`: of how many of the `elements` that were compared its bounds say
    nothing."""

    __slots__ = ("elements", "silent")
    silent: int
    elements: int

    def __new__(cls, text: str, silent: int = 0, elements: int = 0) -> Met:
        """A text with these counts."""
        made = super().__new__(cls, text)
        made.silent, made.elements = silent, elements
        return made
