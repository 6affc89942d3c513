"""Tensors of GGUF files held against the configuration that the file was converted from."""

import numpy as np

from ..catalogue import find
from ..conformance.derivations.exact_inputs import exact_values
from ..conformance.error_bounds import bounds
from ..frequencies.inverse_frequencies import inverse_frequencies
from .finding import Finding
from .held import SAYS, shape_finding

TABLE = "position_embd.weight"
SETS = {"rope_factors_long.weight": "long_factor", "rope_factors_short.weight": "short_factor"}
NO_FACTORS = "not described: factors of no single rotation whose base the configuration gives"


def factors_finding(stored, rotations):
    """The `Finding` of the factors that divide the frequencies; rotations: those it may belong to."""
    rotations = [one for one in rotations if one.rotary.frequencies.recipe is not None]
    if len(rotations) != 1 or "rope_theta" not in rotations[0].rotary.parameters:
        return Finding(stored.name, "not described", NO_FACTORS)
    part, rotary = rotations[0].label, rotations[0].rotary
    if stored.name in SETS:
        expected = rotary.frequencies.recipe[2].get(SETS[stored.name])
        if expected is None:
            return Finding(stored.name, "differs", f"differs from {part}: the configuration has no {SETS[stored.name]}")
        return _held(stored, part, np.array(expected, np.float64), 2.0**-24)
    plain = inverse_frequencies(rotary.rotary_dim, base=rotary.parameters["rope_theta"])
    # a float32 quotient of float32 frequencies, before and after the scaling
    allowed = 2.0**-24 + sum(_relative_bound(one) for one in (plain, rotary.frequencies))
    return _held(stored, part, plain.inv_freq / rotary.inv_freq, allowed)


def _relative_bound(frequencies):
    """How far float32 frequencies may be off relatively, each."""
    function, given, named = frequencies.recipe
    entry = find(function)
    call = dict(zip(entry.parameters, given)) | named
    limit = bounds(function, call, {}, "float32")["float32-exp-angle"][entry.outputs[0]]
    return limit / np.abs(frequencies.inv_freq)


def _held(stored, part, expected, allowed):
    """The finding of factors beside the expected ones; allowed: how far they may be off relatively."""
    tensor = stored.read() if stored.shape == expected.shape else None
    if tensor is None:
        return shape_finding(stored.name, part, stored.shape, expected.shape)
    factors = exact_values(tensor)
    off = np.abs(factors / expected - 1)
    wrong = ~(off <= allowed)
    if not wrong.any():
        return Finding(stored.name, "right", f"{SAYS} ({part}): factors at most {off.max():.3g} off relatively", part)
    at = int(np.flatnonzero(wrong)[0])
    told = f"differs from {part}: {int(wrong.sum())} of {len(off)} factors off"
    return Finding(stored.name, "differs", f"{told}, first at [{at}]: {factors[at]:.9g} for {expected[at]:.9g}", part)


def table_finding(stored, config):
    """The `Finding` of the learned table of a GGUF file; None for other tensors."""
    if stored.name != TABLE or config is None:
        return None
    tables = [one for one in config.encodings if one.name == "learned" and one.place == "embeddings"]
    if len(tables) != 1 or "shape" not in tables[0].parameters:
        return None
    label, (rows, width) = f"{tables[0].part}, learned", tables[0].parameters["shape"]
    # a conversion leaves out the rows up to that of padding
    without = rows - tables[0].parameters.get("padding_idx", -1) - 1
    found = shape_finding(stored.name, label, stored.shape, (rows, width))
    return found if stored.shape != (without, width) else shape_finding(stored.name, label, stored.shape, stored.shape)
