"""The rows of `table_rows` beside the modules that read them: the tables hold the number of each row."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from witness import position_ids as witness

import refpos

NUMBER = 50


def hf(name):
    return import_module(f"transformers.models.{name}.modeling_{name}")


def numbered(module):
    """The module with a table whose row k holds k."""
    with torch.no_grad():
        module.weight.copy_(torch.arange(len(module.weight), dtype=module.weight.dtype)[:, None])
    return module


def read(rows):
    """The rows that a numbered table was read at."""
    return rows[..., 0].detach().numpy().astype(np.int64)


def arrays(high):
    """Random ids below `high` with all kinds of padding, and some tokens that precede them."""
    rng = np.random.default_rng(high)
    for _ in range(NUMBER):
        yield rng.integers(0, high, rng.integers(1, 9, 2)), int(rng.integers(0, 6))


def assert_same(real, tokens, **options):
    for given in (tokens, tokens.astype(np.int32), tokens.tolist()) if isinstance(tokens, np.ndarray) else (tokens,):
        assert np.array_equal(refpos.positions.table_rows(given, **options), real), options
    assert np.array_equal(witness.table_rows(tokens, **options), real)


# -- lengths ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, cls, offset, of_shape", [
    ("bart", "BartLearnedPositionalEmbedding", 2, False), ("mbart", "MBartLearnedPositionalEmbedding", 2, False),
    ("plbart", "PLBartLearnedPositionalEmbedding", 2, False), ("trocr", "TrOCRLearnedPositionalEmbedding", 2, False),
    ("led", "LEDLearnedPositionalEmbedding", 0, True),
    ("blenderbot", "BlenderbotLearnedPositionalEmbedding", 0, True),
    ("bigbird_pegasus", "BigBirdPegasusLearnedPositionalEmbedding", 0, True),
])  # fmt: skip
def test_learned_tables_of_the_bart_family(name, cls, offset, of_shape):
    module = numbered(getattr(hf(name), cls)(64, 1))
    assert len(module.weight) == 64 + offset
    for tokens, past in arrays(9):
        found = read(module(tokens.shape if of_shape else torch.from_numpy(tokens), past))
        for real in found.reshape(-1, tokens.shape[1]):
            assert_same(real, tokens.shape[1], rule="count", offset=offset, past=past)


SMALL = {"vocab_size": 16, "hidden_size": 4, "num_attention_heads": 1, "max_position_embeddings": 64, "pad_token_id": 1,
         "type_vocab_size": 2, "intermediate_size": 4, "entity_vocab_size": 4}  # fmt: skip


def embeddings(name, cls):
    """The embeddings of a small model, and the list that its table of positions writes its indices to."""
    module = hf(name)
    config = getattr(import_module(f"transformers.models.{name}.configuration_{name}"), f"{cls}Config")(**SMALL)
    built, seen = getattr(module, f"{cls}Embeddings")(config), []
    built.position_embeddings.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0].numpy()))
    return built, seen


@pytest.mark.parametrize("name, cls, offset", [
    ("bert", "Bert", 0), ("electra", "Electra", 0), ("yoso", "Yoso", 2), ("nystromformer", "Nystromformer", 2),
    ("mra", "Mra", 2), ("splinter", "Splinter", 0),
])  # fmt: skip
def test_tables_of_bert_and_its_kin(name, cls, offset):
    built, seen = embeddings(name, cls)
    for tokens, _ in arrays(10):
        built(input_ids=torch.from_numpy(tokens))
        assert_same(seen.pop()[0], tokens.shape[1], rule="count", offset=offset)


def test_the_table_of_gpt2():
    module = hf("gpt2")
    config = module.GPT2Config(vocab_size=16, n_positions=32, n_embd=4, n_layer=1, n_head=1)
    model, seen = module.GPT2Model(config).eval(), []
    model.wpe.register_forward_pre_hook(lambda _, arguments: seen.append(arguments[0].numpy()))
    cache = model(torch.tensor([[1, 2, 3]])).past_key_values
    model(torch.tensor([[4, 5]]), past_key_values=cache)
    assert_same(seen[0].reshape(-1), 3, rule="count", num_rows=32)
    assert_same(seen[1].reshape(-1), 2, rule="count", past=3, num_rows=32)
    with pytest.raises(IndexError):
        model(torch.zeros((1, 33), dtype=torch.long))
    with pytest.raises(refpos.InputError, match="num_rows = 32, the size of the table, got row 32"):
        refpos.positions.table_rows(33, rule="count", num_rows=32)


# -- ids that pad -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, cls", [
    ("roberta", "Roberta"), ("xlm_roberta", "XLMRoberta"), ("camembert", "Camembert"), ("ibert", "IBert"),
    ("longformer", "Longformer"), ("mpnet", "MPNet"), ("esm", "Esm"), ("luke", "Luke"), ("xmod", "Xmod"),
])  # fmt: skip
def test_tables_of_roberta_and_its_kin(name, cls):
    built, seen = embeddings(name, cls)
    for tokens, _ in arrays(4):
        more = {} if name in ("mpnet", "esm") else {"token_type_ids": torch.zeros(tokens.shape, dtype=torch.long)}
        built(input_ids=torch.from_numpy(tokens), **more)
        assert_same(seen.pop(), tokens, rule="tokens", padding_idx=1)


@pytest.mark.parametrize("past", [0, 3])
def test_the_rule_of_fairseq_with_tokens_before(past):
    roberta = hf("roberta").RobertaEmbeddings.create_position_ids_from_input_ids
    for tokens, _ in arrays(5):
        real = roberta(torch.from_numpy(tokens), 2, past).numpy()
        assert_same(real, tokens, rule="tokens", padding_idx=2, past=past)
    embeds = hf("m2m_100").M2M100SinusoidalPositionalEmbedding.create_position_ids_from_inputs_embeds
    assert_same(embeds(torch.zeros(2, 5, 4), past, 1).numpy()[0], 5, rule="count", offset=2, past=past)


SINUSOIDAL = [
    ("m2m_100", "M2M100SinusoidalPositionalEmbedding"), ("nllb_moe", "NllbMoeSinusoidalPositionalEmbedding"),
    ("kosmos2", "Kosmos2TextSinusoidalPositionalEmbedding"), ("trocr", "TrOCRSinusoidalPositionalEmbedding"),
    ("speech_to_text", "Speech2TextSinusoidalPositionalEmbedding"),
    ("speecht5", "SpeechT5SinusoidalPositionalEmbedding"),
    ("seamless_m4t", "SeamlessM4TSinusoidalPositionalEmbedding"),
]  # fmt: skip


@pytest.mark.parametrize("name, cls", SINUSOIDAL, ids=[name for name, _ in SINUSOIDAL])
def test_sinusoidal_tables_read_the_rows_of_fairseq(name, cls):
    module = getattr(hf(name), cls)(64, 8, 1)
    module.weights = torch.arange(66.0)[:, None]
    for tokens, past in arrays(6):
        found = read(module(torch.from_numpy(tokens), past_key_values_length=past))
        assert_same(found, tokens, rule="tokens", padding_idx=1, past=past)


def test_rows_of_xglm_and_fsmt():
    xglm = hf("xglm").XGLMSinusoidalPositionalEmbedding(64, 8, 1)
    xglm.weights = torch.arange(66.0)[:, None]
    fsmt = numbered(hf("fsmt").SinusoidalPositionalEmbedding(64, 1, 1))
    for tokens, past in arrays(3):
        length = tokens.shape[1]
        found = read(xglm(torch.arange(past, past + length)[None], past))
        assert_same(found[0], length, rule="count", offset=2, past=past)
        assert_same(read(fsmt(torch.from_numpy(tokens), past_key_values_length=past)), tokens, rule="fsmt",
             padding_idx=1, past=past)  # fmt: skip


# -- masks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, cls", [
    ("opt", "OPTLearnedPositionalEmbedding"), ("biogpt", "BioGptLearnedPositionalEmbedding"),
])  # fmt: skip
def test_rows_of_opt(name, cls):
    module = numbered(getattr(hf(name), cls)(64, 1))
    for mask, past in arrays(2):
        past = min(past, mask.shape[1])
        real = read(module(torch.from_numpy(mask), past))
        assert_same(real, mask, rule="mask", offset=2, past=past)
        assert np.array_equal(refpos.positions.table_rows(mask.astype(bool), rule="mask", offset=2, past=past), real)


@pytest.mark.parametrize("padding_idx, num_rows", [(0, 64), (1, 4), (2, 6)])
def test_rows_of_prophetnet(padding_idx, num_rows):
    config = SimpleNamespace(max_position_embeddings=num_rows, hidden_size=1, pad_token_id=padding_idx)
    module = numbered(hf("prophetnet").ProphetNetPositionalEmbeddings(config))
    options = {"rule": "clipped", "padding_idx": padding_idx, "num_rows": num_rows}
    clipped = 0
    for mask, _ in arrays(2):
        rows, ids = module(mask.shape, "cpu", torch.from_numpy(mask))
        assert np.array_equal(read(rows), ids)
        assert_same(ids.numpy(), mask, **options)
        clipped += (ids.numpy() == num_rows - 1).sum()
    assert bool(clipped) == (num_rows < 12)


def test_a_step_of_prophetnet_is_not_clipped():
    config = SimpleNamespace(max_position_embeddings=6, hidden_size=1, pad_token_id=1)
    module = numbered(hf("prophetnet").ProphetNetPositionalEmbeddings(config))
    options = {"rule": "clipped", "padding_idx": 1, "num_rows": 6}
    for past in (1, 2, 3):
        cache = SimpleNamespace(get_seq_length=lambda past=past: past)
        assert_same(module((1, 1), "cpu", past_key_values=cache)[1].numpy(), np.array([[1]]), past=past, **options)
    with pytest.raises(IndexError):
        module((1, 1), "cpu", past_key_values=SimpleNamespace(get_seq_length=lambda: 4))
    with pytest.raises(refpos.InputError, match="num_rows = 6, the size of the table, got row 6"):
        refpos.positions.table_rows([[1]], past=4, **options)


# -- hashed ids -------------------------------------------------------------------------------------------------------


def test_rows_of_canine():
    module = hf("canine")
    ids = np.random.default_rng(1).integers(0, 1114112, (3, 40))
    for hashes, buckets in ((8, 16384), (16, 7), (1, 1)):
        real = module.CanineEmbeddings._hash_bucket_tensors(None, torch.from_numpy(ids), hashes, buckets)
        found = refpos.positions.hash_rows(ids.astype(np.int32), module._PRIMES[:hashes], buckets)
        assert np.array_equal(found, torch.stack(real).numpy())
