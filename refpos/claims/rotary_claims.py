"""Which rotary encodings turn queries and keys so that their score depends on the distance only, and why.

With R(p) the matrix at position p, the score of q at m and k at n is q^T R(m)^T R(n) k. For all q and k it depends on
n - m only where R(m)^T R(n) does, so where R(n) = R(m) R(n - m), apart from what is the same at all positions.
"""

from typing import NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import rounding
from ..errors import InputError, shown
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..rotary.ernie_image_rope import repeated_rungs
from ..rotary.vjepa2_rope import tiled_rungs
from ..steps.angles.frequencies import Frequencies
from .mixed_layouts import rungs_of

ONE_ANGLE = "both channels of each pair rotate by one angle, linear in the position, so R(m)^T R(n) = R(n - m)"
MOST_BITS = 4096


class Angles(NamedTuple):
    """For the first and the second channels of all pairs: the indices of their frequencies, and axes."""

    frequencies: Frequencies
    rungs: tuple
    axes: tuple


def one_angle(arguments, dim):
    """The formulas whose pairs each rotate by one angle, whatever the frequencies are."""
    return True, ONE_ANGLE


def xpos(arguments, dim):
    """The growth of queries and the decay of keys leave a power of n - m."""
    if arguments["downscale"] == arguments["keys"].get("downscale", arguments["downscale"]):
        return False, "queries and keys grow alike, so a score has the factor zeta**((m + n - 2 c) / scale_base)"
    return True, f"{ONE_ANGLE}, and the factors of query and key multiply to zeta**((m - n) / scale_base)"


def liere(arguments, dim):
    """exp(A(m))^T exp(A(n)) = exp(A(n - m)) for all m and n where the generators commute, and only there."""
    generators = np.asarray(arguments["generators"])
    exact = np.array([checks.real("generators", value) for value in generators.reshape(-1).tolist()], object)
    exact = exact.reshape(generators.shape)
    for a in range(len(exact)):
        for b in range(a):
            apart = exact[a] @ exact[b] != exact[b] @ exact[a]
            if apart.any():
                head, block = np.argwhere(apart)[0].tolist()[:2]
                which = f"the generators of axes {b} and {a} do not commute (head {head}, block {block})"
                return False, f"{which}, so exp(A(m)) exp(A(d)) is not exp(A(m + d))"
    return True, "all generators commute, so exp(A(m))^T exp(A(n)) = exp(A(n - m))"


def of_vjepa2(arguments, dim):
    """The angles of `vjepa2_rope`."""
    half = dim // 3 // 2
    rungs, axes = zip(*tiled_rungs(half))
    return Angles(inverse_frequencies(2 * half, base=arguments["base"]), rungs, axes)


def of_ernie_image(arguments, dim):
    """The angles of `ernie_image_rope`."""
    frequencies = axial_frequencies(arguments["widths"], base=arguments["base"])
    rungs = repeated_rungs(len(frequencies))
    axes = frequencies.axes or (0,) * len(frequencies)
    return Angles(frequencies, rungs, [[axes[k] for k in part] for part in rungs])


def of_xdrope(arguments, dim):
    """The angles of `xdrope`."""
    sections, frequencies = arguments["sections"], arguments["frequencies"]
    if frequencies is None:
        frequencies = inverse_frequencies(2 * sum(sections), base=arguments["base"])
    axes, rungs = [k for k, count in enumerate(sections) for _ in range(2 * count)], range(len(frequencies))
    return Angles(frequencies, (rungs, rungs), (axes[: len(rungs)], axes[len(rungs) :]))


def of_mixed_layouts(arguments, dim):
    """The angles of `mixed_layouts`."""
    axes, rungs = (0,) * (dim // 2), rungs_of(dim, arguments["table"], arguments["pairing"])
    return Angles(inverse_frequencies(dim, base=arguments["base"]), rungs, (axes, axes))


def two_angles(angles_of):
    """The rule of formulas whose channels take their angles one by one: a rotation where both of each pair agree."""

    def rule(arguments, dim):
        frequencies, rungs, axes = angles_of(arguments, dim)
        for pair, (j, k, axis, other) in enumerate(zip(*rungs, *axes)):
            if not same_angle(frequencies, j, k, axis, other):
                first, second = f"p{axis} theta_{j}", f"p{other} theta_{k}"
                why = f"pair {pair} rotates its first channel by {first} and its second by {second}"
                return False, f"{why}, which is not a rotation"
        return True, ONE_ANGLE

    return rule


def same_angle(frequencies, j, k, axis, other):
    """Whether frequency j times a position on one axis is frequency k times that on another, for all positions."""
    known = [frequencies.rational(i) for i in (j, k)]
    if axis != other:
        return known == [0, 0]
    if j == k:
        return True
    if None not in known or known != [None, None]:  # a fraction is never equal to a number that is none
        return known[0] == known[1]
    for bits in rounding.precisions(256, MOST_BITS):
        values = frequencies.fixed(bits)
        if abs(values[j] - values[k]) > 2:
            return False


#: {encoding: (whether the property holds, why) of its arguments and the width of q}
RULES = {
    "rope": one_angle,
    "rope_2d": one_angle,
    "rope_3d": one_angle,
    "mrope": one_angle,
    "mixed_rope": one_angle,
    "pope": one_angle,
    "xpos": xpos,
    "liere": liere,
    "vjepa2_rope": two_angles(of_vjepa2),
    "ernie_image_rope": two_angles(of_ernie_image),
    "xdrope": two_angles(of_xdrope),
    "mixed_layouts": two_angles(of_mixed_layouts),
}
#: what queries and keys may have apart
OF_KEYS = {"xpos": ("downscale",), "pope": ("bias",)}


def checked_keys(name, keys):
    """The arguments of keys alone, as a dict."""
    allowed = OF_KEYS.get(name, ())
    if not isinstance(keys, dict) or not set(keys) <= set(allowed):
        wanted = f"a dict of {', '.join(allowed)}" if allowed else f"left out for {name}"
        raise InputError("E_CHOICE", "keys", f"keys must be {wanted}, got {shown(keys)}")
    return keys
