"""Doors of refpos through which arrays come in, as functions of what makes the array of some values."""

import numpy as np
import pytest

import refpos
from refpos import conversion, emulate, golden, plots, testing
from refpos.errors import InputError
from refpos.tensor_files import tensor

#: values that bfloat16 and 8-bit floats have
X = np.float32([[0.5, -1.25, 2.0, 3.5], [1.0, 0.25, -0.75, 8.0], [-2.0, 6.0, 1.5, 0.125]])
(CASE,) = testing.cases("alibi_slopes/recursive-6-f32")

LAYOUTS = [conversion.layout(4, pairing=pairing) for pairing in ("half", "interleaved")]


def failed(call):
    """What a failed assertion says."""
    with pytest.raises(AssertionError) as caught:
        call()
    return str(caught.value)


#: doors whose result has the format of the array, as functions of what makes the array of values
OF_A_FORMAT = {
    "x of rope": lambda make: refpos.rope(make(X), 3, pairing="half"),
    "weight of learned": lambda make: refpos.learned(make(X), [2, 0]),
    "weight of per_dim_scale": lambda make: refpos.scores.per_dim_scale(make(X), 4),
    "x of an emulation": lambda make: emulate.float32_angle(refpos.rope, make(X), 3, pairing="half"),
    "x of a diagnosis": lambda make: str(refpos.diagnose(make(X), refpos.rope, make(X), 3, pairing="half")),
    "x of an assertion": lambda make: failed(lambda: testing.assert_rope(make(X), make(X), 3, pairing="half")),
    "tensor without 8 bits": lambda make: tensor(make(X)),
}
MOVED = {"channels": lambda make: conversion.reorder(make(X), *LAYOUTS)}
#: doors where only the values count
VALUED = {
    "positions": lambda make: refpos.sinusoidal(make(X), 4),
    "points": lambda make: refpos.absolute.coordinate_sine(make(X), 16, order=[0, 1, 2, 3], factor="2pi"),
    "numbers": lambda make: refpos.frequencies.given_frequencies(make(X[1] ** 2)).inv_freq,
    "what is compared": lambda make: refpos.compare(make(X), X[::-1]).to_json(),
    "what it is compared with": lambda make: refpos.compare(X[::-1], make(X)).to_json(),
}
#: doors for answers, of the format of the call
ANSWERED = {
    "answer of a diagnosis": lambda make: str(refpos.diagnose(make(X), refpos.rope, X, 3, pairing="half")),
    "answer of an assertion": lambda make: failed(lambda: testing.assert_rope(make(X), X, 3, pairing="half")),
    "answer to a case": lambda make: failed(lambda: CASE.check(make(X.reshape(2, 6)[0]))),
    "answer in memory": lambda make: str(
        golden.verify({f"{CASE}/output": make(X.reshape(2, 6)[0])}, cases=[str(CASE)])
    ),
}
#: arguments of pictures, by "function argument", as the values and the call
PICTURES = {
    "heat_map table": (X, plots.heat_map),
    "heat_map wavelengths": (X[1] ** 2, lambda made: plots.heat_map(X, wavelengths=made)),
    "heat_map arguments": (X[1], lambda made: plots.heat_map("timestep_embedding", timesteps=made, dim=8)),
    "side_by_side tables": (X, lambda made: plots.side_by_side({"a": made})),
    "side_by_side more": (X, lambda made: plots.side_by_side(a=made)),
    "curves lines": (X[1], lambda made: plots.curves({"a": made})),
    "curves more": (X[1], lambda made: plots.curves(a=made)),
    "curves at": (X[1], lambda made: plots.curves(a=X[1], at=made)),
    "resizings weight": (X[..., None], lambda made: plots.resizings(made, (2, 3))),
    "resizings size": (np.array([2, 3]), lambda made: plots.resizings(X[..., None], made)),
    "resizings channel": (np.array(0), lambda made: plots.resizings(X[..., None], (2, 3), channel=made)),
    "rotation query": (X[0, :2], plots.rotation),
    "rotation key": (X[0, :2], lambda made: plots.rotation(key=made)),
    "rotation positions": (np.array([[2, 0], [5, 3]]), lambda made: plots.rotation(positions=made)),
    "rotation frequency": (np.array(0.5), lambda made: plots.rotation(frequency=made)),
    "clock_hands frequencies": (np.array(8), plots.clock_hands),
    "clock_hands pairs": (np.array([0, 2]), lambda made: plots.clock_hands(8, pairs=made)),
    "clock_hands positions": (np.array([0, 2]), lambda made: plots.clock_hands(8, positions=made)),
    "clock_hands base": (np.array(4.0), lambda made: plots.clock_hands(8, base=made)),
    "waves frequencies": (np.array(8), plots.waves),
    "waves pairs": (np.array([0, 2]), lambda made: plots.waves(8, pairs=made)),
    "waves positions": (np.array(8), lambda made: plots.waves(8, positions=made)),
    "waves base": (np.array(4.0), lambda made: plots.waves(8, base=made)),
    "counter positions": (np.array(8), plots.counter),
    "counter bits": (np.array(4), lambda made: plots.counter(8, made)),
    "counter base": (np.array(2.0), lambda made: plots.counter(8, 4, base=made)),
    "scalings dim": (np.array(8), plots.scalings),
    "scalings base": (np.array(64.0), lambda made: plots.scalings(8, base=made)),
    "scalings factor": (np.array(2.5), lambda made: plots.scalings(8, factor=made)),
    "scalings trained": (np.array(64), lambda made: plots.scalings(8, trained=made)),
    "float_errors dim": (np.array(8), lambda made: plots.float_errors(made, positions=[1, 64])),
    "float_errors base": (np.array(4.0), lambda made: plots.float_errors(8, positions=[1, 64], base=made)),
    "float_errors positions": (np.array([1, 64]), lambda made: plots.float_errors(8, positions=made)),
    "measured y": (X, lambda made: plots.measured(made, refpos.learned, X[::-1])),
    "measured inputs": (X, lambda made: plots.measured(X[::-1], refpos.learned, made)),
    "measured named": (X, lambda made: plots.measured(X[::-1], refpos.learned, x=made)),
    "measured asked": (X, lambda made: plots.measured(X[::-1], refpos.learned, X, asked=made)),
    "error_map actual": (X, lambda made: plots.error_map(made, X[::-1])),
    "error_map expected": (X, lambda made: plots.error_map(X[::-1], made)),
    "error_map bounds": (X**2, lambda made: plots.error_map(X[::-1], X, bounds={"float32-angle": made})),
    "sentence dim": (np.array(4), lambda made: plots.sentence("a b", ["rope"], dim=made)),
    "plot arguments": (X, lambda made: plots.plot("rope", x=made, positions=3)),
}
#: arguments of pictures that are words, settings or paths
WORDS = {"function", "ax", "theme", "words", "names", "name", "encodings", "classes", "dtype", "cases", "path"}
DOORS = {**OF_A_FORMAT, **MOVED, **VALUED, **ANSWERED}


def refusal(door, make):
    """The words with which a door refuses an array."""
    with pytest.raises(InputError) as caught:
        DOORS[door](make)
    return str(caught.value)


def plain(found):
    """A result as what can be compared: of arrays dtype, shape and bytes."""
    if isinstance(found, dict):
        return {name: plain(one) for name, one in found.items()}
    if isinstance(found, tuple):
        return [plain(one) for one in found]
    return (found.dtype.name, found.shape, found.tobytes()) if isinstance(found, np.ndarray) else found
