"""Published configurations against the code they are published for: every rotary module of the installed transformers.

The modules are found in the model files, and built from the defaults of their configuration classes, without weights.
Frequencies, tables and factors are held to the class float32-angle; pairings are run with integers, exactly.
"""

import ast
import dataclasses
import functools
import importlib
import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import transformers
from huggingface_hub.errors import StrictDataclassClassValidationError
from test_config_files import LLAMA, NESTED_SCALING, YARN, rotated_by_pairs

import refpos
from refpos import InputError, from_config
from refpos.configs.model_defaults import rows
from refpos.conformance import error_bounds

transformers.logging.set_verbosity_error()

MODELS = Path(transformers.__file__).parent / "models"
NAME = re.compile(r"\w*(Rotary|Rope|RoPE)\w*Embedding")
# classes without a model_type of their own: what refpos calls them
UNNAMED = {
    "EsmFold2AtomEncoderConfig": "esmfold2_atom_encoder",
    "Qwen3OmniMoeCode2WavConfig": "qwen3_omni_moe_code2wav",
    "SaProtConfig": "evolla_protein_encoder",
}
# annotated with a class that holds several others, or with none
BUILT_WITH = {
    "ClvpRotaryPositionalEmbedding": ["ClvpEncoderConfig"],
    "EsmFold2RotaryEmbedding": ["EsmFold2AtomEncoderConfig"],
    "IdeficsRotaryEmbedding": ["IdeficsConfig"],
    "SeamlessM4TConformerRotaryPositionalEmbedding": ["SeamlessM4TConfig"],
    "T5GemmaRotaryEmbedding": ["T5GemmaModuleConfig"],
    "Wav2Vec2BertRotaryPositionalEmbedding": ["Wav2Vec2BertConfig"],
    "Wav2Vec2ConformerRotaryPositionalEmbedding": ["Wav2Vec2ConformerConfig"],
}

# default configurations of which there is no table to compare, and why: nothing else may be missing
NO_MODULE = {"CohereCompassRotaryEmbedding": "its default has no rope parameters for its layer type"}
NO_TABLE = {
    "Glm4vMoeTextRotaryEmbedding": "its default mrope_section does not fit its width: the model raises",
    "Glm4vTextRotaryEmbedding": "its default mrope_section does not fit its width: the model raises",
    "GlmImageTextRotaryEmbedding": "its default mrope_section does not fit its width: the model raises",
    "Qwen3OmniMoeThinkerTextRotaryEmbedding": "its default head is odd, 73, and the table has 74 columns",
}
NOT_RUN = {"HunYuanVLRotaryEmbedding": "its default has no mrope_section: only its frequencies are compared"}


@dataclasses.dataclass(frozen=True)
class Found:
    """A rotary module and one configuration class that it is built with."""

    file: Path
    name: str
    config_name: str

    @property
    def module(self):
        return importlib.import_module(f"transformers.models.{self.file.parent.name}.{self.file.stem}")

    @property
    def config(self):
        if hasattr(self.module, self.config_name):
            return getattr(self.module, self.config_name)
        folder = self.file.parent.name
        place = importlib.import_module(f"transformers.models.{folder}.configuration_{folder}")
        return getattr(place, self.config_name)

    @property
    def kind(self):
        return UNNAMED.get(self.config_name, self.config.model_type)


def builders(tree, name):
    """The configuration classes of the classes in a file that build a module."""
    for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        calls = (node for node in ast.walk(cls) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
        if not any(call.func.id == name for call in calls):
            continue
        for node in cls.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                yield from (ast.unparse(a.annotation) for a in node.args.args if a.arg == "config" and a.annotation)


@functools.cache
def found_modules():
    """Every class of the model files that is named as a rotary embedding, with each of its configurations."""
    found = []
    for file in sorted(MODELS.glob("*/modeling_*.py")):
        text = file.read_text()
        if not NAME.search(text):
            continue
        tree = ast.parse(text)
        for cls in (node for node in tree.body if isinstance(node, ast.ClassDef) and NAME.fullmatch(node.name)):
            own = re.search(rf"class {cls.name}\(.*?def __init__\(\s*self, \w+: \"?(\w+)", text, re.DOTALL)
            names = BUILT_WITH.get(cls.name) or list(dict.fromkeys(builders(tree, cls.name)))
            names = [n for n in names if n != "DiffusionGemmaConfig"] or [own[1]]
            found += [Found(file, cls.name, name) for name in names]
    return found


# -- what a module computes -------------------------------------------------------------------------------------------

POSITIONS = np.array([0, 1, 10, 255, 4095, 65536, 131071])
# a different order for each axis, so that a table of the wrong axis differs
ALONG = np.stack([POSITIONS, np.roll(POSITIONS, 3), POSITIONS[::-1], np.roll(POSITIONS, 5)])


def is_axial(kind):
    return rows()[kind].axial is not None


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array))


def tables(module, rotary, layer_type, kind):
    """(positions for refpos, cos, sin) of a module, whatever it is called with."""
    x = torch.zeros(1, 1, dtype=torch.float32)
    axes = 1 if rotary.frequencies.axes is None else 1 + max(rotary.frequencies.axes)
    if kind in ("wav2vec2-bert", "wav2vec2-conformer", "seamless_m4t"):
        return np.arange(300), *module(torch.zeros(1, 300, 1))[:, :, 0, 0].numpy()
    if kind == "clvp_encoder":
        angle = module(torch.zeros(1, 300, 1))[0]
        return np.arange(300), angle.cos().numpy(), angle.sin().numpy()
    if kind == "llama4_vision_model":
        table, side = module(x)[:-1, 0], module.config.image_size // module.config.patch_size
        rows, columns = np.divmod(np.arange(side * side), side)
        return np.stack([columns + 1, rows + 1]), table.real.numpy(), table.imag.numpy()
    if kind == "efficientloftr":
        size, step = module.config.q_aggregation_kernel_size, module.config.q_aggregation_stride
        cos, sin = module(torch.zeros(1, 1, size + 4 * step, size + 6 * step))
        rows, columns = (a.reshape(-1) + 1 for a in np.mgrid[0:5, 0:7])
        return np.stack([rows, columns]), cos[0].reshape(35, -1).numpy(), sin[0].reshape(35, -1).numpy()
    if kind in ("dinov3_vit", "eomt_dinov3", "sapiens2"):
        patch = module.config.patch_size
        cos, sin = module(torch.zeros(1, 3, 8 * patch, 16 * patch))
        # sides of powers of two: (i + 1/2) / n and what is made of it are exact in float32
        rows, columns = (a.reshape(-1) for a in np.mgrid[0:8, 0:16])
        return np.stack([(rows + 0.5) / 4 - 1, (columns + 0.5) / 8 - 1]), cos.numpy(), sin.numpy()
    where = ALONG[:axes] if axes > 1 else POSITIONS
    if kind == "gemma4_vision":
        cos, sin = module(x, tensor(where.T[None]))
    elif is_axial(kind):
        cos, sin = module(x, tensor(where.T))
    else:
        given = tensor(where[:, None] if axes > 1 else where[None])
        found = module(x, given) if layer_type is None else module(x, given, layer_type=layer_type)
        cos, sin = found if isinstance(found, tuple) else (found.real, found.imag)
    return where, cos.reshape(len(POSITIONS), -1).numpy(), sin.reshape(len(POSITIONS), -1).numpy()


def layout(table, count, blocks):
    """How a module lays out its columns: "plain", "twice" (f, f) or "each twice" (f0, f0, f1, f1)."""
    if table.shape[-1] == count:
        return "plain"
    assert table.shape[-1] == 2 * count, (table.shape, count)
    parts = table.reshape(len(table), blocks, 2, -1)
    if np.array_equal(parts[:, :, 0], parts[:, :, 1]):
        return "twice"
    assert np.array_equal(table[:, 0::2], table[:, 1::2])
    return "each twice"


def columns(table, count, blocks):
    """One column for each pair of channels."""
    kind = layout(table, count, blocks)
    if kind == "plain":
        return table
    if kind == "each twice":
        return table[:, 0::2]
    return table.reshape(len(table), blocks, 2, -1)[:, :, 0].reshape(len(table), -1)


# -- the bounds -------------------------------------------------------------------------------------------------------


def recipe(parameters, width, config, seq_len=None, base=None):
    """The call of refpos that rope parameters mean, as transformers has read them: apart from the reader's account."""
    p = {name: value for name, value in parameters.items() if value is not None}
    kind = p.get("rope_type", p.get("type", "default"))
    call = {"dim": width + width % 2, "base": p.get("rope_theta", base)}
    longest = getattr(config, "max_position_embeddings", None)
    names = {
        "linear": ("factor",),
        "dynamic": ("factor",),
        "yarn": ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "attention_factor"),
        "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
        "longrope": ("short_factor", "long_factor", "original_max_position_embeddings", "factor", "attention_factor"),
        "proportional": ("factor", "partial_rotary_factor"),
    }
    call |= {
        name: p[name] for name in names.get(kind, ()) if name in p and not (name.startswith("beta") and not p[name])
    }
    if kind == "yarn":
        call["truncate"] = config.rope_parameters.get("truncate", True)
        if p.get("mscale") and p.get("mscale_all_dim"):
            call |= {"mscale": p["mscale"], "mscale_all_dim": p["mscale_all_dim"]}
    if kind in ("yarn", "longrope") and "factor" not in p:
        call["max_position_embeddings"] = longest
    if kind == "dynamic" and p.get("alpha"):
        return {"function": "ntk_alpha", "arguments": {"dim": width, "base": call["base"], "alpha": p["alpha"]}}
    if kind == "dynamic":
        call["max_position_embeddings"] = longest
    if kind in ("dynamic", "longrope") and seq_len is not None:
        call["seq_len"] = seq_len
    if kind in ("default", "axial", "mrope"):
        if width % 2:
            call["exponent_dim"] = width
        return {"function": "inverse_frequencies", "arguments": call}
    return {"function": {"dynamic": "dynamic_ntk"}.get(kind, kind), "arguments": call}


def frozen(value):
    if isinstance(value, dict):
        return tuple((name, frozen(part)) for name, part in value.items())
    return tuple(value) if isinstance(value, list) else value


LIMITS = {}


def limits(function, arguments, inputs):
    """The bounds of the class float32-angle, computed once for the same call."""
    key = function, frozen(arguments), tuple((name, array.tobytes()) for name, array in inputs.items())
    if key not in LIMITS:
        found = error_bounds.bounds(function, arguments, inputs, "float32")["float32-angle"]
        LIMITS[key] = {"inv_freq" if name == "output" else name: limit for name, limit in found.items()}
    return LIMITS[key]


def exact(call):
    return refpos.catalogue.find(call["function"]).function(**call["arguments"])


def check_frequencies(theirs, call):
    """A module's inv_freq, within the class and the distance of one rounding to float32."""
    limit = limits(call["function"], call["arguments"], {})["inv_freq"]
    expected = exact(call).rounded("float32").astype(np.float64)
    assert np.all(np.abs(theirs - expected) <= limit), np.max(np.abs(theirs - expected) / np.maximum(limit, 1e-300))


def check_tables(rotary, where, cos, sin, call, pairs=None):
    """A module's table against that of refpos, column by column: pair i has a frequency of the call, on its axis."""
    where = np.asarray(where)
    axes = rotary.frequencies.axes or (0,) * len(rotary.frequencies)
    mine = rotary.table(where, dtype="float32")
    values = exact(call).inv_freq
    for i in range(len(axes)) if pairs is None else pairs:
        axis, theta = axes[i], rotary.inv_freq[i]
        along = where if rotary.frequencies.axes is None else where[axis]
        (indices,) = np.nonzero(values == theta)
        assert len(indices), (i, theta)
        limit = limits("rope_table", {"frequencies": call}, {"positions": along})
        for name, theirs, ours in (("cos", cos, mine[0]), ("sin", sin, mine[1])):
            off = np.abs(theirs[:, i].astype(np.float64) - ours[:, i])
            assert np.all(off <= limit[name][:, indices[0]]), (name, i, off, limit[name][:, indices[0]])


def check_turns(rotary, where, cos, sin, call):
    """A table of angles 2 pi c theta, which the module multiplies in float32: 2 pi, two products, and the frequency.

    relative error of the angle: r = s + 3u compounded, s that of the frequency; then as in docs/conformance.md.
    """
    u = 2.0**-24
    mine = rotary.table(where)
    bound = limits(call["function"], call["arguments"], {})["inv_freq"] / exact(call).inv_freq
    for i, axis in enumerate(rotary.frequencies.axes):
        s = bound[i % len(bound)] + 3 * u
        angle = np.abs(where[axis] * rotary.inv_freq[i]) * (s / (1 - s))
        for theirs, ours, slope in ((cos, mine[0], mine[1]), (sin, mine[1], mine[0])):
            limit = angle * np.abs(slope[:, i]) + angle**2 / 2 + 6 * u
            assert np.all(np.abs(theirs[:, i] - ours[:, i]) <= limit), i


# -- every module, from its defaults ----------------------------------------------------------------------------------


def layer_types(module):
    """(layer type or None, inv_freq, attention factor) of each table of a module."""
    buffers = dict(module.named_buffers())
    names = [name for name in buffers if name.endswith("inv_freq") and "original" not in name]
    for name in names:
        label = name.removesuffix("inv_freq").rstrip("_") or None
        factor = getattr(module, f"{label}_attention_scaling" if label else "attention_scaling", 1.0)
        yield label, buffers[name].numpy().astype(np.float64), float(factor)


def written(found, config):
    """The file of a configuration: all of it, with the switch of its rotation on."""
    values = {**config.to_dict(), "model_type": found.kind}
    return switched(found.kind, values)


def switched(kind, values):
    switch = rows()[kind].switch
    if switch:
        values[switch.key] = switch.value
    return values


def part_of(values, kind):
    (part,) = [part for part in from_config(values).parts.values() if part.model_type == kind]
    return part


def call_for(found, config, label, frequencies, odd_width=None):
    """The call that makes the frequencies of a module's buffer."""
    parameters = getattr(config, "rope_parameters", None) or {}
    if label is not None:
        parameters = parameters[label]
    base = getattr(config, "rope_theta", None) or getattr(config, "rotary_embedding_base", None) or 10000.0
    width = 2 * len(frequencies) if odd_width is None else odd_width
    return recipe(parameters, width, config, base=base)


def odd(config, parameters, count):
    """int(head_dim * partial_rotary_factor) where that is odd: the width that divides the exponents."""
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    width = int(head * parameters.get("partial_rotary_factor", 1.0))
    return width if width % 2 and (width + 1) // 2 == count else None


def check_atoms(rotary, config, module):
    """ESMFold2: three coordinates that are floats, then the number of a residue; what is left has no angle."""
    spatial, uid = config.num_spatial_rope_pairs_per_axis, config.num_uid_rope_pairs
    places = np.float32([[0, 1.25, -3.7, 88.1], [2, 0.3, 1e3, -7], [9, 5.5, -0.01, 41]])
    residues = np.array([0, 5, 511, 2])
    where = np.concatenate([places, residues[None]])
    cos, sin = module(tensor(places.T[None]), tensor(residues[None]), torch.float32)
    cos, sin = (columns(table[0].numpy(), config.head_dim // 2, 1) for table in (cos, sin))
    parts = [(0, 3 * spatial, spatial, "spatial"), (3 * spatial, 3 * spatial + uid, uid, "uid")]
    for first, last, count, name in parts:
        base = getattr(config, f"{name}_rope_base_frequency")
        call = {"function": "inverse_frequencies", "arguments": {"dim": 2 * count, "base": base}}
        check_tables(rotary, where, cos, sin, call, range(first, last))
    assert (cos[:, last:] == 1).all() and not sin[:, last:].any() and not rotary.inv_freq[last:].any()


def check_sound(rotary, config, module):
    """Music Flamingo: the angles are products of time, number and 2 pi in float32.

    Relative error of an angle: that of the frequency, and 8 u: of window, the number over rope_theta and its product
    with the frequency; of a step those two and the product with 2 pi, which is rounded itself; then time times 2 times
    pi, which is rounded, two more products and the whole. Then as in docs/conformance.md.
    """
    u, steps = 2.0**-24, 6
    times = np.float32([[0, 0.04, 0.08, 0.12, 0.16, 0.2], [0.24, 0.28, 0.32, 0.36, 0.4, 0.44], [7.2] * 6])
    cos, sin = (table.numpy() for table in module(tensor(times), steps))
    number = np.round(times[:, :1].astype(np.float64) / (config.audio_frame_step * 4 * steps)) * np.ones(6)
    axes = [times.astype(np.float64) * axis for axis in (number, np.arange(6.0))]
    where = np.stack([axis.reshape(-1) for axis in axes])
    count = len(rotary.frequencies)
    cos, sin = (columns(table.reshape(len(where[0]), -1), count, 1) for table in (cos, sin))
    mine = rotary.table(where)
    call = call_for(SimpleNamespace(kind="musicflamingo"), config, None, module.inv_freq)
    check_frequencies(module.inv_freq.numpy().astype(np.float64), call)
    bound = limits(call["function"], call["arguments"], {})["inv_freq"] / exact(call).inv_freq
    for i, axis in enumerate(rotary.frequencies.axes):
        s = bound[i % len(bound)] + 8 * u
        angle = np.abs(where[axis] * rotary.inv_freq[i]) * (s / (1 - s))
        # the module has the angle -p theta
        for theirs, ours, slope in ((cos, mine[0], mine[1]), (-sin, mine[1], mine[0])):
            limit = angle * np.abs(slope[:, i]) + angle**2 / 2 + 6 * u
            assert np.all(np.abs(theirs[:, i] - ours[:, i]) <= limit), i
    assert rotary.inverse and rotary.attention_factor == 1.0


MEASURED = {"esmfold2_atom_encoder": check_atoms, "musicflamingo": check_sound}


def check_module(found, config, module, rotaries):
    """Frequencies, attention factor and tables of every table of a module."""
    if found.kind in MEASURED:
        MEASURED[found.kind](rotaries["all"], config, module)
        return
    for label, theirs, factor in layer_types(module):
        rotary = rotaries[label or next(iter(rotaries))]
        width = None
        if label is None and getattr(config, "rope_parameters", None) and not is_axial(found.kind):
            width = odd(config, config.rope_parameters, len(theirs))
        call = call_for(found, config, label, theirs, width)
        expected = exact(call)
        if found.kind in ("pixtral", "ernie4_5_vl_moe_text"):  # the same frequencies in another order
            theirs = np.sort(theirs)[::-1]
        check_frequencies(theirs, call)
        if not is_axial(found.kind):
            assert np.array_equal(rotary.inv_freq, expected.inv_freq)
        scale = limits(call["function"], call["arguments"], {}).get("attention_factor", 0.0)
        assert abs(factor - rotary.attention_factor) <= scale and rotary.attention_factor == expected.attention_factor
        if found.name in NOT_RUN:
            continue
        where, cos, sin = tables(module, rotary, label, found.kind)
        count = len(rotary.frequencies)
        cos, sin = columns(cos, count, rotary.blocks), columns(sin, count, rotary.blocks)
        if found.kind in ("dinov3_vit", "eomt_dinov3", "sapiens2"):
            check_turns(rotary, where, cos, sin, call)
        else:
            check_tables(rotary, where, cos, sin, call)


def check_same(one, other):
    """What a complete file says, and what a file says that leaves all to the class of the model."""
    assert one.layers == other.layers or not other.layers or not one.layers
    for name, rotary in one.rotaries.items():
        same = other.rotaries[name]
        assert np.array_equal(rotary.inv_freq, same.inv_freq) and rotary.attention_factor == same.attention_factor
        for field in ("head_dim", "pairing", "placement", "deinterleaved", "blocks", "inverse"):
            assert getattr(rotary, field) == getattr(same, field), (name, field)


def test_the_modules_are_found():
    found = found_modules()
    assert len(found) > 230 and len({one.file for one in found}) > 180
    assert {"LlamaRotaryEmbedding", "Qwen2VLRotaryEmbedding", "Gemma3RotaryEmbedding"} <= {one.name for one in found}


def test_every_rotary_module_of_transformers(capsys):
    """Each default configuration as a file, complete and with nothing in it but its type, against the module itself."""
    done, apart, wrong = 0, {}, {}
    for found in found_modules():
        config = found.config()
        try:
            module = getattr(found.module, found.name)(config).eval()
        except (KeyError, AttributeError) as error:
            apart[found.name] = f"cannot be built: {error!r}"
            continue
        files = [written(found, config), switched(found.kind, {"model_type": found.kind})]
        if found.name in NO_TABLE:
            for values in files:
                with pytest.raises(InputError):
                    from_config(values)
            apart[found.name] = NO_TABLE[found.name]
            continue
        try:
            one, other = (part_of(values, found.kind) for values in files)
            check_module(found, config, module, one.rotaries)
            check_same(one, other)
        except (AssertionError, InputError) as error:
            wrong[f"{found.name} of {found.config_name}"] = error
            continue
        done += 1
    total = len(found_modules())
    with capsys.disabled():
        print(f"\n{done} of {total} rotary modules of transformers {transformers.__version__} meet float32-angle;")
        print("\n".join(f"  apart: {name}: {why}" for name, why in {**apart, **NOT_RUN}.items()))
    assert wrong == {}
    assert set(apart) == {*NO_MODULE, *NO_TABLE}
    assert done + len(apart) == total and done >= 232


def test_the_defaults_that_are_refused_cannot_be_run():
    """What refpos refuses among the defaults, the model refuses too, or cannot rotate a head with."""
    for found in found_modules():
        if found.name in NO_TABLE:
            config = found.config()
            module = getattr(found.module, found.name)(config).eval()
            where = tensor(ALONG[:3][:, None])
            if "odd" in NO_TABLE[found.name]:
                cos, _ = module(torch.zeros(1, 1), where)
                assert cos.shape[-1] == 1 + (config.hidden_size // config.num_attention_heads)
                continue
            with pytest.raises((RuntimeError, ValueError)):
                module(torch.zeros(1, 1), where)


# -- scalings ---------------------------------------------------------------------------------------------------------

SHAPES = {
    "llama": {"hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 8192},
    "qwen3": {"head_dim": 128, "max_position_embeddings": 40960, "rope_theta": 1000000},
    "gpt_neox": {"hidden_size": 768, "num_attention_heads": 8, "rotary_pct": 0.25, "max_position_embeddings": 2048},
    "phi": {"hidden_size": 512, "num_attention_heads": 8, "partial_rotary_factor": 0.5},
    "glm4": {"head_dim": 128, "partial_rotary_factor": 0.5, "max_position_embeddings": 32768},
    "deepseek_v3": {"rope_theta": 10000, "max_position_embeddings": 163840},
    "deepseek_v2": {"head_dim": 998},
    "minimax_m2": {"rotary_dim": 64, "head_dim": 128, "max_position_embeddings": 196608},
    "qwen2_vl_text": {"hidden_size": 1024, "num_attention_heads": 8, "max_position_embeddings": 32768},
    "qwen3_vl_text": {"head_dim": 128, "max_position_embeddings": 262144},
    "cohere": {"hidden_size": 512, "num_attention_heads": 8},
    "nanochat": {"hidden_size": 512, "num_attention_heads": 8},
    "gpt_oss": {"rope_theta": 150000},
}
SECTIONS = {"qwen2_vl_text": [16, 24, 24], "qwen3_vl_text": [24, 20, 20]}
SCALINGS = [
    {"rope_type": "linear", "factor": 2.0},
    {"type": "linear", "factor": 3.7},
    {"rope_type": "dynamic", "factor": 2.0},
    {"type": "dynamic", "factor": 8.5},
    YARN,
    {**YARN, "factor": 32, "truncate": False},
    {**YARN, "factor": 40, "mscale": 0.707, "mscale_all_dim": 0.707},
    {**YARN, "factor": 40, "mscale": 1.0, "mscale_all_dim": 0.5, "beta_fast": 64, "beta_slow": 2},
    {**YARN, "mscale": 0.707, "beta_fast": 0},
    {**YARN, "attention_factor": 1.25, "mscale": 1.0, "mscale_all_dim": 0.5},
    {"rope_type": "yarn", "factor": 16.5},
    {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 1024,
    },
    {
        "rope_type": "llama3",
        "factor": 32,
        "low_freq_factor": 0.125,
        "high_freq_factor": 0.5,
        "original_max_position_embeddings": 1024,
    },
]


def found_of(kind):
    return next(found for found in found_modules() if found.kind == kind)


def copied(values):
    return json.loads(json.dumps(values))


def built(kind, values, found=None):
    """(configuration, module) of transformers for the values of a file."""
    found = found or found_of(kind)
    config = found.config(**copied({name: value for name, value in values.items() if name != "model_type"}))
    return config, getattr(found.module, found.name)(config).eval()


def five(kind, config):
    """The file that transformers 5 writes for a configuration."""
    return {**config.to_dict(), "model_type": kind}


def spellings(kind, values, config):
    """Files that mean the same: as version 4 writes it, with rope_parameters instead, and as version 5 writes it."""
    renamed = {name: value for name, value in values.items() if name != "rope_scaling"}
    yield values
    yield {**renamed, "rope_parameters": values["rope_scaling"]}
    yield five(kind, config)


def assert_frequencies_and_table(kind, values):
    """A module made from values against every spelling of them: as it is new, then at the length of the positions."""
    config, module = built(kind, values)
    parameters = config.rope_parameters
    count = len(module.inv_freq)
    fresh = recipe(parameters, 2 * count, config)
    check_frequencies(module.inv_freq.numpy().astype(np.float64), fresh)
    expected = exact(fresh)
    for file in spellings(kind, values, config):
        rotary = from_config(file).rotary()
        assert np.array_equal(rotary.inv_freq, expected.inv_freq)
        assert rotary.attention_factor == expected.attention_factor
        limit = limits(fresh["function"], fresh["arguments"], {}).get("attention_factor", 0.0)
        assert abs(module.attention_scaling - expected.attention_factor) <= limit
    seq_len = int(POSITIONS.max()) + 1
    rotary = from_config(values, seq_len=seq_len).rotary()
    call = recipe(parameters, 2 * count, config, seq_len=seq_len)
    where, cos, sin = tables(module, rotary, None, kind)
    check_tables(rotary, where, *(columns(table, count, rotary.blocks) for table in (cos, sin)), call)
    return rotary


@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda scaling: "-".join(map(str, scaling.values())))
@pytest.mark.parametrize("kind", SHAPES)
def test_scalings_of_flat_files(kind, scaling):
    values = {"model_type": kind, **SHAPES[kind], "rope_scaling": dict(scaling)}
    if kind in SECTIONS:
        values["rope_scaling"]["mrope_section"] = SECTIONS[kind]
    assert_frequencies_and_table(kind, values)


@pytest.mark.parametrize("more", [{}, {"factor": 4.0}, {"attention_factor": 1.5}], ids=str)
@pytest.mark.parametrize("kind, share", [("phi3", 1.0), ("phi3", 0.75), ("llama", 1.0)])
def test_longrope_on_both_sides_of_its_length(kind, share, more):
    half = int(64 * share) // 2
    lists = {"short_factor": [1 + i / 7 for i in range(half)], "long_factor": [1 + i / 2 for i in range(half)]}
    values = {
        "model_type": kind,
        "hidden_size": 512,
        "num_attention_heads": 8,
        "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096,
        "partial_rotary_factor": share,
        "rope_scaling": {"type": "longrope", **lists, **more},
    }
    if kind == "llama":  # which reads the length of pretraining among the parameters
        values["rope_scaling"]["original_max_position_embeddings"] = values.pop("original_max_position_embeddings")
    rotary = assert_frequencies_and_table(kind, values)
    short, limit, long = (from_config(values, seq_len=n).rotary() for n in (1, 4096, 4097))
    assert np.array_equal(short.inv_freq, limit.inv_freq) and np.array_equal(long.inv_freq, rotary.inv_freq)
    assert short.inv_freq[-1] != long.inv_freq[-1] and short.attention_factor == long.attention_factor
    assert rotary.rotary_dim == 2 * half


def test_phi3_has_a_length_of_pretraining_that_its_scaling_does_not_change():
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32, "original_max_position_embeddings": 8192}
    values = {"model_type": "phi3", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 131072}
    values["rope_scaling"] = {"type": "longrope", **lists}
    config, module = built("phi3", values)
    result = from_config(values)
    assert config.rope_parameters["original_max_position_embeddings"] == 4096
    assert "rope_scaling.original_max_position_embeddings" in result.ignored
    call = recipe(config.rope_parameters, 64, config)
    limit = limits(call["function"], call["arguments"], {})["attention_factor"]
    assert abs(module.attention_scaling - result.rotary().attention_factor) <= limit
    assert result.rotary().attention_factor == exact(call).attention_factor


def test_phimoe_reads_its_short_list_at_every_length():
    lists = {"short_factor": [1.0 + i for i in range(32)], "long_factor": [2.0 + i for i in range(32)]}
    scaling = {"type": "longrope", **lists, "short_mscale": 1.25, "long_mscale": 1.5}
    scaling |= {"original_max_position_embeddings": 4096}
    values = {"model_type": "phimoe", "hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 131072}
    values["rope_scaling"] = scaling
    config, module = built("phimoe", values)
    result = from_config(values, seq_len=131072)
    rotary = result.rotary()
    assert rotary.attention_factor == 1.5 and from_config(values).rotary().attention_factor == 1.25
    assert "rope_scaling.long_factor" in result.ignored
    where, cos, sin = tables(module, rotary, None, "phimoe")
    call = recipe({**config.rope_parameters, "attention_factor": 1.5}, 64, config)
    check_tables(rotary, where, *(columns(table, 32, 1) for table in (cos, sin)), call)


@pytest.mark.parametrize("kind", ["hunyuan_v1_dense", "hunyuan_v1_moe"])
def test_alpha_enlarges_the_base_at_every_length(kind):
    scaling = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0}
    values = {"model_type": kind, "head_dim": 128, "rope_theta": 10000.0, "rope_scaling": scaling}
    rotary = assert_frequencies_and_table(kind, values)
    result = from_config(values)
    assert {f"rope_scaling.{name}" for name in ("factor", "mscale", "mscale_all_dim")} <= set(result.ignored)
    assert rotary.inv_freq[-1] < refpos.inverse_frequencies(128).inv_freq[-1] / 900


@pytest.mark.parametrize("section", ["mrope_section", "xdrope_section"])
def test_hunyuan_vl_for_text(section):
    scaling = {"type": "xdrope", "alpha": 1000.0, section: [16, 16, 16, 16], "factor": 1.0}
    values = {"model_type": "hunyuan_vl_text", "head_dim": 128, "rope_theta": 10000.0, "rope_scaling": scaling}
    config, module = built("hunyuan_vl_text", values)
    rotary = from_config(values).rotary()
    # where all axes agree, as for text, the two channels of a pair turn together
    cos, sin = module(torch.zeros(1, 1), tensor(np.stack([POSITIONS] * 4)[:, None]))
    call = recipe(config.rope_parameters, 128, config)
    check_tables(rotary, POSITIONS, *(columns(table[0].numpy(), 64, 1) for table in (cos, sin)), call)
    assert "no rotation" in rotary.notes[0]


NESTED = [
    ("gemma3_text", {"rope_scaling": {"factor": 8.0, "rope_type": "linear"}}),
    ("gemma3_text", {"rope_theta": 500000.0, "rope_local_base_freq": 20000.0}),
    ("gemma3n_text", {"rope_theta": 500000.0}),
    ("olmo3", {"rope_theta": 800000, "rope_scaling": {**YARN, "factor": 8.0}, "hidden_size": 512,
               "num_attention_heads": 8}),
    ("olmo3", {"rope_parameters": {"full_attention": NESTED_SCALING, "sliding_attention": {"rope_type": "default"}}}),
    ("modernbert", {"global_rope_theta": 1e5, "local_rope_theta": 5e3,
                    "rope_scaling": {"rope_type": "linear", "factor": 2.5}}),
    ("laguna", {"rope_parameters": {"full_attention": {**NESTED_SCALING, "rope_theta": 5e5,
                                                       "partial_rotary_factor": 0.5},
                                    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}}),
    ("gemma4_text", {"rope_parameters": {"full_attention": {"rope_type": "proportional", "rope_theta": 1e6,
                                                            "partial_rotary_factor": 0.25, "factor": 8.0},
                                         "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}}),
    ("deepseek_v4", {"rope_scaling": {"type": "yarn", "factor": 16, "original_max_position_embeddings": 65536}}),
    ("deepseek_v4", {"qk_rope_head_dim": 128, "compress_rope_theta": 5e4}),
    ("step3p5", {"rope_theta": [5e6, 1e4, 1e4, 1e4], "partial_rotary_factors": [0.5, 1.0, 1.0, 1.0],
                 "num_hidden_layers": 4, "layer_types": ["full_attention"] + ["sliding_attention"] * 3,
                 "rope_scaling": {"rope_type": "llama3", "factor": 2.0, "original_max_position_embeddings": 131072,
                                  "low_freq_factor": 1.0, "high_freq_factor": 32.0}}),
    ("mimo_v2_flash", {"rope_theta": 1.0, "swa_rope_theta": 2.0}),
    ("cohere_compass_text", {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5e4}},
                             "num_hidden_layers": 2}),
    ("neomme", {"rope_parameters": {"full_attention": {"rope_theta": 5e5, "partial_rotary_factor": 0.5}}}),
    ("dots3_note_text", {"rope_theta": 1e7, "swa_rope_theta": 2e4}),
]  # fmt: skip


@pytest.mark.parametrize("kind, own", NESTED, ids=lambda value: value if isinstance(value, str) else ",".join(value))
def test_a_table_for_each_layer_type(kind, own):
    """Flat keys that mean several tables, and nested ones: inv_freq, factors and tables of each."""
    values = {"model_type": kind, **own}
    config, module = built(kind, values)
    checked = 0
    for file in (values, five(kind, config)):
        rotaries = part_of(file, kind).rotaries
        for label, theirs, factor in layer_types(module):
            call = recipe(config.rope_parameters[label], 2 * len(theirs), config)
            check_frequencies(theirs, call)
            rotary = rotaries[label]
            assert np.array_equal(rotary.inv_freq, exact(call).inv_freq)
            limit = limits(call["function"], call["arguments"], {}).get("attention_factor", 0.0)
            assert abs(factor - rotary.attention_factor) <= limit
            where, cos, sin = tables(module, rotary, label, kind)
            check_tables(rotary, where, *(columns(t, len(theirs), 1) for t in (cos, sin)), call)
            checked += 1
    assert checked >= 2


SECTIONED = {
    "glm4v_text": ([8, 12, 12], 64, {"partial_rotary_factor": 0.5}),
    "glm4v_moe_text": ([8, 12, 12], 64, {"partial_rotary_factor": 0.5, "head_dim": 128}),
    "glm_image_text": ([8, 12, 12], 64, {"partial_rotary_factor": 0.5}),
    "qwen3_omni_moe_text": ([24, 20, 20], 128, {"head_dim": 128}),
    "qwen3_5_text": ([11, 11, 10], 64, {}),
    "ernie4_5_vl_moe_text": ([22, 22, 20], 128, {}),
    "paddleocr_vl_text": ([16, 24, 24], 128, {}),
}


@pytest.mark.parametrize("kind", SECTIONED)
def test_sections_of_a_text_model(kind):
    sections, width, own = SECTIONED[kind]
    values = {"model_type": kind, **own, "rope_theta": 1e6}
    values["rope_scaling"] = {"rope_type": "default", "mrope_section": sections}
    config, module = built(kind, values)
    rotary = from_config(values).rotary()
    assert rotary.rotary_dim == width and set(rotary.frequencies.axes) == {0, 1, 2}
    call = recipe(config.rope_parameters, width, config)
    where, cos, sin = tables(module, rotary, None, kind)
    check_tables(rotary, where, *(columns(table, width // 2, 1) for table in (cos, sin)), call)


def test_a_scaling_under_the_name_type_of_a_class_with_two_bases():
    """transformers 5.23 joins it to defaults that say rope_type already, and drops it; refpos reads what is written."""
    for kind in ("gemma3_text", "modernbert"):
        values = {"model_type": kind, "rope_scaling": {"type": "linear", "factor": 8.0}}
        config, module = built(kind, values)
        assert config.rope_parameters["full_attention"]["rope_type"] == "default"
        rotary = from_config(values).rotary(layer_type="full_attention")
        assert rotary.parameters["factor"] == 8.0 and rotary.inv_freq[0] == 0.125
        assert "drops" in rotary.notes[0] and float(module.full_attention_inv_freq[0]) == 1.0


#: a file, its width and its base in the module of the type, where a key has another name or is not read
OWN_WIDTHS = [
    ({"model_type": "ernie4_5", "head_dim": None}, 64, 500000.0),
    ({"model_type": "higgs_audio_v2", "head_dim": None, "hidden_size": 2048, "num_attention_heads": 32,
      "rope_parameters": {}}, 64, 10000.0),
    ({"model_type": "seed_oss", "head_dim": None, "hidden_size": 2560, "num_attention_heads": 80}, 32, 10000.0),
    ({"model_type": "dots3_note_audio_encoder", "head_dim": 96}, 32, 10000.0),
    ({"model_type": "seamless_m4t", "position_embeddings_type": "rotary", "head_dim": 96}, 64, 10000.0),
    ({"model_type": "glm4_moe_lite", "qk_rope_head_dim": 8, "head_dim": 8}, 8, 10000.0),
    ({"model_type": "glm4_moe_lite", "head_dim": 96}, 96, 10000.0),
    ({"model_type": "llama", "rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}}, 128, 10000.0),
    *(({"model_type": kind, "head_dim": None, "hidden_size": 1024, "num_attention_heads": 16}, 64, 10000.0)
      for kind in ("axk1", "deepseek_v3", "youtu")),
    ({"model_type": "mistral4", "qk_nope_head_dim": 0, "rope_parameters": {"rope_type": "default"}}, 64, 10000.0),
]  # fmt: skip


@pytest.mark.parametrize("values, width, base", OWN_WIDTHS)
def test_widths_of_keys_that_one_class_reads_otherwise(values, width, base):
    ((_, theirs, _),) = layer_types(built(values["model_type"], values)[1])
    check_frequencies(theirs, {"function": "inverse_frequencies", "arguments": {"dim": width, "base": base}})
    (rotary,) = next(iter(from_config(values).parts.values())).rotaries.values()
    assert rotary.inv_freq.tolist() == refpos.inverse_frequencies(width, base=base).inv_freq.tolist()


def test_a_length_that_dbrx_reads_too_late_for_its_ramp():
    """The ramp is that of the default 2048, the length of the model 8192: refpos asks for the former."""
    values = {"model_type": "dbrx", "max_position_embeddings": 8192, "rope_scaling": {"type": "yarn", "factor": 4.0}}
    config, module = built("dbrx", values)
    assert config.max_position_embeddings == 8192
    arguments = {"dim": 128, "base": 10000.0, "factor": 4.0, "original_max_position_embeddings": 2048}
    check_frequencies(module.inv_freq.numpy().astype(np.float64), {"function": "yarn", "arguments": arguments})
    with pytest.raises(InputError, match="must be given where max_seq_len is called max_position_embeddings"):
        from_config(values)


@pytest.mark.parametrize(
    "values, theirs",
    [
        ({"model_type": "longcat_flash", "qk_rope_head_dim": 48}, 64),
        ({"model_type": "mistral4", "rope_scaling": {**YARN, "factor": 4.0}}, 128),
        ({"model_type": "mistral4", "rope_parameters": {"rope_type": "default"}}, 128),
        ({"model_type": "mistral4", "rope_parameters": {**YARN, "factor": 4.0, "partial_rotary_factor": 0.25}}, 32),
        *(
            ({"model_type": kind, "head_dim": None}, theirs)
            for kind, theirs in (("axk1", 112), ("deepseek_v3", 56), ("youtu", 128))
        ),
    ],
)
def test_a_table_that_does_not_fit_the_rotary_part_is_refused(values, theirs):
    config, module = built(values["model_type"], values)
    assert 2 * len(module.inv_freq) == theirs != config.qk_rope_head_dim
    with pytest.raises(InputError) as error:
        from_config(values)
    assert error.value.code == "E_ROTARY_DIM"


@pytest.mark.parametrize("kind, attention", [("zamba2", "Zamba2Attention"), ("glm4_moe_lite", "Glm4MoeLiteAttention")])
def test_a_head_dim_of_null_with_which_no_attention_can_be_built_is_refused(kind, attention):
    values = {"use_mem_rope": True} if kind == "zamba2" else {}
    cls = getattr(found_of(kind).module, attention)
    assert cls(found_of(kind).config(**values), layer_idx=0)
    with pytest.raises(TypeError):
        cls(found_of(kind).config(**values, head_dim=None), layer_idx=0)
    with pytest.raises(InputError, match=f"head_dim of {kind} must be a number, got None"):
        from_config({"model_type": kind, **values, "head_dim": None})


@pytest.mark.parametrize("kind", ["gpt_oss", "apertus", "cwm"])
def test_an_empty_object_of_rope_parameters_is_the_default_type(kind):
    values = {"model_type": kind, "rope_parameters": {}, "rope_theta": 4242.0}
    config, module = built(kind, values)
    ((_, theirs, factor),) = layer_types(module)
    rotary = from_config(values).rotary()
    arguments = {"dim": 2 * len(theirs), "base": 4242.0}
    check_frequencies(theirs, {"function": "inverse_frequencies", "arguments": arguments})
    assert rotary.inv_freq.tolist() == refpos.inverse_frequencies(**arguments).inv_freq.tolist()
    assert config.rope_parameters["rope_type"] == "default" and factor == rotary.attention_factor == 1


SECTIONS = {"mrope_section": [24, 20, 20]}


@pytest.mark.parametrize(
    "kind, values, builds",
    [
        ("lfm3", {"rope_parameters": {}}, False),
        ("lfm3", {"rope_parameters": {"full_attention": {}, "sliding_attention": None}}, False),
        ("lfm3", {"rope_parameters": {"full_attention": {}, "sliding_attention": {}}, "rope_theta": 4242.0}, True),
        ("lfm3", {"rope_scaling": {}, "rope_theta": 4242.0}, True),
        ("cosmos3_edge_text", {"rope_parameters": {}}, False),
        ("cosmos3_edge_text", {"rope_scaling": {"type": "mrope", **SECTIONS}}, False),
        ("cosmos3_edge_text", {"head_dim": 64}, False),
        ("cosmos3_edge_text", {"rope_parameters": SECTIONS, "rope_theta": 4242.0}, True),
        ("cosmos3_edge_text", {"rope_scaling": {}}, True),
        ("cohere2_moe", {"rope_parameters": {}, "rope_theta": 4242.0}, False),
        ("cohere2_moe", {"rope_parameters": {"rope_type": "default"}}, False),
        ("cohere2_moe", {"rope_parameters": {"rope_theta": 4242.0}}, True),
        ("cohere2_moe", {"rope_parameters": {"rope_type": "linear", "factor": 2.0}}, True),
    ],
)
def test_rope_parameters_are_refused_where_no_module_can_be_built(kind, values, builds):
    if not builds:
        with pytest.raises((KeyError, TypeError, StrictDataclassClassValidationError)):
            built(kind, values)
        with pytest.raises(InputError):
            from_config({"model_type": kind, **values})
        return
    rotaries = from_config({"model_type": kind, **values}).parts["text"].rotaries
    for label, theirs, _ in layer_types(built(kind, values)[1]):
        rotary = rotaries.get(label) or rotaries["all"]
        np.testing.assert_allclose(theirs, rotary.inv_freq, rtol=2**-20)


def test_a_width_beside_the_rotary_part_of_a_latent_model():
    """Classes that replace head_dim ignore it; in others it makes a table that does not fit."""
    assert "head_dim" in from_config({"model_type": "deepseek_v2", "head_dim": 998}).ignored
    with pytest.raises(InputError, match="head_dim must be 64, got 998"):
        from_config({"model_type": "deepseek_v3", "head_dim": 998})
    assert len(built("deepseek_v3", {"head_dim": 998})[1].inv_freq) == 499


# -- pairings ---------------------------------------------------------------------------------------------------------


def function_of(module, names):
    return next(getattr(module, name) for name in names if hasattr(module, name))


def applied(found, rotary, kind_of_layout, x, c, s):
    """The same by the function of a model file, with its table laid out as its module lays it out."""
    m, kind = found.module, found.kind
    if kind_of_layout == "twice":
        parts = (v.reshape(rotary.blocks, -1) for v in (c, s))
        cos, sin = (np.concatenate([part, part], axis=1).reshape(-1) for part in parts)
    else:
        cos, sin = (v if kind_of_layout == "plain" else np.repeat(v, 2) for v in (c, s))
    # the code of a model slices the rotated channels inside the function or before it
    whole = rows()[kind].rotates_part == "table" or kind in ("deepseek_v4", "minimax_m3_vl_vision")
    start = 0 if rotary.placement == "first" else rotary.head_dim - rotary.rotary_dim
    part = slice(None) if whole and kind != "dots3_note_text" else slice(start, start + rotary.rotary_dim)
    cos, sin, q = (torch.from_numpy(v.astype(np.float64)) for v in (cos, sin, x[part]))
    y = x.copy()
    y[part] = by_function(m, kind, rotary, q, cos, sin).reshape(-1).numpy()
    return y


def by_function(m, kind, rotary, q, cos, sin):
    if kind == "gemma4_vision":
        row = torch.zeros(1, 1, 2)
        return m.apply_multidimensional_rope(q[None, None, None], cos[None, None], sin[None, None], row)
    if kind == "llama4_vision_model":
        table = torch.complex(cos, sin)[None].to(torch.complex64)
        return m.vision_apply_rotary_emb(q[None, None, None].float(), q[None, None, None].float(), table)[0]
    if kind in ("llama4_text", "deepseek_v2"):
        table = torch.complex(cos, sin)[None, None].to(torch.complex64)
        return m.apply_rotary_emb(q[None, None, None].float(), q[None, None, None].float(), table)[0]
    if is_axial(kind) and hasattr(m, "apply_rotary_pos_emb_vision"):
        return m.apply_rotary_pos_emb_vision(q[None, None], q[None, None], cos[None], sin[None])[0]
    two = ("apply_rotary_pos_emb_2d", "apply_rotary_pos_emb_2d_self_attn")
    if is_axial(kind) and any(hasattr(m, name) for name in two):
        return function_of(m, two)(q[None, None, None], q[None, None, None], cos, sin)[0]
    names = ("apply_rotary_pos_emb_interleave",) if rotary.deinterleaved else ("apply_rotary_pos_emb",)
    if kind in ("seamless_m4t", "wav2vec2-bert", "wav2vec2-conformer"):
        return by_method(m, rotary, q, cos, sin)
    function = function_of(m, names)
    q, cos, sin = q[None, None, None], cos[None, None], sin[None, None]
    if kind == "clvp_encoder":
        return function(q, q, q, cos[0], sin[0], torch.zeros(1, 1, dtype=torch.long))[0]
    if "k" not in inspect.signature(function).parameters:
        return function(q, cos, sin)
    return function(q, q, cos, sin)[0]


def by_method(m, rotary, q, cos, sin):
    """A rotation that is a method of an attention, of the input of its projections."""
    (owner,) = {cls for cls in vars(m).values() if "_apply_rotary_embedding" in getattr(cls, "__dict__", ())}
    attention = SimpleNamespace(num_heads=1, head_size=rotary.head_dim)
    return owner._apply_rotary_embedding(attention, q[None, None], torch.stack([cos, sin])[:, None, None, None])


# values that make those of the configurations run whose defaults do not
TUNED = {
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5e4}}},
    "hunyuan_vl_text": {
        "head_dim": 128,
        "rope_scaling": {"type": "xdrope", "alpha": 1000.0, "factor": 1.0, "mrope_section": [16] * 4},
    },
    **{kind: {**own, "rope_scaling": {"mrope_section": sections}} for kind, (sections, _, own) in SECTIONED.items()},
}


def test_every_pairing(capsys):
    """Each model file's own function, with integers for cosines and sines: equal to the last bit or wrong."""
    rng = np.random.default_rng(5)
    done = 0
    # what is measured is turned whole in tests/test_models.py
    modules = [found for found in found_modules() if found.kind not in MEASURED]
    for found in modules:
        config, module = built(found.kind, TUNED.get(found.kind, {}), found)
        part = part_of(written(found, config), found.kind)
        for label, *_ in layer_types(module) if found.kind != "llama4_vision_model" else [(None,)]:
            rotary = part.rotaries[label or next(iter(part.rotaries))]
            table = tables(module, rotary, label, found.kind)[1]
            count = rotary.rotary_dim // 2
            x = rng.integers(1, 100, rotary.head_dim).astype(np.float64)
            c, s = rng.integers(1, 100, (2, count)).astype(np.float64)
            theirs = applied(found, rotary, layout(table, count, rotary.blocks), x, c, s)
            assert np.array_equal(theirs, rotated_by_pairs(rotary, x, c, s)), (found.name, found.kind)
            done += 1
    with capsys.disabled():
        print(f"\n{done} tables of {len(modules)} modules turn the pairs that refpos names")
    assert done >= len(modules) == len(found_modules()) - len(MEASURED)


# -- positions that are measured --------------------------------------------------------------------------------------


def test_parts_of_models_whose_positions_are_measured():
    esmfold2 = from_config(transformers.EsmFold2Config().to_dict())
    assert list(esmfold2.parts) == ["atom_encoder", "structure_head.diffusion_module.atom_encoder", "esmc"]
    wide = from_config({"model_type": "esmfold2_atom_encoder", "head_dim": 64, "num_uid_rope_pairs": 7,
                        "spatial_rope_base_frequency": 100}).rotary("atoms")  # fmt: skip
    assert wide.frequencies.axes == (0, 0, 1, 1, 2, 2) + (3,) * 26 and (wide.inv_freq[:2] == [1, 0.1]).all()
    assert (wide.inv_freq[13:] == 0).all() and wide.inv_freq[12] > 0

    halved = {"rope_type": "linear", "factor": 2.5, "rope_theta": 900.0}
    config = transformers.MusicFlamingoConfig(rope_parameters=halved)
    parts = from_config(config.to_dict()).parts
    assert list(parts) == ["text", "audio"] and parts["text"].model_type == "qwen2"
    audio = parts["audio"].rotaries["all"]
    (module,) = (found.module for found in found_modules() if found.kind == "musicflamingo")
    theirs = module.MusicFlamingoRotaryEmbedding(config).inv_freq.numpy().astype(np.float64)
    call = {"function": "linear", "arguments": {"dim": 256, "base": 900.0, "factor": 2.5}}
    check_frequencies(theirs, call)
    # the frequencies of the call, times 2 pi and divided by rope_theta, in float64: three roundings or four
    exactly = exact(call).inv_freq
    wanted = np.concatenate([exactly, exactly * 2 * np.pi]) * 2 * np.pi / 900
    assert np.all(np.abs(audio.inv_freq / wanted - 1) <= 8 * 2.0**-53)
    four = {"model_type": "musicflamingo", "rope_theta": 900.0, "rope_scaling": {"type": "linear", "factor": 2.5}}
    assert np.array_equal(from_config(four).rotary().inv_freq, audio.inv_freq)
    other = from_config({"model_type": "musicflamingo", "audio_config": {"hidden_size": 640}, "head_dim": 1280})
    assert other.rotary().head_dim == 640 and "head_dim" in other.ignored


# -- what is refused --------------------------------------------------------------------------------------------------


def test_an_odd_rotary_width_has_one_frequency_more():
    """gpt_neox slices by the width of the table: 60 * 0.25 = 15 channels are asked for, and 16 turn."""
    values = {"model_type": "gpt_neox", "hidden_size": 480, "num_attention_heads": 8, "rotary_pct": 0.25}
    config, module = built("gpt_neox", values)
    rotary = from_config(values).rotary()
    assert rotary.rotary_dim == 16 and len(module.inv_freq) == 8
    call = recipe(config.rope_parameters, 15, config)
    check_frequencies(module.inv_freq.numpy().astype(np.float64), call)
    assert np.array_equal(rotary.inv_freq, exact(call).inv_freq)
    values["rope_scaling"] = {"rope_type": "yarn", "factor": 4.0}
    with pytest.raises(InputError, match="must be even, got 15"):
        from_config(values)


@pytest.mark.parametrize("share, width", [(0.29, 18), (0.25, 16), (0.3, 20)])
def test_the_rotary_width_is_cut_and_not_rounded(share, width):
    """64 * 0.29 = 18.56 is 18, and 19.2 is 19, which takes one frequency more."""
    values = {"model_type": "gpt_neox", "hidden_size": 512, "num_attention_heads": 8, "rotary_pct": share}
    assert from_config(values).rotary().rotary_dim == width == 2 * len(built("gpt_neox", values)[1].inv_freq)


# -- what is told -----------------------------------------------------------------------------------------------------


def test_partial_rotary_factor_without_a_scaling_is_not_read_by_llama():
    result = from_config({**LLAMA, "partial_rotary_factor": 0.5})
    assert result.rotary().rotary_dim == 64 and "frequencies" in result.ignored["partial_rotary_factor"]
    _, module = built("llama", {**LLAMA, "partial_rotary_factor": 0.5})
    assert len(module.inv_freq) == 32


@pytest.mark.parametrize(
    "values, place",
    [
        ({"model_type": "dbrx", "attn_config": {"rope_theta": 500000}}, "attn_config.rope_theta"),
        ({"model_type": "bamba", "partial_rotary_factor": 0.25}, "partial_rotary_factor"),
        ({"model_type": "minimax_m3_vl_text", "rotary_dim": 64}, "rotary_dim"),
        ({"model_type": "deepseek_ocr2_text", "head_dim": 32}, "head_dim"),
        ({"model_type": "unlimited_ocr_text", "head_dim": 32}, "head_dim"),
        ({"model_type": "gpt_neox", "rope_theta": 5e5}, "rope_theta"),
        ({"model_type": "gpt_neox_japanese", "partial_rotary_factor": 0.5}, "partial_rotary_factor"),
    ],
)
def test_keys_that_look_as_if_they_decided(values, place):
    """Each is in a file and without effect in transformers 5.23: the module is that of a file without it."""
    kind = values["model_type"]
    result = from_config(values)
    assert place in result.ignored and place not in result.used
    _, module = built(kind, values)
    _, other = built(kind, {"model_type": kind})
    assert torch.equal(module.inv_freq, other.inv_freq)
    assert np.allclose(module.inv_freq.numpy(), result.rotary().inv_freq, rtol=1e-5)


# -- parts and files --------------------------------------------------------------------------------------------------


def test_the_parts_of_a_model():
    config = transformers.Qwen2_5OmniConfig()
    result = from_config(config.to_dict())
    expected = {"thinker.vision", "thinker.text", "talker", "token2wav.dit"}
    assert set(result.parts) == expected
    assert result.rotary("thinker.text").frequencies.axes is not None
    with pytest.raises(InputError, match="part must be one of"):
        result.rotary()
    with pytest.raises(InputError, match=r"'thinker\.text'"):
        result.rotary("text")


@functools.cache
def classes_with_parts():
    """Configuration classes by model_type, for those that are made of others."""
    found = {}
    for file in sorted(MODELS.glob("*/configuration_*.py")):
        if "sub_configs" in file.read_text():
            module = importlib.import_module(f"transformers.models.{file.parent.name}.{file.stem}")
            classes = [
                cls for cls in vars(module).values() if inspect.isclass(cls) and cls.__module__ == module.__name__
            ]
            found |= {cls.model_type: cls for cls in classes if getattr(cls, "sub_configs", None)}
    return found


# (model_type, part): its default is refused, and why that is right stands above
REFUSED_PARTS = {
    "cohere_compass",
    "glm46v",
    "glm4v",
    "glm4v_moe",
    "glm_image",
    "glmga",
    "qwen3_omni_moe",
    "qwen3_omni_moe_thinker",
}
# these have no default of their own
NO_DEFAULT = {"gemma4_assistant", "qwen3_omni_moe_talker"}
# these have no model_type of their own, and are parts of ESMFold2
NAMELESS = {"esmfold2_diffusion_module", "esmfold2_structure_head"}


def test_the_parts_of_every_model_with_parts():
    """The default configuration of every class, written out: as many parts as its classes with a rotary module."""
    classes, checked = classes_with_parts(), 0
    with_parts = {kind: row.parts for kind, row in rows().items() if row.parts}
    for kind, expected in with_parts.items():
        if kind in NO_DEFAULT | NAMELESS:
            continue
        values = {**classes[kind]().to_dict(), "model_type": kind}
        if kind in REFUSED_PARTS:
            with pytest.raises(InputError):
                from_config(values)
            continue
        for name, below in expected.items():
            if isinstance(values[name], dict):
                switched(below, values[name])
        parts = from_config(values).parts
        for name, below in expected.items():
            mine = [part for label, part in parts.items() if label.startswith(name.removesuffix("_config"))]
            types = {part.model_type for part in mine}
            assert mine and (below in with_parts or types == {below}), (kind, name, below, types)
        checked += 1
    assert checked == len(with_parts) - len(NO_DEFAULT) - len(NAMELESS) - len(REFUSED_PARTS)


def test_a_flat_file_of_a_model_with_parts():
    """As Qwen2-VL was published: the text's keys at the top, types of the parts left out."""
    values = {"model_type": "qwen2_vl", "hidden_size": 1536, "num_attention_heads": 12, "rope_theta": 1e6,
              "max_position_embeddings": 32768, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]},
              "vision_config": {"depth": 32, "embed_dim": 1280, "num_heads": 16, "hidden_size": 1536}}  # fmt: skip
    result = from_config(values)
    config = transformers.Qwen2VLConfig(**copied(values))
    same = from_config(config.to_dict())
    for name, width in (("text", 128), ("vision", 80)):
        assert np.array_equal(result.rotary(name).inv_freq, same.rotary(name).inv_freq)
        assert result.rotary(name).rotary_dim == width
    assert result.rotary("text").frequencies.axes == same.rotary("text").frequencies.axes


@pytest.mark.parametrize("kind, said, meant", [("kimi_k25", "kimi_k2", "deepseek_v3"),
                                               ("exaone4_5", "exaone4_5_text", "exaone4")])  # fmt: skip
def test_types_by_another_name(kind, said, meant):
    """As transformers reads them, and as the name of a file of its own."""
    values = {"model_type": kind, "text_config": {"model_type": said, "hidden_size": 2048}}
    assert classes_with_parts()[kind](**copied(values)).text_config.model_type == meant
    assert from_config(values).parts["text"].model_type == meant
    assert from_config({"model_type": said}).model_type == meant
