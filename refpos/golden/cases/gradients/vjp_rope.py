"""Golden cases of the gradient of the rotation of queries and keys: the cotangent, rotated back."""

from ...case import call, grid, listed, paper, scattered, suite
from ...telling_inputs import LONG
from .._gradients import cotangents_refused, in_each, numbers, special, whole

value, refused = suite("vjp_rope", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2"))
FLAGS = ("Inverse", "InterleavedVsHalf")
YARN = call("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096)


def pair(*shape, **more):
    """The shapes of x and of the cotangent, and other tensors."""
    return {"x": shape, "cotangent": shape, **more}


FAR = whole(0, 1, 257, 4097, 131071, 2**24 + 1)
CASES = [
    *in_each(value, "interleaved-far", "far positions, interleaved", pair(6, 8, positions=FAR), pairing="interleaved",
             flags=(*FLAGS, *LONG)),
    *in_each(value, "half-far", "far positions, halves", pair(6, 8, positions=FAR), pairing="half",
             flags=(*FLAGS, *LONG)),
    *in_each(value, "partial", "the first 4 of 7 channels, whose others have the cotangent", pair(3, 7), positions=3,
             pairing="half", rotary_dim=4, base=500000, flags=(*FLAGS, "PartialRotary", "Base")),
    *in_each(value, "partial-interleaved", "the first 2 of 5 channels", pair(3, 5), positions=3,
             pairing="interleaved", rotary_dim=2, flags=(*FLAGS, "PartialRotary")),
    *in_each(value, "yarn", "YaRN: the attention factor multiplies the gradient too",
             pair(3, 8, positions=whole(0, 3, 131071)), pairing="half", frequencies=YARN,
             flags=(*FLAGS, "Scaling", "AttentionFactor")),
    *in_each(value, "of-inverse", "the gradient of the inverse is the rotation", pair(3, 6), positions=3,
             pairing="interleaved", inverse=True, flags=FLAGS),
    *in_each(value, "block-half", "the blocks of two axes, each in halves", pair(6, 12), positions=grid(2, 3),
             pairing="block-half", flags=(*FLAGS, "AxisOrder"),
             frequencies=call("axial_frequencies", widths=[4, 8])),
    *in_each(value, "half-axes", "two axes, the halves of all channels", pair(6, 12), positions=grid(2, 3),
             pairing="half", flags=(*FLAGS, "AxisOrder"), frequencies=call("axial_frequencies", widths=[4, 8])),
    *in_each(value, "heads", "two heads between sequence and channels", pair(1, 3, 2, 4, positions=whole(5, 6, 9)),
             pairing="half", seq_axis=-3, flags=FLAGS),
    *in_each(value, "not-finite", "infinities and NaN in the cotangent",
             {"x": (4, 6), "cotangent": special(4, 6)}, positions=4, pairing="half", rotary_dim=4, flags=FLAGS),
    *in_each(value, "zeros", "a cotangent of zeros",
             {"x": (2, 4), "cotangent": numbers(*(0.0, -0.0) * 4, shape=(2, 4))}, positions=2,
             pairing="interleaved", flags=FLAGS),
    *in_each(value, "huge", "positions of each batch to 2**53", pair(2, 1, 2, 2, positions=lambda dtype: listed(
        (2**53, -(2**53), 2**31 + 1, 999983), "int64", (2, 1, 2))), pairing="half", flags=(*FLAGS, *LONG)),
    *in_each(value, "empty", "no tokens", pair(0, 4), positions=0, pairing="half", dtypes=("float32", "bfloat16")),
    *in_each(value, "single", "one token of two channels", pair(1, 2, positions=whole(7)), pairing="half", flags=FLAGS),
    *cotangents_refused(refused, "x", (3, 4), (3, 4), positions=3, pairing="half"),
    refused("inverse-int", "an integer in place of a flag", "E_CHOICE", "inverse", positions=3, pairing="half",
            inverse=1, inputs={"x": scattered("float32", (3, 4), 1), "cotangent": scattered("float32", (3, 4), 2)}),
    refused("positions-longer", "more positions than tokens", "E_SHAPE", "positions", positions=4, pairing="half",
            inputs={"x": scattered("float32", (3, 4), 1), "cotangent": scattered("float32", (3, 4), 2)}),
]  # fmt: skip
