"""Golden cases of the rows of hashed ids."""

from ...case import listed, project, suite

CANINE = project("transformers", "5.23.0", "models/canine/modeling_canine.py", "_hash_bucket_tensors")
value, refused = suite("hash_rows", CANINE)
PRIMES = [31, 43, 59, 61, 73, 97, 103, 113]
FLAGS = ("OffByOne", "LongContextInteger")
TEXT = (0, 32, 104, 16383, 16384, 57344, 57345, 1114111)


def _ids(values=TEXT, shape=None):
    return {"ids": listed(values, shape=shape)}


CASES = [
    value("canine", "CANINE: 8 tables of 16384 rows", primes=PRIMES, buckets=16384, inputs=_ids(), flags=FLAGS),
    value("batch", "ids of shape (2, 4)", primes=[31, 43], buckets=16384, inputs=_ids(shape=(2, 4)), flags=FLAGS),
    value("small", "7 rows", primes=[31, 7], buckets=7, inputs=_ids(), flags=FLAGS),
    value("one-row", "tables of one row", primes=[31], buckets=1, inputs=_ids(), flags=FLAGS),
    value("far", "ids to the ends of int64: no product wraps", primes=[2**31 - 1, 2**31], buckets=2**31 - 1,
          inputs=_ids((-(2**63), -1, 2**31 - 1, 2**63 - 1)), flags=FLAGS),
    value("empty", "no ids", primes=[31], buckets=5, inputs=_ids(())),
    refused("floats", "ids that are floats", "E_DTYPE", "ids", primes=[31], buckets=5,
            inputs={"ids": listed((1.0,), "float64")}),
    refused("primes-none", "no table", "E_SHAPE", "primes", primes=[], buckets=5, inputs=_ids()),
    refused("prime-zero", "a prime of 0", "E_SIZE", "primes", primes=[0], buckets=5, inputs=_ids()),
    refused("buckets-zero", "tables without rows", "E_SIZE", "buckets", primes=[31], buckets=0, inputs=_ids()),
]
