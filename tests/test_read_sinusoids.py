"""`refpos.read` of sinusoidal tables, timestep embeddings and grids of programs that share no code with refpos."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rotary_programs import bits_of_bfloat16
from sinusoid_programs import PLANTS, drawn, grid, table
from tiers import sampled

import refpos
from refpos import catalogue, cli
from refpos.conformance import bounds
from refpos.measure import estimates
from refpos.measure.read import READ

F = np.float32
RNG = np.random.default_rng(5)
PAGE = Path(__file__).resolve().parent.parent / "docs" / "read.md"
#: how far the call may be from the formula without any rounding: a unit of the format, the digits of a factor, and
#: 5e-10 by which the formula itself is off in float64 at the largest angle
APART = {"float64": 1e-9, "float32": 2e-6, "float16": 1e-3, "bfloat16": 8e-3}
#: how far angles of a call may be from those planted, as its bounds cannot tell them apart
TOLD = {"float64": 1e-9, "float32": 1e-3, "float16": 0.02, "bfloat16": 0.1}


def read(plant):
    return refpos.read(plant.y, catalogue.find(plant.function).function)


def evaluated(found):
    """What the call of a reading gives, as float64."""
    values = np.asarray(eval(found.call, {"refpos": refpos, "np": np, "found": found}))
    if found.format == "bfloat16":
        return (values.view(np.uint16).astype(np.uint32) << 16).view(F).astype(np.float64)
    return values.astype(np.float64)


def measured(found, shape):
    """The numbers that the measurement alone says, without a call: factor, frequencies and positions of the pairs."""
    angles = found.positions.reshape(-1, 1) * found.frequencies
    values = np.full((angles.shape[0], shape[-1]), np.nan)
    for k, (cosine, sine) in enumerate(found.pairs):
        values[:, cosine], values[:, sine] = (
            found.gains[k] * np.cos(angles[:, k]),
            found.gains[k] * np.sin(angles[:, k]),
        )
    return values.reshape(shape)


def outcome(plant, found, apart=APART):
    """Whether a reading is the program that was planted: "named" by a verified call, "measured", "misnamed" or
    "silent"."""
    if found.kind == "unknown":
        return "silent"
    if found.call is not None:
        near = np.abs(evaluated(found).reshape(plant.exact.shape) - plant.exact).max() <= apart[plant.kind]
        return "misnamed" if not near else "named" if found.complete else "measured"
    if not found.pairs:
        return "silent"
    size = np.abs(plant.exact).max()
    near = np.abs(measured(found, plant.exact.shape) - plant.exact).max() <= 8 * apart[plant.kind] * size
    return "measured" if near else "misnamed"


@pytest.mark.parametrize("name", sampled(list(PLANTS), 25))
def test_a_program_is_not_misnamed(name):
    plant = PLANTS[name]()
    assert outcome(plant, read(plant)) == ("measured" if name.startswith(("times ", "exponents from 1")) else "named")


@pytest.mark.exhaustive
def test_the_page_counts_the_programs():
    counts = Counter(outcome(plant, read(plant)) for plant in (make() for make in PLANTS.values()))
    told = f"Of {len(PLANTS)} programs {counts['named']} are named, {counts['measured']} are measured only,"
    assert told in " ".join(PAGE.read_text().split())
    assert not counts["misnamed"] and not counts["silent"] and len(PLANTS) >= 60


def shares(seeds):
    """(outcomes of random programs, those that were misnamed)."""
    found = {seed: outcome(program, read(program), TOLD) for seed, program in ((one, drawn(one)) for one in seeds)}
    return Counter(found.values()), [seed for seed, one in found.items() if one == "misnamed"]


def test_random_programs():
    counts, wrong = shares(range(12))
    assert wrong == [] and counts["named"] >= 8


@pytest.mark.exhaustive
def test_many_random_programs():
    counts, wrong = shares(range(100, 300))
    told = f"Of 200 random programs {counts['named']} are named, {counts['measured']} measured only, and none misnamed"
    assert told in " ".join(PAGE.read_text().split()) and f"{counts['silent']} are silent" in PAGE.read_text()
    assert wrong == [] and counts["named"] >= 150


@pytest.mark.long
def test_two_thousand_random_programs():
    counts, wrong = shares(range(1000, 3000))
    assert wrong == [] and counts["named"] >= 1500


# -- what a reading says ----------------------------------------------------------------------------------------------


def sentence(columns, layout, rule, positions="positions 0 .. 99", factor="factor 1"):
    return f"sinusoidal table of {columns} columns, {layout}, {rule}, {positions}, {factor}"


@pytest.mark.parametrize(
    ("name", "summary", "call"),
    [
        (
            "annotated transformer",
            sentence(64, "layout interleaved", "base 10000, exponent 2i/64"),
            "refpos.sinusoidal(100, 64, base=10000, layout='interleaved', dtype='float32')",
        ),
        (
            "fairseq, odd width",
            sentence(65, "layout sin-cos, last column 0", "base 10000, exponent i/31, zeros at position 1"),
            (
                "refpos.sinusoidal(100, 65, base=10000, layout='sin-cos', odd='pad', endpoint=True, zero_row=1, "
                "dtype='float32')"
            ),
        ),
        (
            "diffusers, shift 1/2",
            sentence(64, "layout cos-sin", "base 10000, exponent i/31.5", "positions 994, 979, 948, 928, .. (32 rows)"),
            (
                "refpos.timestep_embedding(found.positions, 64, flip_sin_to_cos=True, downscale_freq_shift=0.5, "
                "max_period=10000, dtype='float32')"
            ),
        ),
        (
            "mae, class token",
            (
                "sinusoidal grid of 7 x 9 cells, after 1 row of zeros, 64 columns, 32 of axis 1, 32 of axis 0, layout "
                "sin-cos, base 10000, exponent 2i/32, coordinates 0 .. 6; 0 .. 8, factor 1"
            ),
            (
                "refpos.sincos_2d(7, 9, 64, axis_order='wh', layout='sin-cos', base=10000, extra_tokens=1, "
                "dtype='float32')"
            ),
        ),
        (
            "exponent 2j/d in every column",
            sentence(64, "sines in even columns", "base 10000, exponent 2j/64 of column j"),
            (
                "refpos.sinusoidal(100, 128, base=100000000, layout='interleaved', dtype='float32')[..., "
                "2 * np.arange(64) + np.arange(64) % 2]"
            ),
        ),
        (
            "times sqrt(d), 96",
            sentence(96, "layout interleaved", "base 10000, exponent 2i/96", factor="factor 9.798 (sqrt(96))"),
            None,
        ),
        (
            "first frequency 1/48",
            sentence(48, "layout interleaved", "base 10000, exponent 2i/48, first frequency 0.02083 (1/48)"),
            (
                "refpos.sinusoidal(100, 48, base=10000, layout='interleaved', position_scale=0.020833333333333332, "
                "dtype='float32')"
            ),
        ),
    ],
)
def test_the_measurement_and_the_call(name, summary, call):
    found = read(PLANTS[name]())
    assert (found.summary, found.call) == (summary, call)


@pytest.mark.parametrize("name", ["mae, rectangle", "dit, coordinates", "timm, kinds", "grid in bfloat16"])
def test_the_bounds_of_a_grid_are_those_of_its_call(name):
    plant = PLANTS[name]()
    found = read(plant)
    given = {"grid": [np.unique(found.positions[axis]) for axis in (1, 0)], "dim": 64, "axis_order": "wh"}
    if "kinds" in name:
        given |= {"grid": [np.unique(one) for one in found.positions], "axis_order": "hw", "packing": "kinds"}
    limits = bounds("sincos_grid", {**given, "extra_tokens": 0}, {}, found.format)
    expected = eval(found.call, {"refpos": refpos, "np": np, "found": found})
    y = bits_of_bfloat16(plant.y) if found.format == "bfloat16" else plant.y
    report = refpos.compare(
        y, expected, bounds={kind: parts["output"] for kind, parts in limits.items()}, dtype=found.format,
        conformance=found.met,
    )  # fmt: skip
    assert report and report.met == found.met


def test_rows_that_differ_are_read_by_themselves():
    y = np.concatenate([table(100, 32).y, table(np.arange(100, 140), 32, base=500).y])
    found = refpos.read(y, refpos.sinusoidal)
    ((where, part),) = found.parts
    assert found.outside == (where,) == ("rows 100..139",) and not found.complete
    assert part.call == "refpos.sinusoidal(np.arange(100, 140), 32, base=500, layout='interleaved', dtype='float32')"


def test_cells_that_are_no_grid_have_no_call():
    made = grid(7, 9).y
    made[20] *= 1.5
    assert refpos.read(made, refpos.sincos_2d).call is None


def test_other_functions_of_the_same_numbers():
    found = refpos.read(PLANTS["mae"]().y, refpos.sinusoidal)
    assert found.call == read(PLANTS["mae"]()).call
    pairs = refpos.read(PLANTS["annotated transformer"]().y, refpos.timestep_embedding)
    assert pairs.call == "refpos.sinusoidal(100, 64, base=10000, layout='interleaved', dtype='float32')"
    shifted = refpos.read(PLANTS["diffusers, shift 1/2"]().y, refpos.sinusoidal)
    assert shifted.complete and shifted.call.startswith("refpos.timestep_embedding(")
    cube = refpos.read(PLANTS["three axes"]().y.reshape(60, 48), refpos.sincos_3d)
    assert cube.call.startswith("refpos.sincos_3d(3, 4, 5, 48, axis_order='thw'") and "extra_tokens=0" in cube.call


def test_an_array_of_channels_first():
    found = read(PLANTS["channels first"]())
    assert found.summary.startswith("transposed sinusoidal table of 64 columns, layout interleaved, base 10000")
    assert found.call == "refpos.sinusoidal(100, 64, base=10000, layout='interleaved', dtype='float32').T"


def test_widths_of_axes():
    frame, row, column = np.meshgrid(np.arange(3), np.arange(4), np.arange(5), indexing="ij")
    parts = [table(one, width, layout="sin-cos").y for one, width in ((frame, 32), (row, 16), (column, 16))]
    found = refpos.read(np.concatenate(parts, -1), refpos.sincos_3d)
    assert found.complete and "widths=(32, 16, 16)" in found.call
    assert np.abs(evaluated(found) - np.concatenate(parts, -1)).max() < 1e-6


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16"])
def test_the_format_is_that_of_the_numbers(kind):
    y = table(80, 32, kind=kind).y
    found = refpos.read(y, refpos.sinusoidal)
    call = f"refpos.sinusoidal(80, 32, base=10000, layout='interleaved', dtype='{kind}')"
    assert (found.format, found.call, found.complete) == (kind, call, True)
    if kind == "bfloat16":
        assert refpos.read(bits_of_bfloat16(y), refpos.sinusoidal).call == call


# -- numbers that are no table ----------------------------------------------------------------------------------------

B = table(60, 32).y


def changed(value, index):
    y = B.copy()
    y[index] = value
    return y


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (changed(0, np.s_[:, [3, 10]]), "columns 3, 10 are zeros"),
        (changed(np.nan, 5), "except rows 5"),
        (changed(np.nan, (5, 6)), "except rows 5"),
        (changed(np.nan, slice(30)), "positions 0 .. 59"),
        (changed(RNG.standard_normal(32), 5), "except rows 5"),
        (B * np.nan, "no number is finite"),
        (np.full_like(B, np.inf), "no number is finite"),
        (B * 0, "every number is 0"),
        (np.ones_like(B), "32 of 32 columns have one number in all rows"),
        (np.tile(RNG.standard_normal(32), (60, 1)), "32 of 32 columns have one number in all rows"),
        (RNG.standard_normal((60, 32)), "no sinusoidal table"),
        (RNG.standard_normal((1, 32)), "no sinusoidal table"),
        (RNG.standard_normal((3, 5, 7)), "no sinusoidal table"),
        (np.full((1, 32), 0.5), "every number is 0.5"),
        (np.arange(640.0).reshape(20, 32) / 640, "no sinusoidal table"),
        (RNG.integers(0, 65536, (20, 32)).astype(np.uint16), "no sinusoidal table"),
        (B[7], "positions 7"),
        (B[:, :1], "sines alone"),
        (B[7, 7:8], "no sinusoidal table"),
        (B * F(1e38), "factor 1e+38"),
        (B.astype(np.float64) * 1e300, "factor 1e+300"),
        (B * F(1e-42), "no call of refpos was found"),
        (np.asfortranarray(B), "positions 0 .. 59"),
        (B[::-1], "positions 59 .. 0"),
        (B.tolist(), "all numbers of y are values of float32"),
        (np.eye(8), "no sinusoidal table"),
    ],
)
def test_any_numbers_are_answered_with_a_sentence(y, words):
    for function in (refpos.sinusoidal, refpos.timestep_embedding, refpos.sincos_2d):
        assert words in str(refpos.read(y, function))


@pytest.mark.parametrize(
    ("y", "code", "words"),
    [
        (B[:0], "E_SHAPE", "the shape (.., dim) with at least one number, got (0, 32)"),
        (B[3, 3], "E_SHAPE", "the shape (.., dim) with at least one number, got ()"),
        (np.arange(64).reshape(8, 8), "E_DTYPE", "got int64"),
    ],
)
def test_what_cannot_be_read_is_refused(y, code, words):
    with pytest.raises(refpos.InputError) as error:
        refpos.read(y, refpos.sinusoidal)
    assert error.value.code == code and words in str(error.value)


def test_x_is_for_rotations_alone():
    with pytest.raises(refpos.InputError, match=r"x must be left out for refpos.sinusoidal, got"):
        refpos.read(B, refpos.sinusoidal, B)


def test_waves_are_those_of_a_library():
    angles = RNG.uniform(-50, 50, 5000)
    assert np.abs(estimates.waves(angles) - np.exp(1j * angles)).max() < 1e-14


def test_the_help_has_every_function(capsys):
    with pytest.raises(SystemExit):
        cli.main(["read", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join(READ[:-1])} or {READ[-1]}" in told


def test_the_command(tmp_path, capsys):
    path = str(tmp_path / "y.npy")
    np.save(path, table(40, 32).y)
    assert cli.main(["read", path, "--of", "sinusoidal", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "sinusoidal table" and told["recipe"]["function"] == "sinusoidal"
    np.save(path, grid(7, 9).y)
    assert cli.main(["read", path, "--of", "sincos_2d"]) == 0
    assert "refpos.sincos_2d(7, 9, 64" in capsys.readouterr().out
    np.save(path, table(factor=3.0).y)
    assert cli.main(["read", path, "--of", "sinusoidal"]) == 1
    assert "factor 3" in capsys.readouterr().out
