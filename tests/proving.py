"""The witness and the float32 formula of every function, those of tests/proofs among them.

A file of tests/proofs proves one function and its error bound: it has the formula of the paper with more digits, below
`@witness` or `@scaling` of witness/suites.py, and the formula as programs compute it in float32, below `@float32` of
float32/registry.py or `@makes_frequencies` of float32/frequencies.py. It imports nothing of refpos.
"""

import importlib
from pathlib import Path

from float32 import REGISTER
from witness.scalings import RULES
from witness.suites import WITNESSES

importlib.import_module("witness.gradients")  # which calls those of the functions
importlib.import_module("witness.kernel_gradients")
importlib.import_module("witness.perceptron_gradients")
importlib.import_module("witness.wave_gradients")

__all__ = ["REGISTER", "RULES", "WITNESSES"]

for _path in sorted((Path(__file__).parent / "proofs").glob("*.py")):
    importlib.import_module(f"proofs.{_path.stem}")
