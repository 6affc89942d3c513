"""Gappa, Sollya and z3: what they are asked, and an error for everything but a proof."""

import functools
import re
import subprocess
from fractions import Fraction

PRECISION = 200
SECONDS = 120


class NotProvedError(Exception):
    """What a tool answered instead of a proof."""


def _ask(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def prove(script):
    """Have Gappa prove a script. It warns of hypotheses that contradict each other and of rules it cannot follow."""
    status, out, error = _ask(["gappa", f"-Eprecision={PRECISION}"], script)
    if status or error or out:
        raise NotProvedError(f"gappa: {error or out or status}")


def unsatisfiable(queries):
    """Have z3 refute each query of a text, of which there must be some."""
    status, out, error = _ask(["z3", "-in"], queries)
    if status or error or not queries.count("(check-sat)") or out.split() != ["unsat"] * queries.count("(check-sat)"):
        raise NotProvedError(f"z3: {error or out or status}")


def _number(text):
    found = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?", text)
    sign, whole, digits, exponent = found[1], found[2], found[3] or "", int(found[4] or 0)
    return Fraction(int(sign + whole + digits)) * Fraction(10) ** (exponent - len(digits))


def supnorm(polynomial, function, limit):
    """An upper bound of |polynomial - function| for |x| <= limit, an expression of Sollya, proved by Sollya."""
    command = f"supnorm({polynomial.sollya()}, {function}, [-{limit}; {limit}], absolute, 2^(-10))"
    _, out, error = _ask(["sollya", "--warnonstderr"], f"prec = {PRECISION}!; print(sup({command}));\n")
    if error or not re.fullmatch(r"\d[\d.]*(e[+-]\d+)?", out):
        raise NotProvedError(f"sollya: {error or out}")
    return _number(out) * (1 + Fraction(1, 2**50))  # as it is printed in decimal


def enclosure(expression):
    """(lower, upper) of a constant, by Sollya."""
    _, out, error = _ask(["sollya", "--warnonstderr"], f"prec = {PRECISION}!; print(inf([{expression}])); print(sup([{expression}]));\n")
    if error:
        raise NotProvedError(f"sollya: {error}")
    lower, upper = map(_number, out.split())
    room = (abs(lower) + abs(upper)) / 2**150
    return lower - room, upper + room
