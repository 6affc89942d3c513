"""docs/specials.md: what each function makes of -0, of a number that underflows, of infinity and of NaN; made by calls.

    python tests/specials.py        # writes the page

For each argument of real numbers the call is that of a golden case in which one number is replaced. What is told of a
result are the elements that differ from those of a call with an ordinary number in that place.
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
WORDS = ("NaN", "inf", "-inf", "-0", "0", "number")
MARK = "<!-- generated below this line by tests/specials.py -->\n"


def cases():
    """{suite: its short cases with values, float64 first, then the shortest}."""
    return {
        suite: sorted(of, key=lambda case: (case.arguments.get("dtype") != "float64", len(repr(case)), case.id))
        for suite, of in short_cases().items()
    }


def arguments():
    """(entry, name of an argument of real numbers, a case that has it) for all functions."""
    suites = cases()
    for entry in catalogue.ENTRIES.values():
        seen = set()
        for case in suites.get(entry.name, ()):
            numbers = [name for name, value in run.arguments_of(case).items() if is_number(entry, name, value)]
            arrays = [name for name, values in case.inputs.items() if is_array(values)]
            for name in sorted({*numbers, *arrays} - seen):
                seen.add(name)
                yield entry, name, case


def is_number(entry, name, value):
    """Whether an argument is one real number."""
    kind = str(entry.function.__annotations__.get(name, ""))
    real = isinstance(value, float) or (isinstance(value, dict) and "fraction" in value) or type(value) is int
    return real and any(word in kind for word in ("Number", "Magnitude"))


def is_array(values):
    return values.dtype in ("float64", "float32", "float16") and prod(values.shape) > 0


def outcome(case, name, number, column):
    """{output: tensor} of the call with the number in one place of an argument; or the code of its refusal."""
    arguments, tensors = run.arguments_of(case), {key: build(value, case) for key, value in case.inputs.items()}
    if name in tensors:
        values = tensors[name].values.copy()
        least = -np.finfo(values.dtype).smallest_subnormal
        values.reshape(-1)[0] = least if number == LEAST else number
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


def told(case, name, column):
    """One cell of the page."""
    number, ordinary = COLUMNS[column]
    found, plain = outcome(case, name, number, column), outcome(case, name, ordinary, column)
    if isinstance(found, str):
        return found
    changed = set()
    for key, tensor in found.items():
        other = None if isinstance(plain, str) else plain[key]
        differs = True
        if other is not None and other.values.shape == tensor.values.shape:
            differs = tensor.values.view(f"V{tensor.values.itemsize}") != other.values.view(
                f"V{tensor.values.itemsize}"
            )
        changed |= set(np.array(words(tensor), object)[differs].reshape(-1).tolist())
    return ", ".join(word for word in WORDS if word in changed) or f"as {ordinary:g}"


def words(tensor):
    """What each element of a tensor is, an array of texts."""
    fmt = formats.FORMATS.get(tensor.dtype)
    values = rounding.widen(tensor.values.view(fmt.storage), fmt) if fmt else tensor.values
    chosen = np.where(values == 0, np.where(np.signbit(values), "-0", "0"), "number")
    infinite = np.where(values > 0, "inf", "-inf")
    return np.where(np.isnan(values), "NaN", np.where(np.isinf(values), infinite, chosen))


# -- the page ---------------------------------------------------------------------------------------------------------


def row(entry, name, case):
    """The line of an argument."""
    cells = [told(case, name, column) for column in COLUMNS]
    return f"| [`{entry.name}`](encodings/{entry.family}.md#{entry.name}) | `{name}` | {' | '.join(cells)} |"


def table():
    """The lines below the mark of the page: a table for each family, its functions in alphabetical order."""
    found = {}
    for entry, name, case in arguments():
        found.setdefault(entry.family, []).append(row(entry, name, case))
    assert sum(map(len, found.values())) > 200, "no arguments of real numbers were found"
    head = [f"| function | argument | {' | '.join(COLUMNS)} |", "| --- " * (len(COLUMNS) + 2) + "|"]
    tables = [
        "\n".join([f"## {family.capitalize()}", "", *head, *sorted(found[family]), ""]) for family in sorted(found)
    ]
    return "\n".join(tables)


if __name__ == "__main__":
    PAGE.write_text(pages.with_generated(PAGE.read_text(), table(), MARK))
