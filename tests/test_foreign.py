"""Arrays of other libraries: every argument and every answer reads their values, or says why it cannot.

The real libraries are in tests/frameworks/test_foreign.py; here stand-ins have their interface.
"""

import sys
import types

import ml_dtypes
import numpy as np
import pytest
from doors import ANSWERED, DOORS, LAYOUTS, OF_A_FORMAT, VALUED, X, plain, refusal
from foreign_arrays import OnlyArray, OnlyDlpack
from tiers import sampled

import refpos
from refpos import conversion, testing
from refpos.arithmetic import formats
from refpos.errors import InputError
from refpos.foreign import float8
from refpos.tensor_files import Tensor as Held
from refpos.tensor_files import tensor

# -- stand-ins --------------------------------------------------------------------------------------------------------


class DType:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


class Tensor:
    """Has of torch's Tensor what is read, its sign bit included, which neither its memory nor DLPack knows."""

    __module__ = "torch"
    requires_grad = is_nested = is_quantized = False
    layout, device = "torch.strided", types.SimpleNamespace(type="cpu")

    def __init__(self, values, dtype=None, negative=False, **more):
        self.memory, self.negative = np.asarray(values), negative
        self.dtype = DType(dtype or values.dtype.name)
        vars(self).update(more)

    def resolve_conj(self):
        return self

    def resolve_neg(self):
        return Tensor(-self.memory, self.dtype.name) if self.negative else self

    def view(self, dtype):
        return Tensor(self.memory.view(dtype.name))

    def __array__(self, dtype=None, copy=None):
        if self.negative or self.dtype.name in ("bfloat16", "float8_e4m3fn"):
            raise TypeError("NumPy does not have this")
        return self.memory

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()


class Refusing(Tensor):
    """A class of somebody's, whose __array__ refuses while the DLPack of its base does not."""

    __module__ = "somebody"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("this tensor lies on three devices")


class Cupy:
    __module__ = "cupy"

    def __init__(self, values):
        self.values, self.dtype = values, values.dtype

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def get(self):
        return self.values


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    """A module of that name, for the dtypes of bit patterns."""
    module = types.ModuleType("torch")
    module.int16, module.uint8 = DType("int16"), DType("uint8")
    monkeypatch.setitem(sys.modules, "torch", module)


def bfloat16(values):
    """The bit patterns of values that bfloat16 has."""
    patterns = (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    assert ((patterns.astype(np.uint32) << 16).view(np.float32) == values).all()
    return patterns


def float8_patterns(values):
    table = float8.widened(np.arange(256, dtype=np.uint8), "float8_e4m3fn").tolist()
    return np.array([table.index(value) for value in values.ravel().tolist()], np.uint8).reshape(values.shape)


#: {kind: the array of it that has the values}; all have the values of X
VALUES = {
    "NumPy": lambda values: values,
    "torch": Tensor,
    "torch, negative bit": lambda values: Tensor(-values, negative=True),
    "class of torch's": lambda values: type("Parameter", (Tensor,), {"__module__": "somebody"})(values),
    "__array__": OnlyArray,
    "DLPack": OnlyDlpack,
    "cupy": Cupy,
    "list of tensors": lambda values: [Tensor(-row, negative=True) for row in values],
}
BFLOAT16 = {
    "torch.bfloat16": lambda values: Tensor(bfloat16(values), "bfloat16"),
    "list of torch.bfloat16": lambda values: [Tensor(bfloat16(row), "bfloat16") for row in values],
}
SPARSE = {"layout": "torch.sparse_coo"}
#: {kind: (the array, what every message about it says)}
REFUSED = {
    "masked": (lambda values: np.ma.masked_array(values, values > 3), "must have no masked entries, got"),
    "masked in a list": (lambda v: [np.ma.masked_array(row, row > 3) for row in v], "must have no masked entries, got"),
    "__array__ of a masked one": (
        lambda values: OnlyArray(np.ma.masked_array(values, values > 3)),
        "must have no masked entries, got a OnlyArray that has",
    ),
    "grad": (lambda values: Tensor(values, requires_grad=True), "must not require grad: call .detach() first, got a"),
    "sparse": (lambda values: Tensor(values, **SPARSE), "must be dense: call .to_dense() first, got a Tensor with"),
    "nested": (lambda values: Tensor(values, is_nested=True), "must be one rectangle: call .to_padded_tensor() first"),
    "quantised": (lambda values: Tensor(values, is_quantized=True), "must hold its numbers: call .dequantize() first"),
    "meta": (
        lambda values: Tensor(values, device=types.SimpleNamespace(type="meta")),
        "must hold numbers, got a Tensor on the device meta, which holds none",
    ),
    "cuda": (
        lambda values: Tensor(values, device=types.SimpleNamespace(type="cuda")),
        "must lie in the memory of the CPU: call .cpu() first, got a Tensor on cuda",
    ),
    "sparse of SciPy": (
        lambda values: type("csr_array", (), {"__module__": "scipy.sparse._csr", "dtype": values.dtype})(),
        "must be a dense array: call .toarray() first, got a csr_array",
    ),
    "refusing": (Refusing, "got a Refusing that says: 'this tensor lies on three devices'"),
}


# -- doors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sampled(VALUES, 3))
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_the_values_of_every_array(door, kind):
    assert plain(DOORS[door](VALUES[kind])) == plain(DOORS[door](np.asarray))


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_why_it_cannot_read_an_array(door, kind):
    make, words = REFUSED[kind]
    assert words in refusal(door, make)


def ml_bfloat16(values):
    return np.asarray(values).astype(formats.bfloat16_dtype())


@pytest.mark.parametrize("kind", BFLOAT16)
@pytest.mark.parametrize("door", [door for door in DOORS if door != "answer of a diagnosis"])  # whose call is float32
def test_every_door_reads_bfloat16_as_numpy_with_ml_dtypes(door, kind):
    assert plain(DOORS[door](BFLOAT16[kind])) == plain(DOORS[door](ml_bfloat16))


def test_bfloat16_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    make, patterns = BFLOAT16["torch.bfloat16"], bfloat16(X)
    x = make(X)
    assert (refpos.rope(x, 3, pairing="half") == refpos.rope(patterns, 3, pairing="half", dtype="bfloat16")).all()
    assert (refpos.learned(x, [2, 0]) == patterns[[2, 0]]).all()
    assert (refpos.sinusoidal(x, 4) == refpos.sinusoidal(X, 4)).all()
    assert refpos.compare(x, X).met == "correct" and tensor(x).dtype == "bfloat16"
    for call in (
        lambda: conversion.reorder(x, *LAYOUTS),
        lambda: refpos.rope([make(row) for row in X], 3, pairing="half"),
    ):
        with pytest.raises(
            InputError, match=r"must have a dtype of NumPy, or the ml_dtypes package .* for bfloat16, got"
        ):
            call()
    with pytest.raises(InputError, match="must be integers of at most 64 bits, got bfloat16"):
        refpos.t5_buckets(x, bidirectional=False)


FLOAT8 = {
    "torch": lambda values: Tensor(float8_patterns(np.asarray(values)), "float8_e4m3fn"),
    "ml_dtypes": lambda values: np.asarray(values).astype(ml_dtypes.float8_e4m3fn),
}


@pytest.mark.parametrize("kind", FLOAT8)
@pytest.mark.parametrize("door", [*VALUED, *ANSWERED])
def test_8_bit_floats_are_the_numbers_that_they_are(door, kind):
    made = plain(DOORS[door](FLOAT8[kind]))
    assert made == plain(DOORS[door](np.asarray))


@pytest.mark.parametrize("kind", FLOAT8)
@pytest.mark.parametrize("door", OF_A_FORMAT)
def test_8_bit_floats_are_no_format_of_a_result(door, kind):
    with pytest.raises(InputError, match=r"must have .*dtype.* got float8_e4m3fn"):
        OF_A_FORMAT[door](FLOAT8[kind])


def test_8_bit_floats_are_moved():
    moved = conversion.reorder(FLOAT8["torch"](X), *LAYOUTS)
    assert moved.dtype.name == "float8_e4m3fn" and (moved.astype(np.float32) == conversion.reorder(X, *LAYOUTS)).all()


@pytest.mark.parametrize("name", [name for name in dir(ml_dtypes) if name.startswith("float8_e")])
def test_every_pattern_of_8_bit_floats(name):
    patterns = np.arange(256, dtype=np.uint8)
    expected = patterns.view(getattr(ml_dtypes, name)).astype(np.float32)
    made = float8.widened(patterns, name)
    assert float8.is_float8(name) and (np.isnan(made) == np.isnan(expected)).all()
    known = ~np.isnan(made)
    assert made[known].tobytes() == expected[known].tobytes() and known.sum() > 200


def test_a_result_shares_no_memory_with_an_array_of_another_library():
    out = np.zeros((2, 3, 4))
    with pytest.raises(InputError, match="must not overlap another argument"):
        refpos.scores.merge_outputs(Tensor(out), Tensor(np.zeros((2, 3))), out=out[0])
    with pytest.raises(InputError, match="must not overlap another argument"):
        refpos.scores.per_dim_scale(Tensor(out[0]), 4, out=out[0])


def test_frequencies_of_numbers_are_named():
    with pytest.raises(InputError, match="or of numbers from given_frequencies, got Tensor"):
        refpos.rope(np.ones((2, 16)), 2, pairing="half", frequencies=Tensor(np.ones(8)))


def test_numbers_of_another_library_are_no_booleans_and_have_no_axes():
    for make in (Tensor, OnlyArray, OnlyDlpack, Cupy, lambda value: Tensor(-value, negative=True), np.asarray):
        made = refpos.inverse_frequencies(make(np.array(8)), base=make(np.array(5.0)))
        assert (made.inv_freq == refpos.inverse_frequencies(8, base=5.0).inv_freq).all()
    for base in (Tensor(bfloat16(np.float32(5)), "bfloat16"), ml_dtypes.bfloat16(5), ml_dtypes.float8_e5m2(5)):
        assert (refpos.inverse_frequencies(8, base=base).inv_freq == made.inv_freq).all()
    for wrong in (
        *map(Tensor, (np.array(True), np.array([8]), np.array(8.0))),
        Tensor(bfloat16(np.float32(8)), "bfloat16"),  # whose bit patterns are integers
        Tensor(float8_patterns(np.float32(8)), "float8_e4m3fn"),
    ):
        with pytest.raises(InputError, match="must be an integer, got"):
            refpos.inverse_frequencies(wrong)


def test_frequencies_of_equal_numbers_one_of_which_cannot_be_compared():
    class Apart(Tensor):
        __hash__ = None

        def __eq__(self, other):
            raise TypeError("arrays of two libraries")

    made = [refpos.inverse_frequencies(12, base=base) for base in (7.0, Apart(np.array(7.0)), 7.0)]
    assert len({one.inv_freq.tobytes() for one in made}) == 1


def test_a_field_of_a_record_named_mask_is_no_mask():
    rows = np.rec.array([(1.0, True)], dtype=[("x", "f8"), ("mask", "?")])
    with pytest.raises(InputError, match="must have dtype"):
        refpos.rope(rows, 1, pairing="half")
    hidden = np.ma.masked_array(np.zeros(2, [("a", "f4"), ("b", "f4")]), mask=[(0, 0), (0, 1)])
    with pytest.raises(InputError, match="no masked entries"):
        refpos.compare(hidden, hidden)


def test_a_tensor_of_a_file_with_masked_entries():
    held = Held("float32", np.ma.masked_array(X, X > 3))
    with pytest.raises(InputError, match="must have no masked entries"):
        refpos.compare(held, X)


def test_assertions_say_what_is_wrong_with_an_argument():
    with pytest.raises(InputError, match="x must be a rectangular array of numbers, got"):
        testing.assert_rope(2, [[1, 2], [3]], 3, pairing="half")
    with pytest.raises(InputError, match=r"pairing must be one of .*, got None"):
        testing.assert_rope(X, X, 3, pairing=None)


def test_a_list_of_two_dtypes_without_a_common_one_says_so():
    held = Tensor(np.asarray(bfloat16(np.float32(1.5))), "bfloat16")
    with pytest.raises(InputError, match=r"positions must have items of one dtype, got a list of bfloat16, int$"):
        refpos.sinusoidal([held, 2], 8)
    assert (refpos.sinusoidal([held, 2.5], 8) == refpos.sinusoidal([1.5, 2.5], 8)).all()


def test_scalars_of_ml_dtypes_are_shown_with_their_type():
    with pytest.raises(InputError, match=r"num_heads must be an integer, got bfloat16\(4\)"):
        refpos.alibi_slopes(ml_dtypes.bfloat16(4))
    with pytest.raises(InputError, match="integers of 8 to 64 bits or floats of at most 64, got dtype int4"):
        refpos.sinusoidal(np.array([1, 2], ml_dtypes.int4), 8)


def test_an_array_is_no_dtype():
    class Array(OnlyArray):
        dtype = np.dtype("float32")

    for dtype in (Array(X), X, np.float32(3)):
        with pytest.raises(InputError, match="dtype must be one of"):
            refpos.sinusoidal(4, 8, dtype=dtype)


def test_a_value_of_a_configuration_without_a_repr_is_refused():
    class Deleted:
        def __repr__(self):
            raise RuntimeError("Array has been deleted")

    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 8, "max_position_embeddings": 2048}
    for name in ("rope_theta", "num_attention_heads", "model_type", "rope_scaling"):
        with pytest.raises(InputError, match="got a value of type Deleted"):
            refpos.from_config({**config, name: Deleted()})


def test_weights_of_uint16_are_patterns_and_results_in_the_byte_order_of_the_machine():
    random = np.random.default_rng(23)
    x, positions = random.normal(size=(2, 6, 4)).astype(">f4"), [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]]
    weight = bfloat16(random.integers(-9, 9, (2, 2, 2)).astype(np.float32))
    values = (weight.astype(np.uint32) << 16).view(np.float32)
    rotated = refpos.rotary.mixed_rope(x, positions, weight, pairing="half")
    assert rotated.dtype == np.float32 and rotated.dtype.isnative
    assert (rotated == refpos.rotary.mixed_rope(x.astype(np.float32), positions, values, pairing="half")).all()
    of = np.arange(12.0).reshape(6, 2)
    projected = refpos.absolute.fourier_projection(of, weight[0], factor="2pi", layout="sin-cos")
    assert (projected == refpos.absolute.fourier_projection(of, values[0], factor="2pi", layout="sin-cos")).all()
