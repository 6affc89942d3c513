"""Gradients of torch.autograd within the error bounds of gradients in a fixed order, over all golden cases, and those
of programs with a fault beyond them."""

from fnmatch import fnmatchcase
from functools import cache

import numpy as np
import pytest
import torch

from refpos import catalogue, golden
from refpos.conformance.derivations.exact_inputs import exact_values
from refpos.diagnosis import judge
from refpos.golden.bounds import bounds_of
from refpos.golden.run import arguments_of, call, inputs_of, results
from refpos.tensor_files import Tensor

from . import torch_scores
from .torch_scores import PROGRAMS

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
        if case.suite == "vjp_fire":
            options[name] = trained[name] = torch.tensor(float(options[name]), dtype=arithmetic, requires_grad=True)
    return options, trained, options.pop("cotangent").detach()


def answers_of(case, arithmetic, outputs, programs=PROGRAMS):
    """{output: Tensor} of a program of torch, rounded once to the dtypes of the arguments."""
    program = programs[case.suite.removeprefix(catalogue.VJP)]
    options, trained, dy = read(case, arithmetic)
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


@cache
def cases_of(suite):
    """[(case, its outputs, its bounds)] of the golden cases whose arguments are finite."""
    found = []
    for case in golden.cases(suite, tier="core"):
        tensors = {} if case.refusal else inputs_of(case)
        finite = all(np.isfinite(exact_values(one)).all() for one in tensors.values() if one.dtype in KINDS)
        if case.refusal or not finite:
            continue
        outputs = results(case.suite, arguments_of(case), tensors)
        if all(np.isfinite(exact_values(one)).all() for one in outputs.values()):
            found.append((case, outputs, bounds_of(case.suite, arguments_of(case), tensors, outputs)))
    return found


def verdict(kind, outputs, answers, limits):
    """Whether the answers are within the bounds of a class: "met", "untold" where these exclude nothing, "refused"."""
    reports = judge.reports_of(None, outputs, answers, limits=limits)
    if kind in judge.met_by_all(reports) or "correct" in judge.met_by_all(reports):
        return "met"
    return "untold" if kind in judge.admitted_by_all(reports) else "refused"


def is_finite(answers):
    return all(np.isfinite(exact_values(one)).all() for one in answers.values())


#: {suite: how many golden cases have finite arguments and gradients}
COUNTS = {"vjp_attention": 134, "vjp_relative_scores": 67, "vjp_relative_values": 47, "vjp_xl_scores": 71,
          "vjp_deberta_scores": 59, "vjp_decomposed_scores": 53, "vjp_fire": 47}  # fmt: skip
#: a bias that all keys of a query share has the gradient 0, but for what is rounded
ALIKE = ("bias-column-f64", "bias-column-f32", "bias-column-bf16", "bias-one-f64", "bias-one-f32")
#: those whose bounds in a class exclude nothing: sums that cancel, or lie below the normal range
UNTOLD = {
    ("vjp_attention", "sequence64"): ALIKE,
    ("vjp_attention", "sequence32"): (
        *ALIKE,
        "order-queries-f64",
        "order-keys-f64",
        "order-values-f64",
        "far-f64",
        "tiny-f64",
    ),
    ("vjp_relative_scores", "sequence64"): ("order-keys-f64",),
    ("vjp_relative_scores", "sequence32"): ("order-keys-f64",),
    ("vjp_xl_scores", "sequence64"): ("order-terms-f64", "order-biases-f64"),
    ("vjp_xl_scores", "sequence32"): ("order-biases-f64",),
    ("vjp_deberta_scores", "sequence32"): ("order-queries-f64", "order-keys-f64"),
    ("vjp_fire", "sequence32"): ("subnormal-f64", "subnormal-f32"),
}
#: programs of float32 that overflow are in no class
OVERFLOW = ("vjp_attention/extreme-f32", "vjp_attention/extreme-bf16")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("suite", COUNTS)
def test_gradients_of_autograd_are_within_the_bounds(suite, kind):
    verdicts = {}
    for case, outputs, limits in cases_of(suite):
        answers = answers_of(case, FORMATS[kind], outputs)
        if kind == "sequence32" and case.id in OVERFLOW:
            assert not is_finite(answers)
        else:
            verdicts[case.id] = verdict(kind, outputs, answers, limits)
    untold = [f"{suite}/{slug}" for slug in UNTOLD.get((suite, kind), ())]
    overflown = len(OVERFLOW) if (suite, kind) == ("vjp_attention", "sequence32") else 0
    assert len(verdicts) == COUNTS[suite] - overflown
    assert {id: one for id, one in verdicts.items() if one != "met"} == dict.fromkeys(untold, "untold")


# -- faults -----------------------------------------------------------------------------------------------------------


SOFTMAX, VECTORS = torch_scores.softmax, torch_scores.vectors


def backward_of(forward, other):
    """The number of one program, whose gradient is that of another."""
    return other + (forward - other).detach()


def without_the_sum(scores, counts):
    """The softmax as if the sum of its exponentials did not depend on the scores."""
    hidden = scores.masked_fill(~counts, -torch.inf)
    most = hidden.amax(-1, keepdim=True).clamp(min=torch.finfo(hidden.dtype).min).detach()
    powers = torch.exp(hidden - most)
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30).detach()


def without_the_mask(scores, counts):
    return backward_of(SOFTMAX(scores, counts), scores.softmax(-1))


def wrapped(table, rows, lead=()):
    """Row -1 as an index of Python has it: the last one."""
    return VECTORS(table, torch.where(rows < 0, table.shape[-2] - 1, rows), lead)


def transposed(values):
    """The last two axes in the other order, as of a buffer that is written column by column."""
    return values.swapaxes(-1, -2).reshape(values.shape) if values.ndim > 1 else values


#: {what is wrong: {step of the program: what stands in its place}}
FAULTS = {
    "the scale is lost": {"scaled": lambda x, factor: backward_of(x * factor, x)},
    "the scale is applied twice": {"scaled": lambda x, factor: backward_of(x * factor, x * (factor * factor))},
    "the sum of the softmax is lost": {"softmax": without_the_sum},
    "the mask is ignored": {"softmax": without_the_mask},
    "the slope of the softcap is lost": {"capped": lambda x, cap: backward_of(torch.tanh(x / cap) * cap, x)},
    "row -1 is the last row": {"vectors": wrapped},
}
TRANSPOSED = "the axes of a gradient are transposed"
SCALED = {"vjp_attention": 105, "vjp_relative_scores": 27, "vjp_xl_scores": 31}
#: {what is wrong: {suite: how many cases it changes}}
CHANGED = {
    "the scale is lost": SCALED,
    "the scale is applied twice": SCALED,
    "the sum of the softmax is lost": {"vjp_attention": 97},
    "the mask is ignored": {"vjp_attention": 28},
    "the slope of the softcap is lost": {"vjp_attention": 16},
    "row -1 is the last row": {"vjp_relative_scores": 8, "vjp_relative_values": 4},
    TRANSPOSED: {"vjp_attention": 105, "vjp_relative_scores": 47, "vjp_relative_values": 27, "vjp_xl_scores": 43,
                 "vjp_deberta_scores": 37, "vjp_decomposed_scores": 33, "vjp_fire": 32},
}  # fmt: skip
#: cases without a number that a fault changes, or whose sums cancel
EDGES = ("order-*", "far-*", "tiny-*", "extreme-*", "subnormal-*", "one-*", "no-*")


def differing(suite, kind, steps=None):
    """{id: verdict} of the cases whose answers a fault changes: other steps of the program, or transposed axes."""
    found = {}
    for case, outputs, limits in cases_of(suite):
        if any(fnmatchcase(case.id, f"{suite}/{edge}") for edge in EDGES):
            continue
        right = answers_of(case, FORMATS[kind], outputs)
        if steps is None:
            wrong = {name: one._replace(values=transposed(one.values)) for name, one in right.items()}
        else:
            with pytest.MonkeyPatch.context() as patch:
                for name, step in steps.items():
                    patch.setattr(torch_scores, name, step)
                wrong = answers_of(case, FORMATS[kind], outputs)
        if not all(judge._identical(right[name], wrong[name]) for name in outputs):
            found[case.id] = verdict(kind, outputs, wrong, limits)
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("what, suite", [(what, suite) for what, suites in CHANGED.items() for suite in suites])
def test_a_fault_is_refused_in_every_case_that_it_changes(what, suite, kind):
    verdicts = differing(suite, kind, FAULTS.get(what))
    assert {id: one for id, one in verdicts.items() if one != "refused"} == {}
    assert len(verdicts) == CHANGED[what][suite] and {*CHANGED} == {*FAULTS, TRANSPOSED}


def test_verify_says_the_class():
    case = next(case for case, *_ in cases_of("vjp_attention") if case.id.endswith("/softcap-f64"))
    outputs = results(case.suite, arguments_of(case), inputs_of(case))
    for kind, arithmetic in FORMATS.items():
        answers = {f"{case.id}/{name}": one.values for name, one in answers_of(case, arithmetic, outputs).items()}
        (finding,) = golden.verify(answers, cases=case.id).findings
        assert finding.state == "met" and finding.met == kind, finding
