"""Files of answers to the starter cases, right, wrong and hostile, and what `refpos.verify` says of each: for the page
that verifies answers in the browser, which must say the same."""

import zipfile
from unittest import mock

import numpy as np

from refpos import golden
from refpos.diagnosis import explaining
from refpos.errors import FileError
from refpos.golden.starter import STARTER
from refpos.tensor_files import Tensor, write_npz, write_safetensors


def answers():
    """{name: Tensor} of every output of the starter cases, as the corpus has them."""
    loaded = {id: golden.load(id) for id in sorted(STARTER)}
    return {f"{id}/{name}": tensor for id, one in loaded.items() for name, tensor in one.outputs.items()}


def outputs(suite):
    """{name: Tensor} of every output of a suite that its document holds whole."""
    loaded = {one.id: golden.load(one.id) for one in golden.cases(suite, tier="core")}
    whole = {id: one.outputs for id, one in loaded.items() if one.outputs and all(one.outputs.values())}
    return {f"{id}/{name}": tensor for id, tensors in whole.items() for name, tensor in tensors.items()}


def changed(folder, right, only=None):
    """The files of answers with each change, or with some, which are written into the folder."""
    rng, paths = np.random.default_rng(0), []
    for name, change in CHANGES.items():
        if only is None or name in only:
            paths.append(folder / f"{name}.npz")
            write_npz(paths[-1], {key: _changed(tensor, change, rng) for key, tensor in right.items()})
    return paths


def files(folder):
    """{file name: path} of all files, which are written into the folder."""
    right = answers()
    changed(folder, right)
    write_safetensors(folder / "right.safetensors", right)
    np.savez_compressed(folder / "deflated.npz", **{key: np.array(one.values, order="F") for key, one in right.items()})
    swapped = {key: one.values.astype(one.values.dtype.newbyteorder(">")) for key, one in right.items()}
    np.savez(folder / "swapped.npz", **swapped)
    write_npz(folder / "few.npz", dict(list(right.items())[:3]))
    write_npz(folder / "transposed.npz", {key: _transposed(one) for key, one in right.items()})
    np.savez(folder / "objects.npz", **{"rope/frequencies": np.array([None, {}], dtype=object)})
    write_npz(folder / "other.npz", {"no/such": np.arange(3.0)})
    _damage(folder, right)
    return {path.name: path for path in sorted(folder.iterdir())}


def _next(values, rng):
    return np.nextafter(values, np.inf, dtype=values.dtype)


def _noise(values, rng):
    size = rng.choice([1e-6, 1e-4, 1e-2])
    return (values.astype(np.float64) + size * rng.normal(size=values.shape)).astype(values.dtype)


def _one_special(values, rng):
    flat = values.reshape(-1).copy()
    flat[rng.integers(flat.size)] = rng.choice([np.nan, np.inf, -np.inf, 0])
    return flat.reshape(values.shape)


#: what is done to the numbers of each output; float64 results are rounded once to the format of the case
CHANGES = {
    "right": lambda values, rng: values,
    "next": _next,
    "noise": _noise,
    "special": _one_special,
    "minus": lambda values, rng: -values,
    "zeros": lambda values, rng: np.zeros_like(values),
    "wider": lambda values, rng: values.astype(np.float64),
    "halfway": lambda values, rng: (values.astype(np.float64) + _next(values, rng)) / 2,
    "wider-noise": lambda values, rng: values.astype(np.float64) + 1e-9 * rng.normal(size=values.shape),
}


def _changed(tensor, change, rng):
    if tensor.dtype == "bfloat16" or not tensor.values.size:  # bit patterns, which stay right
        return tensor
    if tensor.dtype.startswith("int"):
        return Tensor(
            tensor.dtype, tensor.values + (rng.random(tensor.values.shape) < 0.1) * (change is not CHANGES["right"])
        )
    with np.errstate(over="ignore"):
        values = np.asarray(change(tensor.values, rng))
    return Tensor(values.dtype.name, values)


def _transposed(tensor):
    return Tensor(tensor.dtype, np.ascontiguousarray(tensor.values.T))


def _damage(folder, right):
    """Files that are cut, hold other bytes than they say, or are none of the two kinds."""
    whole = (folder / "right.safetensors").read_bytes()
    (folder / "empty.npz").write_bytes(b"")
    (folder / "text.safetensors").write_bytes(b"x" * 100)
    (folder / "header.safetensors").write_bytes((2**60).to_bytes(8, "little") + whole[8:])
    (folder / "list.safetensors").write_bytes((2).to_bytes(8, "little") + b"[]")
    packed = (folder / "right.npz").read_bytes()
    (folder / "cut.npz").write_bytes(packed[: len(packed) // 2])
    with zipfile.ZipFile(folder / "text.npz", "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rope/frequencies.npy", bytes(1 << 20))


def result(path, **chosen):
    """The Result of a file, or None where it is refused; which mistake gives wrong numbers is not looked for."""
    with mock.patch.object(explaining, "explained", lambda failing: {}):
        try:
            return golden.verify(path, **(chosen or {"tier": "starter"}), only_answered=True)
        except FileError:
            return None
