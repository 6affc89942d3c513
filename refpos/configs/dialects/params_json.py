"""params.json, as Meta and Mistral ship it beside the weights: consecutive channels are a pair."""

from dataclasses import replace

from ...arithmetic import reals
from ...errors import InputError, shown
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.llama3 import llama3
from ...frequencies.yarn import yarn
from ...models.rotary import Rotary
from ..keys import MOST_LAYERS, WIDEST, Keys
from ..model_defaults import rows
from ..rotary import read_rope, rotations
from ..rotary.notes import BARE_LAYERS, bare_layer_numbers, temperature
from ..submodels import Part

LLAMA3 = {"project": "llama-models", "version": "43e87a3", "file": "models/llama3/model.py"}
LLAMA4 = {"project": "llama-models", "version": "408c577", "file": "models/llama4/model.py"}
MISTRAL = {"project": "mistral-inference", "version": "16bb637", "file": "src/mistral_inference/transformer.py"}
#: keys that files of both have, and that no config.json of transformers has together
KEYS = frozenset(("dim", "n_layers", "n_heads", "norm_eps"))
OF_LLAMA4 = frozenset(
    "attention_chunk_size attn_temperature_tuning moe_args nope_layer_interval rope_high_freq_factor"
    " rope_scaling_factor use_qk_norm vision_args".split()
)
LONGER = (
    "the code has factor 8 for every file; the 1B and 3B models of Llama 3.2 have 32 in their config.json"
    " (llama-models, issues 166 and 241)"
)
#: (dim, n_layers) of those
LLAMA_3_2 = ((2048, 16), (3072, 28))
OLDER = "files of Llama 1 and 2 have no rope_theta: 10000 is the base of their code"
WINDOW = "without rope_theta the code had 10000 for a file with a sliding_window, and has 1000000 for every file now"
LENGTH = 8192  # of the pretraining of Llama 3, a constant of the code


def is_file(values):
    """Whether a dict holds the keys of such a file."""
    return KEYS <= values.keys() and values.get("model_type") in (None, "transformer") and "hidden_size" not in values


def read(values, log, seq_len):
    """(model type, {name: Part}, no other encodings, nothing left out): the rotations that a file describes."""
    keys = Keys(values, "", log)
    if "model_type" in keys:
        keys.take("model_type", "a transformer, not mamba")
    if "qk_rope_head_dim" in keys:
        sentence = "qk_rope_head_dim must be left out: latent attention is read from config.json, not from params.json"
        raise InputError("E_CHOICE", "qk_rope_head_dim", sentence)
    if "hidden_dim" in keys:
        return "mistral", {"text": _mistral(keys), **_vision(keys, values, seq_len)}, (), {}
    return ("llama4" if OF_LLAMA4 & values.keys() else "llama"), {"text": _llama(keys, values)}, (), {}


# -- Meta -------------------------------------------------------------------------------------------------------------


def _llama(keys, values):
    """The `Part` of a file of Meta."""
    is_4 = bool(OF_LLAMA4 & values.keys())
    head, notes = keys.head_width("head_dim", "dim", "n_heads"), ()
    base = keys.number("rope_theta", "the base of the frequencies", 500000.0 if is_4 else 10000.0)
    if not is_4 and "rope_theta" not in keys:
        notes = (OLDER,)
    parameters = {"rope_type": "default", "rope_theta": base}
    frequencies = inverse_frequencies(head, base=base)
    if keys.flag("use_scaled_rope", "whether low frequencies are divided"):
        scaling = _llama_scaling(keys, is_4)
        frequencies, parameters = llama3(head, base=base, **scaling), {**parameters, **scaling, "rope_type": "llama3"}
        notes = (LONGER,) if not is_4 and (keys.peek("dim"), keys.peek("n_layers")) in LLAMA_3_2 else ()
    source = dict(LLAMA4 if is_4 else LLAMA3)
    rotary = Rotary(frequencies, "interleaved", head, source=source, parameters=parameters)
    layers, more = _without_rotation(keys) if is_4 else ((), ())
    return Part("llama4" if is_4 else "llama", {"all": replace(rotary, notes=notes + more)}, layers)


def _llama_scaling(keys, is_4):
    """The arguments of `llama3`; but for those of Llama 4 they are constants of the code."""
    factor, high = 8.0, 4.0
    if is_4:
        factor = keys.number("rope_scaling_factor", "divides the low frequencies", 16.0)
        high = keys.number("rope_high_freq_factor", "frequencies with so many rotations are kept", 1.0)
    return {
        "factor": factor,
        "low_freq_factor": 1.0,
        "high_freq_factor": high,
        "original_max_position_embeddings": LENGTH,
    }


def _without_rotation(keys):
    """(the names of the rotation of each layer, notes) of Llama 4."""
    every = keys.integer("nope_layer_interval", "one in so many layers has no rotation")
    notes = ()
    if keys.flag("attn_temperature_tuning", "whether layers without rotation scale queries"):
        scale, step = bare_layer_numbers(keys)
        notes = (f"{BARE_LAYERS} {temperature(scale, step, 1)}",)
    if every is None:
        return (), notes
    count = keys.size("n_layers", "which layers have a rotation", MOST_LAYERS)
    return tuple(None if (layer + 1) % every == 0 else "all" for layer in range(count)), notes


# -- Mistral ----------------------------------------------------------------------------------------------------------


def _mistral(keys):
    """The `Part` of the text of a file of Mistral."""
    head = keys.size("head_dim", "the width of a head", WIDEST)
    has_window = keys.peek("sliding_window") is not None
    notes = (WINDOW,) if has_window and "rope_theta" not in keys else ()
    base = keys.number("rope_theta", "the base of the frequencies", 10000.0 if has_window else 1000000.0)
    frequencies, parameters = inverse_frequencies(head, base=base), {"rope_type": "default", "rope_theta": base}
    if keys.peek("yarn"):
        frequencies, arguments = _yarn(keys.inner("yarn"), head, base)
        parameters = {**parameters, **arguments, "rope_type": "yarn"}
    if keys.peek("llama_4_scaling"):
        scaling = keys.inner("llama_4_scaling")
        beta = scaling.need("beta", "queries are multiplied by attention_temperature at long distances")
        trained = scaling.need("original_max_position_embeddings", "the step of attention_temperature")
        notes += (f"queries are multiplied by {temperature(beta, trained, 0)}",)
    rotary = Rotary(frequencies, "interleaved", head, source=dict(MISTRAL), notes=notes, parameters=parameters)
    return Part("mistral", {"all": rotary})


def _yarn(keys, width, base):
    """The frequencies of the yarn object, and the arguments of `yarn`, as vLLM names its keys
    (transformers_utils/configs/mistral.py)."""
    unknown = [name for name in keys.entries if name not in ("factor", "original_max_position_embeddings", "beta",
                                                             "alpha", "apply_scale")]  # fmt: skip
    if unknown:
        sentence = "yarn must hold factor, original_max_position_embeddings, beta, alpha and apply_scale alone"
        raise InputError("E_CHOICE", f"yarn.{unknown[0]}", f"{sentence}, got {shown(unknown[0])}")
    arguments = {
        "factor": keys.need("factor", "divides the low frequencies"),
        "original_max_position_embeddings": keys.need(
            "original_max_position_embeddings", "the length of pretraining, for the ramp"
        ),
        "beta_fast": keys.number("beta", "frequencies with at least so many rotations are kept", 32.0),
        "beta_slow": keys.number("alpha", "frequencies with fewer rotations are divided", 1.0),
    }
    frequencies = yarn(width, base=base, **arguments)
    if not keys.flag("apply_scale", "whether cosine and sine have a factor", True):
        frequencies = replace(frequencies, factor=reals.rational(1))
    return frequencies, arguments


def _vision(keys, values, seq_len):
    """{"vision": Part} of the vision encoder of Pixtral, if the file has one."""
    if not isinstance(keys.peek("vision_encoder"), dict):
        return {}
    record = read_rope.read_part(values["vision_encoder"], "vision_encoder.", rows()["pixtral"], keys.log)
    part = rotations.part(record, seq_len)
    source = {**MISTRAL, "file": "src/mistral_inference/rope.py"}
    return {"vision": replace(part, rotaries={
        name: replace(rotary, pairing="interleaved", source=source) for name, rotary in part.rotaries.items()
    })}  # fmt: skip
