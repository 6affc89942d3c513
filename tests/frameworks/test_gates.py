"""CoPE and data-dependent ALiBi of x-transformers, run in float32 and float64 at 200 random configurations of each, and
formulas of repositories that are not installed, in torch: FIRE, CoPE, the Forgetting Transformer, Cable, DAPE, Abacus,
and the merging of ReRoPE, Self-Extend and ChunkLlama."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from x_transformers.x_transformers import CoPE, DataDependentAlibi

import refpos

from .test_distances import COUNT, all_meet, meets

KINDS = {"float32": torch.float32, "float64": torch.float64}
#: the class of programs that compute in each format
CLASS = {"float32": "sequence32", "float64": "sequence64"}
both = pytest.mark.parametrize("dtype", KINDS)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Arrays this small are slower with more."""
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


def drawn(rng, *shape, size=1.0):
    """Numbers that both formats hold."""
    return (rng.standard_normal(shape) * size).astype("f4")


def tensors(dtype, *arrays):
    return [torch.tensor(array, dtype=KINDS[dtype]) for array in arrays]


def lengths(rng):
    """A number of queries, and of keys that is not less."""
    queries = int(rng.integers(1, 12))
    return queries, queries + int(rng.integers(0, 9))


# -- x-transformers ---------------------------------------------------------------------------------------------------


def cope_of_x_transformers(rng, dtype):
    """The module, what it is called with, and the scores with their mask: those of the mixed heads where it mixes."""
    heads, (queries, keys), dim, rows = int(rng.integers(1, 5)), lengths(rng), int(rng.integers(1, 9)), 0
    rows, mixing = int(rng.integers(1, 10)), bool(rng.integers(2))
    module = CoPE(dim, heads, rows, talking_heads=mixing).to(KINDS[dtype])
    module.pos_emb.data = torch.tensor(drawn(rng, rows, dim), dtype=KINDS[dtype])
    scores, q = drawn(rng, 2, heads, queries, keys, size=2), drawn(rng, 2, heads, queries, dim)
    future = torch.ones(queries, keys).triu(keys - queries + 1).bool()
    given, query = tensors(dtype, scores, q)
    if mixing:  # the module masks by itself what it has mixed
        module.talking_heads.weight.data = torch.eye(heads, dtype=KINDS[dtype])[:, :, None, None]
    else:
        given = given.masked_fill(future, -torch.finfo(given.dtype).max)
    inputs = {"scores": scores, "q": q, "weight": module.pos_emb.detach().float().numpy()}
    return module(query, given).detach().numpy(), {**inputs, "mask": (~future).numpy().astype(np.int64)}


@both
def test_cope(dtype):
    def one(rng):
        theirs, inputs = cope_of_x_transformers(rng, dtype)
        return {"scale": 1}, theirs, CLASS[dtype], dtype, inputs

    assert all_meet("cope", one, f"x-transformers, CoPE in {dtype}") == COUNT


@both
def test_cope_sees_what_is_wrong(dtype):
    rng = np.random.default_rng(1)
    seen = np.zeros(3, int)
    for _ in range(20):
        theirs, inputs = cope_of_x_transformers(rng, dtype)
        turned = {**inputs, "weight": inputs["weight"][::-1]}
        for k, (scale, wrong) in enumerate(((None, inputs), (1, turned), (1, {**inputs, "mask": None}))):
            seen[k] += not meets("cope", {"scale": scale}, theirs, CLASS[dtype], dtype, wrong)
    assert (seen > 10).all(), seen


def gates_of_x_transformers(rng, dtype, causal):
    """The bias of the module, and its logits, exact in both formats: integers through a linear layer of ones."""
    heads, length = int(rng.choice([1, 3])), int(rng.choice([1, 2, 5, 13, 29]))  # einx compiles each shape anew
    count, scale = heads * (1 if causal else 2), float(rng.choice([1.0, 0.5, 3.0]))
    module = DataDependentAlibi(count, heads, causal=causal, post_log_scale=scale).to(KINDS[dtype])
    module.to_forget_gates[0].weight.data = torch.eye(count, dtype=KINDS[dtype])
    module.to_forget_gates[0].bias.data.zero_()
    logits = drawn(rng, 2, count, length, size=3)
    theirs = module(torch.tensor(logits, dtype=KINDS[dtype]).mT).detach().numpy()
    inputs = {"logits": logits[:, :heads]} if causal else {"logits": logits[:, :heads], "backward": logits[:, heads:]}
    return {"scale": scale}, theirs, CLASS[dtype], dtype, inputs


@both
@pytest.mark.parametrize("mode", ["linear", "bidirectional"])
def test_data_dependent_alibi(mode, dtype):
    def one(rng):
        call, *rest = gates_of_x_transformers(rng, dtype, mode == "linear")
        return {**call, "mode": mode}, *rest

    assert all_meet("forget_gate", one, f"x-transformers, DataDependentAlibi {mode} in {dtype}") == COUNT


@both
def test_data_dependent_alibi_sees_what_is_wrong(dtype):
    """The gate of the earlier token in place of that of the later, and both directions exchanged."""
    rng, seen = np.random.default_rng(2), np.zeros(2, int)
    for _ in range(20):
        call, theirs, kind, dtype, inputs = gates_of_x_transformers(rng, dtype, False)
        call = {**call, "mode": "bidirectional"}
        moved = {name: np.roll(logits, 1, -1) for name, logits in inputs.items()}
        turned = dict(zip(inputs, list(inputs.values())[::-1], strict=True))
        for k, wrong in enumerate((moved, turned)):
            seen[k] += not meets("forget_gate", call, theirs, kind, dtype, wrong)
    assert (seen > 10).all(), seen  # of one token there is nothing to see


# -- formulas of repositories -----------------------------------------------------------------------------------------


@both
def test_forgetting_transformer_and_cable(dtype):
    """log_lambda of zhixuan-lin/forgetting-transformer, queries last, and the biases of axiomlab/Cable."""

    def one(rng):
        heads, (queries, keys) = int(rng.integers(1, 5)), lengths(rng)
        logits = drawn(rng, 2, heads, keys, size=3)
        (x,) = tensors(dtype, logits)
        total = torch.cumsum(F.logsigmoid(x), -1)
        if rng.integers(2):
            total, logits = torch.cumsum(-F.softplus(x), -1), -logits
        theirs = total[..., keys - queries :, None] - total[..., None, :]
        future = torch.ones(queries, keys).triu(keys - queries + 1).bool()
        theirs = theirs.masked_fill(future, -math.inf).numpy()
        return {"mode": "causal", "query_len": queries}, theirs, CLASS[dtype], dtype, {"logits": logits}

    assert all_meet("forget_gate", one, f"Forgetting Transformer and Cable, formulas in {dtype}") == COUNT


def lines(rng, dtype, inputs, hidden, heads):
    """Arrays of both lines of a perceptron, and the same in torch."""
    shapes = {"weight_in": (hidden, inputs), "bias_in": (hidden,), "weight_out": (heads, hidden), "bias_out": (heads,)}
    arrays = {name: drawn(rng, *shape) for name, shape in shapes.items()}
    return arrays, tensors(dtype, *arrays.values())


@both
def test_fire(dtype):
    """FIRE of mcleish7/arithmetic, with positions that were drawn, and FIRE and FIRE_DAPE of chuanyang-Zheng/DAPE."""

    def one(rng):
        heads, size, mode = int(rng.integers(1, 9)), int(rng.integers(1, 16)), str(rng.choice(["clipped", "symmetric"]))
        arrays, (w1, b1, w2, b2) = lines(rng, dtype, 1, int(rng.integers(1, 33)), heads)
        c, length = (float(np.float32(rng.uniform(*ends))) for ends in ((-0.5, 0.5), (-600, 600)))
        length, eps = (float(rng.integers(1, 9)), 0.0) if rng.integers(2) else (length, 2.0**-20)
        places = np.sort(rng.permutation(600)[:size]) if mode == "symmetric" else np.arange(size)
        where = torch.tensor(places, dtype=KINDS[dtype])
        away = where[:, None] - where[None, :]
        away = away.abs() if mode == "symmetric" else torch.tril(away)
        place = torch.log((c * torch.max(where, torch.tensor(abs(length), dtype=KINDS[dtype]))).abs() + 1)[:, None]
        x = torch.log((c * away).abs() + 1) / (place + eps)
        leaky = bool(rng.integers(2))
        hidden = F.linear(x[..., None], w1, b1)
        theirs = F.linear(F.leaky_relu(hidden) if leaky else F.relu(hidden), w2, b2).permute(2, 0, 1)
        call = {"c": c, "length": length, "eps": eps, "mode": mode, "activation": "leaky_relu" if leaky else "relu"}
        inputs = {"query_positions": places, "key_positions": places, **arrays}
        return call, theirs.numpy(), CLASS[dtype], dtype, inputs

    assert all_meet("fire", one, f"FIRE, formulas in {dtype}") == COUNT


@both
def test_dape(dtype):
    def one(rng):
        heads, (queries, keys), leaky = int(rng.integers(1, 7)), lengths(rng), bool(rng.integers(2))
        arrays, (w1, b1, w2, b2) = lines(rng, dtype, 2 * heads, int(rng.integers(1, 33)), heads)
        scores, bias = drawn(rng, 2, heads, queries, keys), drawn(rng, heads, queries, keys)
        x, a = tensors(dtype, scores, bias)
        pair = torch.cat((x, torch.tile(a, (2, 1, 1, 1))), dim=1).permute(0, 2, 3, 1)
        hidden = F.linear(pair, w1, b1)
        change = F.linear(F.leaky_relu(hidden) if leaky else F.relu(hidden), w2, b2).permute(0, 3, 1, 2)
        call = {"activation": "leaky_relu" if leaky else "relu"}
        return call, (x + a + change).numpy(), CLASS[dtype], dtype, {"scores": scores, "bias": bias, **arrays}

    assert all_meet("dape", one, f"DAPE, formula in {dtype}") == COUNT


@both
def test_cope_of_its_authors(dtype):
    """ContextPosSelfAttn of facebookresearch/RAM: gates times a mask, and scores and bias divided together."""

    def one(rng):
        length, dim, rows = int(rng.integers(1, 15)), int(rng.integers(1, 9)), int(rng.integers(1, 20))
        q, k, table = drawn(rng, 2, length, dim), drawn(rng, 2, length, dim), drawn(rng, dim, rows)
        query, key, emb = tensors(dtype, q, k, table)
        scores = (query @ key.mT / math.sqrt(dim)).numpy()
        gates = torch.sigmoid(torch.tensor(scores)) * torch.ones(length, length).tril()
        p = gates.flip(-1).cumsum(dim=-1).flip(-1).clamp(max=rows - 1)
        fixed = torch.matmul(query, emb)
        part = p - p.floor()
        theirs = fixed.gather(-1, p.ceil().long()) * part + fixed.gather(-1, p.floor().long()) * (1 - part)
        mask = np.tril(np.ones((length, length), int))
        inputs = {"scores": scores, "q": q, "weight": np.ascontiguousarray(table.T), "mask": mask}
        return {"scale": None}, (theirs / math.sqrt(dim)).numpy(), CLASS[dtype], dtype, inputs

    assert all_meet("cope", one, f"CoPE, formula of RAM in {dtype}") == COUNT


def abacus(ids, digits):
    """The steps of mcleish7/arithmetic, in torch: segments numbered, and their starts subtracted from an index."""
    mask = torch.isin(ids, digits)
    before = torch.cat([torch.zeros((len(mask), 1), dtype=mask.dtype), mask[:, :-1]], dim=1)
    starts = (before != mask) & mask
    segments = torch.cumsum(starts, dim=1)
    index = torch.arange(mask.size(1)).repeat(len(mask), 1)
    first = torch.zeros((len(mask), mask.size(1) + 1), dtype=torch.long).scatter_add(1, segments, index * starts.long())
    return (index - first.gather(1, segments) + 1) * mask


def test_abacus():
    rng, same = np.random.default_rng(6), 0
    for _ in range(COUNT):
        ids = rng.integers(0, 14, (int(rng.integers(1, 4)), int(rng.integers(1, 30))))
        digits, offset = rng.permutation(14)[: int(rng.integers(1, 11))], int(rng.integers(0, 100))
        theirs = abacus(torch.tensor(ids), torch.tensor(digits))
        theirs[theirs > 0] += offset
        same += np.array_equal(refpos.positions.abacus_positions(ids, digits, offset=offset), theirs.numpy())
    print(f"Abacus, steps of its authors: {same} of {COUNT}")
    assert same == COUNT


# -- scores and outputs merged ----------------------------------------------------------------------------------------


def test_merged_scores_of_rerope_and_self_extend():
    """torch.where over the mask of the near window, as both have it."""
    rng, same = np.random.default_rng(7), 0
    for _ in range(COUNT):
        (queries, keys), window = lengths(rng), int(rng.integers(1, 12))
        near, far = drawn(rng, 2, 3, queries, keys), drawn(rng, 2, 3, queries, keys)
        places = torch.arange(keys)
        close = (places[keys - queries :, None] - places[None, :]).abs() < window
        theirs = torch.where(close, torch.tensor(near), torch.tensor(far)).numpy()
        regions = refpos.positions.window_regions(np.arange(keys - queries, keys), keys, window=window)
        same += np.array_equal(refpos.scores.merge_scores([near, far], regions), theirs)
    print(f"merged by a near window: {same} of {COUNT}")
    assert same == COUNT


@both
def test_outputs_of_dual_chunks(dtype):
    """merge_attn_outputs of ChunkLlama, without its rounding of weights to bfloat16."""

    def one(rng):
        parts, queries, dim = (int(rng.integers(1, most)) for most in (4, 7, 9))
        outputs, sums = drawn(rng, parts, queries, dim), drawn(rng, parts, queries, size=4)
        o, logits = tensors(dtype, outputs, sums)
        weights = torch.exp(logits - logits.max(0).values)
        weights = weights / weights.sum(0)
        theirs = (o * weights[..., None]).sum(0).numpy()
        return {}, theirs, CLASS[dtype], dtype, {"outputs": outputs, "log_sums": sums}

    assert all_meet("merge_outputs", one, f"ChunkLlama, formula in {dtype}") == COUNT
