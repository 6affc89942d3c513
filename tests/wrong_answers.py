"""Wrong answers to golden cases: what a broken program gives in place of the tensor that is expected."""

import numpy as np

from refpos.arithmetic import formats, rounding
from refpos.tensor_files import Tensor


def numbers(tensor):
    """The values of a tensor as float64."""
    if tensor.dtype == "bfloat16":
        return rounding.widen(tensor.values, formats.FORMATS["bfloat16"]).astype(np.float64)
    return np.asarray(tensor.values).astype(np.float64)


def tensor_like(tensor, values):
    """Numbers rounded to the dtype of a tensor."""
    kind, values = (
        np.asarray(tensor.values).dtype,
        np.ascontiguousarray(values, np.float64).reshape(tensor.values.shape),
    )
    if tensor.dtype in formats.FORMATS:
        narrowed = np.asarray(rounding.narrow(values, formats.FORMATS[tensor.dtype])).view(kind)
        return Tensor(tensor.dtype, narrowed.reshape(tensor.values.shape))  # an output without axes stays one
    return Tensor(tensor.dtype, np.nan_to_num(np.clip(values, -(2**62), 2**62)).astype(kind))


def size_of(values):
    """The largest finite magnitude."""
    magnitudes = np.abs(values)
    return float(magnitudes.max(initial=0.0, where=np.isfinite(magnitudes)))


def error_of(values, wrong):
    """How far each element is off; NaN for NaN and an infinity for itself are right."""
    with np.errstate(all="ignore"):
        same = (values == wrong) | (np.isnan(values) & np.isnan(wrong))
        return np.where(same, 0.0, np.nan_to_num(np.abs(values - wrong), nan=np.inf))


def random(values):
    return np.random.default_rng(values.size).uniform(-1, 1, values.shape) * (size_of(values) or 1)


def finite(change):
    """A change of what is finite; masks, infinities and NaN are easy to have right."""
    return lambda values: np.where(np.isfinite(values), change(values), values)


def at_the_largest(value):
    def changed(values):
        flat = values.reshape(-1).copy()
        flat[np.abs(np.where(np.isfinite(flat), flat, 0)).argmax()] = value
        return flat.reshape(values.shape)

    return changed


def last_row_zero(values):
    return np.where(np.arange(len(values)).reshape(-1, *[1] * (values.ndim - 1)) == len(values) - 1, 0.0, values)


def columns_exchanged(values):
    order = np.arange(values.shape[-1])
    order[[0, -1]] = order[[-1, 0]]
    return values[..., order]


#: kind -> what is made of the numbers that are expected, of which there is at least one, along at least one axis
WRONG = {
    "zeros": np.zeros_like,
    "zeros but for masks": finite(np.zeros_like),
    "ones": np.ones_like,
    "sign": np.negative,
    "random": random,
    "random but for masks": finite(random),
    "1 %": lambda values: values * 1.01,
    "0.1 %": lambda values: values * 1.001,
    "rolled": lambda values: np.roll(values, 1, 0),
    "channels rolled": lambda values: np.roll(values, 1, -1),
    "reversed": lambda values: values.reshape(-1)[::-1].reshape(values.shape),
    "NaN": lambda values: np.full_like(values, np.nan),
    "infinity": lambda values: np.full_like(values, np.inf),
    "one zero": at_the_largest(0.0),
    "one NaN": at_the_largest(np.nan),
    "last row zero": last_row_zero,
    "columns exchanged": columns_exchanged,
}
#: those that no class may hold
NEVER = ("zeros", "zeros but for masks", "ones", "sign", "random", "random but for masks", "NaN", "infinity", "one NaN")


def wrong_answers(outputs, kinds=tuple(WRONG)):
    """(kind, answers, largest share of its size by which an output is off, how many elements by half of it or more) of
    the kinds by which some element is off by more than 0.1 %."""
    for kind in kinds:
        answered, share, off = {}, 0.0, 0
        for name, tensor in outputs.items():
            values = numbers(tensor)
            with np.errstate(all="ignore"):
                made = WRONG[kind](np.atleast_1d(values)) if values.size else values
                answered[name] = tensor_like(tensor, made)
                shares = error_of(values, numbers(answered[name])) / (size_of(values) or 1)
            share, off = max(share, shares.max(initial=0.0)), off + int((shares >= 0.5).sum())
        if share > 1e-3:
            yield kind, answered, share, off
