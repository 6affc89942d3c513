"""Live modules held against their configuration: small random models of transformers, right and with a defect each."""

import copy
import itertools
import re
import tempfile
from pathlib import Path

import jax.numpy as jnp
import pytest
import torch
import transformers

import refpos
from frameworks.small_models import OTHERS, ROTARY, made, sentences
from refpos import InputError

transformers.logging.set_verbosity_error()


def named_tensors(model):
    return dict(itertools.chain(model.named_buffers(), model.named_parameters()))


# -- rotations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ROTARY)
def test_rotary_modules_of_random_models(kind):
    model = made(kind)
    found = refpos.check(model)
    runs = [one for one in found.findings if "(position_ids)" in one.tensor]
    assert found.status == 0 and runs and {one.state for one in runs} == {"right"}, sentences(found)
    assert [one for one in found.findings if one.tensor.endswith("inv_freq") and one.state == "right"]

    narrow = refpos.check(copy.deepcopy(model).to(torch.bfloat16))
    told = [one.sentence for one in narrow.of("differs") if one.tensor.endswith("inv_freq")]
    assert narrow.status == 1 and told and all("frequencies in bfloat16" in one for one in told)

    name, tensor = next(
        (name, one) for name, one in model.named_buffers() if re.search(r"(?<!original_)inv_freq$", name)
    )
    tensor[1:].copy_(tensor[1:].flip(0) if len(tensor) > 2 else tensor[1:] * 1.01)
    wrong = refpos.check(model)
    assert {name} <= {one.tensor for one in wrong.of("differs")}, sentences(wrong)
    assert [one for one in wrong.of("differs") if "(position_ids)" in one.tensor], sentences(wrong)


SCALED = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 256},
    "longrope": {"rope_type": "longrope", "factor": 4.0, "short_factor": [1.0] * 8, "long_factor": [4.0] * 8,
                 "original_max_position_embeddings": 512},
}  # fmt: skip


@pytest.mark.parametrize("scaling", SCALED)
def test_scalings_that_are_declared(scaling):
    parameters = {**SCALED[scaling], "rope_theta": 500000.0}
    model = made("llama", rope_parameters=parameters, max_position_embeddings=2048)
    found = refpos.check(model)
    assert found.status == 0 and len(found.of("right")) == 3, sentences(found)
    plain = made(
        "llama", rope_parameters={"rope_type": "default", "rope_theta": 500000.0}, max_position_embeddings=2048
    )
    missing = refpos.check(plain, {**model.config.to_dict()})
    # the dynamic scaling changes nothing up to the length of the context
    assert missing.status == (0 if scaling == "dynamic" else 1), sentences(missing)


def test_sections_of_axes_are_run_with_positions_of_their_own():
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 2, 2]}
    model = made("qwen2_vl_text", rope_parameters=rope)
    assert refpos.check(model).status == 0, sentences(refpos.check(model))
    interleaved = made("qwen3_vl_text", head_dim=16, rope_parameters={**rope, "mrope_interleaved": True})
    assert refpos.check(interleaved).status == 0, sentences(refpos.check(interleaved))
    swapped = interleaved.config.to_dict()
    swapped["rope_parameters"] = {**swapped["rope_parameters"], "mrope_section": [2, 4, 2]}
    found = refpos.check(interleaved, swapped)
    assert [one.tensor for one in found.of("differs")] == ["rotary_emb(position_ids)"], sentences(found)


def test_a_layer_type_with_the_frequencies_of_another():
    model = made("gemma3_text")
    full, sliding = (f"{kind}_attention_inv_freq" for kind in ("full", "sliding"))
    held = model.rotary_emb
    swapped = {full: getattr(held, sliding).clone(), sliding: getattr(held, full).clone()}
    for name, values in swapped.items():
        getattr(held, name).copy_(values)
    off = {one.tensor for one in refpos.check(model).of("differs")}
    runs = {f"rotary_emb(position_ids) {kind}_attention" for kind in ("full", "sliding")}
    assert off == {f"rotary_emb.{full}", f"rotary_emb.{sliding}"} | runs


def test_a_module_that_multiplies_by_another_factor():
    model = made("llama", rope_parameters={**SCALED["yarn"], "rope_theta": 500000.0})
    model.rotary_emb.attention_scaling = 1.0
    found = refpos.check(model)
    assert [one.tensor for one in found.of("differs")] == ["rotary_emb(position_ids)"], sentences(found)


# -- other encodings --------------------------------------------------------------------------------------------------


def plant(model, found, monkeypatch):
    """Change the first tensor that was compared, or the function: its places moved by one, a table with a row less, a
    bias of half the size."""
    one = found.of("right", "fits")[0]
    path, _, leaf = one.tensor.rpartition(".")
    if one.tensor.endswith("()"):
        name = one.tensor.removesuffix("()")
        right = getattr(type(model), name)
        monkeypatch.setattr(type(model), name, lambda *given, **named: right(*given, **named) / 2)
        return one.tensor
    module = model.get_submodule(path)
    tensor = getattr(module, leaf)
    with torch.no_grad():
        if one.state == "fits":
            cut = tensor.detach()[:-1] if tensor.ndim == 2 else tensor.detach()[:, :-1]
            changed = torch.nn.Parameter(cut)
        else:
            changed = tensor.detach().roll(1, -2 if tensor.ndim > 1 and tensor.shape[-2] > 1 else -1)
            changed = (
                torch.nn.Parameter(changed, requires_grad=False) if isinstance(tensor, torch.nn.Parameter) else changed
            )
    setattr(module, leaf, changed)
    return one.tensor


@pytest.mark.parametrize("kind", OTHERS)
def test_other_encodings_of_random_models(kind, monkeypatch):
    model = made(kind)
    found = refpos.check(model)
    assert found.status == 0, sentences(found)
    name = plant(model, found, monkeypatch)
    wrong = refpos.check(model)
    assert name in {one.tensor for one in wrong.of("differs")}, (name, sentences(wrong))


def test_positions_that_a_fresh_vit_mae_never_gets():
    """transformers 5.23.0 initialises the patches first, and then takes the positions to be done as well."""
    (one,) = refpos.check(made("vit_mae")).findings
    assert one.state == "differs" and "are all 0" in one.sentence


def test_plain_attributes_are_read():
    model = made("llama")
    model.own = torch.nn.Module()
    model.own.inv_freq = model.rotary_emb.inv_freq * 2
    assert [one.tensor for one in refpos.check(model).of("differs")] == ["own.inv_freq"]


# -- devices, files and modules without a configuration ---------------------------------------------------------------


def test_shapes_alone_on_the_meta_device():
    with torch.device("meta"):
        model = made("llama")
    found = refpos.check(model)
    assert found.status == 0 and {one.state for one in found.findings} == {"fits"}
    other = refpos.check(model, {**model.config.to_dict(), "head_dim": 32})
    assert other.status == 1 and "shape (8) for (16)" in other.findings[0].sentence


def test_a_saved_model_is_checked_as_files(tmp_path):
    model = made("whisper")
    model.save_pretrained(tmp_path)
    found = refpos.check(tmp_path)
    assert found.status == 0 and {one.state for one in found.findings} == {"right", "fits"}
    with torch.no_grad():
        model.encoder.embed_positions.weight.copy_(model.encoder.embed_positions.weight.roll(1, 0))
    model.save_pretrained(tmp_path)
    assert refpos.check(tmp_path).status == 1


def test_the_code_of_the_page(monkeypatch, capsys):
    page = Path(__file__).parents[2] / "docs" / "check.md"
    code = re.findall(r"^```py\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        made("llama").save_pretrained("model")
        exec("".join(code), {"refpos": refpos})
        monkeypatch.undo()
    last = "layers.1.self_attn: keys of apply_rotary_pos_emb() right"
    printed = ["all 3 compared are as the configuration says", "3 of 3 differ", last]
    assert len(code) == 2 and capsys.readouterr().out.splitlines() == printed
    assert last.replace(".1.", ".31.") in page.read_text()
    assert "`3 of 3 differ`" in page.read_text()


def test_modules_that_cannot_be_checked():
    with pytest.raises(InputError, match="config must be given"):
        refpos.check(torch.nn.Linear(2, 2))
    with pytest.raises(InputError, match="nothing positional was found"):
        refpos.check(torch.nn.Linear(2, 2), {"model_type": "llama"})
    with pytest.raises(InputError, match="model must be a path, a torch module or a dict of arrays, got type"):
        refpos.check(torch.nn.Linear)


def test_dicts_of_arrays_of_jax_and_torch():
    """As nested parameters of Flax are; a state dict of torch is such a dict too."""
    exact = refpos.inverse_frequencies(128, base=500000.0).rounded("float32")
    config = {"model_type": "llama", "rope_theta": 500000.0, "head_dim": 128}
    for array in (jnp.asarray(exact), torch.from_numpy(exact.copy())):
        assert refpos.check({"params": {"rotary_emb": {"inv_freq": array}}}, config).status == 0
    rounded = jnp.asarray(exact, jnp.bfloat16)
    (one,) = refpos.check({"params": {"rotary_emb": {"inv_freq": rounded}}}, config).findings
    assert one.state == "differs" and "bfloat16" in one.sentence
    model = transformers.BertModel(transformers.BertConfig(hidden_size=32, num_attention_heads=2, num_hidden_layers=1))
    assert refpos.check(model.state_dict(), model.config.to_dict()).status == 0
