"""The weights of the old rows in each row of a table at another size, as fractions (refpos.resize_table)."""

from fractions import Fraction

HALF = Fraction(1, 2)


def triangle(d):
    return max(1 - d, Fraction(0))


def keys(a):
    """Keys 1981, equation (8), with a in place of -1/2."""

    def value(d):
        if d <= 1:
            return (a + 2) * d**3 - (a + 3) * d**2 + 1
        return a * (d**3 - 5 * d**2 + 8 * d - 4) if d < 2 else Fraction(0)

    return value


def floor(x):
    return x.numerator // x.denominator


def of_axis(old, new, method, *, align=None, cubic=None, antialias=False, border=None, scale=None):
    """[{old row: weight} of each new row]"""
    step = Fraction(1, scale) if scale else Fraction(old, max(new, 1))
    found = []
    for j in range(new):
        if method.startswith("nearest"):
            at = floor((j + HALF if method == "nearest-exact" else j) * step)
            found.append({min(at, old - 1): Fraction(1)})
            continue
        place = Fraction(j * (old - 1), max(new - 1, 1)) if align == "corners" else (j + HALF) * step - HALF
        wider = max(step, Fraction(1)) if antialias else Fraction(1)
        kernel, reach = (triangle, 1) if method == "linear" else (keys(cubic), 2)
        near = range(floor(place - reach * wider), floor(place + reach * wider) + 2)
        found.append(within({i: kernel(abs(place - i) * Fraction(1, wider)) for i in near}, old, antialias, border))
    return found


def within(weights, old, antialias, border):
    """The weights of rows that exist: those of others go to the nearest one, or to none."""
    kept = {}
    for i, w in weights.items():
        if 0 <= i < old or ((border or "clamp") == "clamp" and not antialias):
            i = min(max(i, 0), old - 1)
            kept[i] = kept.get(i, 0) + w
    if antialias or border == "renormalise":
        total = sum(kept.values())
        kept = {i: w * Fraction(1, total) for i, w in kept.items()}
    return kept
