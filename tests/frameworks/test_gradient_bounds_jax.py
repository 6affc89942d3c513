"""Gradients of jax.vjp within the error bounds of gradients in a fixed order, over all golden cases, and those of
programs with a fault beyond them; those of rotations in float32 within the bounds of their classes."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_gradients import BESIDE, scattered, values_of

import refpos
from refpos import catalogue
from refpos.arithmetic import formats
from refpos.conformance.derivations.exact_inputs import exact_values
from refpos.diagnosis.call import stored

from . import jax_scores
from .gradient_verdicts import (
    ALIKE,
    COUNTS,
    PLANTED,
    TRANSPOSED,
    assert_refused,
    assert_within,
    cases_of,
    is_finite,
    read,
)
from .test_gradients_jax import mrope, rope, rope_2d, rope_3d, xpos

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


UNTOLD, REFUSED = "untold", "refused"
#: {(suite, class): {case: verdict}} of sums that cancel, whose bounds exclude nothing; of numbers below the normal
#: range, which XLA replaces by 0 on a CPU; and of a sum whose float32 error is more than float16 holds
KNOWN = {
    ("vjp_attention", "sequence64"): {**dict.fromkeys((*ALIKE, "tiny-f64"), UNTOLD), "far-f64": REFUSED},
    ("vjp_attention", "sequence32"): {
        **dict.fromkeys((*ALIKE, "order-queries-f64", "order-keys-f64", "order-values-f64"), UNTOLD),
        **dict.fromkeys(("far-f64", "tiny-f64", "tiny-f32", "tiny-bf16"), UNTOLD),
        "extreme-f16": REFUSED,
    },
    ("vjp_relative_scores", "sequence32"): {"order-keys-f64": UNTOLD},
    ("vjp_xl_scores", "sequence64"): {"order-terms-f64": UNTOLD, "order-biases-f64": UNTOLD},
    ("vjp_xl_scores", "sequence32"): {"order-biases-f64": UNTOLD},
    ("vjp_deberta_scores", "sequence32"): {"order-queries-f64": UNTOLD, "order-keys-f64": UNTOLD},
    ("vjp_fire", "sequence64"): {"subnormal-f64": REFUSED},
    ("vjp_fire", "sequence32"): dict.fromkeys(("subnormal-f64", "subnormal-f32", "subnormal-bf16"), UNTOLD),
}


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


def test_what_is_refused_is_flushed_or_overflows():
    """The two cases in float64 have exact numbers below the normal range, where the answers are 0."""
    for suite, slug in (("vjp_attention", "far-f64"), ("vjp_fire", "subnormal-f64")):
        case, outputs, _ = next(one for one in cases_of(suite) if one[0].id == f"{suite}/{slug}")
        answers = right_answers("sequence64")(case, outputs)
        pairs = [(exact_values(outputs[name]), exact_values(answers[name])) for name in outputs]
        small = [(one, other) for wanted, found in pairs for one, other in zip(wanted.flat, found.flat, strict=True)
                 if 0 < abs(one) < np.finfo(np.float64).tiny]  # fmt: skip
        assert small and not any(other for _, other in small)
    case, outputs, _ = next(one for one in cases_of("vjp_attention") if one[0].id == "vjp_attention/extreme-f16")
    assert not is_finite(right_answers("sequence32")(case, outputs))


# -- rotations --------------------------------------------------------------------------------------------------------

ROTATIONS = (rope, mrope, rope_2d, rope_3d, xpos)


def gradient_of(program, x, dy):
    """The gradient of jax in float32, whose angles are float32."""
    result, pull = jax.vjp(program, jnp.asarray(x))
    assert result.dtype == np.float32
    return np.asarray(pull(jnp.asarray(dy))[0])


@pytest.mark.parametrize("program", ROTATIONS, ids=lambda program: program.__name__)
def test_gradients_of_rotations_in_float32_meet_their_class(program):
    function, _, options = BESIDE[program.__name__]
    (x,) = (one.astype(np.float32) for one in values_of(program.__name__).values())
    dy = scattered(*x.shape, seed=9).astype(np.float32)
    wanted = refpos.vjp(function, x=x, **options, cotangent=dy)["x"]
    arrays = {"x": x, "cotangent": dy, **{name: one for name, one in options.items() if isinstance(one, np.ndarray)}}
    plain = {name: one for name, one in options.items() if name not in arrays}
    limits = refpos.conformance.bounds(f"vjp_{function.__name__}", plain, arrays, "float32")
    limits = {kind: parts["gradient_x"] for kind, parts in limits.items()}
    found = refpos.compare(gradient_of(program, x, dy), wanted, bounds=limits, conformance="float32-angle")
    assert found and found.count == x.size and found.different > 0, found
    rotated_on = np.asarray(program(jnp.asarray(dy)))  # the gradient turned forwards, as x is
    assert not refpos.compare(rotated_on, wanted, bounds=limits, conformance="float32-angle")
    swapped = gradient_of(program, x, dy)[:, ::-1]
    assert refpos.compare(swapped, wanted, bounds=limits).met is None
