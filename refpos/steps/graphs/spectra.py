"""Laplacians of graphs, their eigenvectors, and the normalisers of GraphGPS, in the order of `sequence64`."""

from fractions import Fraction

import numpy as np

from ...arithmetic import enclosures, formats, formulas
from ..scores import ordered_sums
from . import eigenvectors, graphs

FLOAT64 = formats.FORMATS["float64"]
EPS = 1e-12  # of GraphGPS: divisors and eigenvalues below it
PI = float.fromhex("0x1.921fb54442d18p+1")
HALF_PI = PI / 2
NEAR_ONE = 0.75  # from here on the arcsine is taken of the other leg
AS_IT_IS = 2.0**-27  # below it the arcsine rounds to its argument


def matrix(counts, laplacian):
    """The Laplacian of an undirected graph as float64, each operation rounded once.

    none  L = D - A                              sym   L = I - A / sqrt(d_i d_j)
    rw-lower  the lower triangle of I - A / d_i and its mirror image; a degree of 0 counts as 1 in both
    """
    if laplacian == "none":
        return graphs.laplacian(counts).astype(np.float64)
    degrees = np.maximum(counts.sum(axis=1), 1)
    if laplacian == "rw-lower":
        lower = np.tril(counts / degrees[:, None].astype(np.float64))
        return np.eye(len(counts)) - (lower + np.tril(lower, -1).T)
    return np.eye(len(counts)) - counts / np.sqrt((degrees[:, None] * degrees).astype(np.float64))


def spectrum(counts, laplacian):
    """(values, vectors) of a Laplacian, the vectors columns; those of "rw" are of "sym", over the roots of degrees."""
    blocks = graphs.components(counts)
    values, vectors = eigenvectors.of_blocks(matrix(counts, laplacian), blocks)
    if laplacian == "rw":
        degrees = np.maximum(counts.sum(axis=1), 1)
        vectors = vectors / np.sqrt(degrees.astype(np.float64))[:, None]
        vectors = vectors / np.sqrt(ordered_sums.total((vectors * vectors).T))
    return np.maximum(values, 0.0) + 0.0, vectors


def normalised(vectors, values, normaliser):
    """The columns divided as a normaliser of GraphGPS says; values: their eigenvalues."""
    if normaliser is None or not vectors.size:
        return vectors
    sizes = np.abs(vectors)
    wavelength = np.sqrt(np.where(values < EPS, 1.0, values))
    if normaliser == "L1":
        divisor = ordered_sums.total(sizes.T)
    elif normaliser == "L2":
        divisor = np.sqrt(ordered_sums.total((vectors * vectors).T))
    elif normaliser == "abs-max":
        divisor = sizes.max(axis=0)
    elif normaliser == "wavelength":
        divisor = sizes.max(axis=0) * wavelength * 2 / PI
    elif normaliser == "wavelength-asin":
        vectors, divisor = arcsines(vectors / np.maximum(sizes.max(axis=0), EPS)), wavelength
    else:
        divisor = ordered_sums.total(ordered_sums.softmax(sizes.T) * sizes.T) * wavelength
    return vectors / np.maximum(divisor, EPS)


def arcsines(x):
    """The arcsine of each number from -1 to 1, correctly rounded."""
    known = {value: arcsine(value) for value in np.unique(np.abs(x)).tolist()}
    return np.copysign(np.array([known[value] for value in np.abs(x).ravel().tolist()]).reshape(x.shape), x)


def arcsine(x):
    """The arcsine of a float from 0 to 1, rounded once: transcendental but at 0."""
    if x < AS_IT_IS:
        return x
    if x >= 1:
        return HALF_PI

    def rule(digits):
        exact = digits.of(Fraction(x))
        if x < NEAR_ONE:
            return enclosures.arcsine(digits, exact)
        return digits.pi() / 2 - enclosures.arcsine(digits, digits.sqrt((1 - exact) / 2)) * 2

    return float(np.array([formulas.pattern(rule, FLOAT64)], np.uint64).view(np.float64)[0])
