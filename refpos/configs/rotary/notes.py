"""What a porter must know beside a rotation: what multiplies the scores, and a sentence on each difference."""

from ...frequencies.yarn import used_mscales
from ...scores.yarn_softmax_scale import yarn_softmax_scale
from . import rope_types

BARE_LAYERS = "queries of layers without rotation are multiplied by"
NOT_READ = "this class does not read it"
#: keys that other classes read
OF_OTHER_CLASSES = frozenset(
    "compress_rope_theta global_rope_theta layer_rope_theta local_rope_theta memory_attention_rope_dropout"
    " memory_attention_rope_feat_sizes memory_attention_rope_k_sizes mrope_section no_rope_layer_interval"
    " no_rope_layers partial_rotary_factor partial_rotary_factors qk_rope_head_dim rope_interleave rope_local_base_freq"
    " rope_pct rope_ratio rope_scaling_layers rope_theta rotary_dim rotary_emb_base rotary_emb_fraction"
    " rotary_emb_interleaved rotary_emb_scale_base rotary_embedding_base rotary_pct rotary_scaling_factor"
    " scaled_partial_rotary_factor swa_rope_theta".split()
)
#: keys that code of other projects reads, and what computes what they mean
ELSEWHERE = {
    "dual_chunk_attention_config": "vLLM reads it: dual_chunk_positions, dual_chunk_regions and dual_chunk_mscale",
    "use_dynamic_ntk": "the code of Qwen 1 reads it: ntk_alpha",
    "use_logn_attn": "the code of Qwen 1 reads it: log_n_scale",
}


def of_the_model(row, keys, parameters, rope_type):
    """What the code of the model computes beside the rotation."""
    notes = [row.note] if row.note else []
    has_sets = row.layer_bases or row.model_type in ("neomme", "step3p5")
    if has_sets and parameters.path("rope_type").endswith(".type") and rope_type != "default":
        notes.append(f"transformers {row.version} drops this scaling, as the file calls it type and not rope_type")
    if row.layer_bases and ".rope_scaling." in f".{parameters.prefix}":
        notes.append(f"transformers {row.version} drops this scaling, which it reads in rope_parameters alone")
    if row.model_type == "cohere2_moe" and keys.dictionary("rope_scaling") not in ({}, {"rope_type": "default"}):
        notes.append(f"transformers {row.version} drops this scaling, which it reads in rope_parameters alone")
    return notes + _of_scores(row, keys, parameters, rope_type)


def _scales_softmax(row, parameters, rope_type):
    """Whether the code of the model multiplies its softmax scale beside the table."""
    return row.scales_softmax and rope_type != "default" and bool(parameters.peek("mscale_all_dim"))


def softmax_factor(row, parameters, rope_type):
    """What the softmax scale is multiplied by, as a float64."""
    if not _scales_softmax(row, parameters, rope_type):
        return 1.0
    decides = "multiplies the softmax scale by yarn_softmax_scale(factor, mscale_all_dim)"
    mscale = parameters.number("mscale_all_dim", decides)
    parameters.require("factor")
    return float(yarn_softmax_scale(parameters.peek("factor"), mscale_all_dim=mscale))


def _of_scores(row, keys, parameters, rope_type):
    """What multiplies the scores beside the table, with the values that decide it: same_encoding compares the text."""
    notes = []
    if _scales_softmax(row, parameters, rope_type):
        factor, mscale = (number(parameters.peek(name)) for name in ("factor", "mscale_all_dim"))
        notes.append(f"the softmax scale is multiplied by yarn_softmax_scale({factor}, mscale_all_dim={mscale})")
    if row.model_type in ("ministral3", "mistral4") and parameters.peek("llama_4_scaling_beta"):
        scale = parameters.number("llama_4_scaling_beta", "queries are multiplied by attention_temperature")
        step = rope_types.pretraining(row, keys, parameters, "the step of attention_temperature")
        notes.append(f"queries are multiplied by {temperature(scale, step, 0)}")
    if row.model_type == "qwen" and keys.take("use_logn_attn", "whether queries are scaled beyond seq_length"):
        trained = keys.integer("seq_length", "the length beyond which queries are scaled", 8192)
        notes.append(f"queries are multiplied by log_n_scale(training_length={trained})")
    if "dual_chunk_attention_config" in keys:
        notes.append(_of_dual_chunks(keys.peek("dual_chunk_attention_config")))
    return notes + (_of_bare_layers(keys) if row.model_type == "llama4_text" else [])


def _of_dual_chunks(values):
    """The note on the object of dual chunk attention, with the numbers in it."""
    given = sorted(values.items()) if isinstance(values, dict) else ()
    numbers = ", ".join(f"{name}={number(value)}" for name, value in given if isinstance(value, (int, float)))
    reader = ELSEWHERE["dual_chunk_attention_config"]
    return f"dual_chunk_attention_config{f' ({numbers})' if numbers else ''}: {reader}"


def _of_bare_layers(keys):
    """What layers without rotation of Llama 4 do to their queries; published files have 4 for true."""
    if not keys.take("attn_temperature_tuning", "whether layers without rotation scale queries", True):
        for name in ("attn_scale", "floor_scale"):
            keys.ignore(name, "attn_temperature_tuning is off")
        return []
    scale, step = bare_layer_numbers(keys)
    return [f"{BARE_LAYERS} {temperature(scale, step, 1)}"]


def bare_layer_numbers(keys):
    """attn_scale and floor_scale of Llama 4, in each of its dialects."""
    defaults = {"attn_scale": 0.1, "floor_scale": 8192}
    return [keys.number(name, "an argument of attention_temperature", value) for name, value in defaults.items()]


def temperature(scale, step, shift):
    """The call of attention_temperature."""
    return f"attention_temperature(attn_scale={number(scale)}, floor_scale={number(step)}, shift={shift})"


def number(value):
    """A number as text, an integer without a point: 8192 and 8192.0 of two files are the same."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return repr(int(value) if is_whole else value)


def of_other_projects(config, frequencies):
    """Where other projects are known to compute something else from these keys: see docs/conventions.md."""
    notes, is_yarn, arrangement = [], config.rope_type == "yarn", config.row.mrope_arrangement
    if is_yarn and config.scaling["truncate"] is False:
        notes.append("llama.cpp and mlx-lm do not read truncate: their ramp has integer ends, their numbers differ")
    if is_yarn and arrangement is not None:
        notes.append("vLLM multiplies max_position_embeddings by 4 before this ramp reads it: its numbers differ")
    if is_yarn and config.scaling["attention_factor"] is None and _mscale_rules_differ(config.mscales):
        notes.append("Megatron, vLLM and MLX multiply by another attention factor: yarn(mscale_rule='ratio')")
    if config.rope_type == "longrope":
        notes.append("mlx-lm takes long_factor at every length")
    if arrangement == "interleaved" and any(axis == 0 and i % 3 for i, axis in enumerate(frequencies.axes)):
        notes.append("llama.cpp rotates the last pairs by a fourth position (imrope), which must be the frame's")
    return notes


def _mscale_rules_differ(mscales):
    """Whether the two rules of mscale give different attention factors."""
    if not all(value is None or (isinstance(value, (int, float)) and 0 <= value < 2**64) for value in mscales):
        return False
    mscales = [None if value is None else float(value) for value in mscales]
    return used_mscales(*mscales, "both") != used_mscales(*mscales, "ratio")
