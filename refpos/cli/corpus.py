"""`refpos generate` and `refpos verify`: write the golden corpus, and hold numbers against it."""

import os
import sys
from dataclasses import replace

from ..errors import InputError
from . import report, screen


def generate(options):
    """Write the corpus, or what is missing of it."""
    from .. import golden

    if options.prompt and options.format == "npz":
        raise InputError("E_CHOICE", "format", "--format must be json with --prompt, got 'npz'")
    if (options.case or options.dtype) and options.format != "npz":
        sentence = "--format must be npz with --case or --dtype, since documents hold whole suites, got 'json'"
        raise InputError("E_CHOICE", "format", sentence)
    if options.dask and options.format == "npz":
        raise InputError("E_CHOICE", "format", "--format must be json with --dask, got 'npz'")
    _say_which_kernels()
    with screen.Progress() as progress:
        chosen = {"suites": options.suite, "tier": options.tier, "threads": options.threads, "progress": progress}
        if options.format == "npz":
            chosen |= {"cases": options.case, "dtype": options.dtype}
            count = golden.export_npz(options.folder, **chosen)
        elif options.dask:
            from .. import dask

            del chosen["threads"]  # each worker has its own
            with dask.connected(options.dask):
                count = dask.generate(options.folder, prompt=options.prompt, **chosen)
        else:
            count = golden.generate(options.folder, prompt=options.prompt, **chosen)
    where, written = os.path.abspath(options.folder), len(progress.cases)
    if options.json:
        asked = {"tier": options.tier, "prompt": options.prompt, "format": options.format}
        screen.as_json({"cases": count, "written": written, "folder": where, **asked})
    else:
        what = "prompts" if options.prompt else "golden cases"
        there = f" ({count - written} were there already)" if written < count else ""
        print(f"wrote {written} {what} of tier {options.tier} into {where}{there}")
    return 0


def verify(options):
    """Hold answers against the corpus, or a corpus against its digests."""
    from .. import golden
    from ..golden.discover import dtype_name

    kind = dtype_name(options.dtype)
    _say_which_kernels()
    with screen.Progress() as progress:
        result = golden.verify(
            *options.paths,
            golden=options.golden,
            suites=options.suite,
            cases=options.case,
            conformance=options.conformance,
            only_answered=options.only_answered,
            progress=progress,
        )
    if kind:
        result = _of_format(result, kind, options.dtype)
    if options.json:
        screen.as_json(result.to_json())
    else:
        print(report.described(result))
    return result.exit_code


def _say_which_kernels():
    """One line for a person whose source tree lacks its kernels, or has old ones."""
    from .. import kernels

    line = kernels.notice()
    if line:
        print(line, file=sys.stderr)


def _of_format(result, kind, asked):
    """The result for the cases whose outputs have one dtype; there must be some."""
    from ..golden import cases
    from ..golden.discover import output_dtype

    wanted = {case.id for case in cases() if output_dtype(case) == kind}
    findings = tuple(finding for finding in result.findings if finding.id in wanted)
    unanswered = None if result.unanswered is None else [id for id in result.unanswered if id in wanted]
    if not findings and not unanswered:
        sentence = f"--dtype must be the format of a case that is expected, got {asked!r}"
        raise InputError("E_CHOICE", "dtype", sentence)
    return replace(result, findings=findings, absent=0, unanswered=unanswered)
