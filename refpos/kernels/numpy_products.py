"""Sums of products in the fixed order, in NumPy: all rows and columns together, one summand after the other."""

import numpy as np

PART = 1 << 15  # sums done at a time: they and the products stay in the cache
FEW = 8  # rows whose summands are made first and accumulated: this many calls in place of one for each summand
MOST = 1 << 20  # of these summands at a time


def products(a, b, out):
    """out[h, i, j] = 0 + a[h, i, 0] b[h, 0, j] + ..., each product and each sum rounded, in this order."""
    for matrices in zip(a, b, out, strict=True):
        _product(*matrices)


def _product(a, b, out):
    if len(out) <= FEW and 0 < b.size <= MOST:
        terms = np.empty(b.shape)
        for row, sums in zip(a, out):
            np.multiply(row[:, None], b, out=terms)
            np.add.accumulate(terms, axis=0, out=terms)
            np.add(terms[-1], 0.0, out=sums)  # 0 + -0 is 0
        return
    step = max(1, PART // max(1, out.shape[1]))
    for start in range(0, len(out), step):
        part, left = out[start : start + step], a[start : start + step]
        part[...] = 0
        for k in range(a.shape[1]):
            part += left[:, k, None] * b[k]
