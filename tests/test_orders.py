"""The orders of docs/orders: every function of the class `sequence64` has one, and it gives the golden values."""

import ast
import copy
import inspect
import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache

import orders
import pytest
from orders import reading, running
from tiers import sampled
from witness import suites

from refpos import catalogue
from refpos.golden.read import DATA, open_suite, read_lock

LOCK = read_lock()  # with it documents are read and not checked again
#: of the class and without an order; only removals
LEFT = frozenset(("laplacian_positions", "laplacian_values"))


def of_the_class():
    """The functions whose values are of the class, and the gradients of these."""
    written = [entry for entry in catalogue.ENTRIES.values() if entry.contract == "written"]
    members = [entry for entry in written if "`sequence64`" in inspect.getdoc(entry.function)]
    assert len(members) > 20
    return {entry.name for entry in members} | {entry.vjp.name for entry in members if entry.vjp}


def test_every_function_of_the_class_has_an_order():
    missing = of_the_class() - {*orders.names()} - LEFT
    assert not missing, f"docs/orders must have the order of {sorted(missing)}"
    assert {*orders.names()} <= of_the_class() - LEFT


def test_what_is_left_only_shrinks():
    assert LEFT <= of_the_class() and len(LEFT) <= 2


# -- the golden values ------------------------------------------------------------------------------------------------


@cache
def suite_of(name):
    """(a shipped suite, its cases with values by id)."""
    suite = open_suite(DATA, name, LOCK)
    return suite, {entry["id"]: entry for entry in suite.document["cases"] if "outputs" in entry}


def cases():
    """The ids of all golden cases of the functions with an order, and of the first of each."""
    ids = {name: list(suite_of(name)[1]) for name in orders.names()}
    return [id for own in ids.values() for id in own], {own[0] for own in ids.values()}


def differing(id, lines=None, run=running.Run):
    """Names of the outputs of a case for which the order gives other bits; a case must have some."""
    name = id.partition("/")[0]
    suite, entries = suite_of(name)
    tensors = suite.tensors(entries[id])
    inputs, held = ({one: (t.dtype, t.values) for one, t in tensors[side].items()} for side in ("inputs", "outputs"))
    assert held
    shapes = {one: (dtype, values.shape) for one, (dtype, values) in held.items()}
    found = orders.outputs(lines or orders.program(name), name, entries[id]["arguments"], inputs, shapes, run)
    assert set(found) == set(held)
    return [one for one, (_, values) in held.items() if found[one].tobytes() != suites.unsigned(values).tobytes()]


@pytest.mark.once
@pytest.mark.parametrize("id", sampled(cases()[0], 12, cases()[1]))
def test_the_order_gives_the_golden_values(id):
    assert differing(id) == []


# -- faults in an order are told ---------------------------------------------------------------------------------------


def planted(tree, change):
    """Copies of the lines in which one part is another: what `change` makes of a part, None where it leaves it."""
    places = []

    def look(part, path):
        if isinstance(part, list):
            places.extend([path] if part and change(part) is not None else [])
            for k, one in enumerate(part):
                look(one, (*path, k))

    look(tree, ())
    for path in places:
        made = copy.deepcopy(tree)
        holder = made
        for k in path[:-1]:
            holder = holder[k]
        holder[path[-1]] = change(holder[path[-1]])
        yield made


def downwards(part):
    """A sum from the other end."""
    return [*part[:2], not part[2], *part[3:]] if part[0] == "sum" else None


def by_inverse(part):
    """A quotient of doubles as a product with the inverse."""
    return ["inverse", *part[1:]] if part[0] == "/" and part[1] != ["number", "1"] else None


def regrouped(part):
    """(a + b) + c as a + (b + c)."""
    deep = part[0] == "+" and part[1][0] == "+"
    return ["+", part[1][1], ["+", part[1][2], part[2]]] if deep else None


class Changed(running.Run):
    """Runs an order with the changes; `met`: whether a quotient of doubles was one of them."""

    met = False

    def value(self, tree, at):
        if tree[0] != "inverse":
            return super().value(tree, at)
        x, y = (self.value(one, at) for one in tree[1:])
        if not isinstance(x, float) and not isinstance(y, float):
            return running.operate("/", x, y)
        Changed.met = True
        return running.operate("*", x, running.operate("/", 1.0, float(y)))


class Fused(running.Run):
    """A sum of products that rounds a product and what it is added to together, as a fused multiply-add does."""

    def reduced(self, kind, indices, down, kept, body, at):
        if kind != "sum" or body[0] != "*":
            return super().reduced(kind, indices, down, kept, body, at)
        found = 0.0
        for place in running.places(self.sizes, indices, down):
            inner = {**at, **dict(zip(indices, place, strict=True))}
            if kept is None or self.holds(kept, inner):
                x, y = (float(self.value(one, inner)) for one in body[1:])
                finite = all(map(math.isfinite, (found, x, y)))
                found = float(Fraction(found) + Fraction(x) * Fraction(y)) if finite else found + x * y
        return found


CHANGES = (downwards, by_inverse, regrouped)
NOTHING = "the mean of what is centred is some 1e-17, which changes no difference"
#: {(function, change, how many of its kind stand before it): why no golden case tells it}
UNTOLD = {
    ("deberta_scores", "regrouped", 0): "a sum of integers",
    ("vjp_deberta_scores", "regrouped", 0): "a sum of integers",
    **{("vjp_decomposed_scores", "regrouped", k): "a sum of integers" for k in (0, 1)},
    **{
        ("vjp_decomposed_scores", "downwards", k): "one key of an axis reads a row, so the sum has one term"
        for k in (4, 7)
    },
    **{("vjp_decomposed_scores", "downwards", k): "an exact sum" for k in (10, 11)},
    ("distance_mlp", "downwards", 0): "two terms, and a sum of two does not depend on their order",
    ("normalised_sinusoidal", "downwards", 1): NOTHING,
    ("normalised_sinusoidal", "by_inverse", 2): NOTHING,
}


@cache
def telling(name):
    """The golden cases of a function, those that told a fault last at the front."""
    return sorted(suite_of(name)[1], key=lambda id: not id.endswith("f64"))


def is_told(name, lines, run=running.Run):
    """Whether some golden case of the function has other values."""
    ids = telling(name)
    for k, id in enumerate(ids):
        if differing(id, lines, run):
            ids.insert(0, ids.pop(k))
            return True
    return False


SHORT = {"fire", "merge_outputs"}
NAMES = [pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in SHORT)) for name in orders.names()]


@pytest.mark.once
@pytest.mark.parametrize("name", NAMES)
def test_golden_values_tell_another_order(name):
    own = reading.read((orders.FOLDER / f"{name}.txt").read_text("utf-8"))
    shared = orders.program(name)[: -len(own)]
    made = {
        (name, change.__name__, k): shared + lines for change in CHANGES for k, lines in enumerate(planted(own, change))
    }
    untold = set()
    for fault, lines in made.items():
        Changed.met = fault[1] != "by_inverse"  # quotients of fractions are exact, and no fault
        if not is_told(name, lines, Changed) and Changed.met:
            untold.add(fault)
    assert untold == {fault for fault in UNTOLD if fault[0] == name}
    assert is_told(name, orders.program(name), Fused) == any(products(own)), "a fused sum of products must be told"


def products(tree):
    """The sums of products in the lines."""
    if isinstance(tree, list):
        if tree[:1] == ["sum"] and tree[4][0] == "*":
            yield tree
        for part in tree:
            yield from products(part)


@pytest.mark.parametrize("name", ["fire", "dape"])
def test_a_hundredth_is_no_division_by_a_hundred(name):
    shared = (orders.FOLDER / "functions.txt").read_text("utf-8")
    assert shared.count("x * 0.01") == 1
    own = reading.read((orders.FOLDER / f"{name}.txt").read_text("utf-8"))
    assert not is_told(name, reading.read(shared) + own)
    assert is_told(name, reading.read(shared.replace("x * 0.01", "x / 100")) + own)


# -- the language -----------------------------------------------------------------------------------------------------


def value(text, **inputs):
    """What the last line of a text gives."""
    lines = reading.read(text)
    return running.Run(lines, inputs, {"k": 3}).arrays[lines[-1][2]]


def test_operations_are_rounded_one_by_one_from_the_left():
    assert value("y = a + b - b", a=1e-20, b=1.0) == 0.0
    assert value("y = a + (b - b)", a=1e-20, b=1.0) == 1e-20
    assert (
        value("y = a * b / c", a=0.1, b=0.3, c=0.7) == 0.1 * 0.3 / 0.7 != value("y = a * (b / c)", a=0.1, b=0.3, c=0.7)
    )
    assert value("y = -a * b + c", a=2.0, b=3.0, c=1.0) == -5.0


def test_integers_are_exact_until_they_meet_a_double():
    assert value("y = (1 / 3) * 3") == 1
    assert value("y = float64(1 / 3) * 3 - 1") == float(Fraction(1 / 3) * 3) - 1
    assert value("y = x + 2 / 10", x=0.1) == 0.1 + 0.2
    assert value("y = 7 // 2 + 7 % 4") == 6
    with pytest.raises(AssertionError, match="float64"):
        value("y = x * ln(2)", x=0.5)
    assert value("y = float64(ln(2))") == math.log(2)


def test_sums_begin_at_0_and_go_upwards():
    x = [1e-17, 1.0, -1.0]
    assert value("y = sum k: x[k]", x=x) == 0.0
    assert value("y = sum k down: x[k]", x=x) == 1e-17
    assert math.copysign(1, value("y = sum k where k < 1: x[k]", x=[-0.0])) == 1
    assert value("y = max k where k == 5: x[k]", x=x) == -math.inf
    assert math.isnan(value("y = max k: x[k]", x=[1.0, math.nan, 2.0]))


def test_an_array_is_read_until_its_new_one_is_full():
    assert value("x[k] = x[2 - k] * 2", x=[1.0, 2.0, 3.0]) == {(0,): 6.0, (1,): 4.0, (2,): 2.0}
    assert value("y = 1\neach k: y = y * 2\neach k: y = y + 1\nz = y") == 15


def test_conditions_leave_lines_out():
    text = "y = 1\nif mode is second: y = 2\nif not_given is not none and mode is first: y = 3\nz = y"
    assert [value(text, mode=mode, not_given=None) for mode in ("first", "second")] == [1, 2]
    assert value("y = if x != x then 1 else if x < 0 or x == 5 then 2 else 3", x=5.0) == 2


@pytest.mark.parametrize(
    "text", ["y = ", "y = a +", "y = a b", "y[k = 1", "float", "y = sum k x", "y = ?", "if a: y = 1"]
)
def test_a_faulty_line_is_refused(text):
    with pytest.raises(SyntaxError):
        reading.read(text)


def test_a_read_outside_an_array_is_refused():
    with pytest.raises(AssertionError, match="is read at"):
        value("y = x[0 - 1]", x=[1.0])
    with pytest.raises(IndexError):
        value("y = x[1]", x=[1.0])


def test_the_program_prints_json():
    path = orders.FOLDER / "gated_table.txt"
    done = subprocess.run([sys.executable, reading.__file__, path], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == reading.read(path.read_text("utf-8"))


PAGE = orders.FOLDER.parent / "orders.md"


def test_the_page_shows_an_order_and_names_every_function_of_the_language():
    text = PAGE.read_text("utf-8")
    assert (orders.FOLDER / "project_table.txt").read_text("utf-8") == text.split("```text\n")[1].split("```")[0]
    called = {name for one in orders.names() for name in calls(orders.program(one))}
    defined = {line[1] for one in orders.names() for line in orders.program(one) if line[0] == "define"}
    assert {*running.ELEMENTARY} | called - defined <= {*re.findall(r"`(\w+)[`(]", text)} and len(called) > 20


def calls(tree):
    """The names of the functions in the lines."""
    if isinstance(tree, list):
        if tree[:1] == ["call"]:
            yield tree[1]
        for part in tree:
            yield from calls(part)


def test_nothing_of_it_imports_the_package_under_test():
    for path in orders.FOLDER.parent.parent.joinpath("tests", "orders").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [one for one in named if one.split(".")[0] == "refpos"]
