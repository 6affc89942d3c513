"""`refpos compare`: two files of tensors."""

from .. import formats
from ..errors import FileError, InputError
from . import screen


def compare(options):
    """Every tensor of the expected file against its namesake; where both hold one tensor its name does not matter."""
    from ..files import read_tensors

    if options.dtype is not None:
        formats.resolve(options.dtype)
    actual, expected = read_tensors(options.actual), read_tensors(options.expected)
    pairs = _paired(actual, expected, options)
    reports = {name: _report(name, *pair, options.dtype) for name, pair in pairs.items()}
    unused = sorted(set(actual) - set(pairs)) if len(pairs) > 1 or len(actual) > 1 else []
    failed = [name for name, report in reports.items() if not report]
    if options.json:
        plain = {name: report.to_json() for name, report in reports.items()}
        screen.as_json({"passed": not failed, "tensors": plain, "unused": unused})
    else:
        for name, report in reports.items():
            print(_described(name, report))
        if unused:
            print(screen.paragraph(f"not compared, being only in {options.actual}: {', '.join(unused)}"))
        if len(reports) > 1:
            print(f"{len(reports) - len(failed)} of {len(reports)} tensors equal")
    return 1 if failed else 0


def _paired(actual, expected, options):
    if not expected:
        raise FileError("E_MISSING", "expected", f"{options.expected} must hold at least one tensor, got none")
    if len(actual) == len(expected) == 1:
        ((name, value),) = expected.items()
        return {name: (*actual.values(), value)}
    for name in expected:
        if name not in actual:
            known = ", ".join(map(repr, actual)) or "none"
            raise FileError("E_MISSING", "actual", f"{options.actual} must hold a tensor named {name!r}, got {known}")
    return {name: (actual[name], value) for name, value in expected.items()}


def _report(name, actual, expected, dtype):
    from ..comparison import compare as compare_tensors

    try:
        return compare_tensors(actual, expected, dtype=dtype)
    except InputError as error:
        raise type(error)(error.code, error.argument, f"{name}: {error}") from None


def _described(name, report):
    first, *rest = str(report).splitlines()
    return "\n".join([screen.paragraph(f"{name}: {first}", 0, 2), *(screen.paragraph(line, 2, 4) for line in rest)])
