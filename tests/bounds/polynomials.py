"""Polynomials with exact coefficients: the code run with them gives the series that it evaluates."""

from fractions import Fraction


class Polynomial:
    """{exponents of x and y: coefficient}."""

    shape = None  # of arrays in their place

    def __init__(self, terms):
        self.terms = {powers: Fraction(value) for powers, value in terms.items() if value}

    def __add__(self, other):
        other = _polynomial(other)
        return Polynomial({p: self.terms.get(p, 0) + other.terms.get(p, 0) for p in {*self.terms, *other.terms}})

    def __mul__(self, other):
        made = {}
        for (i, j), a in self.terms.items():
            for (k, m), b in _polynomial(other).terms.items():
                made[i + k, j + m] = made.get((i + k, j + m), 0) + a * b
        return Polynomial(made)

    def __truediv__(self, value):
        return self * (1 / Fraction(value))

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -_polynomial(other)

    def __rsub__(self, other):
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return self.terms == other.terms

    __hash__ = None

    def of(self, value):
        """The same polynomial in x alone, of another number."""
        made, power = Polynomial({}), Polynomial({(0, 0): 1})
        for k in range(1 + max((i for i, _ in self.terms), default=0)):
            made, power = made + power * self.terms.get((k, 0), 0), power * value
        return made

    def sollya(self):
        """Its terms in x, in Sollya's words."""
        if any(j for _, j in self.terms):
            raise ValueError("a polynomial in x alone is expected, got one in y too")
        return " + ".join(f"({value.numerator})/({value.denominator}) * x^{i}" for (i, _), value in self.terms.items())


def _polynomial(value):
    return value if isinstance(value, Polynomial) else Polynomial({(0, 0): value})


X, Y = Polynomial({(1, 0): 1}), Polynomial({(0, 1): 1})
