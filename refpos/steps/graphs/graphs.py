"""Graphs: edges between numbered nodes, how often each stands there, and which nodes hang together."""

import numpy as np

from ... import checks
from ...errors import InputError

MOST_NODES = 2048  # matrices of nodes times nodes are made


def read(edges, n):
    """(counts, n): how often each directed edge stands in `edges`, int64 (n, n), sources first."""
    n = checks.integer("n", n, 0, MOST_NODES)
    pairs = read_edges(edges, n)
    counts = np.zeros((n, n), np.int64)
    np.add.at(counts, (pairs[:, 0], pairs[:, 1]), 1)
    return counts, n


def read_edges(edges, n):
    """Edges as int64 (edges, 2), source and target, of nodes 0 .. n - 1; an empty list is no edges."""
    pairs = checks.integers("edges", edges, "E_DTYPE")
    if not pairs.size and pairs.ndim in (1, 2):
        return np.zeros((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        hint = "; of an edge_index (2, edges) pass its transpose" if pairs.ndim == 2 and len(pairs) == 2 else ""
        sentence = f"edges must be (edges, 2), a source and a target each{hint}, got shape {pairs.shape}"
        raise InputError("E_SHAPE", "edges", sentence)
    low, high = checks.extremes(pairs) if pairs.size else (0, n - 1)
    if low < 0 or high >= n:
        sentence = f"edges must join nodes from 0 to n - 1 = {n - 1}, got node {low if low < 0 else high}"
        raise InputError("E_POSITION", "edges", sentence)
    return checks.copied("edges", pairs, np.int64)


def undirected(counts):
    """The counts, where each edge stands in both directions equally often; else a refusal."""
    wrong = np.argwhere(counts != counts.T)
    if len(wrong):
        i, j = wrong[0].tolist()
        sentence = (
            "edges must hold each edge in both directions, as np.concatenate([edges, edges[:, ::-1]]) does, got"
            f" [{i}, {j}] {times(counts[i, j])} and [{j}, {i}] {times(counts[j, i])}"
        )
        raise InputError("E_POSITION", "edges", sentence)
    return counts


def times(count):
    """A count in words, for a message."""
    return {0: "not at all", 1: "once"}.get(int(count), f"{count} times")


def without_loops(counts):
    """The counts without edges from a node to itself."""
    return counts - np.diag(np.diag(counts))


def components(counts):
    """Arrays of the nodes that hang together by edges of either direction, each ascending, by their first nodes."""
    joined = (counts != 0) | (counts.T != 0)
    left, found = np.ones(len(counts), bool), []
    for node in range(len(counts)):
        if left[node]:
            inside = np.zeros(len(counts), bool)
            inside[node] = True
            edge = inside
            while edge.any():
                edge = joined[edge].any(axis=0) & ~inside
                inside = inside | edge
            left &= ~inside
            found.append(np.flatnonzero(inside))
    return found


def laplacian(counts):
    """D - A of an undirected graph as int64, loops cancelled."""
    return np.diag(counts.sum(axis=1)) - counts


def distances(counts, unreachable):
    """How many edges lead from each node to each other at least, int64 (n, n); `unreachable` from there on, and where
    none do."""
    n = len(counts)
    near = [np.flatnonzero(row).tolist() for row in counts]
    result = np.full((n, n), unreachable, np.int64)
    for source in range(n):
        line, edge, steps = result[source], [source], 0
        seen = {source}
        while edge and steps < unreachable:
            line[edge] = steps
            edge = list(dict.fromkeys(j for i in edge for j in near[i] if j not in seen))
            seen.update(edge)
            steps += 1
    return result
