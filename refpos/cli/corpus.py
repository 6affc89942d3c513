"""`refpos generate` and `refpos verify`: write the golden corpus, and hold numbers against it."""

import os
import sys

from . import screen


def generate(options):
    """Write the corpus, or what is missing of it."""
    from .. import golden
    from ..errors import InputError

    if options.prompt and options.format == "npz":
        raise InputError("E_CHOICE", "format", "--format must be json with --prompt, got 'npz'")
    say_which_kernels()
    with screen.Progress() as progress:
        if options.format == "npz":
            count = golden.export_npz(options.folder, suites=options.suite, tier=options.tier, progress=progress)
        else:
            count = golden.generate(
                options.folder, suites=options.suite, tier=options.tier, prompt=options.prompt, progress=progress
            )
    where, written = os.path.abspath(options.folder), len(progress.cases)
    if options.json:
        given = {"tier": options.tier, "prompt": options.prompt, "format": options.format}
        screen.as_json({"cases": count, "written": written, "folder": where, **given})
    else:
        what = "prompts" if options.prompt else "golden cases"
        there = f" ({count - written} were there already)" if written < count else ""
        print(f"wrote {written} {what} of tier {options.tier} into {where}{there}")
    return 0


def verify(options):
    raise NotImplementedError


def say_which_kernels():
    """One line for a person whose source tree lacks its kernels, or has old ones."""
    from .. import kernels

    line = kernels.notice()
    if line:
        print(line, file=sys.stderr)
