"""Sums of products in the written order, in NumPy: all rows and columns together, one summand after the other."""

PART = 1 << 15  # sums done at a time: they and the products stay in the cache


def products(a, b, out):
    """out[i, j] = 0 + a[i, 0] b[0, j] + a[i, 1] b[1, j] + ..., each product and each sum rounded, in this order."""
    step = max(1, PART // max(1, out.shape[1]))
    for start in range(0, len(out), step):
        part, left = out[start : start + step], a[start : start + step]
        part[...] = 0
        for k in range(a.shape[1]):
            part += left[:, k, None] * b[k]
