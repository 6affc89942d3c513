"""`refpos.read` of sinusoidal tables, timestep embeddings and grids of programs that share no code with refpos."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rotary_programs import ROUND, bits_of_bfloat16
from sinusoid_programs import PLANTS, fairseq, grid, of_columns, table, timesteps, with_class_token
from tiers import sampled

import refpos
from refpos import catalogue, cli
from refpos.conformance import bounds
from refpos.measure import estimates

F = np.float32
RNG = np.random.default_rng(5)
PAGE = Path(__file__).resolve().parent.parent / "docs" / "read.md"
#: how far the call may be from the formula without any rounding: a unit of the format, the digits of a factor, and 5e-10
#: by which the formula itself is off in float64 at the largest angle
APART = {"float64": 1e-9, "float32": 2e-6, "float16": 1e-3, "bfloat16": 8e-3}
#: how far angles of a call may be from those planted, as its bounds cannot tell them apart
TOLD = {"float64": 1e-9, "float32": 1e-3, "float16": 0.02, "bfloat16": 0.1}


def read(plant):
    return refpos.read(plant.y, catalogue.find(plant.function).function)


def evaluated(found):
    """What the call of a reading gives, as float64."""
    values = np.asarray(eval(found.call, {"refpos": refpos, "np": np, "found": found}))
    if found.format == "bfloat16":
        return (values.view(np.uint16).astype(np.uint32) << 16).view(F).astype(np.float64)
    return values.astype(np.float64)


def measured(found, shape):
    """The numbers that the measurement alone says, without a call: factor, frequencies and positions of the pairs."""
    angles = found.positions.reshape(-1, 1) * found.frequencies
    values = np.full((angles.shape[0], shape[-1]), np.nan)
    for k, (cosine, sine) in enumerate(found.pairs):
        values[:, cosine], values[:, sine] = found.gains[k] * np.cos(angles[:, k]), found.gains[k] * np.sin(angles[:, k])
    return values.reshape(shape)


def outcome(plant, found, apart=APART):
    """Whether a reading is the program that was planted: "named" by a verified call, "measured", "misnamed" or
    "silent"."""
    if found.kind == "unknown":
        return "silent"
    if found.call is not None:
        near = np.abs(evaluated(found).reshape(plant.exact.shape) - plant.exact).max() <= apart[plant.kind]
        return "misnamed" if not near else "named" if found.complete else "measured"
    if not found.pairs:
        return "silent"
    size = np.abs(plant.exact).max()
    near = np.abs(measured(found, plant.exact.shape) - plant.exact).max() <= 8 * apart[plant.kind] * size
    return "measured" if near else "misnamed"


@pytest.mark.parametrize("name", sampled(list(PLANTS), 25))
def test_a_program_is_not_misnamed(name):
    plant = PLANTS[name]()
    assert outcome(plant, read(plant)) == ("measured" if name.startswith("times ") else "named")


@pytest.mark.exhaustive
def test_the_page_counts_the_programs():
    counts = Counter(outcome(plant, read(plant)) for plant in (make() for make in PLANTS.values()))
    told = f"Of {len(PLANTS)} programs {counts['named']} are named, {counts['measured']} are measured only"
    assert told in " ".join(PAGE.read_text().split())
    assert not counts["misnamed"] and not counts["silent"] and len(PLANTS) >= 60
