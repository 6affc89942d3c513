"""The golden format: tensors as bit strings, digests that no container changes, documents with one spelling each."""

import hashlib
import json
import math
import re

import numpy as np

from ..errors import FileError, InputError, shortened, shown
from ..tensor_files import Tensor
from .case import TIER_NAMES, TIERS

FORMAT_VERSION = "1.1"
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
    head = _head(tensor)
    if tensor.values.size <= INLINE:
        return {**head, "bits": bit_strings(tensor.values)}
    payload[payload_name] = tensor
    return {**head, "payload": payload_name}


def sampled_entry(tensor):
    """The JSON entry that holds the digest and every `stride`-th element of a tensor."""
    size = tensor.values.size
    stride = size // SAMPLES
    while math.gcd(stride, size) > 1:  # so that the sample meets every column
        stride += 1
    return {**_head(tensor), "sample": {"bits": bit_strings(tensor.values.reshape(-1)[::stride]), "stride": stride}}


def _head(tensor):
    return {"dtype": tensor.dtype, "shape": list(tensor.values.shape), "sha256": digest(tensor)}


def tensor_of(entry, payload, where):
    """The tensor of a JSON entry, checked against its digest; None where only a sample is held."""
    if "sample" in entry:
        return None
    if "bits" in entry:
        tensor = from_bit_strings(entry["dtype"], entry["shape"], entry["bits"])
    else:
        tensor = payload.get(entry["payload"])
        if tensor is None or tensor.dtype != entry["dtype"] or list(tensor.values.shape) != entry["shape"]:
            received = "none" if tensor is None else f"{tensor.dtype} {list(tensor.values.shape)}"
            expected = f"have {shown(entry['payload'])} as {entry['dtype']} {shown(entry['shape'])} in its payload"
            raise refusal(where, expected, received)
    if digest(tensor) != entry["sha256"]:
        raise refusal(where, f"hold a tensor with the digest {entry['sha256']}", digest(tensor))
    return tensor


def sample_of(entry):
    """(stride, the elements) of a sampled entry."""
    strings = entry["sample"]["bits"]
    return entry["sample"]["stride"], from_bit_strings(entry["dtype"], (len(strings),), strings)


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


def _on_one_line(match):
    return match[1] + "".join(line.strip() for line in match[2].splitlines()) + match[3]


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
        side: {name: entry["sha256"] for name, entry in case.get(side, {}).items()} for side in ("inputs", "outputs")
    }
    held = {"id": case["id"], "arguments": case["arguments"], "error": case.get("error"), **tensors}
    return hashlib.sha256(json.dumps(held, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


#: sha256 of documents that were found sound in this process: their bytes are not looked at again
_SOUND: set[bytes] = set()
MOST_SOUND = 1 << 12


def parse(data, where, published=None):
    """The document of a suite from its bytes, with its spelling, structure and digest checked; else FileError. Bytes
    of the sha256 `published` were checked when they were locked."""
    document, received = parse_json(data, where), hashlib.sha256(data)
    if received.hexdigest() == published or received.digest() in _SOUND:
        return document
    check(document, where)
    if serialise(document) != data:
        raise refusal(
            where, "be spelled as refpos writes it (sorted names, one space of indentation)", "another spelling"
        )
    if document["digest"] != document_digest(document):
        raise refusal(where, f"have the digest {document['digest']}", document_digest(document))
    if len(_SOUND) < MOST_SOUND:
        _SOUND.add(received.digest())
    return document


def parse_json(data, where):
    """What the bytes say as JSON in ASCII, without floats, of which the corpus has none; else FileError."""
    try:
        return json.loads(data.decode("ascii"), parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError) as error:
        raise refusal(where, "be a complete JSON document in ASCII", f"one that says: {error}") from None


def _no_float(text):
    raise ValueError(f"a number is not an integer: {text:.40}")


def refusal(where, expected, received):
    """A FileError in one sentence."""
    where, received = (shortened(str(part), 300) for part in (where, received))
    return FileError("E_FILE", "path", f"{where} must {expected}, got {received}")


# -- structure: what schema.json says, without a schema validator -----------------------------------------------------

_DOCUMENT = {"cases", "digest", "format_version", "licence", "prompt", "suite", "tiers", "values_version"}
_ALWAYS = {"about", "arguments", "flags", "id", "inputs", "source", "tier"}
_VALUE, _ERROR, _PROMPT = {"outputs", "hardness", "classes", "resolved"}, {"error"}, {"wanted"}
_SOURCES = {"paper"}, {"file", "project", "version"}, {"file", "function", "project", "version"}
_NAME = "[a-z][a-z0-9_]{0,99}"
_BITS, _SHA256 = "[0-9a-f]{16}", "[0-9a-f]{64}"
_DEEPEST = 16  # lists and calls within an argument
_MOST_DIMENSIONS = 32  # of an array of NumPy 1.26


def check(document, where):
    """Refuse, with FileError, a document whose fields are not exactly those of the format."""
    _fields(document, _DOCUMENT, where, "document")
    for field, known in ("format_version", FORMAT_VERSION), ("licence", LICENCE):
        _that(document[field] == known, where, f"have {field} {known!r}", document[field])
    for field, pattern in ("digest", _SHA256), ("suite", _NAME), ("values_version", r"[0-9]+\.[0-9]+\.[0-9]+"):
        _text(document[field], pattern, where, field)
    _that(isinstance(document["prompt"], bool), where, "have true or false as prompt", document["prompt"])
    _list(document["tiers"], lambda tier, place: _tier(tier, place, known=TIER_NAMES), where, "tiers")
    _that(document["tiers"] != [], where, "have at least one tier", document["tiers"])
    _list(document["cases"], lambda case, place: _check_case(case, place, document), where, "cases")
    ids = set()
    for case in document["cases"]:
        _that(case["id"] not in ids, where, "name each case once", case["id"])
        ids.add(case["id"])


def _check_case(case, where, document):
    _that(isinstance(case, dict) and "id" in case, where, "have an id in every case", case)
    _text(case["id"], f"{document['suite']}/[a-z0-9.-]+", where, "id")
    where = f"{where}: {case['id']}"
    more = {"evaluated"} if document["tiers"] == ["starter"] else set()
    body = set(case) - _ALWAYS - more
    _that(
        body in (_VALUE, _ERROR, _PROMPT),
        where,
        "have outputs, hardness, classes and resolved, or error, or wanted",
        [*body],
    )
    as_said = document["prompt"] == (body == _PROMPT)
    _that(as_said, where, f"have wanted if prompt is true, which is {document['prompt']}", sorted(body))
    _fields(case, _ALWAYS | more | body, where, "case")
    for field, one in _PARTS.items():
        if field in case:
            one(case[field], where, field)
    if body == _VALUE:
        _check_resolved(case, where)


def _check_tensor(entry, where):
    _that(isinstance(entry, dict), where, "be an object", entry)
    held = set(entry) - {"dtype", "shape", "sha256"}
    _that(held in ({"bits"}, {"payload"}, {"sample"}), where, "have one of bits, payload and sample", sorted(entry))
    _fields(entry, {"dtype", "shape", "sha256"} | held, where, "tensor")
    _check_head(entry, where)
    _text(entry["sha256"], _SHA256, where, "sha256")
    if held == {"payload"}:
        return _text(entry["payload"], None, where, "payload")
    count, strings = math.prod(entry["shape"]), entry
    if held == {"sample"}:
        strings = entry["sample"]
        _fields(strings, {"bits", "stride"}, where, "sample")
        _that(_is_count(strings["stride"], 1), where, "have a stride of at least 1", strings["stride"])
        count = -(-count // strings["stride"])
    else:
        _that(count <= INLINE, where, f"have at most {INLINE} bit strings, and more elements in its payload", count)
    digits = f"[0-9a-f]{{{2 * _ITEM[entry['dtype']]}}}"
    _list(strings["bits"], lambda one, place: _text(one, digits, place, "bits"), where, "bits")
    _that(len(strings["bits"]) == count, where, f"have {count} bit strings", len(strings["bits"]))


def _check_head(entry, where):
    """dtype and shape."""
    known = isinstance(entry["dtype"], str) and entry["dtype"] in _ITEM
    _that(known, where, f"have one of the dtypes {', '.join(_ITEM)}", entry["dtype"])
    _list(entry["shape"], lambda n, place: _that(_is_count(n), place, "have sizes as shape", n), where, "shape")
    # also of a shape that holds a 0, since NumPy multiplies the others
    fits = len(entry["shape"]) <= _MOST_DIMENSIONS and math.prod(n or 1 for n in entry["shape"]) < 2**53
    _that(fits, where, f"have at most {_MOST_DIMENSIONS} sizes with a product below 2**53 as shape", entry["shape"])


def _check_input(entry, where):
    _check_tensor(entry, where)
    _that("sample" not in entry, where, "hold an input in full", "a sample")


def _check_wanted(entry, where):
    _fields(entry, {"dtype", "shape"}, where, "wanted")
    _check_head(entry, where)


def _check_argument(value, where, depth=0):
    _that(depth < _DEEPEST, where, f"nest an argument at most {_DEEPEST} deep", value)
    if isinstance(value, list):
        _list(value, lambda one, place: _check_argument(one, place, depth + 1), where, "argument")
    elif not isinstance(value, dict):
        _that(value is None or type(value) in (bool, int, str), where, "have a JSON value as argument", value)
    elif set(value) == {"float64"}:
        _text(value["float64"], _BITS, where, "float64")
    elif set(value) == {"fraction"}:
        pair = value["fraction"]
        fits = isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int and _is_count(pair[1], 1)
        _that(fits, where, "have a numerator and a denominator as fraction", pair)
    else:
        _fields(value, {"arguments", "function"}, where, "call")
        _text(value["function"], _NAME, where, "function")
        _named(value["arguments"], lambda one, place: _check_argument(one, place, depth + 1), where, "arguments")


def _check_source(source, where, what):
    fits = isinstance(source, dict) and set(source) in _SOURCES
    _that(fits, where, f"have a paper, or a project and its file, as {what}", source)
    for field, text in source.items():
        _text(text, None, where, field)


def _check_hardness(hardness, where):
    if hardness is not None:
        _fields(hardness, {"bits", "ties"}, where, "hardness")
        _that(_is_count(hardness["bits"], 1), where, "have bits of at least 1", hardness["bits"])
        _that(_is_count(hardness["ties"]), where, "have a count of ties", hardness["ties"])


def _check_limits(limits, where):
    _named(limits, lambda bits, place: _text(bits, _BITS, place, "bound"), where, "bounds")


def _check_counts(counts, where):
    _named(
        counts, lambda count, place: _that(_is_count(count), place, "have a count of elements", count), where, "counts"
    )


def _check_resolved(case, where):
    """Each bound has its count, which is at most that of the elements."""
    bounded, counted = ({kind: sorted(held) for kind, held in case[name].items()} for name in ("classes", "resolved"))
    _that(bounded == counted, where, "have the classes and outputs of its bounds in resolved", counted)
    sizes = [math.prod(entry["shape"]) for entry in case["outputs"].values()]
    counts = [count for held in case["resolved"].values() for count in held.values()]
    _that(max(counts, default=0) <= max(sizes), where, f"resolve at most {max(sizes)} elements", max(counts, default=0))


def _check_error(error, where, what):
    _fields(error, {"code", "argument"}, where, what)
    _text(error["code"], "E_[A-Z_]+", where, "code")
    _text(error["argument"], None, where, "argument")


def _check_flags(flags, where, what):
    _list(flags, lambda flag, place: _text(flag, "[A-Z][A-Za-z]+", place, "flag"), where, what)
    _that(len(set(flags)) == len(flags), where, "name each flag once", flags)


def _tier(tier, where, what="tier", known=TIERS):
    _that(isinstance(tier, str) and tier in known, where, f"have one of the tiers {', '.join(known)}", tier)


def _each(one, least=0, names=_NAME):
    """A check of an object of at least so many members, each of which `one` checks."""
    return lambda value, where, what: _named(value, one, where, what, least, names)


#: field of a case -> its check
_PARTS = {
    "about": lambda text, where, what: _text(text, None, where, what),
    "arguments": _each(_check_argument),
    "classes": _each(_check_limits, names="[a-z][a-z0-9-]*"),
    "error": _check_error,
    "evaluated": _each(_check_input),
    "flags": _check_flags,
    "hardness": _each(_check_hardness),
    "inputs": _each(_check_input),
    "outputs": _each(_check_tensor, 1),
    "resolved": _each(_check_counts, names="[a-z][a-z0-9-]*"),
    "source": _check_source,
    "tier": _tier,
    "wanted": _each(_check_wanted, 1),
}


def _named(value, one, where, what, least=0, names=_NAME):
    _that(isinstance(value, dict) and len(value) >= least, where, f"have an object as {what}", value)
    for name, held in value.items():
        _text(name, names, where, f"name in {what}")
        one(held, f"{where}/{name}")


def _list(value, one, where, what):
    _that(isinstance(value, list), where, f"have a list as {what}", value)
    for held in value:
        one(held, where)


def _text(value, pattern, where, what):
    fits = isinstance(value, str) and (pattern is None or re.fullmatch(pattern, value))
    _that(fits, where, f"have {'text' if pattern is None else pattern} as {what}", value)


def _is_count(value, least=0):
    return type(value) is int and least <= value < 2**53


def _fields(value, names, where, what):
    _that(isinstance(value, dict), where, f"have an object as {what}", value)
    expected = f"have the fields {', '.join(sorted(names))} in its {what}"
    _that(set(value) == names, where, expected, sorted(value))


def _that(holds, where, expected, received):
    if not holds:
        raise refusal(where, expected, shown(received))


def version_numbers(text):
    """(major, minor, patch) of a version; E_CHOICE for anything else."""
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", text)
    if not match:
        raise InputError("E_CHOICE", "version", f"a version must be three numbers with dots, got {text!r}")
    return tuple(map(int, match.groups()))
