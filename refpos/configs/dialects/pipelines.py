"""A pipeline of diffusers, model_index.json with the config.json of each component: what each of them means."""

from dataclasses import replace

from ...errors import InputError, shown
from ..submodels import ModelConfig

#: of which key a refusal says that the component is not described
KINDS = ("_class_name", "model_type")
#: the ends of names of classes that are no models
NO_MODELS = ("Tokenizer", "TokenizerFast", "Scheduler", "Processor", "ProcessorFast", "FeatureExtractor")


def is_file(values):
    """Whether a dict is such a file, with at least one component read into it."""
    name = values.get("_class_name")
    return isinstance(name, str) and name.endswith("Pipeline") and bool(_components(values))


def read(values, read_model):
    """The `ModelConfig` of a pipeline; read_model: that of one component by its values."""
    found, passed_over = {}, _missing(values)
    for name, inner in _components(values).items():
        try:
            found[name] = read_model(inner)
        except InputError as error:
            if error.argument not in KINDS:
                raise type(error)(error.code, error.argument, f"{name}: {error}") from None
            passed_over[name] = f"not described: {error}"
    if not found:
        raise InputError(
            "E_MISSING", "source", f"a component must have an encoding, got {'; '.join(passed_over.values())}"
        )
    return ModelConfig(
        values["_class_name"],
        {_part(name, part): one for name, model in found.items() for part, one in model.parts.items()},
        *(_merged(found, field) for field in ("used", "ignored", "assumed")),
        tuple(_in_component(name, one) for name, model in found.items() for one in model.encodings),
        {**passed_over, **_merged(found, "unread")},
    )


def _components(values):
    return {name: inner for name, inner in values.items() if isinstance(inner, dict)}


def _missing(values):
    """{component: why} of the models of a pipeline whose config.json is not beside the file."""
    pairs = {name: value for name, value in values.items() if isinstance(value, (list, tuple)) and len(value) == 2}
    models = {name: kind for name, (_, kind) in pairs.items() if isinstance(kind, str) and not kind.endswith(NO_MODELS)}
    return {name: f"missing: {name}/config.json of {shown(kind)}" for name, kind in models.items()}


def _part(component, part):
    """The name of a part: that of its component, and its own where that says more."""
    return component if part in ("text", "transformer", "unet") else f"{component}.{part}"


def _in_component(component, encoding):
    return replace(encoding, part=_part(component, encoding.part))


def _merged(found, field):
    """The notes on keys of all components, with the paths of the components."""
    return {f"{name}.{path}": why for name, model in found.items() for path, why in getattr(model, field).items()}
