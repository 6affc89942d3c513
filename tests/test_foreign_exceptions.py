"""What callers may hand over by mistake or on purpose: a number, or a refusal of refpos, and no exception of Python."""

import copy
import pickle
import time
from dataclasses import replace

import numpy as np
import pytest

import refpos
from refpos import InputError, conformance, emulate, golden
from refpos.tables import mean_of_rows

LLAMA3 = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}
YARN = {"factor": 4, "original_max_position_embeddings": 64}
DIM = {"dim": 4}
EIGHT_CHANNELS = refpos.inverse_frequencies(8)
POSITIONS = {"positions": np.array([0, 100])}
LONG = (1,) * 38  # axes, which are more than NumPy broadcasts
DTYPE = np.dtype("f4")


def call(function, arguments):
    return {"function": function, "arguments": arguments}


SLOPES = call("alibi_slopes", {"num_heads": 3})


def bounds(profile="bfloat16_inv_freq", arguments=DIM, inputs=POSITIONS):
    return emulate.bounds(profile, "rope_table", arguments, inputs, "float32")


def masked(mask, dim=4):
    options = {"normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi", "eps": 0}
    return refpos.absolute.masked_sine_2d(mask, dim, **options)


def fourier(dim):
    return refpos.absolute.timestep_fourier([3.0], dim, ends="frequencies", first=1, last=3.0, flip_sin_to_cos=True)


def edge_rows(edges, attributes):
    return refpos.positions.path_edge_rows(edges, 2, attributes, hops=2)


def config(**values):
    return refpos.from_config({"model_type": "llama", **values})


@pytest.mark.parametrize(
    ("code", "argument", "made"),
    [
        ("E_FILE", "source", lambda: refpos.from_config({"general.architecture": "llama", 1: 1})),
        ("E_FILE", "source", lambda: refpos.from_config({"general.architecture": "llama", b"k": 1})),
        ("E_FILE", "source", lambda: refpos.from_config({"model_type": np.zeros(2)}, model_type="llama")),
        ("E_FILE", "source", lambda: refpos.from_config({"model_type": np.zeros(0)}, model_type="llama")),
        ("E_FILE", "source", lambda: refpos.from_config({"model_type": "deepseek_v3", "rope_interleave": np.ones(2)})),
        ("E_FILE", "source", lambda: config(other={"inner": [1, {1, 2}]})),
        ("E_NUMBER", "frequencies", lambda: emulate.tf32_product(refpos.rope_table, EIGHT_CHANNELS, [0, 1, 2, 4])),
        ("E_NUMBER", "frequencies", lambda: emulate.float16_angle(refpos.rope_table, EIGHT_CHANNELS, [[1]])),
        ("E_NUMBER", "frequencies", lambda: emulate.bfloat16_rotation(refpos.rope_table, 3, {"function": "x"})),
        ("E_NUMBER", "frequencies", lambda: emulate.float32_angle(refpos.rope_table, 3, call("llama3", 3))),
        ("E_CHOICE", "arguments", lambda: emulate.float32_angle(refpos.rope_table, 3, call("llama3", {"bass": 3}))),
        ("E_CHOICE", "frequencies", lambda: emulate.float32_angle(refpos.rope_table, 3, SLOPES)),
        ("E_CHOICE", "function_name", lambda: emulate.applies("float32_angle", ["rope"])),
        ("E_CHOICE", "profile", lambda: bounds(b"bfloat16_inv_freq")),
        ("E_CHOICE", "arguments", lambda: bounds(arguments=1)),
        ("E_CHOICE", "inputs", lambda: bounds(inputs=[0, 1])),
        ("E_DTYPE", "beta", lambda: refpos.rotary.path(*np.ones((3, 2, 2)), [2.0, DTYPE])),
        ("E_DTYPE", "edges", lambda: edge_rows([[0, DTYPE]], [1])),
        ("E_DTYPE", "attributes", lambda: edge_rows([[0, 1]], [1, DTYPE])),
        ("E_TOO_LARGE", "out", lambda: refpos.rotary.pope(np.zeros((0, 2**59)), 0, pairing="half")),
        ("E_TOO_LARGE", "out", lambda: fourier(2**62)),
        ("E_TOO_LARGE", "out", lambda: masked([1, 2], 2**62)),
        ("E_TOO_LARGE", "rows", lambda: mean_of_rows(np.ones((3, 2)), np.broadcast_to(0, (2**20, 2**20)))),
        ("E_SHAPE", "coordinates", lambda: refpos.absolute.equal_earth(np.zeros((0, 2**24)))),
        ("E_SHAPE", "coordinates", lambda: refpos.absolute.cape_2d(np.zeros((0, 2**24)), 2, radii="ends")),
        ("E_SHAPE", "coordinates", lambda: refpos.absolute.sphere_code(np.zeros((0, 2**24)), rule="direct")),
        ("E_SHAPE", "coordinates", lambda: refpos.absolute.coordinate_sine(
            np.zeros((0, 2**24)), 2**25, order=None, factor=1)),
        ("E_SHAPE", "mean", lambda: refpos.absolute.integrated_fourier(
            np.zeros((0, 2**24)), np.zeros((0, 2**24)), EIGHT_CHANNELS, factor="pi", order="kind-axis-band")),
        ("E_SHAPE", "points", lambda: refpos.absolute.centred_points(np.zeros((0, 2**24)), 2, 2, share=1)),
        ("E_SHAPE", "x", lambda: refpos.absolute.spherical_harmonics(np.zeros((0, 2**24)), 2, convention="satclip")),
    ],
)  # fmt: skip
def test_is_refused(code, argument, made):
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        made()
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert time.perf_counter() - start < 3


def test_the_path_of_a_key_is_named():
    with pytest.raises(InputError, match=r"^other\.inner must be a value of JSON, got \{1, 2\}$"):
        config(other={"inner": [1, {1, 2}]})


def test_numpy_scalars_are_values_of_json():
    found, plain = config(rope_theta=np.float64(5e5)), config(rope_theta=5e5)
    assert found.rotary().inv_freq.tobytes() == plain.rotary().inv_freq.tobytes()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1.5"])
def test_a_manifest_with_a_number_that_is_no_integer(tmp_path, number):
    golden.generate(tmp_path, suites=["alibi_slopes"], tier="starter")
    manifest = tmp_path / "MANIFEST.json"
    text = manifest.read_text()
    assert '"prompt": false' in text
    manifest.write_text(text.replace('"prompt": false', f'"prompt": {number}'))
    with pytest.raises(InputError, match="a number is no integer"):
        golden.verify(tmp_path)


def test_a_number_of_json_is_finite():
    with pytest.raises(ValueError, match="numbers must be finite, got 1e999"):
        golden.strict_json.loads("[1.5, 1e999]")
    assert golden.strict_json.loads("[1.5, 1e9]") == [1.5, 1e9]


@pytest.mark.parametrize("size", [2**16, 2**18, 2**20])
def test_the_mask_of_a_large_image(size):
    found = masked(np.ones((size, 1), int))
    alone = masked(np.ones((1, 1), int))
    assert found.shape == (size, 1, 4) and found[-1, 0].tobytes() == alone[0, 0].tobytes()
    assert found[size // 4 - 1, 0, :2].tolist() == [1.0, 0.0]  # a quarter of a turn


SIZES = [np.int64(4), np.uint8(4), np.array(4), np.array(4, np.int16)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "made",
    [
        lambda n: emulate.float32_angle(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.float64_quotient(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.float16_rotation(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.bfloat16_table(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.press_alibi(refpos.alibi_slopes, n, dtype="float32"),
        lambda n: emulate.mpt_alibi(refpos.alibi, n, 3, n, dtype="float32"),
        lambda n: emulate.falcon_alibi(refpos.alibi, n, n, 3, dtype="float32"),
        lambda n: emulate.float32_angle(refpos.rope_table, 3, call("inverse_frequencies", {"dim": n}))[0],
        lambda n: bounds(arguments={"dim": n})["cos"],
        lambda n: emulate.bounds("falcon_alibi", "alibi_slopes", {"num_heads": n}, {}, "float32")["output"],
        lambda n: conformance.bounds("rope_table", {"dim": n}, POSITIONS, "float32")["float32-angle"]["sin"],
    ],
)
def test_sizes_of_numpy(made, size):
    assert made(size).tobytes() == made(4).tobytes()


def test_more_axes_than_numpy_broadcasts():
    weight, rows = [[1.0, 0], [0, 1], [3, 0], [0, 3]], np.ones((*LONG, 1, 1), int)
    found = refpos.scores.bucket_scores([[1.0, 2.0]], weight, None, rows, heads=2)
    few = refpos.scores.bucket_scores([[1.0, 2.0]], weight, None, rows.reshape(1, 1), heads=2)
    assert found.shape == (*LONG, 2, 1, 1) and found.tobytes() == few.tobytes()
    with pytest.raises(InputError, match="at most 64 axes"):
        refpos.scores.bucket_scores([[1.0, 2.0]], weight, None, np.ones((1,) * 64, int), heads=2)


def test_channels_of_no_token():
    assert refpos.rotary.pope(np.zeros((0, 2**40)), 0, pairing="half").shape == (0, 2**41)


FREQUENCIES = {
    "inverse_frequencies": lambda: EIGHT_CHANNELS,
    "llama3": lambda: refpos.llama3(128, base=500000, **LLAMA3),
    "yarn": lambda: refpos.yarn(16, **YARN),
    "ntk": lambda: refpos.ntk(8, factor=2, rule="product"),
    "a scaling of a scaling": lambda: refpos.linear(16, factor=3, frequencies=refpos.yarn(16, **YARN)),
    "axes": lambda: refpos.frequencies.axial_frequencies((8, 8), times_pi=1),
    "an array": lambda: refpos.frequencies.given_frequencies(np.array([1.0, 0.3])),
}


@pytest.mark.parametrize("name", FREQUENCIES)
def test_frequencies_are_pickled_and_copied(name):
    made = FREQUENCIES[name]()
    for again in (*(pickle.loads(pickle.dumps(made, k)) for k in range(6)), copy.deepcopy(made), copy.copy(made)):
        assert again is not made and (again.axes, again.dim) == (made.axes, made.dim)
        assert again.inv_freq.tobytes() == made.inv_freq.tobytes() and again.fixed(512) == made.fixed(512)
        assert again.factor.fixed(512) == made.factor.fixed(512) and again.recipe is not None


def test_frequencies_of_an_array_that_was_written_to():
    numbers = np.array([1.0, 0.5])
    made = refpos.frequencies.given_frequencies(numbers)
    numbers[1] = np.nan
    assert pickle.loads(pickle.dumps(made)).inv_freq.tolist() == [1.0, 0.5]


def test_frequencies_that_no_call_made():
    plain, other = replace(EIGHT_CHANNELS), replace(refpos.llama3(128, base=500000, **LLAMA3))
    assert pickle.loads(pickle.dumps(plain)).inv_freq.tobytes() == EIGHT_CHANNELS.inv_freq.tobytes()
    with pytest.raises(InputError, match="to be pickled, got others"):
        pickle.dumps(other)
    assert copy.deepcopy(other).inv_freq.tobytes() == other.inv_freq.tobytes()
