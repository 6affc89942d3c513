"""Parts of composite configurations that name no type, or that of the model around them, as Qwen3-VL was published.

The classes of transformers say which class such an object becomes: all of them that hold others are built.
"""

import dataclasses

import pytest
import transformers
from transformers import CONFIG_MAPPING

from refpos import InputError, from_config
from refpos.configs import model_defaults
from refpos.configs.encodings import encoding_rows
from refpos.configs.model_types import types_of_parts

transformers.logging.set_verbosity_error()

KNOWN = {*encoding_rows.rows(), *model_defaults.rows()}
COMPOSITE = sorted(kind for kind in CONFIG_MAPPING if CONFIG_MAPPING[kind].sub_configs)


def made_of(kind, key, values):
    """The model_type of the class that an object of a file becomes; None where the class of the model refuses it."""
    try:
        found = getattr(CONFIG_MAPPING[kind](**{key: dict(values)}), key)
    except Exception:  # in whatever way
        return None
    return getattr(type(found), "model_type", None)


def encodings(kind, key, values):
    """What a file says of one part."""
    path = key.removesuffix("_config")
    try:
        model = from_config({"model_type": kind, key: values})
    except InputError as error:
        return error.code
    rotaries = {
        (name, label): (one.parameters, one.rotary_dim, one.pairing)
        for name, part in model.parts.items()
        for label, one in part.rotaries.items()
        if f"{name}.".startswith(f"{path}.")
    }
    # the note on the type is not about positions
    others = [dataclasses.replace(one, notes=()) for one in model.encodings if f"{one.part}.".startswith(f"{path}.")]
    return rotaries, others


def readings(kind):
    """(key, the object, the type it becomes) of every part of a class whose type is known."""
    for key in CONFIG_MAPPING[kind].sub_configs:
        for values in ({}, {"model_type": kind}):
            own = made_of(kind, key, values)
            if own in KNOWN and own != kind:
                yield key, values, own


def test_parts_without_a_type_of_their_own_have_their_encodings():
    wrong, count = [], 0
    for kind in COMPOSITE:
        for key, values, own in readings(kind):
            count += 1
            if encodings(kind, key, values) != encodings(kind, key, {"model_type": own}):
                wrong.append((kind, key, values, own))
    assert not wrong, wrong
    assert count > 400 and len(COMPOSITE) > 200


@pytest.mark.parametrize("kind", COMPOSITE)
def test_the_rows_name_the_types_of_the_classes(kind):
    """Where both tables have a key, they say the same type."""
    tables = [known[kind].parts for known in (encoding_rows.rows(), model_defaults.rows()) if kind in known]
    for key in {key for parts in tables for key in parts}:
        assert {parts[key] for parts in tables if key in parts} == {types_of_parts(kind)[key]}, key
