"""`refpos.testing` with tensors of torch and arrays of jax, and the example of docs/testing.md as a user runs it."""

import re
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import refpos
from refpos import testing

pytest_plugins = ["pytester"]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"


def test_the_example_of_the_page_runs_and_sees_a_wrong_pairing(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    (code,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(code.splitlines()) <= 15
    (pytester.path / "test_rope.py").write_text(code)
    done = pytester.runpytest_inprocess("-p", "refpos.pytest_plugin", "-v", "test_rope.py")
    shown = re.search(r"`(test_rope.py::\S+) PASSED`", PAGE.read_text())[1]
    assert done.ret == 0 and f"{shown} PASSED" in str(done.stdout)
    count = len(testing.cases(["rope/cancelling-*", "rope/base-*"], dtype="float32"))
    done.assert_outcomes(passed=count)
    assert count >= 3
    wrong = code.replace('== "half"', '!= "half"')
    (pytester.path / "test_rope.py").write_text(wrong)
    done = pytester.runpytest_inprocess("-p", "refpos.pytest_plugin", "test_rope.py")
    done.assert_outcomes(failed=count)
    assert "your numbers are those of pairing=" in str(done.stdout)


DTYPES = ["float64", "float32", "float16", "bfloat16"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_format_of_torch_goes_in(dtype):
    x = torch.randn(5, 8, generator=torch.Generator().manual_seed(1)).to(getattr(torch, dtype))
    if dtype == "bfloat16":
        bits = x.view(torch.uint16).numpy()
        made = np.empty(bits.shape, np.uint16)
        refpos.rope(bits, 5, pairing="half", dtype="bfloat16", out=made)
        right = torch.from_numpy(made).view(torch.bfloat16)
    else:
        right = torch.from_numpy(refpos.rope(x.numpy(), 5, pairing="half"))
    assert testing.assert_rope(right, x, torch.arange(5), pairing="half") == "correct"
    # not contiguous, as heads that were transposed are
    assert testing.assert_rope(right.T.contiguous().T, x, 5, pairing="half") == "correct"
    with pytest.raises(AssertionError, match="meets no class"):
        testing.assert_rope(right, x, 5, pairing="half", inverse=True)
    table = torch.from_numpy(refpos.sinusoidal(5, 8, dtype="float32"))
    assert testing.assert_matches(table, refpos.sinusoidal, torch.arange(5), 8, dtype=torch.float32) == "correct"
    frequencies = refpos.inverse_frequencies(8)
    held = tuple(torch.from_numpy(one).to(getattr(torch, dtype)) for one in refpos.rope_table(5, frequencies))
    assert testing.assert_matches(held, refpos.rope_table, 5, frequencies) == "correct"
    with pytest.raises(refpos.InputError, match=r"call [.]detach"):
        testing.assert_rope(right.requires_grad_(), x, 5, pairing="half")
    with pytest.raises(refpos.InputError, match="must hold numbers, got a Tensor on the device meta"):
        testing.assert_rope(right.detach().to("meta"), x, 5, pairing="half")


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_every_format_of_jax_goes_in(dtype):
    x = jnp.asarray(np.linspace(-3, 3, 40).reshape(5, 8), dtype)
    right = refpos.rope(np.asarray(x), 5, pairing="half")
    assert testing.assert_rope(jnp.asarray(right), x, jnp.arange(5), pairing="half") == "correct"


@pytest.mark.parametrize("case", testing.cases("rope", dtype="bfloat16"))
def test_bit_patterns_are_tensors_of_bfloat16(case):
    bits = np.empty_like(case.arguments["x"])
    refpos.rope(**case.arguments, out=bits)
    assert case.check(torch.from_numpy(bits).view(torch.bfloat16)) == "correct"
