"""Generalised rotations: the exponential of generators (LieRE) and polar coordinates (PoPE) in balls, products of
Householder matrices (PaTH) in fractions."""

import math
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from .axes import ball
from .balls import leading
from .digits import from_fractions


def liere(x, places, generators, inverse=False):
    """Digits of x (heads, tokens, dim) float64, finite, turned by generators (axes, heads or 1, blocks, n, n).

    places: one list of numbers for each axis. The matrix exponential is that of the ball arithmetic, for the sum of the
    generators as fractions; what balls of 8192 bits cannot tell from the channel itself is the channel.
    """
    blocks, n = generators.shape[2:4]
    result = from_fractions([Fraction(value) for value in x.reshape(-1).tolist()]).reshape(*x.shape)
    made = {}
    for head, token in np.ndindex(x.shape[:2]):
        for block in range(blocks):
            columns = slice(block * n, (block + 1) * n)
            own = min(head, generators.shape[1] - 1)
            sums = [
                [
                    sum(
                        Fraction(p[token]) * Fraction(g[own, block, i, j].item())
                        for p, g in zip(places, generators, strict=True)
                    )
                    * (-1 if inverse else 1)
                    for j in range(n)
                ]
                for i in range(n)
            ]
            channels = x[head, token, columns].tolist()
            if any(channels) and any(map(any, sums)):
                result[head, token, columns] = _product(sums, channels, made, (own, block, token))
    result.negative[...] |= (result.head == 0) & np.signbit(x)  # only a channel that stands still is 0
    return result


def _product(sums, channels, made, key):
    """Digits (n,) of exp(sums) times the channels. made: exponentials of this and earlier calls."""

    def evaluate(rows, bits):
        if (key, ctx.prec) not in made:
            made[key, ctx.prec] = arb_mat([list(map(ball, row)) for row in sums]).exp()
        turned = made[key, ctx.prec]
        rows = range(len(channels)) if rows is None else rows
        return [(sum((turned[i, j] * x for j, x in enumerate(channels)), arb(0)),) for i in rows]

    def exact(row):
        ((value,),) = evaluate([row], None)
        assert value.rad() < 2.0**-1000 and value.contains(arb(channels[row]))
        return (Fraction(channels[row]),)

    return leading(len(channels), 1, evaluate, exact=exact).reshape(len(channels))


def softplus(x):
    """ln(1 + e**x) of a float as a ball."""
    return arb(x).exp().log1p()


def kept(bias):
    """A learned bias kept within -2 pi .. 0, as a ball that is exact where it is within."""
    if bias >= 0:
        return arb(0)
    return max(arb(bias), -2 * arb.pi())


def pope(x, places, rule, axes, bias=None, magnitude="softplus", factor=lambda: arb(1)):
    """Digits of the parts with cosine and with sine, each (heads, tokens, pairs), of x of that shape: float64, finite.

    places: for each axis one number a token. rule() and factor() give balls; axes: that of each pair. bias: (heads,
    pairs) floats. A zero has the sign of its product, and the sine of the angle 0 is +0.
    """
    options = places, rule, axes, bias, magnitude, factor
    parts = _products(x, *options)
    if magnitude == "given":
        for part, wave in zip(parts, _products(np.ones_like(x), *options), strict=True):
            part.negative[...] |= (part.head == 0) & (np.signbit(x) ^ wave.negative)
    return parts


def _products(x, places, rule, axes, bias, magnitude, factor):
    rows = list(np.ndindex(x.shape))

    def balls(k, thetas, scale):
        head, token, i = rows[k]
        angle = thetas[i] * ball(places[axes[i]][token]) + (0 if bias is None else kept(bias[head, i].item()))
        value = x[rows[k]].item()
        size = softplus(value) if magnitude == "softplus" else arb(value)
        sine, cosine = angle.sin_cos()
        return size * scale * cosine, size * scale * sine

    def evaluate(which):
        def found(chosen, bits):
            thetas, scale = rule(), factor()
            return [(balls(k, thetas, scale)[which],) for k in (range(len(rows)) if chosen is None else chosen)]

        return found

    def exact(which):
        def found(k):
            # the angle is 0, so the sine is 0 and the cosine 1, or the number that was given is 0
            ((value,),) = evaluate(which)([k], None)
            known = Fraction(0) if which else Fraction(x[rows[k]].item())
            assert value.rad() < 2.0**-1000 and value.contains(ball(known))
            return (known,)

        return found

    sizes = [_size(x[row].item(), magnitude) for row in rows]
    return [leading(len(rows), 1, evaluate(which), sizes, exact(which)).reshape(*x.shape) for which in (0, 1)]


def _size(value, magnitude):
    """About the exponent of two of the magnitude."""
    if magnitude == "given" or value > 1:
        return math.frexp(value)[1]
    return math.floor(value * math.log2(math.e)) if value < 0 else 0


def path(q, k, w, beta, gate=None):
    """The scores of one head as fractions, None where the key is after the query: matrices multiplied as they stand."""
    seq, dim = q.shape
    q, k, w = ([[fmpq(*value.as_integer_ratio()) for value in row] for row in array.tolist()] for array in (q, k, w))
    matrices = []
    for s in range(seq):
        strength = fmpq(*beta[s].item().as_integer_ratio())
        matrices.append(
            fmpq_mat([[int(a == b) - strength * w[s][a] * w[s][b] for b in range(dim)] for a in range(dim)])
        )
    scores = [[None] * seq for _ in range(seq)]
    for j in range(seq):
        product = fmpq_mat(dim, 1, k[j])  # H_i ... H_(j+1) k_j
        gates = Fraction(0)
        for i in range(j, seq):
            if i > j:
                product = matrices[i] * product
                gates += Fraction(0 if gate is None else gate[i].item())
            (score,) = (fmpq_mat(1, dim, q[i]) * product).entries()
            scores[i][j] = Fraction(int(score.p), int(score.q)) + gates
    return scores
