"""Rotations in place and into memory that overlaps x: right, or refused with nothing written."""

import numpy as np
import pytest

import refpos
from refpos import catalogue, golden
from refpos.golden import run
from refpos.rotary import rope_in_qkv, rope_to_cache

SHAPES = [(1, 1, 2), (3, 2, 4), (4, 3, 8), (70, 8, 128)]  # the last is not of the small kernels


def views(rng, buffer, shape):
    """(x, out) in one buffer, somewhere and in some order each."""
    size, (_, heads, dim) = int(np.prod(shape)), shape
    start = int(rng.integers(0, size))
    shift = int(rng.integers(-5, 6)) * int(rng.choice([0, 1, dim, dim * heads]))
    x = buffer[start : start + size].reshape(shape)
    out = buffer[max(0, start + shift) :][:size].reshape(shape)
    order = rng.integers(0, 5)
    return {
        0: (x, out),
        1: (x, out[::-1]),
        2: (x, out[:, ::-1]),
        3: (x, out[..., ::-1]),
        4: (x[..., ::-1], out[..., ::-1]),
    }[int(order)]


def test_an_out_that_overlaps_x_is_right_or_refused():
    done = refused = same = 0
    for seed in range(1200):
        rng = np.random.default_rng(seed)
        shape = SHAPES[-1] if seed % 40 == 0 else SHAPES[seed % 3]
        buffer = rng.standard_normal(4 * np.prod(shape) + 6 * 8 * 128).astype(rng.choice(["f8", "f4", "f2"]))
        x, out = views(rng, buffer, shape)
        call = {"positions": rng.integers(0, 1000, shape[0]), "seq_axis": -3}
        call["pairing"] = str(rng.choice(["half", "interleaved"]))
        wanted, before = refpos.rope(x.copy(), **call), buffer.copy()
        try:
            refpos.rope(x, **call, out=out)
        except refpos.InputError as error:
            assert error.code == "E_OUT" and buffer.tobytes() == before.tobytes(), seed
            refused += 1
            continue
        assert out.tobytes() == wanted.tobytes(), seed
        done += 1
        same += x.ctypes.data == out.ctypes.data and x.strides == out.strides
    assert done > 300 and refused > 500 and same > 150


ROTATIONS = [
    name
    for name, entry in catalogue.ENTRIES.items()
    if entry.family == "rotary" and {"x", "out"} <= entry.parameters.keys() and name != "rope_to_cache"
]


@pytest.mark.parametrize("name", ROTATIONS)
def test_each_rotation_is_right_in_place_and_refuses_a_shifted_view(name):
    case = max(
        (one for one in golden.cases(name, tier="core") if not one.refusal and "x" in one.inputs),
        key=lambda one: (one.inputs["x"].dtype == "float32", -abs(np.prod(one.inputs["x"].shape) - 64)),
    )
    arguments = {key: run.argument(value) for key, value in case.arguments.items()}
    arrays = {key: tensor.values for key, tensor in run.inputs_of(case).items()}
    x = arrays.pop("x")
    function = catalogue.ENTRIES[name].function
    wanted = function(x.copy(), **arrays, **arguments)
    if isinstance(wanted, tuple) or wanted.shape != x.shape:
        pytest.fail(f"{name} must be left out of ROTATIONS: its result has not the shape of x")
    buffer = np.zeros(x.size + 5, x.dtype)
    held, shifted = (buffer[k : k + x.size].reshape(x.shape) for k in (0, 1))
    held[...] = x
    with pytest.raises(refpos.InputError, match="out must not overlap another argument"):
        function(held, **arrays, **arguments, out=shifted)
    assert held.tobytes() == x.tobytes()
    assert function(held, **arrays, **arguments, out=held) is held
    assert held.tobytes() == wanted.tobytes() and not buffer[x.size :].any()


# -- packed buffers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "u2"])
@pytest.mark.parametrize("fusion", ["concatenated", "grouped"])
def test_a_packed_buffer_is_rotated_head_by_head_and_nothing_beside_it(dtype, fusion):
    rng = np.random.default_rng(3)
    heads, kv, dim, positions = 4, 2, 8, [0, 7, 9, 2, 100000]
    wide = rng.integers(0, 1 << 14, (10, 200), dtype=np.uint16)  # finite numbers as float16 and bfloat16
    wide = wide if dtype == "u2" else wide.view(np.float16).astype(dtype)
    x = wide[::2, 3 : 3 + 2 * (heads + 2 * kv) * dim : 2]
    kind = {"dtype": "bfloat16"} if dtype == "u2" else {}
    before, untouched = wide.copy(), np.ones(wide.shape, bool)
    wanted = x.copy()
    rows = refpos.conversion.qkv_rows(heads, dim, fusion=fusion, num_kv_heads=kv)
    for part, count in zip(rows, (heads, kv), strict=False):
        part_of_x = np.ascontiguousarray(x[:, part]).reshape(5, count, dim)
        turned = refpos.rope(part_of_x, positions, pairing="half", seq_axis=-3, **kind)
        wanted[:, part] = turned.reshape(5, -1)
    untouched[::2, 3 : 3 + 2 * (heads + 2 * kv) * dim : 2] = False
    options = {"num_heads": heads, "num_kv_heads": kv, "fusion": fusion, "pairing": "half", **kind}
    assert rope_in_qkv(x, positions, **options).tobytes() == wanted.tobytes()
    assert wide.tobytes() == before.tobytes()
    assert rope_in_qkv(x, positions, **options, out=x) is x
    assert x.tobytes() == wanted.tobytes() and (wide[untouched] == before[untouched]).all()


def test_a_transposed_buffer_is_rotated_in_place():
    x = np.random.default_rng(4).normal(size=(24, 5)).T
    wanted = rope_in_qkv(x.copy(), 5, num_heads=4, num_kv_heads=1, fusion="grouped", pairing="interleaved")
    assert rope_in_qkv(x, 5, num_heads=4, num_kv_heads=1, fusion="grouped", pairing="interleaved", out=x) is x
    assert x.tobytes() == wanted.tobytes()


# -- caches -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "u2"])
def test_a_cache_keeps_what_no_slot_names(dtype):
    rng = np.random.default_rng(5)
    wide = rng.integers(0, 1 << 14, (3, 4, 4, 8), dtype=np.uint16)
    wide = wide if dtype == "u2" else wide.view(np.float16).astype(dtype)
    cache, keys = wide[:, :, ::2], wide[:2, :3, 1::2].reshape(6, 2, 8).copy()
    kind = {"dtype": "bfloat16"} if dtype == "u2" else {}
    slots, positions = [11, -1, 0, 6, -1, 5], [9, 9, 0, 131071, 3, 4]
    turned = refpos.rope(keys, positions, pairing="half", seq_axis=-3, **kind)
    wanted, beside = cache.copy(), wide[:, :, 1::2].copy()
    for token, slot in enumerate(slots):
        if slot >= 0:
            wanted[slot // 4, slot % 4] = turned[token]
    before = wide.copy()
    assert rope_to_cache(keys, positions, cache, slots, pairing="half", **kind).tobytes() == wanted.tobytes()
    assert wide.tobytes() == before.tobytes()
    assert rope_to_cache(keys, positions, cache, slots, pairing="half", **kind, out=cache) is cache
    assert cache.tobytes() == wanted.tobytes() and wide[:, :, 1::2].tobytes() == beside.tobytes()


def test_keys_may_lie_in_the_cache_that_is_written():
    cache = np.random.default_rng(6).normal(size=(6, 1, 4))
    wanted = rope_to_cache(cache[:3].copy(), 3, cache.copy(), [2, 1, 0], pairing="half")
    assert rope_to_cache(cache[:3], 3, cache, [2, 1, 0], pairing="half", out=cache) is cache
    assert cache.tobytes() == wanted.tobytes()


def test_nothing_is_written_where_a_call_is_refused():
    cache = np.random.default_rng(7).normal(size=(6, 1, 4))
    before = cache.copy()
    for slots, positions in (([2, 2], [0, 1]), ([6, 0], [0, 1]), ([0, 1], [0, np.nan])):
        with pytest.raises(refpos.InputError):
            rope_to_cache(np.ones((2, 1, 4)), positions, cache, slots, pairing="half", out=cache)
    with pytest.raises(refpos.InputError, match="out must not overlap another argument"):
        rope_to_cache(np.ones((2, 1, 4)), 2, cache, [0, 1], pairing="half", out=cache[::-1])
    assert cache.tobytes() == before.tobytes()
