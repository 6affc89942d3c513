"""What pages are called, as a script for the search of the site: the names of `refpos find`, and its reading of words.
A Sphinx extension, which writes `search_names.js` beside the other static files."""

import json
from pathlib import Path

from refpos.cli.find import rows
from refpos.words import COMMON_FORM, FILLER, words

#: names of pages that are not those of functions
PAGES = {
    "testing": "pytest, pytest torch, pytest jax, unit test, torch test, jax test, tests of a library, continuous"
    " integration, CI, rotary test, rotary embedding test, pytest rotary, test rotary embedding",
    "conformance": "tolerance, atol, rtol, error bound, bf16, bfloat16, bf16 table, bf16 cosine, conformance class,"
    " float32-angle, float32-exp-angle, float64-angle, bfloat16-table, float16-table, rounded-table",
    "layouts": "permute, permuted, permutation, permuted channels, q k, checkpoint permuted, pairing, rotate half,"
    " interleaved, weights meta huggingface, permute q_proj, permute k_proj, q_proj, convert_llama_weights,"
    " convert_llama_weights permute",
    "configs": "config.json, rope_scaling, rope_parameters, params.json, config inv_freq, llama config",
}

#: {function: what it is looked up by, beside its names}
MORE = {
    "resize_table": "vit interpolate, vit interpolate 37x37, interpolate_pos_encoding",
    "sincos_2d": "MAE position embedding, MAE pos_embed, MAE sin-cos table",
    "qwen2_vl_positions": "M-RoPE image positions, mrope positions, M-RoPE position",
    "window_rows": "swin index, relative_position_index",
}


def names():
    """{page: the words of each of its names}, in the order of `refpos find`."""
    found = {}
    for row in rows():
        if row.kind == "function":
            found[f"functions/{row.name.rpartition('.')[2]}"] = row.also
    found |= {page: text.split(", ") for page, text in PAGES.items()}
    for name, text in MORE.items():
        found[f"functions/{name}"] = [*found[f"functions/{name}"], *text.split(", ")]
    return {page: [sorted(set(words(one))) for one in dict.fromkeys(called)] for page, called in found.items()}


def write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {"pages": names(), "common": COMMON_FORM, "filler": sorted(FILLER)}
    path.write_text(f"globalThis.refposNames = {json.dumps(held, separators=(',', ':'))};\n", "utf-8")


def on_search_page(app, page, template, context, doctree):
    if page == "search":
        app.add_js_file("search_names.js")


def setup(app):
    app.connect("builder-inited", lambda app: write(Path(app.outdir) / "_static" / "search_names.js"))
    app.connect("html-page-context", on_search_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
