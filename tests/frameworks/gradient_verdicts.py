"""Gradients of programs judged by the error bounds of gradients in a fixed order, over all golden cases."""

from fnmatch import fnmatchcase
from functools import cache

import numpy as np

from refpos import golden
from refpos.arithmetic import formats
from refpos.conformance.derivations.exact_inputs import exact_values
from refpos.diagnosis import judge
from refpos.golden.bounds import bounds_of
from refpos.golden.run import arguments_of, call, inputs_of, results


def read(case, of_floats, of_integers):
    """({argument: value}, {argument: array that trains}, the cotangent) of a golden case; numbers that train too."""
    options = {name: call(value) for name, value in arguments_of(case).items() if name not in ("dtype", "threads")}
    trained = {name: of_floats(np.asarray(options[name], np.float64)) for name in ("c", "length") if name in options}
    for name, tensor in inputs_of(case).items():
        if tensor.dtype in formats.FORMATS:
            trained[name] = of_floats(exact_values(tensor))
        else:
            options[name] = of_integers(np.asarray(tensor.values).astype(np.int64))
    dy = trained.pop("cotangent")
    return {**options, **trained}, trained, dy


@cache
def cases_of(suite):
    """[(case, its outputs, its bounds)] of the golden cases whose arguments are finite."""
    found = []
    for case in golden.cases(suite, tier="core"):
        tensors = {} if case.refusal else inputs_of(case)
        finite = all(np.isfinite(exact_values(one)).all() for one in tensors.values() if one.dtype in formats.FORMATS)
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
COUNTS = {"vjp_attention": 135, "vjp_relative_scores": 68, "vjp_relative_values": 48, "vjp_xl_scores": 72,
          "vjp_deberta_scores": 60, "vjp_decomposed_scores": 53, "vjp_fire": 49}  # fmt: skip
#: a bias that all keys of a query share has the gradient 0, but for what is rounded
ALIKE = ("bias-column-f64", "bias-column-f32", "bias-column-bf16", "bias-one-f64", "bias-one-f32")
#: programs of float32 that overflow are in no class
OVERFLOW = ("vjp_attention/extreme-f32", "vjp_attention/extreme-bf16")


def assert_within(suite, kind, answers_of, known):
    """Every case of a suite is within the bounds of a class, but those with another verdict that is known, {its name:
    verdict}. answers_of: a function of the case and its outputs."""
    verdicts = {}
    for case, outputs, limits in cases_of(suite):
        answers = answers_of(case, outputs)
        if kind == "sequence32" and case.id in OVERFLOW:
            assert not is_finite(answers)
        else:
            verdicts[case.id] = verdict(kind, outputs, answers, limits)
    overflown = len(OVERFLOW) if (suite, kind) == ("vjp_attention", "sequence32") else 0
    assert len(verdicts) == COUNTS[suite] - overflown
    others = {id: one for id, one in verdicts.items() if one != "met"}
    assert others == {f"{suite}/{slug}": one for slug, one in known.items()}


# -- faults -----------------------------------------------------------------------------------------------------------


TRANSPOSED = "the axes of a gradient are transposed"
SCALED = {"vjp_attention": 106, "vjp_relative_scores": 27, "vjp_xl_scores": 32}
#: {what is wrong: {suite: how many cases it changes}}
CHANGED = {
    "the scale is lost": SCALED,
    "the scale is applied twice": SCALED,
    "the sum of the softmax is lost": {"vjp_attention": 98},
    "the mask is ignored": {"vjp_attention": 28},
    "the slope of the softcap is lost": {"vjp_attention": 16},
    "row -1 is the last row": {"vjp_relative_scores": 8, "vjp_relative_values": 4},
    TRANSPOSED: {"vjp_attention": 106, "vjp_relative_scores": 48, "vjp_relative_values": 28, "vjp_xl_scores": 44,
                 "vjp_deberta_scores": 38, "vjp_decomposed_scores": 33, "vjp_fire": 33},
}  # fmt: skip
#: cases without a number that a fault changes, or whose sums cancel
EDGES = ("order-*", "far-*", "tiny-*", "extreme-*", "subnormal-*", "one-*", "no-*")


def transposed(values):
    """The last two axes in the other order, as of a buffer that is written column by column."""
    return values.swapaxes(-1, -2).reshape(values.shape) if values.ndim > 1 else values


def differing(suite, kind, answers_of, wrong_of=None):
    """{id: verdict} of the cases whose answers a fault changes: those of a wrong program, or transposed axes."""
    found = {}
    for case, outputs, limits in cases_of(suite):
        if any(fnmatchcase(case.id, f"{suite}/{edge}") for edge in EDGES):
            continue
        right = answers_of(case, outputs)
        if wrong_of is None:
            wrong = {name: one._replace(values=transposed(one.values)) for name, one in right.items()}
        else:
            wrong = wrong_of(case, outputs)
        if not all(judge._identical(right[name], wrong[name]) for name in outputs):
            found[case.id] = verdict(kind, outputs, wrong, limits)
    return found


def assert_refused(what, suite, kind, answers_of, wrong_of=None):
    """Every case that a fault changes is refused, and as many are changed as are known."""
    verdicts = differing(suite, kind, answers_of, wrong_of)
    assert {id: one for id, one in verdicts.items() if one != "refused"} == {}
    assert len(verdicts) == CHANGED[what][suite]


#: (fault, suite) of all that are planted
PLANTED = [(what, suite) for what, suites in CHANGED.items() for suite in suites]
