"""The rows of several small tables that stand for one large one: ids hashed by primes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers

LARGEST = 2**31  # so that the product of two remainders is an int64


@register(
    family="positions",
    paper="Clark et al. 2022, CANINE, arXiv:2103.06874, section 3.1; a convention of its code",
    conventions="1 is added to each id first",
    also="CANINE, hash embedding",
)
def hash_rows(ids: ArrayLike, primes: Sequence[Integer], buckets: Integer) -> Integers:
    """The row of each id in each of several hashed tables (CANINE).

        R[k] = ((ids + 1) primes[k]) mod buckets

    Parameters
    ----------
    ids : array_like
        Integers of any shape and integer dtype.
    primes : sequence of int
        Integers from 1 to 2**31, one for each table, at least one.
    buckets : int
        Rows of a table, 1 to 2**31.

    Returns
    -------
    ndarray of int64
        Shape (len(primes), *ids.shape).

    Raises
    ------
    InputError
        E_DTYPE (ids), E_SHAPE (primes), E_SIZE (primes, buckets).

    Notes
    -----
    No product is wrapped, and rows are never negative.

    References
    ----------
    Transformers 5.23.0, models/canine/modeling_canine.py, _hash_bucket_tensors, whose primes are 31, 43, 59, 61, 73,
    97, 103, 113 and whose tables have 16384 rows.

    Examples
    --------
    >>> hash_rows([0, 104, 1114111], (31, 43), 16384)
    array([[  31, 3255,    0],
           [  43, 4515,    0]])
    """
    ids = checks.integers("ids", ids)
    primes = [checks.integer("primes", prime, 1, LARGEST) for prime in checks.listed("primes", primes, "integers")]
    if not primes:
        raise InputError("E_SHAPE", "primes", "primes must be at least one number, got none")
    buckets = checks.integer("buckets", buckets, 1, LARGEST)
    wide = np.uint64 if ids.dtype.kind == "u" else np.int64  # every dtype has room for the buckets then
    remainders = (ids.astype(wide) % wide(buckets)).astype(np.int64)
    remainders = (remainders + 1) % buckets
    return np.stack([remainders * (prime % buckets) % buckets for prime in primes])
