"""open_clip_config.json, or the object model_cfg in it: the tables of the text and of the image tower."""

from dataclasses import replace

from ..encodings import encodings
from ..encodings.encoding_rows import EncodingRow
from ..keys import Keys

SOURCE = {"project": "open_clip", "version": "3.3.0", "file": "open_clip/transformer.py"}
TOWERS = ("text_cfg", "vision_cfg")
DEFAULTS = {
    "text_cfg": {"context_length": 77, "width": 512},
    "vision_cfg": {"image_size": 224, "patch_size": 16, "width": 768},
}
TABLES = {
    "text_cfg": {"kind": "learned", "tensor": "positional_embedding", "rows": "context_length", "dim": "width"},
    "vision_cfg": {
        "kind": "image_table", "tensor": "visual.positional_embedding", "image": "image_size", "patch": "patch_size",
        "dim": "width", "prefix": 1, "resize": "cubic-antialias",
    },
}  # fmt: skip
#: keys of a tower whose positions are those of another project's model
OTHERS = {"hf_model_name": "a model of transformers", "timm_model_name": "a model of timm"}


def is_file(values):
    """Whether a dict is such a file."""
    inner = values.get("model_cfg", values)
    return isinstance(inner, dict) and {"embed_dim", *TOWERS} <= inner.keys() and "model_type" not in values


def read(values, log, seq_len):
    """(type, no rotations, the tables, the towers that are left out)."""
    prefix = "model_cfg." if "model_cfg" in values else ""
    keys = Keys(values.get("model_cfg", values), prefix, log)
    tables, passed_over = [], {}
    for name in TOWERS:
        tower, part = keys.inner(name), name.removesuffix("_cfg")
        why = _why_not(tower)
        if why:
            passed_over[f"{prefix}{name}"] = f"{why}, not described"
            continue
        entry = dict(TABLES[name])
        if name == "text_cfg":
            if keys.flag("custom_text", "the name of the tensor of the text"):
                entry["tensor"] = f"text.{entry['tensor']}"
            entry["more_rows"] = int(tower.flag("embed_cls", "whether the table has a row more, for a class token"))
        row = EncodingRow(model_type="open_clip", source=SOURCE, defaults=DEFAULTS[name], encodings=(entry,))
        tables += (replace(table, part=part) for table in encodings.of_keys(tower, row))
    if "multimodal_cfg" in keys:
        passed_over[f"{prefix}multimodal_cfg"] = "a decoder of captions, not described"
    return "open_clip", {}, tuple(tables), passed_over


def _why_not(tower):
    """What a tower is whose table is not one of these, or None."""
    for name, what in OTHERS.items():
        if tower.peek(name):
            tower.take(name, "which model the tower is")
            return f"{what}, {tower.peek(name)!r}"
    if isinstance(tower.peek("layers"), list):
        tower.take("layers", "which model the tower is")
        return "a ResNet"
    if tower.peek("pos_embed_type", "learnable") != "learnable":
        return f"{tower.take('pos_embed_type', 'which table there is')!r} in place of a learned table"
    return None
