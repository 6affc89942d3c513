"""Gradients of torch.autograd and jax.vjp within the error bounds of gradients of resized tables, waves and kernels of
distance, over all golden cases, and those of programs with a fault beyond them."""

from fnmatch import fnmatchcase

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from test_gradients import BESIDE, scattered, values_of

import refpos
from refpos.conformance import bounds
from refpos.diagnosis import judge

from . import test_gradients_jax as programs_of_jax
from . import torch_features
from .test_gradient_bounds import FORMATS, answers_of, backward_of, cases_of, is_finite, transposed, verdict
from .torch_features import PROGRAMS

#: {suite: how many golden cases have finite arguments and gradients}
COUNTS = {"vjp_resize_table": 42, "vjp_resize_packed": 54, "vjp_resize_bias": 44, "vjp_fourier_projection": 48,
          "vjp_time2vec": 31, "vjp_kerple": 97}  # fmt: skip
#: those whose bounds in a class exclude nothing: angles far beyond a turn, and numbers below the normal range
UNTOLD = {
    ("vjp_resize_packed", "sequence32"): ("subnormal-f64",),
    ("vjp_resize_bias", "sequence32"): ("subnormal-f64",),
    ("vjp_fourier_projection", "sequence64"): ("huge-f64",),
    ("vjp_fourier_projection", "sequence32"): ("huge-f64", "huge-f32", "subnormal-f64"),
    ("vjp_time2vec", "sequence32"): ("subnormal-f64",),
    ("vjp_kerple", "sequence64"): ("weight-subnormal-f64",),
    ("vjp_kerple", "sequence32"): ("log-subnormal-f64", "power-subnormal-f64", "weight-subnormal-f64",
                                   "weight-subnormal-f32", "weight-underflow-f64"),
}  # fmt: skip
#: programs that overflow are in no class
OVERFLOW = {
    ("vjp_resize_packed", "sequence32"): ("extreme-f64",),
    ("vjp_resize_bias", "sequence32"): ("extreme-f64",),
    ("vjp_fourier_projection", "sequence32"): ("far-apart",),
    ("vjp_time2vec", "sequence32"): ("far-apart",),
    ("vjp_kerple", "sequence64"): ("log-extreme-f64", "weight-extreme-f64"),
    ("vjp_kerple", "sequence32"): (
        *(f"{kind}-extreme-{dtype}" for kind in ("log", "weight") for dtype in ("f64", "f32", "bf16")),
        "vanishing-scale", "huge-scale"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("suite", COUNTS)
def test_gradients_of_autograd_are_within_the_bounds(suite, kind):
    verdicts, overflown = {}, []
    for case, outputs, limits in cases_of(suite):
        answers = answers_of(case, FORMATS[kind], outputs, PROGRAMS)
        verdicts[case.id] = verdict(kind, outputs, answers, limits)
        overflown += [] if is_finite(answers) else [case.id]
    untold, beyond = ([f"{suite}/{slug}" for slug in found.get((suite, kind), ())] for found in (UNTOLD, OVERFLOW))
    assert len(verdicts) == COUNTS[suite] and sorted(overflown) == sorted(beyond)
    others = {id: one for id, one in verdicts.items() if one != "met" and id not in overflown}
    assert others == dict.fromkeys(untold, "untold")


#: the calls of test_gradients_jax.py whose gradients have these bounds
IN_JAX = [program for program in programs_of_jax.IN_JAX if f"vjp_{BESIDE[program.__name__][0].__name__}" in COUNTS]


@pytest.mark.parametrize("dtype, kind", [("float64", "sequence64"), ("float32", "sequence32")])
@pytest.mark.parametrize("program", IN_JAX, ids=lambda program: program.__name__)
def test_gradients_of_jax_are_within_the_bounds(program, dtype, kind):
    name = program.__name__
    function, _, options = BESIDE[name]
    options = {**options, **programs_of_jax.CHANGED.get(name, {})}
    arrays = values_of(name, np.dtype(dtype).type)
    with jax.enable_x64(dtype == "float64"):
        result, pull = jax.vjp(program, *map(jnp.asarray, arrays.values()))
        dy = scattered(*result.shape, seed=9, dtype=dtype)
        gradients = [np.asarray(one) for one in pull(jnp.asarray(dy))]
    if "dtype" in refpos.catalogue.find(function.__name__).parameters:
        options["dtype"] = dtype
    exact = refpos.vjp(function, **arrays, **options, cotangent=dy)
    limits = bounds(f"vjp_{function.__name__}", options, {**arrays, "cotangent": dy}, dtype)
    assert len(gradients) == len(exact) and all(one.dtype == dtype for one in gradients)
    for (key, wanted), found in zip(exact.items(), gradients, strict=True):
        limit = {one: limit[f"gradient_{key}"] for one, limit in limits.items()}
        assert refpos.compare(found, wanted, bounds=limit, conformance=kind), (key, abs(found - wanted).max())


# -- faults -----------------------------------------------------------------------------------------------------------


RESIZED = torch_features.resized


class _BackAndForth(torch.autograd.Function):
    """A table at another size, whose cotangent is resized to the first one in its turn."""

    @staticmethod
    def forward(ctx, table, size, method, options):
        ctx.made = list(table.shape[:-1]), method, options
        return RESIZED(table, size, method, **options)

    @staticmethod
    def backward(ctx, dy):
        size, method, options = ctx.made
        return RESIZED(dy, size, method, **{**options, "scale": None}), None, None, None


def resized_back(table, size, method, **options):
    return _BackAndForth.apply(table, size, method, options)


def other_cubic(table, size, method, cubic=None, **options):
    other = None if cubic is None else -1.25 - float(cubic)
    return RESIZED(table, size, method, cubic=other, **options)


def without_antialias(table, size, method, antialias=False, **options):
    more = {"border": "renormalise"} if antialias else {}
    return RESIZED(table, size, method, **{**options, **more})


def without_logarithm(d, p):
    """d**p of which p has the slope d**p."""
    right = d.double() ** p.double()
    logarithms = torch.log(torch.clamp(d.double(), min=2))
    return backward_of(d ** p.detach(), (right / logarithms).to(p.dtype) * (d > 1))


#: {what is wrong: {step of the program: what stands in its place}}
FAULTS = {
    "a = -1/2 for -3/4": {"resized": other_cubic},
    "antialias is lost": {"resized": without_antialias},
    "the weights are not transposed": {"resized": resized_back},
    "the sine for the cosine": {"sine": lambda angle: backward_of(torch.sin(angle), -torch.cos(angle))},
    "the sign of the slope of a cosine": {"cosine": lambda angle: backward_of(torch.cos(angle), -torch.cos(angle))},
    "the factor is lost": {"times_factor": lambda x, factor: backward_of(TIMES(x, factor), x)},
    "the slope of the logarithm is lost": {"logarithm": lambda x: backward_of(torch.log(1 + x), x)},
    "the logarithm of the distance is lost": {"power": without_logarithm},
}
TIMES = torch_features.times_factor
#: cases whose bounds exclude little: numbers at the ends of the range, and angles far beyond a turn
EDGES = ("*subnormal-*", "*extreme-*", "huge-*", "far-apart", "seconds-bf16", "*-scale", "weight-underflow-*")
#: {what is wrong: cases in which it is right: weights that add up to 1 with any a, and a table that grows}
RIGHT = {"a = -1/2 for -3/4": ("swin-one-*",), "antialias is lost": ("levit-larger-*",)}
TRANSPOSED = "the axes of a gradient are transposed"
#: {what is wrong: {suite: how many cases it changes}}
CHANGED = {
    "a = -1/2 for -3/4": {"vjp_resize_table": 16, "vjp_resize_packed": 16, "vjp_resize_bias": 16},
    "antialias is lost": {"vjp_resize_table": 4, "vjp_resize_packed": 4, "vjp_resize_bias": 4},
    "the weights are not transposed": {"vjp_resize_table": 40, "vjp_resize_packed": 44, "vjp_resize_bias": 24},
    "the sine for the cosine": {"vjp_fourier_projection": 34, "vjp_time2vec": 12},
    "the sign of the slope of a cosine": {"vjp_fourier_projection": 31, "vjp_time2vec": 8},
    "the factor is lost": {"vjp_fourier_projection": 29},
    "the slope of the logarithm is lost": {"vjp_kerple": 20},
    "the logarithm of the distance is lost": {"vjp_kerple": 44},
    TRANSPOSED: {"vjp_resize_table": 20, "vjp_resize_packed": 12, "vjp_resize_bias": 12, "vjp_fourier_projection": 20,
                 "vjp_time2vec": 3},
}  # fmt: skip


def differing(suite, kind, what):
    """{id: verdict} of the cases whose answers a fault changes: other steps of the program, or transposed axes."""
    found, steps = {}, FAULTS.get(what)
    for case, outputs, limits in cases_of(suite):
        if any(fnmatchcase(case.id, f"{suite}/{slug}") for slug in (*EDGES, *RIGHT.get(what, ()))):
            continue
        right = answers_of(case, FORMATS[kind], outputs, PROGRAMS)
        if steps is None:
            wrong = {name: one._replace(values=transposed(one.values)) for name, one in right.items()}
        else:
            with pytest.MonkeyPatch.context() as patch:
                for name, step in steps.items():
                    patch.setattr(torch_features, name, step)
                wrong = answers_of(case, FORMATS[kind], outputs, PROGRAMS)
        if not all(judge._identical(right[name], wrong[name]) for name in outputs):
            found[case.id] = verdict(kind, outputs, wrong, limits)
    return found


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("what, suite", [(what, suite) for what, suites in CHANGED.items() for suite in suites])
def test_a_fault_is_refused_in_every_case_that_it_changes(what, suite, kind):
    verdicts = differing(suite, kind, what)
    assert {id: one for id, one in verdicts.items() if one != "refused"} == {}
    assert len(verdicts) == CHANGED[what][suite] and {*CHANGED} == {*FAULTS, TRANSPOSED}


@pytest.mark.parametrize("id", ["vjp_resize_table/cubic-f64", "vjp_resize_bias/levit-f64", "vjp_kerple/power-f64",
                                "vjp_fourier_projection/radians-f64", "vjp_time2vec/first-f64"])  # fmt: skip
def test_verify_says_the_class(id):
    suite = id.partition("/")[0]
    outputs = next(outputs for case, outputs, _ in cases_of(suite) if case.id == id)
    (case,) = (case for case, *_ in cases_of(suite) if case.id == id)
    for kind, arithmetic in FORMATS.items():
        answers = answers_of(case, arithmetic, outputs, PROGRAMS)
        answers = {f"{id}/{name}": one.values for name, one in answers.items()}
        (finding,) = refpos.golden.verify(answers, cases=id).findings
        assert finding.state == "met" and finding.met in (kind, "faithful"), finding
        assert kind == "sequence64" or finding.met == kind
