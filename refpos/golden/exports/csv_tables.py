"""The corpus as CSV: for each suite a table of its elements, and one of its cases with their arguments."""

import csv
import io
import json
import os
from functools import lru_cache

from ...arithmetic import formats
from ...conformance.distances import shortest_decimal
from ...tensor_files import write_atomically
from ..arguments import json_value
from ..format import bit_strings
from ..run import arguments_of

ELEMENTS = ("case", "side", "tensor", "dtype", "shape", "index", "bits", "value")
CASES = ("case", "tier", "about", "flags", "arguments")


def prepare():
    """Nothing is needed."""


def holds(case):
    """Whether a case can be written: every one."""
    return True


def write(directory, suite, cases):
    """Write both tables of a suite; index is that of C order, from 0."""
    elements, rows = _table(ELEMENTS), _table(CASES)
    for case, inputs, outputs in cases:
        arguments = {name: json_value(value) for name, value in arguments_of(case).items()}
        rows.row((case.id, case.tier, case.about, " ".join(case.flags), json.dumps(arguments, sort_keys=True)))
        for side, tensors in (("input", inputs), ("output", outputs)):
            for name, tensor in tensors.items():
                shape = "x".join(map(str, tensor.values.shape)) or "scalar"
                head = case.id, side, name, tensor.dtype, shape
                for index, (bits, value) in enumerate(zip(bit_strings(tensor.values), decimals(tensor))):
                    elements.row((*head, index, bits, value))
    for name, table in ((f"{suite}.csv", elements), (f"{suite}.cases.csv", rows)):
        write_atomically(os.path.join(directory, name), [table.text.getvalue().encode("ascii")])


class _table:
    """Rows as text; a class because csv writes into a stream."""

    def __init__(self, head):
        self.text = io.StringIO(newline="")
        self.row = csv.writer(self.text, lineterminator="\n").writerow
        self.row(head)


def decimals(tensor):
    """The shortest decimal of each element that reads back as it; nan, inf and -inf."""
    if tensor.dtype == "bfloat16":
        return [_bfloat16(pattern) for pattern in tensor.values.reshape(-1).tolist()]
    return tensor.values.reshape(-1).astype(str).tolist()


@lru_cache(1 << 16)
def _bfloat16(pattern):
    return shortest_decimal(pattern, formats.FORMATS["bfloat16"])
