"""The encodings of a model for decoding: whatever does not change from step to step is made once."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import NoneType
from typing import Any, Union

import numpy as np

from ... import checks
from ...errors import InputError, shown
from ...guard import guarded
from ...steps.waves.grids import PositionsOfAxes
from ...types import Array, ArrayLike, DType, Integer
from ..config import from_config
from ..keys import MOST_LAYERS
from ..source import read_source
from ..submodels import ModelConfig, only
from .bias_call import bias_call, is_bias
from .by_length import ByLength, depends_on_length
from .rotary_step import RotaryStep, rotary_step

__all__ = ["Layer", "Plan", "plan"]

Layer = Union[Integer, str]


@dataclass(frozen=True, eq=False)
class Plan:
    """The encodings of a model, each made once: what `plan` returns.

    Attributes
    ----------
    model : ModelConfig
        What `from_config` returns.
    """

    model: ModelConfig
    _source: tuple[dict[str, Any], str | None] = field(repr=False)
    _steps: dict[tuple[str, str], Callable[[int | None], RotaryStep]] = field(repr=False)
    _biases: dict[str, tuple[Callable[..., Array], bool]] = field(repr=False)
    _found: dict[tuple[str | None, Layer | None], Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """The call that makes it again."""
        values, model_type = self._source
        return partial(plan, values, model_type=model_type), ()

    def rotate(
        self,
        q: ArrayLike,
        k: ArrayLike,
        positions: PositionsOfAxes,
        layer: Layer | None = None,
        *,
        part: str | None = None,
        seq_len: Integer | None = None,
        seq_axis: Integer = -2,
        dtype: DType | None = None,
        threads: Integer | None = None,
    ) -> tuple[Array, Array]:
        """(q, k) of a layer, each as `Rotary.rotate` returns it; in a layer without a rotation arrays as they are.

        layer: its number, counted from 0, or its type; it may be left out where all layers are alike. seq_len: the
        length of the sequence, which must be given where the scaling depends on it. part: as in `ModelConfig.rotary`;
        seq_axis, dtype and threads: as in `rope`.
        """
        step = self._step(part, layer, seq_len)
        if step is None:
            return _array(q), _array(k)
        rotate = step.rotate
        return rotate(q, positions, seq_axis, dtype, threads), rotate(k, positions, seq_axis, dtype, threads)

    def table(
        self,
        positions: PositionsOfAxes,
        layer: Layer | None = None,
        *,
        part: str | None = None,
        seq_len: Integer | None = None,
        **options: Any,
    ) -> tuple[Array, Array]:
        """(cos, sin) of a layer, as `Rotary.table` returns them; options: dtype, out, threads; the others as in
        `rotate`."""
        step = self._step(part, layer, seq_len)
        if step is None:
            raise InputError("E_MISSING", "layer", f"layer must be one with a rotation, got {shown(layer)}")
        return step.rotary.table(positions, **options)

    def bias(
        self,
        query_len: Integer,
        key_len: Integer,
        *,
        weight: ArrayLike | None = None,
        part: str | None = None,
        **options: Any,
    ) -> Array:
        """The bias of the scores, as the call of its `Encoding` gives it: of `alibi` one row for all queries.

        weight: the learned numbers, where there are any; part: as in `ModelConfig.encoding`; options: those of the
        function, such as query_offset, dtype, out, view and threads.
        """
        if not self._biases:
            sentence = f"model_type must be one with a bias of lengths alone, got {self.model.model_type}"
            raise InputError("E_MISSING", "model_type", sentence)
        call, has_weight = only("part", part, self._biases)
        if weight is not None and not has_weight:
            raise InputError("E_CHOICE", "weight", f"weight must be None without learned numbers, got {shown(weight)}")
        checks.integer("query_len", query_len)
        return call({"weight": weight, "query_len": query_len, "key_len": key_len}, options)

    def _step(self, part, layer, seq_len):
        """The `RotaryStep` of a layer at a length; None where it has no rotation."""
        seq_len = None if seq_len is None else checks.integer("seq_len", seq_len, 1)
        if type(part) not in (str, NoneType) or type(layer) not in (int, str, NoneType):
            at_length = self._find(part, layer)
        elif (part, layer) in self._found:
            at_length = self._found[part, layer]
        else:
            at_length = self._found[part, layer] = self._find(part, layer)
        return at_length and at_length(seq_len)

    def _find(self, part, layer):
        """What gives the `RotaryStep` of a layer at a length; None where it has no rotation."""
        found = self.model.part(part)
        name = next(name for name, one in self.model.parts.items() if one is found)
        layer_type = _type_of_layer(found, layer)
        return None if layer_type is None else self._steps[name, layer_type]


guarded(Plan, quiet=False)  # what computes says so itself


def _array(x):
    return x if type(x) is np.ndarray else checks.array("x", x)


def _type_of_layer(part, layer):
    """The type of a layer, which has a rotation of its own; None for a layer without one."""
    if isinstance(layer, str):
        return checks.choice("layer", layer, tuple(part.rotaries))
    kinds = part.layers or tuple(part.rotaries)
    number = 0 if layer is None else checks.integer("layer", layer, 0, len(part.layers or range(MOST_LAYERS)) - 1)
    if len({*kinds}) > 1 and (layer is None or not part.layers):
        known = ("a number or " if part.layers else "") + f"one of {', '.join(part.rotaries)}"
        raise InputError("E_MISSING", "layer", f"layer must be {known}, got {shown(layer)}")
    return part.layers[number] if part.layers else kinds[0]


@guarded
def plan(source: str | os.PathLike[str] | dict[str, Any], *, model_type: str | None = None) -> Plan:
    """The encodings of a model configuration for decoding: what does not change from step to step is made once.

    Parameters
    ----------
    source : str, path or dict
        What `from_config` reads, in any of its dialects.
    model_type : str, optional
        Read a file as one of this type, for types that are not known here.

    Returns
    -------
    Plan
        `Plan`: `rotate(q, k, positions, layer)` rotates queries and keys, `table(positions, layer)` gives cosines and
        sines, `bias(query_len, key_len)` the bias of the scores; `model` is what `from_config` returns.

    Raises
    ------
    InputError
        What `from_config` raises; E_MISSING, E_CHOICE and E_SIZE of a step for a part or a layer that the model does
        not have, and for a length that is not given although the scaling depends on it (seq_len).

    Notes
    -----
    The bits and errors are those of `Rotary.rotate`, `Rotary.table` and the call of an `Encoding`. A scaling that
    depends on the length of the sequence (dynamic, longrope) is read again where it changes.

    References
    ----------
    Those of `from_config`.

    Examples
    --------
    >>> import numpy as np
    >>> decoding = plan({"model_type": "smollm3", "head_dim": 4, "rope_theta": 100.0})
    >>> q, k = np.ones((2, 1, 4), np.float32), np.ones((1, 1, 4), np.float32)
    >>> decoding.rotate(q, k, [7], 0)[1]
    array([[[0.09691565, 0.1206245 , 1.4108889 , 1.4090599 ]]], dtype=float32)
    >>> decoding.rotate(q, k, [7], 3)[1] is k  # every fourth layer has no rotation
    True
    """
    values = read_source(source)
    read = lru_cache(maxsize=4)(lambda length: from_config(values, seq_len=length, model_type=model_type))
    model = read(None)
    names = [(part, kind) for part, one in model.parts.items() for kind in one.rotaries]
    steps = {name: _by_length(partial(_step_of, read, *name)) for name in names}
    biases = {one.part: (bias_call(one), "weight" in one.inputs) for one in model.encodings if is_bias(one)}
    return Plan(model, (values, model_type), steps, biases)


def _step_of(read, part, kind, length):
    """The `RotaryStep` of a layer type at a length, or of a new model."""
    return rotary_step(read(length).parts[part].rotaries[kind])


def _by_length(read):
    """The function of a length, or of None, that gives what is read at it."""
    if not depends_on_length(read):
        step = read(None)
        return lambda length: step
    lengths = ByLength(read)

    def at(length):
        if length is None:
            sentence = "seq_len must be given where the scaling depends on it, got None"
            raise InputError("E_MISSING", "seq_len", sentence)
        return lengths.at(length)

    return at
