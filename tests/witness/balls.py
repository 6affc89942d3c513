"""From balls to digits: compute, look whether the ball decides, and compute again at twice the precision where not."""

from dataclasses import replace

import numpy as np
from flint import arb, ctx

from .digits import from_floors, from_fractions, zeros

FIRST = 192  # bits of the first attempt
SCALE = 112  # digits read then are floor(v * 2**112); later attempts read half as many as they compute


def at_each_precision(compute):
    """The function, called once at each precision: the balls of frequencies serve all of its rows."""
    made = {}

    def remembered():
        if ctx.prec not in made:
            made[ctx.prec] = compute()
        return made[ctx.prec]

    return remembered


def leading(count, width, evaluate, expected=None, exact=None):
    """Digits (count, width) of the irrational numbers that evaluate(rows, bits) gives as tuples of `width` balls.

    evaluate is called with ctx.prec = bits, for all rows (None) or for a list of them. expected: exponents of two, one
    a row, by which the numbers are scaled down before their digits are read. exact(row): called when the balls of a row
    do not decide at 8192 bits; the tuple of fractions the numbers really are.
    """
    result = zeros((count, width))
    rows, bits = None, FIRST
    before = ctx.prec
    try:
        while rows is None or rows:
            ctx.prec = bits
            rows = _attempt(result, rows, bits, evaluate, expected)
            if bits >= 8192 and rows and exact:
                for row in rows:
                    result[row] = from_fractions(exact(row))
                rows = []
            if bits > 1 << 20:
                raise ArithmeticError(f"undecided at {bits} bits: rows {rows[:5]}")
            bits *= 2
    finally:
        ctx.prec = before
    return result


def _attempt(result, rows, bits, evaluate, expected):
    scale = SCALE if bits == FIRST else bits // 2
    indices = range(len(result.head)) if rows is None else rows
    balls = evaluate(rows, bits)
    if expected is None:
        factor = arb(2) ** scale
        floors = [(v * factor).floor().unique_fmpz() for row in balls for v in row]
    else:
        factors = {e: arb(2) ** (scale - e) for e in {int(expected[k]) for k in indices}}
        floors = [
            (v * factors[int(expected[k])]).floor().unique_fmpz()
            for k, row in zip(indices, balls, strict=True)
            for v in row
        ]
    floors = [0 if floor is None else int(floor) for floor in floors]
    return (_store_many if bits == FIRST else _store_each)(result, list(indices), floors, scale, expected)


def _store_many(result, indices, floors, scale, expected):
    width = result.head.shape[1]
    good = [1 << 63 <= n < 1 << 127 or -(1 << 127) <= n < -(1 << 63) for n in floors]
    whole = b"".join(
        [(n if ok else 1 << 100).to_bytes(24, "little", signed=True) for n, ok in zip(floors, good, strict=True)]
    )
    found = from_floors(np.frombuffer(whole, "<u8").astype(np.uint64).reshape(-1, width, 3), scale)
    if expected is not None:
        found = replace(found, exponent=found.exponent + np.asarray(expected, np.int64)[indices, None])
    result[indices] = found
    decided = np.array(good, bool).reshape(-1, width).all(1)
    return [indices[k] for k in np.flatnonzero(~decided)]


def _store_each(result, indices, floors, scale, expected):
    width, again = result.head.shape[1], []
    for place, row in enumerate(indices):
        for column, floor in enumerate(floors[place * width : (place + 1) * width]):
            magnitude = floor if floor >= 0 else -floor - 1
            size = magnitude.bit_length()
            if size < 64:
                again.append(row)
                break
            exponent = size - 1 - scale + (0 if expected is None else int(expected[row]))
            result[row, column] = floor < 0, magnitude >> size - 64, exponent, True
    return again
