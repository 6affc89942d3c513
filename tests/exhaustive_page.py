"""The tables of docs/exhaustive.md, from the results of runs in tests/data.

`python tests/exhaustive_page.py` writes them anew; exhaustive_tables.py and exhaustive_buckets.py make the results.
"""

import json
import math
from pathlib import Path

import pages

PAGE = pages.DOCS / "exhaustive.md"
MARK = "<!-- generated below this line by tests/exhaustive_page.py -->\n"
DATA = Path(__file__).parent / "data"
TABLES, OTHERS = DATA / "exhaustive_tables.jsonl", DATA / "exhaustive_buckets.jsonl"


def lines(path):
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert found, f"{path.name} must hold results, got none"
    return found


def longest():
    """{set: its result to the most positions}."""
    return {one["set"]: one for one in sorted(lines(TABLES), key=lambda one: one["length"])}


def tables(found):
    """Counts of all, then a row for each set with its hardest case in each format."""
    total, by_arb, wrong = (sum(one[key] for one in found) for key in ("elements", "arb", "unequal"))
    said = (
        f"{len(found)} sets, {total:,} elements in three formats, {wrong} unequal; {by_arb:,} decided by Arb. The "
        f"greatest error of a sampled float64 value was {max(one['enclosure'] for one in found):.2f} of its bound. "
        f"{sum(one['seconds'] for one in found):.0f} s of processor time. A column of a format has how many "
        "bits beyond it the hardest element needs: its exact value is 2**-bits ulp from a midpoint; and which it is: "
        "function, position, index of the frequency. Where a set was not compared to the whole context that its users "
        "state, the column of positions says of how many; `--whole` without `--most` compares these too."
    )
    rows = ["| set | users | positions | float32 | float16 | bfloat16 |", "| --- | --- | --- | --- | --- | --- |"]
    for one in sorted(found, key=lambda one: (-one["users"], one["set"])):
        cases = " | ".join(case(*one["hardest"][name]) for name in ("float32", "float16", "bfloat16"))
        rows.append(f"| `{one['set']}` | {one['users']} | {one['length']}{of(one)} | {cases} |")
    return [pages.wrapped(said), "\n".join(rows)]


def of(one):
    return "" if one["length"] == one["stated"] else f" of {one['stated']}"


def case(gap, which, position, index):
    return f"{-math.log2(gap):.1f}: {which} {position}, {index}"


def others(found):
    rows = ["| what | compared | unequal |", "| --- | --- | --- |"]
    for one in found:
        if not one["what"].startswith("torch"):
            rows.append(f"| {one['what']} | {one.get('distances', one.get('slopes')):,} | {one['unequal']} |")
    differ = ["| num_buckets, max_distance | distances at which float32 differs |", "| --- | --- |"]
    for one in found:
        if one["what"].startswith("torch"):
            differ.append(f"| {', '.join(one['what'].split()[1:])} | {', '.join(map(str, one['differ'])) or 'none'} |")
    return "\n".join(rows), "\n".join(differ)


def below():
    """What stands below the mark of the page."""
    buckets, differ = others(lines(OTHERS))
    names = (
        "t5 and deberta: num_buckets and max_distance, then both directions or keys before the query. alibi: the "
        "slopes of 1 to 256 heads in four formats."
    )
    torch = (
        "transformers takes float32 logarithms (`T5Attention._relative_position_bucket`, transformers 5.23.0 with "
        "torch 2.13.0 on x86-64; keys before the query). Of the distances 0 to 2**24 these get another bucket; "
        "logarithms of other programs, and of narrower formats, may miss others."
    )
    parts = ["## Tables", *tables(list(longest().values())), "## Buckets and slopes", pages.wrapped(names), buckets]
    return "\n\n".join([*parts, "## Buckets by float32 logarithms", pages.wrapped(torch), differ]) + "\n"


def write():
    PAGE.write_text(pages.with_generated(PAGE.read_text(), below(), MARK))


if __name__ == "__main__":
    write()
