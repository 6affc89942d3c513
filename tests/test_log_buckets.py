"""Every distance to 10**6 against the exact rule: buckets begin where an enclosure of low (high / low)**share says."""

from fractions import Fraction

import flint
import numpy as np
import pytest
from witness import distances as witness

from refpos import InputError, t5_buckets
from refpos.relative import log_buckets
from refpos.steps.distances import log_edges

FAR = 10**6


def floor_and_whole(low, high, share, bits=512):
    """floor(low (high / low)**share), and whether that is the number itself: then no ball decides, but powers do."""
    with flint.ctx.workprec(bits):
        low, ratio = Fraction(low), Fraction(high) / low
        ball = arb(low) * (arb(ratio).log() * arb(share)).exp()
        floor = ball.floor().unique_fmpz()
        if floor is not None:
            return int(floor), False
        whole = int(ball.upper().floor().unique_fmpz())
        assert (whole / low) ** share.denominator == ratio**share.numerator
        return whole, True


def arb(fraction):
    return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))


def by_edges(lasts):
    """The bucket of each distance 0 .. FAR; bucket k ends with the distance lasts[k]."""
    return np.searchsorted(lasts, np.arange(FAR + 1), side="left")


@pytest.mark.parametrize("buckets, most", [(256, 512), (32, 128), (64, 256), (128, 512), (4, 4), (34, 1001), (6, 7)])
def test_deberta_at_every_distance(buckets, most):
    middle = buckets // 2
    lasts = list(range(middle + 1))
    while lasts[-1] < FAR:
        share = Fraction(len(lasts) - middle, middle - 1)
        lasts.append(floor_and_whole(middle, most - 1, share)[0])
    expected = by_edges(lasts)
    ours = log_buckets(np.arange(-FAR, FAR + 1), rule="deberta", num_buckets=buckets, max_distance=most)
    np.testing.assert_array_equal(ours[FAR:], expected)
    np.testing.assert_array_equal(ours[FAR::-1], -expected)


@pytest.mark.parametrize("buckets, most", [(256, 512), (32, 128), (64, 256), (6, 7), (256, 300), (4, 9), (16, 65)])
def test_deberta_exchanged_at_every_distance(buckets, most):
    """Two numbers in each other's place: down from the middle where the base of the logarithm is below 1, or up."""
    middle, end = most // 2, buckets - 1
    edges, down = [], end < middle
    for k in range(middle + buckets + 1 if down else end - middle + 1):
        high = Fraction(middle * middle, end) if down else end
        whole, exact = floor_and_whole(middle, high, Fraction(k, middle - 1))
        # the first distance of step k: the number itself going down, as a ceiling of its negative; beyond it going up
        edges.append(whole + (not exact if down else 1))
    distances = np.arange(FAR + 1)
    steps = np.searchsorted(edges, distances, side="right")
    expected = np.where(distances <= middle, distances, middle - (steps - 1) if down else middle + steps)
    expected = np.clip(expected, -buckets, buckets)
    ours = log_buckets(np.arange(-FAR, FAR + 1), rule="deberta_exchanged", num_buckets=buckets, max_distance=most)
    np.testing.assert_array_equal(ours[FAR:], expected)
    np.testing.assert_array_equal(ours[FAR::-1], -expected)


@pytest.mark.parametrize("buckets, most", [(32, 128), (64, 256), (320, 800), (32, 100), (512, 2048), (34, 999983)])
def test_t5_at_every_distance(buckets, most):
    half = buckets // 2
    near = half // 2
    lasts = list(range(near))
    for k in range(1, half - near):
        whole, exact = floor_and_whole(near, most, Fraction(k, half - near))
        lasts.append(whole - exact)
    expected = by_edges(lasts)
    both = {"bidirectional": True, "num_buckets": buckets, "max_distance": most}
    for function in (t5_buckets, lambda relative, **options: log_buckets(relative, rule="t5", **options)):
        ours = function(np.arange(-FAR, FAR + 1), **both)
        np.testing.assert_array_equal(ours[FAR::-1], expected)
        np.testing.assert_array_equal(ours[FAR + 1 :], expected[1:] + half)


@pytest.mark.parametrize("alpha, beta, gamma", [
    ("19/10", "19/5", "76/5"), (1, 2, 8), (1, 4, 16), (1, 3, 16), (2, 10, 64), ("1/2", "9/2", 8), ("5/2", 7, 90),
])  # fmt: skip
def test_irpe_at_every_distance(alpha, beta, gamma):
    options = {"alpha": Fraction(alpha), "beta": Fraction(beta), "gamma": Fraction(gamma)}
    relative = np.arange(-300, 301)
    ours = log_buckets(relative, rule="irpe", **options)
    np.testing.assert_array_equal(ours, witness.log_buckets(relative, rule="irpe", **options))
    far = log_buckets([FAR, -FAR, 2**63 - 1, -(2**63)], rule="irpe", **options)
    assert far.tolist() == [int(options["beta"]) * sign for sign in (1, -1, 1, -1)]


def test_halves_go_to_the_even_bucket():
    # 1 + 3 log(n) / log(16) is 5/2 at n = 4, and 1 + 2 log(n) / log(16) is 3/2 at n = 2
    assert log_buckets([4, 5, -4], rule="irpe", alpha=1, beta=4, gamma=16).tolist() == [2, 3, -2]
    assert log_buckets([2, -2], rule="irpe", alpha=1, beta=3, gamma=16).tolist() == [2, -2]


def test_deberta_edges_are_inclusive():
    # log(511 / 128) / log(511 / 128) is 1: the last distance of bucket 128 + 127
    ours = log_buckets([511, 512, -511, -512], rule="deberta", num_buckets=256, max_distance=512)
    assert ours.tolist() == [255, 256, -255, -256]


@pytest.mark.parametrize("above", [False, True])
def test_edges_are_where_the_powers_of_integers_say(above):
    assert log_edges.first(1, 4096, Fraction(1, 2), 1, above=above) == 64 + above
    assert log_edges.first(2, 16, Fraction(-1), 1, above=above) == 1
    for low, high, q in ((3, 3 * 7**5, 5), (Fraction(19, 10), Fraction(152, 10), 4), (512, 2**50, 96), (5, 6, 7)):
        for p in range(q + 1):
            edge = log_edges.first(low, high, Fraction(p, q), 1, above=above)
            reached = [
                power > bound or (power == bound and not above)
                for power, bound in [((n / Fraction(low)) ** q, (high / Fraction(low)) ** p) for n in (edge - 1, edge)]
            ]
            assert reached == [False, True], (low, high, p, q)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u8", ">i4"])
def test_integer_dtypes_do_not_wrap(dtype):
    info = np.iinfo(dtype)
    values = [max(info.min, -(2**53)), 0, 1, 100, min(info.max, 2**53)]
    ours = log_buckets(np.array(values, dtype), rule="deberta", num_buckets=8, max_distance=90)
    assert ours.tolist() == [witness.deberta_bucket(one, 8, 90) for one in values]


def test_distances_beyond_all_positions_are_refused():
    for far in (2**53 + 1, -(2**63), 2**64 - 1):
        with pytest.raises(InputError, match=rf"within \+-2\*\*53, got {far}"):
            log_buckets(np.array(far), rule="deberta", num_buckets=8, max_distance=90)
