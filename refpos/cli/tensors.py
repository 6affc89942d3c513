"""`refpos compare`: two files of tensors."""

from ..arithmetic import formats
from ..errors import FileError, InputError
from . import files, screen

SHOWN = 4  # names in a message
MAPS = 40  # tensors of a report that get a map of their errors


def compare(options):
    """Every tensor against its namesake; a name that only one file has differs. Of npy files names do not matter."""
    from ..tensor_files import read_tensors

    if options.dtype is not None:
        formats.resolve(options.dtype)
    names = options.actual, options.expected
    with files.Reports(options, "compare", names) as written:
        actual, expected = map(read_tensors, names)
        pairs = _paired(actual, expected, options)
        reports = {name: _report(name, *pair, options.dtype) for name, pair in pairs.items()}
        if not any(report.count for report in reports.values()):
            raise FileError("E_MISSING", "expected", f"{options.expected} must hold at least one number, got none")
        nameless = len(actual) == len(expected) == 1
        unused, missing = ([] if nameless else sorted(set(held) - set(pairs)) for held in (actual, expected))
        written.of_comparison(reports, unused, missing, names, _maps(pairs, reports, options))
    equal = sum(map(bool, reports.values()))
    passed = equal == len(reports) and not unused and not missing
    if options.json:
        plain = {name: report.to_json() for name, report in reports.items()}
        screen.as_json({"passed": passed, "tensors": plain, "unused": unused, "missing": missing})
    else:
        for name, report in reports.items():
            print(_described(name, report))
        for names, file in ((unused, options.actual), (missing, options.expected)):
            if names:
                print(screen.paragraph(f"differs, being only in {file}: {', '.join(names)}", 0, 2))
        if len(reports) > 1 or unused or missing:
            print(f"{equal} of {len(reports) + len(unused) + len(missing)} tensors equal")
    return 0 if passed else 1


def _paired(actual, expected, options):
    """{name: (actual, expected)} of what both files hold, which must be something."""
    for path, held in ((options.expected, expected), (options.actual, actual)):
        if not held:
            raise FileError("E_MISSING", "path", f"{path} must hold at least one tensor, got none")
    if len(actual) == len(expected) == 1 and (_is_npy(options.actual) or _is_npy(options.expected)):
        ((name, value),) = expected.items()
        return {name: (*actual.values(), value)}
    pairs = {name: (actual[name], value) for name, value in expected.items() if name in actual}
    if not pairs:
        wanted = f"{options.actual} must hold a tensor of {options.expected}, which has {_some(expected)}"
        raise FileError("E_MISSING", "actual", f"{wanted}, got {_some(actual)}")
    return pairs


def _is_npy(path):
    """Whether the file is an npy file, whose tensor has no name of its own."""
    from ..tensor_files import NPY_MAGIC

    with open(path, "rb") as file:
        return file.read(len(NPY_MAGIC)) == NPY_MAGIC


def _some(names):
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"{name!a:.80}" for name in list(names)[:SHOWN]) + more


def _report(name, actual, expected, dtype):
    from ..conformance.compare import compare as compare_tensors

    try:
        return compare_tensors(actual, expected, dtype=dtype)
    except InputError as error:
        raise type(error)(error.code, error.argument, f"{name}: {error}") from None


def _maps(pairs, reports, options):
    """{name: map of the errors} of the first tensors that differ, where a report shows them."""
    from ..conformance.error_map import error_map

    off = [name for name, report in reports.items() if not report] if options.html else []
    return {name: error_map(*pairs[name], [("ulp", 1)], dtype=options.dtype) for name in off[:MAPS]}


def _described(name, report):
    first, *rest = str(report).splitlines()
    return "\n".join([screen.paragraph(f"{name}: {first}", 0, 2), *(screen.paragraph(line, 2, 4) for line in rest)])
