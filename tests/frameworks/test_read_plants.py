"""`refpos.read` of programs of torch, timm and transformers: each is named, or measured; none is misnamed or silent."""

import re

import numpy as np
import pytest
from test_lint import ROOT

import refpos
from frameworks.read_plants import plants

PLANTS = {name: (y, function, given) for name, y, function, given in plants()}
#: programs that no call of refpos has, and what is measured
MEASURED = {
    "soft cap after the bias": "q.k 1/sqrt(32), bias 1, soft cap after the bias",
    "soft cap before the scale": "q.k 1 in a soft cap of 5, times 1/sqrt(32), bias 1",
    "output, softmax over queries": "q.k 1/sqrt(32), softmax over the queries",
    "cropped": "axis 0 copies of rows 0..9, axis 1 copies of rows 2..11",
    "scaled": "cubic (a -0.75), half-pixel, times 2",
    "asymmetric coordinates": "axis 0 linear at 0.645161 j + 0",
    "timm geometric": "method 'geometric' of refpos.tables.resize_bias",
    "sum": "span 0: 1 of row 3, 1 of row 4, 1 of row 5",
}
#: what is said of the others, of those whose name does not say it
WORDS = {
    "plain scores": "q.k 1/sqrt(32)",
    "no scale (T5)": "q.k 1 (asked 1/sqrt(32)), bias 1",
    "scaled twice": "q.k 1/32 (asked 1/sqrt(32))",
    "scale of the model width": "q.k 1/sqrt(128) (asked",
    "ALiBi before the scale": "bias 1/sqrt(32) (asked 1)",
    "bias forgotten": "bias 0 (asked 1)",
    "bias subtracted": "bias -1 (asked 1)",
    "bias twice": "bias 2 (asked 1)",
    "causal by -10000": "mask causal by -10000 (asked none)",
    "padding inverted": "mask of the keys that do not count (asked as given)",
    "padding and causal": "mask as given and causal (asked as given)",
    "weights over the queries": "softmax over the queries",
    "groups tiled": "key heads tiled",
    "groups tiled, output": "key heads tiled",
    "lower-right, asked upper-left": "mask causal lower-right (asked causal upper-left)",
    "output, lower-right": "mask causal lower-right (asked none)",
    "rotary, keys not rotated": "keys not rotated",
    "rotary of another base": "rotated with base 500000",
    "rotary twice": "rotated twice",
    "XL": "q.k, u.k, q.p and v.p 1/sqrt(32)",
    "XL, u forgotten": "u.k 0 (asked 1/sqrt(32))",
    "XL, u for both": "v.p 0 (asked 1/sqrt(32)), u.p 1/sqrt(32) (asked 0)",
    "XL, scale of the content alone": "q.p and v.p 1 (asked 1/sqrt(32))",
    "XL, distances reversed": "distances negated",
    "DeBERTa": "q.k, c2p and p2c 1/sqrt(96)",
    "DeBERTa, sqrt(d)": "q.k, c2p and p2c 1/sqrt(32) (asked 1/sqrt(96))",
    "DeBERTa, p2c forgotten": "p2c 0 (asked 1/sqrt(96))",
    "DeBERTa, p2c not transposed": "rows of p2c transposed",
    "DeBERTa, tables exchanged": "tables exchanged",
    "Shaw, the term not scaled": "q.p 1 (asked 1/sqrt(32))",
    "bicubic": "cubic (a -0.75), half-pixel",
    "bicubic, corners": "cubic (a -0.75), corners",
    "bicubic, antialias": "cubic (a -0.5), half-pixel, antialias",
    "DINOv2 offset": "scale (new + 0.1) / old",
    "height and width exchanged": "height and width exchanged",
    "class token interpolated with the grid": "the class token with the grid",
    "Swin bias": "method 'swin'",
    "BEiT bias": "method 'beit'",
    "timm levit": "method 'levit'",
    "mean with the padding counted": "padding counted",
}
#: of what a float32 program and a call may differ, relative to the largest number; of bfloat16
NEAR = {"float32": 2e-5, "bfloat16": 2.0**-7}


@pytest.mark.parametrize("name", PLANTS)
def test_a_program_is_named_or_measured(name):
    y, function, given = PLANTS[name]
    found = refpos.read(y, function, **given)
    assert found.kind != "unknown" and (found.call is None) == (name in MEASURED), str(found)
    assert {**WORDS, **MEASURED}.get(name, "") in found.summary, str(found)
    if found.call is not None:
        made = eval(found.call, {"refpos": refpos, "np": np, "y": y, **given})
        made = np.asarray(made).view(np.uint16) if found.format == "bfloat16" else np.asarray(made)
        made = (made.astype(np.uint32) << 16).view(np.float32) if found.format == "bfloat16" else made
        finite = np.isfinite(y)
        assert found.complete and made.shape == y.shape and (np.isfinite(made) == finite).all()
        assert np.abs(made[finite] - y[finite]).max() <= NEAR[found.format] * np.abs(y[finite]).max()


def test_the_lists_name_programs():
    assert {*MEASURED, *WORDS} <= set(PLANTS) and not {*MEASURED} & {*WORDS}


def test_the_page_counts_the_programs():
    page = (ROOT / "docs" / "read.md").read_text(encoding="utf-8")
    (found,) = re.findall(
        r"Of (\d+) programs of torch, timm and transformers (\d+) are named, (\d+) measured only", page
    )
    assert [*map(int, found)] == [len(PLANTS), len(PLANTS) - len(MEASURED), len(MEASURED)]
