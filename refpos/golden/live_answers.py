"""What a live process answers to a case: one JSON object of known fields, and its tensors."""

import math
import re

import numpy as np

from ..errors import shortened
from ..tensor_files import Tensor
from .format import digest, from_bit_strings
from .strict_json import Ambiguous, loads
from .subprocess_port import Trouble, shown

DIGITS = {"float64": 16, "float32": 8, "float16": 4, "bfloat16": 4, "int64": 16}
KINDS = ("outputs", "unsupported", "error")  # of an answer, which has one of them
TENSOR = ("dtype", "shape", "bits")  # fields of a tensor, of which sha256 may be one more


def answer_of(line, id):
    """The JSON object of a line, which must answer the case of that id; Trouble where it does not."""
    place = f"expected one JSON object a line on standard output, got {shown(line)}"
    try:
        answer = loads(line.decode("utf-8"))
    except Ambiguous as error:
        raise Trouble(f"{place}: {error}") from None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise Trouble(place)
    if answer.get("id") != id:
        raise Trouble(f"expected an answer with the id {id!r}, got {shown(line)}")
    _known("an answer", answer, ("id", *KINDS))
    kinds = [name for name in KINDS if name in answer]
    if len(kinds) != 1:
        raise Trouble(f"expected one of outputs, unsupported and error in an answer, got {shown(repr(kinds).encode())}")
    return answer


def _known(place, given, names):
    """Trouble where an object has a field of another name."""
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        wanted = f"{', '.join(names[:-1])} and {names[-1]}"
        raise Trouble(f"expected no fields of {place} but {wanted}, got {shown(repr(unknown).encode())}")


def take(answer, entry, answers, troubles):
    """Put the tensors of an answer, or why there are none, where they belong."""
    kind = next(name for name in KINDS if name in answer)
    id, held = entry["id"], answer[kind]
    if kind != "outputs" and (not isinstance(held, str) or not held):
        raise Trouble(f"expected text as {kind}, got {shown(repr(held).encode())}")
    if kind == "unsupported":
        troubles[id] = "missing", f"the process says that it is unsupported: {shortened(held)}"
    elif kind == "error":
        if "error" not in entry:
            raise Trouble(f"expected outputs, got the error {shown(held.encode())}")
        answers[f"{id}/error"] = Tensor("uint8", np.frombuffer(held.encode("ascii", "replace"), np.uint8))
    elif not isinstance(held, dict) or not held:
        raise Trouble(f"expected an object of tensors as outputs, got {shown(repr(held).encode())}")
    else:
        _no_input(entry, held)
        answers.update({f"{id}/{name}": tensor(name, given) for name, given in held.items()})


def _no_input(entry, held):
    wanted = {**entry.get("outputs", {}), **entry.get("wanted", {})}
    given = next((name for name in held if name in entry["inputs"] and name not in wanted), None)
    if given is not None:
        raise Trouble(f"expected the outputs {', '.join(wanted)}, got {shown(repr(given).encode())}, an input")


def tensor(name, given):
    """The tensor of an answer; Trouble where it is none."""
    place = f"{shortened(name, 40)}: expected"
    if not isinstance(given, dict) or not set(TENSOR) <= set(given):
        raise Trouble(f"{place} a tensor with dtype, shape and bits, got {shown(repr(given).encode())}")
    _known(f"the tensor {shortened(name, 40)}", given, (*TENSOR, "sha256"))
    dtype, shape, bits = given["dtype"], given["shape"], given["bits"]
    if not isinstance(dtype, str) or dtype not in DIGITS:
        raise Trouble(f"{place} a dtype of {', '.join(DIGITS)}, got {shown(repr(dtype).encode())}")
    if not isinstance(shape, list) or len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
        raise Trouble(f"{place} a list of sizes as shape, got {shown(repr(shape).encode())}")
    if not isinstance(bits, list) or len(bits) != math.prod(shape):
        received = f"{len(bits)}" if isinstance(bits, list) else shown(repr(bits).encode())
        raise Trouble(f"{place} {math.prod(shape)} bit strings, as its shape says, got {received}")
    digits = re.compile(f"[0-9a-fA-F]{{{DIGITS[dtype]}}}")
    wrong = next((one for one in bits if not (isinstance(one, str) and digits.fullmatch(one))), None)
    if wrong is not None:
        raise Trouble(f"{place} {DIGITS[dtype]} hexadecimal digits of {dtype}, got {shown(repr(wrong).encode())}")
    made = from_bit_strings(dtype, shape, bits)
    if "sha256" in given and given["sha256"] != digest(made):
        raise Trouble(f"{place} the sha256 of its bits, {digest(made)}, got {shown(repr(given['sha256']).encode())}")
    return made
