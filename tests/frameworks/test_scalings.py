"""The scalings of transformers are in the class of float32."""

import random
from fractions import Fraction

import numpy as np
import pytest
import torch
from test_scalings import HEAT, LLAMA, call, made, random_call
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

import refpos
from refpos.conformance import error_bounds
from refpos.conformance.compare import compare
from refpos.frequencies.dynamic_ntk import kept_length

# -- transformers -----------------------------------------------------------------------------------------------------


def config(dim, base, longest, **parameters):
    found = LlamaConfig(
        hidden_size=2 * dim,
        num_attention_heads=2,
        head_dim=dim,
        max_position_embeddings=longest,
        num_hidden_layers=1,
        vocab_size=8,
        intermediate_size=8,
    )
    found.rope_parameters = {"rope_theta": base, **parameters}
    return found


def of_transformers(name, rng):
    """A call of ours, and (inv_freq, attention factor) of transformers at the same parameters."""
    rope_type = {"dynamic_ntk": "dynamic"}.get(name, name)
    recipe = random_call(name, rng)
    given = {key: float(v) if isinstance(v, Fraction) else v for key, v in recipe["arguments"].items()}
    for name_of_ours in ("clamp", "mscale_rule"):
        given.pop(name_of_ours, None)
    given = {key: v for key, v in given.items() if v is not None or not key.startswith("mscale")}
    given["dim"] = rng.choice([32, 64, 80, 96, 128, 256])
    for side in ("short_factor", "long_factor"):
        if side in given:
            given[side] = [rng.uniform(1, 60) for _ in range(given["dim"] // 2)]
    length = given.get("seq_len")
    longest = given.get("max_position_embeddings", given.get("original_max_position_embeddings", 4096))
    theirs = {k: v for k, v in given.items() if k not in ("dim", "base", "seq_len", "max_position_embeddings")}
    found = config(given["dim"], given["base"], longest, rope_type=rope_type, **theirs)
    inv_freq, factor = ROPE_INIT_FUNCTIONS[rope_type](found, "cpu", seq_len=length)
    return call(name, **given), inv_freq.numpy(), np.float32(factor)


@pytest.mark.parametrize("name", ["linear", "dynamic_ntk", "yarn", "longrope", "llama3", "proportional"])
def test_transformers_is_in_the_class_of_float32(name):
    rng, nearest, met, done = random.Random(3), 0.0, set(), 0
    while done < 60:
        recipe, inv_freq, factor = of_transformers(name, rng)
        try:
            exact = made(recipe)
        except refpos.InputError as error:
            assert error.argument == "original_max_position_embeddings", error
            continue
        done += 1
        limits = error_bounds.bounds(name, recipe["arguments"], {}, "float32")
        for output, mine, theirs in (
            ("inv_freq", exact.rounded("float32"), inv_freq),
            ("attention_factor", np.asarray(exact.factor.rounded("float32")), np.asarray(factor)),
        ):
            report = compare(theirs, mine, bounds={kind: limit[output] for kind, limit in limits.items()})
            assert report.classes["float32-angle"].met, (recipe, output, str(report))
            if output == "inv_freq":
                nearest = max(nearest, report.classes["float32-angle"].ratio)
                met.add(report.met)
    assert 0.03 < nearest <= 1 and met <= {"correct", "faithful", "float32-angle"} and "float32-angle" in met


@pytest.mark.parametrize(
    "name, given",
    [
        ("yarn", {"dim": 128, "base": 1e6, "factor": 4.0, "original_max_position_embeddings": 32768}),
        ("yarn", {"dim": 64, "base": 150000.0, "factor": 32.0, "truncate": False,
                  "original_max_position_embeddings": 4096}),
        ("llama3", {"dim": 128, "base": 500000.0, **LLAMA}),
        ("linear", {"dim": 64, "base": 1e6, "factor": 8.0}),
    ],
)  # fmt: skip
def test_tables_of_transformers_are_in_the_class_of_float32(name, given):
    theirs = {key: value for key, value in given.items() if key not in ("dim", "base")}
    module = LlamaRotaryEmbedding(config(given["dim"], given["base"], 131072, rope_type=name, **theirs))
    positions = np.array([0, 1, 100, 4097, 32768, 131071])
    tables = module(torch.zeros(1), torch.from_numpy(positions)[None])
    recipe = call(name, **given)
    exact = refpos.rope_table(positions, made(recipe), dtype="float32")
    limits = error_bounds.bounds("rope_table", {"frequencies": recipe}, {"positions": positions}, "float32")
    for output, mine, other in zip(("cos", "sin"), exact, tables, strict=True):
        found = other[0, :, : given["dim"] // 2].numpy()
        bounds = {kind: limit[output] for kind, limit in limits.items()}
        report = compare(found, mine, bounds=bounds)
        assert report.met == "float32-angle" and 0.01 < report.classes["float32-angle"].ratio < 1
        factor = made(recipe).attention_factor
        if factor != 1:  # left out, it shows at every position
            assert compare((found / factor).astype(np.float32), mine, bounds=bounds).met is None


def test_dynamic_ntk_follows_the_module_from_call_to_call():
    module = LlamaRotaryEmbedding(config(32, 10000.0, 64, rope_type="dynamic", factor=2.0))
    kept, seen = 64, set()
    rng = random.Random(6)
    for _ in range(60):
        length = rng.choice([1, 30, 63, 64, 65, 100, 200, rng.randint(1, 300)])
        module(torch.zeros(1), torch.arange(length)[None])
        kept = kept_length(length, kept, max_position_embeddings=64)
        mine = refpos.dynamic_ntk(32, factor=2, max_position_embeddings=64, seq_len=kept).inv_freq
        assert np.allclose(module.inv_freq.numpy(), mine, rtol=1e-5, atol=0), (length, kept)
        seen.add((length < 64, kept > length))
    assert seen == {(True, True), (False, True), (False, False)}


def test_odd_rotary_widths_are_those_of_transformers():
    # StableLM: 0.25 of a head of 60 channels
    dim = int(60 * 0.25)
    theirs = 1.0 / 10000.0 ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim)
    mine = refpos.inverse_frequencies(dim + 1, exponent_dim=dim).inv_freq
    assert len(mine) == len(theirs) == 8 and np.allclose(theirs.numpy(), mine, rtol=1e-6, atol=0)
    assert not np.allclose(refpos.inverse_frequencies(dim + 1).inv_freq, mine, rtol=1e-3)


def test_the_temperature_of_float32_code_is_in_its_class():
    positions = np.arange(0, 300000, 37)
    computed = torch.log1p(torch.floor((torch.from_numpy(positions).float() + 1.0) / 8192)) * 0.1 + 1.0
    exact = refpos.scores.attention_temperature(positions, **HEAT, dtype="float32")
    limits = error_bounds.bounds("attention_temperature", HEAT, {"positions": positions}, "float32")
    bounds = {kind: limit["output"] for kind, limit in limits.items()}
    assert compare(computed.numpy(), exact, bounds=bounds).classes["float32-logarithm"].met
    assert compare(np.roll(exact, 1), exact, bounds=bounds).met is None


def test_the_step_of_llama_4_scout():
    given = {"factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0, "original_max_position_embeddings": 8192}
    found = refpos.llama3(128, base=500000.0, **given)
    theirs = ROPE_INIT_FUNCTIONS["llama3"](config(128, 500000.0, 10485760, rope_type="llama3", **given), "cpu")[0]
    bound = error_bounds.bounds("llama3", {"dim": 128, "base": 500000.0, **given}, {}, "float32")["float32-angle"]
    off = np.abs(theirs.numpy().astype(np.float64) - found.rounded("float32"))
    assert np.all(off <= bound["inv_freq"]) and np.all(bound["inv_freq"] < 2.0**-18 * found.inv_freq)
