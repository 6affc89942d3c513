"""Emulations: bit for bit what a witness computes step by step, within their derived bounds, applied to every encoding,
and named by the diagnosis."""

import numpy as np
import pytest
from tiers import sampled
from witness import emulations as witness

import refpos
from refpos import emulate, golden
from refpos.diagnosis import emulated, search
from refpos.diagnosis.call import Call
from refpos.errors import InputError
from refpos.golden import run
from refpos.tensor_files import Tensor

PROFILES = emulate.PROFILES
ANGLES = [name for name, profile in PROFILES.items() if profile.kind == "angles"]
SLOPES = [name for name, profile in PROFILES.items() if profile.kind == "slopes"]
POSITIONS = np.array([0, 1, 2, 3, 100, 255, 257, 2049, 4095, 32769, 60001])
FREQUENCIES = {
    "inverse_frequencies": {"dim": 32, "base": 500000},
    "linear": {"dim": 32, "factor": 4.0},
    "ntk": {"dim": 32, "factor": 4.0},
    "ntk_alpha": {"dim": 32, "alpha": 4.0},
    "dynamic_ntk": {"dim": 32, "factor": 4.0, "max_position_embeddings": 2048, "seq_len": 5000},
    "proportional": {"dim": 32, "partial_rotary_factor": 0.25, "factor": 2.0},
    "longrope": {
        "dim": 8, "short_factor": [1.0] * 4, "long_factor": [1.1, 2, 3, 4.7], "seq_len": 10000,
        "original_max_position_embeddings": 4096, "max_position_embeddings": 131072,
    },
    "llama3": {
        "dim": 32, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
    "yarn": {"dim": 32, "factor": 4.0, "original_max_position_embeddings": 4096},
    "given_frequencies": {"inv_freq": [1.0, 0.3, 0.001]},
    "axial_frequencies": {"widths": [8, 8], "axes": [0, 0]},
}  # fmt: skip


def bits(values):
    """The patterns of numbers, so that -0.0 is told from 0.0; every NaN is one."""
    return np.where(np.isnan(values), np.nan, np.asarray(values, np.float64)).view(np.uint64)


# -- the witness ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANGLES)
@pytest.mark.parametrize("dim, base", [(8, 10000), (10, 7777.7)])
def test_tables_are_those_of_the_witness(name, dim, base):
    like = "float32_angle" if name == "huggingface" else name  # the same where the output is as wide
    rows = np.array(witness.rope_table(like, POSITIONS.tolist(), dim, base))
    cos, sin = PROFILES[name](refpos.rope_table, POSITIONS, refpos.inverse_frequencies(dim, base=base), dtype="float64")
    assert cos.size == len(POSITIONS) * dim // 2
    assert (bits(cos) == bits(rows[..., 0])).all() and (bits(sin) == bits(rows[..., 1])).all()


@pytest.mark.parametrize(
    "name, dtype, inside",
    [("float32_angle", "float32", "float32"), ("float32_angle", "float16", "float32"),
     ("huggingface", "float16", "float16"), ("float16_rotation", "float16", "float16"),
     ("float16_table", "float16", "float32"), ("ggml_product", "float32", "float32")],
)  # fmt: skip
def test_rotations_are_those_of_the_witness(name, dtype, inside):
    x = np.random.default_rng(3).standard_normal((len(POSITIONS), 8)).astype(dtype)
    table = "float16_table" if name in ("huggingface", "float16_rotation") else name
    tables = witness.rope_table(table, POSITIONS.tolist(), 8, 10000)
    y = PROFILES[name](refpos.rope, x, POSITIONS, pairing="half")
    expected = np.empty(x.shape)
    for row, values in enumerate(tables):
        for i, pair in enumerate(values):
            expected[row, i], expected[row, i + 4] = witness.turned(x[row, i], x[row, i + 4], pair, inside)
    assert y.dtype == dtype and (y == expected.astype(dtype)).all()


@pytest.mark.parametrize("dim, shift, scale", [(8, 0, 1), (9, 1, 1000.0), (8, 0.5, 0.3)])
def test_timesteps_are_those_of_the_witness(dim, shift, scale):
    times = np.random.default_rng(5).random(9) * 999
    options = {"flip_sin_to_cos": True, "downscale_freq_shift": shift, "scale": scale}
    made = emulate.float32_exp_quotient(refpos.timestep_embedding, times, dim, **options)
    rows = np.array([witness.timestep(time, dim, shift, scale) for time in times])
    half = dim // 2
    assert made.dtype == np.float32 and made.shape == (9, dim)
    assert (made[:, :half] == rows[..., 0]).all() and (made[:, half : 2 * half] == rows[..., 1]).all()


@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize("heads", [1, 8, 12, 71])
def test_slopes_are_those_of_the_witness(name, heads):
    made = PROFILES[name](refpos.alibi_slopes, heads, dtype="float64")
    assert made.tolist() == witness.slopes(name, heads)


@pytest.mark.parametrize("width", [None, 64, 80])
def test_the_bias_of_falcon_is_that_of_the_witness(width):
    made = emulate.falcon_alibi(refpos.alibi, 12, 1, 1000, mode="linear", anchor="key", head_dim=width, dtype="float64")
    slopes = witness.slopes("falcon_alibi", 12)
    expected = [[witness.falcon_bias(slope, j, width) for j in range(0, 1000, 37)] for slope in slopes]
    assert (made[:, 0, ::37] == expected).all()


def test_llama3_is_that_of_the_witness():
    arguments = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    for dim, base in ((64, 10000.0), (128, 500000.0)):
        made, factor = emulate.float32_angle(
            refpos.llama3, dim, base=base, **arguments, original_max_position_embeddings=8192
        )
        assert made.tolist() == witness.llama3(dim, base, 8.0, 1.0, 4.0, 8192) and factor == 1.0


# -- bounds -----------------------------------------------------------------------------------------------------------


def calls():
    """(function, arguments, inputs, dtype) of every function with emulations of angles."""
    random = np.random.default_rng(7)
    for function, arguments in FREQUENCIES.items():
        yield "rope_table", {"frequencies": {"function": function, "arguments": arguments}}, {"positions": POSITIONS}
        if function in ("inverse_frequencies", "yarn", "longrope"):
            yield function, arguments, {}
    yield "sinusoidal", {"dim": 33, "odd": "pad", "layout": "cos-sin", "zero_row": 2}, {"positions": POSITIONS}
    yield "sinusoidal", {"dim": 32, "position_scale": 0.3, "endpoint": True}, {"positions": POSITIONS}
    options = {"dim": 33, "flip_sin_to_cos": True, "downscale_freq_shift": 0.5, "scale": 1000}
    yield "timestep_embedding", options, {"timesteps": random.random(20)}
    yield "sincos_2d", {"height": 5, "width": 7, "dim": 32, "axis_order": "wh"}, {}
    yield "sincos_3d", {"frames": 2, "height": 3, "width": 4, "dim": 24, "axis_order": "thw"}, {}
    yield "sincos_grid", {"grid": [3, 4], "dim": 16, "axis_order": "hw", "packing": "kinds", "extra_tokens": 1}, {}
    for dtype in ("float16", "float32", "float64"):
        x = random.standard_normal((2, len(POSITIONS), 32)).astype(dtype)
        yield "rope", {"pairing": "interleaved", "inverse": True}, {"x": x, "positions": POSITIONS}
        x = random.standard_normal((2, 12, 24)).astype(dtype)
        yield "rope_2d", {"pairing": "half", "height": 3, "width": 4, "axis_order": "hw"}, {"x": x}
        options = {"frames": 2, "height": 3, "width": 2, "widths": [8, 8, 8], "axis_order": "thw", "pairing": "half"}
        yield "rope_3d", options, {"x": x}
        ids = random.integers(0, 5000, (3, 12))
        options = {"pairing": "half", "sections": [4, 4, 4], "arrangement": "interleaved"}
        yield "mrope", options, {"x": x, "position_ids": ids}


def exact(function, arguments, inputs, dtype):
    made = {
        name: refpos.catalogue.find(value["function"]).function(**value["arguments"])
        if name == "frequencies"
        else value
        for name, value in arguments.items()
    }
    found = refpos.catalogue.find(function).function(**made, **inputs, **dtype)
    if isinstance(found, refpos.Frequencies):
        return (found.inv_freq, np.array(found.attention_factor))
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("name", sampled(ANGLES, 3))
def test_emulations_are_within_their_bounds(name):
    profile, compared = PROFILES[name], set()
    for function, arguments, inputs in calls():
        for kind in ("float64", "float32") if function == "sinusoidal" else ("float32",):
            dtype = {"dtype": kind} if "dtype" in refpos.catalogue.find(function).parameters else {}
            dtype = {} if "x" in inputs else dtype
            try:
                made = profile(function, **arguments, **inputs, **dtype)
            except InputError as error:
                assert error.code in ("E_CHOICE", "E_DTYPE") and profile.name in str(error)
                continue
            made, expected = made if isinstance(made, tuple) else (made,), exact(function, arguments, inputs, dtype)
            fmt = inputs["x"].dtype.name if "x" in inputs else kind if dtype else "float64"
            limits = emulate.bounds(name, function, arguments, inputs, fmt)
            for one, other, limit in zip(made, expected, limits.values(), strict=False):
                one, other = np.float64(one), np.float64(other)
                finite = np.isfinite(one) & np.isfinite(other)
                assert limit.shape == one.shape == other.shape and finite.any()
                assert (np.abs(one - other) <= limit)[finite].all(), (function, arguments)
                compared.add(function)
    assert compared >= {"rope_table", "sinusoidal", "sincos_2d", "timestep_embedding"}


@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize("anchor", [None, "key", "last"])
def test_biases_are_within_their_bounds(name, anchor):
    for heads in (8, 12, 7):
        for width in (None, 64):
            call = {"num_heads": heads, "query_len": 3, "key_len": 900, "mode": "linear", "anchor": anchor}
            call["head_dim"] = width
            made = PROFILES[name]("alibi", **call, dtype="float64")
            limits = emulate.bounds(name, "alibi", call, {}, "float64")["output"]
            assert (np.abs(made - refpos.alibi(**call)) <= limits).all() and limits.max() > 0


def test_bounds_are_close():
    """Emulations with a step of fewer bits are beyond the bound of the one without it."""
    limits = emulate.bounds("float32_angle", "rope_table", {"dim": 64}, {"positions": POSITIONS}, "float64")
    table = refpos.rope_table(POSITIONS, refpos.inverse_frequencies(64))
    for name in ("tf32_product", "bfloat16_inv_freq", "bfloat16_positions", "bfloat16_table",
                 "float16_inv_freq", "float16_positions", "float16_table", "bfloat16_angle"):  # fmt: skip
        made = PROFILES[name](refpos.rope_table, POSITIONS, refpos.inverse_frequencies(64), dtype="float64")
        outside = [np.abs(one - other) > limits[part] for one, other, part in zip(made, table, limits, strict=True)]
        assert np.any(outside), name


# -- calls ------------------------------------------------------------------------------------------------------------


def test_every_emulation_is_an_attribute_and_applies_to_something():
    for name, profile in PROFILES.items():
        assert getattr(emulate, name) is profile is emulate.find(name) and name in emulate.__all__
        assert emulate.applies(name, "rope_table") != emulate.applies(name, "alibi")


def test_frequencies_are_taken_as_the_call_that_makes_them():
    scaled = refpos.linear(8, factor=2)
    with pytest.raises(InputError, match="must be those of inverse_frequencies, or be given as the call"):
        emulate.float32_angle(refpos.rope_table, 3, scaled)
    call = {"function": "linear", "arguments": {"dim": 8, "factor": 2}}
    cos, _ = emulate.float32_angle(refpos.rope_table, 3, call)
    inside = {"function": "given_frequencies", "arguments": {"inv_freq": scaled.inv_freq}}
    with pytest.raises(InputError, match="from one of inverse_frequencies, axial_frequencies"):
        emulate.ggml_product(refpos.rope_table, 3, inside)
    assert cos.dtype == np.float32 and cos.shape == (3, 4)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: emulate.float32_angle(refpos.alibi, 8, 2, 2), "function must be one of"),
        (lambda: emulate.falcon_alibi(refpos.rope_table, 3, refpos.inverse_frequencies(4)), "function must be one of"),
        (lambda: emulate.float32_angle(refpos.t5_buckets, 3), "function must be one of"),
        (lambda: emulate.float32_angle("nothing", 3), "function must be one of"),
        (lambda: emulate.float32_angle(refpos.sinusoidal, 3, 4, out=np.empty((3, 4))), "out must be left out"),
        (lambda: emulate.float32_angle(refpos.sinusoidal, 3, 0), "dim must be"),
        (lambda: emulate.float32_angle(refpos.rope, np.ones((2, 4)), 3, pairing="half"), "positions must end in"),
        (
            lambda: emulate.float16_rotation(refpos.rope, np.ones((2, 4)), 2, pairing="half"),
            "x must have dtype float16",
        ),
        (lambda: emulate.press_alibi(refpos.alibi, 6, 2, 2, convention="geometric"), "convention must be 'recursive'"),
        (lambda: emulate.ggml_product(refpos.inverse_frequencies, 8), "function must be one of"),
        (lambda: emulate.find("float33"), "name must be one of"),
        (lambda: emulate.bounds("ggml_product", "alibi", {}, {}, "float32"), "function_name must be one that"),
    ],
)
def test_what_is_wrong_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_empty_calls_and_numbers_that_are_not_finite():
    cos, _ = emulate.ggml_product(refpos.rope_table, 0, refpos.inverse_frequencies(4))
    assert cos.shape == (0, 2)
    cos, _ = emulate.float16_positions(refpos.rope_table, [70000], refpos.inverse_frequencies(4))
    assert np.isnan(cos).all()
    y = emulate.float32_angle(refpos.rope, np.array([[np.inf, 1.0]], np.float32), [1], pairing="half")
    assert np.isinf(y).all()


def test_the_format_of_the_result():
    frequencies = refpos.inverse_frequencies(4)
    cos, _ = emulate.float64_angle(refpos.rope_table, 3, frequencies)
    assert cos.dtype == np.float64
    assert emulate.float16_table(refpos.rope_table, 3, frequencies)[0].dtype == np.float16
    assert emulate.float16_table(refpos.rope_table, 3, frequencies, dtype="float32")[0].dtype == np.float32
    inv_freq, factor = emulate.float16_inv_freq(refpos.inverse_frequencies, 4)
    assert inv_freq.dtype == np.float16 and factor == 1.0


# -- the diagnosis ----------------------------------------------------------------------------------------------------


def trial(of):
    """A golden case of rope_table with tables of a program: of(positions, inv_freq, ratio) gives its angles."""
    for case in golden.cases("rope_table"):
        arguments = {} if case.refusal else run.arguments_of(case)
        if arguments.get("dtype") == "float32" and arguments["frequencies"]["function"] == "inverse_frequencies":
            break
    call = Call(case.suite, {name: run.call(value) for name, value in arguments.items()}, run.inputs_of(case))
    options, places = call.arguments["frequencies"]["arguments"], call.tensors["positions"].values.astype(np.float32)
    dim, base = options["dim"], np.float32(options["base"])
    inv_freq = np.float32(1) / base ** (np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))
    angle = of(places, inv_freq, base ** np.float32(-2 / dim))
    answered = {"cos": Tensor("float32", np.cos(angle)), "sin": Tensor("float32", np.sin(angle))}
    return search.Trial(call, run.outputs_of(case), answered)


def running_product(places, inv_freq, ratio):
    found = [places]
    for _ in inv_freq[1:]:
        found.append(found[-1] * ratio)
    return np.stack(found, -1)


def cast_inv_freq(places, inv_freq, ratio):
    return places[:, None] * inv_freq.astype(np.float16).astype(np.float32)


@pytest.mark.parametrize("of, name", [(running_product, "ggml_product"), (cast_inv_freq, "float16_inv_freq")])
def test_the_numbers_of_a_program_are_named(of, name):
    """The sines of NumPy are within 1 ulp of those of the emulation, which the explanation says."""
    found = [one for one in search.explanations(trial(of)) if one.mistake == "emulation"]
    assert [one.computed.partition(" ")[0] for one in found] == [f"emulate.{name}"]
    assert found[0].met in ("correct", "faithful") and found[0].asked == "the exact value"


def test_one_wrong_element_is_no_emulation():
    wrong = trial(running_product)
    wrong.answered["cos"].values.flat[-1] += 1e-4
    assert [one for one in search.explanations(wrong) if one.mistake == "emulation"] == []


def test_a_case_is_made_in_an_emulation():
    """bfloat16 as bit patterns, frequencies with their axes, and the names and shapes of the outputs."""
    made = 0
    for suite in ("rope", "rope_table", "axial_frequencies", "sincos_2d", "yarn"):
        for case in [case for case in golden.cases(suite) if not case.refusal and case.tier == "core"][:4]:
            call = Call(suite, {n: run.call(v) for n, v in run.arguments_of(case).items()}, run.inputs_of(case))
            asked = run.outputs_of(case)
            found = emulated.outputs(call.change(emulation="float32_angle"))
            assert {name: (t.dtype, t.values.shape) for name, t in found.items()} == {
                name: (t.dtype, t.values.shape) for name, t in asked.items()
            }
            made += 1
    assert made == 20


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_emulations_in_float64_and_float32_meet_the_classes_of_their_arithmetic(dtype):
    frequencies, positions = refpos.inverse_frequencies(64), np.arange(0, 5000, 7)
    of_arithmetic = {"float64_angle": "float64-angle", "float64_quotient": "float64-angle"}
    of_arithmetic |= {"float32_angle": "float32-angle", "float32_exp": "float32-exp-angle"}
    for name, expected in of_arithmetic.items():
        tables = refpos.emulate.PROFILES[name](refpos.rope_table, positions, frequencies, dtype=dtype)
        assert expected in refpos.compare(tables, refpos.rope_table, positions, frequencies).classes, name
    cast = refpos.emulate.bfloat16_inv_freq(refpos.rope_table, positions, frequencies)
    assert not refpos.compare(cast, refpos.rope_table, positions, frequencies).classes
