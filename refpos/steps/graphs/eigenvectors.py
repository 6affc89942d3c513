"""Eigenvalues and eigenvectors of symmetric matrices in a fixed order, and one basis of each eigenspace.

Jacobi's method of cyclic rotations, the pairs p < q row by row, in float64, each operation rounded once:

    theta = (a_qq - a_pp) / (2 a_pq)      t = sign(theta) / (|theta| + sqrt(theta theta + 1)), the sign of 0 being +
    c = 1 / sqrt(t t + 1)   s = t c       a_pp - t a_pq and a_qq + t a_pq on the diagonal, 0 at p, q
    row p becomes c p - s q, row q becomes s p + c q, in the matrix, then in its columns alike, and in the vectors

An entry of at most SMALL times the largest entry of the matrix is made 0 and needs no rotation; the sweep in which
there is no other is the last. Sums of products, quotients and roots are those of IEEE 754, so the bits are the same
everywhere. The rotations keep the Frobenius norm but for their roundings (Wilkinson 1965, The Algebraic Eigenvalue
Problem, chapter 5, sections 18 to 21, bounds them).
"""

import math

import numpy as np

SMALL = 2.0**-60
MOST_SWEEPS = 60  # six to ten are made
SAME = 2.0**-40  # of the largest entry: neighbouring eigenvalues that differ by no more are one
SHARE = 0.117  # of 1 / n: the squared length of a node's part that may lead a vector


def of_blocks(matrix, blocks):
    """(values, vectors) of a symmetric matrix that is 0 between its blocks of indices.

    values: ascending, of equal ones those of the first block first. vectors: (n, n), a column for each, in the basis
    that `basis` says of each eigenspace.
    """
    n = len(matrix)
    values, vectors, block_of = np.zeros(n), np.zeros((n, n)), np.zeros(n, np.int64)
    at = 0
    for number, block in enumerate(blocks):
        place = slice(at, at + len(block))
        values[place], vectors[block, place] = jacobi(matrix[np.ix_(block, block)])
        block_of[place] = number
        at += len(block)
    order = np.argsort(values, kind="stable")
    values, vectors, block_of = values[order], vectors[:, order], block_of[order]
    for group in equal(values, np.max(np.abs(matrix), initial=0.0)):
        vectors[:, group] = led(vectors[:, group], block_of[group], blocks)
    return values, vectors


def led(vectors, block_of, blocks):
    """The columns of one eigenspace in their basis; block_of: the block outside of which each column is 0."""
    result, leaders = np.zeros(vectors.shape), np.zeros(vectors.shape[1], np.int64)
    for number in np.unique(block_of).tolist():
        columns, block = np.flatnonzero(block_of == number), blocks[number]
        rotated, first = basis(vectors[np.ix_(block, columns)], SHARE / len(vectors))
        result[np.ix_(block, columns)] = rotated
        leaders[columns] = block[first]
    return result[:, np.argsort(leaders)]


def jacobi(matrix):
    """(values, vectors) of a symmetric float64 matrix, in the order of its diagonal; vectors are columns."""
    a, rows = matrix.copy(), np.eye(len(matrix))
    small = SMALL * np.max(np.abs(a), initial=0.0)
    for _ in range(MOST_SWEEPS):
        rotated = False
        for p in range(len(a) - 1):
            for q in range(p + 1, len(a)):
                if abs(a[p, q]) > small:
                    rotate(a, rows, p, q)
                    rotated = True
                elif a[p, q]:
                    a[p, q] = a[q, p] = 0.0
        if not rotated:
            break
    return np.diag(a), rows.T


def rotate(a, rows, p, q):
    """One rotation, after which a[p, q] is 0; rows: the vectors so far."""
    pp, qq, x = float(a[p, p]), float(a[q, q]), float(a[p, q])
    theta = (qq - pp) / (2.0 * x)
    t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
    t = -t if theta < 0 else t
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for matrix in (a, rows):
        one, other = matrix[p].copy(), matrix[q].copy()
        matrix[p], matrix[q] = c * one - s * other, s * one + c * other
    a[:, p], a[:, q] = a[p], a[q]
    a[p, p], a[q, q], a[p, q], a[q, p] = pp - t * x, qq + t * x, 0.0, 0.0


def equal(values, size):
    """Slices of ascending values: neighbours that differ by at most SAME * size are one."""
    ends = np.flatnonzero(np.diff(values) > SAME * size) + 1
    return [slice(low, high) for low, high in zip([0, *ends], [*ends, len(values)]) if high > low]


def basis(vectors, least):
    """The one orthonormal basis of the columns' span in which nodes lead in turn, and the nodes that lead.

    Row i of the columns is the part of node i in their span. From node 0 on, a part less what the vectors before have
    of it leads the next vector if its squared length is above `least`: then it points along it, so its entry there is
    positive and those after it are 0 there. With `least` below 1 / n there are as many leaders as columns, because
    the squared lengths of what no vector has yet add up to the number of vectors that are missing.
    """
    n, count = vectors.shape
    found, leaders = [], []
    for node, row in enumerate(vectors.tolist()):
        if len(found) == count:
            break
        for _ in range(2):  # the second time takes away what roundings left
            for axis in found:
                share = dot(axis, row)
                row = [x - share * y for x, y in zip(row, axis)]
        square = dot(row, row)
        if square > least:
            length = math.sqrt(square)
            found.append([x / length for x in row])
            leaders.append(node)
    rotated = np.zeros((n, count))
    for column, axis in enumerate(found):
        for x, part in zip(axis, vectors.T):
            rotated[:, column] = rotated[:, column] + part * x
    return rotated, leaders


def dot(a, b):
    """0 + a[0] b[0] + a[1] b[1] + .."""
    total = 0.0
    for x, y in zip(a, b):
        total = total + x * y
    return total
