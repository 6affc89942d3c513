"""docs/certificates/check.c reads each line and each word of a file as docs/certificates.md says, and nothing else."""

import itertools
import subprocess

import pytest
from test_certificates import CHECKERS, FLAGS, SANITIZED, checker, in_c, last_line, run, sealed
from tiers import sampled

__all__ = ["checker", "in_c"]  # fixtures
HEAD = "refpos claims 1 x\n"
CASE = "case x/y/output 53 11\n"
THREE = "v 4008000000000000 =0 {}\n"


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """The program with sanitizers, which abort at memory that was freed and at undefined behaviour."""
    made = tmp_path_factory.mktemp("sanitized") / "check"
    subprocess.run(["cc", *FLAGS, *SANITIZED, "-o", made, CHECKERS / "check.c"], check=True)
    return made


@pytest.fixture
def judged(checker, in_c, tmp_path):
    """A function from bodies of files to the exit status and what is printed, on both streams."""

    def judge(*bodies, program=None):
        paths = [tmp_path / f"{k}.txt" for k in range(len(bodies))]
        for path, body in zip(paths, bodies, strict=True):
            path.write_text(sealed(checker, body))
        done = run(program or in_c, *paths)
        assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
        return done.returncode, done.stdout + done.stderr

    return judge


def proved(judge, *bodies):
    """Whether all is proved; False is a refusal of the file, with its reason."""
    code, said = judge(*bodies)
    if code == 0:
        count = sum(body.count("\nv ") for body in bodies)
        assert last_line(said) == f"{count} values proved"
        return True
    assert code == 2 and said.splitlines()[0], said
    return False


# -- numbers and words ------------------------------------------------------------------------------------------------

#: (bits, digits and claim, those of a claim that is true, as which the first one might be read)
NUMBERS = [
    ("4014000000000000", "=0 5@4294967296", "=0 5"),  # 2**32, of which 32 bits are 0
    ("4014000000000000", "=0 5@18446744073709551616", "=0 5"),
    ("4014000000000000", "=0 5@-4294967296", "=0 5"),
    ("3c00000000000000", "+002 1/99999999999999999999", "+004 1/9223372036854775806"),
    ("3c00000000000000", "+002 1/9223372036854775807", "+004 1/9223372036854775806"),
    ("43e0000000000000", "~002 9223372036854775807", "~004 9223372036854775806"),
    ("43e0000000000000", "~002 99999999999999999999", "~004 9223372036854775806"),
    ("c3e0000000000000", "~002 -9223372036854775808", "~004 -9223372036854775806"),
    ("3ff0000000000000", "=0 2^0/99999999999999999999", "=0 2^0/3"),
    ("4008000000000000", "=0 +3", "=0 3"),
    ("4008000000000000", "=0 03", "=0 3"),
    ("4008000000000000", "=0 3/01", "=0 3/1"),
    ("4008000000000000", "=0 3@00", "=0 3@0"),
    ("4008000000000000", "=0 3@+0", "=0 3@-0"),
    ("4008000000000000", "=0 3/+1", "=0 3/1"),
    ("4008000000000000", "=0 -3/-1", "=0 3/1"),
    ("4008000000000000", "=0 3/0", "=0 3"),
    ("4008000000000000", "=0 3/", "=0 3"),
    ("4008000000000000", "=0 3@", "=0 3"),
    ("4008000000000000", "=0 3@0/1", "=0 3/1@0"),
    ("4008000000000000", "=0 0x3", "=0 3"),
    ("4008000000000000", "=0 --3", "=0 3"),
    ("4008000000000000", "=0 3 -0 +", "=0 3 0 +"),
    ("4008000000000000", "=0 3 -0/7 +", "=0 3 0/7 +"),
    ("4000000000000000", "=0 2^", "=0 2"),
    ("4000000000000000", "=0 2^1^1", "=0 2^1"),
    ("4000000000000000", "=0 2^1@1", "=0 2^2/2"),
    ("4008000000000000", "=0 t01", "=0 t1"),
    ("4008000000000000", "=0 t+1", "=0 t1"),
    ("4008000000000000", "=0 t 1", "=0 t1"),
    ("4008000000000000", "=0 t18446744073709551617", "=0 t1"),
    ("4008000000000000", "=0 t4294967297", "=0 t1"),
    ("4008000000000000", "=0 t9223372036854775807", "=0 t1"),
    ("4008000000000000", "=0 t3", "=0 t1"),
    ("4008000000000000", "=0 t-1 3 *", "=0 f 3 *"),
    ("0000000000000000", "=0 t-0", "=0 t0"),
    ("4008000000000000", "=0 ff 3 *", "=0 f 3 *"),
    ("3ff0000000000000", "=0 c 5 t00", "=0 c 5 t0"),
    ("3ff0000000000000", "=0 c 0 f", "=0 c 0 t1"),
    ("3ff0000000000000", "=0 c t0 t0", "=0 c 0 t0"),
    ("3ff0000000000000", "=0 c 5 t0 1 *", "=0 c 5 t0"),
    ("3ff0000000000000", "=0 c 5 t0  1 *", "=0 c 5 t0"),
    ("4008000000000000", "=0 3  1 +", "=0 3"),
    ("4008000000000000", "=0  3", "=0 3"),
    ("4008000000000000", "=0 3 ", "=0 3"),
    ("4008000000000000", "=0 \t3", "=0 3"),
    ("4008000000000000", "=0 3\r", "=0 3"),
    ("4008000000000000", "=0 3\u007f", "=0 3"),
    ("bfe0000000000000", "=0 -inf 1@-1030 *", "=0 -1@1029 1@-1030 *"),
    ("4008000000000000", "=0 3 -inf 0 * +", "=0 3 -1@1029 0 * +"),
]


@pytest.mark.parametrize("bits, claim, other", sampled(NUMBERS, 6, several=True))
def test_a_number_that_is_written_in_another_way_is_refused(judged, bits, claim, other):
    """The second claim is true of the same bits, so that the first one could only be refused for its words."""
    body = f"{HEAD}{CASE}t 0\nt 3\nf 1\nv {bits} "
    assert proved(judged, f"{body}{other}\n")
    assert not proved(judged, f"{body}{claim}\n")


def test_minus_infinity_is_a_value_and_no_number(judged):
    body = f"{HEAD}case x/y/output 11 5\n"
    assert proved(judged, f"{body}f 1\nv fc00 =0 -inf\n")
    for line in ("f -inf\nv fc00 =0 f\n", "t -inf\nf 1\nv fc00 =0 t0\n", "t 0\nf 1\nv 3c00 =0 c -inf t0\n"):
        assert not proved(judged, body + line)


DIGITS = ["~0", "=00", "~00", "+", "=", "", "3", "=-0", "=0g", "+0A", "==0", "=" + "0" * 249, "=" + "0" * 300]


@pytest.mark.parametrize("digits", sampled(DIGITS, 6))
def test_digits_that_say_nothing_are_refused(judged, digits):
    for claim in ("3", "t0"):
        assert proved(judged, f"{HEAD}{CASE}t 3\nf 1\nv 4008000000000000 =0 {claim}\n")
        assert not proved(judged, f"{HEAD}{CASE}t 3\nf 1\nv 4008000000000000 {digits} {claim}\n")


def test_half_a_unit_has_one_digit(judged):
    for digits, code in (("=8", True), ("=80", False), ("=800", False)):
        assert proved(judged, f"{HEAD}case x/y/output 4 4\nf 1\nv 7e {digits} 464\n") == code


@pytest.mark.parametrize("bits", ["400800000000000", "04008000000000000", "4008000000000g00", "0x40080000000000", ""])
def test_bits_of_another_size_are_refused(judged, bits):
    assert not proved(judged, f"{HEAD}{CASE}f 1\nv {bits} =0 3\n")


# -- formats ----------------------------------------------------------------------------------------------------------


def test_the_formats_are_those_of_the_program_in_python(checker, judged):
    """Each is proved with 0, and no other pair of small numbers."""
    formats = set(checker.FORMATS.values())
    assert len(formats) == 6
    for precision, width in itertools.product((3, 4, 5, 8, 11, 24, 53), repeat=2):
        bits = "0" * max((precision + width) // 4, 1)
        body = f"{HEAD}case x/y/output {precision} {width}\nf 1\nv {bits} =0 0\n"
        assert proved(judged, body) == ((precision, width) in formats), body


WORDS = ["-3 11", "0 8", "2147483647 11", "62 2", "60 4", "1 7", "053 11", "+53 11", "53 011", "53", "", "53 11 1"]


@pytest.mark.parametrize("words", sampled([*WORDS, "53  11", "53 11x", "4294967349 11", "11 53", "5 3"], 6))
def test_a_case_of_no_format_is_refused(judged, sanitized, words):
    for bits in ("00", "3f", "0000000000000000", "7fffffffffffffff"):
        body = f"{HEAD}case x {words}\nf 1\nv {bits} =0 0\n".replace(" \n", "\n")
        assert not proved(judged, body)
        assert judged(body, program=sanitized)[0] == 2


# -- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["t 10000^-1I32", "t", "t 1 2", "t t0", "t f", "t c 5 t0", "t 1 0 /", "t none none"])
def test_a_number_that_no_value_uses_is_read(judged, line):
    for first, code in (("t 5", True), (line, False)):
        assert proved(judged, f"{HEAD}{CASE}{first}\nt 3\nf 1\n{THREE.format('t1')}") == code
    assert not proved(judged, f"{HEAD}{CASE}t 3\nf{line[1:]}\n{THREE.format('t0')}")


def test_an_element_that_is_no_number_may_not_be_used(judged):
    body = f"{HEAD}{CASE}t none\nt 3\nf 1\n"
    assert proved(judged, body + THREE.format("t1"))
    for claim in ("t0", "t1 t0 0 * +", "r 3 0 0 t0"):
        assert not proved(judged, body + THREE.format(claim))
    assert not proved(judged, f"{HEAD}{CASE}t 3\nf none\n{THREE.format('t0')}")


def test_lines_are_in_their_order(judged):
    """All sequences of at most 5 lines, of which the last one is a value or not."""
    lines = {"refpos": HEAD, "case": CASE, "t": "t 3\n", "f": "f 1\n", "v": THREE.format("3")}
    follows = {"": {"refpos"}, "refpos": {"case"}, "case": {"t", "f"}, "t": {"t", "f"}, "f": {"v"}, "v": {"v", "case"}}
    count = 0
    for size in range(1, 6):
        for kinds in itertools.product(lines, repeat=size):
            good = all(b in follows[a] for a, b in itertools.pairwise(["", *kinds])) and kinds[-1] == "v"
            if good or kinds[:2] == ("refpos", "case") or size < 3:
                assert proved(judged, "".join(lines[kind] for kind in kinds)) == good, kinds
                count += good
    assert count == 3  # refpos case f v, with another v, and with t


KINDS = [
    "V zz",
    "v",
    "ca x 4 4",
    "ef 1",
    "fpos 1",
    "pos",
    "e",
    "end",
    "end 0",
    "refpos claims 1 x",
    "r",
    "F 1",
    "#",
    "",
]


@pytest.mark.parametrize("line", sampled(KINDS, 6))
def test_a_line_of_no_kind_is_refused_wherever_it_is(judged, line):
    lines = [HEAD, CASE, "t 3\n", "f 1\n", THREE.format("t0"), THREE.format("3")]
    for k in range(len(lines) + 1):
        assert not proved(judged, "".join([*lines[:k], f"{line}\n", *lines[k:]]))
    assert proved(judged, "".join(lines))


FIRST = ["", "refpos claims 1\n", "refpos claims 1 \n", "refpos claims 2 x\n", "refpos claims 1 x y\n", "refpos 1 x\n"]


@pytest.mark.parametrize("first", [*FIRST, " refpos claims 1 x\n", "refposclaims 1 x\n", "\nrefpos claims 1 x\n"])
def test_another_first_line_is_refused(judged, first):
    assert not proved(judged, f"{first}{CASE}f 1\n{THREE.format('3')}")


def test_a_case_has_its_own_factor_and_numbers(judged):
    """In a file, and in the next one."""
    first, second = f"{HEAD}{CASE}t 0\nt 3\nf 7\nv 401c000000000000 =0 c 5 t0\n", f"{CASE}t 0\nf 7\n"
    assert proved(judged, f"{first}{second}v 401c000000000000 =0 c 5 t0\n")
    for more in (f"{CASE}t 0\nv 401c000000000000 =0 c 5 t0\n", f"{second}{THREE.format('t1')}"):
        assert not proved(judged, first + more)
        assert not proved(judged, first, HEAD + more)


def test_no_memory_of_another_file_is_read(judged, sanitized, monkeypatch):
    """With more bits than the first file needed, so that a factor of it would be evaluated again."""
    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=4000")  # so that what was freed is not used again
    first, digits = f"{HEAD}{CASE}t 1\nf 7 3 /\nv 4002aaaaaaaaaaab -5 f\n", "-" + "5" * 70
    for program in (None, sanitized):
        assert judged(first, program=program)[0] == 0
        for factor, wanted in (("f 7 3 /\n", 0), ("", 2)):
            second = f"{HEAD}{CASE}t 0\n{factor}v 4002aaaaaaaaaaab {digits} c 5 t0\n"
            code, said = judged(first, second, program=program)
            assert code == wanted and (code == 0 or "in another place" in said), said


@pytest.mark.parametrize("body", ["", HEAD, HEAD + CASE, f"{HEAD}{CASE}f 1\n", f"{HEAD}{CASE}t 3\nf 1\n"])
def test_a_file_without_values_is_refused(judged, body):
    full = f"{HEAD}{CASE}f 1\n{THREE.format('3')}"
    assert proved(judged, full) and proved(judged, full, full)
    assert not proved(judged, body)
    assert not proved(judged, full, body) and not proved(judged, body, full)


def test_nothing_stands_behind_the_end(checker, in_c, tmp_path):
    body, path = f"{HEAD}{CASE}f 1\n{THREE.format('3')}", tmp_path / "one.txt"
    good = sealed(checker, body)
    texts = [body, good[:-1], good + "\n", good + "x\n", good + THREE.format("4"), good + "\0", good + good, "", "\n"]
    texts += [good.replace("end ", "end  "), good.replace("end ", "end 0"), good[:-2] + good[-2].upper() + "g\n"]
    for text, code in ((good, 0), *((text, 2) for text in texts), (good.replace("\n", "\r\n"), 2)):
        path.write_bytes(text.encode())
        assert run(in_c, path).returncode == code, text


def test_a_file_of_the_largest_size_is_refused(checker, tmp_path):
    """Of which no one would read what follows. The size is that of a program with a smaller one."""
    source, line = (CHECKERS / "check.c").read_text(), THREE.format("3")
    body = f"{HEAD}{CASE}f 1\n{line * 38}"
    size = len(sealed(checker, body)) + 1
    path, large, made = tmp_path / "one.txt", "LARGEST = 1 << 28", tmp_path / "check"
    assert source.count(large) == 1
    for more, code in ((1, 0), (0, 2)):
        (tmp_path / "check.c").write_text(source.replace(large, f"LARGEST = {size + more}"))
        subprocess.run(["cc", *FLAGS, "-o", made, tmp_path / "check.c"], check=True)
        for behind in ("", line) if code else ("",):
            path.write_text(sealed(checker, body) + behind)
            assert run(made, path).returncode == code, (more, behind)


def test_a_long_line_and_many_numbers_are_refused(judged, sanitized):
    for count in (1, 16382, 16383, 16384, 20000):
        numbers = "t 3\n" * count
        body = f"{HEAD}{CASE}{numbers}f 1\n{THREE.format(f't{count - 1}')}"
        assert judged(body, program=sanitized)[0] == (0 if count < 16383 else 2)
    for count in (10, 8185, 8190, 8200, 20000):
        body = f"{HEAD}{CASE}f 1\n{THREE.format('3' + ' 0 +' * count)}"
        assert judged(body, program=sanitized)[0] == (0 if count < 8186 else 2), count
    for count in (31, 32, 33, 40):
        body = f"{HEAD}{CASE}f 1\n{THREE.format('3' + ' 0' * (count - 1) + ' +' * (count - 1))}"
        assert judged(body, program=sanitized)[0] == (0 if count < 33 else 2), count
