"""Golden cases of the ALiBi bias of images."""

from ...case import paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("alibi_2d", paper("Fuller et al. 2023, CROMA, arXiv:2311.00566, section 3"))
CROMA = project("antofuller/CROMA", "c66df8ff3be853501d42c857c6f209a32d2eef6a", "pretrain_croma.py", "get_alibi")


def _case(slug, about, heads, height, width, dtype="float64", flags=(), **more):
    odd = ("SlopeNonPowerOfTwo",) if heads & heads - 1 else ()
    oblong = ("NonSquare",) if height != width else ()
    return value(slug, about, num_heads=heads, height=height, width=width, dtype=dtype,
                 flags=tuple({*flags, *odd, *oblong, *narrow(dtype)}), **more)


CASES = [
    *[
        _case(f"{height}x{width}-{heads}-{SHORT[dtype]}", f"{heads} heads, {height} x {width} patches, {dtype}",
              heads, height, width, dtype)
        for height, width, heads, dtype in (
            (3, 5, 4, "float64"), (3, 5, 6, "float32"), (5, 3, 3, "float64"), (2, 7, 12, "bfloat16"),
            (4, 4, 8, "float16"), (1, 9, 2, "float64"), (9, 1, 5, "float32"), (3, 3, 1, "bfloat16"),
        )
    ],
    _case("croma-5x5", "CROMA: 16 heads, a corner of its 15 x 15 patches", 16, 5, 5, "float32", source=CROMA),
    _case("pythagoras", "distances 5, sqrt(2) and sqrt(20): whole, irrational, and twice sqrt(5)", 4, 4, 5),
    _case("half-steps", "slopes 2**(-k/2): times sqrt(2) they are powers of two", 16, 2, 4, convention="geometric"),
    _case("class-token", "a class token before the patches: row and column of zeros", 4, 2, 3, class_token=True,
          flags=("OffByOne",)),
    _case("class-token-f32", "a class token, 12 heads", 12, 3, 2, "float32", class_token=True, flags=("OffByOne",)),
    _case("halving", "slopes 1, 1/2, 1/4", 3, 2, 3, convention="halving"),
    _case("max-bias-16", "max_bias 16", 6, 2, 3, max_bias=16),
    _case("one-patch", "one patch", 3, 1, 1),
    _case("no-patches", "no patches", 3, 0, 4),
    refused("heads-zero", "no heads", "E_SIZE", "num_heads", num_heads=0, height=2, width=2),
    refused("height-negative", "a negative height", "E_SIZE", "height", num_heads=2, height=-1, width=2),
    refused("class-token-count", "two class tokens", "E_CHOICE", "class_token", num_heads=2, height=2, width=2,
            class_token=2),
    refused("max-bias-zero", "max_bias 0", "E_NUMBER", "max_bias", num_heads=2, height=2, width=2, max_bias=0),
    refused("too-large", "sizes whose product no array can hold", "E_TOO_LARGE", "out", num_heads=2, height=2**20,
            width=2**20),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="halving max-bias-16 half-steps",
    float16="halving max-bias-16 class-token half-steps",
    bfloat16="halving class-token max-bias-16 half-steps",
)
