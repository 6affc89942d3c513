"""`refpos config`: which encodings a model's configuration means."""

from dataclasses import asdict

from .. import checks
from ..configs.same.differences import runs
from ..errors import InputError
from ..public import dotted
from . import config_pair, screen

TENSORS = ("tensor", "tensors", "shape")  # which the inputs name


def config(options):
    """Every part and layer type of a configuration, or those asked for."""
    if options.other is not None:
        return config_pair.compare(options)
    config_pair.check_one_file(options)
    try:
        model = _read(options)
    except InputError as error:
        if (error.code, error.argument) != ("E_CHOICE", "model_type") or options.model_type is not None:
            raise
        sentence = f"{error}; --model-type NAME reads the file as one of that type"
        raise InputError(error.code, error.argument, sentence) from None
    chosen = list(_chosen(model, options.part, options.layer_type))
    others = [] if options.layer_type else [one for one in model.encodings if options.part in (None, one.part)]
    if options.json:
        screen.as_json(_plain(model, chosen, others))
        return 0
    print(screen.paragraph(f"model_type {model.model_type}"))
    for name, part, label, rotary in chosen:
        print("\n" + "\n".join(_described(name, part, label, rotary)))
    for encoding in others:
        print("\n" + "\n".join(_without_rotation(encoding)))
    logs = {"used": model.used, "ignored": model.ignored, "not in the file": model.assumed, "not read": model.unread}
    for title, log in logs.items():
        if log:
            print(f"\n{title}:")
            print("\n".join(screen.paragraph(f"{key}: {why}", 2, 4) for key, why in log.items()))
    return 0


def _read(options):
    """The `ModelConfig` of a file, with the values that the command gives in place of its own."""
    from ..configs.config import from_config
    from ..configs.same.overrides import overridden, read_overrides, without_effect
    from ..configs.source import read_source

    changes = read_overrides("--override", options.override)
    source = overridden(read_source(options.file), changes, "--override") if changes else options.file
    model = from_config(source, seq_len=options.seq_len, model_type=options.model_type)
    model.ignored.update(without_effect(changes, model))
    return model


def _chosen(model, part, layer_type):
    """(part's name, part, layer type, Rotary) of those asked for; a name that is not there raises."""
    if part is not None:
        checks.choice("part", part, tuple(dict.fromkeys([*model.parts, *(one.part for one in model.encodings)])))
    parts = {name: one for name, one in model.parts.items() if part in (None, name)}
    if layer_type is not None:
        parts = parts or {part: model.part(part)}
        checks.choice("layer_type", layer_type, tuple(dict.fromkeys(t for one in parts.values() for t in one.rotaries)))
    for name, one in parts.items():
        for label, rotary in one.rotaries.items():
            if layer_type in (None, label):
                yield name, one, label, rotary


def _described(name, part, label, rotary):
    yield f"{name}, layers: {_layers(part, label)}"
    counted = [("first_position", str(part.first_position))] if part.first_position else []
    yield from screen.columns([("  " + key, value) for key, value in [*facts(rotary), *counted]])
    for note in rotary.notes:
        yield screen.paragraph(f"note: {note}", 2, 4)


def _without_rotation(encoding):
    """The lines of an `Encoding`: its name and place, the call, its inputs and its parameters."""
    yield screen.paragraph(f"{encoding.part}, {encoding.place}: {encoding.name}", 0, 2)
    called = encoding.call and f"{dotted(encoding.name)}(" in encoding.call
    calls = {"" if called else "the rows it reads: ": encoding.call, "their table: ": encoding.table,
             "for another size: ": encoding.resize}  # fmt: skip
    for what, call in calls.items():
        if call:
            yield screen.paragraph(what + call, 2, 4)
    yield from (screen.paragraph(f"{name}: {what}", 4, 6) for name, what in encoding.inputs.items())
    tensors = encoding.parameters.get("tensors")
    if isinstance(tensors, dict):  # of a function that is not called here
        yield from (screen.paragraph(f"{name}: the tensor {tensor}", 4, 6) for name, tensor in tensors.items())
    rows = [(f"  {name}", str(value)) for name, value in encoding.parameters.items() if name not in TENSORS]
    yield from screen.columns(rows)
    yield from (screen.paragraph(f"note: {note}", 2, 4) for note in encoding.notes)


def _layers(part, label):
    if not part.layers:
        return label
    mine = [i for i, name in enumerate(part.layers) if name == label]
    without = f"; without rotation {runs(part.without_rope)}" if part.without_rope else ""
    return f"{label} ({runs(mine)} of {len(part.layers)}{without})"


def facts(rotary):
    """(name, text) of what a `Rotary` is: its frequencies, and what they were made from where that is known."""
    parameters = dict(rotary.parameters)
    if parameters:
        yield "scaling", str(parameters.pop("rope_type"))
        yield "base", f"{float(parameters.pop('rope_theta')):.17g}"
    for key, value in parameters.items():
        yield key, f"{len(value)} numbers" if isinstance(value, (list, tuple)) and len(value) > 4 else str(value)
    where = "" if rotary.rotary_dim == rotary.head_dim else f", the {rotary.placement} of {rotary.head_dim}"
    yield "rotary_dim", f"{rotary.rotary_dim}{where}"
    yield "pairing", _pairing(rotary)
    if rotary.frequencies.axes is not None:
        yield "axes", f"{_axes(rotary.frequencies.axes)}"
    yield "attention_factor", repr(rotary.attention_factor)
    if rotary.softmax_factor != 1:
        yield "softmax_factor", repr(rotary.softmax_factor)
    values = rotary.inv_freq
    yield "inv_freq", f"{len(values)} numbers, first {float(values[0])!r}, last {float(values[-1])!r}"


def _pairing(rotary):
    more = ", the result deinterleaved" if rotary.deinterleaved else ""
    more += f" in each of {rotary.blocks} blocks" if rotary.blocks > 1 else ""
    return rotary.pairing + more + (", rotated by -p" if rotary.inverse else "")


def _axes(axes):
    """The axis of each pair, as runs or, where they are short, the first of them."""
    runs = []
    for axis in axes:
        if runs and runs[-1][0] == axis:
            runs[-1][1] += 1
        else:
            runs.append([axis, 1])
    if len(runs) <= 8:
        return ", ".join(f"{axis} x {count}" for axis, count in runs)
    return " ".join(map(str, axes[:8])) + " ..."


def _plain(model, chosen, others):
    """The same as JSON values; numbers are float64, written so that reading gives them back."""
    parts = {}
    for name, part, label, rotary in chosen:
        of_part = {"model_type": part.model_type, "layers": list(part.layers), "first_position": part.first_position}
        entry = parts.setdefault(name, {**of_part, "layer_types": {}})
        entry["layer_types"][label] = {
            "parameters": rotary.parameters,
            "rotary_dim": rotary.rotary_dim,
            "head_dim": rotary.head_dim,
            "placement": rotary.placement,
            "pairing": rotary.pairing,
            "deinterleaved": rotary.deinterleaved,
            "blocks": rotary.blocks,
            "inverse": rotary.inverse,
            "axes": None if rotary.frequencies.axes is None else list(rotary.frequencies.axes),
            "attention_factor": rotary.attention_factor,
            "softmax_factor": rotary.softmax_factor,
            "inv_freq": rotary.inv_freq.tolist(),
            "notes": list(rotary.notes),
            "source": rotary.source,
        }
    logs = {"used": model.used, "ignored": model.ignored, "assumed": model.assumed, "unread": model.unread}
    return {"model_type": model.model_type, "parts": parts, "encodings": list(map(asdict, others)), **logs}
