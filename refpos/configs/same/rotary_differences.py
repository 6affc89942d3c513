"""What differs between two rotations, in the words of their configurations."""

import numpy as np

from ..rotary.notes import BARE_LAYERS

#: parameters by other names than those of the files
NAMES = {"rope_type": "scaling", "rope_theta": "base"}
#: parameters whose effect is compared by itself
COMPARED_OTHERWISE = ("partial_rotary_factor", "attention_factor", "mrope_section")
LAYOUT = "layout of q and k"
PERMUTED = (
    "the same rotation in two layouts, where the rows of the q and k weights were permuted, as in conversions of the"
    " files of Meta, and to GGUF: see refpos.conversion"
)
#: notes on what multiplies the scores beside the table; they hold the values that decide it
SCALES = ("the softmax scale ", "queries are multiplied ", BARE_LAYERS)


def differences(a, b):
    """(what, value of a, value of b) of two `Rotary`, those that change a number or the layout of the channels."""
    fields = [
        ("head_dim", a.head_dim, b.head_dim),
        ("rotary_dim", _width(a), _width(b)),
        (LAYOUT, _pairing(a), _pairing(b)),
        ("direction", _direction(a), _direction(b)),
        ("axes", _axes(a), _axes(b)),
    ]
    found = [one for one in fields if one[1] != one[2]]
    if not np.array_equal(a.inv_freq, b.inv_freq):
        found += _of_frequencies(a, b, "rotary_dim" in [name for name, *_ in found])
    if a.attention_factor != b.attention_factor:
        found.append(("attention_factor", a.attention_factor, b.attention_factor))
    return found + _of_scales(a, b)


def tables_differ(a, b):
    """Whether cosines and sines differ, where every axis has the same position."""
    return (
        not np.array_equal(a.inv_freq, b.inv_freq) or a.attention_factor != b.attention_factor or a.inverse != b.inverse
    )


def described(rotary):
    """A rotation that the other model does not have."""
    return f"{rotary.rotary_dim} of {rotary.head_dim} channels"


def notes(a, b):
    """(a's, b's) notes that the other has not, with what the order of the rotated channels changes."""
    return tuple(
        [note for note in one.notes if note not in other.notes and not note.startswith(SCALES)]
        + (["the rotated channels of q and k are stored deinterleaved, which changes no score"]
           if one.deinterleaved and not other.deinterleaved else [])
        for one, other in ((a, b), (b, a))
    )  # fmt: skip


def _width(rotary):
    if rotary.rotary_dim == rotary.head_dim:
        return rotary.rotary_dim
    return f"{rotary.rotary_dim} ({rotary.placement} of {rotary.head_dim})"


def _pairing(rotary):
    return rotary.pairing + (f" in each of {rotary.blocks} blocks" if rotary.blocks > 1 else "")


def _direction(rotary):
    return "by -p" if rotary.inverse else "by p"


def _axes(rotary):
    axes = rotary.frequencies.axes
    return None if axes is None else list(axes)


def _of_frequencies(a, b, is_of_the_width):
    """The parameters that differ, or where none does the first frequency that differs."""
    found = [(NAMES.get(name, name), *values) for name, values in _parameters(a, b) if values[0] != values[1]]
    if not found and not is_of_the_width:
        pairs = min(len(a.inv_freq), len(b.inv_freq))
        k = int((a.inv_freq[:pairs] != b.inv_freq[:pairs]).argmax())
        found.append((f"inv_freq[{k}]", float(a.inv_freq[k]), float(b.inv_freq[k])))
    return found


def _parameters(a, b):
    """(name, values of both) of the parameters of two scalings; those of one dialect alone are left out."""
    one_dialect = a.source.get("project") == b.source.get("project")
    names = dict.fromkeys([*NAMES, *a.parameters, *b.parameters])
    for name in names:
        if name in COMPARED_OTHERWISE or not (name in a.parameters or name in b.parameters):
            continue
        if one_dialect or (name in a.parameters and name in b.parameters):
            yield _short(name, a.parameters.get(name), b.parameters.get(name))


def _short(name, a, b):
    """(name, values), of two lists the first numbers that differ."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        k = next((k for k, (one, other) in enumerate(zip(a, b)) if one != other), None)
        return (name, (None, None)) if k is None else (f"{name}[{k}]", (a[k], b[k]))
    return name, tuple(f"{len(one)} numbers" if isinstance(one, (list, tuple)) else one for one in (a, b))


def _of_scales(a, b):
    """What multiplies the scores beside the table; of two dialects the softmax factor alone, where both have one."""
    if a.source.get("project") != b.source.get("project"):
        factors = a.softmax_factor, b.softmax_factor
        return [] if 1 in factors or factors[0] == factors[1] else [("softmax_factor", *factors)]
    scales_a, scales_b = _scales(a), _scales(b)
    return [] if scales_a == scales_b else [("scale of the scores", scales_a or None, scales_b or None)]


def _scales(rotary):
    return "; ".join(note for note in rotary.notes if note.startswith(SCALES))
