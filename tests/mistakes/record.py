"""Plants: a call of refpos, a program in its place, and the words that a good diagnosis of its numbers has.

A program is written once for each group, with its stages as keywords; a mistake replaces some of them. The accepted
words are written beside the mistake, before any answer is seen: alternatives are separated by "|", and all words of one
must be in the answer. A word that is a number is compared as a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

DTYPES = {"float32": np.float32, "bfloat16": ml_dtypes.bfloat16, "float16": np.float16}


class Setting(NamedTuple):
    """What every plant is made in: a format and a length."""

    dtype: str
    long: bool

    @property
    def number(self):
        """The scalar type of the format."""
        return DTYPES[self.dtype]

    def pick(self, short, long):
        """The size for a short and for a long program."""
        return long if self.long else short

    def normal(self, *shape, seed=0):
        """Random activations or weights in the format."""
        return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(self.number)


SETTINGS = [Setting(dtype, long) for long in (False, True) for dtype in DTYPES]


class Call(NamedTuple):
    """A call of refpos: what was asked for."""

    function: Callable
    args: tuple
    keywords: dict

    def __str__(self):
        told = [short(value) for value in self.args]
        told += [f"{name}={short(value)}" for name, value in self.keywords.items()]
        return f"refpos.{self.function.__name__}({', '.join(told)})"


def short(value):
    """An argument in a line: arrays by shape and dtype."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."


class Plant(NamedTuple):
    """A program, the call that it should have computed, and what an answer must have.

    `kind` is "one" mistake, a "pair" of them, one in a "region", or "right" for a program without. `plain` is the
    program without its mistakes.
    """

    name: str
    family: str
    kind: str
    ask: Callable[[Setting], Call]
    made: Callable[[Setting], Any]
    plain: Callable[[Setting], Any]
    accepted: tuple[frozenset[str], ...]
    where: tuple[frozenset[str], ...] = ()


def words(text):
    """'base 500000 | theta 500000' as sets of words."""
    return tuple(frozenset(part.split()) for part in text.split("|"))


def both(first, second):
    """All ways to accept two mistakes at once."""
    return tuple(dict.fromkeys(a | b for a in first for b in second))


class Group(NamedTuple):
    """The plants of one program: mistakes by name, pairs of them, regions of some, and right variants."""

    family: str
    name: str
    ask: Callable[[Setting], Call]
    program: Callable[..., Any]
    mistakes: Mapping[str, tuple[dict, str]]
    pairs: tuple[str, ...] = ()
    regions: Mapping[str, tuple[Callable, str]] = MappingProxyType({})
    right: Mapping[str, dict] = MappingProxyType({})

    def plants(self):
        """All plants of the group."""
        for name, (stages, text) in self.mistakes.items():
            yield self.plant(name, "one", stages, words(text))
        for pair in self.pairs:
            (first, said), (second, other) = (self.mistakes[name] for name in pair.split(" + "))
            yield self.plant(pair, "pair", first | second, both(words(said), words(other)))
        for name, (mask, where) in self.regions.items():
            base = name.split(" @ ")[0]
            stages, text = self.mistakes[base]
            yield self.plant(name, "region", stages, words(text), mask, words(where))
        for name, stages in self.right.items():
            yield self.plant(name, "right", stages, ())

    def plant(self, name, kind, stages, accepted, mask=None, where=()):
        """The plant whose program has these stages, within the elements of `mask` where there is one."""

        def made(setting):
            wrong = self.program(setting, **stages)
            return wrong if mask is None else inside(mask, wrong, self.program(setting))

        return Plant(f"{self.name}: {name}", self.family, kind, self.ask, made, self.program, accepted, where)


def inside(mask, wrong, right):
    """The wrong numbers in the slices that `mask` gives for an array of that shape, the right ones elsewhere."""
    if isinstance(wrong, tuple):
        return tuple(inside(mask, *parts) for parts in zip(wrong, right, strict=True))
    result = np.array(right)
    chosen = mask(result.shape)
    result[chosen] = wrong[chosen]
    return result


def last_rows(share):
    """The last rows of the second last axis, that share of them."""
    return lambda shape: (..., slice(shape[-2] - shape[-2] // share, None), slice(None))


def first_rows(share):
    """The first rows of the second last axis, that share of them."""
    return lambda shape: (..., slice(0, shape[-2] // share), slice(None))


def one_head(head):
    """One row of the third last axis."""
    return lambda shape: (..., head, slice(None), slice(None))


def one_batch(row):
    """One row of the first axis."""
    return lambda shape: (row,)


def columns(share):
    """The last channels, that share of them."""
    return lambda shape: (..., slice(shape[-1] - shape[-1] // share, None))
