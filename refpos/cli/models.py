"""`refpos list models` and `refpos show MODEL`: the named models."""

import inspect

from .. import checks, models
from ..errors import InputError
from ..public import dotted
from . import config, screen


def list_models(options):
    """Every named model, or those of one family, a line each."""
    if options.markdown:
        raise InputError("E_CHOICE", "markdown", "--markdown must be left out for models, got --markdown")
    families = models.families()
    if options.family is not None:
        families = {checks.choice("family", options.family, tuple(families)): families[options.family]}
    presets = [preset for preset in map(models.find, models.names()) if preset.family in families]
    if options.json:
        screen.as_json([_facts(preset) for preset in presets])
        return 0
    for family in families:
        print(screen.paragraph(f"{family}: {families[family]}", 0, 2))
        rows = [("  " + preset.name, preset.summary) for preset in presets if preset.family == family]
        print("\n".join(map(_in_one_line, screen.columns(rows))) + "\n")
    print("`refpos show NAME` tells more of one of them.")
    return 0


def _in_one_line(line):
    if len(line) <= screen.width():
        return line
    return line[: screen.width() - 2].rpartition(" ")[0].rstrip(" .,:;") + "..."


def show_model(name, options):
    """What a named model is: its angles, parameters, calls, source and golden cases."""
    preset = models.find(name)
    encoding, cases = preset.encoding(), _golden_cases(name)
    if options.json:
        more = {"source": encoding.source, "notes": list(encoding.notes), "kind": type(encoding).__name__}
        screen.as_json({**_facts(preset), **more, **_sizes(encoding), "golden_cases": cases})
        return 0
    print("\n".join(_described(preset, encoding, cases)))
    return 0


def _sizes(encoding):
    """What a model of its sizes has, as JSON values."""
    if isinstance(encoding, models.Absolute):
        arguments = {name: _plain(value) for name, value in encoding.arguments.items()}
        return {"function": encoding.function, "arguments": arguments}
    return {"head_dim": encoding.head_dim, "rotary_dim": encoding.rotary_dim, "pairing": encoding.pairing}


def _described(preset, encoding, cases):
    yield screen.paragraph(f"{preset.name} (named model, {preset.family}): {preset.summary}", 0, 2)
    yield "\n" + screen.paragraph(preset.angles, 4) + "\n"
    for paragraph in inspect.getdoc(preset.encoding).split("\n\n")[2:]:
        if not paragraph.startswith(">>>"):
            yield screen.docstring(paragraph) + "\n"
    yield screen.paragraph(f"call: refpos.models.load({preset.name!r})", 0, 2)
    yield screen.paragraph(f"parameters: {', '.join(_parameters(preset.encoding))}", 0, 2)
    yield screen.paragraph(f"positions: {_positions_call(preset)}", 0, 2)
    summary = inspect.getdoc(preset.positions).partition("\n\n")[0]
    yield screen.paragraph(" ".join(summary.split()), 2) + "\n"
    if isinstance(encoding, models.Rotary):
        yield from screen.columns([("  " + key, value) for key, value in config.facts(encoding)])
    if isinstance(encoding, models.Absolute):
        arguments = ", ".join(f"{name}={value!r}" for name, value in encoding.arguments.items())
        yield screen.paragraph(f"its table: {dotted(encoding.function)}(..., {arguments})", 0, 2)
    yield screen.paragraph("source: {project} {version}, {file}".format(**encoding.source), 0, 2)
    yield screen.paragraph(f"compared with: {preset.checked}", 0, 2)
    for note in encoding.notes:
        yield screen.paragraph(f"note: {note}", 0, 2)
    yield screen.paragraph(f"golden cases: {', '.join(cases) or 'none under its name'}", 0, 2)


def _positions_call(preset):
    return f"refpos.models.positions({', '.join([repr(preset.name), *_parameters(preset.positions)])})"


def _parameters(function):
    """The parameters of a function as a call names them: name=default, or name=... where there is none."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield f"*{name}"
        else:
            yield f"{name}={'...' if parameter.default is parameter.empty else repr(parameter.default)}"


def _plain(value):
    """A default as a JSON value."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def _facts(preset):
    """What is known of a named model before it is made, as JSON values."""
    return {
        "name": preset.name,
        "family": preset.family,
        "summary": preset.summary,
        "angles": preset.angles,
        "parameters": {
            name: _plain(parameter.default) for name, parameter in inspect.signature(preset.encoding).parameters.items()
        },
        "positions": _positions_call(preset),
        "compared_with": preset.checked,
    }


def _golden_cases(name):
    from ..golden import cases
    from ..golden.cases._models import slug

    return [case.id for case in cases() if case.id.partition("/")[2] == slug(name)]
