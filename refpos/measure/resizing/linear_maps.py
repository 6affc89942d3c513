"""Which functions are linear maps of a learned table, and who reads them."""

from __future__ import annotations

from .resized import read_resized
from .resized_biases import read_resized_bias
from .row_means import read_means

#: {function: the reader of (numbers, inputs)}
MAPS = {"resize_table": read_resized, "resize_bias": read_resized_bias, "mean_of_rows": read_means}
