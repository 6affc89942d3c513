"""Which encodings a model type has beside rotations, or why it has none: one row for each type, read from package data.

The rows stand in encodings_5_23.json, sorted by model_type. A row names keys of a config.json, and `defaults` holds
their values where a file is silent, as the configuration class of that version has them.
"""

import functools
import json
from dataclasses import dataclass, field
from importlib import resources

DATA = resources.files(__package__) / "encodings_5_23.json"  # also of a package in a zip archive
WITHOUT = resources.files(__package__) / "without_5_23.json"
#: the reasons of the types whose layers keep the order of places, without attention and beside it
BY_ORDER = "whose positions are the order of its recurrence or convolutions alone"
WITH_BARE_ATTENTION = "whose attention sees no positions beside its recurrence or convolutions"


@dataclass(frozen=True, kw_only=True)
class EncodingRow:
    """A row.

    Each entry of encodings has a `kind`, which names the function of encoding_calls that reads the rest of it; `when`,
    {key: the values with which the entry is meant}; `part`, where that is neither text nor vision; and `note`.
    """

    model_type: str
    source: dict
    defaults: dict = field(default_factory=dict)  # {key: its value where a file has none}
    other_names: dict = field(default_factory=dict)  # {key: its other name}; a file may have either
    parts: dict = field(default_factory=dict)  # as in ModelDefaults, which may have some of them
    choices: dict = field(default_factory=dict)  # {key: the values it may have, null for any}; else true and false
    unread: dict = field(default_factory=dict)  # {key: why it decides nothing}
    encodings: tuple = ()

    @property
    def code(self):
        """Which code reads files of this type, in words."""
        if self.source["project"] == "transformers":
            return f"a class of transformers {self.source['version']}"
        return f"code beside its weights ({self.source['project']})"


@functools.cache
def rows():
    """{model_type: EncodingRow} of every type that has an encoding which is no rotation, or parts that may have one."""
    data = json.loads(DATA.read_text("utf-8"))
    return {name: _row(name, data["version"], **fields) for name, fields in data["types"].items()}


def _row(name, version, folder=None, file=None, project="transformers", **fields):
    folder = folder or name.replace("-", "_")
    version = version if project == "transformers" else "1"  # the code beside the weights has none
    source = {"project": project, "version": version, "file": file or f"models/{folder}/modeling_{folder}.py"}
    return EncodingRow(model_type=name, source=source, **fields)


@functools.cache
def without():
    """{why there is no encoding, a clause behind the name of a type: the types of transformers of which that is so}."""
    return json.loads(WITHOUT.read_text("utf-8"))["groups"]


@functools.cache
def reasons():
    """{model_type: why it has no encoding of its own}."""
    return {name: reason for reason, names in without().items() for name in names}
