"""Scores of places in images and networks of offsets: against plain loops, other calls, and each other."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from witness import image_scores as witness

import refpos
from refpos import InputError, conformance
from refpos.golden.case import mixed
from refpos.relative import convit_start, distance_mlp
from refpos.scores import convit_attention, decomposed_scores

GRIDS = (((3, 5), (3, 5)), ((4, 6), (2, 3)), ((2, 3), (4, 6)), ((16, 1), (7, 1)), ((5, 1), (3, 4)), ((1, 1), (1, 1)))


def numbers(*shape, seed=0):
    return (mixed(int(np.prod(shape)), seed) >> np.uint64(40)).astype(np.float64).reshape(shape) * 2.0**-24 - 0.5


def tables(query, key, dim, sign="query-key"):
    counts = [2 * (max(pair) if sign == "query-key" else pair[1]) - 1 for pair in zip(query, key, strict=True)]
    return [numbers(count, dim, seed=count) for count in counts]


# -- decomposed -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("class_token", [False, True])
@pytest.mark.parametrize("query, key", GRIDS)
def test_decomposed_scores_are_those_of_a_plain_loop(query, key, class_token):
    first, dim = int(class_token), 3
    q = numbers(2, query[0] * query[1] + first, dim)
    both = tables(query, key, dim)
    ours = decomposed_scores(q, *both, query, key, sign="query-key", class_token=class_token)
    lists = [table.tolist() for table in both]
    for image, scores in zip(q, ours, strict=True):
        expected = witness.decomposed(image.tolist(), lists, query, key, "query-key", first)
        np.testing.assert_array_equal(scores, expected)
    if class_token:
        assert not ours[:, 0].any() and not ours[..., 0].any()


def test_a_query_of_one_and_tables_of_numbers_show_the_rows():
    """With hundreds for rows and ones for columns, a score spells both rows that it read."""
    for query, key in GRIDS:
        lengths = [2 * max(pair) - 1 for pair in zip(query, key, strict=True)]
        down, across = (np.arange(n, dtype=np.float64)[:, None] for n in lengths)
        cells = np.ones((query[0] * query[1], 1))
        scores = decomposed_scores(cells, 100 * down, across, query, key, sign="query-key")
        rows = [refpos.relative.decomposed_rows(*pair) for pair in zip(query, key, strict=True)]
        expected = 100 * rows[0][:, None, :, None] + rows[1][None, :, None, :]
        np.testing.assert_array_equal(scores, expected.reshape(scores.shape))


def test_equal_grids_of_both_signs_are_tables_turned_round():
    q, both = numbers(15, 4), tables((3, 5), (3, 5), 4)
    one = decomposed_scores(q, *both, (3, 5), (3, 5), sign="query-key")
    other = decomposed_scores(q, *(table[::-1] for table in both), (3, 5), (3, 5), sign="key-query")
    np.testing.assert_array_equal(one, other)
    assert (one != decomposed_scores(q, *both, (3, 5), (3, 5), sign="key-query")).any()


def test_a_halo_lies_around_its_block():
    """A query and the key at its place are one halo apart in the rows of the table."""
    both = tables((3, 3), (7, 7), 2, "key-query")
    q = numbers(9, 2)
    scores = decomposed_scores(q, *both, (3, 3), (7, 7), sign="key-query").reshape(3, 3, 7, 7)
    for r, c in np.ndindex(3, 3):
        vector = q.reshape(3, 3, 2)[r, c]
        same = sum(witness.sequences.dot(vector.tolist(), table[6 + 2].tolist()) for table in both)
        assert scores[r, c, r + 2, c + 2] == same


def test_tables_at_another_length_are_those_of_resize_table():
    q, down, across = numbers(12, 3), numbers(9, 3, seed=1), numbers(2, 3, seed=2)
    ours = decomposed_scores(q, down, across, (4, 3), (4, 3), sign="query-key", resize="linear")
    longer = [
        refpos.resize_table(table, n, method="linear", align="half-pixel") for table, n in ((down, 7), (across, 5))
    ]
    np.testing.assert_array_equal(ours, decomposed_scores(q, *longer, (4, 3), (4, 3), sign="query-key"))
    with pytest.raises(InputError, match=r"weight_h must have .* = 7 rows, or resize='linear' .*, got 9"):
        decomposed_scores(q, down, across, (4, 3), (4, 3), sign="query-key")


@pytest.mark.parametrize("threads", [1, 3])
def test_no_array_of_queries_times_keys_times_channels(threads):
    """16 x 16 cells and 64 channels: the scores are 0.5 MB, a vector for each pair would be 33 MB."""
    grid, dim = (16, 16), 64
    q, both, out = numbers(256, dim), tables(grid, grid, dim), np.empty((256, 256))
    tracemalloc.start()
    decomposed_scores(q, *both, grid, grid, sign="query-key", out=out, threads=threads)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6


# -- ConViT -----------------------------------------------------------------------------------------------------------


def test_rows_of_attention_add_to_one_and_gates_choose():
    q, k, weight = numbers(2, 6, 3), numbers(2, 6, 3, seed=1), numbers(2, 3, seed=2)
    given = {"weight": weight, "bias": numbers(2, seed=3)}
    mixed_rows = convit_attention(q, k, 2, 3, **given, gate=np.zeros(2))
    assert abs(mixed_rows.sum(-1) - 1).max() < 1e-15
    content = convit_attention(q, k, 2, 3, **given, gate=np.full(2, -1e4))
    places = convit_attention(q, k, 2, 3, **given, gate=np.full(2, 1e4))
    np.testing.assert_array_equal(
        content, convit_attention(q, k, 2, 3, **{**given, "weight": -weight}, gate=[-1e4] * 2)
    )
    np.testing.assert_array_equal(places, convit_attention(-q, k, 2, 3, **given, gate=[1e4] * 2))
    assert abs((content + places) / 2 - mixed_rows).max() < 1e-15
    assert (content != places).any()


@pytest.mark.parametrize("num_heads", [1, 4, 9])
def test_heads_start_at_one_cell_each(num_heads):
    """Far from the border a query of the start looks at the cell at the offset of its head."""
    side, n = int(num_heads**0.5), 7
    zeros = np.zeros((num_heads, n * n, 1))
    weight = convit_start(num_heads, strength=50)
    attention = convit_attention(zeros, zeros, n, n, weight=weight, bias=None, gate=[40.0] * num_heads)
    if side % 2 == 0:  # between cells: the four next to the point have a quarter each, so that none is chosen
        assert abs(attention[:, 24].max(-1) - 0.25).max() < 1e-9
        return
    for head, row in enumerate(attention[:, 24].reshape(-1, n, n)):
        y, x = np.unravel_index(row.argmax(), row.shape)
        assert (x - 3, y - 3) == (head // side - side // 2, head % side - side // 2)
        assert row.max() > 1 - 1e-9


def test_x_is_the_column():
    zeros = np.zeros((1, 15, 1))
    attention = convit_attention(zeros, zeros, 3, 5, weight=[[50.0, 0.0, 0.0]], bias=None, gate=[40.0])
    assert (attention[0].reshape(15, 3, 5)[..., 4].sum(-1) > 0.999).all()


def test_strengths_are_exact():
    assert convit_start(4, strength=Fraction(1, 3), dtype="float32")[3, 0] == np.float32(1 / 3)
    assert convit_start(4, strength=0).tobytes() == np.zeros((4, 3)).tobytes()
    with pytest.raises(InputError, match="num_heads must be the square of an integer, got 8"):
        convit_start(8)


# -- networks of offsets ----------------------------------------------------------------------------------------------

LINE = {"weight_in": [[1.0]], "bias_in": None, "weight_out": [[1.0]], "bias_out": None, "activation": "identity"}


def test_a_network_that_does_nothing_gives_its_coordinates():
    np.testing.assert_array_equal(distance_mlp(4, **LINE, coordinates="offset")[:, 0], np.arange(-3, 4))
    logs = distance_mlp(4, **LINE, coordinates="log")[:, 0]
    np.testing.assert_array_equal(logs, refpos.relative.log_coordinates(4, 1, rule="cr")[:, 0, 0])
    pair = {**LINE, "weight_in": np.eye(2), "weight_out": np.eye(2)}
    cells = distance_mlp((2, 3), **pair, coordinates="offset")
    np.testing.assert_array_equal(cells, np.moveaxis(np.mgrid[-1:2, -2:3], 0, -1))
    for pretrained in (None, (8, 3)):
        made = distance_mlp((2, 3), **pair, coordinates="swin-v2", pretrained=pretrained)
        own = refpos.relative.log_coordinates(2, 3, rule="swin-v2", pretrained=pretrained)
        np.testing.assert_array_equal(made, own)
    half = distance_mlp(1, **LINE, coordinates="offset", sigmoid=16)
    assert half.tolist() == [[8.0]]


def test_biases_are_read_from_the_table():
    """The bias of x-transformers: queries are the last of the keys, offsets query minus key."""
    table = distance_mlp(5, **LINE, coordinates="offset")
    bias = refpos.relative_bias(table, 2, 5, sign="query-key", outside="refuse", query_offset=3)
    np.testing.assert_array_equal(bias[0], [[3, 2, 1, 0, -1], [4, 3, 2, 1, 0]])


def test_a_norm_of_one_number_is_its_bias():
    options = {**LINE, "coordinates": "offset", "norm_eps": 1e-5}
    one = distance_mlp(3, **options, norm_weights=[[7.0]], norm_biases=[[0.25]])
    assert one.tolist() == [[0.25]] * 5


def test_bounds_of_a_norm_are_finite_and_see_a_mistake():
    """One hidden number and a small eps, where errors of the variance are larger than the variance."""
    inputs = {"weight_in": numbers(1, 2), "bias_in": numbers(1), "weight_out": numbers(2, 1), "bias_out": numbers(2),
              "norm_biases": np.array([[0.5]])}  # fmt: skip
    options = {"size": [4, 5], "coordinates": "offset", "activation": "relu", "norm_eps": 1e-5}
    limits = conformance.bounds("distance_mlp", options, inputs, "float32")
    exact = distance_mlp(**inputs, **options)
    wrong = distance_mlp(**{**inputs, "norm_biases": np.array([[0.51]])}, **options)
    for limit in limits.values():
        assert np.isfinite(limit["output"]).all()
    assert (abs(wrong - exact) > limits["sequence64"]["output"]).any()


def test_nan_stays_in_its_head():
    table = distance_mlp(2, **{**LINE, "weight_out": [[1.0], [np.nan]]}, coordinates="offset")
    assert table[:, 0].tolist() == [-1.0, 0.0, 1.0] and np.isnan(table[:, 1]).all()
    assert (table[:, 1].view(np.uint64) == 0x7FF8000000000000).all()
