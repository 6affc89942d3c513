"""Mutation of the corpus by call: every argument of every function is changed, and the changed call must fail a case.

A mutant is one way in which a port may read an argument wrongly: one choice as another, a flag flipped, a number
moved, an argument ignored. It is made of the case's own call, so it needs no list: choices come from the types of the
parameters, as those of `refpos.diagnosis.choices` do. A case tells a mutant when the outputs of the changed call meet
no class of the case. A changed call that is refused says nothing.
"""

from __future__ import annotations

import collections
import collections.abc
import types
import typing
from functools import cache
from numbers import Real
from typing import NamedTuple

import numpy as np
from hints import hints_of

from refpos import catalogue
from refpos.arithmetic import formats, rounding
from refpos.diagnosis import choices, judge
from refpos.diagnosis.bounds import bounds_of
from refpos.diagnosis.call import Call, is_call
from refpos.errors import InputError
from refpos.golden import discover, run, suite_names
from refpos.tensor_files import Tensor

#: how far a real number moves: what ports confuse is further apart, and each format tells it
MOVES = {"float64": 0.01, "float32": 0.01, "float16": 0.125, "bfloat16": 0.125, "int64": 0.01}
#: arguments that name the form of a result, not its numbers
FORM = ("dtype", "out", "threads", "view", "outputs")
#: arguments without mutants: names of calendars and clocks, and frequencies that are required
WITHOUT = frozenset(("frequency", "zone", "frequencies"))
#: the arguments of `frequencies=` in the cases of a suite, as a suite of its own: who tests one suite sees its cases
NESTED = {"rope_table frequencies": "rope_table", "rope frequencies": "rope"}
SCALINGS = ("linear", "ntk", "dynamic_ntk", "yarn", "ntk_by_parts", "longrope", "llama3", "proportional")


class Mutant(NamedTuple):
    """One way to read an argument wrongly; `made` gives the changed calls of a call, none where it does not apply."""

    name: str
    made: typing.Callable


class Verdict(NamedTuple):
    """What the cases of one dtype say of a mutant: the id of the first case that it fails, how many cases have the
    value that it changes, and how many of the changed calls were computed."""

    case: str | None
    carried: int = 0
    computed: int = 0


# -- mutants ----------------------------------------------------------------------------------------------------------


@cache
def mutants_of(function, dtype):
    """The mutants of a function for cases of a dtype."""
    found = []
    for name, hint in hints(function).items():
        found += _of_argument(function, name, hint, MOVES[dtype])
    return found


@cache
def hints(function):
    """{parameter: its type} of the parameters that change the numbers of a result."""
    entry = catalogue.find(function)
    known = hints_of(entry.function)
    form = set(FORM) - {"outputs"} if entry.is_vjp else FORM  # of a gradient, it says of which result
    return {name: known[name] for name in entry.parameters if name not in form}


def _of_argument(function, name, hint, move):
    entry = catalogue.find(function)
    alone, inside = set(_numbers(hint, False)), set(_numbers(hint, True))
    values = choices._choices(function).get(name, ())
    found = [_replaced(name, one, other) for one in values for other in values if one is not other]
    default = entry.defaults.get(name, ...)
    if default is None and values:
        found += [m for one in values for m in (_replaced(name, None, one), _replaced(name, one, None))]
    if int in alone:
        steps = (_stepped(move),) if float in alone else (_added(1), _added(-1))
        found += [_changed(name, step.__doc__, step) for step in steps]
    if default is None and int in alone:
        found.append(Mutant(f"{name}: None -> a number", lambda call: _given(call, name)))
    if _is_array(hint):
        found.append(Mutant(f"{name}: elements moved", lambda call: _array_moved(call, name, move)))
    elif inside - {str}:
        found += [_changed(name, what, _listed(what, move, float in inside)) for what in ("first", "last")]
    if _is_list(hint) and not _is_array(hint) and name != "outputs":  # a gradient is that of one result
        found.append(_changed(name, "reversed", _listed("reversed", move, False)))
    if default is not ... and not values:
        found.append(Mutant(f"{name}: ignored", lambda call: _ignored(call, name, default)))
    return found


def _numbers(hint, inside):
    """The kinds of numbers that a type allows alone, or inside lists."""
    if _is_list(hint) and typing.get_origin(hint) is collections.abc.Sequence:
        return [kind for one in typing.get_args(hint) for kind in _leaves(one)] if inside else []
    if hint in (int, float):
        return [] if inside else [hint]
    return [kind for one in _union(hint) for kind in _numbers(one, inside)]


def _union(hint):
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


def _leaves(hint):
    """The kinds of numbers and names in a list, however deep."""
    if typing.get_origin(hint) is typing.Literal:
        return [str]
    return [hint] if hint in (int, float) else [kind for one in typing.get_args(hint) for kind in _leaves(one)]


def _is_list(hint):
    return "Sequence[" in str(hint).replace("_NestedSequence[", "")


def _is_array(hint):
    if typing.get_origin(hint) is collections.abc.Sequence:  # a list, also where its items may be arrays
        return False
    return "_SupportsArray" in str(hint) or "ndarray" in str(hint)


def built_in(function, calls):
    """The mutants of a port that has a number built in: that of most of these calls of a function, where it is not the
    default, which an argument that is ignored leaves."""
    found = []
    for name, hint in hints(function).items():
        values = [value_of(call, name) for call in calls if name not in call.tensors]
        numbers = collections.Counter(one for one in values if _is_number(one))
        if {int, float} & set(_numbers(hint, False)) and numbers:
            ((most, _),) = numbers.most_common(1)
            if not _same(most, catalogue.find(function).defaults.get(name)):
                found.append(_always(name, most))
    return found


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def _always(name, most):
    def made(call):
        value = value_of(call, name)
        if name not in call.tensors and _is_number(value) and value != most:
            yield call.change(**{name: most})

    return Mutant(f"{name}: always {most!r}", made)


# -- changed calls ----------------------------------------------------------------------------------------------------


def value_of(call, name):
    """The value of an argument, with its default; None where it is left out."""
    return call.arguments.get(name, catalogue.find(call.suite).defaults.get(name))


def _replaced(name, one, other):
    def made(call):
        if name in call.tensors or not _same(value_of(call, name), one):
            return
        yield call.without(name) if other is None else call.change(**{name: other})

    return Mutant(f"{name}: {one!r} -> {other!r}", made)


def _same(value, one):
    return type(value) is type(one) and value == one


def _changed(name, what, change):
    def made(call):
        value = value_of(call, name)
        for other in [] if name in call.tensors or value is None else change(value):
            if other is not None and not _same(other, value):
                yield call.change(**{name: other})

    return Mutant(f"{name}: {what}", made)


def _added(step):
    def change(value):
        if type(value) is int:
            yield value + step

    change.__doc__ = f"{step:+d}"
    return change


def _stepped(move):
    def change(value):
        if isinstance(value, Real) and not isinstance(value, bool) and value == value and abs(value) != float("inf"):
            yield float(value) * (1 + move) if value else move

    change.__doc__ = "moved"
    return change


def _listed(what, move, real):
    """Changes of a list: its first or last number moved, or all in the reverse order."""
    steps = (_stepped(move),) if real else (_added(1), _added(-1))

    def leaf(value, at):
        if isinstance(value, (list, tuple)) and value:
            for other in leaf(value[at], at):
                changed = list(value)
                changed[at] = other
                yield changed
        else:
            for step in steps:
                yield from step(value)

    def change(value):
        if isinstance(value, (list, tuple)) and len(value):
            yield from [list(value[::-1])] if what == "reversed" else leaf(value, 0 if what == "first" else -1)

    return change


def _given(call, name):
    if name not in call.tensors and value_of(call, name) is None:
        yield from (call.change(**{name: number}) for number in (0, 1, 2, 3))


def _ignored(call, name, default):
    if name in call.tensors:
        yield call._replace(tensors={key: one for key, one in call.tensors.items() if key != name})
    elif name in call.arguments and not _same(call.arguments[name], default):
        yield call.without(name) if default is None else call.change(**{name: default})


def _array_moved(call, name, move):
    """An array with its last number moved; positions that are counted from 1."""
    value = call.tensors.get(name)
    if value is None:
        given = call.arguments.get(name)
        if type(given) is int and name in ("positions", "timesteps"):
            yield call.given(**{name: Tensor("int64", np.arange(1, given + 1))})
        if type(given) is int and name in choices.SIZES:
            yield call.change(**{name: {"function": "affine", "arguments": {"size": given, "start": 1}}})
        for at in ("first", "last"):
            yield from (call.change(**{name: other}) for other in _listed(at, 1 / 128, True)(given))
        return
    if value.values.size:
        for values in _arrays(value, move):
            yield call.given(**{name: value._replace(values=values)})


def _arrays(tensor, move):
    kind, values = tensor.dtype, tensor.values
    if kind in formats.FORMATS:
        fmt = formats.FORMATS[kind]
        wide = rounding.widen(values.view(fmt.storage), fmt).astype(np.float64)
        with np.errstate(all="ignore"):
            yield rounding.narrow(wide * (1 + move), fmt).view(values.dtype).reshape(values.shape)
            yield rounding.narrow(wide + 1, fmt).view(values.dtype).reshape(values.shape)
        return
    steps = (1,) if kind == "bool" or values.dtype.kind == "u" else (1, -1)
    for at in (-1, 0):
        for step in steps:
            changed = values.copy().reshape(-1)
            with np.errstate(over="ignore"):
                changed[at] = ~changed[at] if kind == "bool" else changed[at] + np.array(step, changed.dtype)
            yield changed.reshape(values.shape)


# -- verdicts ---------------------------------------------------------------------------------------------------------


def call_of(case):
    """The call of a case."""
    arguments = {name: run.call(value) for name, value in run.arguments_of(case).items()}
    return Call(case.suite, arguments, run.inputs_of(case))


class Told(NamedTuple):
    """A case with what its mutants are judged by."""

    id: str
    call: Call
    outputs: dict
    limits: dict

    def fails(self, call):
        """Whether the outputs of a changed call meet no class of the case; None where the call is refused."""
        try:
            answered = call.outputs()
        except InputError:
            return None
        if set(answered) != set(self.outputs):
            return True
        if any(judge.unusable(answered[name], one) for name, one in self.outputs.items()):
            return True
        if all(judge._identical(answered[name], one) for name, one in self.outputs.items()):
            return False
        return not judge.met_by_all(judge.reports_of(self.call, self.outputs, answered, limits=self.limits))


def told(case):
    """The case, computed."""
    call = call_of(case)
    outputs = call.outputs()
    return Told(case.id, call, outputs, bounds_of(*call, outputs))


def cases_of(suite):
    """{dtype: its cases} of the core tier of a suite, without refusals."""
    found = {}
    for case in discover.cases(NESTED.get(suite, suite), tier="core"):
        if not case.refusal:
            found.setdefault(discover.output_dtype(case), []).append(case)
    return found


def verdicts(suite, dtype, cases):
    """{mutant: its Verdict} of the cases of a dtype, of {dtype: cases} of the suite."""
    known = sorted(map(told, cases[dtype]), key=lambda one: sum(out.values.size for out in one.outputs.values()))
    calls = [call_of(case) for members in cases.values() for case in members]
    if suite in NESTED:
        mutants = nested_mutants(dtype)
    else:
        mutants = [*mutants_of(suite, dtype), *built_in(suite, calls)]
    return {mutant.name: _verdict(mutant, known) for mutant in mutants}


def _verdict(mutant, known):
    carried = computed = 0
    for case in known:
        calls = list(mutant.made(case.call))
        carried += bool(calls)
        for call in calls:
            fails = case.fails(call)
            computed += fails is not None
            if fails:
                return Verdict(case.id, carried, computed)
    return Verdict(None, carried, computed)


def nested_mutants(dtype):
    """The mutants of the arguments of `frequencies=`, of the scalings that ports have."""
    found = []
    for name in SCALINGS:
        found += [_nested(name, mutant) for mutant in mutants_of(name, dtype) if ": " in mutant.name]
    return found


def recipe_of(call):
    """The call that makes the `frequencies=` of a call, or None."""
    recipe = call.arguments.get("frequencies")
    return Call(recipe["function"], recipe["arguments"], {}) if is_call(recipe) else None


def _nested(function, mutant):
    def made(call):
        recipe = recipe_of(call)
        if recipe is not None and recipe.suite == function:
            for changed in mutant.made(recipe):
                if not changed.tensors:
                    yield call.change(frequencies={"function": function, "arguments": changed.arguments})

    return Mutant(f"{function} {mutant.name}", made)


# -- the score --------------------------------------------------------------------------------------------------------


class Score(NamedTuple):
    """How many mutants of a suite the cases of a dtype tell, of how many, and the names of the others."""

    told: int
    of: int
    left: tuple[str, ...]


def score(suite, chosen=cases_of):
    """{dtype: Score} of a suite. A mutant that every call refuses is none: a port that has it refuses too."""
    cases = chosen(suite)
    found = {dtype: verdicts(suite, dtype, cases) for dtype in cases}
    names = {name for held in found.values() for name in held}
    none = {name for name in names if _is_refused([held[name] for held in found.values() if name in held])}
    return {dtype: _score(held, none) for dtype, held in found.items()}


def _score(held, none):
    counted = {name: one for name, one in held.items() if name not in none and not _is_refused([one])}
    left = tuple(sorted(name for name, one in counted.items() if one.case is None))
    return Score(len(counted) - len(left), len(counted), left)


def _is_refused(held):
    return any(one.carried for one in held) and not any(one.computed for one in held)


def scored(suites=()):
    """{suite: {dtype: Score}} of some suites, or of all, and of the arguments of `frequencies=`."""
    return {suite: score(suite) for suite in suites or (*suite_names(), *NESTED)}
