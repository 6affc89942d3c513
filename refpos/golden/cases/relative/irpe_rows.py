"""Golden cases of the rows of iRPE."""

from ...case import fraction, paper, project, suite

CREAM = project("microsoft/Cream", "12aed81bb10a7b678c700dabd28d71b27f1d8830", "iRPE/DeiT-with-iRPE/irpe.py",
                "get_bucket_ids_2d")  # fmt: skip
value, refused = suite("irpe_rows", paper("Wu et al. 2021, iRPE, arXiv:2107.14222, sections 3.2 and 3.3"))
FLAGS = ("BucketEdge", "BucketDirection", "NonSquare")
METHODS = ("euclidean", "quant", "cross-rows", "cross-columns", "product")
RATIO = {"alpha": fraction(19, 10), "beta": fraction(38, 10), "gamma": fraction(152, 10)}
ONE = {"alpha": 1, "beta": 2, "gamma": 8}

CASES = [
    *[
        value(f"{method}-{height}x{width}{'-class' * prefix}", f"iRPE, {method}: {height} x {width}, ratio 1.9",
              height=height, width=width, method=method, prefix=prefix, flags=FLAGS, source=CREAM, **RATIO)
        for method in METHODS
        for height, width, prefix in ((3, 5, 0), (7, 7, 1))
    ],
    *[
        value(f"one-{method}", f"{method}: 5 x 4, ratio 1", height=5, width=4, method=method, flags=FLAGS, **ONE)
        for method in METHODS
    ],
    value("prefix-2", "two tokens in front", height=2, width=3, method="product", prefix=2, flags=FLAGS, **RATIO),
    value("far", "1 x 40: every bucket", height=1, width=40, method="cross-columns", alpha=1, beta=4, gamma=16,
          flags=FLAGS),
    value("one-cell", "one cell", height=1, width=1, method="euclidean", **RATIO),
    refused("method", "no such method", "E_CHOICE", "method", height=2, width=3, method="cross", **RATIO),
    refused("height-zero", "a grid without rows", "E_SIZE", "height", height=0, width=3, method="quant", **RATIO),
    refused("beta", "beta below alpha", "E_NUMBER", "beta", height=2, width=3, method="quant", alpha=2, beta=1,
            gamma=8),
    refused("ratio-float", "a float that is no short fraction", "E_NUMBER", "alpha", height=2, width=3, method="quant",
            alpha=1.9, beta=4, gamma=16),
]  # fmt: skip
