"""How many channels a head has, and how many of them are rotated."""

from ... import checks
from ...errors import InputError, shown
from ..keys import WIDEST, Keys
from . import rope_types


def of_a_head(row, keys, layer_type, parameters, rope_type):
    """(channels of a head, channels that the frequencies are made for); parameters: Keys, keys: those around them."""
    head, rotated = _head_widths(row, keys, layer_type)
    width = rotary_width(row, parameters, rope_type, rotated, head)
    check_width(row, parameters, width, rotated)
    return head, width


def _head_widths(row, keys, layer_type):
    """(channels of a head, channels that are rotated without a partial_rotary_factor)."""
    if row.is_latent:
        return _latent_widths(row, keys, layer_type)
    if row.rotary_dim is not None:
        head, width = head_dim(row, keys), keys.width("rotary_dim", "the rotary part of a head", row.rotary_dim)
        if width > head:
            sentence = f"{keys.path('rotary_dim')} must be at most the width of a head, {head}, got {width}"
            raise InputError("E_ROTARY_DIM", "rotary_dim", sentence)
        return head, width
    if row.model_type == "clvp_encoder":
        heads = keys.integer("num_attention_heads", "divides projection_dim", row.num_attention_heads)
        width = keys.width("projection_dim", "the rotary part is projection_dim / (2 num_attention_heads), or 32", 768)
        return head_dim(row, keys), max(width // (2 * heads), 32)
    head = _of_layers(keys, "head_dim", layer_type)
    if head is None and row.global_head_dim is not None and layer_type == "full_attention":
        head = keys.width("global_head_dim", "the width of a head of full attention", row.global_head_dim)
    head = head or head_dim(row, keys)
    return head, head


def head_dim(row, keys):
    """head_dim of the file or of the class, or hidden_size / num_attention_heads."""
    has_default = row.head_dim is not None or row.model_type == "zamba2"
    is_null = has_default and {"head_dim", row.other_names.get("head_dim")} & keys.nulls
    if is_null and not (row.reads_null_head_dim or row.is_custom):
        raise _null(row, keys, "head_dim")
    if row.ignores_head_dim:
        keys.ignore("head_dim", "this class sets it to hidden_size / num_attention_heads")
    elif "head_dim" in keys or (row.head_dim is not None and not is_null):
        return keys.width("head_dim", "the width of a head", row.head_dim)
    return _share_of_hidden_size(row, keys)


def _share_of_hidden_size(row, keys):
    """hidden_size / num_attention_heads."""
    size = keys.integer("hidden_size", "divided by num_attention_heads it is the width of a head", row.hidden_size)
    heads = keys.integer("num_attention_heads", "divides hidden_size", row.num_attention_heads)
    twice = 2 if row.model_type == "zamba2" else 1
    if not 1 <= twice * size // heads <= WIDEST:
        sentence = f"hidden_size / num_attention_heads must be from 1 to {WIDEST}, got {size} / {heads}"
        raise InputError("E_SIZE", "num_attention_heads", sentence)
    return twice * size // heads


def _null(row, keys, name):
    """The error of null for a width which the class takes for no number."""
    return InputError("E_NUMBER", name, f"{keys.prefix}{name} of {row.model_type} must be a number, got None")


def _latent_widths(row, keys, layer_type):
    """(nope + rope, rope) of a head [nope | rope]."""
    for name in () if row.is_custom else ("qk_nope_head_dim", "qk_rope_head_dim"):
        if name in keys.nulls:
            raise _null(row, keys, name)
    is_dots3 = row.model_type == "dots3_note_text"
    if is_dots3 and layer_type == "sliding_attention" and "per_layer_config" not in keys:
        return keys.width("swa_head_dim", "a head of sliding attention", 256), row.qk_rope_head_dim
    nope = _of_layers(keys, "qk_nope_head_dim", layer_type)
    nope = nope or keys.integer("qk_nope_head_dim", "not rotated", row.qk_nope_head_dim, 0, WIDEST)
    rope = keys.width("qk_rope_head_dim", "the rotary part of a head", row.qk_rope_head_dim)
    if row.ignores_head_dim:
        if row.head_dim is not None and "head_dim" in keys.nulls:  # of others the class takes null
            raise _null(row, keys, "head_dim")
        keys.ignore("head_dim", "the width of the rotary part is qk_rope_head_dim")
    elif "head_dim" in keys.nulls and not row.is_custom:
        _check_null_of_latent(row, keys, rope)
    elif "head_dim" in keys or row.model_type == "longcat_flash":  # the table, which has to fit the rotary part
        expected = nope + rope if row.head_dim_is_of_head else rope
        head = keys.width("head_dim", "the width of the table", row.head_dim)
        if head != expected and not is_dots3:
            raise InputError("E_ROTARY_DIM", "head_dim", f"{keys.path('head_dim')} must be {expected}, got {head}")
    return nope + rope, rope


def _check_null_of_latent(row, keys, rope):
    """Refuse head_dim null, unless the table that the class makes then fits the rotary part."""
    if not row.reads_null_head_dim:
        raise _null(row, keys, "head_dim")
    width = _share_of_hidden_size(row, keys)
    if width != rope:
        sentence = f"hidden_size / num_attention_heads, which head_dim null means, must be {rope}, got {width}"
        raise InputError("E_ROTARY_DIM", "head_dim", sentence)


def _of_layers(keys, name, layer_type):
    """The value of a key in per_layer_config at the layers of one type, or None."""
    widths = set()
    types = keys.names("layer_types", default=())
    for i, values in keys.dictionary("per_layer_config").items():
        if not str(i).isdecimal() or len(str(i)) > 9:
            sentence = f"the keys of per_layer_config must be numbers of layers, got {shown(i)}"
            raise InputError("E_SIZE", "per_layer_config", sentence)
        i = int(i)
        if i < len(types) and types[i] == layer_type and isinstance(values, dict) and name in values:
            widths.add(Keys(values, f"{keys.prefix}per_layer_config.{i}.").width(name, "of these layers"))
    widths.discard(None)
    if not widths:
        return None
    if len(widths) > 1:
        sentence = f"per_layer_config must give the layers of {layer_type} one {name}, got {sorted(widths)}"
        raise InputError("E_CHOICE", "per_layer_config", sentence)
    keys.take("per_layer_config", f"{name} of the layers of some types")
    return widths.pop()


# -- the rotary part --------------------------------------------------------------------------------------------------


def rotary_width(row, parameters, rope_type, width, head=None):
    """How many of `width` channels the frequencies are made for; the table of an odd number has one channel more.

    head: the channels of the head of which they are a part.
    """
    name = "partial_rotary_factor"
    if "rotary_dim" in parameters:
        return parameters.width("rotary_dim", "the width of the rotary part")
    if rope_type == "proportional":
        if row.head_dim_is_of_head:
            raise InputError("E_CHOICE", "rope_type", f"rope_type of {row.model_type} must not be proportional, got it")
        return width
    if row.model_type == "mistral4":
        return _width_of_mistral4(parameters, rope_type, width, head)
    default_is_unread = rope_type == "default" and row.partial_rotary_factor is None
    if default_is_unread or (rope_types.is_by_alpha(row, parameters, rope_type)):
        parameters.ignore(name, "the frequencies of this model do not read it without a scaling")
        return width
    if row.head_dim_is_of_head:
        parameters.take(name, "the rotary part of a head")
        return width
    if row.is_latent:
        share = parameters.number(name, "the part of qk_rope_head_dim that the table is for")
    else:
        default = row.partial_rotary_factor if rope_type == "default" else row.partial_rotary_factor_of_scalings
        share = parameters.number(name, "the part of a head that is rotated", default)
    return width if share is None and name not in parameters.nulls else _cut(parameters, share, width)


def _cut(parameters, share, width):
    """A share of a width, cut to an integer and not rounded, as models do."""
    name = "partial_rotary_factor"
    if name in parameters.nulls:
        raise InputError("E_NUMBER", name, f"{parameters.prefix}{name} must be a number, got None")
    if checks.positive(name, share) > WIDEST:
        raise InputError("E_ROTARY_DIM", name, f"{name} must be at most {WIDEST}, got {shown(share)}")
    return int(width * float(share))


def _width_of_mistral4(parameters, rope_type, rope, head):
    """The width of a table whose share is that of the whole head, rope of head channels where the class sets it."""
    name = "partial_rotary_factor"
    if rope_type == "default":
        parameters.ignore(name, "the frequencies of this model do not read it without a scaling")
        return head
    is_scaling = parameters.prefix.endswith("rope_scaling.")  # the class sets the share in rope_parameters alone
    if name not in parameters and is_scaling:
        sentence = f"{parameters.prefix}{name} must be given with this spelling, got none: its table is that of a head"
        raise InputError("E_ROTARY_DIM", name, sentence)
    share = rope / head
    if is_scaling or parameters.path(name) == parameters.prefix + name:
        share = parameters.number(name, "the part of a head that the table is for", share)
    else:
        parameters.ignore(name, "the class sets it to qk_rope_head_dim / (qk_nope_head_dim + qk_rope_head_dim)")
    return _cut(parameters, share, head)


def check_width(row, parameters, width, rotated, dim=None):
    """Whether the code of the model can rotate that many of `rotated` channels; parameters: Keys with the one that gave
    the width; dim: columns of the table."""
    name = "rotary_dim" if "rotary_dim" in parameters else "partial_rotary_factor"
    dim = width + width % 2 if dim is None else dim
    if row.rotates_part == "no" and rotated % 2 and width == rotated:
        raise InputError("E_ODD_DIM", "head_dim", f"head_dim of {row.model_type} must be even, got {rotated}")
    if row.rotates_part == "even" and width % 2:
        raise InputError("E_ODD_DIM", name, f"the rotary width of {row.model_type} must be even, got {width}")
    if dim > rotated or (dim < rotated and row.rotates_part == "no"):
        limit = f"that of the rotated vector, {rotated}" if row.rotates_part == "no" else f"at most {rotated}"
        given = f", of {parameters.path(name)} {shown(parameters.peek(name))}" if name in parameters else ""
        sentence = f"the width of the table of {row.model_type} must be {limit}, got {dim}{given}"
        raise InputError("E_ROTARY_DIM", name, sentence)


def width_of_share(keys, name, head, default=None):
    """How many channels of a head are rotated, by a key that holds their share."""
    share = checks.positive(name, keys.number(name, "the part of a head that is rotated", default))
    if share > 1:
        raise InputError("E_ROTARY_DIM", name, f"{keys.path(name)} must be at most 1, got {shown(share)}")
    width = int(head * float(share))  # cut and not rounded, as models do
    if width < 2:
        raise InputError("E_ROTARY_DIM", name, f"the rotary width must be at least 2, got {width}")
    if width % 2:
        raise InputError("E_ODD_DIM", name, f"the rotary width must be even, got {width}")
    return width
