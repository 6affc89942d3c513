"""scipy, networkx and torch beside positions in graphs: eigenspaces by projectors, exponentials, pseudo-inverses and
shortest paths of 200 random graphs each, and the steps of GraphGPS, Graphormer, Benchmarking GNNs and icecaps, whose
repositories are not installed."""

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
import torch

import refpos
from refpos.steps.graphs import eigenvectors

from .test_distances import COUNT, all_meet, meets

KINDS = {"float32": torch.float32, "float64": torch.float64}
CLASS = {"float32": "sequence32", "float64": "sequence64"}
NORMALISERS = ("L1", "L2", "abs-max", "wavelength", "wavelength-asin", "wavelength-soft")
GPS = {"loops": "drop", "skip_first": False, "pad": "nan"}


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Arrays this small are slower with more."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


def drawn(rng, n, *, directed=False, loops=True):
    """Edges of a random graph, some of them twice."""
    there = rng.random((n, n)) < rng.uniform(0.1, 0.6)
    if not loops:
        np.fill_diagonal(there, False)
    edges = np.argwhere(there if directed else np.triu(there))
    if len(edges) and rng.integers(2):
        edges = np.concatenate([edges, edges[rng.integers(len(edges), size=1)]])
    return edges if directed else np.concatenate([edges, edges[edges[:, 0] != edges[:, 1]][:, ::-1]])


def counted(edges, n):
    """A as float64."""
    result = np.zeros((n, n))
    np.add.at(result, tuple(edges.T), 1)
    return result


def matrix(edges, n, kind, loops):
    """The Laplacians of the libraries: a degree of 0 divides by 1."""
    a = counted(edges, n)
    if loops == "drop":
        np.fill_diagonal(a, 0)
    degrees = a.sum(axis=1)
    if kind == "none":
        return np.diag(degrees) - a
    by = np.where(degrees, degrees, 1)
    if kind == "sym":
        return np.eye(n) - a * (by**-0.5)[:, None] * by**-0.5
    return np.eye(n) - a / by[:, None]


def errors(theirs, ours, values, size):
    """How far projectors differ in units of the backward error over the gap: (worst of all, how many eigenspaces)."""
    groups = eigenvectors.equal(values, size)
    worst = 0.0
    for k, group in enumerate(groups):
        beside = [abs(values[group.start] - values[group.start - 1])] if k else []
        beside += [abs(values[group.stop] - values[group.stop - 1])] if k + 1 < len(groups) else []
        one, other = (part[:, group] @ part[:, group].T for part in (theirs, ours))
        worst = max(worst, np.abs(one - other).max() * min(beside, default=size))
    return worst, len(groups)


# -- eigenvectors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["none", "sym", "rw-lower"])
def test_eigh_has_the_same_projectors(kind):
    """scipy reads the lower triangle, of rw as well."""
    rng, met, spaces = np.random.default_rng(1), 0, 0
    for _ in range(COUNT):
        n, loops = int(rng.integers(1, 11)), str(rng.choice(["drop", "keep"]))
        edges = drawn(rng, n)
        laplacian = matrix(edges, n, kind, loops)
        values, theirs = scipy.linalg.eigh(laplacian)
        options = {**GPS, "loops": loops, "laplacian": kind}
        ours = refpos.absolute.laplacian_positions(edges, n, n, normaliser=None, **options)
        own = refpos.absolute.laplacian_values(edges, n, n, **options)
        bound = 32 * n * 2.0**-53 * max(1.0, np.abs(laplacian).sum(axis=1).max())  # a backward error of n units of each
        worst, count = errors(theirs, ours, values, max(1.0, np.abs(laplacian).max()))
        met += worst < 2 * bound and np.abs(own - np.maximum(values, 0)).max() < bound
        spaces += count
    print(f"{kind}: {met} of {COUNT} graphs, {spaces} eigenspaces")
    assert met == COUNT and spaces > 3 * COUNT


def test_rw_is_not_what_eigh_reads():
    edges = np.array([(0, 1), (1, 0), (1, 2), (2, 1), (1, 3), (3, 1)])
    values = np.sort(np.linalg.eigvals(matrix(edges, 4, "rw", "drop")).real)
    own = {kind: refpos.absolute.laplacian_values(edges, 4, 4, laplacian=kind, **GPS) for kind in ("rw", "rw-lower")}
    np.testing.assert_allclose(own["rw"], values, atol=1e-14)
    assert np.abs(own["rw-lower"] - values).max() > 0.01


def test_benchmarking_gnns():
    """numpy.linalg.eig, sorted: single eigenvalues but for their signs, columns of zeros where nodes are too few."""
    rng, met, single = np.random.default_rng(2), 0, 0
    for _ in range(COUNT):
        n, k = int(rng.integers(1, 11)), int(rng.integers(1, 9))
        edges = drawn(rng, n)
        values, vectors = np.linalg.eig(matrix(edges, n, "sym", "keep"))
        order = values.real.argsort()
        values, theirs = values[order].real, np.real(vectors[:, order])[:, 1 : k + 1]
        theirs = np.pad(theirs, ((0, 0), (0, k - theirs.shape[1])))
        ours = refpos.models.load("benchmarking_gnns").table(edges, n, k=k)
        right = theirs.shape == ours.shape
        for column in range(k):
            gap = np.abs(np.delete(values, column + 1) - values[column + 1]).min() if column + 1 < n else 1.0
            if gap > 1e-3:
                sign = np.sign(theirs[:, column] @ ours[:, column]) or 1
                right &= np.abs(sign * theirs[:, column] - ours[:, column]).max() < 64 * n * 2.0**-53 / gap
                single += 1
        met += right
    print(f"Benchmarking GNNs: {met} of {COUNT}, {single} single columns")
    assert met == COUNT and single > 2 * COUNT


def normaliser(v, w, name):
    """What GraphGPS divides by, and what it divides, in torch."""
    largest, root = v.abs().amax(dim=0), torch.where(w < 1e-12, torch.ones_like(w), w.sqrt())
    return {
        "L1": lambda: (v, v.abs().sum(dim=0)),
        "L2": lambda: (v, v.norm(dim=0)),
        "abs-max": lambda: (v, largest),
        "wavelength": lambda: (v, largest * root * 2 / torch.pi),
        "wavelength-asin": lambda: (torch.asin(v / largest), root),
        "wavelength-soft": lambda: (v, (torch.softmax(v.abs(), dim=0) * v.abs()).sum(dim=0) * root),
    }[name]()


def test_normalisers_of_graphgps():
    rng, met = np.random.default_rng(3), 0
    for _, name in zip(range(COUNT), itertools.cycle(NORMALISERS)):
        n, k = int(rng.integers(1, 9)), int(rng.integers(1, 11))
        edges, options = drawn(rng, n), {**GPS, "laplacian": "sym"}
        v = refpos.absolute.laplacian_positions(edges, n, k, normaliser=None, **options)
        w = refpos.absolute.laplacian_values(edges, n, k, **options)
        over, by = normaliser(torch.tensor(v[:, : min(n, k)]), torch.tensor(w[: min(n, k)]), name)
        theirs = torch.nn.functional.pad(over / by, (0, max(0, k - n)), value=torch.nan).numpy()
        ours = refpos.absolute.laplacian_positions(edges, n, k, normaliser=name, **options)
        gap = np.abs(theirs - ours) / np.maximum(np.abs(ours), 2.0**-52)
        met += np.array_equal(np.isnan(theirs), np.isnan(ours)) and np.nanmax(gap) < (4 * n + 40) * 2.0**-53
    print(f"normalisers: {met} of {COUNT}")
    assert met == COUNT


# -- random walks, heat and charge ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
def test_random_walks_of_graphgps(dtype):
    def one(rng):
        n, dim = int(rng.integers(1, 12)), int(rng.integers(0, 5))
        edges = drawn(rng, n, directed=bool(rng.integers(2)))
        a = torch.tensor(counted(edges, n), dtype=KINDS[dtype])
        inverse = a.sum(dim=1).pow(-1)
        step = torch.diag(inverse.masked_fill(inverse == torch.inf, 0)) @ a
        rows = [torch.linalg.matrix_power(step, k).diagonal() * k ** (dim / 2) for k in range(1, 9)]
        call = {"n": n, "steps": 8, "space_dim": dim}
        return call, torch.stack(rows, dim=1).numpy(), CLASS[dtype], dtype, {"edges": edges}

    assert all_meet("random_walk_positions", one, f"random walks, {dtype}") == COUNT


def test_heat_kernels_of_scipy_and_graphgps():
    rng, met = np.random.default_rng(4), 0
    for _ in range(COUNT):
        n, dim = int(rng.integers(1, 8)), int(rng.integers(0, 4))
        edges, times = drawn(rng, n), [float(t) for t in 2.0 ** rng.uniform(-7, 5, size=2)]
        laplacian = matrix(edges, n, "none", "drop")
        values, vectors = np.linalg.eigh(laplacian)
        ours = refpos.absolute.heat_kernel(edges, n, times, space_dim=dim)
        null = vectors[:, values < 1e-8]
        right = True
        for column, t in enumerate(times):
            weights = np.where(values < 1e-8, 0.0, np.exp(-t * values))
            gps = (vectors**2 @ weights) * t ** (dim / 2)
            whole = np.diag(scipy.linalg.expm(-t * laplacian)) - (null**2).sum(axis=1)
            # eigenvalues are off by n units of the largest, which t multiplies, and entries by n units
            bound = 64 * n * 2.0**-53 * (1 + t * np.abs(laplacian).sum(axis=1).max()) * t ** (dim / 2)
            right &= np.abs(gps - ours[:, column]).max() < bound
            right &= np.abs(whole * t ** (dim / 2) - ours[:, column]).max() < bound
        met += right
    print(f"heat kernels: {met} of {COUNT}")
    assert met == COUNT


def electrostatic(edges, n, inverse):
    """The ten columns of GraphGPS."""
    laplacian = matrix(edges, n, "none", "drop")
    v = torch.tensor(inverse(laplacian) - np.diag(inverse(laplacian)))
    a = torch.tensor(np.abs(laplacian) * (1 - np.eye(n)))
    felt = (a / torch.tensor(np.diag(laplacian))[:, None]) * v
    columns = [v.min(dim=0)[0], v.max(dim=0)[0], v.mean(dim=0), v.std(dim=0), v.min(dim=1)[0], v.max(dim=0)[0],
               v.mean(dim=1), v.std(dim=1), felt.sum(dim=0), felt.sum(dim=1)]  # fmt: skip
    return torch.stack(columns, dim=1).numpy()


def test_electrostatics_of_scipy_and_graphgps():
    rng, met, whole = np.random.default_rng(5), 0, 0
    for _ in range(COUNT):
        n = int(rng.integers(2, 12))
        edges = drawn(rng, n)
        theirs = electrostatic(edges, n, lambda laplacian: scipy.linalg.pinv(laplacian, rtol=1e-10))
        ours = refpos.absolute.electrostatic_positions(edges, n)
        counts = matrix(edges, n, "none", "drop")
        columns = 10 if np.diag(counts).all() else 8  # a node without edges makes its last columns NaN
        whole += columns == 10
        values = np.linalg.eigvalsh(counts)
        least = values[values > 1e-8].min(initial=np.inf)
        bound = 256 * n * n * 2.0**-53 * max(1.0, values.max()) * max(1, 1 / least**2)
        met += np.abs(theirs - ours)[:, :columns].max() < bound
    print(f"electrostatics: {met} of {COUNT}, {whole} without lone nodes")
    assert met == COUNT and whole > COUNT // 3


def test_pinverse_in_float32_is_no_inverse():
    """torch.pinverse keeps singular values above 1e-15 of the largest, and so what float32 leaves of the smallest."""
    edges, n, wrong = np.array([(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3), (0, 2), (2, 0)]), 4, 0
    for k in range(4, 12):
        ring = np.array([(i, (i + 1) % k) for i in range(k)])
        edges, n = np.concatenate([ring, ring[:, ::-1], [(0, k // 2), (k // 2, 0)]]), k
        laplacian = torch.tensor(matrix(edges, n, "none", "drop"), dtype=torch.float32)
        exact = scipy.linalg.pinv(laplacian.double().numpy(), rtol=1e-10)
        wrong += np.abs(torch.pinverse(laplacian).numpy() - exact).max() > 1
    assert wrong > 0


# -- Graphormer -------------------------------------------------------------------------------------------------------


def test_distances_and_degrees_of_networkx():
    rng, met = np.random.default_rng(6), 0
    for _ in range(COUNT):
        n, distance = int(rng.integers(1, 12)), int(rng.integers(1, 6))
        edges = drawn(rng, n, directed=bool(rng.integers(2)))
        graph = nx.DiGraph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(edges.tolist())
        lengths = dict(nx.all_pairs_shortest_path_length(graph))
        first = np.array([[lengths[i].get(j, 510) + 1 for j in range(n)] for i in range(n)])
        cut = np.array([[min(lengths[i].get(j, n), distance - 1) for j in range(n)] for i in range(n)])
        second = np.where(first == 511, distance, cut)
        right = np.array_equal(refpos.positions.spatial_rows(edges, n, rule="graphormer"), first)
        right &= np.array_equal(refpos.positions.spatial_rows(edges, n, rule="graphgps", distance=distance), second)
        for direction, degree in (("in", graph.in_degree), ("out", graph.out_degree)):
            ours = refpos.positions.degree_rows(edges, n, direction=direction, offset=0)
            right &= ours.tolist() == [degree(node) for node in range(n)]
        met += right
    print(f"distances and degrees: {met} of {COUNT}")
    assert met == COUNT


def of_graphormer(spatial, distances, token, paths, edges, hops, mask, kind):
    """The bias in torch: embeddings, a mean over features, a matrix for each hop, a division by the hops."""
    spatial, paths = (torch.tensor(rows) for rows in (spatial, paths))
    distances, token, edges, hops, mask = (torch.tensor(x, dtype=kind) for x in (distances, token, edges, hops, mask))
    heads, most = len(token), paths.shape[2]
    bias = mask.clone().repeat(heads, 1, 1)
    bias[:, 1:, 1:] += torch.nn.functional.embedding(spatial, distances).permute(2, 0, 1)
    bias[:, 1:, 0] += token[:, None]
    bias[:, 0, :] += token[:, None]
    features = torch.nn.functional.embedding(paths, edges).mean(dim=-2)
    added = torch.einsum("ijkh,khg->ijg", features, hops[:most])
    steps = torch.where(spatial > 1, spatial - 1, 1).clamp(max=most)
    bias[:, 1:, 1:] += (added / steps[..., None]).permute(2, 0, 1)
    return (bias + mask).numpy()


@pytest.mark.parametrize("dtype", KINDS)
def test_the_bias_of_graphormer(dtype):
    def one(rng):
        n, heads, most, features = (int(x) for x in rng.integers(1, 6, size=4))
        edges = drawn(rng, n, loops=False)
        spatial = np.minimum(refpos.positions.spatial_rows(edges, n, rule="graphormer"), 20)
        paths = refpos.positions.path_edge_rows(
            edges, n, rng.integers(0, 3, (len(edges), features)), hops=most, offset=4
        )
        weights = [rng.standard_normal(shape).astype("f4") for shape in
                   ((21, heads), (heads,), (4 * features + 6, heads), (most + 1, heads, heads))]  # fmt: skip
        mask = np.where(rng.random((n + 1, n + 1)) < 0.2, -np.inf, rng.standard_normal((n + 1, n + 1))).astype("f4")
        table, token, edge_weight, hops = weights
        theirs = of_graphormer(spatial, table, token, paths, edge_weight, hops, mask, KINDS[dtype])
        given = {"spatial": spatial, "spatial_weight": table, "virtual": token, "paths": paths,
                 "edge_weight": edge_weight, "hop_weight": hops, "mask": mask}  # fmt: skip
        return {}, theirs, CLASS[dtype], dtype, given

    assert all_meet("graphormer_bias", one, f"Graphormer, {dtype}") == COUNT


# -- trees ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
def test_tree_positions_of_icecaps(dtype):
    def one(rng):
        degree, depth, count = (int(x) for x in rng.integers(1, 5, size=3))
        dim = int(rng.integers(1, 600))
        paths = [rng.integers(degree, size=int(rng.integers(0, 7))).tolist() for _ in range(6)] + [[0]]
        decay = torch.tanh(torch.tensor(rng.standard_normal(count).astype("f4")))
        steps = np.zeros((len(paths), depth, degree))
        for line, path in zip(steps, paths, strict=True):
            for age, child in enumerate(itertools.islice(reversed(path), depth)):
                line[age, child] = 1
        p = decay.to(KINDS[dtype])
        weights = torch.pow(p, torch.arange(depth, dtype=KINDS[dtype])[:, None]) * torch.sqrt((1 - p**2) * dim / 2)
        theirs = torch.tensor(steps, dtype=KINDS[dtype])[..., None] * weights[:, None]
        longest = max(map(len, paths))
        rows = np.array([path + [-1] * (longest - len(path)) for path in paths])
        call = {"degree": degree, "depth": depth, "dim": dim}
        return call, theirs.reshape(len(paths), -1).numpy(), CLASS[dtype], dtype, {"paths": rows, "decay": p.numpy()}

    assert all_meet("tree_positions", one, f"icecaps, {dtype}") == COUNT


def test_an_older_step_is_no_newer_one():
    """The check sees an order that is turned round."""
    rows, decay = np.array([[0, 1]]), np.array([0.5])
    call, given = {"degree": 2, "depth": 2, "dim": 8}, {"paths": rows, "decay": decay}
    right = refpos.absolute.tree_positions(rows, decay=decay, **call)
    turned = refpos.absolute.tree_positions(rows[:, ::-1], decay=decay, **call)
    assert meets("tree_positions", call, right, "sequence64", "float64", given)
    assert not meets("tree_positions", call, turned, "sequence64", "float64", given)
