"""Gradients of jax.vjp within the error bounds of gradients in a fixed order, over all golden cases, and those of
programs with a fault beyond them; those of rotations in float32 within the bounds of their classes."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from refpos import catalogue
from refpos.arithmetic import formats
from refpos.diagnosis.call import stored

from . import jax_scores
from .gradient_verdicts import COUNTS, PLANTED, TRANSPOSED, assert_refused, assert_within, read

FORMATS = {"sequence64": np.float64, "sequence32": np.float32}
#: what XLA leaves out so that it compiles a program for each case
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


def answers_of(case, outputs, arithmetic):
    """{output: Tensor} of a program of jax, rounded once to the dtypes of the arguments."""
    program = jax_scores.PROGRAMS[case.suite.removeprefix(catalogue.VJP)]
    with jax.enable_x64(True):
        options, trained, dy = read(case, lambda values: jnp.asarray(values, arithmetic), np.asarray)

        def gradients_of(arrays, dy):
            result, pull = jax.vjp(lambda arrays: program(**{**options, **arrays}), arrays)
            assert result.dtype == arithmetic and result.shape == dy.shape, case.id
            return pull(dy)[0]

        gradients = jax.jit(gradients_of).lower(trained, dy).compile(compiler_options=QUICK)(trained, dy)
    made = {}
    for name, tensor in outputs.items():
        gradient = np.asarray(gradients[name.removeprefix(catalogue.GRADIENT)])
        assert gradient.dtype == arithmetic
        made[name] = stored(gradient.astype(np.float64).reshape(tensor.values.shape), formats.FORMATS[tensor.dtype])
    return made


@cache
def right_answers(kind):
    """A function of a case and its outputs that keeps the answers of the right programs."""
    kept = {}

    def answers(case, outputs):
        if case.id not in kept:
            kept[case.id] = answers_of(case, outputs, FORMATS[kind])
        return kept[case.id]

    return answers


#: the verdicts that are none of a class: sums that cancel, whose bounds exclude nothing, and numbers below the normal
#: range, which XLA replaces by 0 on a CPU
KNOWN = {}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("suite", COUNTS)
def test_gradients_of_jax_are_within_the_bounds(suite, kind):
    assert_within(suite, kind, right_answers(kind), KNOWN.get((suite, kind), {}))


# -- faults -----------------------------------------------------------------------------------------------------------


SOFTMAX, VECTORS, STOP = jax_scores.softmax, jax_scores.vectors, jax.lax.stop_gradient


def backward_of(forward, other):
    """The number of one program, whose gradient is that of another."""
    return other + STOP(forward - other)


def without_the_sum(scores, counts):
    """The softmax as if the sum of its exponentials did not depend on the scores."""
    if not scores.shape[-1]:
        return scores
    weights = STOP(SOFTMAX(scores, counts))
    return weights * jnp.exp(scores - STOP(scores))


def without_the_mask(scores, counts):
    return backward_of(SOFTMAX(scores, counts), SOFTMAX(scores, jnp.ones_like(counts)))


def wrapped(table, rows, lead=()):
    """Row -1 as an index of Python has it: the last one."""
    return VECTORS(table, np.where(rows < 0, table.shape[-2] - 1, rows), lead)


#: {what is wrong: {step of the program: what stands in its place}}
FAULTS = {
    "the scale is lost": {"scaled": lambda x, factor: backward_of(x * factor, x)},
    "the scale is applied twice": {"scaled": lambda x, factor: backward_of(x * factor, x * (factor * factor))},
    "the sum of the softmax is lost": {"softmax": without_the_sum},
    "the mask is ignored": {"softmax": without_the_mask},
    "the slope of the softcap is lost": {"capped": lambda x, cap: backward_of(jnp.tanh(x / cap) * cap, x)},
    "row -1 is the last row": {"vectors": wrapped},
}


def wrong_of(case, outputs, steps):
    """The answers in float32 with other steps of the program."""
    with pytest.MonkeyPatch.context() as patch:
        for name, step in steps.items():
            patch.setattr(jax_scores, name, step)
        return answers_of(case, outputs, np.float32)


@pytest.mark.parametrize("what, suite", PLANTED)
def test_a_fault_is_refused_in_every_case_that_it_changes(what, suite):
    steps = FAULTS.get(what)
    assert_refused(what, suite, "sequence32", right_answers("sequence32"), steps and partial(wrong_of, steps=steps))
    assert {what for what, _ in PLANTED} == {*FAULTS, TRANSPOSED}
