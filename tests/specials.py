"""docs/specials.md: what each function makes of -0, of a number that underflows, of infinity and of NaN; made by calls.

    python tests/specials.py        # writes the page

For each argument of real numbers the calls are those of some golden cases in which one number is replaced, at each of
some places. What is told of a result are the elements that differ from those of a call with an ordinary number there.
Where no place tells anything the number is put in all places at once, so that a place that is never read hides nothing.
"""

import warnings
from math import prod
from pathlib import Path

import numpy as np
import pages
from short_cases import short_cases

from refpos import catalogue
from refpos.arithmetic import formats, rounding
from refpos.errors import InputError
from refpos.golden import run
from refpos.golden.case import build
from refpos.tensor_files import Tensor

PAGE = Path(__file__).resolve().parent.parent / "docs" / "specials.md"
LEAST = -(2.0**-1074)
#: {column: (the special value, what stands in its place in the call that is compared)}
COLUMNS = {"-0": (-0.0, 0.0), "underflow": (LEAST, 0.0), "inf": (float("inf"), 1.0), "NaN": (float("nan"), 1.0)}
#: cases for each argument, and places of an argument in each of them
CASES, PLACES = 4, 4
#: beside the code of a call that is refused with the ordinary number as well
REFUSED_TOO = "refused too"
WORDS = ("NaN", "inf", "-inf", "-0", "0", "number")
MARK = "<!-- generated below this line by tests/specials.py -->\n"


def cases():
    """{suite: its short cases with values, float64 first, then the shortest}."""
    return {
        suite: sorted(of, key=lambda case: (case.arguments.get("dtype") != "float64", len(repr(case)), case.id))
        for suite, of in short_cases().items()
    }


def arguments():
    """(entry, name of an argument of real numbers, the cases that are tried) for all functions."""
    suites = cases()
    for entry in catalogue.ENTRIES.values():
        having = {}
        for case in suites.get(entry.name, ()):
            numbers = [name for name, value in run.arguments_of(case).items() if is_number(entry, name, value)]
            arrays = [name for name, values in case.inputs.items() if is_array(values)]
            for name in sorted({*numbers, *arrays}):
                having.setdefault(name, []).append(case)
        for name, found in having.items():
            yield entry, name, tried(found)


def tried(found):
    """CASES of the cases at most: the first one, those that make a choice which none before makes, then the next ones.

    Which branch a function takes depends on the names, the flags and the presence of its arguments.
    """
    new, rest, seen = [], [], set()
    for case in found:
        choices = {(name, value if isinstance(value, (str, bool)) else None) for name, value in given(case).items()}
        (rest if choices <= seen else new).append(case)
        seen |= choices
    return (new + rest)[:CASES]


def given(case):
    """The arguments of a case, without its formats."""
    return {name: value for name, value in {**run.arguments_of(case), **case.inputs}.items() if name != "dtype"}


def is_number(entry, name, value):
    """Whether an argument is one real number."""
    kind = str(entry.function.__annotations__.get(name, ""))
    real = isinstance(value, float) or (isinstance(value, dict) and "fraction" in value) or type(value) is int
    return real and any(word in kind for word in ("Number", "Magnitude"))


def is_array(values):
    return values.dtype in ("float64", "float32", "float16") and prod(values.shape) > 0


def places_of(case, name):
    """Some places of an argument, evenly spaced from the first to the last."""
    size = prod(case.inputs[name].shape) if name in case.inputs else 1
    return sorted({k * (size - 1) // (PLACES - 1) for k in range(PLACES)})


def outcome(case, name, number, column, place):
    """{output: tensor} of the call with the number in a place (or slice) of an argument; or the code of its refusal."""
    arguments, tensors = run.arguments_of(case), {key: build(value, case) for key, value in case.inputs.items()}
    if name in tensors:
        values = tensors[name].values.copy()
        least = -np.finfo(values.dtype).smallest_subnormal
        values.reshape(-1)[place] = least if number == LEAST else number
        tensors[name] = Tensor(tensors[name].dtype, values)
    else:
        arguments[name] = number
    if column == "underflow" and arguments.get("dtype") in ("float64", "float32"):
        arguments["dtype"] = "float16"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return run.results(case.suite, arguments, tensors)
    except InputError as error:
        return error.code


def told(found, name, column, plain):
    """One cell of the page: what is seen in any of the calls. plain: outcomes of calls with an ordinary number."""
    calls = [seen_at(case, name, column, place, plain) for case in found for place in places_of(case, name)]
    if not set(WORDS) & set().union(*calls):
        calls += [seen_at(case, name, column, slice(None), plain) for case in found if name in case.inputs]
    # what is refused with the ordinary number too says nothing of the special one, unless there is nothing else
    calls = [seen for seen in calls if REFUSED_TOO not in seen] or calls
    seen = set().union(*calls) - {REFUSED_TOO}
    words = [word for word in WORDS if word in seen]
    if not words and set() in calls:
        words = [f"as {COLUMNS[column][1]:g}"]
    return ", ".join([*words, *sorted(seen - {*WORDS})])


def seen_at(case, name, column, place, plain):
    """What the elements are that a special number in a place (or slice) changes; or the code of the refusal."""
    number, ordinary = COLUMNS[column]
    found = outcome(case, name, number, column, place)
    key = case.id, ordinary, column == "underflow", str(place)
    if key not in plain:
        plain[key] = outcome(case, name, ordinary, column, place)
    usual = plain[key]
    if isinstance(found, str):
        return {found, REFUSED_TOO} if found == usual else {found}
    changed = set()
    for output, tensor in found.items():
        other = None if isinstance(usual, str) else usual[output]
        differs = True
        if other is not None and other.values.shape == tensor.values.shape:
            differs = tensor.values.view(f"V{tensor.values.itemsize}") != other.values.view(
                f"V{tensor.values.itemsize}"
            )
        changed |= set(np.array(words(tensor), object)[differs].reshape(-1).tolist())
    return changed


def words(tensor):
    """What each element of a tensor is, an array of texts."""
    fmt = formats.FORMATS.get(tensor.dtype)
    values = rounding.widen(tensor.values.view(fmt.storage), fmt) if fmt else tensor.values
    chosen = np.where(values == 0, np.where(np.signbit(values), "-0", "0"), "number")
    infinite = np.where(values > 0, "inf", "-inf")
    return np.where(np.isnan(values), "NaN", np.where(np.isinf(values), infinite, chosen))


# -- the page ---------------------------------------------------------------------------------------------------------


def row(entry, name, found):
    """The line of an argument, from the cases that have it."""
    plain = {}
    cells = [told(found, name, column, plain) for column in COLUMNS]
    return f"| [`{entry.name}`](encodings/{entry.family}.md#{entry.name}) | `{name}` | {' | '.join(cells)} |"


def table():
    """The lines below the mark of the page: a table for each family, its functions in alphabetical order."""
    found = {}
    for entry, name, those in arguments():
        found.setdefault(entry.family, []).append(row(entry, name, those))
    assert sum(map(len, found.values())) > 200, "no arguments of real numbers were found"
    head = [f"| function | argument | {' | '.join(COLUMNS)} |", "| --- " * (len(COLUMNS) + 2) + "|"]
    tables = [
        "\n".join([f"## {family.capitalize()}", "", *head, *sorted(found[family]), ""]) for family in sorted(found)
    ]
    return "\n".join(tables)


if __name__ == "__main__":
    PAGE.write_text(pages.with_generated(PAGE.read_text(), table(), MARK))
