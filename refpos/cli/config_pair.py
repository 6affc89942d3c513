"""`refpos config A B`: whether two configurations mean the same encodings."""

import re

from ..errors import InputError, shown
from . import screen

#: options that say nothing without a second file
OF_TWO = ("layers", "override_a", "override_b")
RUN = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def compare(options):
    """Compare two files and print what differs; the status is 1 where something does."""
    from ..configs.same.overrides import read_overrides
    from ..configs.same.same_encoding import same_encoding

    if options.layer_type is not None:
        sentence = f"--layer-type must stand with one file, got {shown(options.layer_type)} with two: --layers chooses"
        raise InputError("E_CHOICE", "layer_type", sentence)
    changes = {name: read_overrides(f"--{name.replace('_', '-')}", getattr(options, name))
               for name in ("override", "override_a", "override_b")}  # fmt: skip
    chosen = {"part": options.part, "layers": _layers(options.layers)}
    chosen |= {"seq_len": options.seq_len, "model_type": options.model_type}
    result = same_encoding(options.file, options.other, **changes, **chosen)
    if options.json:
        screen.as_json(result.to_json())
    else:
        print("\n".join(screen.paragraph(line, 0, 2) for line in result.lines()))
    return 0 if result.same else 1


def check_one_file(options):
    """Refuse what needs two files."""
    for name in OF_TWO:
        if getattr(options, name) is not None:
            raise InputError("E_CHOICE", name, f"--{name.replace('_', '-')} must stand with two files, got one file")


def _layers(text):
    """[0, 1, 2, 3, 7] of "0-3,7"; None of None."""
    if text is None:
        return None
    found = []
    for run in text.split(","):
        match = RUN.fullmatch(run.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or last > 2**16:
            raise InputError("E_CHOICE", "layers", f"--layers must be such as 0-3,7, got {shown(text)}")
        found += range(first, last + 1)
    return found
