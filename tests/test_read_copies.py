"""`refpos.read` of copies of a table, slopes and position ids of programs that share no code with refpos."""

import json
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from copy_programs import PLANTS, Plant, drawn, relative, t5_bucket, table
from tiers import sampled

import refpos
from refpos import catalogue, cli
from refpos.measure.read import INDICES, OF_TABLE, POSITIONS, READ, SLOPED

F = np.float32
CLIP = "sign='key-query', low=-8, high=7"
PAGE = " ".join((Path(__file__).resolve().parent.parent / "docs" / "read.md").read_text().split())
#: how far slopes and biases of a program may be from a call that bounds verify, of the size of the number
APART = {"float64": 1e-9, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1e-2}


def read(plant):
    given = () if plant.table is None else (plant.table,)
    return refpos.read(plant.y, catalogue.find(plant.function).function, *given)


def evaluated(found, given=None):
    """What the call of a reading gives, as float64."""
    names = {"refpos": refpos, "np": np, "found": found, "table": given, "Fraction": Fraction}
    values = np.asarray(eval(found.call, names))
    if values.dtype == np.uint16:
        values = (values.astype(np.uint32) << 16).view(F)
    return values.astype(np.float64)


def equal(found, plant):
    """Which numbers the call has: the same ones of copies, and of slopes those within the rounding of programs."""
    values, y = evaluated(found, plant.table), np.asarray(plant.y).astype(np.float64)
    assert values.shape == y.shape
    if found.kind in ("copied rows", "position ids"):
        return values == y
    with np.errstate(invalid="ignore"):
        return (values == y) | (np.abs(values - y) <= APART[found.format] * np.abs(y))


def as_planted(found, plant):
    """Whether rows, slopes or positions are those of the program, and which of them were compared."""
    if plant.rows is not None:
        if plant.function in POSITIONS:
            return found.positions.shape == plant.rows.shape and (found.positions == plant.rows).all()
        rows = found.rows
        if rows.shape != plant.rows.shape:  # all entries of leading axes have the same
            rows = np.broadcast_to(rows, plant.rows.shape)
        wrong = rows != plant.rows
        if plant.table is None or not wrong.any():
            return not wrong.any()
        flat = plant.table.reshape(-1, plant.table.shape[-1])
        told = (rows >= 0) | (plant.rows < 0)  # neither masked nor unknown
        return bool((flat[rows] == flat[plant.rows])[wrong & told].all())
    return found.slopes.shape == plant.slopes.shape and np.allclose(found.slopes, plant.slopes, rtol=2e-3, atol=0)


def outcome(plant, found):
    """ "named" by a verified call, "measured", "misnamed" or "silent"."""
    if found.kind == "unknown":
        return "silent"
    if found.parts:
        return "measured" if all(part.complete for _, part in found.parts) and found.outside else "misnamed"
    if not as_planted(found, plant):
        return "misnamed"
    if found.call is None:
        return "measured"
    same = equal(found, plant)
    if found.complete:
        return "named" if same.all() and found.elements == same.size else "misnamed"
    return "measured" if same.sum() == found.elements < same.size else "misnamed"


@pytest.mark.parametrize("name", sampled(list(PLANTS), 6))
def test_a_program_is_not_misnamed(name):
    plant = PLANTS[name]()
    assert outcome(plant, read(plant)) in ("named", "measured")


@pytest.mark.exhaustive
def test_the_page_counts_the_programs():
    counts = Counter(outcome(plant, read(plant)) for plant in (make() for make in PLANTS.values()))
    told = (
        f"Of {len(PLANTS)} programs {counts['named']} are named by a verified call, {counts['measured']} are measured"
    )
    assert told in PAGE and not counts["misnamed"] and not counts["silent"] and len(PLANTS) >= 70


def shares(seeds):
    found = {}
    for seed in seeds:
        plant = drawn(seed)
        found[seed] = outcome(plant, read(plant))
    return Counter(found.values()), [seed for seed, one in found.items() if one in ("misnamed", "silent")]


def test_random_programs():
    counts, wrong = shares(range(20))
    assert wrong == [] and counts["named"] >= 12


@pytest.mark.exhaustive
def test_many_random_programs():
    counts, wrong = shares(range(100, 400))
    told = f"Of 300 random programs {counts['named']} are named, {counts['measured']} measured"
    assert wrong == [] and told in PAGE


# -- what a reading says ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "call"),
    [
        ("t5, distance 0 in the upper half", "key - query = 0: row 16, not row 0",
         "refpos.t5_bias(table, 60, 60, bidirectional=True, num_buckets=32, max_distance=128)[None]"),
        ("t5, query minus key", "row = T5's bucket of query - key (bidirectional=True, num_buckets=32",
         "refpos.t5_bias(table, 64, 64, bidirectional=True, num_buckets=32, max_distance=128).swapaxes(1, 2)"),
        ("t5, max_distance 127", "max_distance=127)",
         "refpos.t5_bias(table, 200, 200, bidirectional=True, num_buckets=32, max_distance=127)[None]"),
        ("t5, last bucket one too early", "14 at -199 .. -64, 13 at -63 .. -46, 12 at -45 .. -32", None),
        ("t5, heads 2 and 3 of a shard", "the heads are columns 2..3 of 8",
         "refpos.t5_bias(table[:, 2:4], 64, 64, bidirectional=True, num_buckets=32, max_distance=128)"),
        ("t5 of mesh, (queries, keys, heads)", "axes (queries, keys, heads)",
         "refpos.t5_bias(table, 64, 64, bidirectional=True, num_buckets=32, max_distance=128).transpose(1, 2, 0)"),
        ("t5 with a causal mask of the smallest float32", "masked: the keys after the query",
         "refpos.t5_bias(table, 64, 64, bidirectional=False, num_buckets=32, max_distance=128)"),
        ("t5 with two equal rows", "rows 15 of the table are equal to others before them",
         "refpos.t5_bias(table, 90, 90, bidirectional=True, num_buckets=32, max_distance=128)"),
        ("shaw clipped one too early", "row = key - query + 8, row 0 below -8, row 15 above 7",
         f"refpos.learned(table, refpos.relative.relative_rows(40, 40, {CLIP}, outside='clip'))"),
        ("relative bias, query minus key", "row = query - key + 16, row 0 below -16, row 32 above 16",
         "refpos.relative_bias(table, 64, 64, sign='query-key')"),
        ("relative bias clipped before the offset is added, wrapping negative rows",
         "9 at -39 .. -8, 10 .. 16 at -7 .. -1, 0 .. 8 at 0 .. 8, 8 at 9 .. 39", None),
        ("swin, the factor of the other axis",
         "row = 15 dy + dx + 110, dy and dx query - key in 8 x 6 cells, where window_rows has 11 dy + dx + 82", None),
        ("swin, axes exchanged", "row = dy + 11 dx + 82 (axes exchanged), dy and dx query - key in 6 x 8 cells", None),
        ("swin, no shift of columns", "row = (13 dy + dx + 78) modulo 169", None),
        ("beit without rows of the class token", "the token to cells row 0, from cells row 0, to itself row 0", None),
        ("levit's own table, (heads, offsets)", "row = 7 dy + dx, dy and dx |query - key| in 7 x 7 cells",
         "refpos.window_bias(table.T, 7, 7, sign='absolute')"),
        ("learned, packed", "rows 0 .. 29, 0 .. 49, 0 .. 8, restart from 0 at 30, 80",
         "refpos.learned(table, refpos.positions.packed_positions([0, 30, 80, 89], restart=True))"),
        ("learned, one row of another table", "except token 7: no row of the table", "refpos.learned(table, 60)"),
        ("learned, with equal rows", "rows 40..43 of the table are equal", "refpos.learned(table, 100)"),
        ("learned, reversed", "rows 99 .. 0, reversed", "refpos.learned(table, np.arange(99, -1, -1))"),
        ("alibi, first 12 of 16 heads", "recursive, the first 12 of 16 heads",
         "refpos.alibi(16, 40, 40, dtype='float32')[:12]"),
        ("alibi of falcon, divided by 8", "linear, by key - query, queries from 0 on",
         "refpos.alibi(16, 1, 60, mode='linear', head_dim=64, query_offset=0, dtype='float32')"),
        ("alibi, heads in reverse order", "the heads in reverse order",
         "refpos.alibi(8, 40, 40, dtype='bfloat16')[::-1]"),
        ("alibi, learned slopes", "slopes 0.3, 0.21, 0.7, 0.011 of no rule that is known", None),
        ("ids, packed and restarted", "positions 0 .. 19, 0 .. 6, 0 .. 30, restart from 0 at 20, 27",
         "refpos.positions.packed_positions([0, 20, 27, 58], restart=True)"),
        ("ids, int8", "positions 0 .. 299 wrapped at 127 (int8)", "np.arange(0, 300).astype(np.int8).astype(np.int64)"),
        ("ids of a grid, axes exchanged", "a grid of 9 x 6 cells, axes in the order 1, 0",
         "refpos.positions.grid_positions([9, 6])[[1, 0]]"),
        ("ids of transformers 4, padded on the left", "positions from 0 on, 1 where padded on the left",
         "refpos.positions.attention_mask_positions(np.arange(9) >= np.array([[3], [0], [1]]), masked=1)"),
    ],
)  # fmt: skip
def test_what_a_reading_says(name, words, call):
    found = read(PLANTS[name]())
    assert words in str(found) and found.call == call


def test_heads_of_other_rows_are_parts():
    plant = PLANTS["t5, one head of another direction"]()
    found = read(plant)
    ((where, part),) = found.parts
    assert (where, found.outside) == ("head 3", ("head 3",)) and part.complete
    assert (evaluated(found, plant.table) == plant.y[:3]).all() and (evaluated(part, plant.table) == plant.y[3:]).all()


def test_entries_of_other_rows_are_parts():
    plant = PLANTS["t5, two entries of other offsets"]()
    found = read(plant)
    ((where, part),) = found.parts
    assert where == "entry 1" and found.outside == ("entry 1 of the leading axes",)
    assert (evaluated(found, plant.table) == plant.y[0]).all() and (evaluated(part, plant.table) == plant.y[1]).all()


def test_rows_of_a_batch_are_parts():
    found = read(PLANTS["ids, batch with one row that begins at 5"]())
    ((where, part),) = found.parts
    assert (
        where == "row 2" and (evaluated(part) == np.arange(5, 35)).all() and (evaluated(found) == np.arange(30)).all()
    )


@pytest.mark.parametrize("change", [lambda y: y[:, ::2, ::2], lambda y: np.asfortranarray(y), lambda y: y.astype(">f4"),
                                    lambda y: y.astype(np.float64)])  # fmt: skip
def test_strides_byte_order_and_width_change_nothing(change):
    weight = table(32, 8)
    y = change(weight[t5_bucket(relative(64, 64))].transpose(2, 0, 1))
    found = refpos.read(y, refpos.t5_bias, weight)
    if y.shape[1] == 64:
        assert found.complete and (evaluated(found, weight) == y).all()
    else:  # every second distance
        assert found.rows.shape == (32, 32) and (found.rows == t5_bucket(2 * relative(32, 32))).all()


def test_one_element_and_one_row_tell_no_rule():
    weight = table(9, 4)
    for y in (weight[[[3]]], weight[np.full((6, 6), 3)]):
        found = refpos.read(y.transpose(2, 0, 1), refpos.relative_bias, weight)
        assert found.call is None and "row 3 at all elements" in found.summary


def test_rows_of_queries_alone():
    rows = np.array([0, 0, 2, 5, 1])[:, None] + np.zeros(4, int)
    found = refpos.read(rows, refpos.t5_buckets)
    assert found.complete and (evaluated(found) == rows).all() and "the same for all keys" in found.summary


def test_a_table_of_an_odd_number_of_rows_is_no_table_of_t5_in_both_directions():
    weight, rows = table(7, 4), t5_bucket(relative(6, 8, 1), buckets=8).clip(0, 6)
    found = refpos.read(weight[rows].transpose(2, 0, 1), refpos.t5_bias, weight)
    assert found.call is None or equal(found, Plant(weight[rows].transpose(2, 0, 1), "t5_bias", weight)).mean() >= 0.75


def test_row_numbers_of_a_batch():
    rows = np.maximum(-relative(5, 5), 0)
    for batch in (rows[None], np.stack([rows, rows])):
        found = refpos.read(batch, refpos.relative.relative_rows)
        assert found.complete and np.array_equal(evaluated(found), batch) and found.elements == batch.size
    found = refpos.read(np.stack([rows, rows, rows.T]), refpos.relative.relative_rows)
    ((where, part),) = found.parts
    assert where == "entry 2" and np.array_equal(evaluated(part), rows.T) and np.array_equal(evaluated(found), rows)


@pytest.mark.parametrize("rows", [np.full((3, 3), -1), np.full((3, 3), 1 << 50), -np.eye(3, dtype=int) * 7])
def test_integers_that_are_no_rows(rows):
    found = refpos.read(rows, refpos.relative.window_rows)
    assert found.kind == "unknown" and "no rows: numbers from" in found.summary and not found.complete


def test_one_position():
    found = refpos.read(np.int64(3), refpos.positions.table_rows)
    assert found.complete and evaluated(found) == 3 and evaluated(found).shape == ()


def test_a_large_bias_is_read_in_little_memory_and_time():
    """Of one entry with a million rows no structured array is made, as np.unique makes it."""
    weight, rows = table(32, 2), t5_bucket(relative(1024, 1024))
    started = time.process_time()
    found = refpos.read(weight[rows].transpose(2, 0, 1), refpos.t5_bias, weight)
    assert found.complete and time.process_time() - started < 5


# -- refusals, numbers that are none of these, and the command --------------------------------------------------------

Y = table(32, 8)[t5_bucket(relative(12, 12))].transpose(2, 0, 1)
NUMBERS = {
    "NaN": np.full((8, 12, 12), np.nan),
    "infinite": np.full((8, 12, 12), np.inf),
    "zeros": np.zeros((8, 12, 12)),
    "noise": np.random.default_rng(1).standard_normal((8, 12, 12)),
    "one number": np.full((8, 12, 12), 2.5),
    "subnormal": Y * 1e-310,
    "large": Y.astype(np.float64) * 1e300,
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("function", [*OF_TABLE, *INDICES, *SLOPED])
def test_numbers_that_are_no_copies_get_one_sentence(name, function):
    given = () if function in SLOPED else (table(32, 12 if function in (*INDICES, "learned", "tile_table") else 8),)
    found = refpos.read(NUMBERS[name], catalogue.find(function).function, *given)
    assert found.summary and found.call is None and json.dumps(found.to_json(), allow_nan=False)
    assert not found.complete


def test_nan_of_one_key_is_said():
    found = refpos.read(np.where(np.arange(12) == 5, np.nan, Y), refpos.t5_bias, table(32, 8))
    assert found.outside == ("12 of 144 elements, in key 5",) and (found.rows[:, 5] == -3).all()
    assert found.elements == 8 * 132 and found.call and not found.complete


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: refpos.read(Y, refpos.t5_bias), "E_MISSING", "x must be the table for refpos.t5_bias, got none"),
        (lambda: refpos.read(Y, refpos.alibi, Y), "E_CHOICE", "x must be left out for refpos.alibi, got"),
        (lambda: refpos.read(Y, refpos.t5_bias, Y[0, 0]), "E_SHAPE", "x must be a table of the shape (rows, heads)"),
        (lambda: refpos.read(Y[0, 0], refpos.t5_bias, table(32, 8)), "E_SHAPE", "(.., heads, queries, keys)"),
        (lambda: refpos.read(Y[:, :0], refpos.t5_bias, table(32, 8)), "E_SHAPE", "at least one number"),
        (lambda: refpos.read(Y, refpos.t5_bias, table(32, 8)[:0]), "E_MISSING", "at least one number, got the shape"),
        (lambda: refpos.read(Y, refpos.t5_buckets), "E_DTYPE", "y must be integers without a table, got float32"),
        (lambda: refpos.read(np.arange(4), refpos.t5_buckets), "E_SHAPE", "(queries, keys)"),
        (lambda: refpos.read([True], refpos.positions.table_rows), "E_DTYPE", "y must be integers, got bool"),
        (lambda: refpos.read(np.arange(0), refpos.positions.table_rows), "E_MISSING", "at least one number"),
        (lambda: refpos.read(np.zeros(0), refpos.alibi_slopes), "E_SHAPE", "(heads, queries, keys)"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(call, code, words):
    with pytest.raises(refpos.InputError) as error:
        call()
    assert error.value.code == code and words in str(error.value)


def test_every_function_that_is_read_is_in_the_catalogue():
    assert len(set(READ)) == len(READ) and all(name in catalogue.ENTRIES for name in READ)
    assert {plant().function for plant in PLANTS.values()} <= set(READ)


def test_the_command(tmp_path, capsys):
    y, weight, ids = (str(tmp_path / f"{name}.npy") for name in ("y", "weight", "ids"))
    np.save(y, Y), np.save(weight, table(32, 8)), np.save(ids, [0, 1, 2, 0, 1])
    assert cli.main(["read", y, "--of", "t5_bias", "--x", weight]) == 0
    assert "refpos.t5_bias(table, 12, 12, bidirectional=True" in capsys.readouterr().out
    assert cli.main(["read", ids, "--of", "packed_positions", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["positions"] == [0, 1, 2, 0, 1] and told["kind"] == "position ids" and told["rows"] == []
    assert cli.main(["read", y, "--of", "alibi"]) == 1
    assert "no linear bias" in capsys.readouterr().out
    assert cli.main(["read", y, "--of", "t5_bias"]) == 2
    assert "x must be the table for refpos.t5_bias, got none" in capsys.readouterr().err
