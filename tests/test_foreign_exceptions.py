"""What callers may hand over by mistake or on purpose: a number, or a refusal of refpos, and no exception of Python."""

import copy
import pickle
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import refpos
from refpos import InputError, conformance, emulate, golden, models, testing
from refpos.tables import mean_of_rows

LLAMA3 = {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}
YARN = {"factor": 4, "original_max_position_embeddings": 64}
DIM = {"dim": 4}
EIGHT_CHANNELS = refpos.inverse_frequencies(8)
EIGHT = np.ones((3, 8))
POSITIONS = {"positions": np.array([0, 100])}
LINEAR = {"method": "linear", "align": "half-pixel"}
PACKED = {**LINEAR, "grid_thw": [[1, 2, 2]]}
PACKED_TABLE = {"weight": np.ones((2, 2, 4), "f4")}
LONG = (1,) * 38  # axes, which are more than NumPy broadcasts
DTYPE = np.dtype("f4")


def call(function, arguments):
    return {"function": function, "arguments": arguments}


SLOPES = call("alibi_slopes", {"num_heads": 3})


def bounds(profile="bfloat16_inv_freq", arguments=DIM, inputs=POSITIONS):
    return emulate.bounds(profile, "rope_table", arguments, inputs, "float32")


def of_ones(*shape):
    """An array of more elements than memory holds."""
    return np.broadcast_to(np.int64(1), shape)


def deep():
    """A list in a list, and so on."""
    nested = []
    for _ in range(3000):
        nested = [nested]
    return nested


def limits(function, arguments, inputs):
    return conformance.bounds(function, arguments, inputs, "float32")


def inverse_frequencies(dim):
    return call("inverse_frequencies", {"dim": dim})


def masked(mask, dim=4):
    options = {"normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi", "eps": 0}
    return refpos.absolute.masked_sine_2d(mask, dim, **options)


def fourier(dim):
    return refpos.absolute.timestep_fourier([3.0], dim, ends="frequencies", first=1, last=3.0, flip_sin_to_cos=True)


def edge_rows(edges, attributes):
    return refpos.positions.path_edge_rows(edges, 2, attributes, hops=2)


def config(**values):
    return refpos.from_config({"model_type": "llama", **values})


class OfLength:
    """A sequence that says how long it is, and that nothing holds."""

    def __len__(self):
        return 10**18

    def __getitem__(self, key):
        return 1.0


class Alike(str):
    """Text that is equal to everything."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(str(self))


class Unhashable(str):
    def __hash__(self):
        raise RuntimeError("no")


class Nameless:
    def __getattr__(self, name):
        raise RuntimeError(name)


class NoArray:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no")


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
        ("E_SHAPE", "positions", lambda: models.load("mochi").table(3)),
        ("E_SHAPE", "positions", lambda: models.load("mochi").table([1, 2])),
        ("E_SHAPE", "positions", lambda: models.load("rope_vit_mixed").table(np.float64(3))),
        ("E_POSITION", "positions", lambda: models.load("rope_vit_mixed").table(None)),
        ("E_SIZE", "width", lambda: models.load("mochi").table(refpos.grid(1, 2, 0))),
        ("E_SHAPE", "x", lambda: models.load("dinov3").rotate([[1], [1, 2]], 3)),
        ("E_SHAPE", "x", lambda: models.load("dinov3").rotate(OfLength(), 3)),
        ("E_DTYPE", "x", lambda: models.load("stable_audio").rotate(NoArray(), 3)),
        ("E_SIZE", "dim", lambda: limits("sinusoidal", {"dim": None}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("sinusoidal", {"dim": "4"}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("sinusoidal", {"dim": [4]}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("sinusoidal", {"dim": 10**30}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("sinusoidal", {"dim": Fraction(4)}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("rope_table", {"dim": 2**62}, POSITIONS)),
        ("E_SIZE", "dim", lambda: limits("rope_table", {"frequencies": inverse_frequencies(2**62)}, POSITIONS)),
        ("E_ODD_DIM", "dim", lambda: limits(
            "timestep_fourier", {"dim": 1, "ends": "frequencies", "first": 1, "last": 3, "flip_sin_to_cos": True},
            {"timesteps": np.array([3.0])})),
        ("E_SIZE", "length", lambda: limits("resize_packed", {**PACKED, "length": "32"}, PACKED_TABLE)),
        ("E_SIZE", "length", lambda: limits("resize_packed", {**PACKED, "length": 3e301}, PACKED_TABLE)),
        ("E_SHAPE", "weight", lambda: limits(
            "mixed_rope", {"positions": refpos.grid(2, 2), "pairing": "interleaved"},
            {"x": np.ones(2), "weight": np.ones((2, 2, 2), "f4")})),
        ("E_SIZE", "dim", lambda: emulate.bounds("float32_angle", "sinusoidal", {"dim": None}, POSITIONS, "float32")),
        ("E_SHAPE", "pairing", lambda: testing.assert_rope(EIGHT, EIGHT, 3, pairing=deep())),
        ("E_SHAPE", "pairing", lambda: refpos.compare(EIGHT, refpos.rope, EIGHT, 3, pairing=deep())),
        ("E_SHAPE", "dtype", lambda: testing.assert_matches(
            EIGHT, refpos.relative.log_coordinates, 3, 5, rule="swin-v2", dtype=deep())),
        ("E_SIZE", "width", lambda: refpos.compare(
            EIGHT, refpos.window_bias, EIGHT, 2, Fraction(10**400, 3), sign="key-query")),
        ("E_SHAPE", "coordinates", lambda: refpos.positions.grid_positions([1] * 100)),
        ("E_TOO_LARGE", "out", lambda: refpos.positions.grid_positions([2**12] * 4)),
        ("E_TOO_LARGE", "positions", lambda: refpos.scores.log_n_scale(2**46, training_length=512)),
        ("E_TOO_LARGE", "tokens", lambda: models.positions("reformer", length=2**46)),
        ("E_TOO_LARGE", "tokens", lambda: refpos.positions.abacus_positions(of_ones(2**24, 2**24), [1], offset=0)),
        ("E_TOO_LARGE", "out", lambda: refpos.sinusoidal(2**46, 8)),
        ("E_TOO_LARGE", "out", lambda: refpos.relative.alibi_2d(2, 10**4, 10**4)),
        ("E_SHAPE", "coordinates", lambda: refpos.grid(2, of_ones(2**46, 2))),
        ("E_SHAPE", "coordinates", lambda: refpos.coordinates.cropped(of_ones(2**46, 2), 3)),
        ("E_SHAPE", "positions", lambda: refpos.rope(EIGHT, of_ones(2**46), pairing="half")),
        ("E_TOO_LARGE", "positions", lambda: refpos.rope_table(of_ones(2**24, 2**24), EIGHT_CHANNELS)),
        ("E_TOO_LARGE", "positions", lambda: refpos.rotary.xpos_scale(of_ones(2**24, 2**24), 8, centring="floor")),
        ("E_TOO_LARGE", "positions", lambda: models.load("rope_vit_axial").table(of_ones(2**24, 2**24))),
        ("E_TOO_LARGE", "positions", lambda: refpos.positions.dual_chunk_positions(
            of_ones(2**46), role="key", chunk_size=8, local_size=2, version="paper")),
        ("E_TOO_LARGE", "edges", lambda: edge_rows(of_ones(2**46, 2), [1])),
        ("E_TOO_LARGE", "weight", lambda: refpos.absolute.fourier_projection(
            [[0.5, 0.5]], of_ones(2, 2**46), factor=1, layout="sin-cos")),
        ("E_TOO_LARGE", "spatial_weight", lambda: refpos.relative.graphormer_bias(
            [[1]], of_ones(2**24, 2**24).view("f8"), [[1.0]])),
        ("E_CHOICE", "pairing", lambda: refpos.rope(EIGHT, 3, pairing=Alike("half"))),
        ("E_CHOICE", "name", lambda: models.load(Alike("nothing"))),
        ("E_CHOICE", "name", lambda: emulate.find(Alike("nothing"))),
        ("E_DTYPE", "dtype", lambda: refpos.sinusoidal(3, 8, dtype=Unhashable("float32"))),
        ("E_CHOICE", "function", lambda: emulate.mlx(Nameless(), 3, 4)),
        ("E_CHOICE", "expected", lambda: refpos.diagnose(EIGHT, Nameless(), 3)),
        ("E_CHOICE", "function", lambda: testing.assert_matches(EIGHT, Nameless(), 3)),
        ("E_SIZE", "length", lambda: models.positions("musicgen", length=2.5)),
        ("E_POSITION", "start", lambda: refpos.coordinates.affine(3, start=1e300, step=0.5)),
        ("E_FILE", "golden", lambda: golden.verify("answers.npz", golden="nowhere")),
        ("E_BASE", "base", lambda: emulate.float32_exp(refpos.inverse_frequencies, 8, base=Fraction(1, 10**400))),
        ("E_BASE", "base", lambda: emulate.float32_angle(
            refpos.ntk, 8, base=1e300, factor=1e300, rule="product")),
        ("E_NUMBER", "factor", lambda: emulate.float32_angle(refpos.yarn, 8, **{**YARN, "factor": 10**400})),
        ("E_NUMBER", "high_freq_factor", lambda: limits(
            "llama3", {"dim": 4, **LLAMA3, "high_freq_factor": 10**400}, {})),
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


def test_a_key_of_a_part_that_is_no_text():
    inner = {"model_type": "got_ocr2_vision", 2**53 + 1: {"0": "label"}}
    with pytest.raises(InputError, match="keys of vision_config must be printable strings, got 9007199254740993"):
        refpos.from_config({"model_type": "got_ocr2", "vision_config": inner})


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
    with pytest.raises(InputError, match="a number is not an integer"):
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


class Index:
    """Four, for whoever asks for an integer."""

    def __index__(self):
        return 4


SIZES = [np.int64(4), np.uint8(4), np.array(4), np.array(4, np.int16), Index()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "made",
    [
        lambda n: refpos.positions.dual_chunk_positions(
            6, role="inter", chunk_size=n, local_size=1, version="chunkllama"),
        lambda n: refpos.positions.dual_chunk_distances(6, 6, chunk_size=n, local_size=1, version="chunkllama"),
        lambda n: refpos.positions.self_extend_distances(
            4, 4, group_size=2, neighbor_window=3, shift="floor", longest=n),
        lambda n: refpos.absolute.coordinate_sine([[0.5, 0.25]], n, order=[1, 0], factor=1),
        lambda n: refpos.absolute.conv_positions(
            np.ones((3, 4)), np.ones((4, 1, 3)), groups=n, padding="same", activation="identity"),
        lambda n: refpos.tables.resize_table(np.ones((5, 2)), [2], **LINEAR, grid=[1], prefix=n),
        lambda n: refpos.tables.resize_packed(PACKED_TABLE["weight"], [[1, 2, 2]], **LINEAR, length=n),
        lambda n: refpos.tables.resize_packed(PACKED_TABLE["weight"], [[1, 4, 4]], **LINEAR, merge_size=n),
        lambda n: emulate.float32_angle(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.bfloat16_angle(
            refpos.mrope, np.ones((1, 24), "f4"), np.ones((3, 1), int), sections=[n, n, n], pairing="half",
            arrangement="chunked"),
        lambda n: emulate.float64_quotient(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.float16_rotation(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.bfloat16_table(refpos.sinusoidal, 4, n, dtype="float32"),
        lambda n: emulate.press_alibi(refpos.alibi_slopes, n, dtype="float32"),
        lambda n: emulate.mpt_alibi(refpos.alibi, n, 3, n, dtype="float32"),
        lambda n: emulate.falcon_alibi(refpos.alibi, n, n, 3, dtype="float32"),
        lambda n: emulate.float32_angle(refpos.rope_table, 3, call("inverse_frequencies", {"dim": n}))[0],
        lambda n: bounds(arguments={"dim": n})["cos"],
        lambda n: emulate.bounds("falcon_alibi", "alibi_slopes", {"num_heads": n}, {}, "float32")["output"],
        lambda n: limits("log_n_scale", {"training_length": n}, POSITIONS)["float64-logarithm"]["output"],
        lambda n: conformance.bounds("rope_table", {"dim": n}, POSITIONS, "float32")["float32-angle"]["sin"],
    ],
)  # fmt: skip
def test_sizes_of_numpy(made, size):
    assert made(size).tobytes() == made(4).tobytes()


def test_emulations_overflow_as_ieee_754_says():
    far = refpos.inverse_frequencies(8, base=1e304)  # infinity in float32, whose reciprocal powers are 0
    assert emulate.float16_inv_freq(refpos.inverse_frequencies, 8, base=1e304)[0].tolist() == [1, 0, 0, 0]
    cos, sin = emulate.float32_angle(refpos.rope_table, 3, far)
    assert (cos[:, 1:] == 1).all() and (sin[:, 1:] == 0).all() and (sin[1:, 0] != 0).all()
    assert emulate.mpt_alibi(refpos.alibi_slopes, 2, max_bias=8e300).tolist() == [0, 0]
    options = {"downscale_freq_shift": 1.7976931348623157e308, "flip_sin_to_cos": False, "max_period": 1e302}
    waves = emulate.ggml_product(refpos.timestep_embedding, 4, 10, **options)  # a ratio of infinity**0, which is 1
    assert (waves[:5] == waves[0]).all() and (waves[5:] == waves[5]).all()


def test_class_tokens_of_numpy_are_counted():
    with pytest.raises(InputError, match=r"weight must have 5 \* 3 \+ 3 = 18 rows, got 15"):
        refpos.tables.resize_bias(np.ones((15, 2)), [3, 2], [4, 3], method="swin", class_token=np.bool_(True))


class OfArray:
    """What is an array to NumPy, and no sequence."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_three_tables_in_one_array_of_another_library():
    tables = np.arange(24.0).reshape(3, 4, 2)
    found = refpos.tables.cosmos_learnable(OfArray(tables), [2, 1, 2])
    assert found.tobytes() == refpos.tables.cosmos_learnable(tables, [2, 1, 2]).tobytes()


def test_messages_say_what_to_do():
    with pytest.raises(InputError, match=r"common unit, got 2\.0e\+300 \(301 digits\) times$"):
        refpos.coordinates.affine(3, start=1e300, step=0.5)
    with pytest.raises(InputError, match='or be the bit patterns that dtype="bfloat16" reads'):
        refpos.rope(np.ones((3, 8), np.uint16), 3, pairing="half")


def test_sections_may_be_an_array():
    options = {"pairing": "half", "arrangement": "chunked"}
    found = refpos.mrope(EIGHT, np.ones((3, 3), int), sections=np.array([2, 1, 1]), **options)
    assert found.tobytes() == refpos.mrope(EIGHT, np.ones((3, 3), int), sections=[2, 1, 1], **options).tobytes()


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
    plain, other = replace(EIGHT_CHANNELS), replace(refpos.yarn(128, factor=8, original_max_position_embeddings=4096))
    assert pickle.loads(pickle.dumps(plain)).inv_freq.tobytes() == EIGHT_CHANNELS.inv_freq.tobytes()
    with pytest.raises(InputError, match="to be pickled, got rules of other code"):
        pickle.dumps(other)
    assert copy.deepcopy(other).inv_freq.tobytes() == other.inv_freq.tobytes()


def test_a_mixed_rotation_of_no_token():
    cos, sin = models.load("rope_vit_mixed").table([[], []])
    assert cos.shape == sin.shape == (*cos.shape[:1], 0, cos.shape[-1])
