"""Seven mistakes in plain C, which shares nothing with refpos: each is named first, in all of its 67 calls."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import refpos

SOURCE = Path(__file__).with_name("data") / "port.c"
#: {mistake: (its number in port.c, how its explanation begins, least calls that it changes)}
MISTAKES = {
    "the other pairing": (1, "pairing=", 20),
    "cosines and sines exchanged": (2, "cos", 60),
    "a position too far": (3, "positions + 1", 60),
    "another base": (4, "base=1000 ", 60),
    "half of the exponent": (5, "the exponent i/dim", 60),
    "the other direction": (6, "inverse=True", 20),
    "slopes without the recursion": (7, "convention='geometric'", 2),
}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    made = tmp_path_factory.mktemp("port") / "port.so"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", made, SOURCE, "-lm"], check=True)
    return ctypes.CDLL(str(made))


def pointers(*arrays):
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


def calls():
    """67 calls: (name, positions or sizes, width, base, x or None, pairing or None)."""
    rng, made = np.random.default_rng(14), []
    for k in range(20):
        dim, base = 8 + 4 * (k % 7), (10000.0, 500000.0)[k % 2]
        positions = np.arange(9 + k, dtype=np.int64) + 37 * (k % 3)
        x = rng.normal(size=(2, len(positions), dim)).astype(np.float32)
        made += [("sinusoidal", positions, dim, base), ("rope_table", positions, dim, base)]
        made.append(("rope", positions, dim, base, x, ("half", "interleaved")[k % 2]))
    made += [("alibi", heads, 3 + heads % 4, 9) for heads in (4, 6, 8, 12, 3, 16, 20)]
    return made


def answer(port, mistake, name, *given):
    """(what the port gives, the call that was meant)."""
    if name == "alibi":
        heads, queries, keys = given
        made = np.empty((heads, queries, keys), np.float32)
        port.alibi(*map(ctypes.c_long, given), mistake, *pointers(made))
        return made, (refpos.alibi, *given), {"mode": "causal", "convention": "recursive"}
    positions, dim, base, *rest = given
    places, n = np.asarray(positions, np.float64), len(positions)
    sizes = [ctypes.c_long(n), ctypes.c_long(dim), ctypes.c_double(base)]
    if name == "rope":
        x, pairing = rest
        made = np.empty_like(x)
        rows = ctypes.c_long(x.size // dim)
        port.rope(*pointers(x, places), rows, *sizes, int(pairing == "half"), mistake, *pointers(made))
        return made, (refpos.rope, x, positions), {"pairing": pairing, "base": base}
    shape = (n, dim) if name == "sinusoidal" else (n, dim // 2)
    made = [np.empty(shape, np.float32) for _ in range(1 if name == "sinusoidal" else 2)]
    getattr(port, name)(*pointers(places), *sizes, mistake, *pointers(*made))
    if name == "sinusoidal":
        return made[0], (refpos.sinusoidal, positions, dim), {"base": base}
    return tuple(made), (refpos.rope_table, positions, refpos.inverse_frequencies(dim, base=base)), {}


def test_the_port_is_right_without_a_mistake(port):
    for name, *given in (all_of := calls()):
        made, call, options = answer(port, 0, name, *given)
        assert refpos.compare(made, *call, **options), (name, given)
    assert len(all_of) == 67


@pytest.mark.exhaustive
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_first(mistake, port):
    number, words, least = MISTAKES[mistake]
    named, unnamed = 0, []
    for name, *given in calls():
        made, call, options = answer(port, number, name, *given)
        found = refpos.diagnose(made, *call, **options)
        if found.met is not None:
            continue
        first = found.explanations[0].computed if found.explanations else "unexplained"
        if first.startswith(words) or (number == 2 and name == "sinusoidal" and first.startswith("layout=")):
            named += 1
        else:
            unnamed.append((name, given[1:3], first))
    assert not unnamed and named >= least, (named, unnamed)
