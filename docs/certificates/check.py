"""Proves the golden corpus by integers alone, without refpos: python check.py CORPUS CERTIFICATES [SUITE ...]

With --write it writes the certificates, from the same derivation; docs/certificates.md explains files and proof.
Exit status: 0 all that is covered is proved, 1 a value is not, 2 a file cannot be used or nothing is proved.
"""

import os
import sys
from collections import Counter, deque

import claims
import intervals
from corpus import EIGHT_BITS, HEXADECIMAL, Refused, arguments, held, read_suite, require
from intervals import FORMATS, LEVELS, Uncovered, need

SUITES = sorted(claims.FUNCTIONS)
#: what reading a file that is not what it must be may raise
UNUSABLE = OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError


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
                try:
                    made[k] = made[k] or decide(k, intervals.value(values[k], thetas, factor))
                except Uncovered:  # a divisor or a size that more bits may decide
                    continue
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
