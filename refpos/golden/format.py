"""The golden format: tensors as bit strings, digests that no container changes, documents with one spelling each."""

import hashlib
import json
import math
import re

import numpy as np

from ..errors import FileError, InputError
from ..files import Tensor

FORMAT_VERSION = "1.0"
#: version of the numbers: MAJOR when a published bit changes, MINOR when cases are added, PATCH for bounds and words
VALUES_VERSION = "1.2.0"
LICENCE = "CC0-1.0"
INLINE = 64  # elements; what is larger goes to the payload
SAMPLED = 4096  # elements; an output that is larger is held as a digest and a sample
SAMPLES = 48

_LIST = re.compile(r"(\[)\n([^\[\]{}]*)\n *(\])")
_OBJECT = re.compile(r"({)\n([^{}]*)\n *(})")
_ITEM = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8}


# -- tensors ----------------------------------------------------------------------------------------------------------


def digest(tensor):
    """sha256 over dtype, zero byte, shape, zero byte, and the little-endian bytes in C order; the same in every
    container.

    >>> digest(Tensor("int64", np.array([1, 2], np.int64)))[:16]
    'f7eaeea15873471a'
    """
    shape = ",".join(map(str, tensor.values.shape))
    return hashlib.sha256(f"{tensor.dtype}\0{shape}\0".encode() + little_endian(tensor.values)).hexdigest()


def little_endian(values):
    """The bytes of an array in C order, least significant first."""
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()


def bit_strings(values):
    """Each element as zero-padded hexadecimal digits, most significant first, in C order."""
    flat = np.ascontiguousarray(values.reshape(-1)).view(f"u{values.dtype.itemsize}")
    return [f"{pattern:0{2 * values.dtype.itemsize}x}" for pattern in flat.tolist()]


def from_bit_strings(dtype, shape, strings):
    """The tensor of such digits."""
    patterns = np.array([int(text, 16) for text in strings], f"u{_ITEM[dtype]}")
    return Tensor(dtype, patterns.view("uint16" if dtype == "bfloat16" else dtype).reshape(shape))


def entry(tensor, payload_name, payload):
    """The JSON entry of a tensor; what is too large for it is put into `payload` under `payload_name`."""
    found = _head(tensor)
    if tensor.values.size <= INLINE:
        return {**found, "bits": bit_strings(tensor.values)}
    payload[payload_name] = tensor
    return {**found, "payload": payload_name}


def sampled_entry(tensor):
    """The JSON entry that holds the digest and every `stride`-th element of a tensor."""
    size = tensor.values.size
    stride = size // SAMPLES
    while math.gcd(stride, size) > 1:  # so that the sample meets every column
        stride += 1
    return {**_head(tensor), "sample": {"bits": bit_strings(tensor.values.reshape(-1)[::stride]), "stride": stride}}


def _head(tensor):
    return {"dtype": tensor.dtype, "shape": list(tensor.values.shape), "sha256": digest(tensor)}


def tensor_of(found, payload, where):
    """The tensor of a JSON entry, checked against its digest; None where only a sample is held."""
    if "sample" in found:
        return None
    if "bits" in found:
        tensor = from_bit_strings(found["dtype"], found["shape"], found["bits"])
    else:
        tensor = payload.get(found["payload"])
        if tensor is None or tensor.dtype != found["dtype"] or list(tensor.values.shape) != found["shape"]:
            received = "none" if tensor is None else f"{tensor.dtype} {list(tensor.values.shape)}"
            raise refusal(
                where, f"have {found['payload']!r} as {found['dtype']} {found['shape']} in its payload", received
            )
    if digest(tensor) != found["sha256"]:
        raise refusal(where, f"hold a tensor with the digest {found['sha256']}", digest(tensor))
    return tensor


def sample_of(found):
    """(stride, the elements) of a sampled entry."""
    strings = found["sample"]["bits"]
    return found["sample"]["stride"], from_bit_strings(found["dtype"], (len(strings),), strings)


# -- arguments --------------------------------------------------------------------------------------------------------


def plain(value):
    """An argument as JSON says it: whole floats as whole numbers, other floats as {"float64": bits}, also within lists
    and calls."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(given) for name, given in value.items()}
    if isinstance(value, float):
        if value.is_integer() and abs(value) <= 2**53:
            return int(value)
        return {"float64": bit_strings(np.array([value], np.float64))[0]}
    return value


def lively(value):
    """An argument as Python takes it."""
    if isinstance(value, dict) and list(value) == ["float64"]:
        return float(from_bit_strings("float64", (), [value["float64"]]).values)
    return value


# -- documents --------------------------------------------------------------------------------------------------------


def serialise(document):
    """A document in its only spelling: sorted names, one space of indentation and no others, lists and objects without
    objects in them on one line, ASCII, a newline at the end."""
    layout = {"indent": 1, "separators": (",", ":")}
    text = json.dumps(document, sort_keys=True, ensure_ascii=True, allow_nan=False, **layout)
    # within strings newlines are escaped, so that each of these stands between elements
    for innermost in _LIST, _OBJECT:
        text = innermost.sub(_on_one_line, text)
    return (text + "\n").encode("ascii")


def _on_one_line(found):
    return found[1] + "".join(line.strip() for line in found[2].splitlines()) + found[3]


def seal(document):
    """The document with the digest of everything else in it."""
    return {**document, "digest": document_digest(document)}


def document_digest(document):
    """sha256 over the document without its digest, sorted and without spaces."""
    rest = {name: value for name, value in document.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def case_digest(case):
    """sha256 over what the numbers of a case are: arguments, and the digests of inputs and outputs (or the refusal)."""
    tensors = {
        side: {name: found["sha256"] for name, found in case.get(side, {}).items()} for side in ("inputs", "outputs")
    }
    held = {"id": case["id"], "arguments": case["arguments"], "error": case.get("error"), **tensors}
    return hashlib.sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def parse(data, where):
    """The document of a suite from its bytes, with its spelling, structure and digest checked; else FileError."""
    try:
        document = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise refusal(where, "be a whole JSON document in ASCII", f"one that says: {error}") from None
    check(document, where)
    if serialise(document) != data:
        raise refusal(
            where, "be spelled as refpos writes it (sorted names, one space of indentation)", "another spelling"
        )
    if document["digest"] != document_digest(document):
        raise refusal(where, f"have the digest {document['digest']}", document_digest(document))
    return document


def refusal(where, expected, received):
    """A FileError in one sentence."""
    return FileError("E_FILE", "path", f"{where} must {expected}, got {received}")


# -- structure: what schema.json says, without a schema validator -----------------------------------------------------

_DOCUMENT = {"cases", "digest", "format_version", "licence", "prompt", "suite", "tiers", "values_version"}
_ALWAYS = {"about", "arguments", "flags", "id", "inputs", "source", "tier"}
_BODIES = ({"outputs", "hardness", "classes"}, {"error"}, {"wanted"})


def check(document, where):
    """Refuse, with FileError, a document whose fields are not exactly those of the format."""
    _fields(document, _DOCUMENT, where, "document")
    _that(
        document["format_version"] == FORMAT_VERSION,
        where,
        f"have format_version {FORMAT_VERSION!r}",
        document["format_version"],
    )
    _that(isinstance(document["cases"], list), where, "have a list of cases", document["cases"])
    names = []
    for case in document["cases"]:
        _that(isinstance(case, dict) and isinstance(case.get("id"), str), where, "have an id in every case", case)
        place = f"{where}: {case['id']}"
        _check_case(case, place)
        _that(
            case["id"].startswith(f"{document['suite']}/"),
            place,
            f"belong to the suite {document['suite']!r}",
            case["id"],
        )
        names.append(case["id"])
    _that(
        len(set(names)) == len(names), where, "name each case once", sorted(n for n in names if names.count(n) > 1)[:1]
    )


def _check_case(case, where):
    body = set(case) - _ALWAYS
    _that(body in _BODIES, where, "have outputs, hardness and classes, or error, or wanted", sorted(body))
    _fields(case, _ALWAYS | body, where, "case")
    flags = case["flags"]
    plain = isinstance(flags, list) and all(isinstance(flag, str) for flag in flags)
    _that(plain, where, "have a list of names as flags", flags)
    for name in ("arguments", "inputs", *(body & {"outputs", "wanted", "classes", "hardness"})):
        _that(isinstance(case[name], dict), where, f"have an object as {name}", case[name])
    for side in ("inputs", "outputs"):
        for name, found in case.get(side, {}).items():
            _check_tensor(found, f"{where}/{name}")
    if "error" in case:
        _fields(case["error"], {"code", "argument"}, where, "error")


def _check_tensor(found, where):
    _that(isinstance(found, dict), where, "be an object", found)
    held = set(found) - {"dtype", "shape", "sha256"}
    _that(held in ({"bits"}, {"payload"}, {"sample"}), where, "have one of bits, payload and sample", sorted(found))
    _fields(found, {"dtype", "shape", "sha256"} | held, where, "tensor")
    _that(found["dtype"] in _ITEM, where, f"have one of the dtypes {', '.join(_ITEM)}", found["dtype"])
    sizes = found["shape"]
    _that(
        isinstance(sizes, list) and all(type(n) is int and 0 <= n < 2**53 for n in sizes),
        where,
        "have sizes as shape",
        sizes,
    )
    count = math.prod(sizes)
    if held == {"sample"}:
        _fields(found["sample"], {"bits", "stride"}, where, "sample")
        stride = found["sample"]["stride"]
        _that(type(stride) is int and stride > 0, where, "have a stride of at least 1", stride)
        count = -(-count // stride)
    if held != {"payload"}:
        strings = found["sample"]["bits"] if held == {"sample"} else found["bits"]
        _that(isinstance(strings, list) and len(strings) == count, where, f"have {count} bit strings", len(strings))
        digits = re.compile(f"[0-9a-f]{{{2 * _ITEM[found['dtype']]}}}")
        wrong = [text for text in strings if not isinstance(text, str) or not digits.fullmatch(text)]
        _that(not wrong, where, f"have bit strings of {2 * _ITEM[found['dtype']]} digits", wrong[:1])


def _fields(value, names, where, what):
    _that(isinstance(value, dict), where, f"have an object as {what}", value)
    _that(
        set(value) == names,
        where,
        f"have the fields {', '.join(sorted(names))} in its {what}",
        ", ".join(sorted(value)),
    )


def _that(holds, where, expected, received):
    if not holds:
        raise refusal(where, expected, f"{received!r:.120}")


def version_numbers(text):
    """(major, minor, patch) of a version; E_CHOICE for anything else."""
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", text)
    if not match:
        raise InputError("E_CHOICE", "version", f"a version must be three numbers with dots, got {text!r}")
    return tuple(map(int, match.groups()))
