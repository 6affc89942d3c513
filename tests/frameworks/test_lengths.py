"""Beyond the trained length, as the projects' code computes it: written again with torch."""

import numpy as np
import pytest
import torch
from test_lengths import FORMATS, assert_same, bits
from witness import lengths as witness
from witness.digits import patterns

import refpos

# -- xPos: the projects' formulas in float64 --------------------------------------------------------------------------


def adjacent(values):
    return values.repeat_interleave(2, -1)


def project_xpos(x, centring, offset, downscale):
    """torchscale ("ceil") and x-transformers ("floor"), in float64: adjacent pairs, the last rows of offset + rows."""
    rows, width = x.shape
    total = rows + offset
    base = (torch.arange(0, width, 2, dtype=torch.float64) + 0.4 * width) / (1.4 * width)
    first = -(rows + offset) // 2 if centring == "ceil" else -(total // 2)
    scale = base ** ((torch.arange(total, dtype=torch.float64) + first) / 512)[:, None]
    angle = torch.outer(torch.arange(total, dtype=torch.float64),
                        10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width))  # fmt: skip
    scale = 1 / scale if downscale else scale
    cos, sin = (adjacent(part * scale)[-rows:] for part in (angle.cos(), angle.sin()))
    turned = torch.stack((-x[:, 1::2], x[:, ::2]), -1).flatten(-2)
    return x * cos + turned * sin


@pytest.mark.parametrize("downscale", [False, True])
@pytest.mark.parametrize("centring", ["ceil", "floor"])
def test_the_projects_formulas_in_float64(centring, downscale):
    rng = np.random.default_rng(12)
    for rows, offset in ((5, 0), (6, 0), (1, 4), (1, 7), (3, 100), (2048, 0)):
        x = rng.standard_normal((rows, 64))
        theirs = project_xpos(torch.from_numpy(x), centring, offset, downscale).numpy()
        ours = refpos.rotary.xpos(
            x, offset + np.arange(rows), pairing="interleaved", centring=centring, downscale=downscale
        )
        # angles up to 2048 in float64, factors up to 13
        assert np.abs(ours - theirs).max() < 1e-11
        other = refpos.rotary.xpos(x, offset + np.arange(rows), pairing="interleaved", downscale=downscale,
                            centring="floor" if centring == "ceil" else "ceil")  # fmt: skip
        assert (np.abs(other - theirs).max() > 1e-4) == bool((rows + offset) % 2)


# -- positions against the projects' code in float64 ------------------------------------------------------------------


def scores(q, k, theta):
    """Scores of rotated (positions given) queries and keys, halves, in float64."""

    def turn(x, positions):
        angle = torch.outer(torch.as_tensor(np.asarray(positions, np.float64)), theta)
        c, s = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)
        half = x.shape[-1] // 2
        return x * c + torch.cat([-x[:, half:], x[:, :half]], -1) * s

    return lambda at_q, at_k: turn(q, at_q) @ turn(k, at_k).T


def by_distance(q, k, theta, distances):
    """Scores of queries turned by one distance for each pair."""
    half = len(theta)
    angle = torch.as_tensor(np.asarray(distances, np.float64))[..., None] * theta
    a, b, c, d = q[:, None, :half], q[:, None, half:], k[None, :, :half], k[None, :, half:]
    return ((a * c + b * d) * angle.cos() + (a * d - b * c) * angle.sin()).sum(-1)


def setting(tokens, seed):
    rng = np.random.default_rng(seed)
    q, k = (torch.from_numpy(rng.standard_normal((tokens, 16))) for _ in range(2))
    theta = torch.from_numpy(refpos.inverse_frequencies(16).inv_freq)
    return q, k, theta, torch.tril(torch.ones(tokens, tokens)).bool()


@pytest.mark.parametrize("shift", ["floor", "exact"])
@pytest.mark.parametrize("tokens, group, window", [(40, 3, 8), (40, 2, 8), (40, 6, 16), (8, 2, 8), (7, 3, 8)])
def test_self_extend_as_longlm_computes_it(tokens, group, window, shift):
    q, k, theta, causal = setting(tokens, 1)
    score_at, ids = scores(q, k, theta), torch.arange(tokens)
    used = 0 if ids.max() < window else window
    moved = ids.double() // group + used - (used // group if shift == "floor" else used / group)
    near = torch.tril(torch.ones(tokens, tokens))
    if tokens > window:
        near[window:, :-window] -= torch.tril(torch.ones(tokens - window, tokens - window))
    theirs = torch.where(near.bool(), score_at(ids, ids), score_at(moved, ids // group))
    rule = {"group_size": group, "neighbor_window": window, "shift": shift, "dtype": "float64"}
    places = [refpos.positions.self_extend_positions(tokens, role=role, **rule) for role in ("query", "key")]
    region = torch.from_numpy(refpos.positions.window_regions(tokens, tokens, window=window))
    ours = torch.where(region == 0, score_at(ids, ids), score_at(*places))
    assert (theirs - ours)[causal].abs().max() < 1e-12
    distances = refpos.positions.self_extend_distances(tokens, tokens, **rule)
    assert (theirs - by_distance(q, k, theta, distances))[causal].abs().max() < 1e-12
    if tokens <= window:
        assert (theirs - score_at(ids, ids))[causal].abs().max() == 0


@pytest.mark.parametrize("factor", [None, 4, 3])
def test_rerope_as_its_author_computes_it(factor):
    tokens, window = 40, 9
    q, k, theta, causal = setting(tokens, 2)
    score_at, ids = scores(q, k, theta), torch.arange(tokens)
    if factor is None:
        far = scores(q, k, theta)(ids * 0 + window, ids * 0)
    else:
        far = scores(q, k, theta / factor)(ids + window * (factor - 1), ids)
    near = (ids[:, None] - ids).abs() < window
    theirs = torch.where(near, score_at(ids, ids), far)
    places = [refpos.positions.rerope_positions(tokens, role=role, window=window, factor=factor, dtype="float64")
              for role in ("query", "key")]  # fmt: skip
    region = torch.from_numpy(refpos.positions.window_regions(tokens, tokens, window=window))
    ours = torch.where(region == 0, score_at(ids, ids), score_at(*places))
    assert (theirs - ours)[causal].abs().max() < 1e-12
    distances = refpos.positions.rerope_distances(tokens, tokens, window=window, factor=factor, dtype="float64")
    assert (theirs - by_distance(q, k, theta, distances))[causal].abs().max() < 1e-12
    # decoding: one distance for each key
    last = (ids[-1] - ids).double()
    leaky = (last + window * ((factor or 1) - 1)) / (factor or 1)
    last = last.clip(max=window) if factor is None else torch.where(last < window, last, leaky)
    assert np.abs(distances[-1] - last.numpy()).max() < 1e-12


@pytest.mark.parametrize("chunk, local, tokens", [(10, 4, 40), (12, 3, 37), (20, 15, 23), (10, 4, 6)])
def test_dual_chunks_as_chunkllama_computes_them(chunk, local, tokens):
    q, k, theta, causal = setting(tokens, 3)
    score_at, ids, length = scores(q, k, theta), torch.arange(tokens), chunk - local
    successive = (torch.arange(length) + length).clamp(max=chunk)
    theirs = torch.zeros(tokens, tokens, dtype=torch.float64)
    for begin in range(0, tokens, length):
        rows = slice(begin, begin + length)
        within = ids[rows] % length
        for columns, places in (
            (slice(begin, begin + length), within),
            (slice(max(begin - length, 0), begin), successive[within]),
            (slice(0, max(begin - length, 0)), successive[[length - 1]].repeat(len(within))),
        ):
            full = torch.zeros(tokens, dtype=torch.int64)
            full[rows] = places
            theirs[rows, columns] = score_at(full, ids % length)[rows, columns]
    size = {"chunk_size": chunk, "local_size": local}
    key = refpos.positions.dual_chunk_positions(tokens, role="key", **size, version="chunkllama")
    region = torch.from_numpy(refpos.positions.dual_chunk_regions(tokens, tokens, **size))
    ours = torch.zeros_like(theirs)
    for number, role in enumerate(("intra", "successive", "inter")):
        query = refpos.positions.dual_chunk_positions(tokens, role=role, **size, version="chunkllama")
        ours = torch.where(region == number, score_at(query, key), ours)
    assert (theirs - ours)[causal].abs().max() < 1e-12
    distances = refpos.positions.dual_chunk_distances(tokens, tokens, **size, version="chunkllama")
    assert (theirs - by_distance(q, k, theta, distances))[causal].abs().max() < 1e-12
    if tokens <= length:
        assert (theirs - score_at(ids, ids))[causal].abs().max() == 0


# -- factors on queries -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_log_n_factors_are_the_witness_bit_for_bit(name):
    rng = np.random.default_rng(13)
    for length in (2, 3, 6, 512, 2048, 4096, 1000, 10**6, 2**40):
        positions = np.unique(np.r_[0, 1, length - 2, length - 1, length, 2 * length,
        length**2 - 1 if length < 2**20 else 0,
                                    2 ** np.arange(1, 50) - 1, rng.integers(0, 2**50, 40)])  # fmt: skip
        out = np.empty(positions.shape, np.uint16) if name == "bfloat16" else None
        found = refpos.scores.log_n_scale(positions, training_length=length, dtype=name, out=out)
        assert_same(bits(found), patterns(witness.log_n_scale(positions.tolist(), length), name))
        if name == "float64":
            theirs = (torch.from_numpy(positions + 1).double().log() / np.log(length)).clip(1).numpy()
            assert np.abs(found / theirs - 1).max() < 1e-14
