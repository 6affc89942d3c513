"""Runs an order in plain Python: IEEE doubles, one rounding an operation; fractions and balls for what is exact."""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from flint import arb, ctx, fmpq
from witness.digits import round_fraction
from witness.elementary import rounded


@dataclass(frozen=True)
class Real:
    """An irrational number: a rule for its ball at the precision of now."""

    ball: object


#: functions of float64 numbers that are correctly rounded, and of exact ones, whose result is exact
ELEMENTARY = {
    "exp": ("exp", arb.exp), "ln": ("log", arb.log), "log1p": ("log1p", arb.log1p), "tanh": ("tanh", arb.tanh),
    "erf": ("erf", arb.erf), "sigmoid": ("sigmoid", None), "softplus": ("softplus", None),
    "logsigmoid": ("logsigmoid", None), "sin": (None, arb.sin), "cos": (None, arb.cos),
}  # fmt: skip
EXACT = int, Fraction
CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": Real(arb.pi)}


def ball_of(x):
    """The ball of an exact number."""
    return x.ball() if isinstance(x, Real) else arb(fmpq(Fraction(x).numerator, Fraction(x).denominator))


def float64(x):
    """A number rounded once; a ball is made smaller until both of its ends round to one double."""
    if not isinstance(x, Real):
        return float(x)
    for precision in (100, 200, 400, 800, 1600, 3200):
        ctx.prec = precision
        ball = x.ball()
        ends = [Fraction(int(end.p), int(end.q)) for end in (edge.fmpq() for edge in (ball.lower(), ball.upper()))]
        low, high = map(float, ends)
        if low == high:
            return low
    raise AssertionError("a number is a midpoint, or no precision decides it")


def operate(sign, x, y):
    """x sign y: exact if both are, else that of doubles; an exact number that meets a double is rounded first."""
    if isinstance(x, EXACT) and isinstance(y, EXACT):
        return exact_operation(sign, x, y)
    if isinstance(x, Real) or isinstance(y, Real):
        assert not isinstance(x, float) and not isinstance(y, float), "float64(..) must say where a number is rounded"
        return Real(lambda: ball_operation(sign, ball_of(x), ball_of(y)))
    x, y = float(x), float(y)
    if sign == "+":
        return x + y
    if sign == "-":
        return x - y
    if sign == "*":
        return x * y
    assert sign == "/", f"{sign} is an operation of integers"
    if y != 0:
        return x / y
    return math.nan if x != x or x == 0 else math.copysign(math.inf, x) * math.copysign(1, y)


def exact_operation(sign, x, y):
    """The sum, difference, product or quotient of two fractions; // and % round down."""
    if sign in "+-*":
        return x + y if sign == "+" else x - y if sign == "-" else x * y
    return Fraction(x) / y if sign == "/" else x // y if sign == "//" else x % y


def ball_operation(sign, x, y):
    return {"+": arb.__add__, "-": arb.__sub__, "*": arb.__mul__, "/": arb.__truediv__}[sign](x, y)


def call(name, values):
    """A function that is no definition of an order."""
    x = values[0]
    if name in ELEMENTARY:
        of_floats, of_balls = ELEMENTARY[name]
        return rounded(of_floats, x) if isinstance(x, float) else Real(lambda: of_balls(ball_of(x)))
    if name == "sqrt":
        if not isinstance(x, float):
            return Real(lambda: ball_of(x).sqrt())
        return math.sqrt(x) if x >= 0 else math.nan
    if name in ("max", "min"):
        return extreme(name, *values)
    if name == "float64":
        return float64(x)
    if name == "exact":
        return Fraction(x)
    if name == "nearest":  # of the format that a word names
        return number_of(round_fraction(Fraction(x), values[1]), values[1])
    if name in ("floor", "ceil"):
        return math.floor(x) if name == "floor" else math.ceil(x)
    if name == "sign":
        return (x > 0) - (x < 0)
    assert name == "abs", f"{name} is no function of an order"
    return abs(x)


def extreme(name, x, y):
    """The larger or smaller of two numbers; NaN if one is."""
    if x != x or y != y:
        return math.nan
    return y if (x < y) == (name == "max") and x != y else x


def number_of(pattern, name):
    """The number of a bit pattern of float16, bfloat16 or float32, or of float64."""
    if name == "bfloat16":
        pattern, name = pattern << 16, "float32"
    whole, kind = {"float64": (">Q", ">d"), "float32": (">I", ">f"), "float16": (">H", ">e")}[name]
    return struct.unpack(kind, struct.pack(whole, pattern))[0]


def places(sizes, indices, down):
    """The values of some indices, the last of them fastest, each upwards or downwards."""
    return product(*(range(sizes[one])[:: -1 if down else 1] for one in indices))


class Run:
    """A program with its inputs: {name: value, or nested lists}, sizes: {index: how many}."""

    def __init__(self, program, inputs, sizes):
        self.arrays, self.sizes, self.functions, self.shapes = dict(inputs), dict(sizes), {}, {}
        self.run(program, {})

    def run(self, program, at):
        """The lines, one after the other; at: {index: its value} of the lines that `each` repeats."""
        for kind, *rest in program:
            if kind == "define":
                self.functions[rest[0]] = rest[1:]
            elif kind == "index":
                self.sizes[rest[0]] = self.value(rest[1], at)
            elif kind == "set":
                self.store(*rest, at)
            elif kind == "each":
                for place in range(self.sizes[rest[0]]):
                    self.run(rest[1], {**at, rest[0]: place})

    def store(self, kept, name, indices, expression, at):
        """Fill an array; an earlier one of the name is read until it is full."""
        if kept is not None and not self.holds(kept, at):
            return
        shape = tuple(self.sizes[index] for index in indices)
        made = {
            place: self.value(expression, {**at, **dict(zip(indices, place, strict=True))})
            for place in product(*map(range, shape))
        }
        self.arrays[name], self.shapes[name] = made if indices else made[()], shape

    def value(self, tree, at):
        """The number of an expression; at: {index or parameter: its value}."""
        kind, *rest = tree
        if kind == "number":
            text = rest[0]
            return int(text) if text.isdigit() else float.fromhex(text) if text[:2] == "0x" else float(text)
        if kind == "read":
            return self.read(rest[0], [self.value(index, at) for index in rest[1]], at)
        if kind == "if":
            return self.value(rest[1] if self.holds(rest[0], at) else rest[2], at)
        if kind == "call":
            return self.called(rest[0], rest[1], at)
        if kind == "negative":
            x = self.value(rest[0], at)
            return Real(lambda: -x.ball()) if isinstance(x, Real) else -x
        if kind in ("sum", "max"):
            return self.reduced(kind, *rest, at)
        return operate(kind, self.value(rest[0], at), self.value(rest[1], at))

    def read(self, name, place, at):
        if not place:
            if name in at:
                return at[name]
            return CONSTANTS[name] if name in CONSTANTS else self.arrays[name]
        held = self.arrays[name]
        if isinstance(held, dict):
            return held[tuple(place)]
        for index in place:
            assert index >= 0, f"{name} is read at {place}"
            held = held[index]
        return held

    def called(self, name, arguments, at):
        if name == "count":
            return self.sizes[arguments[0][1]]
        if name == "apply":  # the function that a word names
            name, arguments = self.value(arguments[0], at), arguments[1:]
        values = [self.value(one, at) for one in arguments]
        if name not in self.functions:
            return call(name, values)
        names, body = self.functions[name]
        return self.value(body, dict(zip(names, values, strict=True)))

    def reduced(self, kind, indices, down, kept, body, at):
        """A sum from 0 on, or the largest number, of those for which the condition holds; of none 0.0 or -infinity."""
        found, at, none = 0 if kind == "sum" else -math.inf, dict(at), True
        for place in places(self.sizes, indices, down):
            at.update(zip(indices, place, strict=True))
            if kept is None or self.holds(kept, at):
                term, none = self.value(body, at), False
                found = operate("+", found, term) if kind == "sum" else extreme("max", found, term)
        return float(found) if none else found

    def holds(self, condition, at):
        kind, first, *rest = condition
        if kind in ("and", "or"):
            true = self.holds(first, at)
            return self.holds(rest[0], at) if true == (kind == "and") else true
        if kind == "not":
            return not self.holds(first, at)
        x = self.value(first, at)
        if kind == "is":
            return x is None if rest[0] == "none" else x == rest[0]
        y = self.value(rest[0], at)
        return x == y if kind == "==" else x != y if kind == "!=" else x < y if kind == "<" else x <= y
