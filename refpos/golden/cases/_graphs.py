"""Graphs for golden cases, as input tensors of directed edges."""

from ..case import listed, mixed


def tensor(pairs):
    """Edges as an input tensor."""
    pairs = list(pairs)
    return {"edges": listed([node for pair in pairs for node in pair], shape=(len(pairs), 2))}


def both(pairs):
    """Each edge and its reverse, loops once."""
    pairs = list(pairs)
    return tensor(pairs + [(j, i) for i, j in pairs if i != j])


def path(n, start=0):
    return [(start + i, start + i + 1) for i in range(n - 1)]


def cycle(n, start=0):
    return [(start + i, start + (i + 1) % n) for i in range(n)]


def star(leaves):
    return [(0, i) for i in range(1, leaves + 1)]


def complete(n):
    return [(i, j) for i in range(n) for j in range(i)]


def bipartite(a, b):
    return [(i, a + j) for i in range(a) for j in range(b)]


def cells(height, width):
    """A grid of cells that touch."""
    return [(r * width + c, (r + 1) * width + c) for r in range(height - 1) for c in range(width)] + [
        (r * width + c, r * width + c + 1) for r in range(height) for c in range(width - 1)
    ]


def drawn(n, share, seed, directed=False):
    """A graph with about `share` in 64 of all edges, the same everywhere."""
    pairs = [(i, j) for i in range(n) for j in range(n if directed else i) if i != j]
    return [pair for pair, z in zip(pairs, mixed(len(pairs), seed).tolist()) if z >> 58 < share]


#: caffeine without its hydrogen, and with a bond that it has not, (3, 1), which closes a triangle
CAFFEINE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (6, 8), (8, 9), (8, 10), (10, 11), (10, 12),
            (1, 5), (12, 13), (4, 12), (3, 1)]  # fmt: skip
TREE = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (5, 6), (5, 7)]
