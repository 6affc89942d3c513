"""The golden corpus: cases, their generation, and the verification of numbers against them."""

from .case import TIERS
from .discover import cases, suite_names
from .exports import export
from .flags import FLAGS
from .format import FORMAT_VERSION
from .generate import generate
from .live import verify_live
from .npz_export import export_npz
from .read import load, read_lock
from .result import Finding, Result
from .verify import verify

#: version of the corpus, which is that of the lock
VALUES_VERSION: str = read_lock()["values_version"]

__all__ = [
    "FLAGS",
    "FORMAT_VERSION",
    "TIERS",
    "VALUES_VERSION",
    "Finding",
    "Result",
    "cases",
    "export",
    "export_npz",
    "generate",
    "load",
    "suite_names",
    "verify",
    "verify_live",
]
