"""Files of NeMo 2, which are refused: its classes hold the base and the scaling that its files leave out."""

import os

from ..errors import FileError

#: what a checkpoint has in its folder, or in the folder around it
FILES = (os.path.join("context", "io.json"), os.path.join("context", "model.yaml"), "io.json")
#: the keys of io.json, a graph of calls
GRAPH = frozenset(("objects", "refcounts", "root", "version"))
INSTEAD = (
    "whose classes hold the base and the scaling, such as the factor 8 of Llama31Config8B: give the config.json that"
    " NeMo exports for Hugging Face"
)


def refuse_folder(folder):
    """Refuse the folder of a checkpoint."""
    for name in FILES:
        if os.path.isfile(os.path.join(folder, name)):
            raise _error(name)


def refuse(values):
    """Refuse the content of model.yaml and of io.json."""
    target = values.get("_target_")
    if isinstance(target, str) and target.startswith("nemo."):
        raise _error(f"_target_ {target}")
    if values.keys() >= GRAPH:
        raise _error(f"the keys {', '.join(sorted(GRAPH))}")


def _error(received):
    sentence = f"source must hold all that decides its positions, got {received} of NeMo 2, {INSTEAD}"
    return FileError("E_FILE", "source", sentence)
