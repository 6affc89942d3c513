"""Every function of the catalogue beside the plain NumPy program of it, at two sizes.

The programs are those of tests/float32, one for each function, in float32 or integers; a call is a golden case, and the
same with more tokens or channels. Before a call is timed, the program must give it within the error bound of its class,
and integers must be equal.
"""

import statistics
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from refpos import catalogue
from refpos.cli import measure
from refpos.conformance import registry
from refpos.diagnosis.call import array_of, passed, results
from refpos.golden.run import arguments_of, call, inputs_of
from refpos.tensor_files import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the tests import each other by their bare names

import test_float32
from float32 import integers
from proving import REGISTER

FLOATS = ("float32", "float64")
MOST = 1 << 18  # numbers of the larger call
TIMES = (4, 16)  # how many times as many tokens or channels the larger call has
#: arguments that grow together: of tokens, of rows, of channels
COUNTS = {
    "tokens": {"positions", "query_len", "key_len", "length", "query_positions", "key_positions", "text_length"},
    "sides": {"height", "width", "frames", "size"},
    "channels": {"dim", "n", "num_heads", "channels"},
}
#: arrays that grow with them, and the axis on which their numbers are repeated
AXES = {
    "tokens": {"positions": -1, "timesteps": -1, "times": -1, "t": -1, "position_ids": -1, "relative_positions": -1,
               "x": -2, "q": -2, "k": -2, "v": -2, "coordinates": 0, "points": 0, "paths": 0},
    "sides": {"x": -2},
    "channels": {"inv_freq": -1, "short_factor": -1, "long_factor": -1, "weight": -1},
    "batches": {"x": 0, "q": 0, "k": 0, "v": 0, "scores": 0, "logits": 0, "outputs": 0, "log_sums": 0, "boxes": 0,
                "rows": 0, "attention_mask": 0, "probabilities": 0, "hidden": 0, "bias": 0, "table": 0, "cache": 0},
}  # fmt: skip


class Given(NamedTuple):
    """A call as data: its arguments, those among them that the call itself gives, and its arrays."""

    name: str
    arguments: dict
    explicit: dict
    tensors: dict


class Row(NamedTuple):
    """How many numbers a call of a function has, and the seconds that refpos and the program take."""

    name: str
    numbers: int
    refpos: float
    plain: float


def program_of(name):
    """The plain program of a function; None where there is none."""
    return REGISTER[name].function if name in REGISTER else getattr(integers, name, None)


def without_program():
    """{function: why it has no program}."""
    return {name: _reason(entry) for name, entry in catalogue.ENTRIES.items() if program_of(name) is None}


def _reason(entry):
    if entry.copies:
        return f"copies numbers of {entry.copies}, as np.take does"
    if entry.whole:
        return "integers by a rule of several steps"
    return registry.reason_for_none(entry)


# -- calls ------------------------------------------------------------------------------------------------------------


def calls_of(name):
    """The golden cases of a function that the program gives, largest first, as (numbers, `Given`)."""
    cases = next(filter(None, (_cases(name, kinds) for kinds in (["float32"], FLOATS, None))))
    found = []
    for case in cases:
        explicit = {key: value for key, value in case.arguments.items() if key != "dtype"}
        given = Given(name, arguments_of(case), explicit, inputs_of(case))
        if agrees(given):
            found.append((numbers_of(given), given))
    return sorted(found, key=lambda one: -one[0])


def _cases(name, kinds):
    return [case for case in test_float32.cases_of(name, kinds) if not case.refusal]


def numbers_of(given):
    """How many numbers refpos returns."""
    return sum(tensor.values.size for tensor in results_of(given).values())


def results_of(given):
    """What refpos returns, by name."""
    return results(given.name, {key: call(value) for key, value in given.arguments.items()}, given.tensors)


def agrees(given):
    """Whether the program takes the call, and gives it within the bound of its class, or exactly."""
    try:
        if given.name in REGISTER:
            formula = REGISTER[given.name]
            explicit = given.arguments if formula.defaults else given.explicit
            worst, count = test_float32.shares(given.name, given.arguments, given.tensors, formula, explicit)
            return count > 0 and worst <= 1
        wanted, found = results_of(given), plain_call(given)()
        found = found if isinstance(found, tuple) else (found,)
        pairs = [(tensor.values, np.asarray(part)) for tensor, part in zip(wanted.values(), found, strict=True)]
        return all(a.shape == b.shape and a.size and (a == b).all() for a, b in pairs)
    except Exception:  # of whatever kind a program raises that was not written for the call
        return False


def grown(given, numbers):
    """The call with more tokens, rows, channels or batches, of at most MOST numbers: the largest of each."""
    for kind in AXES:
        found = None
        for times in TIMES:
            one = _grown(given, kind, times)
            try:
                size = numbers_of(one)
            except Exception:  # of whatever kind a call raises whose arguments do not fit each other
                break
            if not numbers < size <= MOST:
                break
            found = size, one
        if found:
            yield found


def _grown(given, kind, times):
    """The call with `times` as many of one kind."""
    counts, axes = COUNTS.get(kind, ()), AXES[kind]
    more = {key: value * times for key, value in given.arguments.items() if key in counts and type(value) is int}
    tensors = dict(given.tensors)
    for key in axes.keys() & tensors.keys():
        values = tensors[key].values
        if -values.ndim <= axes[key] < values.ndim:
            tensors[key] = Tensor(tensors[key].dtype, np.concatenate([values] * times, axis=axes[key]))
    explicit = {**given.explicit, **{key: value for key, value in more.items() if key in given.explicit}}
    return Given(given.name, {**given.arguments, **more}, explicit, tensors)


def few_and_many(name):
    """Two calls of a function as (numbers, `Given`), of few and of many numbers; fewer where there are no two."""
    known = calls_of(name)
    if not known:
        return []
    larger = next((one for one in grown(known[0][1], known[0][0]) if agrees(one[1])), None)
    calls = [known[0], larger] if larger else [known[-1], known[0]]
    return calls if calls[0][0] < calls[1][0] else calls[:1]


# -- times ------------------------------------------------------------------------------------------------------------


def refpos_call(given):
    """The call of the function, with its arguments made."""
    entry = catalogue.find(given.name)
    arguments = {key: passed(key, call(value)) for key, value in given.arguments.items()}
    arrays = {key: array_of(key, tensor) for key, tensor in given.tensors.items()}
    if entry.family != "frequencies":
        return partial(entry.function, **arguments, **arrays)
    dtype = arguments.pop("dtype", "float64")
    return lambda: entry.function(**arguments, **arrays).rounded(dtype)


def plain_call(given):
    """The call of the program, with its arrays made."""
    if given.name not in REGISTER:
        arguments = {key: test_float32.plain(value) for key, value in given.explicit.items()}
        return partial(program_of(given.name), **arguments, **{k: one.values for k, one in given.tensors.items()})
    formula = REGISTER[given.name]
    explicit = given.arguments if formula.defaults else given.explicit
    return partial(formula.function, **test_float32.given_to(formula, explicit, given.tensors, results_of(given)))


def rows(runs, only=None):
    """The `Row` of each call of each function that has a program."""
    for name in sorted(catalogue.ENTRIES):
        if program_of(name) and (not only or name in only):
            print(name, file=sys.stderr, flush=True)
            for numbers, given in few_and_many(name):
                calls = {"refpos": refpos_call(given), "plain": plain_call(given)}
                with np.errstate(all="ignore"):
                    taken = measure.interleave(calls, runs, pause=0)
                yield Row(name, numbers, *(statistics.median(taken[key]) for key in calls))


def described(found, names):
    """The table and the functions that are not in it, as Markdown, line by line; names: those that were asked for."""
    yield "| function | numbers | refpos µs | program µs | program, times refpos |"
    yield "| --- | --- | --- | --- | --- |"
    for row in found:
        times = f"{row.refpos * 1e6:.1f} | {row.plain * 1e6:.1f} | {row.plain / row.refpos:.3g}"
        yield f"| {row.name} | {row.numbers} | {times} |"
    absent = {name: why for name, why in without_program().items() if name in names}
    timed = {row.name for row in found}
    absent |= {name: "the program takes none of the calls" for name in names if name not in timed | absent.keys()}
    for why in sorted(set(absent.values())):
        yield ""
        yield f"Not timed, {why}: {', '.join(sorted(name for name in absent if absent[name] == why))}."
