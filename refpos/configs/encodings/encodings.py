"""Every encoding of a configuration that is no rotation, part by part."""

from ...errors import InputError, shown
from ..keys import Keys, part_name
from . import encoding_calls
from .encoding import Encoding
from .encoding_rows import rows
from .row_values import Values

#: the end of the name of a table that BERT and its kin add to the tokens
ADDED = "embeddings.position_embeddings.weight"
#: the part that a kind of entry belongs to, where neither it nor the file names one
PARTS = {"image_table": "vision", "sincos_2d": "vision", "masked_sine_2d": "vision", "learned_axes": "vision",
         "window_bias": "vision", "log_coordinates": "vision", "decomposed_scores": "vision",
         "video_sinusoidal": "vision", "tile_table": "vision"}  # fmt: skip


def of_objects(objects, log):
    """The encodings of each `ModelObject` of a file."""
    for one in objects:
        row = rows().get(one.model_type)
        if row is not None:
            yield from of_keys(Keys(one.values, one.prefix, log, row.other_names), row)


def of_keys(keys, row):
    """The encodings of one part, by its row."""
    values = Values(keys, row)
    meant = [entry for entry in row.encodings if _is_meant(entry, values)]
    if meant and keys.has_no_note("model_type"):
        keys.take("model_type", f"read as {row.model_type}, {row.code}")
    for name, why in row.unread.items():
        inner_keys, inner = values.at(name)
        inner_keys.ignore(inner, why)
    _check_table(values, meant)
    for entry in meant:
        fields = encoding_calls.KINDS[entry["kind"]](entry, values)
        if fields is None:
            continue
        fields = {"place": entry.get("place", "embeddings"), **fields}
        notes = (*fields.pop("notes", ()), *([entry["note"]] if "note" in entry else []))
        weights = {**_weights(entry), **fields.pop("weights", {})}
        yield Encoding(_part(entry, keys.prefix), source=row.source, notes=notes, weights=weights, **fields)


def _weights(entry):
    """What an entry says of its tensor; of what is listed for each stage the shape is that of the first."""
    stages = {"held_by": "stage"} if "stages" in entry or "dims" in entry else {}
    return stages | {name: entry[name] for name in ("held_by", "stored_as", "transposed") if name in entry}


def _check_table(values, meant):
    """Refuse a BERT with relative keys, which transformers 4 computed and 5 reads as one with an added table."""
    keys, name = values.keys, "position_embedding_type"
    if name in keys and keys.has_no_note(name) and any(entry.get("tensor", "").endswith(ADDED) for entry in meant):
        found = keys.take(name, "which encoding there is")
        if found != "absolute":
            sentence = f"{keys.path(name)} must be 'absolute', got {shown(found)}: {_described(found)}"
            raise InputError("E_CHOICE", name, sentence)


def _described(kind):
    """Where refpos has what code beside the weights, or transformers 4, computes in place of a table."""
    where = {"rotary": "see rope", "alibi": "see alibi"}
    if isinstance(kind, str) and kind in where:
        return f"code beside the weights reads it; {where[kind]}"
    return "of relative keys see relative_scores"


def _is_encoder_alone(keys):
    """Whether the file is that of an encoder whose type has a decoder too, such as T5EncoderModel in a pipeline."""
    classes = keys.peek("architectures")
    is_list = isinstance(classes, (list, tuple)) and len(classes) > 0
    return is_list and all(isinstance(one, str) and one.endswith("EncoderModel") for one in classes)


def _is_meant(entry, values):
    """Whether the keys of the file choose an entry."""
    if entry.get("part") == "decoder" and _is_encoder_alone(values.keys):
        values.keys.take("architectures", "an encoder without its decoder")
        return False
    return all(values.choice(name) in wanted for name, wanted in entry.get("when", {}).items())


def _part(entry, prefix):
    """The name of the part: the path of its object, and what the entry adds to it."""
    path, own = part_name(prefix), entry.get("part") or PARTS.get(entry["kind"], "text")
    if path and own in ("text", "vision"):
        return path
    first, *rest = own.split(".")
    if first in ("vision", "audio") and path.split(".")[-1] == first:  # no "vision.vision.windows"
        return ".".join([path, *rest])
    return f"{path}.{own}".strip(".")
