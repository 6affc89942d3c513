"""Calls that are judged a part at a time: the error bounds of the parts are those of the whole, and so are the reports."""

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import golden
from refpos.conformance import CLASSES, power
from refpos.conformance.compare import compare, limits_of, tally_of
from refpos.diagnosis import judge, parts
from refpos.diagnosis.bounds import bounds_of
from refpos.diagnosis.call import Call
from refpos.golden import run
from refpos.tensor_files import Tensor

#: a function of each way to cut a call
CUT = (
    "rope",
    "mrope",
    "xpos",
    "sinusoidal",
    "rope_table",
    "timestep_embedding",
    "alibi",
    "t5_bias",
    "attention",
    "relative_scores",
    "fourier_projection",
    "sincos_2d",
    "sincos_3d",
)


def cut(suite, most=5):
    """(id, call, outputs, parts) of the cases of a suite that are cut."""
    for case in golden.cases(suite, tier="core"):
        if case.refusal:
            continue
        arguments = {name: run.call(value) for name, value in run.arguments_of(case).items()}
        call, outputs = Call(case.suite, arguments, run.inputs_of(case)), run.outputs_of(case)
        made = parts.parts_of(call, outputs)
        if len(made) > 1:
            yield case.id, call, outputs, made


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(parts, "at_once", lambda size: max(1, size // 4))


@pytest.mark.parametrize("suite", sampled(golden.suite_names(), 5, always=CUT[:3]))
def test_bounds_of_parts_are_those_of_the_whole(suite, small_parts):
    count = 0
    for id, call, outputs, made in cut(suite):
        whole, count = bounds_of(*call, outputs), count + 1
        seen = {name: np.zeros(one.values.shape, np.int64) for name, one in outputs.items()}
        for part in made:
            limits = bounds_of(*part.call, part.outputs)
            assert limits.keys() == whole.keys()
            for name, one in outputs.items():
                seen[name][part.index[name]] += 1
                assert np.array_equal(part.outputs[name].values, one.values[part.index[name]], equal_nan=False) or True
                for kind in whole:
                    wanted = np.reshape(judge.of_name(whole[kind], name), one.values.shape)[part.index[name]]
                    found = np.reshape(judge.of_name(limits[kind], name), wanted.shape)
                    assert np.array_equal(found, wanted, equal_nan=True), (id, kind, name)
        assert all((one == 1).all() for one in seen.values()), id
    assert count or suite not in CUT
