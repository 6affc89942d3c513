"""Reads suites of the golden corpus, as docs/golden-format.md describes them, and refuses what differs from it."""

import hashlib
import json
import os
from math import gcd

import intervals
from intervals import FORMATS
from positions import product

FORMAT_VERSION, LARGE, SAMPLES = "1.1", 4096, 48  # docs/golden-format.md: outputs of more elements are sampled
HEXADECIMAL = set("0123456789abcdef")
EIGHT_BITS = {"float8_e4m3fn", "float8_e5m2"}  # held as int64 in the corpus


class Refused(Exception):
    """A file that is not what it must be."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def read_suite(folder, suite):
    """(cases, {name of a tensor: its bytes})"""
    with open(os.path.join(folder, f"{suite}.json"), encoding="ascii") as file:
        document = json.load(file)
    cases = cases_of(document, suite)
    path, payload = os.path.join(folder, f"{suite}.safetensors"), {}
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        start = 8 + int.from_bytes(data[:8], "little")
        for name, found in json.loads(data[8:start]).items():
            if name != "__metadata__":
                payload[name] = data[start + found["data_offsets"][0] : start + found["data_offsets"][1]]
    return cases, payload


def cases_of(document, suite):
    """The cases of a document of this format and suite, whose digest is right."""
    require(isinstance(document, dict), "a document that is no object")
    require(document.get("format_version") == FORMAT_VERSION, f"a document of another format than {FORMAT_VERSION}")
    require(document.get("suite") == suite, "a document of another suite")
    body = {name: value for name, value in document.items() if name != "digest"}
    words = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    require(hashlib.sha256(words).hexdigest() == document.get("digest"), "a document whose digest differs")
    ids = [case["id"] for case in document["cases"]]
    require(len(set(ids)) == len(ids), "a case that stands twice")
    require(all(one.startswith(f"{suite}/") for one in ids), "a case of another suite")
    return document["cases"]


def width_of(dtype):
    """How many bits a number has."""
    return 64 if dtype == "int64" else sum(FORMATS[dtype])


def held(tensor, payload):
    """(the elements that are held as integers, the distance between two of them)"""
    if "sample" in tensor:
        return sampled(tensor)
    size = width_of(tensor["dtype"]) // 8
    if "payload" in tensor:
        data = payload[tensor["payload"]]
    else:
        data = b"".join(bytes.fromhex(digits)[::-1] for digits in tensor["bits"])
    head = f"{tensor['dtype']}\0{','.join(map(str, tensor['shape']))}\0".encode()
    require(hashlib.sha256(head + data).hexdigest() == tensor["sha256"], "a digest that differs")
    require(len(data) == size * product(tensor["shape"]), "a tensor of another size")
    return [int.from_bytes(data[k : k + size], "little") for k in range(0, len(data), size)], 1


def sampled(tensor):
    """Every stride-th element of a large tensor; its digest is of all elements, and cannot be checked."""
    bits, size = tensor["sample"]["bits"], product(tensor["shape"])
    stride = size // SAMPLES
    require(size > LARGE, "a sample of a small tensor")
    while gcd(stride, size) > 1:
        stride += 1
    require(tensor["sample"]["stride"] == stride and len(bits) == -(-size // stride), "a sample of other elements")
    width = width_of(tensor["dtype"]) // 4
    require(all(len(one) == width and not set(one) - HEXADECIMAL for one in bits), "a sample that is no bits")
    return [int(digits, 16) for digits in bits], stride


def arguments(case, payload):
    """The arguments of a call, input tensors as {"shape": ..., "values": fractions}; None is no finite number."""
    given = {name: value for name, value in case["arguments"].items() if name != "dtype" or value in EIGHT_BITS}
    for name, tensor in case["inputs"].items():
        bits, _ = held(tensor, payload)
        given[name] = {"shape": tensor["shape"], "values": [element(one, tensor["dtype"]) for one in bits]}
    return given


def element(bits, dtype):
    """A fraction; (0, -1) is -0, and None no finite number."""
    if dtype == "int64":
        return intervals.fraction_of(bits, dtype)
    if bits == 1 << sum(FORMATS[dtype]) - 1:
        return 0, -1
    return None if intervals.infinite(bits, dtype) else intervals.fraction_of(bits, dtype)
