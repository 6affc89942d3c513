"""A report as one HTML file that needs nothing else: the verdict, the causes, and a map of the errors of failing cases.

No script, no font and no picture comes from elsewhere, and the page forbids it to itself.
"""

import base64
from html import escape

from ..conformance.error_map import LEVELS
from . import curves
from .junit import places
from .outcome import TITLES
from .png import png
from .stylesheet import DARK, LIGHT, css

OPEN, SHOWN, LISTED = 6, 40, 200  # failing items that are open, that are shown with their maps, and names in a list
WIDE, HIGH, LARGEST = 480, 300, 24  # pixels of a map, and of one element of it

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(outcome):
    """The text of the page."""
    state = "passed" if outcome.passed else "not passed"
    title = f"refpos {outcome.command}: {state}"
    body = "\n".join(filter(None, (part for make in PARTS for part in make(outcome))))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{_text(title)}</title>
<style>{css()}</style>
</head>
<body>
<main>
<h1>refpos {_text(outcome.command)}: <span class="{"good" if outcome.passed else "bad"}">{state}</span></h1>
{body}
</main>
</body>
</html>
"""


def _head(outcome):
    yield f'<p class="lead">{_text(outcome.verdict)}</p>'
    yield f'<p class="soft">of <code>{_text(outcome.subject)}</code></p>'


def _causes(outcome):
    failed = outcome.of("failed")
    if not failed:
        return
    yield '<h2 id="what">What is wrong</h2>'
    if outcome.causes:
        lines = "".join(_cause(line) for line in outcome.causes)
        yield f'<ul class="causes">{lines}</ul>'
        yield '<p class="soft">Wrong calls were tried for cases that meet no class, and compared on every element.</p>'
    elif not outcome.hints:
        yield f"<p>{_text(failed[0].full_name)}: {_text(failed[0].sentence)}</p>"
    if outcome.hints:
        inside = "".join(_hint(*hint) for hint in outcome.hints)
        is_open = not outcome.causes
        yield _folded("What the failing cases have in common", f'<div class="words">{inside}</div>', is_open)


def _folded(title, inside, is_open):
    head = f"<summary><h3>{_text(title)}</h3></summary>"
    return f'<details class="item"{" open" if is_open else ""}>{head}<div class="inside">{inside}</div></details>'


def _cause(line):
    known = "" if "your numbers are" in line else ' class="open"'
    return f"<li{known}>{_text(_sentence(line))}</li>"


def _hint(name, words, links):
    listed = " ".join(f'<a href="{_text(link)}">{_text(link.partition("//")[2])}</a>' for link in links)
    return f"<p><strong>{_text(name)}</strong> {_text(words)} {listed}</p>"


def _failed(outcome):
    failed = outcome.of("failed")
    if not failed:
        return
    yield '<h2 id="where">Where it is wrong</h2>'
    if any(item.errors for item in failed):
        yield _legend()
    failed = _telling_first(failed)
    for k, item in enumerate(failed[:SHOWN]):
        yield _card(item, k < OPEN)
    yield from _list("More that differ", failed[SHOWN:])


def _telling_first(items):
    """One item of each suite and cause, then the second ones, and so on."""
    seen, order = {}, {}
    for item in items:
        kind = item.group, item.causes[:1]
        seen[kind] = order[item.name] = seen.get(kind, 0) + 1
    return sorted(items, key=lambda item: (order[item.name], not item.causes, item.errors is None))


def _legend():
    items = "".join(f'<li><span class="level{k}"></span>{_text(label)}</li>' for k, label in enumerate(LEVELS))
    words = "Each point is an element, and shares are of the largest number expected. What a class of the case bounds"
    words += " is allowed; a ring marks the largest error beyond that."
    return f'<ul class="legend" aria-label="colours of the maps">{items}</ul><p class="soft">{words}</p>'


def _card(item, is_open):
    words = [f"<p>{_text(_sentence(cause))}</p>" for cause in item.causes[:1]] or [f"<p>{_text(item.sentence)}</p>"]
    ringed = item.errors is not None and item.errors.wrong
    if ringed:
        words.append(f"<p><strong>Wrong at</strong> {_text(places(item.errors))}</p>")
    if item.report is not None:
        words.append(_numbers(item.report, *((item.errors.element, True) if ringed else (item.worst, False))))
    picture = _figure(item) if item.errors is not None and item.errors.levels.size else ""
    inside = f'{picture}<div class="words">{"".join(words)}</div>{_measured(item)}'
    return _folded(item.full_name, inside, is_open)


def _measured(item):
    """What was measured of the numbers, a drawing for each quantity."""
    drawn = "".join(map(curves.figure, item.panels))
    lead = "<p><strong>Measured</strong> (the thin line or dots) over what is asked for (the thick grey ones)</p>"
    return f'{lead}<div class="curves">{drawn}</div>' if drawn else ""


def _numbers(report, worst, ringed):
    """How many elements differ, and the numbers of one: the one with the ring, where the map has one."""
    off = f"{report.different:,} of {report.count:,} elements of {report.dtype} differ"
    if worst is None:
        return f"<p>{_text(off)}</p>"
    far = f"{worst.ulp:,} ulp, {worst.abs_error:.3g}" if worst.ulp != float("inf") else "not a number"
    which = "largest error beyond what is allowed (the ring)" if ringed else "largest error"
    caption = f"{which}, at [{', '.join(map(str, worst.index))}]: {far}"
    rows = "".join(
        f'<tr><th scope="row">{label}</th><td class="bits">{_text(value)}</td><td class="bits">{_text(bits)}</td></tr>'
        for label, value, bits in (
            ("got", worst.actual, f"0x{worst.actual_bits}"),
            ("expected", worst.expected, f"0x{worst.expected_bits}"),
        )
    )
    return f"<p>{_text(off)}</p><table><caption>{_text(caption)}</caption>{rows}</table>"


# -- maps -------------------------------------------------------------------------------------------------------------


def _figure(item):
    errors = item.errors
    rows, columns = errors.levels.shape
    height, width = max(1, min(LARGEST, HIGH // rows)) * rows, max(1, min(LARGEST, WIDE // columns)) * columns
    *ahead, last = errors.shape or (1,)
    count = 1
    for size in ahead:
        count *= size
    names = ("the only row", "axis 0 down")[len(ahead)] if len(ahead) < 2 else f"axes 0 to {len(ahead) - 1} down"
    light, dark = (_source(errors.levels, palette) for palette in (LIGHT, DARK))
    alternative = _text(f"Map of the errors of {item.full_name}: wrong at {places(errors)}")
    size = f'width="{width}" height="{height}"'
    image = f'<img src="{light}" {size} style="width:{width}px;height:{height}px" alt="{alternative}">'
    return (
        f'<figure><div class="map"><div class="rows"><span>0</span><span>{count - 1 if count > 1 else ""}</span></div>'
        f'<div class="picture"><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">{image}</picture>'
        f"{_ring(errors, count, last)}</div>"
        f'<div class="columns"><span>0</span><span>{last - 1 if last > 1 else ""}</span></div>'
        f"</div><figcaption>{_text(names)}, last axis across: {_text(_shares(errors))}</figcaption></figure>"
    )


def _shares(errors):
    counts = [f"{count:,} {label}" for count, label in zip(errors.counts, LEVELS) if count]
    return ", ".join(reversed(counts))


def _ring(errors, count, columns):
    """A ring around the largest error beyond what is allowed."""
    if errors.worst is None or count * columns < 2:
        return ""
    row = 0
    for index, size in zip(errors.worst[:-1], errors.shape):
        row = row * size + index
    down, across = (100 * (at + 0.5) / size for at, size in ((row, count), (errors.worst[-1], columns)))
    return f'<span class="worst" style="top:{down:.2f}%;left:{across:.2f}%"></span>'


def _source(levels, palette):
    return f"data:image/png;base64,{base64.b64encode(png(levels, palette)).decode('ascii')}"


# -- the rest ---------------------------------------------------------------------------------------------------------


def _absent(outcome):
    titles = {
        "unusable": "What cannot be used", "missing": "What is missing", "untold": "What cannot be told",
        "skipped": "Left out",
    }  # fmt: skip
    for state, title in titles.items():
        yield from _list(title, outcome.of(state))
    partial = outcome.partial
    if partial:
        yield f"<p>{_text(outcome.in_part)}</p>"
        yield from _list("Met in part of the elements", partial, len(partial))


def _list(title, items, listed=LISTED):
    if items:
        rows = "".join(
            f'<tr><th scope="row"><code>{_text(item.full_name)}</code></th><td>{_text(item.sentence)}</td></tr>'
            for item in items[:listed]
        )
        more = f"<p>and {len(items) - listed:,} more</p>" if len(items) > listed else ""
        table = f'<div class="words">{_scrolling(title, rows)}{more}</div>'
        yield _folded(f"{title}: {len(items):,}", table, items[0].state == "unusable")


def _scrolling(title, rows):
    """A table that a narrow screen scrolls, also by the keys."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{_text(title)}"><table>{rows}</table></div>'


def _counts(outcome):
    states = list(outcome.counts())
    heads = "".join(f'<th scope="col" class="number">{_text(TITLES[state])}</th>' for state in states)
    rows = []
    for name, items in outcome.groups().items():
        kinds = [item.state for item in items]
        cells = "".join(f'<td class="number">{kinds.count(state) or ""}</td>' for state in states)
        rows.append(f'<tr><th scope="row">{_text(name or "tensors without a case")}</th>{cells}</tr>')
    yield '<h2 id="counts">All that was looked at</h2>'
    head = f'<thead><tr><th scope="col">suite</th>{heads}</tr></thead>'
    table = f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="counts by suite">{table}</div>'
    yield from (f'<p class="soft">{_text(note)}</p>' for note in outcome.notes)


def _sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _text(text):
    """Text of others as text: nothing in it is markup, and what cannot be seen is written out."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))
    return escape(plain, quote=True)


#: the parts of the page, in the order of what matters
PARTS = (_head, _causes, _failed, _absent, _counts)
