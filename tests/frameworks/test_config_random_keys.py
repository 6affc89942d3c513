"""Random legal rope keys, in every spelling, read by refpos and by the rotary modules of transformers.

`files` draws a configuration of a type: a scaling or none, in rope_scaling or rope_parameters, flat or for each layer
type, under rope_type or type, with the base and the rotated part inside or beside. Both readings must give the same
frequencies and factor, to the roundings of float32; a file that either refuses is counted, and not compared.
"""

import collections
import contextlib
import functools
import io
import random

import numpy as np
import pytest

from refpos import InputError
from refpos.configs.model_defaults import rows

from . import test_config

#: what refpos reads as the file has it, and says so in a note that transformers 5.23 does not
DROPPED = "drops this scaling"
#: types that are not drawn: modules of times and coordinates, and one whose table does not fit its heads without a part
APART = {*test_config.MEASURED, "mistral4"}
#: the part of a head in each object of a type that fills it in too late for its own first table
PARTS = {"deepseek_v4": 0.125}
LENGTH = "original_max_position_embeddings"


def scaling(draw, width):
    """A scaling with all that its formula needs, for so many rotated channels."""
    kind = draw.choice(["default", "linear", "dynamic", "yarn", "yarn", "yarn", "llama3", "longrope", "proportional"])
    values = {draw.choice(["rope_type", "rope_type", "type"]): kind}
    if kind != "default" and kind != "longrope":
        values["factor"] = draw.choice([1.5, 2.0, 4.0, 8.0, 16, 40.0])
    if kind in ("yarn", "llama3", "longrope"):
        values[LENGTH] = draw.choice([1024, 2048, 4096])
    if kind == "yarn":
        more = {"beta_fast": 64, "beta_slow": 2, "truncate": draw.random() < 0.5, "attention_factor": 1.25}
        values |= {name: value for name, value in more.items() if draw.random() < 0.4}
        if draw.random() < 0.4:
            values |= {"mscale": draw.choice([1.0, 0.707]), "mscale_all_dim": draw.choice([0.5, 1.0])}
    if kind == "llama3":
        values |= {"low_freq_factor": 1.0, "high_freq_factor": draw.choice([2.0, 4.0])}
    if kind == "longrope":
        values |= {"short_factor": [1.0 + i / 64 for i in range(width // 2)], "long_factor": [2.0] * (width // 2),
                   "factor": 4.0}  # fmt: skip
    return values


def outer(draw, row):
    """Keys beside the rope parameters: the base and the rotated part, by each name that a file may have."""
    names = ["rope_theta", row.other_names.get("rope_theta", "rope_theta")]
    names += [base.key for base in row.layer_bases.values() if base.key]
    values = {name: draw.choice([1e4, 5e5, 1e6]) for name in names if draw.random() < 0.4}
    if draw.random() < 0.2:
        values[row.other_names.get("partial_rotary_factor", "partial_rotary_factor")] = draw.choice([0.25, 0.5, 1.0])
    return values


def files(draw, row, widths):
    """The file of a type; widths: {layer type or None: rotated channels of its default module}."""
    spelling = draw.choice(["rope_scaling", "rope_parameters"])
    labels = [label for label in widths if label]
    inner = {}
    if labels and draw.random() < 0.7:
        inner = {label: scaling(draw, widths[label]) for label in labels}
        if draw.random() < 0.3:
            inner["truncate"] = draw.random() < 0.5
    elif draw.random() < 0.85:
        inner = scaling(draw, next(iter(widths.values())))
    for one in [value for value in inner.values() if isinstance(value, dict)] or [inner]:
        if one and draw.random() < 0.5:
            one["rope_theta"] = draw.choice([2e4, 3e5])
        if one and draw.random() < 0.15:
            one["partial_rotary_factor"] = draw.choice([0.25, 0.5])
        if one and row.model_type in PARTS:
            one.setdefault("partial_rotary_factor", PARTS[row.model_type])
    values = outer(draw, row)
    return {"model_type": row.model_type, **values, **({spelling: inner} if inner else {})}


def theirs(found, values):
    """{layer type or None: (frequencies, factor)} of the module, None where transformers refuses the file."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            _, module = test_config.built(found.kind, values, found)
    except Exception:  # whatever its code does to a file that it cannot read
        return None
    return {label: (one, factor) for label, one, factor in test_config.layer_types(module)}


def ours(found, values):
    """The same of refpos, and whether it reads otherwise and says so; None where it refuses the file."""
    try:
        part = test_config.part_of(test_config.switched(found.kind, dict(values)), found.kind)
    except (InputError, ValueError):
        return None
    rotaries = part.rotaries
    return rotaries, any(DROPPED in note for one in rotaries.values() for note in one.notes)


def same(one, other):
    """Whether frequencies and factor are the same but for float32; an order of their own is sorted."""
    (values, factor), rotary = one, other
    mine = np.array(rotary.inv_freq)
    if len(values) != len(mine):
        return False
    close = np.allclose(np.sort(values), np.sort(mine), rtol=3e-5, atol=1e-12)
    return close and abs(factor - rotary.attention_factor) <= 1e-5 * abs(factor)


@functools.cache
def drawn_from():
    """(module, its row, {layer type or None: rotated channels}) of each type that files are drawn for."""
    choices = []
    for found in test_config.found_modules():
        if found.kind in APART or found.name in {*test_config.NO_MODULE, *test_config.NO_TABLE}:
            continue
        row = rows()[found.kind]
        default = theirs(found, test_config.switched(found.kind, {"model_type": found.kind}))
        if row.axial is None and default:
            choices.append((found, row, {label: 2 * len(one) for label, (one, _) in default.items()}))
    return choices


def compared(seed, count):
    """(verdicts as a Counter, the files that are read wrongly) of so many random files."""
    draw, verdicts, wrong = random.Random(seed), collections.Counter(), []
    while sum(verdicts.values()) < count:
        found, row, widths = draw.choice(drawn_from())
        values = files(draw, row, widths)
        module, mine = theirs(found, values), ours(found, values)
        if module is None or mine is None:
            verdicts[
                "refused by " + ("both" if module is mine else "transformers" if module is None else "refpos")
            ] += 1
            continue
        rotaries, otherwise = mine
        right = all(same(one, rotaries[label or next(iter(rotaries))]) for label, one in module.items()
                    if label is None or label in rotaries)  # fmt: skip
        verdicts["right" if right else "noted" if otherwise else "wrong"] += 1
        if not right and not otherwise:
            wrong.append(values)
    return verdicts, wrong


@pytest.mark.parametrize("seed", range(10))
def test_random_rope_keys_are_read_as_transformers_reads_them(seed):
    verdicts, wrong = compared(seed, 500)
    assert not wrong, wrong[:3]
    assert verdicts["right"] > 225, verdicts


def test_most_rotary_types_are_drawn():
    assert len(drawn_from()) > 180
