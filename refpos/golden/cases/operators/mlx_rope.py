"""Golden cases of rope of MLX."""

from ...case import fraction, listed, project, scattered, suite
from ...telling_inputs import DTYPES, LONG, SHORT, narrow

value, refused = suite("mlx_rope", project("mlx", "0.32.4", "mlx/fast.cpp", "rope"))
PAIRS, CACHE = ("InterleavedVsHalf",), ("CacheOffset",)
BASE = {"base": 10000.0, "scale": 1.0}


def tensors(dtype="float32", shape=(2, 2, 3, 8), seed=1200, **more):
    return {"x": scattered(dtype, shape, seed), **more}


CASES = [
    *[
        value(f"{('half', 'traditional')[traditional]}-{SHORT[dtype]}", f"from position 3 on, {dtype}", dims=8,
              traditional=bool(traditional), offset=3, **BASE, flags=(*PAIRS, *CACHE, *narrow(dtype)),
              inputs=tensors(dtype, seed=1200 + 2 * k + traditional))
        for k, dtype in enumerate(DTYPES)
        for traditional in (0, 1)
    ],
    *[
        value(f"each-{SHORT[dtype]}", f"a first position for each sequence, scale 1/4, 6 of 8 channels, {dtype}",
              dims=6, traditional=False, base=500000.0, scale=0.25, flags=("PartialRotary", "Base", *CACHE, *PAIRS),
              inputs=tensors(dtype, seed=1210 + k, offset=listed([131070, 5])))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"freqs-{SHORT[dtype]}", f"wavelengths, which positions are divided by, scale 2, {dtype}", dims=8,
              traditional=True, base=None, scale=2.0, offset=4097, flags=("Inverse", "Scaling", *PAIRS, *narrow(dtype)),
              inputs=tensors(dtype, seed=1220 + k, freqs=listed([1.0, 10.5, 96.0, 4096.0], "float32")))
        for k, dtype in enumerate(DTYPES)
    ],
    value("three-axes-f32", "(batch, seq, dim)", dims=8, traditional=False, offset=0, **BASE,
          inputs=tensors(shape=(2, 4, 8), seed=1230)),
    value("three-axes-each-f32", "(batch, seq, dim), a first position for each sequence", dims=4, traditional=True,
          **BASE, flags=CACHE, inputs=tensors(shape=(3, 2, 4), seed=1231, offset=listed([7, 0, 100]))),
    value("five-axes-f32", "(batch, groups, heads, seq, dim), a first position for each sequence", dims=4,
          traditional=False, **BASE, flags=("HeadAxis", *CACHE),
          inputs=tensors(shape=(2, 2, 3, 2, 4), seed=1232, offset=listed([9, 1]))),
    value("decode-f32", "one token at position 4095", dims=8, traditional=False, offset=4095, **BASE, flags=CACHE,
          inputs=tensors(shape=(1, 2, 1, 8), seed=1233)),
    value("before-0-f32", "positions from -2 on", dims=8, traditional=False, offset=-2, **BASE,
          inputs=tensors(seed=1234)),
    value("long-f32", "positions past 2**24", dims=8, traditional=False, offset=2**24 - 1, **BASE, flags=LONG,
          inputs=tensors(shape=(1, 1, 3, 8), seed=1235)),
    value("scale-third-f32", "scale 1/3, which is no float", dims=8, traditional=False, base=10000.0,
          scale=fraction(1, 3), offset=10, flags=("Scaling", "FractionalPosition"), inputs=tensors(seed=1236)),
    value("freqs-each-f32", "wavelengths, and a first position for each sequence", dims=4, traditional=False, base=None,
          scale=1.0, flags=("Inverse", "PartialRotary", *CACHE),
          inputs=tensors(seed=1237, offset=listed([17, 3]), freqs=listed([2.0, 0.125], "float32"))),
    value("one-offset-f32", "an array of one first position for two sequences", dims=8, traditional=False, **BASE,
          flags=CACHE, inputs=tensors(seed=1238, offset=listed([6]))),
    value("no-tokens-f32", "no tokens", dims=8, traditional=False, offset=3, **BASE,
          inputs=tensors(shape=(1, 2, 0, 8), seed=1239)),
    value("llama-3-f32", "base 500000, 64 channels", dims=64, traditional=False, base=500000.0, scale=1.0, offset=8191,
          flags=("Base", *CACHE), inputs=tensors(shape=(1, 1, 2, 64), seed=1240)),
    # refused
    refused("two-axes", "x of two axes", "E_SHAPE", "x", dims=8, traditional=False, offset=0, **BASE,
            inputs=tensors(shape=(3, 8))),
    refused("odd", "7 rotated channels", "E_ODD_DIM", "dims", dims=7, traditional=False, offset=0, **BASE,
            inputs=tensors()),
    refused("none-rotated", "no rotated channels", "E_ODD_DIM", "dims", dims=0, traditional=False, offset=0, **BASE,
            inputs=tensors()),
    refused("wide", "more rotated channels than there are", "E_ROTARY_DIM", "dims", dims=10, traditional=False,
            offset=0, **BASE, inputs=tensors()),
    refused("neither", "neither base nor freqs", "E_MISSING", "base", dims=8, traditional=False, base=None, scale=1.0,
            offset=0, inputs=tensors()),
    refused("both", "base and freqs", "E_MISSING", "base", dims=8, traditional=False, offset=0, **BASE,
            inputs=tensors(freqs=listed([1.0, 2.0, 4.0, 8.0], "float32"))),
    refused("freqs-count", "3 wavelengths for 4 pairs", "E_SHAPE", "freqs", dims=8, traditional=False, base=None,
            scale=1.0, offset=0, inputs=tensors(freqs=listed([1.0, 2.0, 4.0], "float32"))),
    refused("freqs-zero", "a wavelength of 0", "E_NUMBER", "freqs", dims=4, traditional=False, base=None, scale=1.0,
            offset=0, inputs=tensors(freqs=listed([1.0, 0.0], "float32"))),
    refused("offset-count", "3 first positions for 2 sequences", "E_SHAPE", "offset", dims=8, traditional=False, **BASE,
            inputs=tensors(offset=listed([1, 2, 3]))),
    refused("offset-fraction", "a first position of 3/2", "E_DTYPE", "offset", dims=8, traditional=False, **BASE,
            inputs=tensors(offset=listed([1.5, 2.0], "float32"))),
    refused("scale-zero", "all positions are 0", "E_NUMBER", "scale", dims=8, traditional=False, base=10000.0,
            scale=0.0, offset=0, inputs=tensors()),
    refused("base-zero", "a base of 0", "E_BASE", "base", dims=8, traditional=False, base=0.0, scale=1.0, offset=0,
            inputs=tensors()),
]  # fmt: skip
