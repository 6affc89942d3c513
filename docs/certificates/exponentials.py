"""Exponentials of skew-symmetric matrices of up to 4 rows (LieRE): what golden cases claim."""

from fractions import Fraction

from features import points
from intervals import need
from positions import product, tokens
from rotations import literal
from sums import quotient, total_of


def applied(matrix, x):
    return [sum(w * one for w, one in zip(row, x, strict=True)) for row in matrix]


def rotated_once(square, x, u, v):
    """Of a matrix A with A**3 = -square A: x + u sin t / t + v (1 - cos t) / t**2, with u = A x and v = A u."""
    share, angle = v * Fraction(1, square), f"{quotient(square)} sqrt"
    return total_of([(x + share, "1"), (u, f"{angle} sin {angle} /"), (-share, f"{angle} cos")])


def rotated_twice(total, root, x, u, v, w):
    """Of 4 rows, with (total +- sqrt(root)) / 2 as squares of angles: a line through two points of cos, sin t / t."""
    gap, total = f"{quotient(root)} sqrt", quotient(total)
    squares = [f"{total} {gap} {sign} 2 /" for sign in "+-"]
    (cos, sin), (cos_2, sin_2) = ((f"{q} sqrt cos", f"{q} sqrt sin {q} sqrt /") for q in squares)

    def between(one, other, first, second):
        slope = f"{quotient(second)} {squares[0]} {quotient(first)} * +"
        return f"{one} {quotient(first)} * {slope} {other} {one} - * {gap} / +"

    return f"{between(cos, cos_2, x, v)} {between(sin, sin_2, u, w)} +"


def moved(matrix, x, i):
    """The claim of channel i of the exponential of a matrix times x."""
    u = applied(matrix, x)
    v = applied(matrix, u)
    w = applied(matrix, v)
    if not (u[i] or v[i] or w[i]):
        return None
    n, total = len(x), sum(one**2 for row in matrix for one in row) * Fraction(1, 2)
    need(n <= 4, "exponentials of matrices of more than 4 rows")
    pfaffian = 0
    if n == 4:
        pfaffian = matrix[0][1] * matrix[2][3] - matrix[0][2] * matrix[1][3] + matrix[0][3] * matrix[1][2]
    if n == 4 and pfaffian:
        root = total**2 - 4 * pfaffian**2
        if root:
            return rotated_twice(total, root, x[i], u[i], v[i], w[i])
        total *= Fraction(1, 2)
    return rotated_once(total, x[i], u[i], v[i])


def liere(a, _):
    """Blocks of channels times exponentials of generators, weighted by the positions of a token."""
    x, (*lead, length, dim) = a["x"]["values"], a["x"]["shape"]
    axes, heads, blocks, n, _ = a["generators"]["shape"]
    given, values = a["positions"], a["generators"]["values"]
    places = tokens(given, True)[1] if "shape" in given else points(given)
    turn, size = -1 if a.get("inverse") else 1, blocks * n * n
    need(product(lead) % heads == 0, "heads of another number")

    def matrix_of(head, token, block):
        starts = [(axis * heads + head) * size + block * n * n for axis in range(axes)]
        weights = [turn * Fraction(*places[axis][token]) for axis in range(axes)]
        return [
            [
                sum(w * Fraction(*values[s + i * n + j]) for w, s in zip(weights, starts, strict=True) if w)
                for j in range(n)
            ]
            for i in range(n)
        ]

    def value(index):
        vector, c = divmod(index, dim)
        block, i = divmod(c, n)
        if block >= blocks:
            return literal(x[index])
        first = index - i
        own = x[first : first + n]
        need(all(one is not None for one in own), "infinity or NaN")
        matrix = matrix_of(vector // length % heads, vector % length, block)
        return moved(matrix, [Fraction(*one) for one in own], i) or literal(x[index])

    return [], "1", value


FUNCTIONS = {"liere": (liere, "x positions generators inverse")}
