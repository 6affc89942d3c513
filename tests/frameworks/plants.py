"""Defects planted into live models: attributes, tensors, what a module takes and what it returns."""

import functools
from importlib import import_module

import torch

import refpos


def leave_unnamed(monkeypatch):
    """Let a comparison judge, and not search for the name of a mistake, which takes most of the time."""
    monkeypatch.setattr(import_module("refpos.diagnosis.diagnose"), "explanations", lambda *given, **named: ())


def assert_found(model, where, plant):
    """Plant a defect, and ask that the check names its place."""
    plant(model)
    found = refpos.check(model)
    off = {one.tensor.partition("(")[0] for one in found.of("differs")}
    assert found.status == 1 and where in off, [(one.tensor, one.sentence) for one in found.findings]


def part_of(model, path):
    """The module, or the object that is none, of a path; the model itself of an empty one."""
    return functools.reduce(getattr, path.split("."), model) if path else model


def attribute(path, **values):
    """A defect: attributes that have other values than the class gives them, or that a function makes of these."""

    def plant(model):
        module = part_of(model, path)
        for name, value in values.items():
            setattr(module, name, value(getattr(module, name)) if callable(value) else value)

    return plant


def tensor(path, change):
    """A defect: a buffer or a parameter that is changed."""

    def plant(model):
        outer, _, leaf = path.rpartition(".")
        module = model.get_submodule(outer)
        changed = change(getattr(module, leaf).detach()).contiguous()
        is_parameter = leaf in dict(module.named_parameters(recurse=False))
        setattr(module, leaf, torch.nn.Parameter(changed, requires_grad=False) if is_parameter else changed)

    return plant


def result(path, change, method="forward"):
    """A defect: what a method returns is changed."""
    return _wrapped(path, method, lambda function: lambda *given, **named: change(function(*given, **named)))


def given(path, change, method="forward"):
    """A defect: what a method takes first is changed."""
    return _wrapped(path, method, lambda function: lambda one, *more, **named: function(change(one), *more, **named))


def _wrapped(path, method, around):
    def plant(model):
        module = part_of(model, path)
        function = getattr(module, method)
        setattr(module, method, functools.wraps(function)(around(function)))

    return plant


def each(change):
    """The change of both of (cosines, sines)."""
    return lambda pair: tuple(change(one) for one in pair)


def halves(table):
    """A table whose columns repeat in pairs, repeated in halves."""
    return torch.cat([table[..., 0::2], table[..., 0::2]], -1)


def second_of_pair(table):
    """A table whose columns repeat in pairs, the second of each moved to the next pair."""
    return torch.stack([table[..., 0::2], table[..., 0::2].roll(1, -1)], -1).flatten(-2)


def second_half(table):
    """A table whose columns repeat in halves, those of the second half moved by one."""
    first = table[..., : table.shape[-1] // 2]
    return torch.cat([first, first.roll(1, -1)], -1)


def pairs(table):
    """A table whose columns repeat in halves, repeated in pairs."""
    return table[..., : table.shape[-1] // 2].repeat_interleave(2, -1)


def transposed(*sides):
    """Rows and columns of tokens exchanged; sides: frames, rows and columns."""
    return lambda table: table.reshape(-1, *sides, table.shape[-1]).transpose(-2, -3).reshape(table.shape)
