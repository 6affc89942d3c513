"""What is proved of integers and bits, by z3."""

from . import source
from .registry import query


@query
def grid():
    return {}


@query
def cauchy():
    return {}


@query
def rotations():
    return {}


@query
def rounding_tests():
    """The constants of the tests, and the code that has them."""
    text = source.text("ext/tables.h")
    source.holds(
        text,
        r"need_bits\(sure, lower_words\(u\[0\], u\[1\]\) \+ AWAY_32, REST_32\);",
        r"middle = format == FLOAT16 \? 0x1000 : 0x8000;",
        r"need_bits\(sure, \(VI\)\*x \+ middle, ALL\(VI, 2 \* middle - 1\)\);",
        r"VI z = \(VI\)f \+ AWAY_16;\s+return \(z << 3 & 0x7FFF0000u\) \| \(z & 0x80000000u\);",
        r"\*x = \(VI\)p \+ 0x8000u, \*y = \(VI\)q \+ 0x8000u;\s+need_zero\(sure, .*?, ALL\(VI, 0xFFFF0000u\)\);",
    )
    words = {
        name: source.only(rf"#define {name} ALL\(VI, ([^\n]+)\)\n", text) for name in ("AWAY_32", "REST_32", "AWAY_16")
    }
    numbers = {name: eval(word.replace("u", ""), {"__builtins__": {}}) % 2**32 for name, word in words.items()}
    return {name.lower(): f"#x{number:08x}" for name, number in numbers.items()}


@query
def upper_bits():
    """The masks of the three places."""
    pyx, kernels, powers = map(
        source.text, ("ext/compiled.pyx", "refpos/kernels/numpy_kernels.py", "refpos/arithmetic/powers.py")
    )
    cut = {
        *source.only(r"x1 = from_bits\(bits_of\(x\) & (0x\w+)ULL\).*?y1 = from_bits\(bits_of\(y\) & (0x\w+)ULL\)", pyx)
    }
    (mask,) = (int(number, 16) for number in cut)
    mask_numpy = int(source.only(r"return \(bits & np\.uint64\((0x\w+)\)\)\.view\(np\.float64\)", kernels), 16)
    bit, rounded = source.only(r"return \(bits \+ np\.uint64\(1 << (\d+)\) & np\.uint64\((0x\w+)\)\)", powers)
    words = {"cut": mask, "cut_numpy": mask_numpy, "added": 1 << int(bit), "rounded": int(rounded, 16)}
    return {name: f"#x{number:016x}" for name, number in words.items()}
