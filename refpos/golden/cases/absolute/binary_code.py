"""Golden cases of the binary digits of positions."""

from ...case import counting, listed, suite

value, refused = suite("binary_code", {"paper": "the formula; numpy.binary_repr without lowest_first"})
FLAGS = ("EndianSwap",)
ENDS = (0, 1, 2, 255, 256, 2**31, 2**53 - 1, 2**53)

CASES = [
    *[
        value(f"{slug}-{order}", f"{about}, {order} bit first", bits=bits, lowest_first=order == "lowest", flags=FLAGS,
              inputs={"positions": positions})
        for order in ("lowest", "highest")
        for slug, about, bits, positions in (
            ("ends", "one, 8, 31 and 53 bits", 54, listed(ENDS)),
            ("full", "the last position of 10 bits", 10, listed((1023, 0, 512, 511))),
            ("one-bit", "one bit", 1, listed((0, 1, 1, 0))),
            ("grid", "positions of shape (2, 3)", 5, listed((0, 1, 2, 29, 30, 31), shape=(2, 3))),
            ("late", "positions from 1000000", 20, counting(1000000, 5)),
            ("most", "62 bits", 62, listed((0, 2**53))),
        )
    ],
    *[
        value(f"100-{order}", f"100 positions of 10 bits, {order} bit first", positions=100, bits=10,
              lowest_first=order == "lowest", flags=FLAGS)
        for order in ("lowest", "highest")
    ],
    value("single", "one position without an axis", bits=4, lowest_first=True, flags=FLAGS,
          inputs={"positions": listed((6,), shape=())}),
    value("empty", "no positions", positions=0, bits=3, lowest_first=False),
    refused("bits-few", "the position after the last of 10 bits", "E_POSITION", "positions", bits=10,
            lowest_first=True, inputs={"positions": listed((3, 1024))}),
    refused("bits-few-count", "1025 positions of 10 bits", "E_POSITION", "positions", positions=1025, bits=10,
            lowest_first=True),
    refused("negative", "a position before 0", "E_POSITION", "positions", bits=4, lowest_first=True,
            inputs={"positions": listed((0, -1))}),
    refused("floats", "positions that are floats", "E_POSITION", "positions", bits=4, lowest_first=True,
            inputs={"positions": listed((0.5,), "float64")}),
    refused("bits-zero", "no bits", "E_SIZE", "bits", positions=1, bits=0, lowest_first=True),
    refused("bits-many", "more bits than int64 shifts by here", "E_SIZE", "bits", positions=1, bits=63,
            lowest_first=True),
    refused("order", "a name for the order", "E_CHOICE", "lowest_first", positions=1, bits=3, lowest_first="big"),
]
