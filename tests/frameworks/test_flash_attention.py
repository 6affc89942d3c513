"""The backward passes of flash-attention at 0251105, written as formulas in torch, beside the gradients of refpos:
attention with the kept logarithm of the sums, packed sequences, padding, and rotation with offsets."""

import itertools
import math

import numpy as np
import pytest
import torch
from test_gradients import scattered

import refpos
from refpos import positions as P
from refpos.conformance import bounds

from .test_gradient_bounds import FORMATS, as_tensor, cases_of, read, verdict
from .torch_scores import allowed_pairs, number, of_heads


def forward(q, k, v, counts, scale, cap):
    """(output, maximum + log sum of each query, infinity where no key counts)."""
    scores = q @ k.transpose(-1, -2)
    scores = scores * scale if cap is None else torch.tanh(scores * (scale / cap)) * cap
    most = scores.masked_fill(~counts, -torch.inf).amax(-1, keepdim=True)
    most = torch.where(most == -torch.inf, 0.0, most)
    powers = torch.exp(scores - most).masked_fill(~counts, 0.0)
    sums = powers.sum(-1, keepdim=True)
    kept = torch.where(sums == 0, torch.inf, most + torch.log(sums))
    return powers @ v / torch.where(sums == 0, 1.0, sums), kept


def backward(dy, q, k, v, counts, scale, cap):
    """(dq, dk, dv): flash_bwd_preprocess_kernel.h for delta, flash_bwd_kernel.h for the rest."""
    output, kept = forward(q, k, v, counts, scale, cap)
    delta = (dy * output).sum(-1, keepdim=True)
    scores = q @ k.transpose(-1, -2)
    slope = 1.0
    if cap is not None:
        scores = torch.tanh(scores * (scale / cap))
        slope, scores = 1 - scores * scores, scores * cap
    else:
        scores = scores * scale
    p = torch.exp2(scores * math.log2(math.e) - kept * math.log2(math.e)).masked_fill(~counts, 0.0)
    ds = p * (dy @ v.transpose(-1, -2) - delta) * slope
    return ds @ k * scale, ds.transpose(-1, -2) @ q * scale, p.transpose(-1, -2) @ dy


def of_groups(x, shape):
    """The sums over the query heads of each key head, which the kernels write apart."""
    return x if x.shape == shape else x.reshape(*x.shape[:-3], shape[-3], -1, *x.shape[-2:]).sum(-3)


def attention_gradients(case, arithmetic, outputs):
    given, _, dy = read(case, arithmetic)
    q, k, v = (given[name].detach() for name in "qkv")
    scale = 1 / math.sqrt(max(1, q.shape[-1])) if given.get("scale") is None else number(given["scale"])
    cap = None if given.get("softcap") is None else number(given["softcap"])
    wide, values = of_heads(k, q), of_heads(v, q)
    counts = allowed_pairs(torch.empty(*q.shape[:-1], k.shape[-2]), None, given.get("mask"), given.get("causal"))
    found = backward(dy, q, wide, values, counts, scale, cap)
    made = dict(zip(outputs, (found[0], of_groups(found[1], k.shape), of_groups(found[2], v.shape)), strict=True))
    return {name: as_tensor(made[name], one.dtype) for name, one in outputs.items()}


def has(case):
    """Whether flash-attention has the call: an output without bias and cosines, of some keys."""
    given = case.arguments
    taken = set(case.inputs) <= {"q", "k", "v", "mask", "cotangent"} and "cosine" not in given
    return taken and given.get("outputs", "output") == "output" and all(one.shape[-2] for one in case.inputs.values())


#: cases of small or cancelling numbers, whose bounds exclude nothing, and sums that leave float32
UNTOLD = {"sequence64": set(), "sequence32": {"order-values-f64", "far-f64", "tiny-f64"}}
BEYOND = {"extreme-f32", "extreme-bf16"}


@pytest.mark.parametrize("kind", FORMATS)
def test_attention_in_every_golden_case(kind):
    verdicts = {}
    for case, outputs, limits in cases_of("vjp_attention"):
        slug = case.id.partition("/")[2]
        if has(case) and not (kind == "sequence32" and slug in BEYOND):
            verdicts[slug] = verdict(kind, outputs, attention_gradients(case, FORMATS[kind], outputs), limits)
    assert {slug: one for slug, one in verdicts.items() if one != "met"} == dict.fromkeys(UNTOLD[kind], "untold")
    assert len(verdicts) == 69 - len(BEYOND) * (kind == "sequence32")


# -- packed sequences and padding -------------------------------------------------------------------------------------

LENGTHS = [[3, 1, 5], [4], [2, 0, 3, 1], [1, 1, 1], [7, 2]]


@pytest.mark.parametrize("causal", [None, "lower-right"])
@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_packed_sequences(lengths, causal):
    """flash_attn_varlen_func takes each sequence alone; a mask of the sequence ids says the same."""
    ends = P.cu_seqlens(lengths, rule="lengths")
    ids, places = P.sequence_ids(ends), P.packed_positions(ends, restart=True)
    counts = ids[:, None] == ids
    counts = counts if causal is None else counts & (places <= places[:, None])
    q, k, v, dy = (scattered(2, ends[-1], 4, seed=seed) for seed in range(4))
    call = {"q": q, "k": k, "v": v, "mask": counts, "cotangent": dy}
    found = refpos.vjp(refpos.attention, **call)
    limits = bounds("vjp_attention", {}, call, "float64")["sequence64"]
    alone = [[], [], []]
    for start, stop in itertools.pairwise(ends):
        one = [torch.tensor(x[:, start:stop]) for x in (dy, q, k, v)]
        own = allowed_pairs(torch.empty(2, stop - start, stop - start), None, None, causal)
        if stop > start:
            for parts, part in zip(alone, backward(*one, own, 0.5, None), strict=True):
                parts.append(part.numpy())
    for name, parts in zip("qkv", alone, strict=True):
        off = np.abs(np.concatenate(parts, 1) - found[name])
        assert found[name].shape == off.shape and (off <= limits[f"gradient_{name}"]).all()


@pytest.mark.parametrize("seed", range(20))
def test_padding_that_is_taken_away_and_put_back(seed):
    """IndexFirstAxis and IndexPutFirstAxis of bert_padding.py: scatter and gather, to the last bit."""
    rng = np.random.default_rng(seed)
    mask = rng.integers(0, 2, rng.integers(1, 6, 2))
    indices = P.unpad_indices(mask).indices
    dy, back = rng.normal(size=(len(indices), 3)), rng.normal(size=(mask.size, 3))
    scattered_back = torch.zeros(mask.size, 3, dtype=torch.float64)
    scattered_back.scatter_(0, torch.tensor(indices)[:, None].repeat(1, 3), torch.tensor(dy))
    found = refpos.vjp(refpos.learned, np.zeros((mask.size, 3)), indices, cotangent=dy)["weight"]
    assert (found == scattered_back.numpy()).all()
    # put back: the rows of what was taken, and zeros, which are no rows of it
    places = P.inverse_permutation(np.concatenate([indices, np.setdiff1d(np.arange(mask.size), indices)]))
    padded = np.zeros((mask.size, 3))
    found = refpos.vjp(refpos.learned, padded, places, cotangent=back)["weight"][: len(indices)]
    assert (found == torch.tensor(back)[torch.tensor(indices)].numpy()).all()


# -- rotation ---------------------------------------------------------------------------------------------------------


def rotated(x, cos, sin, places, interleaved, conjugate=False):
    """The kernel: x (tokens, heads, dim), rows `places` of cos and sin, (1, 0) beyond the last; the rest is copied."""
    known = places < len(cos)
    rows = torch.where(known, places, 0)
    cos = torch.where(known[:, None], cos[rows], 1.0)[:, None]
    sin = torch.where(known[:, None], sin[rows], 0.0)[:, None]
    sin, pairs = -sin if conjugate else sin, cos.shape[-1]
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (
        slice(0, pairs), slice(pairs, 2 * pairs))  # fmt: skip
    made = x.clone()
    made[..., first] = x[..., first] * cos - x[..., second] * sin
    made[..., second] = x[..., first] * sin + x[..., second] * cos
    return made


#: positions of the tokens: one sequence with an offset, packed sequences, and packed ones each with an offset
PLACES = {
    "seqlen_offsets an int": np.arange(9) + 5,
    "cu_seqlens": P.packed_positions(P.cu_seqlens([3, 2, 4], rule="lengths"), restart=True),
    "cu_seqlens and seqlen_offsets": P.packed_positions(
        P.cu_seqlens([3, 2, 4], rule="lengths"), restart=True, offsets=[7, 0, 30]
    ),
}


@pytest.mark.parametrize("rotary_dim", [8, 12])
@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("places", PLACES)
def test_rotation_and_its_backward_pass(places, interleaved, rotary_dim):
    x, dy = (scattered(9, 2, 12, seed=seed, dtype=np.float32) for seed in range(2))
    options = {"pairing": "interleaved" if interleaved else "half", "rotary_dim": rotary_dim, "seq_axis": 0}
    cos, sin = (torch.tensor(part) for part in refpos.rope_table(
        40, refpos.inverse_frequencies(rotary_dim), dtype="float32"))  # fmt: skip
    rows = torch.tensor(PLACES[places])
    gradient = refpos.vjp(refpos.rope, x, PLACES[places], **options, cotangent=dy)["x"]
    for given, exact, conjugate in ((x, refpos.rope(x, PLACES[places], **options), False), (dy, gradient, True)):
        limits = bounds("rope", {**options, "inverse": conjugate}, {"x": given, "positions": PLACES[places]}, "float32")
        found = rotated(torch.tensor(given), cos, sin, rows, interleaved, conjugate).numpy()
        report = refpos.compare(found, exact, bounds={name: one["output"] for name, one in limits.items()},
                                conformance="float32-angle")  # fmt: skip
        assert report, report
        assert (found[..., rotary_dim:] == exact[..., rotary_dim:]).all()
    other = rotated(torch.tensor(dy), cos, sin, rows, interleaved).numpy()
    limit = bounds("rope", {**options, "inverse": True}, {"x": dy, "positions": PLACES[places]}, "float32")
    assert (np.abs(other - gradient) > limit["float32-angle"]["output"]).any(), "not conjugated"


def test_positions_beyond_the_table_are_not_rotated():
    """With offsets in a tensor nothing is checked: tokens beyond the rows of cos are copied, as is their gradient."""
    x = scattered(3, 1, 4, dtype=np.float32)
    cos, sin = (torch.tensor(part) for part in refpos.rope_table(4, refpos.inverse_frequencies(4), dtype="float32"))
    places = np.array([2, 3, 4])
    found = rotated(torch.tensor(x), cos, sin, torch.tensor(places), False).numpy()
    wanted = refpos.rope(x, places, pairing="half", seq_axis=0)
    assert np.abs(found - wanted)[:2].max() < 1e-6 and (found[2] == x[2]).all() and (wanted[2] != x[2]).any()
