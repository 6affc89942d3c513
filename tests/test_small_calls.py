"""Small tables and rotations: the bits of the way that all others go, and nothing that the short way does not know."""

import copy
import pickle
from functools import partial

import ml_dtypes
import numpy as np
import pytest

import refpos
from refpos import kernels
from refpos.steps.waves import fast_path

WAYS = ("rotate", "table", "sinusoids")
COMPILED = hasattr(kernels.active, "rotate_small")


@pytest.fixture
def ways(monkeypatch):
    """Switches between both ways: ways(True) takes the short one and returns the list of what it gave."""
    known = {name: getattr(fast_path, name) for name in WAYS}

    def switch(short):
        given = []

        def recorded(name):
            return lambda *arguments: given.append(known[name](*arguments)) or given[-1]

        for name in WAYS:
            monkeypatch.setattr(fast_path, name, recorded(name) if short else lambda *arguments: None)
        return given

    return switch


def both(ways, call):
    """The bytes of a call the short way and the long way, and whether the short way knew it."""
    given, results = ways(True), []
    results.append(call())
    short = given[-1] is not None
    ways(False)
    results.append(call())
    parts = [result if isinstance(result, tuple) else (result,) for result in results]
    assert [(one.shape, one.dtype) for one in parts[0]] == [(one.shape, one.dtype) for one in parts[1]]
    assert [one.tobytes() for one in parts[0]] == [one.tobytes() for one in parts[1]]
    return short


def random_positions(rng, count):
    bits = int(rng.integers(1, 54))
    positions = rng.integers(-(2**bits), 2**bits, count, endpoint=True)
    return positions.tolist() if rng.random() < 0.5 else positions


def random_frequencies(rng, dim):
    if rng.random() < 0.3 and dim > 4:
        return refpos.yarn(dim, factor=4.0, original_max_position_embeddings=64)
    return refpos.inverse_frequencies(dim, base=float(rng.choice([10000.0, 500000.0, 2.5])))


def random_rotation(rng):
    """A call of rope: any axis of the sequence, unrotated channels, NaN, all types."""
    dim = 2 * int(rng.integers(1, 40))
    width = dim + int(rng.integers(0, 5)) * (rng.random() < 0.4)
    shape = (*map(int, rng.integers(1, 5, rng.integers(1, 4))), width)
    axis = int(rng.integers(-len(shape), -1))
    x = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4)).astype(str(rng.choice(["f2", "f4", "f8"])))
    options = {"frequencies": random_frequencies(rng, dim), "seq_axis": axis, "inverse": bool(rng.random() < 0.5)}
    if rng.random() < 0.3:
        x, options["dtype"] = (x.astype("f4").view("u4") >> 16).astype("u2"), "bfloat16"
    elif rng.random() < 0.1:
        x.flat[0] = rng.choice([np.nan, np.inf])
    if rng.random() < 0.2 and width == dim:
        options["frequencies"] = None
    return x, random_positions(rng, shape[axis]), {"pairing": str(rng.choice(["half", "interleaved"])), **options}


def test_rotations_have_the_bits_of_the_long_way(ways):
    rng, short = np.random.default_rng(20261122), 0
    for _ in range(600):
        x, positions, options = random_rotation(rng)
        short += both(ways, lambda: refpos.rope(x, positions, **options))
    assert short > 400 or not COMPILED


def random_axes(rng, dim):
    """Frequencies of several axes, in runs, in turns or at random."""
    half = dim // 2
    sections = sorted(rng.integers(1, half, 2).tolist()) if half > 2 else [0, 0]
    sections = sections[0], sections[1] - sections[0], half - sections[1]
    if rng.random() < 0.2:
        sections = (*[half // 3] * 2, half - half // 3 * 2)
        return refpos.frequencies.mrope_frequencies(dim, sections=sections, arrangement="alternating")
    arrangement = str(rng.choice(["chunked", "interleaved"]))
    scaled = random_frequencies(rng, dim)
    return refpos.frequencies.mrope_frequencies(dim, sections=sections, arrangement=arrangement, frequencies=scaled)


def random_tokens(rng, count, axes):
    """Position ids (axes, count), as lists or an array, some with an axis of one batch, in any order in memory."""
    ids = np.stack([np.array(random_positions(rng, count), np.int64) for _ in range(axes)])
    kind = rng.random()
    if kind < 0.4:
        return ids.tolist()
    return np.asfortranarray(ids) if kind < 0.6 else ids[:, None] if kind < 0.8 else ids


def test_rotations_by_several_axes_have_the_bits_of_the_long_way(ways):
    rng, short = np.random.default_rng(20261127), 0
    for _ in range(600):
        x, _, options = random_rotation(rng)
        dim = x.shape[-1] // 2 * 2 if options["frequencies"] is None else options["frequencies"].dim
        axis, options["frequencies"] = options["seq_axis"], random_axes(rng, dim)
        positions = random_tokens(rng, x.shape[axis], 3)
        if np.ndim(positions) == 3 and axis == -x.ndim:
            positions = positions[:, 0]  # there is no axis of batches before the sequence
        short += both(ways, lambda: refpos.rope(x, positions, **options))
    assert short > 350 or not COMPILED


@pytest.mark.parametrize("sections", [(2, 1, 1), [2, 1, 1], np.array([2, 1, 1]), (2, np.int64(1), 1)])
@pytest.mark.parametrize("base", [10000.0, 10000, np.float32(10000)])
def test_sections_of_any_type_are_those_of_the_frequencies(sections, base):
    x, ids = np.linspace(1, 2, 8, dtype=np.float32).reshape(1, 1, 8), [[3], [5], [70000]]
    rotated = refpos.mrope(x, ids, pairing="half", sections=sections, arrangement="chunked", base=base)
    frequencies = refpos.frequencies.mrope_frequencies(8, sections=(2, 1, 1), arrangement="chunked")
    assert rotated.tobytes() == refpos.rope(x, np.float64(ids), pairing="half", frequencies=frequencies).tobytes()


def test_kept_frequencies_take_no_true_for_1():
    call = partial(refpos.mrope, np.ones((1, 8)), [[3], [5], [7]], pairing="half", arrangement="chunked")
    call(sections=(2, 1, 1))
    with pytest.raises(refpos.InputError, match=r"^sections must be an integer, got True"):
        call(sections=(2, True, 1))
    call(sections=(2, 1, 1), base=1.0)
    with pytest.raises(refpos.InputError, match=r"^base must be a real number, got True"):
        call(sections=(2, 1, 1), base=True)
    with pytest.raises(refpos.InputError, match=r"^sections must be three numbers of pairs, got \[2, 2\]"):
        call(sections=[2, 2])


def test_tables_have_the_bits_of_the_long_way(ways):
    rng, short = np.random.default_rng(20261123), 0
    for _ in range(400):
        dim, dtype = int(rng.integers(1, 60)), str(rng.choice(["float16", "float32", "float64", "bfloat16"]))
        positions = random_positions(rng, int(rng.integers(0, 9)))
        options = {"layout": str(rng.choice(["interleaved", "sin-cos", "cos-sin"])), "dtype": dtype}
        options |= {"endpoint": bool(rng.random() < 0.4), "divisor": str(rng.choice(["", "sqrt-dim"])) or None}
        frequencies = random_frequencies(rng, 2 * dim)
        short += both(ways, lambda: refpos.rope_table(positions, frequencies, dtype=dtype))
        short += both(ways, lambda: refpos.sinusoidal(positions, dim, **options))
    assert short > 500 or not COMPILED


def test_out_receives_the_result(ways):
    x, out = np.ones((1, 3, 1, 8), np.float32), np.zeros((1, 3, 1, 8), np.float32)
    given = ways(True)
    assert refpos.rope(x, [7], pairing="half", out=out) is out
    assert (given[-1] is out) == COMPILED
    assert out.tobytes() == refpos.rope(x, np.array([7.0]), pairing="half").tobytes()


@pytest.mark.parametrize("threads", [None, 1])
def test_one_thread_goes_the_short_way(ways, threads):
    x, given = np.ones((2, 1, 8), np.float32), ways(True)
    frequencies = refpos.inverse_frequencies(8)
    rotated = refpos.rope(x, [5], pairing="half", threads=threads)
    tables = refpos.rope_table([5], frequencies, dtype="float32", threads=threads)
    row = refpos.sinusoidal([5], 8, threads=threads)
    assert len(given) == 3 and (given[0] is rotated) == COMPILED and given[1] is tables and given[2] is row
    ways(False)
    assert rotated.tobytes() == refpos.rope(x, [5], pairing="half", threads=threads).tobytes()


@pytest.mark.parametrize("threads", [True, 0, -1, 1.0, "1", np.True_])
def test_what_is_no_count_of_threads_is_refused_without_asking_the_short_way(ways, threads):
    x, given = np.ones((2, 1, 8), np.float32), ways(True)
    with pytest.raises(refpos.InputError, match=r"^threads must be "):
        refpos.rope(x, [5], pairing="half", threads=threads)
    assert not given


def _tokens(positions, **changes):
    frequencies = refpos.frequencies.mrope_frequencies(8, sections=(2, 1, 1), arrangement="interleaved")
    return _call(positions=positions, frequencies=frequencies, **changes)


def _call(**changes):
    x = changes.pop("x", np.ones((2, 1, 8), np.float32))
    positions = changes.pop("positions", [5])
    return x, positions, {"pairing": "half", **changes}


ONE_WITHOUT_PAIRS = refpos.frequencies.mrope_frequencies(8, sections=(0, 2, 2), arrangement="chunked")
OTHERS = {
    "positions as a tuple": _call(positions=(5,)),
    "positions of floats": _call(positions=np.array([5.0])),
    "positions of int32": _call(positions=np.array([5], np.int32)),
    "positions of bfloat16": _call(positions=np.array([5.0], ml_dtypes.bfloat16)),
    "big-endian positions": _call(positions=np.array([5], ">i8")),
    "numbers of NumPy": _call(positions=[np.int64(5)]),
    "positions for each batch": _call(positions=np.array([[5], [6]])),
    "every second position": _call(x=np.ones((2, 2, 8), np.float32), positions=np.arange(4)[::2]),
    "big-endian channels": _call(x=np.ones((2, 1, 8), ">f4")),
    "Fortran order": _call(x=np.asfortranarray(np.ones((2, 3, 8), np.float32)), positions=[1, 2, 3]),
    "every second channel": _call(x=np.ones((2, 1, 16), np.float32)[..., ::2]),
    "misaligned": _call(x=np.ones(65, np.uint8)[1:].view(np.float32).reshape(2, 1, 8)),
    "batches around a sequence": _call(x=np.ones((2, 3, 4, 8), np.float32), positions=[1, 2, 3], seq_axis=-3),
    "two threads": _call(threads=2),
    "one thread as a number of NumPy": _call(threads=np.int64(1)),
    "a rotary width": _call(rotary_dim=4),
    "an integer as base": _call(base=10000),
    "NaN": _call(x=np.full((2, 1, 8), np.nan, np.float32)),
    "no sequence": _call(x=np.ones((2, 0, 8), np.float32), positions=[]),
    "many channels": _call(x=np.ones((40, 1, 256), np.float32)),
    "lists in lists of several axes": _tokens([[[5]], [[6]], [[7]]]),
    "a tuple of several axes": _tokens(([5], [6], [7])),
    "floats of several axes": _tokens([[5.0], [6], [7]]),
    "arrays of several axes": _tokens([np.array([5]), [6], [7]]),
    "more axes than frequencies have": _tokens([[5], [6], [7], [8]]),
    "int32 of several axes": _tokens(np.array([[5], [6], [7]], np.int32)),
    "two batches of several axes": _tokens(np.array([[[5], [6]], [[7], [8]], [[9], [10]]])),
    "an axis that no pair has": _call(positions=[[5], [6], [7]], frequencies=ONE_WITHOUT_PAIRS),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_calls_go_the_long_way(ways, name):
    x, positions, options = OTHERS[name]
    given = ways(True)
    result = refpos.rope(x, positions, **options)
    assert not [one for one in given if one is not None]
    ways(False)
    assert result.tobytes() == refpos.rope(x, positions, **options).tobytes()


REFUSED = {
    "too many positions": ("E_SHAPE", _call(positions=[5, 6])),
    "a position beyond 2**53": ("E_POSITION", _call(positions=[2**53 + 1])),
    "a position beyond -2**53": ("E_POSITION", _call(positions=[-(2**53) - 1])),
    "the smallest number of 64 bits": ("E_POSITION", _call(positions=[-(2**63)])),
    "the smallest number of 64 bits in an array": ("E_POSITION", _call(positions=np.array([-(2**63)]))),
    "a position beyond 2**64": ("E_POSITION", _call(positions=[2**70])),
    "true as a position": ("E_POSITION", _call(positions=[True])),
    "an unknown pairing": ("E_CHOICE", _call(pairing="hlaf")),
    "an odd width": ("E_ODD_DIM", _call(x=np.ones((2, 1, 7), np.float32))),
    "frequencies wider than x": ("E_ROTARY_DIM", _call(frequencies=refpos.inverse_frequencies(16))),
    "frequencies and a base": ("E_BASE", _call(frequencies=refpos.inverse_frequencies(8), base=500000.0)),
    "a base of 0": ("E_BASE", _call(base=0.0)),
    "a base that is NaN": ("E_BASE", _call(base=np.nan)),
    "an axis that is not there": ("E_AXIS", _call(seq_axis=-4)),
    "the channel axis": ("E_AXIS", _call(seq_axis=-1)),
    "an axis beyond 2**31": ("E_AXIS", _call(seq_axis=2**40)),
    "an axis beyond -2**64": ("E_AXIS", _call(seq_axis=-(2**70))),
    "out of another shape": ("E_OUT", _call(out=np.zeros((1, 2, 8), np.float32))),
    "out of another type": ("E_OUT", _call(out=np.zeros((2, 1, 8), np.float64))),
    "no flag": ("E_CHOICE", _call(inverse=1)),
    "one axis of three": ("E_SHAPE", _tokens([[5]])),
    "two axes of three": ("E_SHAPE", _tokens(np.array([[5], [6]]))),
    "two axes of three, one without pairs": ("E_SHAPE", _call(positions=[[5], [6]], frequencies=ONE_WITHOUT_PAIRS)),
    "positions of one axis": ("E_SHAPE", _tokens([5, 6, 7])),
    "an array of one axis": ("E_SHAPE", _tokens(np.array([5, 6, 7]))),
    "axes of unequal length": ("E_SHAPE", _tokens([[5], [6, 7], []])),
    "too many tokens of three axes": ("E_SHAPE", _tokens([[5, 6], [7, 8], [9, 10]])),
    "batches before the first axis": ("E_SHAPE", _tokens(np.array([[[5]], [[6]], [[7]]]), x=np.ones((1, 8)))),
    "true on the last axis": ("E_POSITION", _tokens([[5], [6], [True]])),
    "beyond 2**53 on an axis": ("E_POSITION", _tokens(np.array([[5], [2**53 + 1], [7]]))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_calls_are_refused_in_the_same_words(ways, name):
    code, (x, positions, options) = REFUSED[name]
    said = []
    for short in (True, False):
        ways(short)
        with pytest.raises((ValueError, TypeError)) as error:
            refpos.rope(x, positions, **options)
        said.append((error.value.code, str(error.value)))
    assert said[0] == said[1] and said[0][0] == code


@pytest.mark.parametrize("position", [-(2**63), 2**63 - 1, -(2**53) - 1, 2**70])
def test_tables_refuse_positions_beyond_their_bounds_in_the_same_words(ways, position):
    frequencies = refpos.inverse_frequencies(8)
    for call in (lambda: refpos.rope_table([3, position], frequencies), lambda: refpos.sinusoidal([3, position], 8)):
        said = []
        for short in (True, False):
            ways(short)
            with pytest.raises(refpos.InputError) as error:
                call()
            said.append((error.value.code, str(error.value)))
        assert said[0] == said[1] and said[0][0] == "E_POSITION"


def test_read_only_and_overlapping_results_are_refused(ways):
    memory = np.ones(40, np.float32)
    x, out = memory[:16].reshape(2, 1, 8), memory[8:24].reshape(2, 1, 8)
    ways(True)
    with pytest.raises(ValueError, match="out must not overlap"):
        refpos.rope(x, [5], pairing="half", out=out)
    out = np.zeros_like(x)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out must be writeable"):
        refpos.rope(x, [5], pairing="half", out=out)


def test_in_place_is_what_it_is_elsewhere(ways):
    x = np.linspace(1, 2, 16, dtype=np.float32).reshape(2, 1, 8)
    expected = refpos.rope(x.copy(), [5], pairing="half")
    ways(True)
    assert refpos.rope(x, [5], pairing="half", out=x) is x and x.tobytes() == expected.tobytes()


def test_frequencies_that_were_used_can_be_copied_and_sent():
    frequencies = refpos.inverse_frequencies(8)
    refpos.rope(np.ones((1, 8), np.float32), [3], pairing="half", frequencies=frequencies)
    assert frequencies.prepared
    for again in (pickle.loads(pickle.dumps(frequencies)), copy.deepcopy(frequencies)):
        assert not again.prepared and again.inv_freq.tobytes() == frequencies.inv_freq.tobytes()
