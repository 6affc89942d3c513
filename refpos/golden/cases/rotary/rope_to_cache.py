"""Golden cases of rotated keys in the slots of a cache: the slots that are not written are compared as well."""

from ...case import call, listed, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite(
    "rope_to_cache", project("vllm", "0.11.0", "csrc/cache_kernels.cu", "reshape_and_cache_flash_kernel")
)
FLAGS = ("CacheOffset", "InterleavedVsHalf")


def keys(seed, dtype="float32", *, tokens=4, heads=2, dim=8, cache=(3, 4)):
    """Keys and a cache that holds others."""
    held = scattered(dtype, (*cache, heads, dim), seed + 50)
    return {"x": scattered(dtype, (tokens, heads, dim), seed), "cache": held}


def at(places, slots):
    return {"positions": listed(places), "slot_mapping": listed(slots)}


CASES = [
    *[
        value(f"paged-{pairing}-{SHORT[dtype]}", f"blocks of 4 slots, a padded token, {dtype}", pairing=pairing,
              inputs={**keys(800 + k, dtype), **at((17, 0, 5, 131071), (9, 4, -1, 2))},
              flags=(*FLAGS, "LongContextInteger", *narrow(dtype)))
        for k, (pairing, dtype) in enumerate((p, d) for p in ("half", "interleaved") for d in DTYPES)
    ],
    *[
        value(f"slots-{SHORT[dtype]}", f"slots without blocks, {dtype}", pairing="half", base=500000,
              inputs={**keys(810 + k, dtype, tokens=3, heads=1, dim=4, cache=(7,)), **at((3, 2, 1), (6, 0, 3))},
              flags=(*FLAGS, "Base"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"partial-{SHORT[dtype]}", f"4 of 6 channels are rotated, {dtype}", pairing="half", rotary_dim=4,
              inputs={**keys(815 + k, dtype, tokens=2, dim=6), **at((4097, 2), (11, 10))},
              flags=(*FLAGS, "PartialRotary"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"scaled-{SHORT[dtype]}", f"scaled frequencies, {dtype}", pairing="half", flags=(*FLAGS, "Scaling"),
              inputs={**keys(820 + k, dtype, tokens=2), **at((8191, 3), (0, 5))},
              frequencies=call("linear", dim=8, factor=4, base=10000))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-axes-{SHORT[dtype]}", f"positions on two axes, a block of channels each, {dtype}",
              pairing="block-half", frequencies=call("axial_frequencies", widths=[4, 4], base=100),
              inputs={**keys(840 + k, dtype, tokens=3), "positions": listed((0, 3, 2, 1, 65, 7), shape=(2, 3)),
                      "slot_mapping": listed((8, -1, 3))}, flags=(*FLAGS, "AxisOrder"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-axes-half-{SHORT[dtype]}", f"positions on two axes, each with half of the pairs, {dtype}",
              pairing="half", frequencies=call("axial_frequencies", widths=[4, 4], base=100),
              inputs={**keys(850 + k, dtype, tokens=3), "positions": listed((0, 3, 2, 1, 65, 7), shape=(2, 3)),
                      "slot_mapping": listed((8, -1, 3))}, flags=(*FLAGS, "AxisOrder"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-channels-{SHORT[dtype]}", f"2 of 4 channels are rotated, {dtype}", pairing="half", rotary_dim=2,
              inputs={**keys(845 + k, dtype, tokens=2, dim=4), **at((1, 300), (5, 0))}, flags=(*FLAGS, "PartialRotary"))
        for k, dtype in enumerate(DTYPES)
    ],
    value("decode", "one token for each request, out of order", pairing="half",
          inputs={**keys(825, "bfloat16", tokens=3, cache=(2, 4)), **at((511, 12, 0), (7, 0, 4))}, flags=FLAGS),
    value("nothing", "only padded tokens", pairing="half", inputs={**keys(826, tokens=2), **at((0, 0), (-1, -1))},
          flags=FLAGS),
    *[
        value(f"whole-{SHORT[dtype]}", f"every slot is written, the last first, {dtype}", pairing="interleaved",
              inputs={**keys(830 + k, dtype, cache=(2, 2)), **at((0, 1, 2, 3), (3, 2, 1, 0))}, flags=FLAGS)
        for k, dtype in enumerate(DTYPES)
    ],
    value("count", "positions 0 and 1", pairing="half", positions=2,
          inputs={**keys(828, tokens=2, cache=(2, 3)), "slot_mapping": listed((4, 1))}, flags=FLAGS),
    value("empty", "no tokens", pairing="half", positions=0, flags=FLAGS,
          inputs={**keys(829, tokens=0, cache=(2, 2)), "slot_mapping": listed((), shape=(0,))}),
    refused("twice", "a slot for two tokens", "E_POSITION", "slot_mapping", pairing="half",
            inputs={**keys(1, tokens=2), **at((0, 1), (3, 3))}),
    refused("beyond", "a slot behind the last", "E_POSITION", "slot_mapping", pairing="half",
            inputs={**keys(1, tokens=2), **at((0, 1), (3, 12))}),
    refused("negative", "slot -2", "E_POSITION", "slot_mapping", pairing="half",
            inputs={**keys(1, tokens=2), **at((0, 1), (3, -2))}),
    refused("slots", "three slots for two tokens", "E_SHAPE", "slot_mapping", pairing="half",
            inputs={**keys(1, tokens=2), **at((0, 1), (3, 1, 2))}),
    refused("slots-floats", "slots as floats", "E_DTYPE", "slot_mapping", pairing="half",
            inputs={**keys(1, tokens=1), "positions": listed((0,)), "slot_mapping": listed((1.0,), "float32")}),
    refused("dtype", "a cache of another dtype", "E_DTYPE", "cache", pairing="half",
            inputs={**keys(1, tokens=1), "cache": scattered("float16", (3, 4, 2, 8), 1), **at((0,), (1,))}),
    refused("heads", "a cache of other heads", "E_SHAPE", "cache", pairing="half",
            inputs={**keys(1, tokens=1), "cache": scattered("float32", (3, 4, 1, 8), 1), **at((0,), (1,))}),
    refused("keys", "keys without an axis of heads", "E_SHAPE", "x", pairing="half",
            inputs={**keys(1, tokens=1), "x": scattered("float32", (1, 16), 1), **at((0,), (1,))}),
]  # fmt: skip
