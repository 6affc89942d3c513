"""The bounds of docs/numbers.md and the scripts that prove them: each names the other, and scripts hold what the source
holds. The proofs need Gappa, Sollya and z3: `python tests/prove_bounds.py`, which .ci/run runs."""

import re
from fractions import Fraction

import numpy as np
import prove_bounds
import pytest
from bounds import exact_sums, faults, gappa, pairs, polynomials, registry, source, tools
from tiers import sampled

from refpos.kernels import numpy_seeds
from refpos.steps.angles import seeds

FILES = {path.name for kind in ("*.g", "*.smt2") for path in registry.HERE.glob(kind)}
TOTAL = re.compile(r"^\| total(.*?) \|", re.MULTILINE)


def unnamed(text):
    """Totals of tables that name no script and do not say that they are derived by hand."""
    named = r", (by hand|\[\w+\]\(.*\.(g|smt2)\)(, [a-z ]+)?)"
    return [end for end in TOTAL.findall(text) if not re.fullmatch(named, end)]


def test_every_total_names_its_script_or_says_that_it_is_by_hand():
    text = registry.PAGE.read_text()
    assert len(TOTAL.findall(text)) == 32 and unnamed(text) == []
    assert text.count("| total, by hand |") == 0 and "\nBy hand are:\n" in text
    assert unnamed("| total | 2^-3 |\n| total, guessed | 2^-3 |\n| total, by hand | 2^-3 |\n") == ["", ", guessed"]


def test_every_script_is_named_on_the_page_and_registered():
    named = re.findall(r"\]\(\.\./tests/bounds/([\w.]+)\)", registry.PAGE.read_text())
    assert set(named) == FILES and len(FILES) > 14
    assert prove_bounds.scripts() == sorted(name.partition(".")[0] for name in FILES)
    for name, (_, variants) in registry.PROOFS.items():
        text = (registry.HERE / f"{name}.g").read_text()
        if name in registry.EXACT:
            assert "| <= 0 }" in text and "$bound" not in text
            continue
        assert len({*variants}) == len(variants) > 1
        assert all(float(registry.bits_of(name, variant)) > 20 for variant in variants)
        assert "$bound" in text or "$square" in text, f"{name} must prove the bound of the page"


def test_bounds_are_rounded_to_the_side_that_proves_more():
    for bits in ("77.8", "22.45", "75", "0.5"):
        low, high = registry.power(bits)
        exact = 2 ** -Fraction(bits).numerator if Fraction(bits).denominator == 1 else None
        power = Fraction(bits)
        assert low**power.denominator <= Fraction(1, 2**power.numerator) < high**power.denominator
        assert high - low == Fraction(1, 2**registry.POWER_BITS) and (exact is None or low == Fraction(1, 2**75))


@pytest.fixture
def without_tools(monkeypatch):
    monkeypatch.setattr(tools, "supnorm", lambda *_: Fraction(1, 3))
    monkeypatch.setattr(tools, "enclosures", lambda texts: [(Fraction(20, 3), Fraction(22, 3))] * len(texts))


def asked(name, variant):
    """What the tools are asked of a variant, or why the source cannot be read."""
    try:
        return registry.script(name, variant) if name in registry.PROOFS else registry.queries(name)
    except prove_bounds.UNREADABLE as error:
        return repr(error)


@pytest.mark.parametrize("name", sampled(prove_bounds.scripts(), 3))
def test_what_is_asked_follows_the_source(name, without_tools, monkeypatch):
    """Every planted fault changes it, and nothing else does."""
    planted = faults.FAULTS.get(name, [])
    assert (len(planted) >= 3) != (name in faults.WITHOUT_SOURCE)
    for variant in prove_bounds.variants(name):
        assert "(check-sat)" in asked(name, variant) or "\n-> " in asked(name, variant)
    for file, old, new, variant in planted:
        variant = variant or prove_bounds.variants(name)[0]
        before = asked(name, variant)
        monkeypatch.setattr(source, "PLANTED", {file: (old, new)})
        assert asked(name, variant) != before, (file, old)
        monkeypatch.setattr(source, "PLANTED", {})
        assert asked(name, variant) == before


def test_code_that_is_read_computes_what_the_kernels_compute():
    """The statements of `_pairs`, run with arrays, give its bits; those of the compiled kernels differ by rounding."""
    rng, knots = np.random.default_rng(1), seeds.knots()
    distance, rest = rng.integers(-(2**52), 2**52, 500) << 11, rng.integers(0, 2**32, 500)
    knot, out = rng.integers(0, 2048, 500), np.empty((4, 500))
    numpy_seeds._pairs(knot, distance, rest, knots, out)
    cells = dict(zip(pairs.KNOT, (plane[knot] for plane in knots[:4]), strict=True))
    values = {"distance": distance, "rest": rest, "out": None, **cells}
    values |= {name: getattr(numpy_seeds, name) for name in ("_to_grid", "_rotate_knot")} | pairs.constants("NumPy")
    found = source.run(source.read(pairs.PLACES["NumPy"][0], "_pairs"), values, pairs.KNOT)
    assert np.array_equal([*found["out[:2]"], *found["out[2:]"]], out)
    given = {"x1": found["x1"], "x0": found["x0"], "GRID": lambda value, anchor: (value + anchor) - anchor}
    vectors = source.run(source.read("ext/seeds.h", "seed_pairs", "x", "c0"), given, ("x1", "x0"))
    assert all(np.array_equal(vectors[name], found[name]) for name in ("s0", "k1", "k0", "c0"))


def test_terms_of_gappa_round_each_operation():
    script, (a, b, c) = gappa.Script(), map(gappa.Number, "abc")
    assert (a * b + c).rounded == "double(double(a * b) + c)" and (a * b + c).exact == "((a * b) + c)"
    assert gappa.fused(a, b, c).rounded == "double(c + a * b)" and (a * 0.5).rounded == "(a * 1b-1)"
    assert gappa.literal(0.1) == "3602879701896397b-55" and gappa.literal(-3.0) == "(-3)"
    part = script.bind("p", script.grid(a, 1.5 * 2.0**26))
    assert script.lines == ["p = fixed<-26, ne>(a);"] and script.needed == ["|a| <= 33554432"]
    assert (a - part).rounded == "(a - p)" and (b - part).rounded == "double(b - p)"
    with pytest.raises(ValueError, match=r"1\.5 times a power of two, got 3\.5"):
        script.grid(a, 3.5)
    with pytest.raises(TypeError, match="both operands must be double, got single"):
        _ = a + gappa.Number("s", kind="single")


class Small(int):
    """An integer with at most 4 significant bits, whose sums and differences are rounded to such, ties to even."""

    def __add__(self, other):
        total = int(self) + int(other)
        unit = 1 << max(total.bit_length() - 4, 0)
        return Small(round(Fraction(total, unit)) * unit)

    def __sub__(self, other):
        return self + -other


def test_errors_of_sums_are_exact_with_four_bits():
    code = source.read("ext/compiled.pyx", "exact_sum")
    numbers = sorted({n << k for n in range(-15, 16) for k in range(7)})
    for a in numbers:
        for b in numbers:
            values = source.run(code, {"a": Small(a), "b": Small(b)})
            assert int(values["high"]) == Small(a) + Small(b) and int(values["high"]) + int(values["low"]) == a + b


def test_errors_of_sums_are_recognised():
    wrong = {"o": "s - b", "e": "(a - (s - o)) - (b - o)", "s": "a - b"}
    for planted in ({}, *({name: text} for name, text in wrong.items())):
        script, values = gappa.Script(), {name: gappa.Number(name) for name in "ab"}
        bind = exact_sums.binder(script)
        for name, text in ({"s": "a + b", "o": "s - a", "e": "(a - (s - o)) + (b - o)"} | planted).items():
            values[name] = bind(name, eval(text, {}, values))
        assert ("e = ((a + b) - s);" in script.lines) == (not planted)


def test_upper_bits_are_cut_or_rounded():
    x = gappa.Number("x")
    cut, rounded = exact_sums.Bits(x) & 2**64 - 2**27, exact_sums.Bits(x) + 2**26 & 2**64 - 2**27
    assert (cut.rounded, rounded.rounded) == ("float<26, -4000, zr>(x)", "float<26, -4000, na>(x)")
    assert (x - cut).rounded == "(x - float<26, -4000, zr>(x))"
    with pytest.raises(KeyError):
        exact_sums.Bits(x) + 2**25 & 2**64 - 2**27
    with pytest.raises(ValueError, match="a mask must keep upper bits"):
        exact_sums.Bits(x) & 2**64 - 2**27 - 1


def test_polynomials_keep_their_coefficients():
    x = polynomials.X
    assert (x * (x - 0.1) + 1).terms == {(2, 0): 1, (1, 0): -Fraction(0.1), (0, 0): 1}
    with pytest.raises(ValueError, match="in x alone"):
        (x + polynomials.Y).sollya()


def test_an_answer_that_is_no_proof_is_an_error(monkeypatch):
    needless = "Warning: no need for the rewriting at line 1 column 2"
    answers = iter([(0, "", ""), (0, "", needless), (1, "", "Error: x"), (0, "", "Warning: x"), (0, "Results:", "")])
    monkeypatch.setattr(tools, "_ask", lambda *_: next(answers))
    goal = "{ x in [0, 1]\n-> |x| <= 1 }"
    tools.prove(goal), tools.prove(goal)
    for text in (goal, goal, goal, "x = 1;"):
        with pytest.raises(tools.NotProvedError):
            tools.prove(text)
    said = iter([(1, "", f"{needless}\nError: no contradiction was found."), (0, "", ""), (1, "", "Error: syntax")])
    monkeypatch.setattr(tools, "_ask", lambda *_: next(said))
    tools.consistent(goal)
    for text in (goal, goal, "x = 1;"):
        with pytest.raises(tools.NotProvedError):
            tools.consistent(text)
    query, said = "(a)\n(push)\n(check-sat)\n(pop)\n", iter(["unsat", "sat", "unknown", ""])
    monkeypatch.setattr(tools, "_ask", lambda *_: (0, next(said), ""))
    tools.unsatisfiable(query)
    for text in (query, query, query, "(check-sat)\n", "(push)\n(pop)\n"):
        with pytest.raises(tools.NotProvedError):
            tools.unsatisfiable(text)
