"""How often diagnosis names a planted mistake first: `python tests/shares.py COUNT` plants mistakes in random calls of
each encoding until there are COUNT of each kind of mistake, or no more in MOST times as many calls. `python
tests/shares.py pairs COUNT` plants pairs of mistakes in COUNT calls of each encoding, and `python tests/shares.py right
COUNT` asks for the classes of COUNT right answers. What is done is kept, so that each can be ended and started again,
one at a time."""

import json
import multiprocessing
import sys
from pathlib import Path

import numpy as np
import planted

from refpos.diagnosis.search import explanations
from refpos.diagnosis.trial import Study
from refpos.diagnosis.trial import _counted as within_a_unit

KEPT = Path(__file__).with_name("data") / "shares.json"
SWEPT = KEPT.with_name("sweeps.json")
MOST = 250  # calls of an encoding for each mistake of a kind that is asked for, where few calls have that kind
AT_ONCE = 2  # processes
AT_A_TIME = 100  # right answers


def counted(encoding, seeds, left_out=()):
    """({mistake: [named first, same numbers, planted]}, what was not named) of random calls of an encoding."""
    counts, lost = {}, []
    for seed in seeds:
        for mistake, trial in planted.planted(encoding, seed, left_out):
            found = explanations(trial)
            named = bool(found) and found[0].computed == mistake.computed
            same = bool(found) and planted.same_numbers(mistake, found[0])
            row = counts.setdefault(mistake.name, [0, 0, 0])
            counts[mistake.name] = [n + one for n, one in zip(row, (named, same, 1), strict=True)]
            if not same:
                lost.append([seed, mistake.computed, [one.computed for one in found]])
    return counts, lost


def pairs_named(encoding, seeds):
    """(named first, planted, what was not named) of pairs of mistakes."""
    named, all_of, lost = 0, 0, []
    for seed in seeds:
        for first, second, trial in planted.pairs(encoding, seed):
            found, all_of = explanations(trial), all_of + 1
            if found and planted.explains_both(first, second, found[0]):
                named += 1
            else:
                lost.append([seed, first.computed, second.computed, [one.computed for one in found]])
    return named, all_of, lost


def accused(seeds):
    """Right answers, a quarter of their numbers a unit off, that were said to be wrong; and how many there were."""
    wrong, count, encodings = [], 0, list(planted.CALLS)
    for seed in seeds:
        rng = np.random.default_rng([seed, 5])
        encoding = encodings[seed % len(encodings)]
        call = planted.CALLS[encoding](rng)
        outputs = call.outputs()
        trial = planted.noisy(planted.Trial(call, outputs, outputs), rng)
        count += 1
        # any class is enough, and these two are judged without the bounds of the others
        answered = trial.answered
        if not (Study._classes(call, outputs, answered, within_a_unit) or Study._classes(call, outputs, answered)):
            wrong.append([encoding, seed])
    return wrong, count


# -- what is kept -----------------------------------------------------------------------------------------------------


def kept():
    """{encoding: {"seeds": how many calls, "counts": {mistake: ...}, "lost": [...]}}."""
    return json.loads(KEPT.read_text()) if KEPT.exists() else {}


def swept():
    """{"pairs": {encoding: {"seeds", "named", "planted", "lost"}}, "right": {"answers", "accused"}}."""
    empty = {"pairs": {}, "right": {"answers": 0, "accused": []}}
    return json.loads(SWEPT.read_text()) if SWEPT.exists() else empty


def open_of(held, count):
    """(encoding, seed, the kinds of which there are enough) of the next call of each encoding that needs one."""
    for encoding in planted.CALLS:
        one = held.get(encoding, {"seeds": 0, "counts": {}})
        enough = sorted(name for name, row in one["counts"].items() if row[2] >= count)
        if one["seeds"] < count or (len(enough) < len(one["counts"]) and one["seeds"] < MOST * count):
            yield encoding, one["seeds"], enough


def done(task):
    """(the task, what became of the mistakes of that call)."""
    encoding, seed, enough = task
    return task, counted(encoding, [seed], enough)


def add(held, task, found):
    """Count the mistakes of one more call."""
    (encoding, seed, _), (counts, lost) = task, found
    one = held.setdefault(encoding, {"seeds": 0, "counts": {}, "lost": []})
    for name, numbers in counts.items():
        before = one["counts"].get(name, [0, 0, 0])
        one["counts"][name] = [n + m for n, m in zip(before, numbers, strict=True)]
    one["seeds"], one["lost"] = seed + 1, one["lost"] + lost


def main(count):
    held = kept()
    with multiprocessing.get_context("spawn").Pool(AT_ONCE) as pool:
        while tasks := list(open_of(held, count)):
            for task, found in pool.imap_unordered(done, tasks):
                add(held, task, found)
                in_order = {encoding: held[encoding] for encoding in planted.CALLS if encoding in held}
                KEPT.write_text(json.dumps(in_order, indent=1) + "\n")


def sweep_pairs(count):
    """Plant pairs in so many calls of each encoding."""
    held = swept()
    for seed in range(count):
        for encoding in planted.CALLS:
            one = held["pairs"].setdefault(encoding, {"seeds": 0, "named": 0, "planted": 0, "lost": []})
            if one["seeds"] <= seed:
                named, all_of, lost = pairs_named(encoding, [seed])
                one.update(seeds=seed + 1, named=one["named"] + named, planted=one["planted"] + all_of)
                one["lost"] += lost
                held["pairs"] = {name: held["pairs"][name] for name in planted.CALLS if name in held["pairs"]}
                SWEPT.write_text(json.dumps(held, indent=1) + "\n")


def sweep_right(count):
    """Ask for the classes of so many right answers."""
    held = swept()
    while held["right"]["answers"] < count:
        start = held["right"]["answers"]
        wrong, more = accused(range(start, min(start + AT_A_TIME, count)))
        held["right"] = {"answers": start + more, "accused": held["right"]["accused"] + wrong}
        SWEPT.write_text(json.dumps(held, indent=1) + "\n")


if __name__ == "__main__":
    *what, number = sys.argv[1:]
    {(): main, ("pairs",): sweep_pairs, ("right",): sweep_right}[tuple(what)](int(number))
