"""The content of a configuration: a file, of JSON or GGUF, a folder that holds one, or a dict, refused where no code
could read it."""

import json
import os

import numpy as np

from .. import checks
from ..errors import FileError, InputError, InputTypeError, shortened, shown
from ..tensor_files.gguf_files import MAGIC, read_gguf
from .dialects import gguf_factors
from .keys import DEEPEST

LARGEST_FILE = 2**22
PIPELINE, MODULES, YAML = "model_index.json", "modules.json", ("model_config.yaml", "lit_config.yaml")
AS_JSON = "YAML is read as the dict that yaml.safe_load gives, or as JSON: json.dump(yaml.safe_load(file), other)"
#: what a checkpoint of NeMo 2 has in its folder, and the keys of io.json, a graph of calls
OF_NEMO = (os.path.join("context", "io.json"), os.path.join("context", "model.yaml"), "io.json")
GRAPH_OF_NEMO = frozenset(("objects", "refcounts", "root", "version"))
INSTEAD_OF_NEMO = (
    "whose classes hold the base and the scaling, such as the factor 8 of Llama31Config8B: give the config.json that"
    " NeMo exports for Hugging Face"
)
KINDS = (str, int, float, np.generic, type(None), dict, list, tuple)  # of what JSON can say


def read_source(source):
    """The content as a dict."""
    if not isinstance(source, (dict, str, os.PathLike)):
        raise InputTypeError("E_FILE", "source", f"source must be a path or a dict, got {type(source).__name__}")
    values = source if isinstance(source, dict) else _read_file(checks.file_path("source", source))
    _check_values(values)
    _refuse_nemo(values)
    return _plain(values)


def _read_file(path):
    path = _in_folder(path) if os.path.isdir(path) else path
    return _pipeline(path) if os.path.basename(path) == PIPELINE else _read_json(path)


def _read_json(path):
    """The object that a file of JSON holds, or the metadata of a GGUF file."""
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if raw.startswith(MAGIC):
            return gguf_factors.of_file(path, *read_gguf(path, gguf_factors.TENSORS))
        if len(raw) > LARGEST_FILE:
            sentence = f"{path} must have at most {LARGEST_FILE} bytes, got at least {LARGEST_FILE + 1}"
            raise FileError("E_FILE", "source", sentence)
        values = json.loads(raw.decode("utf-8"), object_pairs_hook=_object)
    except OSError as error:
        sentence = f"{path} must be a file that can be read, got the error {error.strerror!r}"
        raise FileError("E_FILE", "source", sentence) from None
    except KeyError as error:
        raise FileError("E_FILE", "source", f"{path} must hold each key once, got {error} twice") from None
    except InputError as error:
        raise type(error)(error.code, "source", str(error)) from None
    except (ValueError, RecursionError) as error:
        if os.path.basename(path) == "model.yaml":
            _refuse_nemo_folder(os.path.dirname(path))
        hint = f"; {AS_JSON}" if path.endswith((".yaml", ".yml")) else ""
        raise FileError("E_FILE", "source", f"{path} must hold JSON, got the error {str(error)!r}{hint}") from None
    if not isinstance(values, dict):
        raise FileError("E_FILE", "source", f"{path} must hold a JSON object, got {type(values).__name__}")
    return values


def _in_folder(folder):
    """The file of a folder that is read, the first of those there are; without any the config.json that is missing."""
    for name in ("config.json", "params.json", "open_clip_config.json", PIPELINE, MODULES, *YAML):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return _first_module(path) if name == MODULES else path
    _refuse_nemo_folder(folder)
    return os.path.join(folder, "config.json")


def _refuse_nemo_folder(folder):
    """Refuse the folder of a checkpoint of NeMo 2."""
    for name in OF_NEMO:
        if os.path.isfile(os.path.join(folder, name)):
            raise _error_of_nemo(name)


def _refuse_nemo(values):
    """Refuse the content of model.yaml and of io.json of NeMo 2."""
    target = values.get("_target_")
    if isinstance(target, str) and target.startswith("nemo."):
        raise _error_of_nemo(f"_target_ {target}")
    if values.keys() >= GRAPH_OF_NEMO:
        raise _error_of_nemo(f"the keys {', '.join(sorted(GRAPH_OF_NEMO))}")


def _error_of_nemo(received):
    sentence = f"source must hold all that decides its positions, got {received} of NeMo 2, {INSTEAD_OF_NEMO}"
    return FileError("E_FILE", "source", sentence)


def _first_module(path):
    """The config.json of the first of the modules that sentence-transformers lists: the model itself."""
    modules = _read_list(path)
    first = modules[0].get("path") if modules and isinstance(modules[0], dict) else None
    return os.path.join(os.path.dirname(path), _folder_name(path, first), "config.json")


def _read_list(path):
    """The list that a file of JSON holds."""
    try:
        with open(path, "rb") as file:
            values = json.loads(file.read(LARGEST_FILE).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FileError("E_FILE", "source", f"{path} must hold JSON, got the error {str(error)!r}") from None
    if not isinstance(values, list):
        raise FileError("E_FILE", "source", f"{path} must hold a list, got {type(values).__name__}")
    return values


def _folder_name(path, name):
    """A name in a file, which must be that of a folder beside the file."""
    if not isinstance(name, str) or not name or name in (".", "..") or os.path.basename(name) != name:
        raise FileError("E_FILE", "source", f"{path} must name folders beside it, got {shown(name)}")
    return name


def _pipeline(path):
    """model_index.json of diffusers, each component replaced by its own config.json, where it has one."""
    values = _read_json(path)
    for name, value in values.items():
        if isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
            inner = os.path.join(os.path.dirname(path), _folder_name(path, name), "config.json")
            if os.path.isfile(inner):  # the pipeline loads this class, whichever the weights were saved from
                own = {"architectures": value[1:]} if value[0] == "transformers" else {}
                values[name] = {**_read_json(inner), **own}
    return values


def _object(pairs):
    """An object of JSON; a key that stands twice in it is a KeyError."""
    values = {}
    for name, value in pairs:
        if name in values:
            raise KeyError(name)
        values[name] = value
    return values


def _check_values(values):
    """Refuse what no code could read: what no JSON says, numbers beyond float64, and objects in objects without end."""
    level = [("source", "", values)]  # (the last key, its path, what it holds)
    for _ in range(DEEPEST):
        inner = []
        for last, prefix, container in level:
            pairs = container.items() if isinstance(container, dict) else ((last, item) for item in container)
            for name, value in pairs:
                if not isinstance(value, KINDS):
                    where = _path(prefix, name) if isinstance(container, dict) else prefix
                    sentence = f"{where} must be a value of JSON, got {shown(value)}"
                    raise InputTypeError("E_FILE", "source", sentence)
                if isinstance(value, int) and value.bit_length() > 1023:
                    sentence = f"{name} must be a number of float64, got an integer of {value.bit_length()} bits"
                    raise InputError("E_NUMBER", str(name), sentence)
                if isinstance(value, (dict, list, tuple)):
                    inner.append((name, _path(prefix, name) if isinstance(container, dict) else prefix, value))
        level = inner
    if level:
        sentence = f"source must have at most {DEEPEST} levels, got one more in {level[0][0]!r}"
        raise InputError("E_FILE", "source", sentence)


def _plain(value):
    """The value without scalars of NumPy."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value.item() if isinstance(value, np.generic) else value


def _path(prefix, name):
    """The dotted path of a key, for a message."""
    return shortened(f"{prefix}{'.' if prefix else ''}{shortened(name, 60) if isinstance(name, str) else shown(name)}")
