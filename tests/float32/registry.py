"""The register of formulas in float32.

A formula takes the arguments of a call by name: float arrays in float32, integers in int64, calls that make
frequencies as {"function": name, "arguments": {...}}. It returns the output or a list of outputs. Nothing here imports
refpos. `@float32("NAME", kind="float32-angle")` names the class whose bound the formula must meet.
"""

from typing import NamedTuple

REGISTER = {}


class Formula(NamedTuple):
    """A formula, the classes of which it must meet the first that a call has, why the bound may be far from it,
    whether it is given the defaults of the function, and whether each of its operations rounds its result to the format
    of the output, of 16 bits."""

    function: object
    kinds: tuple
    loose: str
    defaults: bool
    wide: tuple
    narrow: bool
    steps: bool = False


def float32(*names, kind, loose="", defaults=True, wide=(), narrow=False):
    """Registers a function as the float32 formula of functions of the catalogue.

    kind: the class, or a tuple where arguments decide which there is. loose: why the bound is more than a hundred times
    the worst error of the formula. defaults: whether arguments that a call leaves out are given too. wide: arrays that
    stay in float64 where they are, because the program rotates or copies them in their own format. narrow: arrays are
    given in the format of the output, in which the program computes.
    """

    def register(function):
        for name in names:
            assert name not in REGISTER, name
            kinds = (kind,) if isinstance(kind, str) else kind
            REGISTER[name] = Formula(function, kinds, loose, defaults, wide, narrow)
        return function

    return register
