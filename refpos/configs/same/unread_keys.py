"""Keys of two configurations that nothing was computed from, where they differ."""

from .differences import plain

#: reasons of `ModelConfig.ignored` that leave open what the key means to another program
UNREAD = ("not described", "does not read it", "no part of the rotation reads it", "not read by", "read by vLLM alone")

#: keys that name a type: two types may have one encoding
NAMES = ("model_type", "_class_name")


def unread(a, b, part=None):
    """(differences, notes) of two `Reading`: (key, value of a, value of b), and sentences; part: only keys of this one.

    A key that has no effect in both, or the same value, is left out; what a key of one dialect alone means to another
    program cannot be told.
    """
    found, notes = [], []
    told = [{**one.config.ignored, **dict.fromkeys(one.config.unread, UNREAD[0])} for one in (a, b)]
    for key in dict.fromkeys([*told[0], *told[1]]):
        if key in NAMES or (part is not None and _part(key) not in ("", part)):
            continue
        values = [plain(_value(one.values, key)) for one in (a, b)]
        if values[0] == values[1] and a.config.model_type == b.config.model_type:
            continue
        reasons = [one.get(key, "") for one in told]
        if any(part in reason for part in UNREAD for reason in reasons):
            found.append((f"{key}, which is not read,", *values))
        else:
            notes += [f"{one.label}: {key} has no effect: {why}" for one, why in zip((a, b), reasons) if why]
    return found, notes


def _part(path):
    """The name of the part whose object holds a key; empty for a key at the top of the file."""
    steps = path.split(".")
    depth = max((k for k, step in enumerate(steps, 1) if step.endswith("_config")), default=0)
    return ".".join(step.removesuffix("_config") for step in steps[:depth])


def _value(values, path):
    """The value at a path; None where there is none."""
    if path in values:
        return values[path]
    for step in path.split("."):
        if not isinstance(values, dict) or step not in values:
            return None
        values = values[step]
    return values
