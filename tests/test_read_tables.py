"""`refpos.read` of resized tables and of means of rows, of programs in NumPy that share no code with refpos."""

import numpy as np
import pytest
from rotary_programs import ROUND
from score_programs import matrix, resized
from tiers import sampled

import refpos
from refpos import cli

F = np.float32
RNG = np.random.default_rng(12)
OLD, NEW = (8, 11), (13, 6)
WEIGHT = RNG.standard_normal((*OLD, 40)).astype(F)
NEAR = 1e-5


def along(down, across, table):
    return np.einsum("ja,kb,abc->jkc", down.astype(F), across.astype(F), table).astype(F)


def made(kernel, table=WEIGHT, new=NEW, corners=False):
    """A table at another size."""
    return along(*(matrix(kernel, *sides, corners) for sides in zip(table.shape[:-1], new, strict=True)), table)


def is_near(found, y, **inputs):
    values = np.asarray(eval(found.call, {"refpos": refpos, "np": np, **inputs}))
    return values.shape == y.shape and np.abs(values - y).max() <= NEAR * np.abs(y).max()


OPTIONS = {"linear": "method='linear'", "cubic (a -0.75)": "method='cubic', cubic=-0.75",
           "cubic (a -0.5)": "method='cubic', cubic=-0.5"}  # fmt: skip


@pytest.mark.parametrize("kernel", OPTIONS)
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("channels", [40, 2])
def test_kernels(kernel, corners, channels):
    weight = WEIGHT[..., :channels].copy()
    y, align = made(kernel, weight, corners=corners), "corners" if corners else "half-pixel"
    found = refpos.read(y, refpos.resize_table, weight)
    assert found.call == f"refpos.resize_table(weight, {NEW}, {OPTIONS[kernel]}, align={align!r}, dtype='float32')"
    assert found.summary == f"resized table of 13 x 6 cells from 8 x 11: {kernel}, {align}" and found.complete
    assert is_near(found, y, weight=weight)
    sides = zip(OLD, NEW, strict=True)
    assert all(np.abs(found.coefficients[f"axis {k}"] - matrix(kernel, *pair, corners)).max() < 1e-12
               for k, pair in enumerate(sides))  # fmt: skip


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_tables_of_16_bits(kind):
    found = refpos.read(ROUND[kind](made("linear")).astype(F), refpos.resize_table, WEIGHT)
    assert found.format == kind and found.complete and "linear, half-pixel" in found.summary


def test_the_asked_options_are_told():
    found = refpos.read(made("linear"), refpos.resize_table, WEIGHT, method="cubic", cubic=-0.75, align="corners")
    for words in ("method linear (asked cubic)", "align half-pixel (asked corners)", "cubic none (asked -0.75)"):
        assert words in found.summary
    assert "asked" not in refpos.read(made("linear"), refpos.resize_table, WEIGHT, method="linear").summary


def test_height_and_width():
    other = np.ascontiguousarray(np.swapaxes(WEIGHT, 0, 1))
    read_wrong = WEIGHT.reshape(11, 8, -1)
    for table, way in ((other, "height and width exchanged"), (read_wrong, "rows of the grid read as columns")):
        y = made("cubic (a -0.75)", table)
        found = refpos.read(y, refpos.resize_table, WEIGHT)
        assert way in found.summary and found.complete and is_near(found, y, weight=WEIGHT)


def test_class_tokens():
    sequence = np.concatenate([RNG.standard_normal((1, 40)).astype(F), WEIGHT.reshape(88, 40)])
    inputs = {"weight": sequence, "prefix": 1, "grid": OLD, "size": NEW}
    cells = made("linear").reshape(-1, 40)
    whole = matrix("linear", 89, 79, False).astype(F) @ sequence
    misread = made("linear", sequence[:88].reshape(*OLD, 40)).reshape(-1, 40)
    for y, way in (
        (np.concatenate([sequence[:1], cells]), "linear, half-pixel"),
        (np.concatenate([cells, sequence[:1]]), "class token last"),
        (cells, "class token dropped"),
        (whole, "all rows on one axis, the class token with the grid"),
        (misread, "the first rows of the table as the grid, class token among them"),
    ):
        found = refpos.read(y, refpos.resize_table, **inputs)
        assert found.summary.endswith(way) and found.complete, str(found)
        assert is_near(found, y, weight=sequence)
    unknown = {"weight": sequence, "prefix": 1, "grid": OLD}
    assert refpos.read(np.concatenate([sequence[:1], cells]), refpos.resize_table, **unknown).complete
    exchanged = made("linear", WEIGHT.reshape(11, 8, 40)).reshape(-1, 40)
    found = refpos.read(exchanged, refpos.resize_table, **inputs)
    assert "height and width of the table exchanged" in found.summary and found.complete


def test_a_square_sequence_without_a_grid():
    weight = RNG.standard_normal((50, 24)).astype(F)
    y = made("cubic (a -0.75)", weight[1:].reshape(7, 7, 24), (9, 9)).reshape(81, 24)
    found = refpos.read(np.concatenate([weight[:1], y]), refpos.resize_table, weight)
    assert "grid=(7, 7), prefix=1" in found.call and found.complete


def test_an_offset_of_the_scale():
    def offset(old, new):
        rows = np.zeros((new, old))
        for j in range(new):
            at = (j + 0.5) * old / (new + 0.1) - 0.5
            for row in range(int(np.floor(at)) - 1, int(np.floor(at)) + 3):
                x = abs(row - at)
                near, far = 1.25 * x**3 - 2.25 * x**2 + 1, -0.75 * (x**3 - 5 * x**2 + 8 * x - 4)
                rows[j, min(max(row, 0), old - 1)] += near if x < 1 else far if x < 2 else 0
        return rows

    y = along(offset(8, 13), offset(11, 16), WEIGHT)
    found = refpos.read(y, refpos.resize_table, WEIGHT)
    assert "scale (new + 0.1) / old" in found.summary and found.complete and is_near(found, y, weight=WEIGHT)


def test_weights_of_no_kernel_are_measured():
    down, across = matrix("linear", 8, 13, False), matrix("linear", 11, 6, False)
    found = refpos.read(along(down * down, across, WEIGHT), refpos.resize_table, WEIGHT)
    assert found.call is None and "weights of no kernel that is known" in found.summary
    assert np.abs(found.coefficients["axis 0"] - down * down).max() < 1e-4
    assert np.abs(found.coefficients["axis 1"] - across).max() < 1e-4
    found = refpos.read(2 * made("linear"), refpos.resize_table, WEIGHT)
    assert found.call is None and found.summary.endswith("linear, half-pixel, times 2")
    found = refpos.read(WEIGHT[2:7, 1:9].copy(), refpos.resize_table, WEIGHT)
    assert "axis 0 copies of rows 2..6, axis 1 copies of rows 1..8" in found.summary
    row = WEIGHT[:, 0]
    at = np.arange(13) * 8 / 13
    low = np.minimum(np.floor(at).astype(int), 6)
    share = np.minimum(at - low, 1)[:, None].astype(F)
    found = refpos.read(row[low] * (1 - share) + row[low + 1] * share, refpos.resize_table, row)
    assert found.call is None and "axis 0 linear at 0.615385 j + 0" in found.summary


def test_numbers_that_are_no_table():
    noise = RNG.standard_normal((*NEW, 40))
    found = refpos.read(noise, refpos.resize_table, WEIGHT)
    assert (found.kind, found.call) == ("unknown", None) and "unexplained" in found.summary
    assert "every number is 0" in refpos.read(0 * noise, refpos.resize_table, WEIGHT).summary
    assert "not finite" in refpos.read(np.nan * noise, refpos.resize_table, WEIGHT).summary
    few = refpos.read(RNG.standard_normal((30, 30, 2)), refpos.resize_table, RNG.standard_normal((9, 200, 2)))
    assert few.kind == "unknown" and few.call is None


@pytest.mark.parametrize("first", sampled(range(0, 300, 50), 6))
def test_random_tables(first):
    for seed in range(first, first + 50):
        program = resized(seed)
        found = refpos.read(program.numbers, refpos.resize_table, program.weight)
        sides = zip(program.weight.shape[:-1], program.numbers.shape[:-1], strict=True)
        planted = [matrix(program.kernel, *pair, program.corners) for pair in sides]
        # of some sizes several kernels have the same weights
        same = all(np.abs(found.coefficients[f"axis {k}"] - one).max() < 1e-9 for k, one in enumerate(planted))
        assert same and found.complete, (seed, program.kernel, program.corners, str(found))


# -- biases of windows ------------------------------------------------------------------------------------------------


def test_biases_of_windows():
    table = RNG.standard_normal((7 * 9, 6)).astype(F)
    inputs = {"weight": table, "old": (4, 5), "new": (6, 3)}
    grid = table.reshape(7, 9, 6)
    for kernel, method in (("cubic (a -0.75)", "swin"), ("linear", "beit")):
        y = made(kernel, grid, (11, 5)).reshape(55, 6)
        found = refpos.read(y, refpos.tables.resize_bias, **inputs)
        assert found.summary.endswith(f"method {method!r} of refpos.tables.resize_bias") and found.complete
        assert is_near(found, y, weight=table)
        assert np.abs(refpos.tables.resize_bias(**inputs, method=method) - y).max() < NEAR * np.abs(y).max()
    token = np.concatenate([table, RNG.standard_normal((3, 6)).astype(F)])
    y = np.concatenate([made("linear", grid, (11, 5)).reshape(55, 6), token[-3:]])
    found = refpos.read(y, refpos.tables.resize_bias, **{**inputs, "weight": token}, class_token=True)
    assert found.complete and "method 'beit'" in found.summary and is_near(found, y, weight=token)
    wrong = made("linear", grid, (5, 11)).reshape(55, 6)
    found = refpos.read(wrong, refpos.tables.resize_bias, **inputs)
    assert "height and width of new exchanged" in found.summary and "resize_bias" not in found.summary
    y = made("linear", grid, (11, 5), corners=True).reshape(55, 6)
    assert "resize_bias" not in refpos.read(y, refpos.tables.resize_bias, **inputs).summary


def test_the_geometric_method():
    table = RNG.standard_normal((49, 6)).astype(F)
    y = refpos.tables.resize_bias(table, (4, 4), (6, 6), method="geometric")
    found = refpos.read(y, refpos.tables.resize_bias, table, (4, 4), (6, 6))
    assert found.complete and "method='geometric'" in found.call and is_near(found, y, weight=table)
    near = (y * (1 + F(1e-6))).astype(F)
    found = refpos.read(near, refpos.tables.resize_bias, table, (4, 4), (6, 6))
    assert found.call is None and "method 'geometric' of refpos.tables.resize_bias, which leaves" in found.summary


# -- means of rows ----------------------------------------------------------------------------------------------------

TABLE = RNG.standard_normal((30, 32)).astype(F)
ROWS = np.array([[3, 4, 5, -1], [7, -1, -1, -1], [10, 11, 12, 13], [20, 21, -1, -1]])
KEPT = (ROWS >= 0)[..., None]
COUNTS = KEPT.sum(1).astype(F)


@pytest.mark.parametrize(
    ("y", "way"),
    [
        ((TABLE[np.maximum(ROWS, 0)] * KEPT).sum(1) / COUNTS, "means of rows of 4 spans"),
        ((TABLE[np.maximum(ROWS, 0)] * KEPT).sum(1) / F(4), "padding counted"),
        (TABLE[ROWS].mean(1), "row -1 read as the last one of the table"),
        (TABLE[np.maximum(ROWS, 0)].mean(1), "row -1 read as row 0"),
        (TABLE[ROWS[:, 0]], "the first row alone"),
        ((TABLE[np.maximum(ROWS + 1, 0)] * KEPT).sum(1) / COUNTS, "the row after each"),
        ((TABLE[np.maximum(ROWS - 1, 0)] * KEPT).sum(1) / COUNTS, "the row before each"),
    ],
)
def test_means_of_rows(y, way):
    found = refpos.read(y.astype(F), refpos.tables.mean_of_rows, TABLE, ROWS)
    assert found.summary.endswith(way) and found.complete and is_near(found, y, weight=TABLE, rows=ROWS)


def test_sums_of_rows_are_measured():
    found = refpos.read((TABLE[np.maximum(ROWS, 0)] * KEPT).sum(1), refpos.tables.mean_of_rows, TABLE, ROWS)
    assert found.call is None and "span 0: 1 of row 3, 1 of row 4, 1 of row 5; span 1: 1 of row 7" in found.summary
    noise = refpos.read(RNG.standard_normal((4, 32)), refpos.tables.mean_of_rows, TABLE, ROWS)
    assert noise.kind == "unknown" and "unexplained" in noise.summary
    few = refpos.read(RNG.standard_normal((4, 2)), refpos.tables.mean_of_rows, TABLE[:, :2], ROWS)
    assert few.kind == "unknown" and "tell no weights" in few.summary


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: refpos.read(WEIGHT, refpos.resize_table, WEIGHT[..., 1:]), "E_SHAPE", "(39,) channels of weight"),
        (lambda: refpos.read(WEIGHT, refpos.resize_table), "E_MISSING", "weight must be given"),
        (lambda: refpos.read(TABLE, refpos.resize_table, TABLE, grid=(5, 5)), "E_SHAPE", "weight must be (0 + 5 * 5"),
        (lambda: refpos.read(TABLE, refpos.resize_table, TABLE, grid=(6, "5")), "E_SIZE", "grid must be an integer"),
        (lambda: refpos.read(TABLE, refpos.tables.resize_bias, TABLE, 3, 4), "E_SHAPE", "old must be a list of sizes"),
        (lambda: refpos.read(TABLE, refpos.tables.mean_of_rows, TABLE, ROWS), "E_SHAPE", "y must be (*rows.shape"),
    ],
)
def test_what_cannot_be_read_is_refused(call, code, words):
    with pytest.raises(refpos.InputError) as error:
        call()
    assert error.value.code == code and words in str(error.value)


def test_the_command(tmp_path, capsys):
    paths = [str(tmp_path / name) for name in ("y.npy", "weight.npy")]
    for path, values in zip(paths, (made("linear").reshape(-1, 40), WEIGHT.reshape(-1, 40)), strict=True):
        np.save(path, values)
    command = ["read", paths[0], "--of", "resize_table", "--arrays", f"weight={paths[1]}", "--set", "grid=8,11"]
    assert cli.main([*command, "--set", "size=13,6"]) == 0
    assert "linear, half-pixel" in " ".join(capsys.readouterr().out.split())
