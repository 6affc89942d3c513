"""The mutants that no case tells, each with the reason: that no call can, or that no case does yet."""

from typing import NamedTuple


class Untold(NamedTuple):
    """Mutants of suites as patterns of names, why no case tells them, and the dtypes (all where there are none)."""

    suite: str
    mutants: tuple[str, ...]
    why: str
    dtypes: tuple[str, ...] = ()


NARROW = ("float16", "bfloat16")
#: cases are still to be written, or the difference stays within a class
OPEN = "open: no case tells it yet"
WITHIN_16 = "open: in 16 bits the difference lies within sequence16; wider formats tell it"
ROUNDING = "the same number by definition, rounded in another order: the fixed-order classes admit both"
DEFAULT = "the value that None stands for"
LIMIT = "a limit: what lies beyond it is refused, and no number depends on it"
SIZES = "with images another size is refused, since their tokens are another number; text alone does not read it"

#: functions that have no mutants, and why
WITHOUT_MUTANTS = {
    "resonance": "its one argument is frequencies, whose arguments are changed in the suites of rope_table",
    "inverse_permutation": "its one argument is a permutation: numbers that are changed are none",
    "qwen_image21_positions": "a mask and the grids that fit it: another of either is refused",
}

UNTOLD = (
    # attributes of operators
    Untold("onnx_rotary_embedding", ("num_heads: ignored",), "read for three axes only, which are refused without it"),
    Untold("microsoft_rotary_embedding", ("num_heads: ignored",), "the caches say it, or the call is refused"),
    Untold("microsoft_rotary_embedding", ("is_packed_batching: +1",), "1 only admits what is refused otherwise"),
    Untold("microsoft_rotary_embedding", ("scale: ignored",), "1 is the default, and others are refused"),
    Untold("onnx_attention", ("*num_heads: +1",), "read for three axes only, which other numbers do not divide"),
    Untold("group_query_attention", ("qk_output: None -> a number",), "read for output_qk only, refused without it"),
    # the same by definition
    Untold("alibi", ("anchor: *None*",), DEFAULT),
    Untold("*resize_*", ("border: 'clamp' -> None", "border: None -> 'clamp'"), DEFAULT),
    Untold("vjp_*", ("x: *", "weight: *", "weights: *", "window: *"), "of these a gradient has the shape and dtype"),
    Untold("vjp_fire", ("bias_out: *",), "of it a gradient has the shape and dtype"),
    Untold("vjp_fourier_projection", ("transform: *",), "a gradient of logarithms is refused"),
    Untold("*decomposed_scores", ("resize: *",), "tables of the right size are not resized, and others are refused"),
    Untold("*deberta_scores", ("scaling: *",), ROUNDING),
    Untold("*xl_scores", ("scaled: *",), ROUNDING),
    Untold("laplacian_values", ("laplacian: *",), "both matrices are similar: their eigenvalues are the same"),
    Untold("convit_attention", ("bias: *",), "softmax is the same when all scores of a row move by one number"),
    Untold("dual_chunk_positions", ("role: *",), "keys and queries of the same chunk have the same positions"),
    Untold("*yarn*", ("*max_position_embeddings: None -> a number",), "read only where factor is left out"),
    Untold("yarn", ("max_position_embeddings: always *",), "read only where factor is left out"),
    Untold("longrope", ("max_position_embeddings: *",), "read only where factor is left out"),
    Untold("rope* frequencies", ("longrope max_position_embeddings: *",), "read only where factor is left out"),
    Untold("rope* frequencies", ("yarn max_position_embeddings: *",), "read only where factor is left out"),
    Untold(
        "*t5_bias",
        ("num_buckets: ignored", "num_buckets: always *"),
        "the rows of weight, which any other number is refused for",
    ),
    Untold("*relative_bias", ("high: *",), "the rows of weight and low give it, and any other number is refused"),
    Untold("window_bias", ("sign: *",), "a table of another sign has other rows, but for a window of one cell"),
    Untold("*relative_*", ("outside: *refuse*",), LIMIT),
    Untold("box_rows", ("num_rows: *",), LIMIT),
    Untold("table_rows", ("num_rows: *",), LIMIT),
    Untold("skipped_positions", ("target: *",), LIMIT),
    Untold("cu_seqlens", ("rule: 'first' -> 'zeros'", "rule: 'zeros' -> 'first'"), "where 0 is there, it is smallest"),
    Untold(
        "packed_mrope_positions", ("cu_seqlens: ?1",), "boundaries begin with 0, and a length is that of the tokens"
    ),
    Untold("self_extend_*", ("shift: *",), "in int64 only where both agree: the others are refused", ("int64",)),
    Untold("self_extend_*", ("longest: None -> a number",), "a number below the largest position is refused"),
    # models of images and sound: ids matter by their kind
    Untold("*_positions", ("*spatial_merge_size: *", "temporal_merge_size: *"), SIZES),
    Untold(
        "*_positions",
        ("*_token_type_ids: *", "input_ids: *", "*_id: always *"),
        "ids matter by their kind: others are refused",
    ),
    # one number, or two, in all cases
    Untold("axial_frequencies", ("times_pi: always *",), OPEN, ("float32", "float16", "bfloat16")),
    Untold("convit_attention", ("scale: always *",), OPEN),
    Untold("dynamic_ntk", ("factor: always *",), OPEN, ("float32", "float16", "bfloat16")),
    Untold("forget_gate", ("query_len: always *",), OPEN, ("float32", "float16", "bfloat16")),
    Untold("joined", ("extra_tokens: always *",), OPEN, ("float32", "float16")),
    Untold("learned_boxes", ("clip: always *",), OPEN, ("bfloat16",)),
    Untold("rerope_*", ("factor: always *", "window: always *"), OPEN, ("int64",)),
    Untold("resize_table", ("size: always *",), "a size that is not a list is used once: the others are lists"),
    Untold("*_rows", ("padded: always *",), OPEN, ("int64",)),
    Untold("yarn", ("attention_factor: always *",), OPEN, ("float32", "float16")),
    # still to be told
    Untold("add", ("x_scale: ignored",), OPEN, ("float32", "float16", "bfloat16")),
    Untold(
        "alibi_2d", ("convention: 'geometric' -> 'recursive'",), OPEN, ("float64", "float32", "bfloat16", "float16")
    ),
    Untold("distance_mlp", ("pretrained: first",), OPEN, ("bfloat16",)),
    Untold("ernie_image_rope", ("widths: ignored",), OPEN),
    Untold("glm_image_positions", ("image_start_token_id: -1", "images_per_sample: ignored"), OPEN, ("int64",)),
    Untold("hyena_features", ("low: ignored",), OPEN, ("float16", "bfloat16")),
    Untold("liere", ("inverse: True -> False",), OPEN, ("bfloat16",)),
    Untold("minicpm_v_positions", ("downsample_mode: '4x' -> '16x'", "image_start_id: -1"), OPEN, ("int64",)),
    Untold(
        "qwen2_5_omni_positions",
        (
            "audio_seqlens: elements moved",
            "audio_start_token_id: +1",
            "image_token_id: -1",
            "seconds_per_chunk: -1",
            "use_audio_in_video: False -> True",
        ),
        OPEN,
        ("int64",),
    ),
    Untold(
        "qwen3_omni_positions",
        (
            "audio_seqlens: elements moved",
            "audio_start_token_id: +1",
            "image_token_id: -1",
            "n_window: +1",
            "n_window: -1",
            "n_window: ignored",
            "position_id_per_seconds: ignored",
            "use_audio_in_video: False -> True",
        ),
        OPEN,
        ("float32",),
    ),
    Untold("rope_3d", ("arrangement: 'blocks' -> 'interleaved'",), OPEN, ("float16", "bfloat16")),
    # within the class of sums and functions of 16 bits
    Untold(
        "conv_positions", ("activation: 'gelu' -> 'gelu_tanh'", "activation: 'gelu_tanh' -> 'gelu'"), WITHIN_16, NARROW
    ),
    Untold(
        "mlp_positions", ("activation: 'gelu' -> 'gelu_tanh'", "activation: 'gelu_tanh' -> 'gelu'"), WITHIN_16, NARROW
    ),
    Untold(
        "distance_mlp", ("activation: 'gelu' -> 'gelu_tanh'", "activation: 'gelu_tanh' -> 'gelu'"), WITHIN_16, NARROW
    ),
    Untold(
        "distance_mlp",
        ("activation: 'silu' -> 'gelu*'", "biases: elements moved", "pretrained: first"),
        WITHIN_16,
        ("float16",),
    ),
    Untold("distance_mlp", ("coordinates: 'log' -> 'swin-v2'",), WITHIN_16, ("bfloat16",)),
    Untold("convit_attention", ("scale: moved",), WITHIN_16, ("bfloat16",)),
    Untold("cosmos_learnable", ("eps: moved",), WITHIN_16, ("bfloat16",)),
    Untold(
        "dape", ("activation: 'leaky_relu' -> 'relu'", "activation: 'relu' -> 'leaky_relu'"), WITHIN_16, ("bfloat16",)
    ),
    Untold("fire", ("activation: 'leaky_relu' -> 'relu'", "c: moved"), WITHIN_16, ("bfloat16",)),
)
