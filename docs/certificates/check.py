"""Proves the golden corpus by integers alone, without refpos: python check.py CORPUS CERTIFICATES [SUITE ...]

With --claims DIR it also writes each value with its formula, which check.c proves again. docs/certificates.md explains
the files and the proof. Exit status: 0 all that is covered is proved, 1 a value is not, 2 unusable or nothing proved.
"""

import hashlib
import json
import os
import sys
from collections import Counter

import claims
import intervals
from frequencies import frequencies
from intervals import FORMATS, LEVELS, Uncovered

SUITES = sorted(claims.ARGUMENTS)


class Refused(Exception):
    """A file that is not what it must be."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


# -- the corpus -------------------------------------------------------------------------------------------------------


def read_suite(folder, suite):
    """(cases, {name of a tensor: its bytes})"""
    with open(os.path.join(folder, f"{suite}.json"), encoding="ascii") as file:
        cases = json.load(file)["cases"]
    path, payload = os.path.join(folder, f"{suite}.safetensors"), {}
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
        start = 8 + int.from_bytes(data[:8], "little")
        for name, found in json.loads(data[8:start]).items():
            if name != "__metadata__":
                payload[name] = data[start + found["data_offsets"][0] : start + found["data_offsets"][1]]
    return cases, payload


def held(tensor, payload):
    """(the elements that are held as integers, the distance between two of them)"""
    if "sample" in tensor:
        return [int(digits, 16) for digits in tensor["sample"]["bits"]], tensor["sample"]["stride"]
    size = 8 if tensor["dtype"] == "int64" else sum(FORMATS[tensor["dtype"]]) // 8
    if "payload" in tensor:
        data = payload[tensor["payload"]]
    else:
        data = b"".join(bytes.fromhex(digits)[::-1] for digits in tensor["bits"])
    head = f"{tensor['dtype']}\0{','.join(map(str, tensor['shape']))}\0".encode()
    require(hashlib.sha256(head + data).hexdigest() == tensor["sha256"], "a digest that differs")
    require(len(data) == size * claims.product(tensor["shape"]), "a tensor of another size")
    return [int.from_bytes(data[k : k + size], "little") for k in range(0, len(data), size)], 1


def arguments(case, payload):
    """The arguments of a call, input tensors as {"shape": ..., "values": fractions}; None is no finite number."""
    given = {name: value for name, value in case["arguments"].items() if name != "dtype"}
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


# -- the proof --------------------------------------------------------------------------------------------------------


def claimed(suite, case, output, count, stride, payload):
    """(thetas, factor, the claim of each element that is held); raises Uncovered."""
    given = arguments(case, payload)
    thetas, factor, claim = claims.claims(suite, given, output, frequencies)
    return thetas, factor, [claim(stride * k) for k in range(count)]


def first_unproved(bits, dtype, digits, found):
    """The index of an element that no level proves, or None."""
    thetas, factor, values = found
    open_ = range(len(bits))
    for level in LEVELS:
        intervals.use(level)
        open_ = [k for k in open_ if not intervals.proved(bits[k], dtype, digits[k], intervals.value(values[k], thetas, factor))]
    intervals.use(LEVELS[0])
    intervals.KNOWN.clear()
    return open_[0] if open_ else None


def lines_of(path, suite):
    """The lines of a certificate between the first and the last."""
    with open(path, "rb") as file:
        lines = file.read().decode("ascii").split("\n")
    require(lines[0] == f"refpos certificate 1 {suite}", "another first line")
    require(lines[-1] == "" and lines[-2:-1] == [f"end {len(lines) - 3}"], "no last line, or another count of lines")
    return lines[1:-2]


def digits_of(line, case, output, count):
    name, *digits = line.split(" ")
    require(name == f"{case['id']}/{output}", f"{case['id']}/{output}: the certificate is of {name}")
    if digits == ["?"]:
        return None
    require(len(digits) == count, f"{name}: {count} values and {len(digits)} certificates")
    for one in digits:
        require(one[:1] in ("+", "-", "=", "~") and one[1:] and not set(one[1:]) - set("0123456789abcdef"), f"{name}: {one!r}")
    return digits


def check(corpus, certificates, suite, write):
    """(values proved, values, {reason: values that are not covered}); raises Refused at the first that is wrong."""
    cases, payload = read_suite(corpus, suite)
    lines = iter(lines_of(os.path.join(certificates, f"{suite}.txt"), suite))
    proved, total, uncovered = 0, 0, Counter()
    for case in cases:
        for output, tensor in case.get("outputs", {}).items():
            bits, stride = held(tensor, payload)
            digits = digits_of(next(lines, ""), case, output, len(bits))
            total += len(bits)
            try:
                found = claimed(suite, case, output, len(bits), stride, payload)
            except Uncovered as reason:
                uncovered[str(reason)] += len(bits)
                continue
            require(digits is not None, f"{case['id']}/{output}: no certificate")
            wrong = first_unproved(bits, tensor["dtype"], digits, found)
            if wrong is not None:
                raise Refused(f"{case['id']}/{output}, element {wrong * stride}: {found[2][wrong]} is not proved")
            write(f"{case['id']}/{output}", tensor["dtype"], bits, digits, found)
            proved += len(bits)
    require(next(lines, None) is None, "more certificates than cases")
    return proved, total, uncovered


def written_claims(path, suite):
    """(a function that adds the claims of an output, one that ends the file)"""
    lines = [f"refpos claims 1 {suite}"]

    def write(name, dtype, bits, digits, found):
        thetas, factor, values = found
        width = sum(FORMATS[dtype]) // 4
        lines.extend([f"case {name} {FORMATS[dtype][0]} {FORMATS[dtype][1]}", *(f"t {theta}" for theta in thetas), f"f {factor}"])
        lines.extend(f"v {one:0{width}x} {digit} {value}" for one, digit, value in zip(bits, digits, values))

    def end():
        body, total = "\n".join(lines) + "\n", 0xCBF29CE484222325
        for byte in body.encode("ascii"):  # FNV-1a, which notices damage; who writes the file is another question
            total = (total ^ byte) * 0x100000001B3 % 2**64
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(f"{body}end {total:016x}\n")

    return write, end


def main(words):
    folder = None
    if "--claims" in words:
        k = words.index("--claims")
        folder, words = words[k + 1], words[:k] + words[k + 2 :]
        os.makedirs(folder, exist_ok=True)
    corpus, certificates, *suites = words
    all_proved, status = 0, 0
    for suite in suites or SUITES:
        write, end = written_claims(os.path.join(folder, f"{suite}.txt"), suite) if folder else (lambda *_: None, None)
        try:
            proved, total, uncovered = check(corpus, certificates, suite, write)
        except (Refused, OSError, ValueError, KeyError, IndexError, TypeError) as error:
            print(f"{suite}: refused: {error}")
            status = 1 if isinstance(error, Refused) and status < 2 else 2
            continue
        if folder:
            end()
        all_proved += proved
        print(f"{suite}: {proved} of {total} values proved")
        for reason, count in sorted(uncovered.items()):
            print(f"    {count} not covered: {reason}")
    print(f"{all_proved} values proved")
    return status or (0 if all_proved else 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
