"""Flush-to-zero as torch sets it: no number of refpos changes, and no verdict."""

import numpy as np
import torch

import refpos
from refpos import golden, guard
from refpos.golden import run
from refpos.golden.format import digest

SUITES = ["liere", "gated_table", "forget_gate", "cape_2d", "per_dim_scale"]  # with subnormal numbers


def test_flushing_in_torch_changes_nothing():
    cases = [case for name in SUITES for case in golden.cases(name, tier="core") if not case.refusal]
    prepared = [(case.suite, run.arguments_of(case), run.inputs_of(case)) for case in cases]
    three, one = (np.array([pattern], np.uint32).view(np.float32) for pattern in (3, 1))
    assert torch.set_flush_denormal(True)
    try:
        assert guard.fault()
        found = [run.results(*call) for call in prepared]
        off = refpos.compare(three, one)
        assert guard.fault()
    finally:
        torch.set_flush_denormal(False)
    assert off.max_ulp == 2 and len(cases) > 40
    for case, outputs in zip(cases, found, strict=True):
        published = golden.load(case.id).entry["outputs"]
        assert {name: digest(one) for name, one in outputs.items()} == {k: v["sha256"] for k, v in published.items()}
