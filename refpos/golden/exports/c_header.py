"""The corpus as a C header: the bits of every tensor as integers, which no compiler rounds."""

import json
import os
import textwrap

from ...tensor_files import write_atomically
from ..arguments import json_value
from ..format import bit_strings
from ..read import read_lock, suite_version
from ..run import arguments_of

TYPES = """#ifndef REFPOS_GOLDEN_TYPES
#define REFPOS_GOLDEN_TYPES
#include <stddef.h>
#include <stdint.h>
/* bits: the elements in C order as uint16_t (float16, bfloat16), uint32_t (float32) or uint64_t (float64, int64) */
typedef struct {
    const char *name, *dtype;
    int is_output;
    size_t dimensions;
    const size_t *shape;
    size_t size;
    const void *bits;
} refpos_tensor;
/* arguments: JSON, as in the golden format */
typedef struct {
    const char *id, *arguments;
    size_t tensors;
    const refpos_tensor *tensor;
} refpos_case;
#endif
"""


def prepare():
    """Nothing is needed."""


def holds(case):
    """Whether a case can be written: every one."""
    return True


def write(directory, suite, cases):
    """Write the header of a suite, which compiles as C99 and as C++."""
    guard = f"REFPOS_{suite.upper()}_H"
    version = suite_version(read_lock(), suite)
    lines = [
        f"/* refpos, golden values {version} of {suite}, CC0-1.0 */",
        f"#ifndef {guard}",
        f"#define {guard}",
        TYPES,
    ]
    rows = []
    for k, (case, inputs, outputs) in enumerate(cases):
        tensors = [(name, tensor, 0) for name, tensor in inputs.items()]
        tensors += [(name, tensor, 1) for name, tensor in outputs.items()]
        entries = [_tensor(f"refpos_{suite}_{k}_{j}", *one, lines) for j, one in enumerate(tensors)]
        table = "NULL"
        if entries:
            table = f"refpos_{suite}_{k}"
            lines.append(f"static const refpos_tensor {table}[] = {{\n    {(',' + chr(10) + '    ').join(entries)}}};")
        arguments = {name: json_value(value) for name, value in arguments_of(case).items()}
        rows.append(
            f"    {{{_text(case.id)}, {_text(json.dumps(arguments, sort_keys=True))}, {len(entries)}, {table}}}"
        )
    joined = ",\n".join(rows)
    lines += [f"enum {{ refpos_{suite}_cases = {len(rows)} }};", f"static const refpos_case refpos_{suite}[] = {{"]
    lines += [f"{joined}}};", "#endif", ""]
    write_atomically(os.path.join(directory, f"{suite}.h"), ["\n".join(lines).encode("ascii")])


def _tensor(symbol, name, tensor, is_output, lines):
    """The initialiser of a tensor; its arrays go to the lines before it."""
    width = 8 * tensor.values.dtype.itemsize
    # an array of no elements is none in C
    bits = ", ".join(f"0x{digits}u" for digits in bit_strings(tensor.values)) or "0"
    wrapped = textwrap.fill(bits.replace("u", "ull") if width == 64 else bits, 110)
    lines.append(f"static const uint{width}_t {symbol}_bits[] = {{\n{wrapped}}};")
    shape = tensor.values.shape
    lines.append(f"static const size_t {symbol}_shape[] = {{{', '.join(map(str, shape)) or '0'}}};")
    head = f"{_text(name)}, {_text(tensor.dtype)}, {is_output}, {len(shape)}, {symbol}_shape, {tensor.values.size}"
    return f"{{{head}, {symbol}_bits}}"


def _text(words):
    """ASCII text as a C literal."""
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'
