"""Files of tensors in folders: none is passed over in silence."""

import os

from .format import refusal

SUFFIXES = (".npy", ".npz", ".safetensors")


def files_below(path):
    """(Folder, sorted names of its files) of a folder and of those below, links among them; FileError for one that
    cannot be listed, or that is there twice, as where a link leads back."""
    seen = set()
    for folder, folders, names in os.walk(path, onerror=_unlisted, followlinks=True):
        folders.sort()
        real = os.path.realpath(folder)
        if real in seen:
            raise refusal(path, "hold each folder once", f"{folder} beside {real}")
        seen.add(real)
        yield folder, sorted(names)


def is_of_tensors(name):
    """Whether a file has the suffix of one of tensors, in letters of any case."""
    return name.lower().endswith(SUFFIXES)


def _unlisted(error):
    raise refusal(error.filename, "be a folder that can be listed", error.strerror)
