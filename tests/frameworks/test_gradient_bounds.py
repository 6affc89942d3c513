"""Gradients of torch.autograd, and of jax.vjp for learned tables, within the error bounds of gradients, over all golden
cases, and those of programs with a fault beyond them."""

from fnmatch import fnmatchcase

import jax
import ml_dtypes
import numpy as np
import pytest
import torch

from refpos import catalogue, golden
from refpos.conformance.derivations.exact_inputs import exact_values
from refpos.diagnosis import judge
from refpos.golden.run import arguments_of, call, inputs_of, results
from refpos.tensor_files import Tensor

from . import gradient_verdicts, jax_tables, torch_scores, torch_tables
from .gradient_verdicts import ALIKE, OVERFLOW, TRANSPOSED, cases_of, is_finite, transposed, verdict

PROGRAMS = {**torch_scores.PROGRAMS, **torch_tables.PROGRAMS}
FORMATS = {"sequence64": torch.float64, "sequence32": torch.float32}
KINDS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def options_of(case):
    """The arguments of a program that are no tensors."""
    return {name: call(value) for name, value in arguments_of(case).items() if name not in ("dtype", "threads")}


def read(case, arithmetic):
    """({argument: value}, {argument: tensor that trains}, the cotangent) of a golden case, in a format of torch."""
    options = options_of(case)
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


def of_jax(case, kind, outputs):
    """{output: Tensor} of a program of jax for the one table of a case."""
    tensors, options, arithmetic = inputs_of(case), options_of(case), kind.replace("sequence", "float")
    ((name, expected),) = outputs.items()
    table = name.removeprefix(catalogue.GRADIENT)
    options.update({one: np.asarray(tensors[one].values) for one in tensors if one not in (table, "cotangent")})
    with jax.enable_x64(True):
        weight, dy = (exact_values(tensors[one]).astype(arithmetic) for one in (table, "cotangent"))
        made, pull = jax.vjp(jax_tables.PROGRAMS[case.suite.removeprefix(catalogue.VJP)](**options), weight)
        (gradient,) = pull(dy)
    assert made.dtype == gradient.dtype == arithmetic
    dtype = ml_dtypes.bfloat16 if expected.dtype == "bfloat16" else expected.dtype
    with np.errstate(over="ignore"):
        values = np.asarray(gradient).astype(dtype)
    return {name: Tensor(expected.dtype, values.view(np.uint16) if expected.dtype == "bfloat16" else values)}


#: {suite: how many golden cases have finite arguments and gradients}
COUNTS = gradient_verdicts.COUNTS | {
    "vjp_learned": 40, "vjp_learned_axes": 40, "vjp_mean_of_rows": 39, "vjp_relative_bias": 16, "vjp_t5_bias": 21,
    "vjp_tile_table": 12, "vjp_window_bias": 16,
}  # fmt: skip
SUMS = [f"{catalogue.VJP}{name}" for name in torch_tables.PROGRAMS]
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
    ("vjp_learned", "sequence32"): ("subnormal-f64",),
    ("vjp_mean_of_rows", "sequence32"): ("subnormal-f64",),
}
#: those of jax: on a CPU, XLA flushes what is below the normal range
FLUSHED = {"sequence64": ("subnormal-f64",), "sequence32": ("subnormal-f64", "subnormal-f32", "subnormal-bf16")}


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


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("suite", SUMS)
def test_gradients_of_jax_for_tables_are_within_the_bounds(suite, kind):
    assert {*jax_tables.PROGRAMS} == {*torch_tables.PROGRAMS}
    verdicts = {
        case.id: verdict(kind, outputs, of_jax(case, kind, outputs), limits)
        for case, outputs, limits in cases_of(suite)
    }
    untold = [f"{suite}/{slug}" for slug in FLUSHED[kind] if f"{suite}/{slug}" in verdicts]
    assert len(verdicts) == COUNTS[suite] and all(map(is_finite, (outputs for _, outputs, _ in cases_of(suite))))
    assert {id: one for id, one in verdicts.items() if one != "met"} == dict.fromkeys(untold, "untold")


# -- faults -----------------------------------------------------------------------------------------------------------


SOFTMAX, VECTORS, LOOKED_UP = torch_scores.softmax, torch_scores.vectors, torch_tables.looked_up


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


class Overwritten(torch.autograd.Function):
    """Rows of a table whose gradient is that of the last vector that was read from each."""

    @staticmethod
    def forward(ctx, table, rows):
        ctx.rows, ctx.shape = rows, table.shape
        return LOOKED_UP(table, rows)

    @staticmethod
    def backward(ctx, change):
        made = change.new_zeros(ctx.shape)
        for row, vector in zip(ctx.rows.reshape(-1), change.reshape(-1, ctx.shape[-1]), strict=True):
            made[row] = vector
        return made, None


def padded(table, rows):
    """Without the gradient of the row that is read first, as of a padding row."""
    return torch.nn.functional.embedding(rows, table, padding_idx=int(rows.reshape(-1)[0]) if rows.numel() else None)


def without_the_last(table, rows):
    """Without the gradient of the last token, query or line."""
    made = LOOKED_UP(table, rows)
    return torch.cat([made[:-1], made[-1:].detach()]) if rows.ndim else backward_of(made, 0 * made)


def one_further(table, rows):
    return LOOKED_UP(table, (rows + 1).clamp(max=len(table) - 1))


def with_padding(table, rows):
    """Row -1 as row 0, and counted."""
    counts = torch.full((*rows.shape[:-1], 1), rows.shape[-1], dtype=table.dtype)
    return LOOKED_UP(table, rows.clamp(min=0)), counts


#: {what is wrong: {step of the program: what stands in its place}}
FAULTS = {
    "the scale is lost": {"scaled": lambda x, factor: backward_of(x * factor, x)},
    "the scale is applied twice": {"scaled": lambda x, factor: backward_of(x * factor, x * (factor * factor))},
    "the sum of the softmax is lost": {"softmax": without_the_sum},
    "the mask is ignored": {"softmax": without_the_mask},
    "the slope of the softcap is lost": {"capped": lambda x, cap: backward_of(torch.tanh(x / cap) * cap, x)},
    "row -1 is the last row": {"vectors": wrapped},
    "the padding row is not left out": {"of_spans": with_padding},
    "the gradient of a row is left out": {"looked_up": padded},
    "the last line of the cotangent is left out": {"looked_up": without_the_last},
    "cotangents are overwritten, not added": {"looked_up": Overwritten.apply},
    "rows are moved by one": {"looked_up": one_further},
    "the division is lost": {"averaged": lambda x, counts: backward_of(x / counts, x)},
    "the division is applied twice": {"averaged": lambda x, counts: backward_of(x / counts, x / counts / counts)},
}
OF_ROWS = {"vjp_learned": 30, "vjp_learned_axes": 40, "vjp_mean_of_rows": 28, "vjp_relative_bias": 16,
           "vjp_t5_bias": 20, "vjp_tile_table": 12, "vjp_window_bias": 16}  # fmt: skip
OF_MEANS = {"vjp_mean_of_rows": 24}
OF_SCORES = gradient_verdicts.CHANGED
#: {what is wrong: {suite: how many cases it changes}}
CHANGED = OF_SCORES | {
    "the scale is lost": OF_SCORES["the scale is lost"] | {"vjp_learned": 8},
    "the scale is applied twice": OF_SCORES["the scale is applied twice"] | {"vjp_learned": 8},
    "the padding row is not left out": OF_MEANS,
    "the gradient of a row is left out": OF_ROWS,
    "the last line of the cotangent is left out": OF_ROWS,
    "cotangents are overwritten, not added": OF_ROWS | {"vjp_learned": 24, "vjp_mean_of_rows": 24, "vjp_tile_table": 8},
    "rows are moved by one": OF_ROWS,
    "the division is lost": OF_MEANS,
    "the division is applied twice": OF_MEANS,
    TRANSPOSED: OF_SCORES[TRANSPOSED] | {
        "vjp_learned": 22, "vjp_learned_axes": 12, "vjp_mean_of_rows": 20, "vjp_relative_bias": 8, "vjp_t5_bias": 8,
        "vjp_tile_table": 8, "vjp_window_bias": 4,
    },
}  # fmt: skip
#: cases without a number that a fault changes, or whose sums cancel
EDGES = ("vjp_[!l]*/order-*", "*/far-*", "*/tiny-*", "*/extreme-*", "*/subnormal-*", "*/signed-zeros-*", "*/one-*",
         "*/no-*")  # fmt: skip
#: sums that a fault changes in the last bit, as another order does
LAST_BIT = {"the division is lost": ("vjp_mean_of_rows/ties-*",)}


def differing(suite, kind, steps, edges):
    """{id: verdict} of the cases, but for the edges, whose answers a fault changes: other steps of the program, None
    transposes the axes."""
    found = {}
    for case, outputs, limits in cases_of(suite):
        if any(fnmatchcase(case.id, edge) for edge in edges):
            continue
        right = answers_of(case, FORMATS[kind], outputs)
        if steps is None:
            wrong = {name: one._replace(values=transposed(one.values)) for name, one in right.items()}
        else:
            with pytest.MonkeyPatch.context() as patch:
                for name, step in steps.items():
                    for module in (torch_scores, torch_tables):
                        patch.setattr(module, name, step, raising=False)
                wrong = answers_of(case, FORMATS[kind], outputs)
        if not all(judge._identical(right[name], wrong[name]) for name in outputs):
            found[case.id] = verdict(kind, outputs, wrong, limits)
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("what, suite", [(what, suite) for what, suites in CHANGED.items() for suite in suites])
def test_a_fault_is_refused_in_every_case_that_it_changes(what, suite, kind):
    verdicts = differing(suite, kind, FAULTS.get(what), (*EDGES, *LAST_BIT.get(what, ())))
    assert {id: one for id, one in verdicts.items() if one != "refused"} == {}
    assert len(verdicts) == CHANGED[what][suite] and {*CHANGED} == {*FAULTS, TRANSPOSED}


def test_verify_says_the_class():
    case = next(case for case, *_ in cases_of("vjp_attention") if case.id.endswith("/softcap-f64"))
    outputs = results(case.suite, arguments_of(case), inputs_of(case))
    for kind, arithmetic in FORMATS.items():
        answers = {f"{case.id}/{name}": one.values for name, one in answers_of(case, arithmetic, outputs).items()}
        (finding,) = golden.verify(answers, cases=case.id).findings
        assert finding.state == "met" and finding.met == kind, finding
