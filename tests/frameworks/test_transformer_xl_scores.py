"""Scores of Transformer-XL and its kin beside tiny modules with random weights, in float32 and float64.

Scores are caught where the module takes a softmax or a tangent of them. Queries, keys and projected tables are the
numbers that the module has, so that only the scores are judged, by the class of the module's format.
"""

from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from transformers import FunnelConfig, Gemma4AudioConfig, ParakeetEncoderConfig, Wav2Vec2ConformerConfig, XLNetConfig

import refpos
from refpos import conformance
from refpos.conformance.classes import FLOAT32, FLOAT64
from refpos.conformance.derivations import running_error, transformer_xl
from refpos.conformance.derivations.running_error import Bounded
from refpos.relative import relative_rows, segment_rows

from .test_sequences import CLASS, KINDS

NUMBER = 8
HEADS, DIM, WIDTH = 2, 4, 8


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def random_weights(module, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    for parameter in module.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator)
    return module.to(KINDS[dtype]).eval()


def random_input(*shape, dtype, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(KINDS[dtype])


@contextmanager
def caught(owner, name):
    """What the function of torch of that name is called with."""
    found, real = [], getattr(owner, name)

    def watched(x, *more, **options):
        found.append(x.detach().clone())
        return real(x, *more, **options)

    setattr(owner, name, watched)
    try:
        yield found
    finally:
        setattr(owner, name, real)


def heads_first(tensor):
    """(..., length, heads, dim) as (..., heads, length, dim)."""
    return tensor.transpose(-2, -3).detach().numpy()


def check(real, dtype, kept=None, as_dtype=None, **call):
    """The scores are in the class of their format; with u and v exchanged, or rows one off, they are not."""
    real, as_dtype = real.detach().numpy(), as_dtype or dtype
    inputs = {name: value for name, value in call.items() if isinstance(value, np.ndarray)}
    options = {name: value for name, value in call.items() if name not in inputs}
    kept = np.broadcast_to(True if kept is None else kept, real.shape)
    assert real.dtype == as_dtype and kept.any()

    def met(inputs):
        exact = refpos.scores.xl_scores(**inputs, **options, dtype=as_dtype)
        limits = conformance.bounds("xl_scores", options, inputs, as_dtype)[CLASS[dtype]]["output"]
        assert exact.shape == real.shape
        report = refpos.compare(real[kept], exact[kept], bounds={CLASS[dtype]: limits[kept]}, conformance=CLASS[dtype])
        return bool(report)

    assert met(inputs)
    if inputs.get("u") is not None:
        assert not met({**inputs, "u": inputs["v"], "v": inputs["u"]})
    size, read = inputs["projected"].shape[-2], np.broadcast_to(inputs["rows"] >= 0, real.shape) & kept
    if size > 1 and read.any():
        assert not met({**inputs, "rows": np.where(inputs["rows"] >= 0, (inputs["rows"] + 1) % size, -1)})


def every(number=NUMBER):
    """A generator of random numbers for each configuration; the first two are small."""
    for n in range(number):
        rng = np.random.default_rng(n)
        yield n, rng, (n + 1 if n < 2 else int(rng.integers(1, 8))), int(rng.integers(0, 5))


def distances(queries, more, low, high, outside="refuse"):
    return relative_rows(queries, queries + more, sign="key-query", low=low, high=high, outside=outside,
                                query_offset=more)  # fmt: skip


# -- Transformer-XL ---------------------------------------------------------------------------------------------------


def transformer_xl_scores(q, k, r, u, v):
    """As transformers 4.40.2 computed them: q and k (length, batch, heads, dim), r (keys, heads, dim)."""
    queries, keys = len(q), len(k)
    content = torch.einsum("ibnd,jbnd->ijbn", q + u, k)
    position = torch.einsum("ibnd,jnd->ijbn", q + v, r)
    wide = torch.cat([position.new_zeros(queries, 1, *position.shape[2:]), position], 1)
    position = wide.view(keys + 1, queries, *position.shape[2:])[1:].view_as(position)
    return (content + position) * (1 / DIM**0.5)


@pytest.mark.parametrize("dtype", KINDS)
def test_transformer_xl(dtype):
    done = 0
    for n, _, queries, memory in every():
        keys, at = queries + memory, {"dtype": dtype, "seed": n}
        q, k = random_input(queries, 2, HEADS, DIM, **at), random_input(keys, 2, HEADS, DIM, dtype=dtype, seed=n + 99)
        r = nn.Linear(WIDTH, HEADS * DIM, bias=False)
        random_weights(r, dtype, n)
        clamp = (0, 2)[n % 2] or keys - 1
        of_rows = np.minimum(np.arange(keys - 1, -1, -1), clamp)
        table = torch.tensor(refpos.sinusoidal(of_rows, WIDTH, layout="sin-cos", dtype=dtype))
        projected = r(table).view(keys, HEADS, DIM)
        u, v = random_input(2, HEADS, DIM, dtype=dtype, seed=n + 7)
        real = transformer_xl_scores(q, k, projected, u, v).permute(2, 3, 0, 1)
        behind = relative_rows(queries, keys, sign="query-key", low=0, high=max(clamp, 0), outside="clip",
                                      query_offset=memory)  # fmt: skip
        own = heads_first(projected)[:, ::-1][:, : clamp + 1]
        check(real, dtype, np.arange(keys) <= np.arange(queries)[:, None] + memory, q=heads_first(q.transpose(0, 1)),
              k=heads_first(k.transpose(0, 1)), projected=own, rows=behind, u=u.numpy(), v=v.numpy())  # fmt: skip
        done += 1
    print(f"transformer_xl {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


# -- XLNet ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("kind", ["bi", "uni"])
def test_xlnet(kind, dtype):
    """The whole model, with a memory, segments, clamped distances and a batch of two directions."""
    done, softmax = 0, nn.functional
    for n, rng, queries, memory in every():
        keys, both, clamp = queries + memory, kind == "bi" and n % 2 == 0, (-1, 3)[n % 3 == 0]
        config = XLNetConfig(vocab_size=11, d_model=WIDTH, n_layer=1, n_head=HEADS, d_inner=4, attn_type=kind,
                             bi_data=both, clamp_len=clamp)  # fmt: skip
        model = random_weights(hf("xlnet").XLNetModel(config), dtype, n)
        ids = torch.from_numpy(rng.integers(0, 11, (2, queries)))
        types = torch.from_numpy(rng.integers(0, 2, (2, queries)))
        mems = [random_input(memory, 2, WIDTH, dtype=dtype, seed=n)] if memory else None
        with torch.no_grad(), caught(softmax, "softmax") as found:
            model(ids, token_type_ids=types, mems=mems, use_mems=True)
        attention, h = model.layer[0].rel_attn, model.word_embedding(ids.T)
        cat = torch.cat([mems[0], h]) if memory else h
        r = model.relative_positional_encoding(queries, keys, bsz=2).type(attention.r.dtype)
        q, k, projected = (
            torch.einsum("ibh,hnd->ibnd", x, w) for x, w in ((h, attention.q), (cat, attention.k), (r, attention.r))
        )
        # rows of distances K .. 1 - Q, or .. 0; of the second direction their negatives
        low, high, outside = -keys, queries - 1 if kind == "bi" else 0, "refuse" if kind == "bi" else "zero"
        rows = distances(queries, memory, low, high, outside)
        table = projected[:, 0]
        if both:
            table = torch.cat([projected[:, 0], projected[:, 1]])
            rows = np.stack([rows, rows + len(projected)])[:, None]
        segments = np.concatenate([np.zeros((2, memory), np.int64), types.numpy()], 1)
        check(found[0], dtype, rows >= 0, q=heads_first(q.transpose(0, 1)), k=heads_first(k.transpose(0, 1)),
              projected=heads_first(table), rows=rows, u=attention.r_w_bias.detach().numpy(),
              v=attention.r_r_bias.detach().numpy(), s=attention.r_s_bias.detach().numpy(),
              segments=heads_first(attention.seg_embed),
              segment_rows=segment_rows(types.numpy(), segments, order="same-different")[:, None])  # fmt: skip
        done += 1
    print(f"xlnet {kind} {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


def test_the_other_direction_of_xlnet_reads_the_distances_turned_round():
    config = XLNetConfig(vocab_size=5, d_model=WIDTH, n_layer=1, n_head=HEADS, d_inner=4, bi_data=True)
    table = hf("xlnet").XLNetModel(config).relative_positional_encoding(3, 5, bsz=2).numpy()
    for batch, places in ((0, np.arange(5, -3, -1)), (1, np.arange(-5, 3))):
        assert angles(table[:, batch], places, "sin-cos")
        assert not angles(table[:, batch], -places, "sin-cos")


# -- Conformer --------------------------------------------------------------------------------------------------------

CONFORMERS = {
    "wav2vec2_conformer": lambda: hf("wav2vec2_conformer").Wav2Vec2ConformerSelfAttention(
        Wav2Vec2ConformerConfig(hidden_size=WIDTH, num_attention_heads=HEADS, position_embeddings_type="relative",
                                attn_implementation="eager")),
    "seamless_m4t": lambda: hf("seamless_m4t").SeamlessM4TConformerSelfAttention(SimpleNamespace(
        hidden_size=WIDTH, speech_encoder_attention_heads=HEADS, position_embeddings_type="relative",
        speech_encoder_dropout=0.0, _attn_implementation="eager")),
    "fastspeech2_conformer": lambda: hf("fastspeech2_conformer").FastSpeech2ConformerAttention(
        SimpleNamespace(hidden_size=WIDTH), {"num_attention_heads": HEADS, "attention_dropout_rate": 0.0}),
    "parakeet": lambda: hf("parakeet").ParakeetEncoderAttention(
        ParakeetEncoderConfig(hidden_size=WIDTH, num_attention_heads=HEADS, attn_implementation="eager"), 0),
    "nemotron_asr_streaming": lambda: hf("nemotron_asr_streaming").NemotronAsrStreamingEncoderAttention(
        ParakeetEncoderConfig(hidden_size=WIDTH, num_attention_heads=HEADS, attn_implementation="eager"), 0),
}  # fmt: skip


class Cache:
    """Keys and values of frames before these."""

    def __init__(self, before):
        self.before = before

    def update(self, keys, values, layer):
        self.keys = torch.cat([self.before, keys], 2)
        return self.keys, torch.cat([self.before, values], 2)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", CONFORMERS)
def test_conformers(name, dtype):
    done = 0
    for n, _, frames, before in every():
        before = before if name == "nemotron_asr_streaming" else 0
        module, keys = random_weights(CONFORMERS[name](), dtype, n), frames + before
        x = random_input(1, frames, WIDTH, dtype=dtype, seed=n)
        table = torch.tensor(refpos.sinusoidal(np.arange(keys - 1, -keys, -1), WIDTH, dtype=dtype))[None]
        cache = Cache(random_input(1, HEADS, before, DIM, dtype=dtype, seed=n + 5)) if before else None
        names = "linear_q", "linear_k", "linear_pos", "pos_bias_u", "pos_bias_v"
        given, owner = (x, None, table), torch if name == "fastspeech2_conformer" else nn.functional
        if hasattr(module, "q_proj"):
            names = "q_proj", "k_proj", "relative_k_proj", "bias_u", "bias_v"
            given = (x, table, None, *([cache] if before else []))
        with torch.no_grad(), caught(owner, "softmax") as found:
            module(*given)
        q, k, r, u, v = (getattr(module, part) for part in names)
        q, k, projected = (heads_first(part(y).view(1, -1, HEADS, DIM)) for part, y in ((q, x), (k, x), (r, table)))
        k = cache.keys.detach().numpy() if before else k
        check(found[0], dtype, q=q, k=k, projected=projected[0], rows=distances(frames, before, 1 - keys, keys - 1),
              u=u.detach().numpy(), v=v.detach().numpy(),
              scaled="sum" if name == "fastspeech2_conformer" else "parts")  # fmt: skip
        done += 1
    print(f"{name} {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


# -- Gemma ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
def test_gemma3n(dtype):
    """Blocks of queries with their contexts of keys; its shift leaves something only where it masks."""
    done = 0
    for n, rng, block, left in every():
        block, left, right = (3, 3, 1) if n == 0 else (block, left, int(rng.integers(0, 3)))
        context = block + left + right
        config = SimpleNamespace(conf_num_attention_heads=HEADS, hidden_size=HEADS * DIM,
                                 conf_attention_context_right=right, conf_attention_context_left=left + 1)  # fmt: skip
        module = random_weights(hf("gemma3n").Gemma3nAudioRelativePositionEmbedding(config), dtype, n)
        places = np.arange(left, -right - 1, -1)
        signal = module._get_timing_signal_1d_pos(torch.tensor(places), torch.float32).numpy()[0]
        assert angles(signal, places, "sin-cos", endpoint=True)
        table = torch.tensor(refpos.sinusoidal(places, WIDTH, layout="sin-cos", endpoint=True, dtype=dtype))
        module._get_timing_signal_1d_pos = lambda position, dtype, table=table: table[None]
        q = random_input(1, 2, block, HEADS, DIM, dtype=dtype, seed=n)
        k = random_input(1, 2, context, HEADS, DIM, dtype=dtype, seed=n + 50)
        real = module(q, k)[0].transpose(0, 1)
        rows = relative_rows(block, context, sign="key-query", low=-left, high=right, outside="zero",
                                    query_offset=left)  # fmt: skip
        projected = module.pos_proj(table).view(-1, HEADS, DIM)
        check(real, dtype, rows >= 0, q=heads_first(q[0]), k=heads_first(k[0]), projected=heads_first(projected),
              rows=rows, u=None, v=None, scale=1)  # fmt: skip
        done += 1
    print(f"gemma3n {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


def gemma4_attention(n, block, left, right):
    config = Gemma4AudioConfig(hidden_size=HEADS * DIM, num_attention_heads=HEADS, attention_chunk_size=block,
                               attention_context_left=left + 1, attention_context_right=right,
                               attention_logit_cap=1.0)  # fmt: skip
    module = random_weights(hf("gemma4").Gemma4AudioAttention(config, 0), "float32", n)
    return module, hf("gemma4").Gemma4AudioRelPositionalEncoding(config)


def test_gemma4():
    """The whole attention, which computes in float32, and its blocks; a cap of 1 leaves the scores before a tangent."""
    done = 0
    for n, rng, block, left in every():
        block, left, right = (12, 12, 0) if n == 0 else (block, left, int(rng.integers(0, 3)))
        module, encoding = gemma4_attention(n, block, left, right)
        length, first = int(rng.integers(1, 20)), module.context_size // 2
        x = random_input(1, length, WIDTH, dtype="float32", seed=n)
        table = encoding(x)
        assert angles(table.numpy()[0], np.arange(first, -1, -1), "sin-cos", endpoint=True)
        with torch.no_grad(), caught(torch, "tanh") as found:
            module(x, table)
        split = (-1, HEADS, DIM)
        q = module.q_proj(x)[0].view(split) * module.q_scale * nn.functional.softplus(module.per_dim_scale)
        k = (module.k_proj(x)[0].view(split) * module.k_scale).detach().numpy()
        q = module._convert_to_block(q[None])[0]
        contexts = refpos.positions.context_rows(length, block=block, left=left, right=right)
        blocks = np.where(contexts[..., None, None] >= 0, k[contexts], np.float32(0))
        rows = relative_rows(block, module.context_size, sign="key-query", low=-first, high=0, outside="zero",
                                    query_offset=first)  # fmt: skip
        check(found[0][0].transpose(0, 1), "float32", rows >= 0, q=heads_first(q), k=np.swapaxes(blocks, -2, -3),
              projected=heads_first(module.relative_k_proj(table).view(split)), rows=rows, u=None, v=None,
              scale=1)  # fmt: skip
        done += 1
    print(f"gemma4: {done} of {NUMBER}")
    assert done == NUMBER


def test_scales_of_channels():
    done = 0
    for n in range(NUMBER):
        dim = n + 1
        weight = 2 * random_input(dim, dtype="float32", seed=n)
        config = SimpleNamespace(
            conf_num_attention_heads=1, hidden_size=dim, conf_attention_context_right=0, conf_attention_context_left=1,
            conf_attention_chunk_size=1, conf_attention_logit_cap=1.0,
        )  # fmt: skip
        gemma3n, (gemma4, _) = hf("gemma3n").Gemma3nAudioAttention(config), gemma4_attention(n, 1, 1, 0)
        timesfm, ones = SimpleNamespace(scaling=weight, head_dim=dim), weight.new_ones(1, 1, 1, dim)
        for real, width in (
            (ones * gemma3n.q_scale * nn.functional.softplus(weight), dim),
            (ones * gemma4.q_scale * nn.functional.softplus(weight), DIM),
            (hf("timesfm").TimesFmAttention._scale_query(timesfm, ones), dim),
        ):
            assert scaled(real[0, 0, 0].numpy(), weight.numpy(), width)
            for wrong in (1.0001, np.log(2)):
                assert not scaled(real[0, 0, 0].numpy() * np.float32(wrong), weight.numpy(), width)
        done += 1
    assert scaled(np.array([gemma4.k_scale]), np.ones(1), 1)
    print(f"scales of channels: {done} of {NUMBER}")
    assert done == NUMBER


def scaled(real, weight, dim):
    """Whether these are the factors on the channels, computed in the format that they have."""
    dtype = real.dtype.name
    exact = refpos.scores.per_dim_scale(weight, dim, dtype=dtype)
    limits = conformance.bounds("per_dim_scale", {"dim": dim}, {"weight": weight}, dtype)[CLASS[dtype]]["output"]
    return bool(refpos.compare(real, exact, bounds={CLASS[dtype]: limits}, conformance=CLASS[dtype]))


# -- tables -----------------------------------------------------------------------------------------------------------


def angles(table, places, layout="interleaved", **more):
    """Whether a table is that of the distances: in float32 with an exponential or without, or in float64."""
    options, dtype = {"dim": table.shape[-1], "layout": layout, **more}, table.dtype.name
    name = {"float32": "float32-exp-angle", "float64": "float64-angle"}[dtype]
    exact = refpos.sinusoidal(places, **options, dtype=dtype)
    limits = conformance.bounds("sinusoidal", options, {"positions": places}, dtype)[name]["output"]
    return bool(refpos.compare(table, exact, bounds={name: limits}, conformance=name))


@pytest.mark.parametrize("frames", [1, 2, 5, 300])
def test_tables_of_conformers(frames):
    """Rows of the distances T - 1 .. 1 - T, sine and cosine in turn: the sign of the sines tells them apart."""
    x = torch.zeros(1, frames, WIDTH)
    conformer = hf("wav2vec2_conformer").Wav2Vec2ConformerRelPositionalEmbedding(
        Wav2Vec2ConformerConfig(hidden_size=WIDTH, max_source_positions=100))  # fmt: skip
    seamless = hf("seamless_m4t").SeamlessM4TConformerRelPositionalEmbedding(
        SimpleNamespace(hidden_size=WIDTH, max_source_positions=100))  # fmt: skip
    fastspeech2 = hf("fastspeech2_conformer").FastSpeech2ConformerRelPositionalEncoding(
        SimpleNamespace(hidden_size=WIDTH), {"positional_dropout_rate": 0.0})  # fmt: skip
    config = ParakeetEncoderConfig(hidden_size=WIDTH, num_attention_heads=HEADS)
    parakeet = hf("parakeet").ParakeetEncoderRelPositionalEncoding(config)
    nemotron = hf("nemotron_asr_streaming").NemotronAsrStreamingEncoderRelPositionalEncoding(config)
    scaled, fast = fastspeech2(torch.ones(1, frames, WIDTH))
    assert (scaled == float(np.float32(np.sqrt(WIDTH)))).all()
    places = np.arange(frames - 1, -frames, -1)
    for table in (conformer(x), seamless(x), fast, parakeet(x), nemotron(x)):
        assert angles(table[0].numpy(), places)
        assert frames == 1 or not angles(table[0].numpy(), -places)
    cached = nemotron(x, cached_frames=3)[0].numpy()
    assert angles(cached, np.arange(frames + 2, -frames - 3, -1))


# -- Funnel -----------------------------------------------------------------------------------------------------------


def funnel(n, kind, separate, cut, only_queries, dtype):
    config = FunnelConfig(vocab_size=11, block_sizes=[1, 1, 1], num_decoder_layers=1, d_model=WIDTH, n_head=HEADS,
                          d_head=DIM, d_inner=4, attention_type=kind, separate_cls=separate, truncate_seq=cut,
                          pool_q_only=only_queries)  # fmt: skip
    return random_weights(hf("funnel").FunnelEncoder(config), dtype, n)


def funnel_call(module, query, key):
    """What of the call of xl_scores an attention of Funnel has by itself."""
    q, k = (heads_first(part(x).view(*x.shape[:2], HEADS, DIM)) for part, x in
            ((module.q_head, query), (module.k_head, key)))  # fmt: skip
    biases = {name: getattr(module, parameter).detach().numpy() for name, parameter in
              (("u", "r_w_bias"), ("v", "r_r_bias"), ("s", "r_s_bias"))}  # fmt: skip
    return {"q": q, "k": k, **biases, "segments": heads_first(module.seg_embed), "scaled": "queries"}


@pytest.mark.parametrize("dtype", KINDS)
def test_funnel(dtype):
    """The encoder of three blocks; its attention scores are float32 in the end, whatever it computes in."""
    done = 0
    for n in range(NUMBER):
        rng, separate, cut, only_queries = np.random.default_rng(n), bool(n & 1), bool(n & 2), n % 5 != 0
        length = int(rng.integers(6, 13))
        encoder = funnel(n, "relative_shift", separate, cut, only_queries, dtype)
        structure, options = encoder.attention_structure, {"separate_cls": separate, "truncate_seq": cut}
        types = torch.from_numpy(rng.integers(0, 3, (1, length)))
        calls = []
        hooks = [
            layer.attention.register_forward_pre_hook(
                lambda module, given, calls=calls: calls.append((module, given[0], given[1], given[3]))
            )
            for block in encoder.blocks
            for layer in block
        ]
        x = random_input(1, length, WIDTH, dtype=dtype, seed=n)
        with torch.no_grad(), caught(torch, "softmax") as found:
            encoder(x, torch.ones(1, length), types)
        assert len(found) == len(calls) == len(hooks) == 3
        for block, (scores, (module, query, key, inputs)) in enumerate(zip(found, calls, strict=True)):
            shift = 2 if query.shape[1] != key.shape[1] else 1
            of_queries, of_keys = (
                refpos.positions.funnel_positions(length, block=b, **options) for b in (block, block - (shift == 2))
            )
            rows = relative_rows(of_queries, of_keys, sign="query-key", low=-2 * length, high=2 * length - 1,
                                        outside="refuse")  # fmt: skip
            table = np.zeros((HEADS, 4 * length, DIM), dtype)
            spaced = structure.relative_pos(of_keys.tolist(), 2 ** (block - (shift == 2)), of_queries.tolist(), shift)
            r = torch.einsum("td,dnh->tnh", inputs[0][block][shift - 1], module.r_kernel)
            table[:, spaced.numpy() + 2 * length] = heads_first(r)
            of_segments = [types.numpy()[0, one.clip(0)] for one in (of_queries, of_keys)]
            shared = segment_rows(*of_segments, order="different-same", shared=2)
            if separate:  # the class token has neither a position nor a segment
                rows[0], rows[:, 0], shared[0], shared[:, 0] = -1, -1, -1, -1
            call = funnel_call(module, query, key)
            check(scores, dtype, as_dtype="float32", **call, projected=table, rows=rows, segment_rows=shared)
        done += 1
    print(f"funnel {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


@pytest.mark.parametrize("dtype", KINDS)
def test_funnel_factorized(dtype):
    """Products of sines and cosines of both positions are the sinusoid of their distance, in another order.

    Both are bounded from exact arithmetic on the exact sinusoids.
    """
    done, fmt = 0, {"float32": FLOAT32, "float64": FLOAT64}[dtype]
    for n in range(NUMBER):
        rng = np.random.default_rng(n)
        length, block = int(rng.integers(2, 9)), int(rng.integers(0, 2))
        encoder = funnel(n, "factorized", False, False, True, dtype)
        module = encoder.blocks[1][0].attention
        keys = refpos.positions.funnel_positions(length, block=0, separate_cls=False, truncate_seq=False)
        queries = refpos.positions.funnel_positions(length, block=block, separate_cls=False, truncate_seq=False)
        sines = [refpos.sinusoidal(one, WIDTH, layout="sin-cos") for one in (queries, keys)]
        (sin_i, cos_i), (sin_j, cos_j) = (np.split(one, 2, -1) for one in sines)
        factors = pairs_of(sin_i, cos_i, sin_j, cos_j)
        q = random_input(1, len(queries), HEADS, DIM, dtype=dtype, seed=n)
        with torch.no_grad():
            real = module.relative_positional_attention(
                [torch.tensor(one).to(KINDS[dtype]) for one in factors], q, length
            )
        phi, pi, psi, omega = (
            one.numpy() for one in encoder.attention_structure.get_position_embeds(length, torch.float64, "cpu")
        )
        sin_j, cos_j = (one[:, : WIDTH // 2] for one in (phi, pi))
        assert angles(np.concatenate((sin_j, cos_j), -1), keys, "sin-cos")
        for one, pair in zip((phi, pi, psi, omega), pairs_of(sin_j, cos_j, sin_j, cos_j), strict=True):
            np.testing.assert_array_equal(one, pair)
        weight = module.r_kernel.detach().numpy().transpose(1, 2, 0)
        bias, q = (module.r_r_bias * module.scale).detach().numpy(), heads_first(q)
        # the program: (q + v) through the kernel, times each pair of sines, summed
        phi, pi, psi, omega = (near(one, fmt) for one in factors)
        rows, added, matrix = (running_error.from_input(one, fmt) for one in (q, bias[:, None], weight))
        vectors = running_error.matmul(running_error.add(rows, added), matrix)
        parts = [running_error.scores(running_error.multiply(vectors, a), b) for a, b in ((phi, psi), (pi, omega))]
        program = running_error.add(*parts)
        # ours: the table of distances
        places = np.arange(-length, length + 1)
        table = refpos.sinusoidal(places, WIDTH, layout="sin-cos")
        rows = relative_rows(queries, keys, sign="query-key", low=-length, high=length, outside="refuse")
        options = {"k": np.zeros((1, HEADS, length, DIM)), "rows": rows, "u": None, "v": bias, "scale": 1}
        ours = refpos.scores.xl_scores(q, projected=refpos.tables.project_table(table, weight), **options)
        chain = transformer_xl.scores(
            running_error.from_input(q, FLOAT64), running_error.from_input(options["k"], FLOAT64), None,
            [(running_error.matmul(near(table, FLOAT64), running_error.from_input(weight.swapaxes(-1, -2), FLOAT64)),
              np.broadcast_to(rows, ours.shape), running_error.from_input(bias[:, None], FLOAT64))],
            running_error.from_input(1.0, FLOAT64), "sum",
        )  # fmt: skip
        off, limit = np.abs(real.numpy().astype(np.float64) - ours), program.error + chain.error
        assert off.shape == limit.shape and (off <= limit).all()
        assert (np.abs(real.numpy()[..., ::-1] - ours) > limit).any()
        done += 1
    print(f"funnel, factorized {dtype}: {done} of {NUMBER}")
    assert done == NUMBER


def pairs_of(sin_i, cos_i, sin_j, cos_j):
    """phi and pi of queries i, psi and omega of keys j."""
    pairs = (sin_i, sin_i), (cos_i, cos_i), (cos_j, sin_j), (-sin_j, cos_j)
    return [np.concatenate(pair, -1) for pair in pairs]


def near(table, fmt):
    """Sines and cosines rounded to float64 and then to the format."""
    found = running_error.from_input(table, fmt)
    return Bounded(found.values, found.error + np.abs(table) * 2.0**-53, fmt)


# -- projection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
def test_projections(dtype):
    done = 0
    for n in range(NUMBER):
        rng = np.random.default_rng(n)
        rows, heads, dim, width = (int(one) for one in rng.integers(1, 12, 4))
        linear = random_weights(nn.Linear(width, heads * dim, bias=False), dtype, n)
        kernel = random_input(width, heads, dim, dtype=dtype, seed=n)
        x = random_input(rows, width, dtype=dtype, seed=n + 1)
        for real, weight in (
            (linear(x).view(rows, heads, dim), linear.weight.detach().numpy().reshape(heads, dim, width)),
            (torch.einsum("th,hnd->tnd", x, kernel), kernel.numpy().transpose(1, 2, 0)),
        ):
            inputs = {"table": x.numpy(), "weight": weight}
            exact = refpos.tables.project_table(**inputs, dtype=dtype)
            limits = conformance.bounds("project_table", {}, inputs, dtype)[CLASS[dtype]]["output"]
            report = refpos.compare(heads_first(real), exact, bounds={CLASS[dtype]: limits}, conformance=CLASS[dtype])
            assert report
        done += 1
    print(f"projections {dtype}: {done} of {NUMBER}")
    assert done == NUMBER
