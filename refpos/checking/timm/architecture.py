"""What the architecture of a model of timm fixes of its rotation, which the model itself does not keep."""

import re

#: (architectures, the settings of their rotation) of models/eva.py in timm 1.0.31, the first that fits
ROTATIONS = (
    (r"dinov3", {"temperature": 100, "grid_indexing": "ij", "rotate_half": True, "normalize_coords": "separate"}),
    (r"_rope_mixed_", {"grid_indexing": "xy"}),
    (r"_rope_(ape_)?\d+$", {"temperature": 100, "grid_indexing": "xy", "rotate_half": False, "grid_offset": 0}),
    (r"^vit_pe_\w+_gigantic", {"temperature": 10000, "grid_indexing": "xy", "rotate_half": False, "grid_offset": 0}),
    (r"^vit_pe_", {"temperature": 10000, "grid_indexing": "xy", "rotate_half": False, "grid_offset": 1}),
    (r"^eva02_|_rope_reg\d_", {"temperature": 10000, "grid_indexing": "ij", "rotate_half": False, "grid_offset": 0}),
)


def name_of(model):
    """The name of the architecture of a model, or the name of its class where it has none."""
    known = getattr(model, "pretrained_cfg", None) or {}
    name = known.get("architecture") if isinstance(known, dict) else getattr(known, "architecture", None)
    return name or type(model).__name__


def rotation_of(name):
    """The settings of the rotation that an architecture fixes."""
    return next((settings for pattern, settings in ROTATIONS if re.search(pattern, name)), {})
