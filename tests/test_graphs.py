"""Positions in graphs and trees: by laws that hold of them, by high precision, and what they refuse."""

import itertools
import time
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat
from mpmath import mp
from witness import graphs as witness

import refpos
from refpos.absolute import tree_positions
from refpos.positions import path_edge_rows, spatial_rows
from refpos.steps.graphs import eigenvectors, graphs, spectra

NOTHING = np.zeros((0, 2), np.int64)
PLAIN = {"laplacian": "sym", "loops": "drop", "skip_first": False, "pad": "nan", "normaliser": None}


def both(pairs):
    pairs = np.array(pairs, np.int64).reshape(-1, 2)
    return np.concatenate([pairs, pairs[pairs[:, 0] != pairs[:, 1]][:, ::-1]])


def path(n):
    return both([(i, i + 1) for i in range(n - 1)])


def cycle(n):
    return both([(i, (i + 1) % n) for i in range(n)])


def drawn(rng, n, share=0.3, directed=False, loops=False):
    """A random graph."""
    there = rng.random((n, n)) < share
    if not loops:
        np.fill_diagonal(there, False)
    return np.argwhere(there) if directed else both(np.argwhere(np.triu(there)))


def vectors(edges, n, **more):
    return refpos.absolute.laplacian_positions(edges, n, n, **{**PLAIN, **more})


def values(edges, n, **more):
    options = {**PLAIN, **more}
    options.pop("normaliser")
    return refpos.absolute.laplacian_values(edges, n, n, **options)


# -- eigenvectors -----------------------------------------------------------------------------------------------------


def exact_projectors(matrix, groups):
    """The projector of each group of eigenvalues, from eigenvectors to 60 digits of mpmath."""
    n = len(matrix)
    with mp.workdps(60):
        values, vectors = mp.eigsy(mp.matrix(matrix))
        order = sorted(range(n), key=lambda k: values[k])
        for group in groups:
            columns = [[vectors[i, k] for i in range(n)] for k in order[group]]
            yield np.array([[float(mp.fsum(c[i] * c[j] for c in columns)) for j in range(n)] for i in range(n)])


GRAPHS = {
    "path": (path(7), 7),
    "cycle": (cycle(8), 8),
    "star": (both([(0, i) for i in range(1, 7)]), 7),
    "complete": (both(list(itertools.combinations(range(5), 2))), 5),
    "two parts": (np.concatenate([cycle(5), path(4) + 5]), 9),
    "with a node alone": (path(4), 5),
    "drawn": (drawn(np.random.default_rng(3), 12), 12),
}


@pytest.mark.parametrize("laplacian", ["none", "sym", "rw-lower"])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_eigenspaces_are_those_of_high_precision(name, laplacian):
    edges, n = GRAPHS[name]
    counts, _ = graphs.read(edges, n)
    matrix = spectra.matrix(counts, laplacian)
    found, table = values(edges, n, laplacian=laplacian), vectors(edges, n, laplacian=laplacian)
    # eigenvalues below 0, which rw-lower may have, come back as 0: the groups are those of the matrix itself
    own, _ = eigenvectors.of_blocks(matrix, graphs.components(counts))
    groups = eigenvectors.equal(own, np.abs(matrix).max())
    gaps = [own[b.start] - own[a.stop - 1] for a, b in itertools.pairwise(groups)]
    least = min(gaps, default=1.0)
    for group, projector in zip(groups, exact_projectors(matrix.tolist(), groups), strict=True):
        part = table[:, group]
        # a backward error of n units turns an eigenspace by at most that over the gap (Davis and Kahan)
        assert np.abs(part @ part.T - projector).max() < 64 * n * 2.0**-53 * np.abs(matrix).sum(axis=1).max() / least
    assert (found == np.maximum(own, 0)).all() and len(groups) > 1


@pytest.mark.parametrize("name", GRAPHS)
def test_vectors_of_rw_are_eigenvectors_of_rw(name):
    edges, n = GRAPHS[name]
    counts, _ = graphs.read(edges, n)
    degrees = np.maximum(counts.sum(axis=1), 1)
    table, found = vectors(edges, n, laplacian="rw"), values(edges, n, laplacian="rw")
    walk = np.eye(n) - counts / degrees[:, None]
    np.testing.assert_allclose(walk @ table, table * found, atol=1e-13)
    np.testing.assert_allclose((table**2).sum(axis=0), 1, atol=1e-14)
    assert np.array_equal(found, values(edges, n))


def test_the_basis_of_an_eigenspace_is_led_by_its_first_nodes():
    table = vectors(cycle(8), 8)
    for pair in (slice(1, 3), slice(3, 5), slice(5, 7)):
        one, other = table[:, pair].T
        assert one[0] == 0.5 or abs(one[0] - 0.5) < 1e-14, "node 0 leads, with the length of its part"
        assert abs(other[0]) < 1e-15 and other[1] > 0.1, "node 1 leads what is left"
    alone = vectors(NOTHING, 3)
    assert np.array_equal(alone, np.eye(3)), "of nodes without edges each leads its own"


@pytest.mark.parametrize("seed", range(20))
def test_another_basis_of_the_same_space_gives_the_same_vectors(seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    count = min(n, count)
    space = np.linalg.qr(rng.standard_normal((n, count)))[0]
    if seed % 2:  # some nodes have no part in it
        space[: n - count] = 0
        space = np.linalg.qr(space)[0]
    turned = space @ np.linalg.qr(rng.standard_normal((count, count)))[0]
    (one, leaders), (other, same) = (eigenvectors.basis(basis, eigenvectors.SHARE / n) for basis in (space, turned))
    assert leaders == same and len(leaders) == count
    np.testing.assert_allclose(one, other, atol=1e-12)
    for column, leader in enumerate(leaders):
        assert one[leader, column] > 0 and np.abs(one[leader, column + 1 :]).max(initial=0) < 1e-14


def test_renumbered_nodes_have_the_same_projectors():
    rng = np.random.default_rng(1)
    edges, n = drawn(rng, 10), 10
    order = rng.permutation(n)
    table, other = vectors(edges, n), vectors(order[edges], n)[order]
    for group in eigenvectors.equal(values(edges, n), 1):
        one, two = table[:, group], other[:, group]
        np.testing.assert_allclose(one @ one.T, two @ two.T, atol=1e-13)


def test_padding_and_what_is_skipped():
    zeros = refpos.absolute.laplacian_positions(path(3), 3, 5, **{**PLAIN, "skip_first": True, "pad": "zeros"})
    nan = refpos.absolute.laplacian_positions(path(3), 3, 5, **PLAIN)
    assert np.array_equal(zeros[:, :2], nan[:, 1:3]) and not zeros[:, 2:].any() and np.isnan(nan[:, 3:]).all()
    parts = np.concatenate([path(2), path(2) + 2])
    skipped = refpos.absolute.laplacian_positions(parts, 4, 1, **{**PLAIN, "skip_first": True})
    assert skipped[2:].all() and not skipped[:2].any(), "of two vectors of eigenvalue 0 only the first is skipped"


def test_loops_and_repeated_edges_count_as_is_said():
    loop = np.concatenate([path(3), [[0, 0]]])
    assert np.array_equal(vectors(loop, 3), vectors(path(3), 3))
    kept = vectors(loop, 3, loops="keep")
    assert not np.allclose(kept, vectors(path(3), 3))
    assert np.allclose(vectors(loop, 3, loops="keep", laplacian="none"), vectors(path(3), 3, laplacian="none"))
    twice = np.concatenate([path(3), [[0, 1], [1, 0]]])
    assert values(twice, 3, laplacian="none").tolist() == pytest.approx([0, 3 - 3**0.5, 3 + 3**0.5])


def test_an_isolated_node_has_eigenvalue_1_unless_nothing_is_divided():
    assert values(NOTHING, 2).tolist() == [1, 1] and values(NOTHING, 2, laplacian="rw").tolist() == [1, 1]
    assert values(NOTHING, 2, laplacian="none").tolist() == [0, 0]


def test_many_nodes_without_edges_are_quick():
    before = time.process_time()
    assert np.isfinite(refpos.absolute.laplacian_positions(NOTHING, 1500, 3, **PLAIN)).all()
    assert time.process_time() - before < 10


# -- random walks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_random_walks_are_powers_of_fractions(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    edges = drawn(rng, n, directed=seed % 2 == 0, loops=seed % 3 == 0)
    found = refpos.absolute.random_walk_positions(edges, n, 7, space_dim=seed % 4, dtype="float32")
    expected = witness.random_walks(edges.tolist(), n, list(range(1, 8)), seed % 4, "float32")
    assert np.array_equal(found.view(np.uint32), expected)


def test_two_sides_are_never_back_after_odd_steps():
    grid = both([(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)])
    found = refpos.absolute.random_walk_positions(grid, 6, 9)
    assert not found[:, ::2].any() and found[:, 1::2].all()
    assert np.array_equal(refpos.absolute.random_walk_positions(NOTHING, 2, [0, 1]), [[1, 0], [1, 0]])


def test_a_walk_goes_along_the_edges():
    one_way = np.array([[0, 1], [1, 2], [2, 0], [0, 2]])
    assert refpos.absolute.random_walk_positions(one_way, 3, 3)[0].tolist() == [0, 0.5, 0.5]


# -- heat and charge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_heat_is_the_exponential_of_balls(seed):
    rng = np.random.default_rng(seed)
    n, times = int(rng.integers(2, 8)), [Fraction(2.0 ** rng.uniform(-8, 7)).limit_denominator(1000) for _ in range(3)]
    edges = drawn(rng, n)
    found = refpos.absolute.heat_kernel(edges, n, times, space_dim=seed % 3)
    assert np.array_equal(
        found.view(np.uint64), witness.heat(edges.tolist(), n, times, seed % 3, "float64").reshape(n, 3)
    )


def test_heat_of_two_nodes_tells_t_from_2_t():
    (half, _), (same, _) = refpos.absolute.heat_kernel(path(2), 2, [1, 0])
    assert half == same and refpos.absolute.heat_kernel(path(2), 2, [1])[0, 0] == pytest.approx(0.06766764161830635)
    sums = refpos.absolute.heat_kernel(cycle(6), 6, [0.3])[:, 0].sum()
    assert sums == pytest.approx(np.exp(-0.3 * values(cycle(6), 6, laplacian="none")[1:]).sum(), rel=1e-13)


def test_what_is_late_is_below_every_number():
    found = refpos.absolute.heat_kernel(path(3), 3, [700, 760, 1e5, 1e300])
    assert found[0, 0] > 0 and not found[1, 0], "the middle has no part in eigenvalue 1"
    assert not found[:, 2:].any() and not np.signbit(found).any()


@pytest.mark.parametrize("seed", range(10))
def test_the_inverse_is_that_of_moore_and_penrose(seed):
    from refpos.absolute.electrostatic_positions import inverse

    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    counts, _ = graphs.read(np.concatenate([path(n), drawn(rng, n)]), n)
    laplacian = graphs.laplacian(counts)
    numbers, divisor = inverse(laplacian.astype(object))
    matrix = fmpq_mat(n, n, [int(x) for x in laplacian.ravel()])
    other = fmpq_mat(n, n, [int(x) for x in numbers.ravel()]) / int(divisor)
    assert matrix * other * matrix == matrix and other * matrix * other == other
    assert matrix * other == (matrix * other).transpose()


def test_charges_of_alike_nodes_are_felt_alike():
    found = refpos.absolute.electrostatic_positions(cycle(7), 7)
    assert (found == found[0]).all() and (found[:, 5] == found[:, 1]).all() and (found[:, 1] == 0).all()
    one = refpos.absolute.electrostatic_positions(NOTHING, 1)[0]
    assert np.isnan(one[[3, 7]]).all() and not one[[0, 1, 2, 4, 5, 6, 8, 9]].any()


# -- Graphormer -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_paths_are_shortest_and_their_edges_lie_end_to_end(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 10))
    edges = drawn(rng, n, 0.25, directed=seed % 2 == 0, loops=seed % 3 == 0)
    steps = spatial_rows(edges, n, rule="graphormer") - 1
    assert np.array_equal(steps, witness.spatial_rows(edges.tolist(), n, "graphormer") - 1)
    rows = path_edge_rows(edges, n, np.arange(len(edges), dtype=np.int64), hops=10)[..., 0]
    for i, j in np.ndindex(n, n):
        on_path = rows[i, j][rows[i, j] > 0] - 3
        assert len(on_path) == (steps[i, j] if steps[i, j] < 510 else 0)
        ends = edges[on_path]
        assert not len(ends) or (ends[0, 0] == i and ends[-1, 1] == j and (ends[1:, 0] == ends[:-1, 1]).all())


def test_paths_of_510_edges_are_none():
    steps = spatial_rows(np.array([(i, i + 1) for i in range(519)]), 520, rule="graphormer")[0] - 1
    assert steps[509] == 509 and (steps[510:] == 510).all()


def test_the_bias_of_graphormer_in_a_few_numbers():
    weight, token = np.array([[9.0], [1.0], [2.0], [4.0]]), np.array([0.5])
    spatial = spatial_rows(path(3), 3, rule="graphormer")
    plain = refpos.relative.graphormer_bias(spatial, weight, token)[0]
    assert plain.tolist() == [[0.5] * 4, [0.5, 1, 2, 4], [0.5, 2, 1, 2], [0.5, 4, 2, 1]]
    edges = path_edge_rows(path(3), 3, [0, 1, 0, 1], hops=2)
    numbers = {"edge_weight": np.array([[0.0], [0], [0], [8], [16]]), "hop_weight": np.array([[[1.0]], [[10.0]]])}
    found = refpos.relative.graphormer_bias(spatial, weight, token, paths=edges, **numbers)[0]
    assert found[1, 3] - plain[1, 3] == (8 + 160) / 2, "the mean over two hops"
    assert found[1, 2] - plain[1, 2] == 8 and found[1, 1] == plain[1, 1]
    mask = np.zeros((4, 4))
    mask[1, 2], mask[0, 3] = -np.inf, 0.25
    masked = refpos.relative.graphormer_bias(spatial, weight, token, mask=mask)[0]
    assert masked[1, 2] == -np.inf and masked[0, 3] == 1.0, "what is finite in the mask counts twice"


# -- trees ------------------------------------------------------------------------------------------------------------


def test_the_newest_step_stands_first():
    one, other = tree_positions([[0, 1], [1, 0]], degree=2, depth=2, decay=0.5, dim=None)
    assert one.tolist() == [0, 1, 0.5, 0] and other.tolist() == [1, 0, 0, 0.5]


def test_a_step_down_moves_a_position_by_one_block():
    """The law of the paper: the child's position is the parent's, shifted by `degree` channels, with a new step."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        degree, depth = (int(x) for x in rng.integers(1, 6, size=2))
        parent = rng.integers(degree, size=int(rng.integers(0, 8))).tolist()
        child = int(rng.integers(degree))
        above, below = tree_positions([parent, [*parent, child]], degree=degree, depth=depth, decay=0.5, dim=None)
        step = (np.arange(degree) == child).astype(float)
        assert np.array_equal(below, np.concatenate([step, above / 2])[: degree * depth])


# -- what they refuse -------------------------------------------------------------------------------------------------

REFUSED = {
    "an edge_index as it is": (lambda: vectors(np.array([[0, 1, 2], [1, 2, 0]]), 3), "E_SHAPE", "pass its transpose"),
    "fractions": (lambda: vectors([[0.5, 1.0]], 3), "E_DTYPE", "edges must be integers"),
    "one way": (lambda: vectors([[0, 1]], 2), "E_POSITION", "got [0, 1] once and [1, 0] not at all"),
    "a node": (lambda: vectors([[0, 7]], 2), "E_POSITION", "from 0 to n - 1 = 1, got node 7"),
    "no nodes": (lambda: vectors([[0, 0]], 0), "E_POSITION", "got node 0"),
    "too many": (lambda: vectors(NOTHING, 10**9), "E_SIZE", "n must be at most 2048"),
    "steps": (lambda: refpos.absolute.random_walk_positions(NOTHING, 2, [1, -2]), "E_SIZE", "at least 0, got -2"),
    "time": (lambda: refpos.absolute.heat_kernel(NOTHING, 2, [-0.5]), "E_NUMBER", "times must be at least 0, got -0.5"),
    "distance": (lambda: spatial_rows(NOTHING, 2, rule="graphgps"), "E_SIZE", "distance must be an integer"),
    "attributes": (lambda: path_edge_rows(path(2), 2, [1], hops=1), "E_SHAPE", "must be (2, features)"),
    "child": (lambda: tree_positions([[2]], degree=2, depth=1, decay=1, dim=None), "E_POSITION", "at most 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_is_expected(name):
    call, code, words = REFUSED[name]
    with pytest.raises(refpos.InputError) as caught:
        call()
    assert caught.value.code == code and words in str(caught.value)


def test_presets_leave_edges_and_nodes_open():
    edges = refpos.models.positions("benchmarking_gnns", [[0, 1], [1, 2]])
    assert edges.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    first, second = (refpos.models.load(name, k=2).table(edges, 3) for name in ("benchmarking_gnns", "graphgps"))
    np.testing.assert_allclose(first[:, 0], second[:, 1], atol=1e-15)
