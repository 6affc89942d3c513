"""Live modules that a check runs or says why not: other signatures, wrappers, complex tables; real classes that are
right by themselves."""

import importlib

import pytest
import torch
import transformers
from torch import nn
from transformers import CONFIG_MAPPING, AutoModel, AutoModelForCausalLM

import refpos

transformers.logging.set_verbosity_error()

LLAMA = {"model_type": "llama", "head_dim": 64, "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 10000.0,
         "max_position_embeddings": 512}  # fmt: skip


def frequencies(width, base=10000.0):
    return 1 / base ** (torch.arange(0, width, 2).float() / width)


class Rotary(nn.Module):
    """A rotary module whose positions are all off by shift."""

    def __init__(self, shift=0):
        super().__init__()
        self.register_buffer("inv_freq", frequencies(64))
        self.shift = shift

    def waves(self, positions):
        angles = (positions[..., None] + self.shift).float() * self.inv_freq
        angles = torch.cat([angles, angles], -1)
        return angles.cos(), angles.sin()


class AnyArguments(Rotary):
    def forward(self, *args, **kwargs):
        return self.waves(args[1])


class PositionsAlone(Rotary):
    def forward(self, position_ids):
        return self.waves(position_ids)


class Length(Rotary):
    def forward(self, x, seq_len=None):
        return self.waves(torch.arange(seq_len))


class LengthWithAxes(Rotary):
    def forward(self, x, seq_len=None):
        return tuple(one[None, None] for one in self.waves(torch.arange(seq_len)))


class AroundRotaryEmbedding(nn.Module):
    def __init__(self, shift=0):
        super().__init__()
        self.inner, self.shift = PositionsAlone(), shift

    def forward(self, x, position_ids):
        return self.inner(position_ids + self.shift)


class Raises(Rotary):
    def forward(self, x, position_ids):
        raise RuntimeError("needs a mask")


class OtherArguments(Rotary):
    def forward(self, query, key):
        return query, key


class Angles(Rotary):
    def forward(self, x, position_ids):
        return position_ids[..., None] * self.inv_freq


class Complex(nn.Module):
    def __init__(self, shift=0, is_buffer=True):
        super().__init__()
        angles = torch.outer(torch.arange(40.0) + shift, frequencies(64))
        table = torch.polar(torch.ones_like(angles), angles)
        if is_buffer:
            self.register_buffer("freqs_cis", table)
        else:
            self.freqs_cis = table


class Model(nn.Module):
    def __init__(self, rotary):
        super().__init__()
        self.rotary_emb, self.proj = rotary, nn.Linear(2, 2)


def runs(found):
    return {one.tensor: one for one in found.findings if one.tensor.endswith(")")}


@pytest.mark.parametrize("kind", [AnyArguments, PositionsAlone, Length, LengthWithAxes, AroundRotaryEmbedding])
def test_rotary_modules_of_other_signatures_are_run(kind):
    right = refpos.check(Model(kind()), LLAMA)
    assert right.status == 0 and runs(right)["rotary_emb(position_ids)"].state == "right"
    wrong = refpos.check(Model(kind(shift=1)), LLAMA)
    assert [one.tensor for one in wrong.of("differs")] == ["rotary_emb(position_ids)"] and wrong.status == 1
    assert "positions + 1" in wrong.of("differs")[0].sentence


@pytest.mark.parametrize(
    "kind, name, words",
    [(Raises, "rotary_emb(position_ids)", "it raises RuntimeError: needs a mask"),
     (OtherArguments, "rotary_emb()", "its forward takes query, key"),
     (Angles, "rotary_emb(position_ids)", "it returns no cosines beside sines")],
)  # fmt: skip
def test_a_rotary_module_that_is_not_run_has_a_finding(kind, name, words):
    found = refpos.check(Model(kind()), LLAMA)
    assert runs(found)[name].state == "not described" and words in runs(found)[name].sentence
    assert "not run" in runs(found)[name].sentence and found.status == 0 and "1 not described" in found.verdict


@pytest.mark.parametrize("is_buffer", [True, False])
def test_complex_tables(is_buffer):
    right = refpos.check(Model(Complex(is_buffer=is_buffer)), LLAMA)
    assert [one.state for one in right.findings] == ["right"] and "freqs_cis" in right.findings[0].tensor
    wrong = refpos.check(Model(Complex(1, is_buffer)), LLAMA)
    assert wrong.status == 1 and "positions + 1" in wrong.findings[0].sentence


def test_a_module_beside_a_local_one_is_that_of_the_other_layers():
    config = {"model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 12, "rope_theta": 1e6,
              "rope_local_base_freq": 1e4, "sliding_window_pattern": 6}  # fmt: skip
    model = Model(PositionsAlone())
    model.rotary_emb_local = PositionsAlone()
    found = refpos.check(model, config)
    assert {one.tensor for one in found.of("differs")} == {"rotary_emb.inv_freq", "rotary_emb(position_ids)"}
    model.rotary_emb.inv_freq.copy_(frequencies(64, 1e6))
    assert refpos.check(model, config).status == 0


# -- what real classes compute by themselves --------------------------------------------------------------------------


def built(kind, file, name, **changes):
    place = importlib.import_module(f"transformers.models.{file}")
    config = CONFIG_MAPPING[kind](**changes)
    return getattr(place, name)(config), config.to_dict()


@pytest.mark.parametrize("sections", [[22, 22, 20], [8, 8, 16]])
def test_ernie_holds_the_frequencies_of_rows_before_those_of_columns(sections):
    rope = {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": sections}
    head = 2 * sum(sections)
    module, config = built("ernie4_5_vl_moe_text", "ernie4_5_vl_moe.modeling_ernie4_5_vl_moe",
                           "Ernie4_5_VLMoeTextRotaryEmbedding", head_dim=head, rope_parameters=rope)  # fmt: skip
    found = refpos.check(module, config)
    assert found.status == 0 and len(found.of("right")) == 3
    module.inv_freq[1:3] = module.inv_freq[1:3].flip(0)
    wrong = {one.tensor for one in refpos.check(module, config).of("differs")}
    assert wrong == {"inv_freq", "Ernie4_5_VLMoeTextRotaryEmbedding(position_ids)"}


def test_frequencies_that_may_be_those_of_another_part():
    module, config = built("musicflamingo", "musicflamingo.modeling_musicflamingo", "MusicFlamingoRotaryEmbedding")
    assert not refpos.check(module, config).of("differs")


@pytest.mark.parametrize("heads", [32, 71])
def test_biases_of_falcon_are_its_own_emulation(heads, monkeypatch):
    config = CONFIG_MAPPING["falcon"](alibi=True, num_attention_heads=heads, hidden_size=4 * heads,
                                      num_hidden_layers=1, vocab_size=50)  # fmt: skip
    model = AutoModel.from_config(config)
    (one,) = refpos.check(model).of("right", "differs")
    assert one.state == "right" and "emulate.falcon_alibi" in one.sentence
    as_bloom = refpos.check(model, {"model_type": "bloom", "n_head": heads, "hidden_size": 4 * heads})
    assert as_bloom.status == 1
    place = importlib.import_module("transformers.models.falcon.modeling_falcon")
    right = place.build_alibi_tensor
    monkeypatch.setattr(place, "build_alibi_tensor", lambda *given: right(*given).roll(1, 0))
    assert refpos.check(model).status == 1


@pytest.mark.parametrize("kind, heads, width", [("bloom", "n_head", "hidden_size"), ("mpt", "n_heads", "d_model"),
                                                ("falcon", "num_attention_heads", "hidden_size")])  # fmt: skip
@pytest.mark.parametrize("kind_of_model", [AutoModel, AutoModelForCausalLM])
def test_biases_of_another_number_of_heads(kind, heads, width, kind_of_model):
    """The function is given the heads of its module, whatever the configuration beside it says."""
    alibi = {"alibi": True} if kind == "falcon" else {}
    config = CONFIG_MAPPING[kind](**{heads: 4, width: 32, **alibi}, num_hidden_layers=1, vocab_size=50)
    model = kind_of_model.from_config(config)
    assert len(refpos.check(model).of("right")) == 1
    (one,) = refpos.check(model, {**config.to_dict(), heads: 8}).of("right", "fits", "differs")
    assert one.state == "differs" and "shape (4, 1, 8) for (8, 1, 8)" in one.sentence


@pytest.mark.parametrize("kind", ["swin", "beit", "yolos", "radio", "cohere_asr"])
def test_names_in_files_are_those_that_are_saved(kind):
    """Against the names that transformers gives to tensors when it saves them."""
    from transformers.core_model_loading import revert_weight_conversion

    more = {"use_relative_position_bias": True} if kind == "beit" else {}
    with torch.device("meta"):
        model = AutoModel.from_config(CONFIG_MAPPING[kind](**more))
    saved = revert_weight_conversion(model, dict(model.state_dict()))
    encodings = refpos.from_config({**model.config.to_dict(), "model_type": kind}).encodings
    names = [one.weights["stored_as"] for one in encodings if "stored_as" in one.weights]
    assert names and all(any(f".{tensor}".endswith(f".{name}") for tensor in saved) for name in names)
