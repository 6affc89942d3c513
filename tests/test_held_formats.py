"""float32 arrays whose numbers all lie on bfloat16 or float16, as `q.float().numpy()` leaves them: judged in that
format where the call leaves its dtype to them. The programs are those of tests/mistakes, which are NumPy alone."""

import ml_dtypes
import numpy as np
import pytest
from mistakes.corpus import PLANTS
from mistakes.record import SETTINGS

import refpos

RIGHT = [plant for plant in PLANTS if plant.kind == "right"]
SHORT = [setting for setting in SETTINGS if setting.dtype != "float32" and not setting.long]


def widened(value):
    """Arrays of 16 bits as float32."""
    if isinstance(value, tuple):
        return tuple(map(widened, value))
    narrow = isinstance(value, np.ndarray) and value.dtype in (np.float16, ml_dtypes.bfloat16)
    return value.astype(np.float32) if narrow else value


@pytest.mark.parametrize("setting", SHORT, ids=lambda setting: setting.dtype)
def test_no_right_program_of_16_bits_is_accused_where_its_numbers_are_widened(setting):
    told = []
    for plant in RIGHT:
        call, made = plant.ask(setting), widened(plant.made(setting))
        keywords = {name: widened(value) for name, value in call.keywords.items() if name != "dtype"}
        result = refpos.compare(made, call.function, *map(widened, call.args), **keywords)
        assert result, (plant.name, str(result.diagnosis))
        told.append(result.held)
    # small integers and halves lie on every format
    assert told.count(setting.dtype) >= len(RIGHT) // 2, told


def attention(q, k, v):
    """Every result rounded to the format of q."""
    kind = q.dtype
    scores = (np.matmul(q.astype(np.float32), k.astype(np.float32).T) / np.sqrt(np.float32(q.shape[-1]))).astype(kind)
    shifted = np.exp(scores.astype(np.float32) - scores.astype(np.float32).max(-1, keepdims=True))
    weights = (shifted / shifted.sum(-1, keepdims=True)).astype(kind)
    return np.matmul(weights.astype(np.float32), v.astype(np.float32)).astype(kind)


@pytest.mark.parametrize("kind", [ml_dtypes.bfloat16, np.float16])
def test_the_format_is_said(kind):
    q, k, v = np.random.default_rng(1).standard_normal((3, 24, 32)).astype(kind)
    wide, name = [one.astype(np.float32) for one in (q, k, v)], np.dtype(kind).name
    found = refpos.diagnose(widened(attention(q, k, v)), refpos.attention, *wide)
    assert found.met == "weights16" and found.held == name
    assert str(found).endswith(f"meet weights16, judged as {name}, on which all of them lie")
    result = refpos.compare(widened(attention(q, k, v)), refpos.attention, *wide)
    assert result.held == result.to_json()["held"] == name and f"judged as {name}" in str(result)
    wrong = refpos.diagnose(widened(attention(q, v, k)), refpos.attention, *wide)
    assert wrong.met is None and wrong.held == name and f"judged as {name}" in str(wrong)


def test_a_format_that_the_call_says_is_not_left_to_the_numbers():
    q, k, v = np.random.default_rng(1).standard_normal((3, 24, 32)).astype(ml_dtypes.bfloat16)
    wide = [one.astype(np.float32) for one in (q, k, v)]
    found = refpos.diagnose(widened(attention(q, k, v)), refpos.attention, *wide, dtype="float32")
    assert found.met is None and not found.held and "judged as" not in str(found)
    assert "dtype='bfloat16'" in found.explanations[0].computed


def test_x_that_does_not_lie_on_the_format_says_float32():
    x = np.random.default_rng(0).standard_normal((16, 8)).astype(np.float32)
    rounded = x.astype(ml_dtypes.bfloat16)
    y = refpos.rope(x, 16, pairing="half").astype(ml_dtypes.bfloat16).astype(np.float32)
    found = refpos.diagnose(y, refpos.rope, x, 16, pairing="half")
    assert found.met is None and found.explanations[0].computed == "the result rounded to bfloat16"
    right = refpos.rope(rounded, 16, pairing="half").astype(np.float32)
    found = refpos.diagnose(right, refpos.rope, rounded.astype(np.float32), 16, pairing="half")
    assert (found.met, found.held) == ("correct", "bfloat16")


def test_the_rounding_of_inverse_frequencies_is_named():
    rounded = refpos.inverse_frequencies(64).inv_freq.astype(ml_dtypes.bfloat16).astype(np.float32)
    found = refpos.diagnose(rounded, refpos.inverse_frequencies, 64)
    assert found.met is None and "bfloat16" in found.explanations[0].computed
