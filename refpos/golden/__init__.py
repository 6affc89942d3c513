"""The golden corpus: cases, their generation, and the verification of numbers against them."""

from .case import TIERS
from .discover import cases, suite_names
from .flags import FLAGS
from .format import FORMAT_VERSION, VALUES_VERSION
from .generate import export_npz, generate
from .read import load
from .result import Finding, Result
from .verify import verify

__all__ = [
    "FLAGS",
    "FORMAT_VERSION",
    "TIERS",
    "VALUES_VERSION",
    "Finding",
    "Result",
    "cases",
    "export_npz",
    "generate",
    "load",
    "suite_names",
    "verify",
]
