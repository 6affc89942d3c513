"""The section of docs/coverage.md on mutation by call: how many mutants of each function the corpus tells, and why the
others are not told."""

import pages
from mutants_untold import UNTOLD
from test_mutants import held, reasons

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64")
INTRODUCTION = (
    "Each argument of each function is changed in the golden cases themselves: every choice to each other choice, "
    "every flag to the other value, integers by 1, real numbers by 1 % (by 12.5 % in float16 and bfloat16), lists "
    "in their first and last number and in their order, arrays in their numbers, optional arguments left out, "
    "numbers to the one that most cases have. The numbers of the changed call must fail at least one core case of "
    "the function whose outputs have that dtype: they must meet no class of it. The table says how many of these "
    "mutants fail, of how many; `python tests/test_mutants.py` computes it anew. A mutant that is refused by every "
    "call is not counted. Mutants that no case tells have a reason below."
)


def section():
    """The lines of the section."""
    scores = held()
    total = [score for found in scores.values() for score in found.values()]
    told, count = sum(score.told for score in total), sum(score.of for score in total)
    lines = ["## Mistakes that the corpus tells", "", pages.wrapped(INTRODUCTION), ""]
    lines += [f"Told: **{told} of {count}**.", "", f"| function | {' | '.join(DTYPES)} |", "| --- |" + " --- |" * 5]
    for suite, found in scores.items():
        cells = [f"{found[one].told} of {found[one].of}" if one in found else "" for one in DTYPES]
        lines.append(f"| `{suite}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "Not told:", "", *untold(scores), ""])


def untold(scores):
    """One item for each reason: the mutants and their dtypes."""
    items = []
    for row in UNTOLD:
        named = {}
        for suite, found in scores.items():
            for dtype, score in found.items():
                for mutant in score.left:
                    if reasons(suite, dtype, mutant)[0] is row:
                        named.setdefault(f"`{suite}` {mutant}", []).append(dtype)
        told = "; ".join(f"{name} ({', '.join(dtypes)})" for name, dtypes in named.items())
        items += [pages.wrapped(f"- {row.why}: {told}")] if told else []
    return items
