"""Arrays of torch, jax and mlx at every argument and every answer: their values, or the reason."""

import dask.array
import jax
import jax.numpy as jnp
import ml_dtypes
import mlx.core
import numpy as np
import pytest
import torch
from doors import ANSWERED, DOORS, LAYOUTS, OF_A_FORMAT, VALUED, X, plain, refusal

import refpos
from refpos import catalogue, conversion, golden, testing
from refpos.errors import InputError
from refpos.golden import run


class Own(torch.Tensor):
    """A class of somebody's that is read as its base is."""


class Refusing(torch.Tensor):
    def __array__(self, *args, **kwargs):
        raise TypeError("this tensor lies on three devices")


def conjugate(values):
    """The imaginary part of a conjugate, whose sign torch has put off."""
    part = torch.from_numpy(np.array(-values))
    found = torch.complex(part, part).conj().imag
    assert found.is_neg()
    return found


def torch_tensor(values):
    return torch.from_numpy(np.array(values))


VALUES = {
    "torch": torch_tensor,
    "torch, negative bit": conjugate,
    "torch, strided": lambda values: torch_tensor(np.repeat(values, 2, -1))[..., ::2],
    "torch parameter": lambda values: torch.nn.Parameter(torch_tensor(values), requires_grad=False),
    "class of torch's": lambda values: torch_tensor(values).as_subclass(Own),
    "list of tensors": lambda values: list(conjugate(values)),
    "jax": jnp.asarray,
    "mlx": lambda values: mlx.core.array(np.asarray(values)),
    "dask": dask.array.from_array,
}
#: {kind: arrays of 16 bits}
BFLOAT16 = {
    "torch": lambda values: torch_tensor(values).bfloat16(),
    "torch, negative bit": lambda values: torch._neg_view(torch_tensor(-values).bfloat16()),
    "torch, strided": lambda values: torch_tensor(np.repeat(values, 2, -1)).bfloat16()[..., ::2],
    "class of torch's": lambda values: torch_tensor(values).bfloat16().as_subclass(Own),
    "list of tensors": lambda values: list(torch_tensor(values).bfloat16()),
    "jax": lambda values: jnp.asarray(values, jnp.bfloat16),
    "mlx": lambda values: mlx.core.array(np.asarray(values)).astype(mlx.core.bfloat16),
}
FLOAT16 = {
    "torch": lambda values: torch_tensor(values).half(),
    "torch, negative bit": lambda values: torch._neg_view(torch_tensor(-values).half()),
    "jax": lambda values: jnp.asarray(values, jnp.float16),
    "mlx": lambda values: mlx.core.array(np.asarray(values)).astype(mlx.core.float16),
}
NARROW = {
    **{("bfloat16", kind): (make, ml_dtypes.bfloat16) for kind, make in BFLOAT16.items()},
    **{("float16", kind): (make, np.float16) for kind, make in FLOAT16.items()},
}
FLOAT8 = {
    f"{library} {name}": (lambda values, make=make, name=name: make(np.asarray(values), name))
    for name in ("float8_e4m3fn", "float8_e5m2")
    for library, make in {
        "torch": lambda values, name: torch_tensor(values).to(getattr(torch, name)),
        "jax": lambda values, name: jnp.asarray(values, getattr(jnp, name)),
    }.items()
}
REFUSED = {
    "grad": (lambda values: torch_tensor(values).requires_grad_(), "must not require grad: call .detach() first"),
    "sparse": (lambda values: torch_tensor(values).to_sparse(), "must be dense: call .to_dense() first, got a Tensor"),
    "mkldnn": (lambda values: torch_tensor(values).to_mkldnn(), "with the layout torch._mkldnn"),
    "meta": (lambda values: torch_tensor(values).to("meta"), "must hold numbers, got a Tensor on the device meta"),
    "nested": (
        lambda values: torch.nested.nested_tensor([torch_tensor(values)] * 2, layout=torch.jagged),
        "must be one rectangle: call .to_padded_tensor() first, got a NestedTensor that is nested",
    ),
    "refusing": (
        lambda values: torch_tensor(values).as_subclass(Refusing),
        "got a Refusing that says: 'this tensor lies on three devices'",
    ),
    "refusing bfloat16": (
        lambda values: torch_tensor(values).bfloat16().as_subclass(Refusing),
        "got a Refusing that says: 'this tensor lies on three devices'",
    ),
    "dask of masked": (
        lambda values: dask.array.ma.masked_array(dask.array.from_array(values), values > np.sort(values.ravel())[-2]),
        "must have no masked entries, got a Array that has",
    ),
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_the_values(door, kind):
    assert plain(DOORS[door](VALUES[kind])) == plain(DOORS[door](np.asarray))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("door", [door for door in DOORS if door != "answer of a diagnosis"])  # whose call is float32
def test_every_door_reads_16_bits(door, kind):
    make, dtype = NARROW[kind]
    assert plain(DOORS[door](make)) == plain(DOORS[door](lambda values: np.asarray(values).astype(dtype)))


@pytest.mark.parametrize("kind", FLOAT8)
@pytest.mark.parametrize("door", [*VALUED, *ANSWERED])
def test_every_door_for_values_reads_8_bits(door, kind):
    def widened(values):
        return np.asarray(values).astype(getattr(ml_dtypes, kind.split()[1])).astype(np.float32)

    assert plain(DOORS[door](FLOAT8[kind])) == plain(DOORS[door](widened))


@pytest.mark.parametrize("kind", FLOAT8)
@pytest.mark.parametrize("door", OF_A_FORMAT)
def test_8_bits_are_no_format_of_a_result(door, kind):
    with pytest.raises(InputError, match=rf"must have .*dtype.* got {kind.split()[1]}"):
        OF_A_FORMAT[door](FLOAT8[kind])


@pytest.mark.filterwarnings("ignore")  # what torch says of tensors that it has given up
@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_why(door, kind):
    make, words = REFUSED[kind]
    assert words in refusal(door, make)


@pytest.mark.parametrize("name", [name for name in dir(torch) if name.startswith("float8_e")])
def test_every_pattern_of_8_bits_has_the_value_that_torch_gives_it(name):
    tensor = torch.arange(256, dtype=torch.uint8).view(getattr(torch, name))
    assert refpos.compare(tensor, tensor.float()).met == "correct"


def test_the_sine_of_an_inverse_rotation_keeps_its_sign():
    angles = torch.arange(8.0).reshape(2, 4)
    sine = torch.polar(torch.ones(2, 4), angles).imag
    inverse = torch.polar(torch.ones(2, 4), angles).conj().imag
    assert inverse.is_neg() and (inverse.resolve_neg() == -sine).all()
    assert refpos.compare(inverse, -sine.numpy()).met == "correct"
    assert refpos.compare(inverse, sine.numpy()).met is None
    case = "rope_table/telling-10000-f32"
    cos, sin = (torch.from_numpy(one.values) for one in golden.load(case).outputs.values())
    wrong, right = (torch.complex(cos, part).conj().imag for part in (sin, -sin))
    assert golden.verify({case: {"cos": cos, "sin": right}}, cases=[case])
    assert golden.verify({case: {"cos": cos, "sin": wrong}}, cases=[case]).exit_code == 1


def test_a_conjugate_is_converted():
    table = torch.polar(torch.ones(3, 2), torch.arange(6.0).reshape(3, 2)).conj()
    cos, sin = conversion.convert_table(table, "complex", "compact")
    assert (sin == table.resolve_conj().imag.numpy()).all() and (cos == table.real.numpy()).all() and table.is_conj()


def test_what_jax_traces_has_no_values():
    with pytest.raises(InputError, match=r"x must convert to a NumPy array, got a .*Tracer that says"):
        jax.jit(lambda x: refpos.rope(x, 3, pairing="half"))(X)


def test_8_bits_are_moved():
    tensor = FLOAT8["torch float8_e4m3fn"](X)
    moved = conversion.reorder(tensor, *LAYOUTS)
    assert moved.dtype == ml_dtypes.float8_e4m3fn
    assert (moved.astype(np.float32) == conversion.reorder(X, *LAYOUTS)).all()


def test_blocks_of_dask_read_tensors():
    made = refpos.dask.lazy(refpos.rope, conjugate(X), torch.arange(3), pairing="half")
    assert made.compute().tobytes() == refpos.rope(X, 3, pairing="half").tobytes()
    with pytest.raises(InputError, match="x must have no masked entries"):
        refpos.dask.lazy(refpos.rope, np.ma.masked_array(X, X > 3), 3, pairing="half")


def first_cases():
    """The first two cases of each suite that have arrays."""
    found = {}
    for case in testing.cases():
        if case.golden.inputs and len(found.setdefault(case.suite, [])) < 2:
            found[case.suite].append(case)
    return [case for cases in found.values() for case in cases]


@pytest.mark.parametrize("case", first_cases(), ids=str)
def test_a_call_with_tensors_is_the_call_with_arrays(case):
    given = case.arguments
    entry, arguments = catalogue.find(case.suite), dict(given)
    arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
    tensors = {name: torch.from_numpy(value.copy()) for name, value in arrays.items()}
    if entry.family == "frequencies":  # which have no dtype
        arguments.pop("dtype", None)
    ours, theirs = (entry.function(**{**arguments, **given}) for given in (arrays, tensors))
    if entry.family == "frequencies":
        ours, theirs = ours.inv_freq, theirs.inv_freq
    assert arrays and plain(ours) == plain(theirs)
    assert case.check(run.outputs_of(case.golden)) == "correct"  # what it is handed it compares
