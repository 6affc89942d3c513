"""Factors of the frequencies that a GGUF file holds as tensors: those of Llama 3, and the two sets of LongRoPE."""

import os
from dataclasses import replace
from fractions import Fraction

from ... import checks
from ...arithmetic import reals
from ...errors import FileError, InputError, shown
from ...steps.angles.frequencies import scaled
from ...tensor_files.gguf_files import read_gguf

FREQS, LONG, SHORT = "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"
TENSORS = frozenset((FREQS, LONG, SHORT))
MOST_FILES = 1000  # of a split model
UNKNOWN = f"frequencies are divided by the tensor {FREQS} as well, if the file holds one (Llama 3)"
CHANGES = f"with a context up to it {SHORT} divides the frequencies, beyond it {LONG}"
BY_CONTEXT = f"with a context (seq_len) beyond %d tokens llama.cpp takes {LONG}, however long the sequence is"


def of_file(path, metadata, tensors):
    """The keys of a file with the numbers of these tensors; None for one that the file does not hold. Without them,
    where another file of a split model that does not lie beside it may hold them."""
    if not isinstance(metadata.get("general.architecture"), str):
        sentence = "source must hold general.architecture, as the first file of a split model does, got none"
        raise FileError("E_FILE", "source", sentence)
    if not tensors and _is_split(metadata):
        others = _other_files(path, metadata)
        if others is None:
            return metadata
        tensors = {name: one for other in others for name, one in read_gguf(other, TENSORS)[1].items()}
    return {**metadata, **{name: tensors[name].values.tolist() if name in tensors else None for name in TENSORS}}


def _is_split(metadata):
    """Whether tensors of a model may be in other files."""
    count = metadata.get("split.count")
    return type(count) is int and count > 1


def _other_files(path, metadata):
    """The paths of the other files of a split model, None where not all of them lie beside the first."""
    stem, found, _ = path.rpartition("-00001-of-")
    count = metadata["split.count"]
    if not found or count > MOST_FILES:
        return None
    others = [f"{stem}-{number:05}-of-{count:05}.gguf" for number in range(2, count + 1)]
    return others if all(map(os.path.isfile, others)) else None


def divided(rotary, row, values, keys, seq_len):
    """The `Rotary` with its frequencies over the factors of the file; keys: those of the architecture."""
    if not row.has_factors:
        for name in TENSORS:
            if values.get(name) is not None:
                keys.log.ignored[name] = "the graph of this architecture does not read it"
        return rotary
    if not any(name in values for name in TENSORS):
        return replace(rotary, notes=(*rotary.notes, UNKNOWN))
    name, note = _chosen(values, keys, seq_len)
    if name is None:
        return rotary
    factors = _read(name, values[name], len(rotary.frequencies))
    keys.log.used[name] = "divides the frequencies"
    frequencies = scaled(rotary.frequencies, tuple(reals.rational(1 / factor) for factor in factors))
    parameters = {**rotary.parameters, name: values[name]}
    return replace(rotary, frequencies=frequencies, notes=(*rotary.notes, *note), parameters=parameters)


def _chosen(values, keys, seq_len):
    """The tensor that divides the frequencies, and what to say of it."""
    if values.get(FREQS) is not None:
        return FREQS, ()
    if values.get(LONG) is None and values.get(SHORT) is None:
        return None, ()
    trained = keys.integer("rope.scaling.original_context_length", CHANGES)
    if trained is None:
        trained = keys.need("context_length", CHANGES)
    name, other = (LONG, SHORT) if seq_len is not None and seq_len > trained else (SHORT, LONG)
    if values.get(name) is None:
        raise InputError("E_MISSING", name, f"source must hold {name} where it holds {other}, got none")
    keys.log.ignored[other] = f"for a context {'up to' if name == LONG else 'beyond'} {trained} tokens"
    return name, () if seq_len is not None else (BY_CONTEXT % trained,)


def _read(name, factors, count):
    """The factors as fractions."""
    numbers = [checks.positive(name, factor) for factor in checks.numbers(name, factors)]
    if len(numbers) != count:
        sentence = f"{name} must have a factor for each of the {count} frequencies, got {shown(len(numbers))}"
        raise InputError("E_SHAPE", name, sentence)
    return [Fraction(number) for number in numbers]
