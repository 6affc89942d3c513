"""Ports with a wrong ramp of YaRN fail a case of each dtype in every suite with such frequencies; the right one none.

Before the cases of `cases/_scalings.py`, no case of suite `rope` told any wrong limit of the ends of the ramp.
"""

import pytest
import yarn_ports
from tiers import sampled

DTYPES = {"float64", "float32", "float16", "bfloat16"}
SUITES = ("yarn", "ntk_by_parts", "rope_table", "rope")
pytestmark = pytest.mark.once


@pytest.mark.parametrize("suite", SUITES)
def test_a_port_with_the_right_ramp_fails_no_case(suite):
    assert yarn_ports.failed(suite, yarn_ports.RIGHT) == {dtype: [] for dtype in DTYPES}


@pytest.mark.parametrize("wrong", sampled(yarn_ports.WRONG, 6))
@pytest.mark.parametrize("suite", SUITES)
def test_a_port_with_a_wrong_ramp_fails_in_each_dtype(suite, wrong):
    failed = yarn_ports.failed(suite, yarn_ports.WRONG[wrong])
    assert {dtype for dtype, cases in failed.items() if cases} == DTYPES


@pytest.mark.parametrize("wrong", [name for name in yarn_ports.WRONG if name.startswith(("low", "high"))])
def test_two_cases_of_yarn_tell_each_wrong_limit_of_the_ends(wrong):
    assert all(len(cases) > 1 for cases in yarn_ports.failed("yarn", yarn_ports.WRONG[wrong]).values())
