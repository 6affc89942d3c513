"""What the proofs of phases and of the rounding test make of the source: integers and words behave as the code's do."""

import re
from fractions import Fraction

import numpy as np
import pytest
from bounds import ends, phases, registry, source, words

from refpos.kernels import numpy_seeds

LIMBS = np.random.default_rng(1).integers(0, 2**32, (5, 40)).astype(np.uint64)
POSITIONS = np.random.default_rng(2).integers(-(2**53), 2**53, 60, endpoint=True)


def exact_turns(position, column):
    phase = sum(int(limb) << 32 * k for k, limb in enumerate(LIMBS[:, column]))
    return position * phase % 2**160


def test_the_code_of_one_entry_that_is_read_gives_the_upper_96_bits():
    for position in POSITIONS.tolist():
        size = abs(position)
        for column in (0, 7, 39):
            values = {"low": size & 2**32 - 1, "high": size >> 32, "phase": LIMBS[:, column].tolist(), "range": range}
            values |= {"carry_high": 0, "top": 0, "t": type("Task", (), {"half": 1})}
            made = phases.one_by_one("carry = ", "        top |= ", values)
            off = exact_turns(size, column) - ((made["top"] << 32 | made["next32"]) << 64)
            assert 0 <= off < 2**64


def test_turns_of_numpy_that_are_read_are_those_of_the_kernel():
    turns, _ = source.functions(phases.IN_NUMPY, ("turns", "_upper_bits"), {**vars(numpy_seeds)})
    made, known = turns(POSITIONS, LIMBS), numpy_seeds.turns(POSITIONS, LIMBS)
    assert all(np.array_equal(one, other) for one, other in zip(made, known, strict=True))
    for (row, column), upper in np.ndenumerate(made[0]):
        off = exact_turns(int(POSITIONS[row]), column) - ((int(upper) << 32 | int(made[1][row, column])) << 64)
        assert 0 <= off % 2**160 < 2**64


def solved(script, word, known):
    """A word's term for given unknowns: each part that words are taken apart into is what its equation says."""
    values = dict(known)
    pattern = r"\(assert \(= (.*) \(\+ \(\* \d+ (\w+)\) \(\* (\d+) (\w+)\) (\w+)\)\)\)"
    for term, whole, unit, upper, lower in re.findall(pattern, "\n".join(script.lines)):
        number = value_of(term, values) % 2**64
        values |= {
            upper: number // int(unit),
            lower: number % int(unit),
            whole: (value_of(term, values) - number) >> 64,
        }
    return value_of(word.term, values)


def value_of(term, values):
    """A term of z3 as an integer."""
    tokens = re.findall(r"[()]|[^\s()]+", term)

    def read(k):
        if tokens[k] != "(":
            return (values[tokens[k]] if tokens[k] in values else int(tokens[k])), k + 1
        operation, parts, k = tokens[k + 1], [], k + 2
        while tokens[k] != ")":
            part, k = read(k)
            parts.append(part)
        if operation == "*":
            return parts[0] * parts[1], k + 1
        return (sum(parts) if operation == "+" else parts[0] - sum(parts[1:]) if parts[1:] else -parts[0]), k + 1

    return read(0)[0]


@pytest.mark.parametrize("value", [0, 1, 2**32 - 1, 2**53, 2**63, 0xDEADBEEFCAFEF00D, 2**64 - 1])
def test_words_are_those_of_64_bits(value):
    for code in (
        "w >> 27 & 0x3FFFFFF", "(w & 0x7FFFFFF) << 25 | w >> 39", "w + (1 << 52) >> 53", "(w ^ -1) & 0xFFFFFFFF",
        "(w << 11) ^ (1 << 63)", "w - 5 >> 3",
    ):  # fmt: skip
        script = words.Script()
        made = solved(script, eval(code, {"w": words.Word(script, "w")}), {"w": value})
        assert made % 2**64 == int(eval(code, {"w": Machine(value)})), code


class Machine:
    """The same words of Python's integers."""

    def __init__(self, value):
        self.value = int(value) % 2**64

    def __int__(self):
        return self.value

    def __and__(self, other):
        return Machine(self.value & int(other))

    def __or__(self, other):
        return Machine(self.value | int(other))

    def __xor__(self, other):
        return Machine(self.value ^ int(other))

    def __add__(self, other):
        return Machine(self.value + int(other))

    def __sub__(self, other):
        return Machine(self.value - int(other))

    def __lshift__(self, bits):
        return Machine(self.value << bits)

    def __rshift__(self, bits):
        return Machine(self.value >> bits)


def test_words_refuse_what_they_cannot_say():
    script = words.Script()
    word, other = words.Word(script, "w"), words.Word(script, "v")
    for wrong in (lambda: word & 5, lambda: word | other, lambda: word ^ 3):
        with pytest.raises(ValueError, match="must be"):
            wrong()
    with pytest.raises(ValueError, match="lower bits"):
        _ = words.Multiplier(script, True) & 7
    with pytest.raises(ValueError, match=r"must have functions \('turns', 'absent'\), got 1"):
        source.functions(phases.IN_NUMPY, ("turns", "absent"), {})


def test_numbers_of_the_small_format_are_rounded_to_nearest_even():
    numbers = sorted({n * sign for n in [*ends.NUMBERS, 64] for sign in (-1, 1)})
    for n in range(-64, 65):
        nearest = min(abs(m - n) for m in numbers)
        found = [m for m in numbers if abs(m - n) == nearest]
        assert ends.rounded(n) in found and len(found) <= 2
        # of two neighbours the even one is a multiple of twice their distance
        assert len(found) == 1 or ends.rounded(n) % (2 * (found[1] - found[0])) == 0
    assert ends.rounded(9) == 8 and ends.rounded(11) == 12 and ends.rounded(-13) == -12


def test_ends_without_a_radius_are_refused():
    good = "leading + (rest - radius)", "leading + (rest + radius)", "leading + rest"
    ends._try(good, 0)
    with pytest.raises(ValueError, match="must round to one number"):
        ends._try(("leading + rest", *good[1:]), 0)
    with pytest.raises(ValueError, match="must have one test"):
        ends._ends(ends.PYX, "leading rest radius", "no such code")


def test_queries_have_the_bounds_of_the_page():
    assert registry.stated()["phases"] == "93.9"
    assert int(phases.phases()["limit"]) == int(registry.power("93.9")[0] * 2**160) < Fraction(2) ** 66.2
