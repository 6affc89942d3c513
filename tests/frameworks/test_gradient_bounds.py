"""Gradients of torch.autograd within the error bounds of the gradients in a fixed order, over all golden cases; gradients
of programs with a fault beyond them."""

import numpy as np
import pytest
import torch
from torch_scores import PROGRAMS

from refpos import catalogue, golden
from refpos.conformance.derivations.exact_inputs import exact_values
from refpos.diagnosis import judge
from refpos.golden.bounds import bounds_of
from refpos.golden.run import arguments_of, call, inputs_of, results
from refpos.tensor_files import Tensor

FORMATS = {"sequence64": torch.float64, "sequence32": torch.float32}
KINDS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def read(case, arithmetic):
    """({argument: value}, {argument: tensor that trains}, the cotangent) of a golden case, in a format of torch."""
    options = {name: call(value) for name, value in arguments_of(case).items() if name not in ("dtype", "threads")}
    tensors, trained = inputs_of(case), {}
    for name, tensor in tensors.items():
        if tensor.dtype in KINDS:
            options[name] = trained[name] = torch.tensor(exact_values(tensor)).to(arithmetic).requires_grad_()
        else:
            options[name] = torch.tensor(np.asarray(tensor.values).astype(np.int64))
    for name in ("c", "length"):
        if name in options:
            options[name] = trained[name] = torch.tensor(float(options[name]), dtype=arithmetic, requires_grad=True)
    return options, trained, options.pop("cotangent").detach()


def answers_of(case, arithmetic, outputs, program=None, fault=None):
    """{output: Tensor} of a program of torch, rounded once to the dtypes of the arguments."""
    program = PROGRAMS[case.suite.removeprefix(catalogue.VJP)] if program is None else program
    options, trained, dy = read(case, arithmetic)
    dy = dy if fault is None else fault(dy)
    program(**options).backward(dy)
    made = {}
    for name, tensor in outputs.items():
        gradient = trained[name.removeprefix(catalogue.GRADIENT)]
        values = torch.zeros_like(gradient) if gradient.grad is None else gradient.grad
        made[name] = as_tensor(values.reshape(tensor.values.shape), tensor.dtype)
    return made


def as_tensor(values, dtype):
    values = values.detach().to(KINDS[dtype])
    return Tensor(dtype, values.view(torch.uint16).numpy() if dtype == "bfloat16" else values.numpy())


def cases_of(suite):
    """(case, its outputs, its bounds) of the golden cases whose arguments are finite."""
    for case in golden.cases(suite, tier="core"):
        tensors = {} if case.refusal else inputs_of(case)
        finite = all(np.isfinite(exact_values(one)).all() for one in tensors.values() if one.dtype in KINDS)
        if case.refusal or not finite:
            continue
        outputs = results(case.suite, arguments_of(case), tensors)
        if all(np.isfinite(exact_values(one)).all() for one in outputs.values()):
            yield case, outputs, bounds_of(case.suite, arguments_of(case), tensors, outputs)


def verdict(kind, outputs, answers, limits):
    """Whether the answers are within the bounds of a class: "met", "untold" where these exclude nothing, "refused"."""
    reports = judge.reports_of(None, outputs, answers, limits=limits)
    if kind in judge.met_by_all(reports) or "correct" in judge.met_by_all(reports):
        return "met"
    return "untold" if kind in judge.admitted_by_all(reports) else "refused"
