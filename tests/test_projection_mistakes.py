"""Mistakes of random Fourier features, as NumPy programs in float32 make them."""

import numpy as np
import pytest
from tiers import sampled

import refpos

F32, RNG = np.float32, np.random.default_rng(4)
SHAPES = [(40, 2, 32), (25, 3, 3), (200, 1, 16)]  # tokens, coordinates, columns


def features(points, weight, factor=2 * np.pi, order=(np.sin, np.cos)):
    angles = F32(factor) * (points.astype(F32) @ weight.astype(F32))
    return np.concatenate([function(angles) for function in order], -1)


EXCHANGED = (np.cos, np.sin)
#: words: the features of points and a matrix
PLANTS = {
    "factor=1 (2pi left out)": lambda c, w: features(c, w, 1),
    "factor='pi'": lambda c, w: features(c, w, np.pi),
    "layout='cos-sin'": lambda c, w: features(c, w, order=EXCHANGED),
    "weight times 10": lambda c, w: features(c, F32(10) * w),
    "weight times 16.3": lambda c, w: features(c, F32(16.3) * w),
    "weight times 0.37": lambda c, w: features(c, F32(0.37) * w),
    "weight divided by 16": lambda c, w: features(c, w / F32(16)),
    "weight times 16.3 and layout='cos-sin'": lambda c, w: features(c, F32(16.3) * w, order=EXCHANGED),
    "2 coordinates - 1": lambda c, w: features(2 * c - 1, w),
    "rows of weight in reverse order": lambda c, w: features(c[:, ::-1], w),
    "transposed": lambda c, w: features(c, w.T if len(w) == len(w.T) else w.reshape(w.shape[::-1]).T),
}


def inputs(shape):
    tokens, axes, columns = shape
    return RNG.random((tokens, axes)).astype(F32), RNG.standard_normal((axes, columns)).astype(F32)


@pytest.mark.parametrize("shape", sampled(SHAPES, len(SHAPES)), ids=str)
@pytest.mark.parametrize("words", PLANTS)
def test_mistakes_of_projections_are_named(words, shape):
    if shape[1] == 1 and words in ("transposed", "rows of weight in reverse order"):
        assert (PLANTS[words](*(given := inputs(shape))) == features(*given)).all()  # no mistake
        return
    points, weight = inputs(shape)
    made = PLANTS[words](points, weight)
    found = refpos.diagnose(made, refpos.absolute.fourier_projection, points, weight, factor="2pi", layout="sin-cos")
    assert found.met is None and words in found.explanations[0].computed, found
    assert found.explanations[0].met, found


@pytest.mark.parametrize("shape", sampled(SHAPES, len(SHAPES)), ids=str)
def test_right_features_are_right_and_noise_has_no_name(shape):
    points, weight = inputs(shape)
    asked = (refpos.absolute.fourier_projection, points, weight)
    assert refpos.compare(features(points, weight), *asked, factor="2pi", layout="sin-cos")
    noise = RNG.uniform(-1, 1, features(points, weight).shape).astype(F32)
    assert not refpos.diagnose(noise, *asked, factor="2pi", layout="sin-cos").explanations
