"""Gradients of torch.autograd within the error bounds of gradients in a fixed order, over all golden cases, and those
of programs with a fault beyond them."""

from functools import partial

import pytest
import torch

from refpos import catalogue, golden
from refpos.golden.run import arguments_of, inputs_of, results
from refpos.tensor_files import Tensor

from . import torch_scores
from .gradient_verdicts import ALIKE, COUNTS, PLANTED, TRANSPOSED, assert_refused, assert_within, cases_of, read
from .torch_scores import PROGRAMS

FORMATS = {"sequence64": torch.float64, "sequence32": torch.float32}
KINDS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def answers_of(case, outputs, arithmetic):
    """{output: Tensor} of a program of torch, rounded once to the dtypes of the arguments."""
    program = PROGRAMS[case.suite.removeprefix(catalogue.VJP)]
    options, trained, dy = read(
        case, lambda values: torch.tensor(values).to(arithmetic).requires_grad_(), lambda values: torch.tensor(values)
    )
    program(**options).backward(dy.detach())
    made = {}
    for name, tensor in outputs.items():
        gradient = trained[name.removeprefix(catalogue.GRADIENT)]
        values = torch.zeros_like(gradient) if gradient.grad is None else gradient.grad
        made[name] = as_tensor(values.reshape(tensor.values.shape), tensor.dtype)
    return made


def as_tensor(values, dtype):
    values = values.detach().to(KINDS[dtype])
    return Tensor(dtype, values.view(torch.uint16).numpy() if dtype == "bfloat16" else values.numpy())


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


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("suite", COUNTS)
def test_gradients_of_autograd_are_within_the_bounds(suite, kind):
    known = dict.fromkeys(UNTOLD.get((suite, kind), ()), "untold")
    assert_within(suite, kind, partial(answers_of, arithmetic=FORMATS[kind]), known)


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


#: {what is wrong: {step of the program: what stands in its place}}
FAULTS = {
    "the scale is lost": {"scaled": lambda x, factor: backward_of(x * factor, x)},
    "the scale is applied twice": {"scaled": lambda x, factor: backward_of(x * factor, x * (factor * factor))},
    "the sum of the softmax is lost": {"softmax": without_the_sum},
    "the mask is ignored": {"softmax": without_the_mask},
    "the slope of the softcap is lost": {"capped": lambda x, cap: backward_of(torch.tanh(x / cap) * cap, x)},
    "row -1 is the last row": {"vectors": wrapped},
}


def wrong_of(case, outputs, arithmetic, steps):
    """The answers with other steps of the program."""
    with pytest.MonkeyPatch.context() as patch:
        for name, step in steps.items():
            patch.setattr(torch_scores, name, step)
        return answers_of(case, outputs, arithmetic)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("what, suite", PLANTED)
def test_a_fault_is_refused_in_every_case_that_it_changes(what, suite, kind):
    right, steps = partial(answers_of, arithmetic=FORMATS[kind]), FAULTS.get(what)
    assert_refused(what, suite, kind, right, steps and partial(wrong_of, arithmetic=FORMATS[kind], steps=steps))
    assert {what for what, _ in PLANTED} == {*FAULTS, TRANSPOSED}


def test_verify_says_the_class():
    case = next(case for case, *_ in cases_of("vjp_attention") if case.id.endswith("/softcap-f64"))
    outputs = results(case.suite, arguments_of(case), inputs_of(case))
    for kind, arithmetic in FORMATS.items():
        answers = {f"{case.id}/{name}": one.values for name, one in answers_of(case, outputs, arithmetic).items()}
        (finding,) = golden.verify(answers, cases=case.id).findings
        assert finding.state == "met" and finding.met == kind, finding
