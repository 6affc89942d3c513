"""Phases: a position times the limbs of a frequency, cut to 64 or 96 bits, and the knot and angle they give."""

import re
import textwrap
from fractions import Fraction

from . import registry, source, words
from .registry import query

HEADER, CYTHON, IN_NUMPY = "ext/seeds.h", "ext/compiled.pyx", "refpos/kernels/numpy_seeds.py"
LIMBS = range(5)


def numpy_words():
    """Words that the NumPy module defines, and what it calls."""
    found = re.findall(r"^([A-Z][A-Z\d_]*) = np\.uint64\((.+?)\)(?:  #.*)?$", source.text(IN_NUMPY), re.MULTILINE)
    return {name: eval(value, {"__builtins__": {}}) for name, value in found} | {"np": words.NumPy}


def given(script, *names):
    return [words.Word(script, name, limbs={name: 1}) for name in names]


def in_numpy(script, is_large):
    """What `turns` returns for positions of more than 32 bits, or for others."""
    turns, _ = source.functions(IN_NUMPY, ("turns", "_upper_bits"), numpy_words())
    return dict(zip(("turns", "next"), turns(words.Multiplier(script, is_large), words.Limbs(script)), strict=True))


def one_by_one(first, last, values):
    """The statements of `seed_entry` between those that begin so, run with words; numbers that end in a power of two,
    as of TWO_37, are the integers times it."""
    text, numbers = source.text(CYTHON), source.constants(CYTHON)
    text = source.only(rf"\n(    {re.escape(first)}.*?\n    {re.escape(last)}[^\n]*\n)", text)
    for name, bits in re.findall(r"\* (TWO_(\d+))\n", text):
        if numbers[name] != 2.0 ** -int(bits):
            raise ValueError(f"{name} must be 2**-{bits}, got {numbers[name]}")
    text = re.sub(r"<double> (.*) \* TWO_\d+\n", r"\1\n", re.sub(r"(?<=[\dA-F])U?LL\b", "", text))
    text = re.sub(r"<i64> (\(.*?\))(?= [-+]|\)?$)", r"\1.view(np.int64)", text, flags=re.MULTILINE)
    exec(textwrap.dedent(re.sub(r"<\w+> \(", "(", text)), values)
    return values


def of_entry(script):
    """The turns of `seed_entry`, to which the whole turns are added that it drops, and the next 32 bits."""
    source.only(r"cdef u64 low = size & 0xFFFFFFFFULL, high = size >> 32\n", source.text(CYTHON))
    low, high = given(script, "low", "high")
    values = {"low": low, "high": high, "phase": words.Limbs(script), "range": range, "carry_high": 0, "top": 0}
    made = one_by_one("carry = ", "        top |= ", values | {"t": type("Task", (), {"half": 1})})
    return {"turns": made["top"] + (made["carry"] + made["carry_high"] << 64), "next": made["next32"]}


def in_vectors(script, function, flip=0, last=None, **values):
    """The values of a function of the vector code, run with words."""
    text = source.text(HEADER)
    source.holds(
        text,
        r"INLINE VQ multiply\(VQ a, VQ b\) \{ /\* of lanes below 2\*\*32 \*/\n#if defined\(MM\)\n",
        r"\n    return \(VQ\)MM\(mul_epu32\)\(\(MI\)a, \(MI\)b\);\n#else\n    return a \* b;\n#endif\n\}",
        r"low = size & 0xFFFFFFFFull, high = size >> 32, flip = negative \? ~\(uint64_t\)0 : 0;",
        r"\(multiplier\)\{ALL\(VQ, low\), ALL\(VQ, high\), ALL\(VQ, flip\), high != 0\};",
        r"#define LIMB\(k\) LOADQ\(phases\[k\] \+ i\)",
    )
    low, high = given(script, "low", "high")
    by = type("Multiplier", (), {"low": low, "high": high, "flip": flip})
    values |= {"by": by, "LIMB": words.Limbs(script).__getitem__, "multiply": words.Word.__mul__}
    values |= {**dict.fromkeys(("phases", "i", "VQ")), "ALL": lambda kind, value: value}
    return source.run(source.read(HEADER, function, None, last, "by->large"), values)


@query
def frequencies():
    """A work of more bits than the phase, the exponent of the position and the spare ones makes A so small."""
    text = source.text("refpos/steps/angles/phases.py")
    source.holds(
        text,
        r"bits = 32 \* LIMBS\n    growth, work = _precision\(1, exponent, bits\)\n",
        r"return growth, -\(-\(bits \+ growth\) // 256\) \* 256\n",
        r"size = max\(work, theta\.bit_length\(\)\) \+ growth\n",
        r"// fixed_point\.pi\(size\) >> work - bits - exponent\n    return turns & \(1 << bits\) - 1\n",
    )
    if source.only(r"\nLIMBS = (\d+) ", text) != str(len(LIMBS)):
        raise ValueError(f"a phase must have {len(LIMBS)} limbs, got others")
    spare = source.only(r"growth = max\(0, multiplier\.bit_length\(\) \+ exponent\) ([-+] \d+)\n", text)
    shift = source.only(r"turns = \(theta \* multiplier << size - (\d+)\) //", text)
    numbers = {"spare": Fraction(2) ** int(spare.replace(" ", "")), "shift": Fraction(2) ** int(shift)}
    return {name: f"(/ {value.numerator} {value.denominator})" for name, value in numbers.items()}


@query
def phases():
    """Where the upper bits of a position are 0, what is done `if (by->large)` adds 0. The product of both upper limbs
    is whole turns."""
    made, low, high = {}, [f"low_f{k}" for k in LIMBS], [f"high_f{k}" for k in LIMBS[:-1]]
    for name, function, flip in (
        ("pair", "turns_96", 0), ("flipped", "turns_96", -1), ("short", "turns_64", 0), ("opposite", "turns_64", -1)
    ):  # fmt: skip
        script = words.Script()
        found = in_vectors(script, function, flip)
        made |= script.filled(name, turns=found["returned"], next=found.get("next", found["returned"]))
    for name, function, *given_too in (("scalar", of_entry), ("small", in_numpy, False), ("large", in_numpy, True)):
        script = words.Script()
        made |= script.filled(name, **function(script, *given_too))
    sizes = [f"(<= 0 {name} largest_of_low)" for name in low]
    sizes += [f"(<= (- largest_of_high) {name} largest_of_high)" for name in high]
    return {
        **made,
        "products": "\n".join(
            [f"(declare-const {name} Int)" for name in low + high] + [f"(assert {size})" for size in sizes]
        ),
        "exact": " ".join(
            f"(* {2 ** (32 * k + at)} {names[k]})" for names, at in ((low, 0), (high, 32)) for k in range(len(names))
        ),
        "of_sizes": "\n".join(f"(assert (<= 0 {name}))" for name in high),
        "without_high": "\n".join(f"(assert (= 0 {name}))" for name in high),
        "limit": str(int(registry.power(registry.bits_of("phases", ""))[0] * 2**160)),
    }


@query
def places():
    """`exact_double` takes the bits of an integer below 2**52 for those of a double."""
    made = {}

    def known():
        script = words.Script()
        return script, *(words.Word(script, name) for name in ("turns", "next"))

    def exact_double(word, less):
        word.script.needed.append(f"(<= 0 {word.term} {2**52 - 1})")
        return word - int(less)

    script, turns, below = known()
    values = {"exact_double": exact_double, "turns_96": lambda *_: turns, "turns_64": lambda *_: turns, "next": below}
    found = in_vectors(script, "place_pair", last="low", **values)
    made |= script.filled("pair", knot=found["knot"], high=found["high"], low=found["low"])
    script, turns, below = known()
    found = in_vectors(script, "place", **{**values, "turns_64": lambda *_: turns})
    made |= script.filled("double", knot=found["knot"], x=found["x"])
    script, turns, below = known()
    found = one_by_one("top = top", "distance_low", {"top": turns, "next32": below, "np": words.NumPy})
    made |= script.filled("scalar", knot=found["knot"], high=found["distance_high"], low=found["distance_low"])
    script, turns, below = known()
    (place,) = source.functions(IN_NUMPY, ("_knot_and_distance",), numpy_words() | {"turns": lambda *_: (turns, below)})
    knot, distance, rest = place(None, None)
    return made | script.filled("numpy", knot=knot, distance=distance, next=rest, left=distance & 2**11 - 1)
