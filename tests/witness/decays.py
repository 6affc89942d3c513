"""Decays, biases and features of distances, as balls: each number is a fraction, or a rule that gives a ball."""

from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb, fmpq

from .balls import leading
from .digits import from_fractions, patterns, zeros
from .formulas import alibi_exponents, power

#: {suite: what its function was written from}, as `witness` of witness/suites.py takes it
SOURCES = {
    "alibi_2d": (
        "paper: Fuller et al. 2023, arXiv:2311.00566, section 3",
        "code: CROMA c66df8ff3be8, pretrain_croma.py, get_alibi",
    ),
    "decay": (
        "paper: Qin et al. 2024, arXiv:2401.04658",
        "code: transformers 5.23.0, models/minimax/modeling_minimax.py, MiniMaxLightningAttention.decay_factors",
    ),
    "decay_rates": "code: transformers 5.23.0, models/minimax/modeling_minimax.py",
    "distance_features": (
        "paper: Avsec et al. 2021, doi:10.1038/s41592-021-01252-x",
        "code: deepmind-research, enformer/attention_module.py",
    ),
    "exponential_modulation": "paper: Poli et al. 2023, arXiv:2302.10866, appendix D.3",
    "hyena_features": "paper: Poli et al. 2023, arXiv:2302.10866, appendix D.3",
    "kerple": (
        "paper: Chi et al. 2022, arXiv:2205.09921, section 4",
        "code: KERPLE 73f1ee2d2472, megatron/mpu/layers.py",
    ),
    "offset_geometric": (
        "paper: Avsec et al. 2026, doi:10.1038/s41586-025-10014-0",
        "code: alphagenome_research 0072ba823982, src/alphagenome_research/model/attention.py, apply_rope",
    ),
    "sandwich": "paper: Chi et al. 2023, arXiv:2212.10356, section 5",
}


def ball(value):
    """A fraction as a ball."""
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def rounded(rows, name):
    """Bit patterns (len(rows),) of numbers: a fraction, or a rule for the ball of an irrational number."""
    result = zeros((len(rows),))
    known = [k for k, row in enumerate(rows) if isinstance(row, (int, Fraction))]
    result[known] = from_fractions([Fraction(rows[k]) for k in known])
    others = [k for k in range(len(rows)) if k not in set(known)]

    def evaluate(chosen, bits):
        return [(rows[others[k]](),) for k in (range(len(others)) if chosen is None else chosen)]

    if others:
        result[others] = leading(len(others), 1, evaluate)[:, 0]
    return patterns(result, name)


def expanded(rows, distances, name):
    """Bit patterns (heads, *distances.shape) of rows(head, distance), a rule for each head."""
    distinct, where = np.unique(distances, return_inverse=True)
    table = np.array([rounded([row(d) for d in distinct.tolist()], name) for row in rows])
    return table[:, where.reshape(distances.shape)]


def relative(query_len, key_len, query_offset):
    """Key minus query, (queries, keys)."""
    offset = key_len - query_len if query_offset is None else query_offset
    return np.arange(key_len)[None, :] - (offset + np.arange(query_len))[:, None]


def rate(head, heads, rule, layer, layers, eps):
    """The rate of a head: a fraction or a rule."""
    if rule == "retnet":
        return 1 - Fraction(1, 2 ** (5 + head))
    share = 1 - Fraction(layer) / (Fraction(layers - 1) + eps) + eps
    exponent = Fraction(8 * (head + 1), heads)
    if exponent.denominator == 1:
        return share / 2**exponent.numerator
    return lambda: power(Fraction(2), -exponent) * ball(share)


def decay_rates(num_heads, name, *, rule, eps, layer=None, layers=None):
    return rounded([rate(h, num_heads, rule, layer, layers, eps) for h in range(num_heads)], name)


def decay(num_heads, query_len, key_len, name, *, rule, eps, layer=None, layers=None, query_offset=None):
    def row(head):
        one = rate(head, num_heads, rule, layer, layers, eps)

        def value(distance):
            if distance >= 0:
                return Fraction(int(distance == 0))
            if rule == "retnet":
                return one**-distance
            return lambda: ((ball(one) if isinstance(one, Fraction) else one()) * distance).exp()

        return value

    return expanded([row(h) for h in range(num_heads)], relative(query_len, key_len, query_offset), name)


def alibi_2d(num_heads, height, width, name, *, class_token, convention, max_bias):
    y, x = (np.repeat(np.arange(height), width), np.tile(np.arange(width), height))
    squares = (y[:, None] - y) ** 2 + (x[:, None] - x) ** 2

    def row(exponent):
        def value(square):
            if (2 * exponent).denominator == 1:
                both = square / Fraction(2) ** int(2 * exponent)
                root = Fraction(isqrt(both.numerator), isqrt(both.denominator))
                if root**2 == both:
                    return -root
            return lambda: -power(Fraction(2), -exponent) * arb(square).sqrt()

        return value

    table = expanded([row(e) for e in alibi_exponents(num_heads, convention, max_bias)], squares, name)
    return np.pad(table, ((0, 0), (1, 0), (1, 0))) if class_token else table


def kerple(query_len, key_len, name, *, p, a, kind, least, query_offset=None):
    """Chi et al. 2022, with the limits of their code."""

    def row(p, a):
        p, a = (max(Fraction(float(one)), least) for one in (p, a))
        p = p if kind == "log" else min(p, Fraction(2))

        def value(relative):
            distance = max(-relative, 0)
            if not distance:
                return Fraction(int(kind == "weight"))
            if kind == "log":
                return lambda: -ball(p) * (1 + ball(a) * distance).log()
            root = round(distance ** (1 / p.denominator)) if p.denominator < 64 else 1
            known = -a * root**p.numerator if root**p.denominator == distance else None
            if kind == "power":
                return known if known is not None else lambda: -ball(a) * power(Fraction(distance), p)
            return lambda: (-ball(a) * power(Fraction(distance), p)).exp()

        return value

    rows = [row(*pair) for pair in zip(p.tolist(), a.tolist(), strict=True)]
    return expanded(rows, relative(query_len, key_len, query_offset), name)


def sandwich(num_heads, query_len, key_len, name, *, dim, first, subtract, mode, base, query_offset=None):
    """Chi et al. 2023: a sum of cosines, the heads apart by a divisor."""
    less = dim // 2 if subtract else 0

    def row(head):
        divisor = Fraction(8 * (head + 1), num_heads)

        def value(relative):
            distance = abs(relative) if mode == "symmetric" else max(-relative, 0)
            if not distance:
                return (dim // 2 - less) / divisor
            powers = [Fraction(-2 * k, dim) for k in range(first, first + dim // 2)]
            return lambda: (sum((power(base, e) * distance).cos() for e in powers) - less) / ball(divisor)

        return value

    return expanded([row(head) for head in range(num_heads)], relative(query_len, key_len, query_offset), name)


def distance_features(query_len, key_len, features, name, *, basis, symmetric, eps, rule=None, normalise=None,
                      length=None):  # fmt: skip
    """Avsec et al. 2021: the bases of DeepMind's code, of each distance in ascending order, then times its sign."""
    bases = [basis] if isinstance(basis, str) else basis
    count = features // len(bases) // (1 if symmetric else 2)
    away = [k - (query_len - 1) for k in range(query_len + key_len - 1)] if query_len and key_len else []
    largest = max((abs(p) for p in away), default=0)
    length = largest + 1 if length is None else length
    rows = {}
    for p in range(largest + 1):
        rows[p] = [one for base in bases for one in _basis(base, p, count, length, largest, rule, normalise, eps)]
    distinct = rounded([one for p in rows for one in rows[p]], name).reshape(largest + 1, -1)
    exact = np.array([[isinstance(one, Fraction) and one == 0 for one in rows[p]] for p in rows])
    sign = distinct.dtype.type(1 << 8 * distinct.dtype.itemsize - 1)
    result = []
    for p in away:
        row = distinct[abs(p)]
        turned = row ^ sign if p < 0 else row
        turned = np.where(exact[abs(p)] | (p == 0), 0, turned).astype(row.dtype)
        result.append(row if symmetric else np.concatenate([row, turned]))
    return np.array(result, distinct.dtype).reshape(len(away), features)


def _basis(base, p, count, length, largest, rule, normalise, eps):
    """The numbers of one basis at one distance."""
    if base == "one-hot":
        return [Fraction(int(p == j)) for j in range(count)]
    if base == "cosine":
        return [_cosine(Fraction(4 * p, 5 * 2**j)) for j in range(count)]
    if base == "central-mask":
        return [Fraction(int(_wider(rule, j, count, length, p))) for j in range(count)]
    if base == "exponential":
        return [_halved(p, Fraction(j, max(count - 1, 1)), length) for j in range(count)]
    return [_gamma(p, j, count, length, largest, normalise, eps) for j in range(count)]


def _cosine(turns):
    known = None
    if (turns * 12).denominator == 1:
        twelfth = int(turns * 12) % 12
        known = {0: Fraction(1), 2: Fraction(1, 2), 3: Fraction(0), 4: Fraction(-1, 2), 6: Fraction(-1),
                 8: Fraction(-1, 2), 9: Fraction(0), 10: Fraction(1, 2)}.get(twelfth)  # fmt: skip
    return known if known is not None else lambda: (2 * ball(turns)).cos_pi()


def _wider(rule, j, count, length, p):
    """Whether the width is greater: by integers where it is one, else by a ball."""
    if rule == "doubling":
        return 2 ** (j + 1) - 1 > p
    base, exponent, start = (length + 1, Fraction(j + 1, count), -1)
    if rule == "offset-geometric":
        base, exponent, start = (length - count + 1, Fraction(j, count), j)
    if base**exponent.numerator == max(p - start, 0) ** exponent.denominator:
        return False
    return bool(power(Fraction(base), exponent) + start > p)


def _halved(p, t, length):
    if not p:
        return Fraction(1)
    life = {0: Fraction(8), 1: Fraction(length)}.get(t)
    if length & (length - 1) == 0:  # 8 (length / 8)**t is whole where exponents of two are
        twos = 3 + t * (length.bit_length() - 4)
        life = Fraction(2) ** int(twos) if twos.denominator == 1 else life
    if life and (p / life).denominator == 1:
        return Fraction(1, 2 ** int(p / life))
    return lambda: (-arb(2).log() * p / (8 * power(Fraction(length, 8), t))).exp()


def _gamma(p, j, count, length, largest, normalise, eps):
    """A density over the largest; which one is the largest is read from balls."""

    def density(p, j):
        shape, rate = 4 * (j + 1) ** 2, Fraction(4 * count * (j + 1), length)
        if not p:
            return arb(0)
        return (shape * ball(rate).log() + (shape - 1) * arb(p).log() - ball(rate * p) - arb(shape).lgamma()).exp()

    if normalise == "row":
        others = [(p, k) for k in range(count)]
    else:
        others = _modes(count, length, largest)
    best = max(others, key=lambda pair: density(*pair).mid(), default=None)
    if best is None or best == (p, j) or (normalise == "row" and not p):
        return Fraction(1)
    return lambda: (density(p, j) + ball(eps)) / (density(*best) + ball(eps))


def _modes(count, length, largest):
    """The distances where densities are largest: every one that the table has where it is small."""
    pairs = []
    for k in range(count):
        mode = Fraction(4 * (k + 1) ** 2 - 1) / Fraction(4 * count * (k + 1), length)
        low = min(int(mode), largest)
        pairs += [(x, k) for x in range(max(low - 2, 1), min(low + 3, largest) + 1)]
    return pairs


def _root(base, exponent):
    """base**exponent where it is a fraction: numerator and denominator must have the root; else None."""
    parts = []
    for number in (base.numerator, base.denominator):
        root = round(number ** (1 / exponent.denominator)) if number < 2**50 else 0
        if root**exponent.denominator != number:
            return None
        parts.append(root)
    return Fraction(*parts) ** exponent.numerator


def offset_geometric(dim, name, *, max_position=8192):
    """1 / (i + G_i) of AlphaGenome, with the last power."""
    count = dim // 2
    base, rows = Fraction(max_position - count + 1), []
    for i in range(count):
        exponent = Fraction(i, max(count - 1, 1))
        known = _root(base, exponent)
        rows.append(1 / (i + known) if known is not None else lambda i=i, e=exponent: 1 / (power(base, e) + i))
    return rounded(rows, name)


def hyena_features(length, dim, name, *, low):
    """[t, cos, -sin] of Poli et al. 2023."""
    count, rows = dim // 2, []
    for p in range(length):
        bands = [low + Fraction(b, max(count - 1, 1)) * (count - 1 - low) for b in range(count)]
        turns = [band * p / length for band in bands]
        rows += [
            Fraction(p, max(length - 1, 1)),
            *map(_cosine, turns),
            *(_cosine(one + Fraction(1, 4)) for one in turns),
        ]
    return rounded(rows, name).reshape(length, dim)


def exponential_modulation(length, channels, name, *, fast, slow, target, shift):
    """exp(-t |d|) + shift of Poli et al. 2023."""
    fast, slow, target = map(Fraction, (fast, slow, target))
    rows = []
    for p in range(length):
        t = Fraction(p, max(length - 1, 1))
        for c in range(channels):
            share = 1 / slow + Fraction(c, max(channels - 1, 1)) * (1 / fast - 1 / slow)
            base = target if target < 1 else 1 / target
            known = Fraction(1) if not t or target == 1 else _root(base, t * share)
            if known is not None:
                rows.append(known + shift)
            else:
                rows.append(lambda e=t * share: (-ball(e) * abs(ball(target).log())).exp() + ball(shift))
    return rounded(rows, name).reshape(length, channels)
