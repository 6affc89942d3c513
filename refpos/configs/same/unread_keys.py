"""Keys of two configurations that nothing was computed from, where they differ."""

from ..unread import UNREAD_KEY, UNREAD_SIZE
from .differences import plain

#: reasons of `ModelConfig.ignored` and `ModelConfig.unread` that leave open what the key means to another program
UNREAD = ("not described here", ", not described", "does not read it", "no part of the rotation reads it",
          "not read by", "read by vLLM alone", UNREAD_KEY, UNREAD_SIZE)  # fmt: skip


def unread(a, b, part=None):
    """(differences, notes) of two `Reading`: (key, value of a, value of b), and sentences; part: only keys of this one.

    A key that has no effect in both, or the same value, is left out; what a key of one dialect alone means to another
    program cannot be told.
    """
    found, notes = [], []
    passed_over = [_passed_over(one.config) for one in (a, b)]
    for key in dict.fromkeys([*passed_over[0], *passed_over[1]]):
        if part is not None and _part(key) not in ("", part):
            continue
        values = [plain(_value(one.values, key)) for one in (a, b)]
        is_alike = a.config.model_type == b.config.model_type or isinstance(values[0], dict)
        if values[0] == values[1] and is_alike:
            continue
        reasons = [one.get(key, "") for one in passed_over]
        if any(map(_is_open, reasons)):
            found.append((f"{key}, which is not read,", *values))
        else:
            notes += [f"{one.label}: {key} has no effect: {why}" for one, why in zip((a, b), reasons) if why]
    return found, notes


def _passed_over(config):
    """{path: why} of what decided nothing: keys that are known to be ignored, and what the reading leaves out."""
    left_out = {key: why for key, why in config.unread.items() if _is_open(why)}
    return {**config.ignored, **left_out, **config.ignored}


def _is_open(reason):
    return any(words in reason for words in UNREAD)


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
