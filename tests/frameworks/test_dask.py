"""Results of the catalogue as Dask arrays: the bytes of one call, whatever the chunks."""

import subprocess
import sys

import dask
import dask.array as da
import numpy as np
import pytest

import refpos
from refpos import catalogue
from refpos.dask import lazy
from refpos.dask.carried import Carried, token
from refpos.dask.cuts import RULES
from refpos.errors import InputError, InputTypeError
from refpos.frequencies import bands

RNG = np.random.default_rng(5)
SCATTERED = RNG.integers(-(2**31), 2**31, 23)
YARN = refpos.yarn(16, factor=4, original_max_position_embeddings=4096)
AXIAL = refpos.frequencies.axial_frequencies((8, 8), axes=(0, 1), base=100)
GRID = refpos.grid(5, refpos.coordinates.half_pixel(7))
X = RNG.normal(size=(2, 3, 35, 16)).astype(np.float32)
POINTS = RNG.uniform(0, 1, (5, 4, 3))
PLACES = RNG.uniform(-80, 80, (7, 2))
HEADS = RNG.uniform(0.1, 2, 3)
IDS = RNG.integers(0, 50, (3, 2, 35))

#: {function: calls of it}, at least one for every function that is made in blocks
CALLS = {
    "sinusoidal": [((23, 10), {"dtype": "float32"}), ((SCATTERED, 7), {"dtype": "bfloat16"}),
                   ((refpos.coordinates.half_pixel(23), 6), {}), ((SCATTERED[:20].reshape(4, 5), 6), {"zero_row": 3})],
    "rope_table": [((23, YARN), {"dtype": "float16"}), ((GRID, AXIAL), {}), ((IDS[:2, 0], AXIAL), {})],
    "binary_code": [((23, 5), {"lowest_first": True})],
    "mlp_positions": [((23, np.ones(4), None, RNG.normal(size=(3, 4)), None), {"activation": "gelu"})],
    "dual_chunk_positions": [
        ((230,), {"role": "key", "chunk_size": 32, "local_size": 8, "version": "paper"})],
    "rerope_positions": [((23,), {"role": "query", "window": 7, "factor": 3, "dtype": "float32"})],
    "self_extend_positions": [
        ((23,), {"role": "query", "group_size": 3, "neighbor_window": 6, "shift": "floor", "longest": 22})],
    "xpos_scale": [((23, 8), {"centring": "floor", "length": 23})],
    "xpos_table": [((23, YARN), {"centring": "ceil", "length": 23, "dtype": "float32"})],
    "timestep_embedding": [((RNG.uniform(0, 1000, 23), 9), {"flip_sin_to_cos": True, "downscale_freq_shift": 0})],
    "timestep_fourier": [
        ((RNG.uniform(0, 1, 5), 8), {"ends": "periods", "first": 1, "last": 100, "flip_sin_to_cos": True})],
    "t5_buckets": [((np.arange(-30, 30).reshape(6, 10),), {"bidirectional": True})],
    "log_buckets": [((np.arange(-30, 30),), {"rule": "deberta", "num_buckets": 8, "max_distance": 20})],
    "learned": [((RNG.normal(size=(50, 4)), SCATTERED % 50), {}), ((RNG.normal(size=(50, 4)), 23), {"scale": 3})],
    "coordinate_sine": [((POINTS, 12), {"order": [1, 0, 2], "factor": "2pi"}),
                        ((refpos.grid(4, 5), 8), {"order": [1, 0], "factor": 1})],
    "fourier_bands": [
        ((POINTS, bands(3, rule="powers", low=0, high=2)), {"factor": "pi", "order": "kind-axis-band"})],
    "fourier_projection": [((POINTS, RNG.normal(size=(3, 4))), {"factor": "2pi", "layout": "sin-cos"})],
    "equal_earth": [((PLACES,), {})],
    "sphere_code": [((PLACES,), {"rule": "wrap"})],
    "cape_2d": [((PLACES / 180, 4), {"radii": "ends"})],
    "integrated_fourier": [
        ((POINTS[0], POINTS[1], bands(2, rule="powers", low=0, high=1)),
         {"factor": 1, "order": "kind-axis-band"})],
    "spherical_harmonics": [((POINTS[0], 3), {"convention": "nerfstudio"})],
    "centred_points": [((POINTS[..., :2], 30, 40), {"share": 1})],
    "sincos_2d": [((5, 7, 8), {"axis_order": "wh", "dtype": "bfloat16"})],
    "sincos_3d": [((3, 4, 5, 12), {}), ((3, refpos.coordinates.half_pixel(4), [5, 1, 9], 14),
                                        {"axis_order": "hwt", "widths": (6, 4, 6)})],
    "sincos_grid": [(((4, [9, 2, 3]), 8), {"axis_order": "hw", "packing": "kinds"})],
    "alibi": [((3, 10, 20), {"dtype": "float16"}),
              ((3, 9, 5), {"mode": "symmetric", "query_offset": -4, "head_dim": 3})],
    "decay": [((3, 4, 6), {"rule": "retnet"})],
    "kerple": [((HEADS, HEADS, 4, 6), {"kind": "log"})],
    "rotary_bias": [((np.ones((2, 4)), np.ones((2, 4)), 4, 6), {})],
    "sandwich": [((2, 4, 6), {"dim": 4, "first": 1, "subtract": False})],
    "t5_bias": [((RNG.normal(size=(8, 3)), 9, 12), {"bidirectional": True, "query_offset": 3})],
    "relative_bias": [((RNG.normal(size=(9, 3)), 9, 12), {"sign": "key-query"})],
    "relative_rows": [((9, 12), {"sign": "query-key", "low": -4, "high": 4, "outside": "zero", "query_step": 2})],
    "window_regions": [((9, np.arange(3, 12)), {"window": 4})],
    "rerope_distances": [((9, 12), {"window": 4})],
    "dual_chunk_distances": [((20, 20), {"chunk_size": 8, "local_size": 2, "version": "chunkllama"})],
    "self_extend_distances": [
        ((20, 20), {"group_size": 3, "neighbor_window": 6, "shift": "floor", "longest": 19})],
    "fire": [((np.ones(4), np.ones(4), RNG.normal(size=(2, 4)), None, 9, np.arange(12)),
              {"c": 1, "length": 3, "eps": 1e-6, "mode": "clipped", "activation": "relu"})],
    "rope": [((X, 35), {"pairing": "half", "frequencies": YARN, "inverse": True}),
             ((X, GRID), {"pairing": "interleaved", "frequencies": AXIAL}),
             ((X, IDS[0]), {"pairing": "half"}), ((X, IDS[:1, 0]), {"pairing": "half", "rotary_dim": 4}),
             ((X, IDS[:2]), {"pairing": "half", "frequencies": AXIAL}),
             ((X.transpose(0, 2, 1, 3), IDS[1]), {"pairing": "half", "seq_axis": -3}),
             ((X.view(np.uint16), refpos.coordinates.half_pixel(35)), {"pairing": "half", "dtype": "bfloat16"})],
    "xpos": [((X, 35), {"pairing": "half", "centring": "floor", "length": 35})],
    "ernie_image_rope": [((X, IDS), {"widths": (4, 4, 8)})],
    "vjepa2_rope": [((X, refpos.grid(5, 7, 1)), {})],
    "mrope": [((X, IDS), {"pairing": "half", "sections": (2, 3, 3), "arrangement": "chunked"})],
    "xdrope": [((X, IDS), {"sections": (2, 3, 3)})],
    "rope_2d": [((X, 5, 7), {"pairing": "half", "axis_order": "hw"})],
    "rope_3d": [((X, 1, 5, 7), {"pairing": "half", "axis_order": "thw", "widths": (4, 6, 6)})],
}  # fmt: skip
CASES = [(name, arguments, options) for name, calls in CALLS.items() for arguments, options in calls]
IDS_OF_CASES = [f"{name}-{k}" for name, calls in CALLS.items() for k in range(len(calls))]


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def same(found, wanted):
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert found.tobytes() == np.ascontiguousarray(wanted).tobytes()
    return True


def cuts(size, rng):
    """Chunks of an axis: at random, with some of 0 and 1 among them."""
    marks = np.sort(rng.integers(0, size, int(rng.integers(0, 5)), endpoint=True))
    return tuple(np.diff(np.concatenate([[0], marks, [size]])).tolist())


def whole_axes(name, arguments, options, shape):
    """The axes that may not be cut, found by asking for two chunks of each."""
    for axis, size in enumerate(shape):
        chunks = [(n,) for n in shape]
        chunks[axis] = (size - 1, 1)
        try:
            lazy(refpos.catalogue.find(name).function, *arguments, chunks=tuple(chunks), **options)
        except InputError as error:
            assert error.code == "E_SHAPE" and ("made as a whole" in str(error) or "one chunk" in str(error))
            yield axis


def test_every_rule_has_calls():
    assert set(CALLS) == set(RULES) <= set(catalogue.ENTRIES)


@pytest.mark.parametrize(("name", "arguments", "options"), CASES, ids=IDS_OF_CASES)
def test_blocks_are_those_of_one_call_whatever_the_chunks(name, arguments, options):
    function = refpos.catalogue.find(name).function
    wanted = as_tuple(function(*arguments, **options))
    shape = wanted[0].shape
    whole = set(whole_axes(name, arguments, options, shape))
    assert len(whole) < len(shape)
    rng = np.random.default_rng(len(name))
    asked = [tuple((n,) if axis in whole else (1,) * n for axis, n in enumerate(shape))] if wanted[0].size < 200 else []
    asked += [tuple((n,) if axis in whole else cuts(n, rng) for axis, n in enumerate(shape)) for _ in range(3)]
    with dask.config.set(scheduler="sync"):
        for chunks in (None, 4, *asked):
            made = as_tuple(lazy(function, *arguments, chunks=chunks, **options))
            assert len(made) == len(wanted) and all(isinstance(one, da.Array) for one in made)
            if isinstance(chunks, tuple):
                assert made[0].chunks == chunks
            assert all(same(one, other) for one, other in zip(dask.compute(*made), wanted, strict=True))


@pytest.mark.parametrize("chunks", [1, 7, (0, 3, 0, 19, 1), -1])
def test_scattered_positions_in_a_dask_array(chunks):
    positions = da.from_array(SCATTERED, chunks=chunks if isinstance(chunks, int) else (chunks,))
    cos, sin = lazy(refpos.rope_table, positions, YARN, dtype="float32")
    wanted = refpos.rope_table(SCATTERED, YARN, dtype="float32")
    assert cos.chunks[0] == positions.chunks[0]
    assert all(same(one, other) for one, other in zip(dask.compute(cos, sin), wanted, strict=True))
    alone = lazy(refpos.sinusoidal, positions, 6, dtype="bfloat16").view(np.uint16).compute()
    assert same(alone, refpos.sinusoidal(SCATTERED, 6, dtype="bfloat16").view(np.uint16))


def test_a_rotation_of_dask_arrays():
    x = da.from_array(X, chunks=(1, 2, 10, 16))
    ids = da.from_array(IDS, chunks=(3, 2, 9))
    options = {"pairing": "half", "sections": (2, 3, 3), "arrangement": "interleaved"}
    assert same(lazy(refpos.mrope, x, ids, **options).compute(), refpos.mrope(X, IDS, **options))
    assert same(lazy(refpos.rope, x, 35, pairing="half").compute(), refpos.rope(X, 35, pairing="half"))
    assert lazy(refpos.rope, x, 35, pairing="half").chunks == x.chunks
    keys = da.from_array(np.arange(100), chunks=30)
    assert same(
        lazy(refpos.positions.window_regions, 9, keys, window=4).compute(),
        refpos.positions.window_regions(9, 100, window=4),
    )


@pytest.mark.parametrize("positions", [0, 1, np.zeros((0, 3))])
def test_no_positions_and_one(positions):
    assert same(lazy(refpos.sinusoidal, positions, 4).compute(), refpos.sinusoidal(positions, 4))


def test_only_the_blocks_that_are_asked_for_are_made():
    table = lazy(refpos.sinusoidal, 2**40, 64, dtype="float32", chunks=(2**32, -1))  # blocks of 1 TB
    near = lazy(refpos.sinusoidal, 2**40, 64, dtype="float32", chunks=(2**30, -1)).rechunk({0: 2**30})
    assert table.nbytes == near.nbytes == 2**48
    bias = lazy(refpos.alibi, 2, 10**5, 10**5, chunks=(2, 1000, 1000))[:, -50:, 99_900:99_950]  # of 160 GB
    assert same(bias.compute(), refpos.alibi(2, 50, 50, query_offset=50))


# -- what is refused --------------------------------------------------------------------------------------------------


def refused(code, argument, call, *parts):
    with pytest.raises(InputError) as caught:
        call()
    error = caught.value
    assert (error.code, error.argument) == (code, argument) and all(part in str(error) for part in parts), error
    return True


class Unsure:
    def __bool__(self):
        raise RuntimeError("neither")


@pytest.mark.parametrize(
    ("code", "chunks"),
    [("E_TOO_LARGE", (64, 64)), ("E_TOO_LARGE", [2, 4]), ("E_TOO_LARGE", {0: 1}), ("E_TOO_LARGE", 1),
     ("E_SHAPE", Unsure()), ("E_SHAPE", (Unsure(), 64)), ("E_SHAPE", np.array([2.0**29, 2.0]))],
)  # fmt: skip
def test_chunks_are_counted_before_they_are_made(code, chunks):
    assert refused(code, "chunks", lambda: lazy(refpos.sinusoidal, 10**9, 64, chunks=chunks))


def test_chunks_may_be_an_array():
    assert lazy(refpos.sinusoidal, 10, 64, chunks=np.array([5, 64])).numblocks == (2, 1)


def test_what_is_not_made_in_blocks_is_refused():
    for function in (
        refpos.attention,
        refpos.scores.cope,
        refpos.absolute.normalised_sinusoidal,
        refpos.inverse_frequencies,
    ):
        assert refused("E_CHOICE", "function", lambda f=function: lazy(f, 3), "not made in blocks", "sinusoidal")
    for function in (np.sin, lambda n: n, "sinusoidal"):
        with pytest.raises(InputTypeError):
            lazy(function, 3)
    assert refused(
        "E_CHOICE", "length", lambda: lazy(refpos.rotary.xpos_scale, 9, 8, centring="floor"), "from all positions"
    )
    assert refused("E_CHOICE", "anchor", lambda: lazy(refpos.alibi, 2, 3, 3, anchor="key"), "distances alone")
    assert refused("E_CHOICE", "out", lambda: lazy(refpos.sinusoidal, 3, 4, out=np.empty((3, 4))), "left out")
    assert refused("E_CHOICE", "view", lambda: lazy(refpos.alibi, 2, 3, 3, view=True), "left out")
    options = {"axis_order": "hw", "extra_tokens": 1}
    assert refused("E_CHOICE", "extra_tokens", lambda: lazy(refpos.sincos_2d, 2, 3, 4, **options), "left out in blocks")


def test_chunks_and_shapes_that_do_not_fit():
    table = refpos.sinusoidal
    assert refused("E_SHAPE", "chunks", lambda: lazy(table, 9, 8, chunks=(9, 4)), "axis 1", "as a whole")
    assert refused("E_SHAPE", "chunks", lambda: lazy(table, 9, 8, chunks=((4, 4), 8)), "fit shape (9, 8)")
    x = da.from_array(X, chunks=(2, 3, 35, 8))
    assert refused("E_SHAPE", "chunks", lambda: lazy(refpos.rope, x, 35, pairing="half"), "one chunk", "rechunk")
    x = x.rechunk((2, 3, 5, 16))
    assert refused("E_CHOICE", "chunks", lambda: lazy(refpos.rope, x, 35, pairing="half", chunks=4), "are kept")
    assert refused("E_SHAPE", "positions", lambda: lazy(refpos.rope, x, 34, pairing="half"), "35 tokens", "got 34")
    wrong = np.zeros((2, 3, 5, 35))
    assert refused("E_SHAPE", "positions", lambda: lazy(refpos.rope, x, wrong, pairing="half"), "leading axes of x")


def test_what_the_function_refuses_is_refused_at_once():
    assert refused("E_ODD_DIM", "dim", lambda: lazy(refpos.sincos_2d, 3, 3, 6, axis_order="hw"))
    assert refused("E_DTYPE", "dtype", lambda: lazy(refpos.sinusoidal, 3, 4, dtype="int8"))
    bad = lazy(refpos.sinusoidal, np.array([1.0, np.nan, 2.0]), 4, chunks=(1, 4))
    assert bad[0].compute(scheduler="sync").shape == (4,)
    assert refused("E_POSITION", "positions", lambda: bad.compute(scheduler="sync"), "finite")


# -- what travels -----------------------------------------------------------------------------------------------------


def same_frequencies(frequencies, wanted):
    return frequencies.inv_freq.tobytes() == wanted.inv_freq.tobytes() and frequencies.axes == wanted.axes


def test_frequencies_travel_to_workers_and_have_names():
    import pickle

    slower = refpos.linear(16, factor=3)
    for frequencies in (YARN, AXIAL, slower):
        call = pickle.loads(pickle.dumps(Carried(same_frequencies, {"wanted": frequencies})))
        assert call(frequencies)
    assert token(YARN) == token(refpos.yarn(16, factor=4, original_max_position_embeddings=4096))
    assert len({token(one) for one in (YARN, AXIAL, slower, refpos.inverse_frequencies(16))}) == 4


def test_names_are_the_same_in_every_process():
    code = (
        "import refpos; from refpos.dask import lazy; f = refpos.yarn(16, factor=4,"
        " original_max_position_embeddings=4096); print(lazy(refpos.rope_table, 50, f)[0].name)"
    )
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)}
    assert len(runs) == 1 and runs.pop().strip() == lazy(refpos.rope_table, 50, YARN)[0].name


def test_without_dask_one_sentence_names_the_extra():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['dask', 'dask.array', 'zarr', 'distributed'])); import refpos\n"
        "assert 'refpos.dask' not in sys.modules\n"
        "for call in (lambda: refpos.dask.lazy(refpos.alibi, 1, 2, 2), lambda: refpos.dask.write(0, 'a'),\n"
        "             lambda: refpos.dask.verify('a'), lambda: refpos.dask.generate('a')):\n"
        "    try: call()\n"
        "    except refpos.InputError as error: print(error.code, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and all(line.startswith("E_MISSING refpos.dask needs ") for line in lines), done.stderr
    assert all(line.endswith('pip install "refpos[dask]"') for line in lines)
