"""Walks, potentials and paths on graphs: what their golden cases claim."""

from fractions import Fraction

from formulas import power, text, times
from intervals import need
from positions import number
from sums import quotient, root_of


def matrix(a, loops):
    """Numbers of edges between nodes."""
    n, ends = a["n"], [one for one, _ in a["edges"]["values"]]
    found = [[0] * n for _ in range(n)]
    for i, j in zip(ends[::2], ends[1::2], strict=True):
        found[i][j] += loops or i != j
    return found


def random_walk_positions(a, _):
    """Diagonals of powers of D**-1 A, times powers of roots of their numbers."""
    steps = list(range(1, a["steps"] + 1)) if isinstance(a["steps"], int) else [k for k, _ in a["steps"]["values"]]
    n, edges, dim = a["n"], matrix(a, loops=True), a.get("space_dim", 0)
    walk = [[Fraction(one, max(sum(row), 1)) for one in row] for row in edges]
    now, back = [[Fraction(i == j) for j in range(n)] for i in range(n)], []
    for _ in range(max(steps, default=0) + 1):
        back.append([now[i][i] for i in range(n)])
        now = [[sum(w * now[k][j] for k, w in enumerate(row) if w) for j in range(n)] for row in walk]

    def value(index):
        node, k = divmod(index, len(steps))
        chance, k = Fraction(back[steps[k]][node]), steps[k]
        if chance == 0 or (k == 0 and dim):
            return "0"
        return times(quotient(chance), power((k, 1), dim, 2) if k else "1")

    return [], "1", value


def solved(rows):
    """The inverse of a matrix of fractions (Gauss and Jordan)."""
    n = len(rows)
    rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(rows)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        scale = Fraction(1, rows[i][i])
        rows[i] = [one * scale for one in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


def parts_of(edges):
    """The nodes of each connected part."""
    found, left = [], set(range(len(edges)))
    while left:
        part, ahead = set(), {min(left)}
        while ahead:
            part |= ahead
            ahead = {j for i in ahead for j in left - part if edges[i][j] or edges[j][i]}
        found, left = [*found, sorted(part)], left - part
    return found


def potentials(edges):
    """G[i][j] - G[j][j]; G = (L + J / m)**-1 - J / m, for each part of m nodes, with J of ones."""
    n = len(edges)
    green = [[Fraction(0)] * n for _ in range(n)]
    for part in parts_of(edges):
        share = Fraction(1, len(part))
        found = solved([[share - edges[i][j] + (sum(edges[i]) if i == j else 0) for j in part] for i in part])
        for i, row in zip(part, found, strict=True):
            for j, one in zip(part, row, strict=True):
                green[i][j] = one - share
    return [[green[i][j] - green[j][j] for j in range(n)] for i in range(n)]


def mean(values):
    return sum(values) * Fraction(1, len(values))


def deviation(values):
    need(len(values) > 1, "infinity or NaN")
    total = sum((one - mean(values)) ** 2 for one in values)
    return root_of(total * Fraction(1, len(values) - 1))


def electrostatic_positions(a, _):
    """Statistics of the potentials of each node (GraphGPS 2801570, get_electrostatic_function_encoding)."""
    edges, n = matrix(a, loops=False), a["n"]
    v = potentials(edges)
    degrees = [max(sum(row), 1) for row in edges]

    def value(index):
        j, k = divmod(index, 10)
        down, across = [v[i][j] for i in range(n)], v[j]
        if k in (3, 7):
            return deviation(down if k == 3 else across)
        if k == 8:
            return quotient(sum(edges[i][j] * v[i][j] * Fraction(1, degrees[i]) for i in range(n)))
        if k == 9:
            return quotient(sum(edges[j][i] * v[j][i] * Fraction(1, degrees[j]) for i in range(n)))
        statistic = {0: min, 1: max, 2: mean, 4: min, 5: max, 6: mean}[k]
        return quotient(statistic(across if k in (4, 6) else down))

    return [], "1", value


def tree_positions(a, _):
    """The steps of each path, newest first, one-hot, times powers of decays (Shiv and Quirk 2019, section 3)."""
    degree, depth, longest = a["degree"], a["depth"], a["paths"]["shape"][-1]
    decays = a["decay"]["values"] if isinstance(a["decay"], dict) and "values" in a["decay"] else [number(a["decay"])]
    children, width = [child for child, _ in a["paths"]["values"]], depth * degree * len(decays)
    scale = None if a["dim"] is None else Fraction(*number(a["dim"]))

    def value(index):
        node, c = divmod(index, width)
        step, c = divmod(c, degree * len(decays))
        child, c = divmod(c, len(decays))
        path = [one for one in children[node * longest : (node + 1) * longest] if one >= 0][::-1]
        if step >= len(path) or path[step] != child:
            return "0"
        decay = Fraction(*decays[c])
        if decay.denominator.bit_length() * step > 900:
            faded = " ".join(["1", *[f"t{c} *"] * step])
            return faded if scale is None else f"{faded} 1 t{c} t{c} * - {quotient(scale)} * 2 / sqrt *"
        faded = decay**step
        if faded == 0 or scale is None:
            return quotient(faded)
        return times(quotient(faded), root_of((1 - decay**2) * scale * Fraction(1, 2)))

    return [text(*one) for one in decays], "1", value


FUNCTIONS = {
    "random_walk_positions": (random_walk_positions, "edges n steps space_dim"),
    "electrostatic_positions": (electrostatic_positions, "edges n"),
    "tree_positions": (tree_positions, "paths degree depth decay dim"),
}
