"""Certificates of golden values: proved by integers in Python and in C (docs/certificates), refused where damaged."""

import ast
import itertools
import random
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import mpmath
import pytest
from tiers import sampled

ROOT = Path(__file__).resolve().parent.parent
CHECKERS = ROOT / "docs" / "certificates"
CORPUS = ROOT / "refpos" / "golden" / "data"
SMALL = ("alibi_slopes", "linear", "longrope")
ROTATION = "mrope"  # of which one case is proved in the fast tier
#: suites with each form of a formula: copies, sums of elements, weights of filters, multiples of pi, exponentials,
#: powers and logarithms, waves of sums
FORMS = ("learned", "mean_of_rows", "resize_bias", "axial_frequencies", "decay", "kerple", "time2vec")
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZED = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@pytest.fixture(scope="module")
def checker():
    """The modules of the checker in Python."""
    sys.path.insert(0, str(CHECKERS))
    try:
        import check
    finally:
        sys.path.remove(str(CHECKERS))
    return check


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    made = tmp_path_factory.mktemp("check") / "check"
    subprocess.run(["cc", *FLAGS, "-O2", "-o", made, CHECKERS / "check.c"], check=True)
    return made


@pytest.fixture(scope="module")
def folder(checker, tmp_path_factory):
    """Certificates of the small suites."""
    made = tmp_path_factory.mktemp("certificates")
    assert checker.main([str(CORPUS), str(made), *SMALL, *FORMS, ROTATION, "--write"]) == 0
    return made


def run(program, *paths):
    return subprocess.run([program, *paths], capture_output=True, text=True)


def last_line(text):
    return text.splitlines()[-1]


def sealed(checker, body):
    """The text of a certificate with its last line, so that a checker has to look at the values."""
    return body + checker.end_of(body)


def body_of(path):
    text = path.read_text()
    return text[: text.rindex("end ")]


def one_case(folder):
    """The lines of a certificate of a single case: rotations at several positions, and copies."""
    first, *lines = body_of(folder / f"{ROTATION}.txt").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("case ")]
    return [first, *lines[starts[0] : starts[1]]]


def claimed_case(folder, suite, rng):
    """The lines of a random certificate of a suite, with at most 40 of its values."""
    first, *lines = body_of(folder / f"{suite}.txt").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("case ")] + [len(lines)]
    a, b = rng.choice([(a, b) for a, b in itertools.pairwise(starts) if lines[b - 1].startswith("v ")])
    head, values = ([line for line in lines[a:b] if line.startswith("v ") == kind] for kind in (False, True))
    return [first, *head], values[: 1 + rng.randrange(40)]


def flipped(rng, text):
    """One bit of one character changed, to a character that ends no line."""
    while True:
        k, bit = rng.randrange(len(text)), rng.randrange(7)
        new = chr(ord(text[k]) ^ 1 << bit)
        if new not in "\n\0":
            return text[:k] + new + text[k + 1 :]


# -- proofs -----------------------------------------------------------------------------------------------------------


def test_both_prove_small_suites(checker, folder, in_c, capsys):
    assert checker.main([str(CORPUS), str(folder), *SMALL]) == 0
    said = capsys.readouterr().out
    proved = run(in_c, *(folder / f"{suite}.txt" for suite in SMALL))
    assert proved.returncode == 0, proved.stdout + proved.stderr
    count = sum(body_of(folder / f"{suite}.txt").count("\nv ") for suite in SMALL)
    assert last_line(said) == last_line(proved.stdout) == f"{count} values proved"
    assert count == 1966, "of alibi_slopes, linear and longrope"


def test_a_rotation_is_proved_in_c(checker, folder, in_c, tmp_path):
    path = tmp_path / "one.txt"
    path.write_text(sealed(checker, "\n".join(one_case(folder)) + "\n"))
    assert last_line(run(in_c, path).stdout) == "48 values proved"


@pytest.mark.exhaustive
def test_both_prove_each_form(checker, folder, in_c, capsys):
    assert checker.main([str(CORPUS), str(folder), *FORMS]) == 0
    said = capsys.readouterr().out
    proved = run(in_c, *(folder / f"{suite}.txt" for suite in FORMS))
    assert proved.returncode == 0, proved.stdout + proved.stderr
    count = sum(body_of(folder / f"{suite}.txt").count("\nv ") for suite in FORMS)
    assert last_line(said) == last_line(proved.stdout) == f"{count} values proved"
    assert count == 12844 + 2062, "of the suites of FORMS"


@pytest.mark.exhaustive
def test_sanitizers_find_nothing(checker, folder, tmp_path):
    made = tmp_path / "check"
    subprocess.run(["cc", *FLAGS, *SANITIZED, "-o", made, CHECKERS / "check.c"], check=True)
    lines, rng = one_case(folder), random.Random(5)
    path = tmp_path / "one.txt"
    path.write_text(sealed(checker, "\n".join(lines) + "\n"))
    assert run(made, path, folder / "longrope.txt").returncode == 0
    for _ in range(30):
        path.write_text(sealed(checker, flipped(rng, "\n".join(lines)) + "\n"))
        done = run(made, path)
        assert done.returncode in (0, 1, 2) and "runtime error" not in done.stderr, done.stderr
        assert "Sanitizer" not in done.stderr, done.stderr


def test_the_example_of_the_page_is_in_the_file(folder):
    first, *lines = (ROOT / "docs" / "certificates.md").read_text().split("```text\n")[1].split("```")[0].splitlines()
    body = body_of(folder / "longrope.txt")
    assert body.startswith(f"{first}\n") and "\n".join(["", *lines, ""]) in body


def test_intervals_hold_the_numbers_of_mpmath(checker):
    """At random arguments and few bits, where an error bound that is too small shows."""
    intervals, rng = checker.intervals, random.Random(6)
    functions = {"ln": mpmath.log, "sqrt": mpmath.sqrt, "pi *": lambda x: x * mpmath.pi}
    with intervals.Precision(64), mpmath.workprec(2000):
        for _ in range(300):
            n, d, p = rng.randrange(1, 10**6), rng.randrange(1, 10**4), rng.randrange(-(10**5), 10**5)
            x = mpmath.mpf(n) / d
            enclosed = [(intervals.formula(f"{n}/{d} {name}"), f(x)) for name, f in functions.items()]
            power = f"{n}^{p % 7 - 9}/{d % 64 + 1}"
            exact_power = mpmath.mpf(n) ** (mpmath.mpf(p % 7 - 9) / (d % 64 + 1))
            cos, sin = intervals.waves(str(p), power)
            enclosed += [(intervals.formula(power), exact_power), (cos, mpmath.cos(p * exact_power))]
            at = rng.randrange(-(2**65), 2**65)
            point, shown = (at, at), mpmath.mpf(at) / 2**64
            of_point = zip(intervals.cos_sin(point), (mpmath.cos(shown), mpmath.sin(shown)), strict=True)
            enclosed += [*of_point, (intervals.exp(point), mpmath.exp(shown))]
            for (low, high), value in [*enclosed, (sin, mpmath.sin(p * exact_power))]:
                assert low <= value * 2**64 <= high, (n, d, p)
                assert high - low < 2**50, "an interval that holds everything proves nothing"
    intervals.KNOWN.clear()


def test_quotients_that_have_no_more_digits_are_exact(checker):
    intervals = checker.intervals
    for text, n in (("21 7 /", 3), ("-21 7 / 2 *", -6), ("1/3 3 1/3 * -", None), ("1@300 3 * 1@-20 3 * /", 2**320)):
        low, high = intervals.formula(text)
        assert (low == high == n << 256) if n is not None else low < high
    low, high = intervals.formula("-1 3 /")
    assert 3 * low < -1 << 256 < 3 * high and high - low == 1
    with pytest.raises(checker.Uncovered, match="may be 0"):
        intervals.formula("1 0 /")
    intervals.KNOWN.clear()


def random_formula(rng):
    """A formula with each operator, of numbers that are never near 0 where it matters, and its number by mpmath."""
    a, b, c = (rng.randrange(1, 10**6) for _ in range(3))
    x, y, z = (mpmath.mpf(one) / 1000 for one in (a, b, c))
    words = {
        f"{a}/1000 {b}/1000 / {c}/1000 -": x / y - z,
        f"{a}/1000 ln {b}/100000 * exp {c}/1000 /": x ** (y / 100) / z,
        f"-{a}/100000 exp cos {b}/1000 t0 * sin * {c}/1000 +": mpmath.cos(mpmath.exp(-x / 100)) * mpmath.sin(y / 3) + z,
        f"{a}/1000 sqrt {b}/1000 pi * cos - {c}/1000 f * *": (mpmath.sqrt(x) - mpmath.cos(y * mpmath.pi)) * z * 7,
        f"-{a}/1000 {c}/1000 * {b}/1000 /": -x * z / y,
    }
    return rng.choice(list(words.items()))


@pytest.mark.parametrize("count", sampled((20, 600), 2))
def test_both_prove_random_formulas_of_mpmath(checker, in_c, tmp_path, count):
    """And refuse them with the neighbour of the number."""
    rng, path, head = random.Random(9), tmp_path / "one.txt", ["refpos claims 1 rope", "case rope/x/output 53 11"]
    head += ["t 1 3 /", "f 49 sqrt"]
    found = ("1 3 /",), "49 sqrt"
    lines, neighbours = [], []
    with mpmath.workprec(400):
        formulas = [random_formula(rng) for _ in range(count)]
    for formula, value in formulas:
        (bits,) = struct.unpack(">Q", struct.pack(">d", float(value)))
        (digits,) = checker.answers(
            1, (*found, [formula]), lambda _, x, b=bits: checker.intervals.digits(b, "float64", x)
        )
        assert digits, formula
        lines.append(f"v {bits:016x} {digits} {formula}")
        neighbours.append(f"v {bits ^ 1:016x} {digits} {formula}")
    path.write_text(sealed(checker, "\n".join([*head, *lines, ""])))
    assert last_line(run(in_c, path).stdout) == f"{count} values proved"
    for line in neighbours[:20]:
        path.write_text(sealed(checker, "\n".join([*head, line, ""])))
        assert run(in_c, path).returncode == 1


SMALLEST = "-6000 exp"  # which rounds to 0 in every format
EDGES = [
    ("float64", "0000000000000000", "+0", SMALLEST, True),
    ("float64", "8000000000000000", "+0", SMALLEST, False),
    ("float64", "8000000000000000", "+0", f"{SMALLEST} -3 *", True),
    ("float64", "0000000000000000", "+0", f"{SMALLEST} -3 *", False),
    ("float32", "80000000", "+0", "-1@900 exp 5 cos * 3 cos *", True),
    ("float32", "00000000", "+0", f"{SMALLEST} {SMALLEST} -", False),  # exactly 0, of which intervals know no sign
    ("float32", "00000000", "=0", "0@-300", True),
    ("float32", "80000000", "+0", "0@-300 -1 *", False),
    ("float32", "00000000", "+0", "0@-300", False),
    ("float32", "00000000", "+0", "5@-300", True),
    ("float32", "00000001", "-0", SMALLEST, False),
    ("float16", "7c00", "=0", "760 exp", True),
    ("float16", "fc00", "=0", "760 exp", False),
    ("float8_e4m3fn", "7e", "=8", "464", True),  # halfway between 448 and 480, of which 448 is even
    ("float8_e4m3fn", "7e", "+8", "929 2 /", False),
    ("float8_e4m3fn", "78", "=0", "256", True),
    ("float8_e4m3fn", "00", "=8", "1@-10", True),
    ("float8_e4m3fn", "01", "~8", "1@-10", False),
    ("float8_e4m3fn", "80", "+7", "1@-10 10 exp 1 + 10 exp / * 7/8 * -1 *", True),
    ("float8_e5m2", "7b", "=8", "61440", False),  # halfway to 65536, which is infinity
    ("float8_e5m2", "7c", "=0", "61440", True),
    ("float8_e5m2", "7b", "=7ff8", "61439", True),
    ("float8_e5m2", "7b", "+7", "61439", False),  # 8 behind the point is infinity, so that 7 decides nothing
    ("float8_e5m2", "fc", "=0", "-inf", True),
]


@pytest.mark.parametrize("dtype, bits, digits, formula, true", sampled(EDGES, 4, several=True))
def test_both_agree_on_zeros_infinity_and_8_bits(checker, in_c, tmp_path, dtype, bits, digits, formula, true):
    found = checker.answers(
        1, ([], "1", [formula]), lambda _, x: checker.intervals.proved(int(bits, 16), dtype, digits, x)
    )
    assert found == [true]
    precision, width = checker.FORMATS[dtype]
    body = f"refpos claims 1 x\ncase x/x/output {precision} {width}\nf 1\nv {bits} {digits} {formula}\n"
    (tmp_path / "one.txt").write_text(sealed(checker, body))
    assert run(in_c, tmp_path / "one.txt").returncode == (0 if true else 1)


@pytest.mark.parametrize("line", ["w 00 =0 0", "vv 00 =0 0", "f(1", "", "tt 1"])
def test_a_line_of_another_kind_is_refused(checker, in_c, tmp_path, line):
    for more, code in (("", 0), (f"{line}\n", 2)):
        body = f"refpos claims 1 x\ncase x/x/output 4 4\nf 1\nv 00 =0 0\n{more}"
        (tmp_path / "one.txt").write_text(sealed(checker, body))
        assert run(in_c, tmp_path / "one.txt").returncode == code


@pytest.mark.parametrize("bits, size", [("7f", "4 4"), ("ff", "4 4"), ("7d", "3 5")])
def test_nan_of_8_bits_is_refused(checker, in_c, tmp_path, bits, size):
    body = f"refpos claims 1 x\ncase x/x/output {size}\nf 1\nv {bits} =0 480\n"
    (tmp_path / "one.txt").write_text(sealed(checker, body))
    done = run(in_c, tmp_path / "one.txt")
    assert done.returncode == 2 and "NaN" in done.stderr
    with pytest.raises(checker.Uncovered, match="NaN"):
        checker.intervals.parts(int(bits, 16), {"4 4": "float8_e4m3fn", "3 5": "float8_e5m2"}[size])


# -- refusals ---------------------------------------------------------------------------------------------------------


BAD = ["{} 1", "t0 {}", "{} *", "t1 {} *", "t {} *", "c {}", "c {} 0", "c {} t0 t0", "r {} {} t0", "{} 0 /", "t0x {} *"]


@pytest.mark.parametrize("claim", sampled([*BAD, "{} 1@1000 1@1000 * *", "{} 1@1000 1@-1000 / *"], 4))
def test_a_claim_that_is_no_formula_is_refused_in_c(checker, in_c, tmp_path, claim):
    """The words that may be left out or are too many leave the number of the first claim, which is proved."""
    n = "725913053571171@-48"
    for one, codes in ((n, (0,)), (f"t0 {n} *", (0,)), (claim.format(n, n), (2,))):
        body = "refpos claims 1 rope\ncase rope/x/output 53 11\nt 1\nf 1\n" + f"v 4004a1b66d914318 =0 {one}\n"
        (tmp_path / "one.txt").write_text(sealed(checker, body))
        assert run(in_c, tmp_path / "one.txt").returncode in codes, one


@pytest.mark.parametrize("count", sampled((40, 200), 2))
def test_flipped_bits_of_values_are_refused(checker, folder, in_c, tmp_path, count):
    """In the stored bits, the digits and the claims, under a right hash: the arithmetic refuses them."""
    lines, rng = one_case(folder), random.Random(1)
    path, values = tmp_path / "flipped.txt", [k for k, line in enumerate(lines) if line.startswith("v ")]
    for turn in range(count):
        k = rng.choice(values)
        words = lines[k].split(" ")
        place = 1 + turn % 2 if turn < count * 4 // 5 else rng.randrange(3, len(words))
        words[place] = flipped(rng, words[place])
        path.write_text(sealed(checker, "\n".join([*lines[:k], " ".join(words), *lines[k + 1 :]]) + "\n"))
        assert run(in_c, path).returncode in (1, 2), words


@pytest.mark.parametrize("count", sampled((14, 210), 2))
def test_flipped_bits_of_each_form_are_refused_in_c(checker, folder, in_c, tmp_path, count):
    """A flipped formula is refused too, unless another true one stands there, which the Python program refuses."""
    rng, path, true = random.Random(7), tmp_path / "flipped.txt", 0
    for turn in range(count):
        head, values = claimed_case(folder, FORMS[turn % len(FORMS)], rng)
        k = rng.randrange(len(values))
        kind, bits, digits, claim = values[k].split(" ", 3)
        place = turn // len(FORMS) % 3
        words = [bits, digits, claim]
        words[place] = flipped(rng, words[place])
        path.write_text(
            sealed(checker, "\n".join([*head, *values[:k], " ".join([kind, *words]), *values[k + 1 :], ""]))
        )
        code = run(in_c, path).returncode
        if code == 0 and place == 2:
            true += is_true(checker, head, words)
            continue
        assert code in (1, 2), values[k]
    assert true < count // 10


def is_true(checker, head, words):
    """Whether the arithmetic of the Python program proves a line that its derivation refuses."""
    thetas, dtype = [line[2:] for line in head if line.startswith("t ")], head[1].split(" ")[2:]
    (factor,) = (line[2:] for line in head if line.startswith("f "))
    (dtype,) = (name for name, sizes in checker.FORMATS.items() if list(map(str, sizes)) == dtype)
    found = checker.answers(
        1, (thetas, factor, [words[2]]), lambda _, x: checker.intervals.proved(int(words[0], 16), dtype, words[1], x)
    )
    assert found == [True], words
    return True


@pytest.mark.parametrize("suite", ["mean_of_rows", "decay", "resize_bias", "axial_frequencies"])
@pytest.mark.parametrize("count", sampled((3, 60), 2))
def test_flipped_bits_of_each_form_are_refused(checker, folder, tmp_path, capsys, suite, count):
    text, rng = body_of(folder / f"{suite}.txt"), random.Random(8)
    for _ in range(count):
        (tmp_path / f"{suite}.txt").write_text(sealed(checker, flipped(rng, text)))
        assert checker.main([str(CORPUS), str(tmp_path), suite]) in (1, 2)


@pytest.mark.parametrize("count", sampled((40, 200), 2))
def test_flipped_bits_of_certificates_are_refused(checker, folder, tmp_path, capsys, count):
    text, rng = body_of(folder / "alibi_slopes.txt"), random.Random(2)
    for _ in range(count):
        (tmp_path / "alibi_slopes.txt").write_text(sealed(checker, flipped(rng, text)))
        assert checker.main([str(CORPUS), str(tmp_path), "alibi_slopes"]) in (1, 2)


def test_200_flipped_bits_of_the_corpus_are_not_proved(checker):
    """By the arithmetic alone, without digests: of random values of four formats."""
    rng, count = random.Random(3), 0
    intervals = checker.intervals
    for suite in ("alibi_slopes", "linear", *FORMS):
        cases, payload = checker.read_suite(CORPUS, suite)
        for _, dtype, bits, found, _ in checker.outputs_of(suite, cases, payload):
            bits, found = bits[:20], (*found[:2], found[2][:20])
            texts = checker.answers(len(bits), found, lambda k, x, b=bits, d=dtype: intervals.digits(b[k], d, x))
            for k in range(len(bits)):
                other = bits[k] ^ 1 << rng.randrange(sum(checker.FORMATS[dtype]))
                x = intervals.value(found[2][k], found[0], found[1])
                if not intervals.proved(bits[k], dtype, texts[k], x):  # of a number that needs more bits
                    continue
                if intervals.infinite(other, dtype):
                    continue
                assert not intervals.proved(other, dtype, texts[k], x) and intervals.digits(other, dtype, x) is None
                count += 1
    assert count > 2000


def test_a_flipped_bit_in_a_document_is_refused(checker, folder, tmp_path, capsys):
    for name in ("alibi_slopes.json", "alibi_slopes.safetensors"):
        for path in CORPUS.glob("alibi_slopes.*"):
            shutil.copy(path, tmp_path)
        data = bytearray((tmp_path / name).read_bytes())
        bits = data.find(b'["', data.find(b'"bits":', data.find(b'"outputs"')))
        place = bits + 3 if name.endswith("json") else len(data) - 3
        data[place] ^= 1
        (tmp_path / name).write_bytes(data)
        assert checker.main([str(tmp_path), str(folder), "alibi_slopes"]) in (1, 2)
        assert "refused" in capsys.readouterr().out


def test_exchanged_cases_are_refused(checker, folder, in_c, tmp_path, capsys):
    """Two cases of the same dtype and count, each proved: the Python program derives what each must say."""
    first, *lines = body_of(folder / "linear.txt").splitlines()
    starts = [k for k, line in enumerate(lines) if line.startswith("case ")] + [len(lines)]
    blocks = [lines[a:b] for a, b in itertools.pairwise(starts)]
    pairs = [
        (i, j)
        for i in range(len(blocks))
        for j in range(i)
        if blocks[i][1:] != blocks[j][1:] and blocks[i][0].split()[2:] == blocks[j][0].split()[2:]
    ]
    assert len(pairs[::40]) > 3
    for i, j in pairs[::40]:
        moved = list(blocks)
        moved[i], moved[j] = [blocks[i][0], *blocks[j][1:]], [blocks[j][0], *blocks[i][1:]]
        path = tmp_path / "linear.txt"
        path.write_text(sealed(checker, "\n".join([first, *(line for block in moved for line in block)]) + "\n"))
        assert checker.main([str(CORPUS), str(tmp_path), "linear"]) == 1
        assert "its call says" in capsys.readouterr().out
    assert run(in_c, path).returncode == 0, "what it says is true, but not of that case"
    path.write_text(sealed(checker, body_of(folder / "linear.txt").replace("\nf 1\n", "\nf 2\n", 1)))
    assert checker.main([str(CORPUS), str(tmp_path), "linear"]) == 1
    assert "its call says 'f 1'" in capsys.readouterr().out


def test_truncated_files_are_refused(checker, folder, in_c, tmp_path, capsys):
    text, rng, path = (folder / "linear.txt").read_text(), random.Random(4), tmp_path / "linear.txt"
    for cut in [0, 1, len(text) - 1, *(rng.randrange(len(text)) for _ in range(20))]:
        path.write_text(text[:cut])
        assert checker.main([str(CORPUS), str(tmp_path), "linear"]) in (1, 2)
        assert run(in_c, path).returncode == 2
    lines = body_of(folder / "linear.txt").splitlines()
    start = max(k for k, line in enumerate(lines) if line.startswith("case "))
    path.write_text(sealed(checker, "\n".join(lines[:start]) + "\n"))  # the last case left out, under a right hash
    assert checker.main([str(CORPUS), str(tmp_path), "linear"]) == 1


def test_nothing_proved_is_no_success(checker, in_c, tmp_path, capsys):
    assert checker.main([str(CORPUS), str(tmp_path), "linear"]) == 2
    assert checker.main([str(CORPUS), str(tmp_path)]) == 2
    assert last_line(capsys.readouterr().out) == "0 values proved"
    assert run(in_c).returncode == 2
    (tmp_path / "none.txt").write_text(sealed(checker, "refpos claims 1 none\n"))
    assert run(in_c, tmp_path / "none.txt").returncode == 2
    assert run(in_c, tmp_path / "absent.txt").returncode == 2


def test_an_argument_that_no_claim_reads_is_not_covered(checker):
    for suite, arguments in (
        ("sinusoidal", {"dim": 4, "phase": 1}),
        ("linear", {"dim": 4, "factor": 2, "frequencies": {"function": "ntk", "arguments": {"dim": 4, "twist": 1}}}),
    ):
        with pytest.raises(checker.Uncovered, match=r"phase|twist"):
            checker.claims.claims(suite, arguments, "output")


# -- the programs -----------------------------------------------------------------------------------------------------


def test_the_program_in_c_is_short_and_without_libm():
    text = (CHECKERS / "check.c").read_text()
    assert len(text.splitlines()) <= 300 and "math.h" not in text
    assert not {"double", "float"} & set(text.replace("(", " ").replace(",", " ").split())


def test_the_programs_in_python_have_integers_only():
    modules = {path.stem for path in CHECKERS.glob("*.py")}
    assert len(modules) > 4
    for name in modules:
        tree = ast.parse((CHECKERS / f"{name}.py").read_text())
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Div), "a quotient of integers is a float"
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), node.value
            assert not (isinstance(node, ast.Name) and node.id == "float")
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                found = [node.module]
                assert node.module != "math" or {alias.name for alias in node.names} <= {"gcd", "isqrt"}
            assert set(found) <= modules | {"collections", "fractions", "hashlib", "json", "math", "os", "sys"}
