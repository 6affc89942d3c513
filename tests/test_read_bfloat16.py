"""Numbers of bfloat16 are read with NumPy alone, which has no dtype for them."""

import sys

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos.arithmetic import formats, rounding

RNG = np.random.default_rng(16)
X = RNG.standard_normal((12, 16)).astype(np.float32)
TABLE = RNG.standard_normal((32, 4)).astype(np.float32)
Q, K = (RNG.standard_normal((2, n, 8)).astype(np.float32) for n in (5, 7))


def bits(values):
    """bfloat16 as bit patterns."""
    return rounding.narrow(np.ascontiguousarray(values, np.float64), formats.FORMATS["bfloat16"]).reshape(
        np.shape(values)
    )


def wide(values):
    """Those as float32."""
    return rounding.widen(bits(values), formats.FORMATS["bfloat16"]).astype(np.float32).reshape(np.shape(values))


SINES = refpos.sinusoidal(12, 16)
CALLS = {
    "rope": (refpos.rope(X, 12, pairing="half"), refpos.rope, X),
    "rope, rounded": (refpos.rope(wide(X), 12, pairing="half"), refpos.rope, wide(X)),
    "rope_table": (np.stack(refpos.rope_table(12, refpos.inverse_frequencies(16))), refpos.rope_table),
    "sinusoidal": (SINES, refpos.sinusoidal),
    "timestep_embedding": (
        refpos.timestep_embedding([0, 7, 999], 16, flip_sin_to_cos=True, downscale_freq_shift=0),
        refpos.timestep_embedding,
    ),
    "sincos_2d": (refpos.sincos_2d(3, 5, 16, axis_order="hw"), refpos.sincos_2d),
    "t5_bias": (refpos.t5_bias(TABLE, 6, 9, bidirectional=True), refpos.t5_bias, TABLE),
    "t5_bias, scaled": (refpos.t5_bias(0.25 * TABLE, 6, 9, bidirectional=True), refpos.t5_bias, TABLE),
    "learned": (refpos.learned(TABLE, 9), refpos.learned, TABLE),
    "alibi": (refpos.alibi(8, 6, 9, mode="symmetric"), refpos.alibi),
    "alibi_slopes": (refpos.alibi_slopes(12), refpos.alibi_slopes),
    "kerple": (refpos.relative.kerple([1.0, 2.0], [0.5, 0.25], 6, 6, kind="power"), refpos.relative.kerple),
    "decay": (refpos.relative.decay(4, 6, 6, rule="retnet"), refpos.relative.decay),
    "attention": (refpos.attention(Q, K, None, outputs="scores"), refpos.attention, Q, K),
    "resize_table": (
        refpos.resize_table(X.reshape(3, 4, 16), (5, 7), method="linear", align="half-pixel"),
        refpos.resize_table,
        X.reshape(3, 4, 16),
    ),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", sampled([bits, wide], 2))
def test_it_is_read_without_another_package(name, form, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    y, function, *inputs = CALLS[name]
    found = refpos.read(form(y), function, *inputs)
    assert found.format == "bfloat16" and found.kind != "unknown", str(found)
    monkeypatch.undo()
    assert str(refpos.read(form(y), function, *inputs)) == str(found)
