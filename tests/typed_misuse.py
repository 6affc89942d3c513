"""Mistakes, of which type checkers refuse every line that says so; never run."""

import numpy as np

import refpos
from refpos import coordinates, golden, models

x = np.ones((3, 8))
frequencies = refpos.inverse_frequencies(8)
refpos.rope(x, 3, pairing="hlaf")  # refused: arg-type
refpos.rop(x, 3, pairing="half")  # refused: attr-defined
refpos.rope(x, 3)  # refused: call-arg
refpos.rope(x, 3, pairing="half", bsae=10000)  # refused: call-arg
refpos.rope(x, 3, pairing="half", base="10000")  # refused: arg-type
refpos.rope(x, 3, pairing="half", frequencies=frequencies.inv_freq)  # refused: arg-type
refpos.sinusoidal(3, 8, layout="sincos")  # refused: arg-type
refpos.sinusoidal(3, 8, dtype="float8")  # refused: arg-type
refpos.sinusoidal(3, "8")  # refused: arg-type
refpos.sincos_2d(2, 3, 8, axis_order="xy")  # refused: arg-type
refpos.rope_3d(x, 1, 1, 3, pairing="half", axis_order="hw", widths=(2, 2, 4))  # refused: arg-type
refpos.rotary.xpos(x, 3, pairing="block-half", centring="floor")  # refused: arg-type
refpos.alibi(4, 3, 3, mode="casual")  # refused: arg-type
refpos.t5_bias(x, 3, 3)  # refused: call-arg
refpos.yarn(8, factor=4)  # refused: call-arg
refpos.frequencies.mrope_frequencies(8, sections=(2, 1, 1), arrangement="blocks")  # refused: arg-type
refpos.positions.qwen2_vl_positions([[0, 0]], version="5.23.0")  # refused: arg-type
refpos.compare(x, x, conformance="exact")  # refused: call-overload
frequencies.freqs  # refused: attr-defined
cos, sin, more = refpos.rope_table(3, frequencies)  # refused: misc
golden.cases(tier="all")  # refused: arg-type
golden.load(3)  # refused: arg-type
models.lod("flux")  # refused: attr-defined
models.load("flux").rotated  # refused: union-attr
coordinates.centred(5, rounding="nearest")  # refused: arg-type
coordinates.centered(5, rounding="floor")  # refused: attr-defined
