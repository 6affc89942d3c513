"""Proves the golden corpus by integers alone, without refpos: python check.py CORPUS CERTIFICATES [SUITE ...]

With --write it writes the certificates, from the same derivation; docs/certificates.md explains files and proof.
Exit status: 0 all that is covered is proved, 1 a value is not, 2 a file cannot be used or nothing is proved.
"""

import hashlib
import json
import os
import sys
from collections import Counter, deque
from contextlib import suppress
from math import gcd

import claims
import intervals
from intervals import FORMATS, LEVELS, Uncovered, need
from positions import product

SUITES = sorted(claims.FUNCTIONS)
FORMAT_VERSION, LARGE, SAMPLES = "1.1", 4096, 48  # docs/golden-format.md: outputs of more elements are sampled
HEXADECIMAL = set("0123456789abcdef")
#: what reading a file that is not what it must be may raise
UNUSABLE = OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
EIGHT_BITS = {"float8_e4m3fn", "float8_e5m2"}  # held as int64 in the corpus


class Refused(Exception):
    """A file that is not what it must be."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


# -- the corpus -------------------------------------------------------------------------------------------------------


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
    return document["cases"]


def held(tensor, payload):
    """(the elements that are held as integers, the distance between two of them)"""
    if "sample" in tensor:
        return sampled(tensor)
    size = 8 if tensor["dtype"] == "int64" else sum(FORMATS[tensor["dtype"]]) // 8
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
    width = sum(FORMATS[tensor["dtype"]]) // 4
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


# -- the proof --------------------------------------------------------------------------------------------------------


def outputs_of(suite, cases, payload):
    """(name, dtype, bits, the claims, {reason: values that have none}) of each output."""
    for case in cases:
        require(("outputs" in case) != ("error" in case), f"{case['id']}: neither outputs nor an error, or both")
        given = arguments(case, payload) if "outputs" in case else {}
        uncovered = unread(suite, case, given) if "outputs" in case else None
        for output, tensor in case.get("outputs", {}).items():
            bits, stride = held(tensor, payload)
            thetas, factor, claim, left = [], "1", None, Counter()
            asked = case["arguments"].get("dtype")
            dtype = asked if asked in EIGHT_BITS else tensor["dtype"]
            try:
                need(uncovered is None, uncovered)
                need(dtype in FORMATS, "integers, which are not rounded")
                thetas, factor, claim = claims.claims(suite, given, output)
            except Uncovered as reason:
                left[str(reason)], bits = len(bits), []
            found = [claimed(claim, stride * k, left) for k in range(len(bits))]
            bits = [one for one, words in zip(bits, found, strict=True) if words]
            yield f"{case['id']}/{output}", dtype, bits, (thetas, factor, [words for words in found if words]), left


def unread(suite, case, given):
    """Why a call is not covered, or None; refuses outputs of other names, dtypes or shapes than the call returns."""
    dtypes = {name: tensor["dtype"] for name, tensor in case["inputs"].items()}
    dtypes |= {"dtype": case["arguments"]["dtype"]} if "dtype" in case["arguments"] else {}
    try:
        wanted = claims.outputs(suite, given, dtypes)
    except Uncovered as reason:
        return str(reason)
    found = {name: (tensor["dtype"], tensor["shape"]) for name, tensor in case["outputs"].items()}
    require(found == wanted, f"{case['id']}: its call returns {wanted}, not {found}")
    return None


def claimed(claim, k, left):
    """The claim of an element, or None, counted in `left` by its reason."""
    try:
        return claim(k)
    except Uncovered as reason:
        left[str(reason)] += 1
        return None


def answers(count, found, decide):
    """decide(k, interval) of each element, asked again with more bits where it is None or False."""
    thetas, factor, values = found
    made = [None] * count
    for level in LEVELS:
        with intervals.Precision(level):
            for k in range(count):
                with suppress(Uncovered):  # a divisor or a size that more bits may decide
                    made[k] = made[k] or decide(k, intervals.value(values[k], thetas, factor))
    intervals.KNOWN.clear()
    return made


def undecided(bits, dtype, claim, found):
    """Why no certificate of a value can exist, or None if one does, or if the value is another number."""
    with intervals.Precision(LEVELS[-1]):
        try:
            x = intervals.value(claim, *found[:2])
        except Uncovered as reason:
            return str(reason)
        decided = intervals.refuted(bits, dtype, x) or intervals.digits(bits, dtype, x)
        return None if decided else f"numbers that {LEVELS[-1]:,} bits do not decide"


def heading(name, dtype, found):
    """The lines before the values of an output."""
    thetas, factor, _ = found
    return [f"case {name} {FORMATS[dtype][0]} {FORMATS[dtype][1]}", *(f"t {theta}" for theta in thetas), f"f {factor}"]


def checked(lines, name, dtype, bits, found, left):
    """Take the lines of an output; refuses those that do not say its claims, or do not prove its bits."""
    for wanted in heading(name, dtype, found):
        require(lines and lines.popleft() == wanted, f"{name}: its call says {wanted!r}")
    width, taken = sum(FORMATS[dtype]) // 4, []
    for pattern, claim in zip(bits, found[2], strict=True):
        kind, stored, digit, said = ((lines[0] if lines else "").split(" ", 3) + [""] * 3)[:4]
        if (kind, stored, said) != ("v", f"{pattern:0{width}x}", claim):
            reason = undecided(pattern, dtype, claim, found)
            require(reason, f"{name}: its call says {claim!r}")
            left[reason] += 1
            continue
        lines.popleft()
        well_formed = digit[:1] in ("+", "-", "=", "~") and digit[1:] and not set(digit[1:]) - HEXADECIMAL
        require(well_formed, f"{name}: the digits {digit!r}")
        taken.append((pattern, digit, claim))
    found = (*found[:2], [claim for *_, claim in taken])
    proofs = answers(len(taken), found, lambda k, x: intervals.proved(taken[k][0], dtype, taken[k][1], x))
    require(all(proofs), f"{name}: an element is not proved")


def written(name, dtype, bits, found, left):
    """The lines of an output; what has no certificate is counted in `left`."""
    digits, lines = answers(len(bits), found, lambda k, x: intervals.digits(bits[k], dtype, x)), []
    for one, digit, claim in zip(bits, digits, found[2], strict=True):
        if digit:
            lines.append(f"v {one:0{sum(FORMATS[dtype]) // 4}x} {digit} {claim}")
            continue
        reason = undecided(one, dtype, claim, found)
        require(reason, f"{name}: a value that is another number: {claim}")
        left[reason] += 1
    return [*heading(name, dtype, found), *lines]


def end_of(body):
    """The last line: the FNV-1a hash of the others, which notices damage; the proof trusts no hash."""
    total = 0xCBF29CE484222325
    for byte in body.encode("ascii"):
        total = (total ^ byte) * 0x100000001B3 % 2**64
    return f"end {total:016x}\n"


def check(corpus, path, suite, write):
    """(values proved, values, {reason: values that are not covered}); raises Refused at the first that is wrong."""
    cases, payload = read_suite(corpus, suite)
    first, made, proved, total, uncovered = f"refpos claims 1 {suite}", [], 0, 0, Counter()
    if not write:
        with open(path, "rb") as file:
            text = file.read().decode("ascii")
        body = text[: text.rstrip("\n").rfind("\n") + 1]
        require(text == body + end_of(body), "a damaged or truncated file")
        lines = deque(body.split("\n")[:-1])
        require(lines and lines.popleft() == first, "another first line")
    for name, dtype, bits, found, left in outputs_of(suite, cases, payload):
        count = len(bits) + left.total()
        if bits and write:
            made += written(name, dtype, bits, found, left)
        elif bits:
            checked(lines, name, dtype, bits, found, left)
        total, proved, uncovered = total + count, proved + count - left.total(), uncovered + left
    if write:
        body = "\n".join([first, *made, ""])
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(body + end_of(body))
    else:
        require(not lines, "more certificates than cases")
    return proved, total, uncovered


def main(words):
    write = "--write" in words
    given = [word for word in words if word != "--write"]
    if len(given) < 2 or any(word.startswith("-") for word in given):
        print(__doc__)
        return 2
    corpus, folder, *suites = given
    all_proved, status = 0, 0
    if write:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            print(f"refused: {error}")
            return 2
    for suite in suites or SUITES:
        try:
            proved, total, uncovered = check(corpus, os.path.join(folder, f"{suite}.txt"), suite, write)
        except (Refused, Uncovered, *UNUSABLE) as error:
            print(f"{suite}: refused: {error}")
            status = 1 if isinstance(error, Refused) and status < 2 else 2
            continue
        all_proved += proved
        print(f"{suite}: {proved} of {total} values {'written' if write else 'proved'}")
        for reason, count in sorted(uncovered.items()):
            print(f"    {count} not covered: {reason}")
    print(f"{all_proved} values {'written' if write else 'proved'}")
    return status or (0 if all_proved else 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
