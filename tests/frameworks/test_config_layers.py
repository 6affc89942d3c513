"""Which layers are rotated: the lists that the configuration classes of transformers derive, against `Part.layers`.

Every class of a known type is built from its defaults, and again with each of its keys changed; the keys that change
the list of layers are found by this, not named.
"""

import inspect
import re

import pytest
import transformers
from transformers import CONFIG_MAPPING

from refpos import from_config, same_encoding
from refpos.configs.model_defaults import rows

transformers.logging.set_verbosity_error()

#: what the model files do not rotate: convolutions and recurrences, and attention to images
BARE = ("linear_attention", "conv", "moe", "cross_attention")
#: types whose tables have other names than the types of layers, or whose defaults the class itself refuses
BY_NAMES_OF_THEIR_OWN = ("deepseek_v4", "cohere_compass_text", "cohere2_moe")
#: types with a key for the layers that are rotated, whatever their types are
BY_A_KEY = ("no_rope_layers", "layer_rope_theta", "layer_rope_theta flags")
KINDS = sorted(
    name
    for name, row in rows().items()
    if row.has_rotation
    and not row.is_custom
    and name in CONFIG_MAPPING
    and name not in BY_NAMES_OF_THEIR_OWN
    and row.rotated_layers not in BY_A_KEY
)


def types_of_layers(config):
    """The list that the model code reads; None where it reads none."""
    cross = getattr(config, "cross_attention_layers", None)
    if cross is not None:
        return ["cross_attention" if i in cross else "full_attention" for i in range(config.num_hidden_layers)]
    return getattr(config, "layer_types", None) or getattr(config, "layers_block_type", None)


def changes(config):
    """{key: another value} of the integers and lists of a class, and of the keys that only its constructor reads."""
    source = inspect.getsource(type(config))
    old = re.findall(r"kwargs\.(?:pop|get|setdefault)\(\"(\w+)\", (\d+)\)", source)
    values = {**{name: int(value) for name, value in old}, **config.to_dict()}
    for name in ("attn_layer_indices", "full_attn_idxs"):
        if name in values:
            values[name] = [0, 1]
    for name, value in values.items():
        if name in ("layer_types", "layers_block_type"):
            continue
        if isinstance(value, int) and not isinstance(value, bool):
            yield from ({name: value + step} for step in (1, -1, -value + 3))
        elif isinstance(value, (list, tuple)) and len(value) > 1:
            yield {name: list(value[1:])}


def built(kind, values):
    try:
        return CONFIG_MAPPING[kind](**values)
    except Exception:  # the class refuses it, in whatever way
        return None


def files(kind):
    """(keys of a file, the list of its class) of the defaults, and of every change that gives another list."""
    switch = rows()[kind].switch
    base = {} if switch is None else {switch.key: switch.value}
    config = built(kind, base)
    first = config and types_of_layers(config)
    if not first:
        return
    yield base, first
    for change in changes(config):
        other = built(kind, {**base, **change})
        if other is not None and types_of_layers(other) not in (first, None):
            yield {**base, **change}, types_of_layers(other)


def expected(kind, values, part, types):
    """The name of the table of each layer: None where its type has no rotation."""
    bare = {*BARE}
    if rows()[kind].rotated_layers.startswith("sliding") and values.get("sliding_window", True) is not None:
        bare.add("full_attention")
    if "all" in part.rotaries:
        return tuple(None if one in bare else "all" for one in types)
    return tuple(one if one in part.rotaries and one not in bare else None for one in types)


def test_every_layer_has_the_table_of_its_type():
    """In every class, for every key that decides the types, and the same with the list written out."""
    wrong, seen = [], {}
    for kind in KINDS:
        for values, types in files(kind):
            (part,) = from_config({"model_type": kind, **values}).parts.values()
            names = expected(kind, values, part, types)
            if part.layers != names and not (part.layers == () and {*names} == {"all"}):
                wrong.append((kind, values, part.layers, names))
            if None in names:
                seen.setdefault(kind, set()).update(values)
    assert not wrong, wrong
    assert seen.keys() == {*KEYS}
    assert all(key is None or key in seen[kind] for kind, key in KEYS.items()), seen


#: the types that have layers without a rotation, and the key beside num_hidden_layers that says which
KEYS = {
    "afmoe": "global_attn_every_n_layers",
    "bailing_hybrid": "layer_group_size",
    "bamba": "attn_layer_indices",
    "beam": None,
    "cohere2": "sliding_window_pattern",
    "exaone4": "sliding_window_pattern",
    "exaone_moe": "sliding_window_pattern",
    "flint": None,
    "granitemoehybrid": None,
    "kolibri1": None,
    "lfm2": "full_attn_idxs",
    "lfm3": None,
    "lfm3_vl_vision": None,
    "minimax": None,
    "mllama_text_model": "cross_attention_layers",
    "olmo_hybrid": None,
    "qwen3_5_moe_text": "full_attention_interval",
    "qwen3_5_text": "full_attention_interval",
    "qwen3_next": "full_attention_interval",
    "qwen4_exp_text": "full_attention_interval",
    "recurrent_gemma": "block_types",
    "zamba2": None,
}


FLAGGED = sorted(name for name, row in rows().items() if "layer_rope_theta" in row.rotated_layers)


@pytest.mark.parametrize("kind", FLAGGED)
@pytest.mark.parametrize("values", [{}, {"num_hidden_layers": 5}, {"num_hidden_layers": 4, "layer_rope_theta": [
    1e4, 0, 5e5, 3e4]}], ids=["all", "count", "listed"])  # fmt: skip
def test_a_base_of_0_is_a_layer_without_a_rotation(kind, values):
    """And the others have their own base where the model has a rotary module for each, else that of all layers."""
    config = built(kind, values)
    source = inspect.getsource(inspect.getmodule(transformers.AutoModel._model_mapping[type(config)]))
    has_own = "for theta in config.layer_rope_theta" in source
    part = from_config({"model_type": kind, **values}).parts["text"]
    bases = [name and part.rotaries[name].parameters["rope_theta"] for name in part.layers]
    whole = config.rope_parameters["rope_theta"]
    assert bases == [(base if has_own else whole) if base else None for base in config.layer_rope_theta]
    assert bases and has_own == kind.startswith("granite")


@pytest.mark.parametrize("kind", KEYS)
def test_a_written_list_means_the_same(kind):
    bare = 0
    for values, _ in files(kind):
        short = {"model_type": kind, **values}
        whole = {**built(kind, values).to_dict(), "model_type": kind}
        assert (found := same_encoding(short, whole)).same, str(found)
        (one,), (other,) = (from_config(file).parts.values() for file in (short, whole))
        assert one.layers == other.layers
        bare += None in one.layers
    assert bare
