"""Gappa, Sollya and z3: what they are asked, and an error for everything but a proof."""

import re
import subprocess
from fractions import Fraction

PRECISION = 200
GAPPA = ["gappa", f"-Eprecision={PRECISION}"]
LIMIT = {"seconds": 120}  # of one question


class NotProvedError(Exception):
    """What a tool answered instead of a proof."""


def _ask(command, text):
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=LIMIT["seconds"])
    except subprocess.TimeoutExpired as error:
        raise NotProvedError(f"{command[0]} took more than {LIMIT['seconds']} s") from error
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def _parts(script):
    """A script before its goal, and after it."""
    parts = re.fullmatch(r"(.*\n)-> [^}]*<=[^}]*(\}.*)", script, re.DOTALL)
    if not parts:
        raise NotProvedError("a script must have one goal, a bound, got none")
    return parts.groups()


def consistent(script):
    """Have Gappa fail to prove 0 = 1 from the hypotheses of a script: from a contradiction it proves everything."""
    before, after = _parts(script)
    status, _, error = _ask(GAPPA, f"{before}-> 0 in [1, 1] {after}")
    if status != 1 or not error.endswith("Error: no contradiction was found."):
        raise NotProvedError(f"gappa proves 0 = 1: {error or status}")


def prove(script):
    """Have Gappa prove a script. Warnings are errors, of rules that Gappa cannot follow; that a variant does not need a
    rule is none."""
    _parts(script)
    status, out, error = _ask(GAPPA, script)
    needless = r"Warning: no need for the rewriting at line \d+ column \d+\.?\n?"
    error = re.sub(rf"{needless}(?:  if all the following properties can be proved\n(?:  .*\n?)+)?", "", error)
    if status or error or out:
        raise NotProvedError(f"gappa: {error or out or status}")


def unsatisfiable(text):
    """Have z3 refute what is asserted between each push and pop, with all that stands before outside of these."""
    pieces = re.split(r"^\((?:push|pop)\)\n", text, flags=re.MULTILINE)
    if len(pieces) < 3 or [piece.count("(check-sat)") for piece in pieces] != [k % 2 for k in range(len(pieces))]:
        raise NotProvedError("one query must stand between each push and pop, and none elsewhere")
    for k in range(1, len(pieces), 2):
        # apart, as z3 takes ten times as long with a stack
        status, out, error = _ask(["z3", "-in"], "".join(pieces[:k:2]) + pieces[k])
        if status or error or out != "unsat":
            raise NotProvedError(f"z3, query {k // 2 + 1}: {error or out or status}")


def _number(text):
    found = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?", text)
    sign, whole, digits, exponent = found[1], found[2], found[3] or "", int(found[4] or 0)
    return Fraction(int(sign + whole + digits)) * Fraction(10) ** (exponent - len(digits))


def supnorm(polynomial, function, limit, kind="absolute"):
    """An upper bound of |polynomial - function| for |x| <= limit, an expression of Sollya, proved by Sollya; relative:
    of |polynomial / function - 1|."""
    command = f"supnorm({polynomial.sollya()}, {function}, [-{limit}; {limit}], {kind}, 2^(-10))"
    _, out, error = _ask(["sollya", "--warnonstderr"], f"prec = {PRECISION}!; print(sup({command}));\n")
    if error or not re.fullmatch(r"\d[\d.]*(e[+-]\d+)?", out):
        raise NotProvedError(f"sollya: {error or out}")
    return _number(out) * (1 + Fraction(1, 2**50))  # as it is printed in decimal


def enclosure(expression):
    """(lower, upper) of a constant, by Sollya."""
    return enclosures([expression])[0]


def enclosures(expressions):
    """The same of several."""
    asked = "".join(f"print(inf([{text}])); print(sup([{text}]));\n" for text in expressions)
    _, out, error = _ask(["sollya", "--warnonstderr"], f"prec = {PRECISION}!; {asked}")
    if error:
        raise NotProvedError(f"sollya: {error}")
    numbers = list(map(_number, out.split()))
    rooms = [(abs(lower) + abs(upper)) / 2**150 for lower, upper in zip(numbers[::2], numbers[1::2], strict=True)]
    return [(numbers[2 * k] - room, numbers[2 * k + 1] + room) for k, room in enumerate(rooms)]
