"""`refpos generate` and `refpos verify`: write the golden corpus, and hold numbers against it."""

import os
import sys
from dataclasses import replace

from ..errors import InputError
from . import files, report, screen


def generate(options):
    """Write the corpus, or what is missing of it."""
    if options.prompt and options.format != "json":
        raise InputError("E_CHOICE", "format", f"--format must be json with --prompt, got {options.format!r}")
    if options.dask and options.format != "json":
        raise InputError("E_CHOICE", "format", f"--format must be json with --dask, got {options.format!r}")
    _say_which_kernels()
    with screen.Progress() as progress:
        count, left = _written(options, progress)
    where, written = os.path.abspath(options.folder), len(progress.cases)
    if options.json:
        asked = {"tier": options.tier, "prompt": options.prompt, "format": options.format}
        screen.as_json({"cases": count, "written": written, "folder": where, **asked, "left_out": _counts(left)})
    else:
        what = "prompts" if options.prompt else "golden cases"
        there = f" ({count - written} were there already)" if written < count else ""
        print(f"wrote {written} {what} of tier {options.tier} into {where}{there}{_said(left)}")
    return 0


def _written(options, progress):
    """(How many cases are in the folder, the `LeftOut` of an export or None)."""
    from .. import golden
    from ..golden.exports import exported
    from ..golden.npz_export import written_npz

    chosen = {"suites": options.suite, "tier": options.tier, "cases": options.case, "dtype": options.dtype}
    chosen |= {"progress": progress}
    if options.dask:
        from .. import dask

        with dask.connected(options.dask):  # whose workers have their own threads
            return dask.generate(options.folder, prompt=options.prompt, **chosen), None
    if options.format == "json":
        return golden.generate(options.folder, prompt=options.prompt, threads=options.threads, **chosen), None
    if options.format == "npz":
        return written_npz(options.folder, threads=options.threads, **chosen)
    return exported(options.folder, options.format, **chosen)


def _counts(left):
    """What an export leaves out, for a program; None of a format that leaves nothing out."""
    from ..golden.format import SAMPLED

    return None if left is None else {"outputs": left.outputs, "cases": left.cases, "elements_above": SAMPLED}


def _said(left):
    """The end of the line that says what was written: how many outputs are left out, and why."""
    from ..golden.format import SAMPLED

    if left is None or not left.outputs:
        return ""
    outputs = f"is 1 output of {left.cases}" if left.outputs == 1 else f"are {left.outputs} outputs of {left.cases}"
    why = f"of more than {SAMPLED} elements, of which the corpus holds a digest and a sample"
    return f"; left out {outputs} of them, {'' if left.outputs == 1 else 'each '}{why}"


def verify(options):
    """Hold answers against the corpus, or a corpus against its digests."""
    from .. import golden
    from ..golden.discover import dtype_name

    _say_which_kernels()
    with files.Reports(options, "verify", options.paths) as reports:
        kind = dtype_name(options.dtype)
        chosen = {
            "golden": options.golden,
            "suites": options.suite,
            "cases": options.case,
            "tier": options.tier,
            "conformance": options.conformance,
            "only_answered": options.only_answered,
            "error_maps": bool(options.html),
        }
        if options.timeout is not None:
            if not options.live:
                raise InputError("E_CHOICE", "timeout", "--timeout must stand with --live, got it alone")
            chosen["timeout"] = options.timeout
        with screen.Progress() as progress:
            if options.live:
                result = golden.verify_live(options.paths, dtype=options.dtype, progress=progress, **chosen)
            else:
                result = golden.verify(*options.paths, progress=progress, **chosen)
        if kind:
            result = _of_format(result, kind, options.dtype)
        reports.of_result(result)
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
