"""Positions in graphs and trees: eigenvectors by plain Python floats, all else by exact fractions or balls."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from .digits import SHAPES, round_fraction
from .sequences import dot, softmax, total

ROOT_BITS = 1200  # beyond the last midpoint of every format


def numbers_of(edges, n):
    """A as lists: how often each edge stands there."""
    found = [[0] * n for _ in range(n)]
    for i, j in edges:
        found[i][j] += 1
    return found


def parts_of(edges, n):
    """The nodes that hang together, by union of the ends of each edge."""
    name = list(range(n))
    for i, j in edges:
        one, other = name[i], name[j]
        name = [min(one, other) if x in (one, other) else x for x in name]
    return [[i for i in range(n) if name[i] == first] for first in sorted(set(name))]


# -- eigenvectors, in the fixed order -------------------------------------------------------------------------------


def laplacian(edges, n, kind, loops):
    """The matrix as lists of floats."""
    a = numbers_of([(i, j) for i, j in edges if loops == "keep" or i != j], n)
    degree = [sum(row) for row in a]
    if kind == "none":
        return [[float((i == j) * degree[i] - a[i][j]) for j in range(n)] for i in range(n)], degree
    d = [max(1, x) for x in degree]
    result = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            p, q = max(i, j), min(i, j)
            share = a[p][q] / float(d[p]) if kind == "rw-lower" else a[i][j] / math.sqrt(float(d[i] * d[j]))
            result[i][j] = float(i == j) - share
    return result, d


def rotations(a):
    """(values, vectors as rows) of cyclic Jacobi."""
    n = len(a)
    a, v = [list(row) for row in a], [[float(i == j) for j in range(n)] for i in range(n)]
    small = 2.0**-60 * max((abs(x) for row in a for x in row), default=0.0)
    for _ in range(60):
        found = False
        for p in range(n):
            for q in range(p + 1, n):
                x = a[p][q]
                if abs(x) <= small:
                    a[p][q] = a[q][p] = 0.0
                    continue
                found = True
                theta = (a[q][q] - a[p][p]) / (2.0 * x)
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                app, aqq = a[p][p] - t * x, a[q][q] + t * x
                for k in range(n):
                    y, z = a[p][k], a[q][k]
                    a[p][k], a[q][k] = c * y - s * z, s * y + c * z
                    y, z = v[p][k], v[q][k]
                    v[p][k], v[q][k] = c * y - s * z, s * y + c * z
                for k in range(n):
                    a[k][p], a[k][q] = a[p][k], a[q][k]
                a[p][p], a[q][q], a[p][q], a[q][p] = app, aqq, 0.0, 0.0
        if not found:
            break
    return [a[i][i] for i in range(n)], v


def spectrum(edges, n, kind, loops):
    """(values, columns): eigenvalues ascending, and each vector as a list over the nodes."""
    matrix, degree = laplacian(edges, n, kind, loops)
    pairs = []
    for number, part in enumerate(parts_of(edges, n)):
        values, vectors = rotations([[matrix[i][j] for j in part] for i in part])
        pairs += [(value, number, part, vector) for value, vector in zip(values, vectors, strict=True)]
    pairs.sort(key=lambda pair: pair[0])  # keeps the order of what is equal
    gap = 2.0**-40 * max((abs(x) for row in matrix for x in row), default=0.0)
    values, columns, at = [pair[0] for pair in pairs], [], 0
    while at < n:
        end = at + 1
        while end < n and values[end] - values[end - 1] <= gap:
            end += 1
        columns += space(pairs[at:end], n)
        at = end
    if kind == "rw":
        columns = [[x / math.sqrt(float(d)) for x, d in zip(column, degree, strict=True)] for column in columns]
        lengths = [math.sqrt(total([x * x for x in column])) for column in columns]
        columns = [[x / length for x in column] for column, length in zip(columns, lengths, strict=True)]
    return [max(value, 0.0) + 0.0 for value in values], columns


def space(pairs, n):
    """The columns of one eigenspace, by the nodes that lead them."""
    led = []
    for number in sorted({pair[1] for pair in pairs}):
        part = next(pair[2] for pair in pairs if pair[1] == number)
        own = [pair[3] for pair in pairs if pair[1] == number]
        axes = []
        for place, node in enumerate(part):
            row = [vector[place] for vector in own]
            if len(axes) < len(own):
                for axis in axes + axes:
                    share = dot(axis, row)
                    row = [x - share * y for x, y in zip(row, axis, strict=True)]
                square = dot(row, row)
                if square > 0.117 / n:
                    axes.append([x / math.sqrt(square) for x in row])
                    led.append((node, part, own, axes[-1]))
    columns = []
    for _, part, own, axis in sorted(led, key=lambda one: one[0]):
        column = [0.0] * n
        for place, node in enumerate(part):
            column[node] = dot(axis, [vector[place] for vector in own])
        columns.append(column)
    return columns


@cache
def arcsine(x):
    """The float nearest to the arcsine of a float."""
    if x == 0:
        return x
    ctx.prec = 300
    return float(arb(x).asin().mid()) if abs(x) < 1 else math.copysign(float((arb.pi() / 2).mid()), x)


def normalised(column, value, name):
    """A column over what a normaliser says."""
    sizes = [abs(x) for x in column]
    wave = 1.0 if value < 1e-12 else math.sqrt(value)
    if name is None:
        return column
    if name == "L1":
        divisor = total(sizes)
    elif name == "L2":
        divisor = math.sqrt(total([x * x for x in column]))
    elif name == "abs-max":
        divisor = max(sizes)
    elif name == "wavelength":
        divisor = max(sizes) * wave * 2 / math.pi
    elif name == "wavelength-asin":
        column, divisor = [arcsine(x / max(*sizes, 1e-12)) for x in column], wave
    else:
        weights = softmax(sizes, [True] * len(sizes))
        divisor = total([w * x for w, x in zip(weights, sizes, strict=True)]) * wave
    return [x / max(divisor, 1e-12) for x in column]


def laplacian_positions(edges, n, k, laplacian, loops, skip_first, pad, normaliser):
    """(n, k) floats."""
    values, columns = spectrum(edges, n, laplacian, loops)
    chosen = list(zip(values, columns, strict=True))[int(skip_first) :][:k]
    table = [normalised(column, value, normaliser) for value, column in chosen]
    table += [[math.nan if pad == "nan" else 0.0] * n] * (k - len(table))
    return np.array(table, float).reshape(k, n).T


def laplacian_values(edges, n, k, laplacian, loops, skip_first, pad):
    """(k,) floats."""
    values = spectrum(edges, n, laplacian, loops)[0][int(skip_first) :][:k]
    return np.array(values + [math.nan if pad == "nan" else 0.0] * (k - len(values)))


# -- exact numbers ----------------------------------------------------------------------------------------------------


def root_pattern(square, dtype):
    """Bit pattern of the root of a fraction: one between two multiples of 2**-ROOT_BITS rounds as their middle does."""
    n = math.isqrt((square.numerator << 2 * ROOT_BITS) // square.denominator)
    exact = n * n * square.denominator == square.numerator << 2 * ROOT_BITS
    return round_fraction(Fraction(2 * n + (not exact), 2 << ROOT_BITS), dtype)


def as_array(rows, shape, dtype):
    """Bit patterns as an array of the width of the dtype."""
    return np.array(rows, f"u{SHAPES[dtype][3] // 8}").reshape(shape)


def random_walks(edges, n, steps, dim, dtype):
    """Powers of the matrix of a step, by flint."""
    a = numbers_of(edges, n)
    move = fmpq_mat(n, n, [fmpq(x, max(1, sum(row))) for row in a for x in row])
    rows = np.zeros((n, len(steps)), object)
    for column, k in enumerate(steps):
        power = move**k
        for i in range(n):
            value = Fraction(int(power[i, i].p), int(power[i, i].q))
            rows[i, column] = root_pattern(value**2 * Fraction(k) ** dim, dtype)
    return as_array(rows.tolist(), rows.shape, dtype)


def heat(edges, n, times, dim, dtype):
    """Exponentials of the whole matrix in balls."""
    a = numbers_of(edges, n)
    sizes = {i: len(part) for part in parts_of(edges, n) for i in part}
    rows = np.zeros((n, len(times)), object)
    for column, time in enumerate(times):
        for i in range(n):
            rows[i, column] = heat_at(a, i, sizes[i], time, dim, dtype)
    return as_array(rows.tolist(), rows.shape, dtype)


def heat_at(a, node, size, time, dim, dtype):
    """Bit pattern of one entry of the diagonal."""
    if size == 1 or (time == 0 and dim):
        return 0
    if time == 0:
        return round_fraction(1 - Fraction(1, size), dtype)
    for precision in (200, 800, 3200):
        x = exponential(tuple(map(tuple, a)), time, precision)[node, node] - arb(1) / size
        ctx.prec = precision
        x = x * (arb(fmpq(time.numerator, time.denominator)) ** dim).sqrt()
        low, high = (max(exact(end), Fraction(0)) for end in (x.lower(), x.upper()))
        if round_fraction(low, dtype) == round_fraction(high, dtype):
            return round_fraction(low, dtype)
    raise AssertionError("no digits are left")


@cache
def exponential(a, time, precision):
    """exp(-t (D - A)) in balls."""
    ctx.prec = precision
    n, t = len(a), arb(fmpq(time.numerator, time.denominator))
    if time > 10**5:  # what is late is written as powers
        return exponential(a, time / 2, precision) ** 2 if time < 2**60 else flat(a)
    entries = [-t * (sum(a[i]) * (i == j) - a[i][j]) for i in range(n) for j in range(n)]
    return arb_mat(n, n, entries).exp()


def flat(a):
    """What is left after an endless time, to within 2**-4000 for t from 2**60 on and a few nodes."""
    parts = parts_of([(i, j) for i in range(len(a)) for j in range(len(a)) if a[i][j]], len(a))
    assert len(a) < 100
    result = arb_mat(len(a), len(a))
    for part in parts:
        for i in part:
            for j in part:
                result[i, j] = arb(1) / len(part) + arb(0, arb(2) ** -4000)
    return result


def exact(x):
    """The fraction that an arb without radius is."""
    man, exponent = x.man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exponent)


def electrostatic(edges, n, dtype):
    """Potentials by the inverse of the Laplacian with a border of ones for each part, in fractions of flint."""
    a = numbers_of([(i, j) for i, j in edges if i != j], n)
    g = [[Fraction(0)] * n for _ in range(n)]
    for part in parts_of(edges, n):
        c = len(part)
        rows = [[sum(a[i]) * (i == j) - a[i][j] for j in part] + [1] for i in part] + [[1] * c + [0]]
        found = fmpq_mat(c + 1, c + 1, [fmpq(x) for row in rows for x in row]).inv()
        for x, i in enumerate(part):
            for y, j in enumerate(part):
                g[i][j] = Fraction(int(found[x, y].p), int(found[x, y].q))
    v = [[g[i][j] - g[j][j] for j in range(n)] for i in range(n)]
    rows = []
    for j in range(n):
        down, across = [v[i][j] for i in range(n)], v[j]
        felt = sum((a[i][j] * v[i][j] / sum(a[i]) for i in range(n) if a[i][j]), Fraction(0))
        feels = sum((a[j][i] * v[j][i] / sum(a[j]) for i in range(n) if a[j][i]), Fraction(0))
        one, other = spread(down, dtype), spread(across, dtype)
        rows.append([*one, other[0], one[1], *other[2:], *(round_fraction(x, dtype) for x in (felt, feels))])
    return as_array(rows, (n, 10), dtype)


def spread(values, dtype):
    """Bit patterns of least, largest, mean and deviation."""
    middle = sum(values, Fraction(0)) / len(values)
    squares = sum((value - middle) ** 2 for value in values)
    precision, _, _, width = SHAPES[dtype]
    nan = (1 << width - 1) - (1 << precision - 1) | 1 << precision - 2
    deviation = root_pattern(squares / (len(values) - 1), dtype) if len(values) > 1 else nan
    return [*(round_fraction(x, dtype) for x in (min(values), max(values), middle)), deviation]


def tree(paths, degree, depth, decays, dim, dtype):
    """A stack of one-hot steps for each node: one is pushed for each child on the way, and the oldest fall out."""
    width, rows = SHAPES[dtype][3], []
    for path in paths:
        stack = []
        for child in path:
            stack = ([[int(b == child) for b in range(degree)]] + stack)[:depth]
        stack += [[0] * degree] * (depth - len(stack))
        row = []
        for age, step in enumerate(stack):
            for hot in step:
                for p in decays:
                    factor = 1 if dim is None else (1 - p * p) * dim / 2
                    size = root_pattern(Fraction((p**age) ** 2 * factor), dtype) if hot else 0
                    row.append(size | (1 << width - 1 if size and p**age < 0 else 0))
        rows.append(row)
    return as_array(rows, (len(paths), depth * degree * len(decays)), dtype)


# -- Graphormer -------------------------------------------------------------------------------------------------------


def floyd_warshall(edges, n):
    """(steps, middles) as lists: 510 for no path."""
    steps = [[0 if i == j else 510 for j in range(n)] for i in range(n)]
    middle = [[-1] * n for _ in range(n)]
    for i, j in edges:
        if i != j:
            steps[i][j] = 1
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if steps[i][k] + steps[k][j] < steps[i][j]:
                    steps[i][j], middle[i][j] = steps[i][k] + steps[k][j], k
    return steps, middle


def spatial_rows(edges, n, rule, distance=None, padded=None):
    """(n, n) rows."""
    steps, _ = floyd_warshall(edges, n)
    if rule == "graphgps":
        cut = [[distance if x == 510 else min(x, distance - 1) for x in row] for row in steps]
        return np.array(cut, np.int64).reshape(n, n)
    size = padded or n
    rows = [[steps[i][j] + 1 if max(i, j) < n else 0 for j in range(size)] for i in range(size)]
    return np.array(rows, np.int64).reshape(size, size)


def degree_rows(edges, n, direction, offset, padded=None):
    """(n,) rows."""
    ends = {tuple(edge) if direction == "out" else tuple(edge[::-1]) for edge in edges}
    rows = [sum(i == node for i, _ in ends) + offset for node in range(n)]
    return np.array(rows + [0] * ((padded or n) - n), np.int64)


def path_edge_rows(edges, n, attributes, hops, offset=512):
    """(n, n, hops, features) rows."""
    features = attributes.shape[1] if attributes.ndim == 2 else 1
    attributes = attributes.reshape(len(edges), features).tolist()
    last = {tuple(edge): line for edge, line in zip(edges, attributes, strict=True)}
    steps, middle = floyd_warshall(edges, n)

    def between(i, j):
        k = middle[i][j]
        return [] if k < 0 else [*between(i, k), k, *between(k, j)]

    result = np.zeros((n, n, hops, features), np.int64)
    for i in range(n):
        for j in range(n):
            nodes = [i, *between(i, j), j] if i != j and steps[i][j] < 510 else []
            for hop in range(min(hops, len(nodes) - 1)):
                line = last[nodes[hop], nodes[hop + 1]]
                result[i, j, hop] = [x + (1 + offset * f) + 1 + 1 for f, x in enumerate(line)]
    return result


def graphormer_bias(spatial, spatial_weight, virtual, paths=None, edge_weight=None, hop_weight=None, mask=None):
    """(heads, n + 1, n + 1) floats, pair by pair."""
    n, heads = len(spatial), spatial_weight.shape[1]
    virtual = virtual.reshape(-1).tolist()
    result = np.zeros((heads, n + 1, n + 1))
    for h, i, j in np.ndindex(result.shape):
        start = 0.0 if mask is None else float(mask[i, j])
        if i and j:
            row = int(spatial[i - 1, j - 1])
            value = start + float(spatial_weight[row, h])
            if paths is not None:
                value = value + on_path(paths[i - 1, j - 1].tolist(), row, edge_weight.tolist(), hop_weight, h)
        else:
            value = start + virtual[h]
        result[h, i, j] = value if mask is None else value + start
    return result


def on_path(hops, row, edge_weight, hop_weight, head):
    """What the edges on a path add for a head."""
    heads = len(edge_weight[0])
    matrices = hop_weight.reshape(-1, heads, heads)
    added = 0.0
    for k, features in enumerate(hops):
        means = [total([edge_weight[f][h] for f in features]) / float(len(features)) for h in range(heads)]
        added = added + dot(means, matrices[k][:, head].tolist())
    steps = 1 if row <= 1 else row - 1
    return added / float(min(steps, len(hops)))
