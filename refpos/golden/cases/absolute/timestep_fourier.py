"""Golden cases of Fourier features between two ends."""

from ...case import fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Black et al. 2024, pi0: A Vision-Language-Action Flow Model, arXiv:2410.24164, appendix B")
value, refused = suite("timestep_fourier", PAPER)
FLOW = (0.0, 0.001, 0.25, 1 / 3, 0.5, 0.999, 1.0)
FLAGS = ("NarrowAngle", "SineCosineOrder", "Endpoint", "FractionalPosition")
PI0 = project("transformers", "5.23.0", "models/pi0/modeling_pi0.py", "PI0TimestepEmbeddings")
STABLE_AUDIO = project("diffusers", "0.42.1", "models/transformers/transformer_stable_audio3.py",
                       "StableAudio3ExpoFourierFeatures")  # fmt: skip


def at(values, dtype="float64", shape=None):
    """Timesteps as an input tensor."""
    return {"timesteps": listed(values, dtype, shape)}


def rule(ends, first, last, flip):
    """The arguments that have no default."""
    return {"ends": ends, "first": first, "last": last, "flip_sin_to_cos": flip}


CASES = [
    *[
        value(f"pi0-{SHORT[dtype]}", f"pi0: periods 0.004 to 4, sines first, {dtype}", dim=dim, dtype=dtype,
              inputs=at(FLOW), **rule("periods", 0.004, 4.0, False), source=PI0, flags=(*FLAGS, *narrow(dtype)))
        for dtype, dim in zip(DTYPES, (32, 1024, 64, 64))
    ],
    *[
        value(f"stable-audio-3-{SHORT[dtype]}", f"Stable Audio 3: frequencies 0.5 to 10000, cosines first, {dtype}",
              dim=dim, dtype=dtype, inputs=at(FLOW), **rule("frequencies", 0.5, 10000.0, True), source=STABLE_AUDIO,
              flags=(*FLAGS, *narrow(dtype)))
        for dtype, dim in zip(DTYPES, (32, 256, 64, 64))
    ],
    value("ends", "both ends are reached: frequencies 1, 2 and 4 at quarters of a turn", dim=6,
          inputs=at((0.0, 0.25, 0.125, 0.0625, -0.25)), **rule("frequencies", 1, 4, False), flags=("Endpoint",)),
    value("ends-periods", "periods 1, 2 and 4 are not frequencies 1, 2 and 4", dim=6,
          inputs=at((0.0, 0.25, 0.5, 1.0, 3.0)), **rule("periods", 1, 4, False), flags=("Endpoint",)),
    value("downwards", "ends in falling order", dim=6, inputs=at((0.25, 1 / 3)), **rule("periods", 4, 1, True),
          flags=("Endpoint", "SineCosineOrder")),
    value("thirds", "frequency 1/3, whose sines and cosines at quarters of a turn are exact", dim=2,
          inputs=at((0.25, 0.5, 0.75, 1.0, 1.5)), **rule("frequencies", fraction(1, 3), 1, False), flags=("Endpoint",)),
    value("one-frequency", "width 2: the first end alone", dim=2, inputs=at((0.1, 1.0)),
          **rule("periods", 0.004, 4.0, False), flags=("Endpoint",)),
    value("equal-ends", "both ends the same", dim=6, inputs=at((0.1, 0.2)), **rule("frequencies", 3, 3, True)),
    value("whole-times", "whole times at whole frequencies: sines are 0 and cosines 1, exactly", dim=6,
          inputs=at((0, 1, 7, 2**53), "int64"), **rule("frequencies", 1, 4, False), flags=("LargeArgument",)),
    value("halfway-float32", "times that come as float32", dim=8,
          inputs=at((0.3333333432674408, 0.100000001490116119384765625), "float32"),
          **rule("frequencies", 0.5, 10000.0, True), dtype="float32", source=STABLE_AUDIO, flags=FLAGS),
    value("bfloat16-times", "times that come as bfloat16", dim=8, inputs=at((0.333984375, 0.10009765625), "bfloat16"),
          **rule("periods", 0.004, 4.0, False), dtype="bfloat16", source=PI0, flags=(*FLAGS, "DoubleRounding")),
    value("one", "one time: an integer is not a count", timesteps=3, dim=4, **rule("periods", 0.004, 4.0, False)),
    value("batch", "times of shape (2, 2)", dim=4, inputs=at((0.1, 0.2, 0.3, 0.4), shape=(2, 2)),
          **rule("periods", 0.004, 4.0, False)),
    value("none", "no times", dim=4, inputs=at(()), **rule("periods", 0.004, 4.0, False)),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=5, inputs=at((0.1,)), **rule("periods", 1, 4, True)),
    refused("dim-zero", "no width", "E_ODD_DIM", "dim", dim=0, inputs=at((0.1,)), **rule("periods", 1, 4, True)),
    refused("ends", "ends of no kind", "E_CHOICE", "ends", dim=4, inputs=at((0.1,)),
            **rule("wavelengths", 1, 4, True)),
    refused("first-zero", "a period of 0", "E_NUMBER", "first", dim=4, inputs=at((0.1,)),
            **rule("periods", 0, 4, True)),
    refused("last-nan", "an end that is NaN", "E_NUMBER", "last", dim=4, inputs=at((0.1,)),
            **rule("frequencies", 1, float("nan"), True)),
    refused("flip", "a flag that is no flag", "E_CHOICE", "flip_sin_to_cos", dim=4, inputs=at((0.1,)),
            **rule("frequencies", 1, 4, "cos")),
    refused("time-nan", "a time that is NaN", "E_POSITION", "timesteps", dim=4, inputs=at((float("nan"),)),
            **rule("frequencies", 1, 4, True)),
]  # fmt: skip

# conventions that no case above tells
CASES += in_formats(CASES, float16="downwards")
