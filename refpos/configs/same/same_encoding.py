"""Do two configurations, of any two dialects, mean the same positions?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import checks
from ...errors import InputError, InputTypeError, shown
from ...guard import guarded
from ...types import Integer
from ..config import from_config
from ..decoding.by_length import VERY_LONG
from ..keys import MOST_LAYERS
from ..source import read_source
from ..submodels import ModelConfig
from . import layer_counts, lengths, other_encodings, rotary_differences
from .differences import Difference, SameEncoding, written
from .first_distance import first_distance
from .first_position import MOST, USUAL, first_position
from .layer_pairs import layer_pairs
from .overrides import overridden, without_effect
from .unread_keys import unread

__all__ = ["Difference", "SameEncoding", "same_encoding"]

Source = str | os.PathLike[str] | dict[str, Any]


class Reading(NamedTuple):
    """One of the two: its name, the content of the file, what it means, how it was read, and notes on its overrides."""

    label: str
    values: dict[str, Any]
    config: ModelConfig
    model_type: str | None
    notes: tuple[str, ...]

    def at(self, seq_len):
        """The parts for sequences of a length."""
        return from_config(self.values, seq_len=seq_len, model_type=self.model_type).parts


@guarded
def same_encoding(
    a: Source,
    b: Source,
    *,
    override: dict[str, Any] | None = None,
    override_a: dict[str, Any] | None = None,
    override_b: dict[str, Any] | None = None,
    part: str | None = None,
    layers: Sequence[Integer] | None = None,
    seq_len: Integer | None = None,
    model_type: str | None = None,
) -> SameEncoding:
    """Whether two model configurations mean the same encodings, part by part and layer by layer.

    Parameters
    ----------
    a, b : str, path or dict
        What `from_config` reads, each in any of its dialects.
    override : dict, optional
        {dotted key: value} that replaces values of both files, as servers are given it: {"rope_scaling.factor": 4}. An
        object replaces the whole object; None takes a key away.
    override_a, override_b : dict, optional
        The same for one of the files; it is applied after `override`.
    part : str, optional
        Compare only this part, such as text or vision.
    layers : sequence of int, optional
        Compare rotations only in these layers, counted from 0.
    seq_len : int, optional
        The length of the sequence, for scalings that depend on it (dynamic, longrope); without it every length at
        which one of the two changes is compared.
    model_type : str, optional
        Read both files as ones of this type.

    Returns
    -------
    SameEncoding
        `same`, `differences`, each with part, layers, both values and the first position that tells them apart, and
        `notes`; str() gives all of it in lines. Its truth value is `same`.

    Raises
    ------
    InputError
        What `from_config` raises, with the name of the file before the sentence; E_CHOICE for an unknown part and for
        overrides that are no dotted keys, E_SIZE and E_SHAPE (layers).

    Notes
    -----
    Two rotations are the same where all frequencies and the attention factor are equal as float64, and so are the
    rotary width, the pairing and the axes. Another spelling of the same numbers is the same. A length that changes no
    number is a note, and so is a number of layers. What one of the two has alone is a difference, and so is a key that
    is not read. Weights are not looked at: where a conversion permuted those of the queries and keys, the layout
    differs.

    References
    ----------
    Those of `from_config`.

    Examples
    --------
    >>> flat = {"model_type": "llama", "rope_theta": 500000.0}
    >>> nested = {"model_type": "llama", "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}
    >>> same_encoding(flat, nested).same
    True
    >>> print(same_encoding(flat, {"model_type": "llama"}))
    a and b: different encodings (text)
    text: base 500000 against 10000; first position whose cosines or sines differ by more than 0.001: 1
    """
    seq_len = None if seq_len is None else checks.integer("seq_len", seq_len, 1)
    chosen = _layers(layers)
    overrides = {"override": override, "override_a": override_a, "override_b": override_b}
    for name, value in overrides.items():
        if value is not None and not isinstance(value, dict):
            raise InputTypeError("E_CHOICE", name, f"{name} must be a dict of dotted keys, got {shown(value)}")
    first = _read(a, "a", {"override": override, "override_a": override_a}, seq_len, model_type)
    second = _read(b, "b", {"override": override, "override_b": override_b}, seq_len, model_type)
    names = _parts(first, second, part)
    layer_counts.check(chosen, (first, second), names)
    found, notes = [], []
    for name in names:
        found += _rotations(name, first, second, chosen, seq_len, notes)
        found += _others(name, first, second, notes)
    keys, more = unread(first, second, part)
    found += [Difference("keys", *one) for one in keys]
    notes += [*more, *first.notes, *second.notes]
    return SameEncoding(first.label, second.label, names, tuple(found), tuple(dict.fromkeys(notes)))


# -- reading ----------------------------------------------------------------------------------------------------------


def _read(source, label, overrides, seq_len, model_type):
    """The `Reading` of a source; an error says of which of the two it is."""
    is_path = isinstance(source, (str, os.PathLike))
    label = checks.file_path(label, source) if is_path else label
    try:
        values = read_source(source)
        for name, changes in overrides.items():
            values = overridden(values, changes or {}, name)
        config = from_config(values, seq_len=seq_len, model_type=model_type)
    except InputError as error:
        sentence = str(error) if is_path and str(error).startswith(label) else f"{label}: {error}"
        raise type(error)(error.code, error.argument, sentence) from None
    changes = {key: value for one in overrides.values() for key, value in (one or {}).items()}
    notes = tuple(f"{label}: the override {key} has no effect: {why}" for key, why in
                  without_effect(changes, config).items() if key.rpartition(".")[2] not in lengths.CONTEXT)  # fmt: skip
    return Reading(label, values, config, model_type, notes)


def _layers(layers):
    """The layers that were asked for, as a set; None for all."""
    if layers is None:
        return None
    found = [checks.integer("layers", one, 0, MOST_LAYERS) for one in checks.listed("layers", layers, "integers")]
    if not found:
        raise InputError("E_SHAPE", "layers", "layers must hold one layer or more, got none")
    return sorted({*found})


def _parts(a, b, part):
    """The names of the parts, or the one that was asked for."""
    known = [name for one in (a, b) for name in (*one.config.parts, *(e.part for e in one.config.encodings))]
    names = tuple(dict.fromkeys(known))
    return names if part is None else (checks.choice("part", part, names),)


# -- rotations --------------------------------------------------------------------------------------------------------


def _rotations(name, a, b, chosen, seq_len, notes):
    """The differences between the rotations of one part."""
    parts = [one.config.parts.get(name) for one in (a, b)]
    if None in parts:
        return _of_one_alone(name, parts)
    aligned = layer_pairs(*parts, chosen)
    if not aligned.pairs:
        count = max(len(one.layers) for one in parts)
        raise InputError("E_SIZE", "layers", f"layers must be below {count}, the layers of {name}, got {chosen[-1]}")
    below, found = _below(name, a, b, notes), dict.fromkeys(aligned.pairs, ())
    for length, state in _states(name, a, b, seq_len):
        for tables in [tables for tables, differs in found.items() if not differs]:
            found[tables] = _of_pair(name, aligned.pairs[tables], _rotaries(state, tables), below, length)
        if all(found.values()):
            break
    for tables in aligned.pairs:
        pair = _rotaries(parts, tables)
        for one, more in zip((a, b), ((), ()) if None in pair else rotary_differences.notes(*pair)):
            notes += [f"{one.label}, {name}: {note}" for note in more]
    differences = [one for differs in found.values() for one in differs]
    if any(one.what == rotary_differences.LAYOUT for one in differences):
        notes.append(f"{name}: {rotary_differences.LAYOUT}: {rotary_differences.PERMUTED}")
    return differences + _beyond(name, (a, b), aligned.beyond, notes)


def _rotaries(parts, tables):
    """The `Rotary` of each of the two, None where a layer has none."""
    return [part.rotaries.get(table) for part, table in zip(parts, tables)]


def _of_one_alone(name, parts):
    """The rotation of a part that one of the two has alone, if there is one."""
    values = [_described(None if one is None else next(iter(one.rotaries.values()), None)) for one in parts]
    return [] if values == [None, None] else [Difference(name, "rotation", *values)]


def _described(rotary):
    return None if rotary is None else rotary_differences.described(rotary)


def _of_pair(name, layers, pair, below, length):
    """The differences between two tables, or one table and none, in the layers in which they meet."""
    if None in pair:
        values = [_described(one) for one in pair]
        return [] if values == [None, None] else [Difference(name, "rotation", *values, layers)]
    found, where = rotary_differences.differences(*pair), {"layers": layers, "seq_len": length}
    if found and rotary_differences.tables_differ(*pair):
        below = min(below if length is None else max(below, length), MOST)
        where |= {"position": first_position(*pair, below), "below": below}
    return [Difference(name, *one, **where) for one in found]


def _below(name, a, b, notes):
    """The shorter length of the context; where the two differ, there is a note."""
    (key_a, length_a), (key_b, length_b) = (lengths.context(one.values, name) for one in (a, b))
    if None not in (length_a, length_b) and length_a != length_b:
        key = key_a if key_a == key_b else f"{key_a} and {key_b}"
        notes.append(f"{name}: {key} {written(length_a)} against {written(length_b)}")
    return int(min((one for one in (length_a, length_b) if one is not None), default=USUAL))


def _states(name, a, b, seq_len):
    """(length, the two parts) as they are read, then for the lengths at which their scaling changes, in order."""
    yield seq_len, [one.config.parts[name] for one in (a, b)]
    if seq_len is None and any(_depends_on_length(one, name) for one in (a, b)):
        known = set().union(*(lengths.thresholds(one.values, one.config.assumed) for one in (a, b)))
        for length in sorted(known):
            yield length, [one.at(length)[name] for one in (a, b)]


def _depends_on_length(one, name):
    before, after = one.config.parts[name].rotaries, one.at(VERY_LONG)[name].rotaries
    return any(rotary_differences.tables_differ(before[table], after[table]) for table in before)


def _beyond(name, models, beyond, notes):
    """The layers that one of the two has alone: a note, or a difference where they have a table of their own."""
    if beyond is None:
        return []
    longer, layers, new = beyond
    if not new:
        notes.append(f"{name}: {models[longer].label} has {len(layers)} layers more, of the same kinds")
        return []
    values = [", ".join(str(one or "none") for one in new) if k == longer else None for k in (0, 1)]
    return [Difference(name, "layers of another kind", *values, layers)]


# -- encodings that are no rotations ----------------------------------------------------------------------------------


def _others(name, a, b, notes):
    """The differences between tables, biases and sinusoids of one part."""
    found = []
    for pair in other_encodings.pairs(*([e for e in one.config.encodings if e.part == name] for one in (a, b))):
        if None in pair:
            place = next(one for one in pair if one is not None).place
            found.append(Difference(name, place, *(one and one.name for one in pair)))
            continue
        differs = other_encodings.differences(*pair)
        distance = first_distance(*pair) if differs and pair[0].name == pair[1].name else None
        found += [Difference(name, *one, distance=distance) for one in differs]
        for one, this, other in zip((a, b), pair, pair[::-1]):
            notes += [f"{one.label}, {name}: {note}" for note in this.notes if note not in other.notes]
    return found
