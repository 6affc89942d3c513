"""Scores, weights and outputs of attention: names of coefficients and masks, also where no bounds verify a call."""

from __future__ import annotations

import re

from ...measure.coefficients import coefficient_text
from ...measure.reading_result import Reading
from ...measure.scoring.score_parts import PARTS
from ...measure.solving import unit_of
from .measured import Measured, differences, readings_of, subject_of

KINDS = ("scores", "attention weights", "attention output")
UNITS = 4  # rounding units of the numbers, that a measurement without a call may leave
LEAST = 2.0**-18  # of the numbers, the same of sums in float32
CLOSE = 2.0**-20  # that ratios of coefficients may be off
#: parts of the content and of positions
CONTENT, POSITIONS = ("q.k", "u.k"), ("q.p", "v.p", "k.p", "c2p", "p2c")
OF_OTHER = {"u.k": "v.k", "v.p": "u.p"}  # the product that u, or v, has in the place of the other
INPUTS = {"u.k": "u", "v.p": "v", "c2p": "c2p (key_table)", "p2c": "p2c (query_table)"}


def measured_scores(trial) -> Measured | None:
    """What scores, weights or an output are beside those that are asked for; None where nothing is known of them."""
    if trial.call.suite not in PARTS:
        return None
    readings = readings_of(subject_of(trial))
    if readings is None:
        return None
    found, asked = readings
    if found.kind not in KINDS or found.kind != asked.kind:
        return None
    if found.call is None and found.left > max(UNITS * unit_of(found.format), LEAST):
        return None
    got, wanted = differences(found.summary, asked.summary)
    names = names_of_scores(found, asked)
    if not (got or names):
        return None
    told = ": ".join(filter(None, (", ".join(names), ", ".join(got))))
    met = found.met if found.complete else ""
    return Measured(told, ", ".join(wanted), found.call or "", met or "", named=bool(names))


def names_of_scores(found: Reading, asked: Reading) -> list[str]:
    """What the coefficients of one reading are of those of another one, in words."""
    got, wanted = found.coefficients, asked.coefficients
    told = (_scale(got, wanted), *_parts(got, wanted), _mask(found.summary, asked.summary))
    return list(filter(None, told))


def _scale(got, wanted):
    """The common factor of all parts but the bias, where it is another one."""
    parts = [name for name, value in wanted.items() if name not in ("bias", "mask", "soft cap") and value]
    ratios = [got.get(name, 0.0) / wanted[name] for name in parts]
    known = [ratio for ratio in ratios if ratio]
    if not known or max(known) - min(known) > CLOSE * abs(known[0]) or abs(known[0] - 1) <= CLOSE:
        return ""
    if known[0] < 0:
        return "" if len(known) > 1 else f"scale {coefficient_text(got[parts[0]])}: the other sign"
    scale = next(got[name] for name, ratio in zip(parts, ratios) if ratio)
    twice = abs(scale / wanted[parts[0]] ** 2 - 1) < CLOSE
    plain = " (not scaled)" if scale == 1 else " (scaled twice)" if twice else ""
    text = coefficient_text(scale)
    return f"scale {text}{plain or (f' ({scale:.6g})' if 'sqrt' in text else '')}"


def _reference(got, wanted):
    """What most of the parts beside the bias are of those that are asked for, and are not missing; where as many are
    as asked, that."""
    parts = [name for name in (*CONTENT, *POSITIONS) if got.get(name) and wanted.get(name)]
    ratios = [got[name] / wanted[name] for name in parts]
    alike = [sum(abs(other - one) <= CLOSE * abs(one) for other in ratios) for one in (1.0, *ratios)]
    return [1.0, *ratios][alike.index(max(alike))]


def _parts(got, wanted):
    """The parts that are missing, added, of the other sign or of another size than the others."""
    reference = _reference(got, wanted)
    ratios = {name: got.get(name, 0.0) / (value * (1.0 if name == "bias" else reference))
              for name, value in wanted.items() if value and name not in ("mask", "soft cap")}  # fmt: skip
    only = "positions" if any(name in POSITIONS for name in ratios) else "the bias"
    for names, word in ((CONTENT, f"no content, {only} only"), (POSITIONS, "no positions, content only")):
        here = [name for name in ratios if name in names]
        if here and len(here) < len(ratios) and not any(ratios[name] for name in here) and "q.k" in wanted:
            yield word
    for name, ratio in ratios.items():
        if abs(ratio - 1) <= CLOSE or (name in OF_OTHER and not ratio and got.get(OF_OTHER[name])):
            continue
        what = INPUTS.get(name, name)
        known = {0.0: f"without {what}", -1.0: f"{what} subtracted: the other sign", 2.0: f"{what} twice"}
        yield known.get(round(ratio, 5), f"{what} times {coefficient_text(ratio)}")
    yield from _exchanged(got)


def _exchanged(got):
    """Which of u and v is in the place of the other, or added to it."""
    there = [name for name, other in OF_OTHER.items() if got.get(other)]
    if len(there) == 2 and not any(got.get(name) for name in there):
        yield "u and v exchanged"
    else:
        for name in there:
            place = "beside" if got.get(name) else "in the place of"
            yield f"{OF_OTHER[name][0]} {place} {name[0]} ({OF_OTHER[name]})"


def _mask(found, asked):
    """The mask, where it is another one than is asked for."""
    one, other = (re.search(r"mask ([^,(]*)", text) for text in (found, asked))
    got, wanted = (match[1].strip() if match else "none" for match in (one, other))
    return "" if got == wanted else "no mask" if got == "none" else f"mask {got}"
