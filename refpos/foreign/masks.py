"""Masks: entries of an array that are not to be read, which NumPy's own conversion would read all the same."""

import numpy as np


def has_masked(values):
    """Whether an array has entries under a mask; numpy.ma, which another thread may be importing, is not asked.

    >>> has_masked(np.ma.masked_array([1, 2], [False, True])), has_masked(np.arange(2))
    (True, False)
    """
    if type(values) is np.ndarray or not isinstance(values, np.ndarray) or isinstance(values, np.recarray):
        return False
    mask = getattr(values, "mask", False)  # of a record, one bool for each field
    return bool(np.ascontiguousarray(mask).view(np.uint8).any())
