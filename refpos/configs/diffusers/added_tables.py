"""Tables that classes of diffusers add to their patches: sinusoids of grids, and learned ones."""

from fractions import Fraction

from ..encodings.call_text import arguments, weight
from ..encodings.encoding import Encoding

CODE = "fractions.Fraction"
MOCHI_AREA = 192 * 192  # rows and columns are stretched to it


def encodings(name, part, keys, source):
    """The `Encoding` of each table that a file of the class has."""
    return [Encoding(part, source=source, **fields) for fields in ROWS.get(name, lambda keys: ())(keys)]


# -- sinusoids --------------------------------------------------------------------------------------------------------


def _grid(tensor, grid, steps, dim, **options):
    """The fields of a table of a grid whose axes have so many places, each a step (a fraction) from the next."""
    places = ", ".join(map(_axis, grid, steps))
    inputs = {"Fraction": CODE} if "Fraction" in places else {}
    call = f"refpos.absolute.sincos_grid([{places}], {dim}{arguments(**options)})"
    steps = [[one.numerator, one.denominator] for one in steps]
    parameters = {"dim": dim, "grid": list(grid), "steps": steps, **options, "tensor": tensor}
    return {"name": "sincos_grid", "place": "embeddings", "call": call, "inputs": inputs, "parameters": parameters}


def _axis(size, step):
    return str(size) if step == 1 else f"refpos.coordinates.affine({size}, step={step!r})"


def _square(keys, tensor, scale, most=None):
    """The table of a square image: its columns first, squeezed by scale, and of `most` rows where that is given."""
    base = keys.size("sample_size", "the side of an image") // keys.size("patch_size", "the side of a patch")
    side = most or base
    steps = (Fraction(base, side) / Fraction(scale),) * 2
    dim = keys.product("num_attention_heads", "attention_head_dim")
    return _grid(tensor, (side, side), steps, dim, axis_order="wh", extra_tokens=0)


def _dit(keys):
    yield _square(keys, "pos_embed.pos_embed", 1)


def _by_sample_size(keys):
    return max(keys.size("sample_size", "the side of an image") // 64, 1)


def _pixart(keys):
    scale = keys.positive("interpolation_scale", "what coordinates are divided by")
    yield _square(keys, "pos_embed.pos_embed", _by_sample_size(keys) if scale is None else scale)


def _sd3(keys):
    most = keys.size("pos_embed_max_size", "the rows and columns of the table")
    yield _square(keys, "pos_embed.pos_embed", 1, most)


def _sana(keys):
    scale = keys.positive("interpolation_scale", "whether there is a table, and what its coordinates are divided by")
    if scale is not None:
        yield _square(keys, "patch_embed.pos_embed", scale)


def _latte(keys):
    yield _square(keys, "pos_embed.pos_embed", _by_sample_size(keys))
    rows, dim = keys.size("video_length", "frames"), keys.product("num_attention_heads", "attention_head_dim")
    call = f'refpos.sinusoidal({rows}, {dim}, layout="sin-cos")'
    parameters = {"dim": dim, "layout": "sin-cos", "rows": rows, "tensor": "temp_pos_embed"}
    yield {"name": "sinusoidal", "place": "embeddings", "call": call, "parameters": parameters}


def _cogvideox(keys):
    rotates = keys.flag("use_rotary_positional_embeddings", "whether positions are rotated")
    if rotates and not keys.flag("use_learned_positional_embeddings", "whether there is a table beside the rotation"):
        return
    compression = keys.size("temporal_compression_ratio", "frames of a latent")
    frames = (keys.size("sample_frames", "frames") - 1) // compression + 1
    patch = keys.size("patch_size", "the side of a patch")
    sides = [keys.size(name, "the side of an image") // patch for name in ("sample_height", "sample_width")]
    names = ("temporal_interpolation_scale", *("spatial_interpolation_scale",) * 2)
    steps = [1 / Fraction(keys.positive(name, "what coordinates are divided by")) for name in names]
    dim, text = keys.product("num_attention_heads", "attention_head_dim"), keys.size("max_text_seq_length", "text")
    widths = [dim // 4, 3 * dim // 8, 3 * dim // 8]
    yield _grid("patch_embed.pos_embedding", (frames, *sides), steps, dim, axis_order="twh", widths=widths,
                extra_tokens=text)  # fmt: skip


# -- learned ----------------------------------------------------------------------------------------------------------


def _auraflow(keys):
    rows = keys.size("pos_embed_max_size", "the rows of the table")
    shape = (rows, keys.product("num_attention_heads", "attention_head_dim"))
    inputs, parameters = weight(shape, "pos_embed.pos_embed")
    inputs["rows"] = "those of the rows and columns in the middle of a square table, one for each patch"
    yield {"name": "learned", "place": "embeddings", "call": "refpos.learned(weight, rows)", "inputs": inputs,
           "parameters": parameters}  # fmt: skip


def _cosmos(keys):
    if keys.value("extra_pos_embed_type", "whether there is a learned table beside the rotation") != "learnable":
        return
    dim = keys.product("num_attention_heads", "attention_head_dim")
    sides = keys.sizes("max_size", "the largest video", 3)
    rows = [side // patch for side, patch in zip(sides, keys.sizes("patch_size", "the sides of a patch", 3))]
    tensors = [f"learnable_pos_embed.pos_emb_{axis}" for axis in "thw"]
    inputs = {"weights": f"the tensors {', '.join(tensors)}", "grid": "(frames, rows, columns) of the patches"}
    yield {"name": "cosmos_learnable", "place": "embeddings", "call": "refpos.tables.cosmos_learnable(weights, grid)",
           "inputs": inputs, "parameters": {"tensors": tensors},
           "weights": {"shapes": [[count, dim] for count in rows]}}  # fmt: skip


def _hunyuan_dit(keys):
    rows = keys.size("text_len_t5", "the rows of the table") + 1
    shape = rows, keys.size("cross_attention_dim_t5")
    inputs, parameters = weight(shape, "time_extra_emb.pooler.positional_embedding")
    yield {"name": "learned", "place": "embeddings", "call": f"refpos.learned(weight, {rows})", "inputs": inputs,
           "parameters": parameters,
           "notes": ("The mean of the text has row 0; its tokens, which are pooled, follow.",)}  # fmt: skip


def _mochi(keys):
    shape = (3, keys.size("num_attention_heads"), keys.size("attention_head_dim") // 2)
    inputs, parameters = weight(shape, "pos_frequencies")
    call = 'refpos.rotary.mixed_rope(x, positions, weight, pairing="interleaved", squared_scale=squared_scale)'
    inputs |= {"x": "queries or keys (..., heads, tokens, channels)", "positions": "the grid of a video",
               "squared_scale": f"1 for frames, {MOCHI_AREA} / (height width) for rows and columns"}  # fmt: skip
    parameters["area"] = MOCHI_AREA
    yield {"name": "mixed_rope", "place": "queries and keys", "call": call, "inputs": inputs, "parameters": parameters}


def _stable_audio(keys):
    shape = (keys.size("time_proj_dim") // 2,)
    inputs, parameters = weight(shape, "time_proj.weight")
    inputs["times"] = "times (..., 1)"
    call = 'refpos.absolute.fourier_projection(times, weight, factor="2pi", layout="cos-sin")'
    yield {"name": "fourier_projection", "place": "embeddings", "call": call, "inputs": inputs,
           "parameters": {**parameters, "factor": "2pi", "layout": "cos-sin"}}  # fmt: skip


#: class -> the function that yields the fields of its tables
ROWS = {
    "DiTTransformer2DModel": _dit,
    "PixArtTransformer2DModel": _pixart,
    "SD3Transformer2DModel": _sd3,
    "SanaTransformer2DModel": _sana,
    "LatteTransformer3DModel": _latte,
    "CogVideoXTransformer3DModel": _cogvideox,
    "AuraFlowTransformer2DModel": _auraflow,
    "HunyuanDiT2DModel": _hunyuan_dit,
    "CosmosTransformer3DModel": _cosmos,
    "MochiTransformer3DModel": _mochi,
    "StableAudioDiTModel": _stable_audio,
}
