"""A call that is sent to workers: the bytes of a function and its arguments, which each worker reads once."""

import io
from functools import lru_cache

from ..guard import guarded
from ..steps.angles.frequencies import Frequencies, restored
from .need import need

BITS = 256  # of a frequency, which tell it from every other


@guarded
class Carried:
    """function(*pieces, **keywords), where the keywords may hold any frequencies: plain pickles hold no closures.

    told: what tells the call from every other, the same in every process.
    """

    def __init__(self, function, keywords, told=""):
        self.held, self.told = _dumped((function, keywords)), told

    def __call__(self, *pieces):
        """What the function returns."""
        function, keywords = _loaded(self.held)
        return function(*pieces, **keywords)


def token(*values):
    """A name for values, the same in every process."""
    base = need("dask.base")
    if not base.normalize_token._lookup.get(Frequencies):
        base.normalize_token.register(Frequencies, _known_by)
    return base.tokenize(*values)


def _known_by(frequencies):
    factor = frequencies.factor
    return (
        "refpos.Frequencies", frequencies.dim, tuple(frequencies.fixed(BITS)), factor.fixed(BITS), frequencies.axes,
    )  # fmt: skip


def _remembering(function, most):
    return lru_cache(maxsize=most)(function)


def _dumped(value):
    cloudpickle = need("cloudpickle")
    remembered = type(lru_cache(_remembering))

    class Pickler(cloudpickle.Pickler):
        """One that takes functions which remember what they returned."""

        def reducer_override(self, value):
            """How a value is pickled."""
            if isinstance(value, remembered) and not hasattr(value, "__qualname__"):
                return _remembering, (value.__wrapped__, value.cache_parameters()["maxsize"])
            if isinstance(value, Frequencies):  # those too that no call made
                return restored, (value.__getstate__(),)
            return super().reducer_override(value)

    held = io.BytesIO()
    Pickler(held).dump(value)
    return held.getvalue()


@lru_cache(maxsize=32)
def _loaded(held):
    """The function and its keywords, kept, so that frequencies are prepared once in each worker."""
    return need("pickle").loads(held)
