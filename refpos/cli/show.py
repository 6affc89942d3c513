"""`refpos show`: a function, named model, model type, emulation, golden case, flag or class, or a suite's cases."""

import inspect

from .. import catalogue
from ..errors import SUGGESTED, InputError, letters, nearest, shown
from ..words import words
from . import listing, screen
from .find import lines, matching, rows

SHOWN = 8  # values of a tensor


def show(options):
    """Whatever has that name, or is also called so; several things are listed."""
    name = options.name
    if "/" in name:
        return _suite(name[:-1], options) if name.endswith("/") else _case(name, options)
    shown_here = _shower(name)
    if shown_here:
        return shown_here(name, options)
    found = [row for row in matching(name) if row.fits(name)]
    if not found or name in _families():
        raise _unknown(name)
    if found[0].kind == "model type" and letters(found[0].name) == letters(name):
        return _type(found, options)
    if len(found) == 1 and found[0].kind != "model type":
        name = found[0].name.rpartition(".")[2]
        return _shower(name)(name, options)
    if options.json:
        screen.as_json([row._asdict() for row in found])
        return 0
    print("\n".join(lines(found)))
    return 0


def _shower(name):
    """What shows the thing of exactly that name; None where nothing has it."""
    from .. import emulate, models

    if name in catalogue.ENTRIES:
        return lambda name, options: _encoding(catalogue.ENTRIES[name], options)
    if name in models.names():
        from .models import show_model

        return show_model
    if name in emulate.PROFILES:
        from .emulations import show_emulation

        return show_emulation
    from ..conformance import CLASSES
    from ..golden.flags import FLAGS

    return _word if name in FLAGS or name in CLASSES else None


def _type(found, options):
    """The encodings of a model type, and what else has its name."""
    from ..configs.encodings.uses_of_types import uses

    row, more = found[0], found[1:]
    said = uses(row.name)
    if options.json:
        encodings = None if said is None else [use._asdict() for use in said]
        screen.as_json({"model_type": row.name, "encodings": encodings, "see": [one.name for one in more]})
        return 0
    print(f"{row.name} (model type)")
    if said is None:
        print(
            screen.paragraph("its name alone does not say its encodings: refpos config FILE reads its config.json", 2)
        )
    else:
        print("\n".join(screen.columns([(f"  {use.part}:", use.function, ", ".join(use.words)) for use in said])))
    if more:
        print("see also\n" + "\n".join(lines(more, 2)))
    return 0


def _unknown(name):
    """The error for a name that nothing has: families are told by the command that lists them."""
    names = [row.name.rpartition(".")[2] for row in rows()]
    families = _families()
    alike, described = nearest(name, [*names, *families]), [row.name.rpartition(".")[2] for row in matching(name)]
    several = len(words(name)) > 1  # a phrase is described by its words, and one word by its letters
    best = [*described[: SUGGESTED - 2], *alike] if several else alike or described
    like = [
        f"{one} (refpos {families[one]} --family {one})" if one in families else one
        for one in [*dict.fromkeys(best)][:SUGGESTED]
    ]
    hint = f" (did you mean {', '.join(like)}?)" if like else ""
    sentence = f"NAME must be one that `refpos list` or `refpos list models` lists{hint}, got {shown(name)}"
    return InputError("E_CHOICE", "name", sentence)


def _families():
    """{family: the command that lists it}; rotary also stands for `rope`."""
    from .. import models

    families = {**dict.fromkeys(catalogue.FAMILIES, "list"), **dict.fromkeys(models.families(), "list models")}
    return {name: command for name, command in families.items() if not catalogue.called(name)}


def _encoding(entry, options):
    from ..golden import cases, suite_names

    count = len(cases(entry.name)) if entry.name in suite_names() else 0
    facts = {**listing.facts(entry), "documentation": inspect.getdoc(entry.function), "golden_cases": count}
    if options.json:
        screen.as_json(facts)
        return 0
    print(screen.paragraph(f"call: {entry.public}", 0, 2))
    if entry.also:
        print(screen.paragraph(f"also called: {', '.join(entry.also)}", 0, 2))
    for label in ("family", "paper", "conventions"):
        print(screen.paragraph(f"{label}: {facts[label]}", 0, 2))
    print(f"golden cases: {count}, which `refpos show {entry.name}/` lists")
    print("\n" + screen.paragraph(facts["signature"], 0, len(entry.name) + 1) + "\n")
    print(screen.docstring(facts["documentation"]))
    return 0


def _suite(name, options):
    from ..golden import cases

    members = cases(name)
    if options.json:
        names = "id", "tier", "about", "flags"
        screen.as_json([{name: getattr(case, name) for name in names} for case in members])
        return 0
    for case in members:
        print(f"{case.id}  ({case.tier})")
        print(screen.paragraph(case.about, 4))
    return 0


def _case(name, options):
    from ..golden import cases, load

    known = [case.id for case in cases()]
    if name not in known:
        like = nearest(name, known, 3)
        which = f"such as {', '.join(like)}" if like else "which `refpos show SUITE/` lists"
        sentence = f"NAME must be one of {len(known)} case ids, {which}, got {shown(name)}"
        raise InputError("E_MISSING", "name", sentence)
    loaded = load(name)
    if options.json:
        screen.as_json(loaded.entry)
        return 0
    print("\n".join(_described(loaded)))
    return 0


def _described(loaded):
    from ..golden.arguments import python_value

    entry = loaded.entry
    yield screen.paragraph(f"{loaded.id} ({entry['tier']}): {entry['about']}", 0, 2)
    source = ", ".join(str(part) for part in entry["source"].values())
    yield screen.paragraph(f"source: {source}", 0, 2)
    arguments = ", ".join(f"{name}={python_value(value)!r}" for name, value in sorted(entry["arguments"].items()))
    yield screen.paragraph(f"arguments: {arguments or 'none'}", 0, 2)
    if entry["flags"]:
        yield screen.paragraph(f"flags: {', '.join(entry['flags'])}", 0, 2)
    for side in ("inputs", "outputs"):
        for name, tensor in getattr(loaded, side).items():
            yield from _tensor(f"{side[:-1]} {name}", entry[side][name], tensor)
    if "error" in entry:
        yield f"must be refused with {entry['error']['code']} {entry['error']['argument']}"


def _tensor(name, held, tensor):
    shape = " x ".join(map(str, held["shape"])) or "scalar"
    yield f"{name}: {held['dtype']} {shape}, sha256 {held['sha256'][:16]}..."
    if tensor is None:
        yield "  too large to be shipped: its digest and a sample are"
    elif tensor.values.size:
        yield screen.paragraph(_values(tensor), 2)


def _values(tensor):
    from ..arithmetic import formats, rounding

    first = tensor.values.reshape(-1)[:SHOWN]
    if tensor.dtype in formats.FORMATS:
        fmt = formats.FORMATS[tensor.dtype]
        first = rounding.widen(first.view(fmt.storage), fmt)
    more = ", ..." if tensor.values.size > SHOWN else ""
    return ", ".join(f"{value:.9g}" if first.dtype.kind == "f" else str(value) for value in first) + more


def _word(name, options):
    """A flag or a conformance class."""
    from ..conformance import CLASSES
    from ..golden.flags import FLAGS

    facts = {"flag": name, **FLAGS[name]._asdict()} if name in FLAGS else {"class": name, **CLASSES[name]._asdict()}
    if options.json:
        screen.as_json(facts)
        return 0
    kind = "flag" if name in FLAGS else "class"
    meaning = facts.get("description") or facts["meaning"]
    print(screen.paragraph(f"{name} ({kind}, {facts.get('kind') or facts['unit']}): {meaning}", 0, 2))
    for link in facts.get("links", ()):
        print(f"  {link}")
    return 0
