"""Golden cases of Hyena's exponential modulation."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("exponential_modulation", paper(
    "Poli et al. 2023, Hyena Hierarchy, arXiv:2302.10866, appendix D.3"))
SAFARI = project("HazyResearch/safari", "c1b5c7bcaceaf556e5b0327733a85079ec9fc431", "src/models/sequence/hyena.py",
                 "ExponentialModulation")

CASES = [
    *[
        value(f"{length}x{channels}-{SHORT[dtype]}", f"{length} positions, {channels} channels, {dtype}",
              length=length, channels=channels, dtype=dtype, flags=narrow(dtype), source=SAFARI)
        for length, channels in ((8, 5), (5, 8)) for dtype in DTYPES
    ],
    value("shift-f32", "0.05 added, as safari's configurations of long filters do", length=9, channels=4, shift=0.05,
          dtype="float32", source=SAFARI),
    value("exact-roots", "target 1/10000, rates 1/2 .. 2: powers of 1/10 are exact", length=5, channels=4,
          target=fraction(1, 10000), fast=fraction(1, 2), slow=2),
    value("target-above-one", "a target above 1 dies away as well", length=4, channels=3, target=100),
    value("target-one", "target 1: nothing dies away", length=3, channels=2, target=1),
    value("shift-cancels", "a shift of -1: small differences", length=1024, channels=1, shift=-1,
          flags=("Cancellation",)),
    value("fast-f16", "channels that fall below the smallest float16", length=6, channels=3, fast=fraction(1, 8),
          dtype="float16", flags=("Subnormal",)),
    value("one-position", "one position: 1", length=1, channels=3),
    value("one-channel", "one channel has the slow rate", length=4, channels=1),
    value("no-channels", "no channels", length=4, channels=0),
    refused("target-zero", "target 0", "E_NUMBER", "target", length=4, channels=3, target=0),
    refused("fast-negative", "a negative share", "E_NUMBER", "fast", length=4, channels=3, fast=-0.3),
    refused("shift-infinite", "an infinite shift", "E_NUMBER", "shift", length=4, channels=3, shift=float("inf")),
    refused("channels-negative", "a negative number of channels", "E_SIZE", "channels", length=4, channels=-1),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="exact-roots",
    float16="exact-roots shift-f32",
    bfloat16="exact-roots shift-f32",
)
