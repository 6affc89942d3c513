"""The starter cases as a script, for the page that verifies answers in the browser: inputs, outputs, and the bound of
each element for each conformance class. A Sphinx extension, which writes `starter.js` beside the other static files."""

import base64
import json
from pathlib import Path

import numpy as np

from refpos import golden
from refpos.conformance import CLASSES
from refpos.golden.bounds import bounds_of, resolved
from refpos.golden.format import little_endian
from refpos.golden.read import read_lock
from refpos.golden.starter import EVALUATED, STARTER


def setup(app):
    app.connect("builder-inited", lambda app: write(Path(app.outdir) / "_static" / "starter.js"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write(path):
    """Write the script to a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(starter(), separators=(",", ":"), sort_keys=True)
    path.write_text(f"globalThis.refposStarter = {text};\n", "utf-8")


def starter():
    """The version of the values, the classes from the strictest on, and the cases."""
    cases = [_case(golden.load(id)) for id in sorted(STARTER)]
    return {"classes": list(CLASSES), "values": read_lock()["values_version"], "cases": cases}


def _case(loaded):
    """One case; `beside`: names of tensors that may stand beside its answers."""
    entry, inputs, outputs = loaded.entry, loaded.inputs, loaded.outputs
    bounds = bounds_of(loaded.id.partition("/")[0], entry["arguments"], inputs, outputs)
    counts = resolved(bounds, outputs)
    made = {name: {**_tensor(one), "bounds": _bounds(bounds, counts, name, one)} for name, one in outputs.items()}
    return {
        "id": loaded.id,
        "about": entry["about"],
        "arguments": entry["arguments"],
        "inputs": {name: _tensor(one) for name, one in inputs.items()},
        "outputs": made,
        "beside": sorted({*inputs, *EVALUATED} - set(outputs)),
    }


def _bounds(bounds, counts, name, tensor):
    """{class: its unit, the bound of each element, and of how many elements it says something}."""
    classes = {}
    for kind, limits in bounds.items():
        held = name if name in limits else "output"
        limit = np.broadcast_to(np.asarray(limits[held], np.float64), tensor.values.shape)
        classes[kind] = {"unit": CLASSES[kind].unit, "limit": _text(limit), "resolved": counts[kind][held]}
    return classes


def _tensor(tensor):
    return {"dtype": tensor.dtype, "shape": list(tensor.values.shape), "data": _text(tensor.values)}


def _text(values):
    """The elements in C order, the least significant byte first, in base64."""
    return base64.b64encode(little_endian(values)).decode("ascii")
