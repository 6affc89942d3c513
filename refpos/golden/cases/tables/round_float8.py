"""Golden cases of numbers in the 8-bit formats."""

from ...case import call, listed, paper, scattered, suite
from ...telling_inputs import DTYPES, SHORT
from .._eight_bits import DTYPES8, SHORT8, beside, calls, edges, midpoints, rotated

value, refused = suite(
    "round_float8", paper("Open Compute Project, OCP 8-bit Floating Point Specification (OFP8) 1.0, 2023")
)


def numbers(values, dtype="float64", shape=None):
    return {"values": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"{name}-{SHORT8[dtype]}", about, dtype=dtype, saturate=False, inputs=numbers(made(dtype)),
              flags=("DoubleRounding",))
        for dtype in DTYPES8
        for name, about, made in (
            ("midpoints", "halfway between neighbours: to the even one", midpoints),
            ("beside-midpoints", "one unit of float64 beside: to the nearer one", lambda d: beside(midpoints(d))),
        )
    ],
    *[
        value(f"edges-{SHORT8[dtype]}{'-saturated' * saturate}", "zeros, subnormal and large numbers, NaN", dtype=dtype,
              saturate=saturate, inputs=numbers(edges(dtype)), flags=("Subnormal",))
        for dtype in DTYPES8 for saturate in (False, True)
    ],
    *[
        value(f"scattered-{SHORT[kind]}-{SHORT8[dtype]}", f"{kind} numbers", dtype=dtype, saturate=k % 2 == 0,
              inputs={"values": scattered(kind, (6, 10), 700 + k, spread)})
        for k, (kind, dtype, spread) in enumerate((k, d, s) for k, s in zip(DTYPES, (9, 1, -5, 3)) for d in DTYPES8)
    ],
    *[
        value(f"{slug}-{SHORT8[dtype]}", about, dtype=dtype, saturate=True, values=made, flags=("DoubleRounding",))
        for slug, (made, about) in calls(16).items() for dtype in DTYPES8
    ],
    value("causal-e4m3", "minus infinity is NaN where there is no infinity", dtype="float8_e4m3fn", saturate=False,
          values=call("alibi", num_heads=2, query_len=3, key_len=3, mode="causal")),
    value("causal-e4m3-saturated", "minus infinity is the least number", dtype="float8_e4m3fn", saturate=True,
          values=call("alibi", num_heads=2, query_len=3, key_len=3, mode="causal")),
    value("causal-e5m2", "minus infinity stays", dtype="float8_e5m2", saturate=False,
          values=call("alibi", num_heads=2, query_len=3, key_len=3, mode="causal")),
    *[
        value(f"double-{name}", about, dtype="float8_e4m3fn", saturate=False, flags=("DoubleRounding",),
              values=rotated([x], [positions]))
        for name, about, x, positions in (
            ("cosine", "the float64 result is halfway, the exact one below", [1.1875, 0.0], 2.0**-40),
            ("negative", "the same of the other sign", [-1.1875, 0.0], 2.0**-40),
            ("both", "halfway in both channels", [1.1875, 1.3125], 2.0**-60),
            ("even", "halfway, and the even neighbour is farther", [1.0625, 2.0**-9], -(2.0**-50)),
        )
    ],
    value("one", "one number on two axes", dtype="float8_e5m2", saturate=False,
          inputs=numbers([1.3], "float32", (1, 1))),
    value("empty", "no numbers", dtype="float8_e4m3fn", saturate=True, inputs=numbers([], "float32", (0, 4))),
    refused("dtype-ieee", "E4M3 with infinities", "E_CHOICE", "dtype", dtype="float8_e4m3", saturate=True,
            inputs=numbers([1.0])),
    refused("saturate-none", "no rule", "E_CHOICE", "saturate", dtype="float8_e5m2", saturate=None,
            inputs=numbers([1.0])),
    refused("integers", "integers", "E_DTYPE", "values", dtype="float8_e5m2", saturate=True,
            inputs={"values": listed([1, 2])}),
    refused("call-of-another", "a call that cannot be rounded so", "E_CHOICE", "values", dtype="float8_e5m2",
            saturate=True, values=call("periodic", positions=3, dim=4, period=2)),
    refused("call-with-dtype", "a call with a dtype", "E_CHOICE", "values", dtype="float8_e5m2", saturate=True,
            values=call("sinusoidal", positions=3, dim=4, dtype="float32")),
]  # fmt: skip
