"""Rotations of float16 channels: cosines and sines as two floats each, and under which conditions a result passes."""

from fractions import Fraction

from . import gappa, registry, source
from .exact_sums import Bits
from .registry import FUSED, NOT_FUSED, power, proof, query
from .rotation_pairs import WAVES
from .rotation_vectors import CHANNELS_OF_VECTORS, VECTORS, in_order

PARTS = {"cos": "c", "sin": "s"}
#: in the order of the file
READ = (
    (
        r"rest \? to_s\(\(a - cut\(a\)\) \* 0x1p112, \(b - cut\(b\)\) \* 0x1p112\)"
        r" : to_s\(cut\(a\) \* 0x1p112, cut\(b\) \* 0x1p112\);"
    ),
    r"v\[j\] = format == BFLOAT16 \? to_s\(a, b\) : part_16\(a, b, k / 2\);",
    r"cos_rest = LOADS\(c \+ 2 \* plane\), sin_rest = LOADS\(c \+ 3 \* plane\);",
)


def halves(script):
    """Cosine and sine as the code takes them apart: the upper bits, and what they leave, rounded."""
    text = source.text(VECTORS)
    for pattern in READ:
        source.only(pattern, text)
    mask = int(source.only(r"cut\(VD v\) \{ return \(VD\)\(\(VQ\)v & (0x[\dA-F]+)ull\); \}", text), 16)
    made = {}
    for name, of in PARTS.items():
        upper = script.bind(name, Bits(gappa.Number(of)) & mask)
        script.lines.append(f"{name}_rest = single({of} - {name});")
        made |= {
            name: gappa.Number(upper.rounded, kind="single"),
            f"{name}_rest": gappa.Number(f"{name}_rest", kind="single"),
        }
    return made


def bits_of_channels():
    """Significant bits of the channels: of a float whose last bits are cut."""
    masks = source.only(
        r"x = \(VS\)\(\(VI\)\(\(VJ\)a >> 3\) & (0x[\dA-F]+)u\), y = \(VS\)\(\(VI\)\(\(VJ\)b >> 3\) & (0x[\dA-F]+)u\)",
        source.text(VECTORS),
    )
    (mask,) = {int(mask, 16) for mask in masks}
    return 24 - ((mask & -mask).bit_length() - 1)


@proof(*(f"{how}, {channel}" for how in (FUSED, NOT_FUSED) for channel in CHANNELS_OF_VECTORS))
def rotation_split(variant):
    how, channel = variant.split(", ")
    of_cosine, of_sine, _, sign = CHANNELS_OF_VECTORS[channel]
    script = gappa.Script()
    sums = source.only(
        r"const VS p = (fnma_s\([^;]*?\));\s+const VS q = (fma_s\([^;]*?\));\s+const VI z = \(VI\)p \+",
        source.text(VECTORS),
    )
    _, operations = in_order(script, how == FUSED)
    channels = {name: gappa.Number(of, kind="single") for name, of in ((of_cosine, "x"), (of_sine, "y"))}
    values = halves(script) | channels | operations
    script.bind("result", eval(sums[list(CHANNELS_OF_VECTORS).index(channel)], {"__builtins__": {}}, values))
    first = source.only(
        r"^sum1 = single(\(.*\));$", "\n".join(line for line in script.lines if line.startswith("sum1 = "))
    )
    return {**script.filled(), "sign": sign, "bits": str(bits_of_channels()), "first": first}


@query
def split_conditions():
    """The limit, over the larger channel, and what is tested of the bits of a result."""
    text, tables = source.text(VECTORS), source.text("ext/tables.h")
    for pattern in (
        r"size = larger\(x, y\);\s+const VS cos_rest",
        (
            r"need_above\(sure, smaller\(p, q\), fma_s\(size, k->limit, k->floor\)\);\s+"
            r"need_above\(sure, k->most, size\);\s+\*u = z << 3"
        ),
        r"\*u = z << 3 \| \(z & 0x80000000u\), \*v = w << 3 \| \(w & 0x80000000u\);",
        r"k\.floor = ALL\(VS, 0x1\.01p-14f\),\s+k\.most = ALL\(VS, \(float\)\(0x1p-97 / larger\)\);",
    ):
        source.only(pattern, text)
    more = source.only(r"z = \(VI\)p \+ \(AWAY_16 \+ (\d)\), w = \(VI\)q \+ \(AWAY_16 \+ \1\);", text)
    away = eval(source.only(r"#define AWAY_16 ALL\(VI, (.*?)\)\n", tables).replace("u", ""), {"__builtins__": {}})
    dropped = source.only(
        r"need_bits\(sure, z, ALL\(VI, (0x[\dA-F]+)u\)\);\s+need_bits\(sure, w, ALL\(VI, \1u\)\);", text
    )
    scale = source.only(r"k\.limit = ALL\(VS, \(float\)\(job->radius \* \(ROTATE_SPLIT \* (0x[\d.]+p\d+)\)\)\)", text)
    limit = Fraction(source.constants(WAVES)["DOUBLE_RADIUS"] * source.defined("ext/rows.h", "ROTATE_SPLIT"))
    return {
        "bound": real(power(registry.stated()["rotation_split"])[1]),
        "limit": real(limit * Fraction(float.fromhex(scale)) / 2**112),
        "away": f"#x{(away + int(more)) % 2**32:08x}",
        "dropped": f"#x{int(dropped, 16):08x}",
    }


def real(value):
    """A fraction as z3 reads it."""
    return f"(/ {value.numerator}.0 {value.denominator}.0)"
