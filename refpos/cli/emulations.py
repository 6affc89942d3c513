"""Emulations by name, for `refpos list emulations` and `refpos show NAME`."""

from .. import emulate
from ..errors import InputError
from . import screen


def facts(profile):
    """What is known of an emulation, as JSON values."""
    return {
        "name": profile.name,
        "meaning": profile.meaning,
        "used_by": profile.used_by,
        "functions": emulate.functions(profile.name),
    }


def list_emulations(options):
    """Every emulation: what it computes, and who does."""
    if options.family is not None:
        raise InputError("E_CHOICE", "family", f"family must be left out for emulations, got {options.family!r}")
    found = [facts(profile) for profile in emulate.PROFILES.values()]
    if options.json:
        screen.as_json(found)
    elif options.markdown:
        print("\n".join(markdown()))
    else:
        indent = max(len(one["name"]) for one in found) + 4
        for one in found:
            print(screen.paragraph(one["name"].ljust(indent - 2) + one["meaning"], 2, indent))
            print(screen.paragraph(f"used by: {one['used_by']}", indent))
    return 0


def markdown():
    """The emulations as a table in Markdown, line by line."""
    yield "| emulation | what is computed | used by |"
    yield "| --- | --- | --- |"
    for profile in emulate.PROFILES.values():
        yield f"| `{profile.name}` | {profile.meaning} | {profile.used_by} |"


def show_emulation(name, options):
    """One emulation."""
    found = facts(emulate.find(name))
    if options.json:
        screen.as_json(found)
        return 0
    print(screen.paragraph(f"{name} (emulation): {found['meaning']}", 0, 2))
    print(screen.paragraph(f"used by: {found['used_by']}", 0, 2))
    print(screen.paragraph(f"functions: {', '.join(found['functions'])}", 0, 2))
    return 0
