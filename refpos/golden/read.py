"""Reading the corpus: from the package, or from a directory that `generate` wrote."""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .. import tensor_files
from ..errors import InputError, InputTypeError, nearest, shortened, shown
from ..guard import guarded
from ..tensor_files import Tensor
from ..types import AnyPath
from .format import case_digest, parse, parse_json, refusal, tensor_of

#: the core tier, shipped with the package
DATA = os.path.join(os.path.dirname(__file__), "data")
#: the digests of what is published
LOCK = os.path.join(os.path.dirname(__file__), "lock.json")
#: whether the package is imported from a zip archive
ZIPPED = not os.path.isdir(os.path.dirname(os.path.abspath(__file__)))
#: the tensors of a case; those that are evaluated stand in the starter tier alone
SIDES = ("inputs", "evaluated", "outputs")
LONGEST_NAME = 100  # characters of the name of a suite
LARGEST_DOCUMENT = 1 << 25  # bytes; the largest that `generate` writes has a hundredth of that


def on_disk(path):
    """The path of shipped data; FileError where refpos is imported from a zip archive, which holds no files."""
    if ZIPPED:
        raise refusal(path, "be files: unpack the zip archive to use golden data", "a package in a zip archive")
    return path


class Suite(NamedTuple):
    """A document and its payload, not yet checked against the digests of its tensors."""

    document: dict[str, Any]
    payload: dict[str, Tensor]
    path: str

    def tensors(
        self, case: Mapping[str, Any], sides: Sequence[str] = ("inputs", "outputs")
    ) -> dict[str, dict[str, Tensor | None]]:
        """{side: {name: Tensor, or None where only a sample is held}} of one case, checked against their digests."""
        place = f"{self.path}: {case['id']}"
        return {
            side: {
                name: tensor_of(entry, self.payload, f"{place}/{name}") for name, entry in case.get(side, {}).items()
            }
            for side in sides
        }


@guarded
class Loaded(NamedTuple):
    """A case with its arrays: `inputs` and `outputs` map names to Tensor(dtype, values); an output held as a sample is
    None."""

    id: str
    entry: dict[str, Any]
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor | None]


def open_suite(directory, name, lock=None):
    """The suite of that name in a directory; FileError where it is missing, truncated or edited.

    lock: that of `read_lock`, which makes the reading of what is in it fast.
    """
    path = os.path.join(directory, f"{name}.json")
    published = None if lock is None else lock["suites"].get(name, {}).get("sha256")
    document = parse(tensor_files.read_bytes(path, LARGEST_DOCUMENT), path, published)
    if document["suite"] != name:
        raise refusal(path, f"hold the suite {name!r}", repr(document["suite"]))
    named = {
        entry["payload"]
        for case in document["cases"]
        for side in SIDES
        for entry in case.get(side, {}).values()
        if "payload" in entry
    }
    tensors = tensor_files.read_tensors(os.path.join(directory, f"{name}.safetensors")) if named else {}
    if set(tensors) != named:
        odd = min(set(tensors) ^ named)
        raise refusal(path, "have the tensors it names in its payload, and no others", shown(odd))
    return Suite(document, tensors, path)


def read_lock(path: AnyPath | None = None) -> dict[str, Any]:
    """The lock: digests by case id and by document, versions and definitions by suite, and the version of all; empty
    before there is one."""
    if path is None and ZIPPED:
        return parse_json(pkgutil.get_data(__package__, "lock.json"), LOCK)
    path = path or LOCK
    if not os.path.exists(path):
        return {"cases": {}, "documents": {}, "suites": {}, "values_version": "0.0.0"}
    return parse_json(tensor_files.read_bytes(path, LARGEST_DOCUMENT), path)


def suite_version(lock, suite):
    """The version in which a suite last changed; of a suite that is not locked yet, that of the corpus."""
    return lock["suites"].get(suite, lock)["values_version"]


@guarded
def load(id: str, directory: AnyPath | None = None) -> Loaded:
    """A golden case with its arrays, from the package data or a directory: Loaded(id, entry, inputs, outputs).

    These are plain data: the pytest plugin does not notice whether a test compares them, as it does for
    `refpos.testing.cases`.

    Of any tier, arguments and numbers must be those that were published. Of the core tier, all that the package says of
    the case as well: its classes, flags, hardness and source. `verify` checks the rest of a directory.

    Parameters
    ----------
    id : str
        Id of the case, such as rope/llama-3-128-f32.
    directory : str or path, optional
        A directory that `generate` wrote; None for the data of the package.

    Returns
    -------
    Loaded
        Loaded(id, entry, inputs, outputs).

    Raises
    ------
    InputError
        E_MISSING when there is no such case, E_FILE when its file is missing, truncated or edited.

    Notes
    -----
    Inputs and outputs map names to Tensor(dtype, values); of bfloat16, `values` are bit patterns as uint16. entry is
    what the JSON document says: arguments, flags, classes with bounds, hardness, source, or the error expected.

    Examples
    --------
    >>> load("inverse_frequencies/llama-3").outputs["output"].values[:2].tolist()
    [1.0, 0.8146172338565447]
    """
    if not isinstance(id, str):
        raise InputTypeError("E_MISSING", "id", f"id must be the name of a case, got {shown(id)}")
    name = id.partition("/")[0]
    folder = on_disk(DATA) if directory is None else tensor_files.file_name(directory, "directory")
    ids = []
    if os.path.exists(os.path.join(folder, f"{name[:LONGEST_NAME]}.json")):
        suite = open_suite(folder, name)
        ids = [case["id"] for case in suite.document["cases"]]
        for case in suite.document["cases"]:
            if case["id"] == id:
                _check_published(case, suite.path)
                if directory is not None:
                    _check_shipped(case, suite.path)
                return Loaded(id, case, **suite.tensors(case))
    where = "the core tier, which is shipped" if directory is None else shortened(folder, 80)
    like = nearest(id, ids, 2)
    known = f"did you mean {', '.join(like)}?" if like else "`refpos list` names the suites"
    if directory is None and id in read_lock()["cases"]:
        known = "`refpos generate --tier full DIR` writes the others"
    raise InputError("E_MISSING", "id", f"id must be that of a case in {where} ({known}), got {shown(id, 60)}")


def _check_published(case, path):
    """Refuse a case with other numbers than were published under its id, whatever its own digests say."""
    locked = read_lock()["cases"].get(case["id"])
    if locked is not None and "wanted" not in case and locked != case_digest(case):
        raise refusal(f"{path}: {case['id']}", f"have the case digest {locked} that was published", case_digest(case))


def _check_shipped(case, path):
    """Refuse a case that says anything else than the one of its id in the package."""
    if ZIPPED:
        return
    members = open_suite(DATA, case["id"].partition("/")[0]).document["cases"]
    shipped = next((one for one in members if one["id"] == case["id"]), {})
    odd = [name for name in shipped if name in case and case[name] != shipped[name]]
    if odd:
        raise refusal(f"{path}: {case['id']}", f"have the {odd[0]} that was published", "another")
