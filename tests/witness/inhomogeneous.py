"""The multiple of a number that comes nearest to a target modulo 1, of all multiples below a limit, in integers.

Everything is in units of 2**-BITS: a number is a fraction of one, and its multiples are taken modulo 2**BITS.
"""

from bisect import bisect_left

BITS = 256
ONE = 1 << BITS


def descents(step, limit):
    """[(q, d)] of all q <= limit by which q * step falls below 1 by d, less than every smaller q does; q ascending.

    They are the best approximations of `step` by fractions from above, intermediate ones among them: each is the
    last one plus the newest approximation from below.
    """
    up, down = (1, step), (1, ONE - step)  # (q, what q * step exceeds an integer by), (q, what it lacks)
    found = [down]
    while up[1] and up[0] + down[0] <= limit:
        if up[1] < down[1]:
            down = down[0] + up[0], down[1] - up[1]
            found.append(down)
        else:
            up = up[0] + down[0], up[1] - down[1]
    return found


class Nearest:
    """The nearest multiples of one step, from each side of a target."""

    def __init__(self, step, limit):
        self.limit = limit
        self.sides = [self._ascending(descents(one % ONE, limit)) for one in (step, -step)]

    @staticmethod
    def _ascending(steps):
        """Two lists: d ascending, and q of each."""
        return [d for _, d in reversed(steps)], [q for q, _ in reversed(steps)]

    def to(self, target, side):
        """(p, gap): gap, p * step - target modulo 1, is least for p of all from 0 to the limit; side 1: the negative.

        The next p with a smaller gap is p + q for the least q that takes no more than the gap.
        """
        gaps, steps = self.sides[side]
        p, gap = 0, (target if side else -target) % ONE
        at = len(gaps)
        while at := bisect_left(gaps, gap + 1, 0, at):
            q, d = steps[at - 1], gaps[at - 1]
            count = min(gap // d, (self.limit - p) // q)
            if not count:
                break
            p, gap = p + count * q, gap - count * d
        return p, gap
