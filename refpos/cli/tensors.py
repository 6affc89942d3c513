"""`refpos compare`: two files of tensors."""

import math

from ..arithmetic import formats
from ..errors import FileError, InputError, InputTypeError
from . import files, screen

SHOWN = 4  # names in a message
AT_A_TIME = 1 << 28  # bytes of tensors that are held together
MAPS = 40  # tensors of a report that get a map of their errors


def compare(options):
    """Every tensor against its namesake; a name that only one file has differs. Of npy files names do not matter."""
    if options.dtype is not None:
        formats.resolve(options.dtype)
    names = options.actual, options.expected
    with files.Reports(options, "compare", names) as written:
        actual, expected = map(_listed, names)
        pairs = _paired(actual, expected, options)
        reports, maps, apart = {}, {}, {}
        for name, *pair in _streamed(pairs, names, (actual, expected)):
            try:
                reports[name] = _report(name, *pair, options.dtype)
            except InputError as error:
                # without its traceback, which holds the tensors
                apart[name] = type(error)(error.code, error.argument, str(error))
            else:
                if options.html and not reports[name] and len(maps) < MAPS:
                    maps[name] = _map(*pair, options.dtype)
            pair.clear()  # or these would be held while the next are read
        if not reports:
            raise next(iter(apart.values()))
        if not any(report.count for report in reports.values()):
            raise FileError("E_MISSING", "expected", f"{options.expected} must hold at least one number, got none")
        nameless = len(actual) == len(expected) == 1
        unused, missing = ([] if nameless else sorted(set(held) - set(pairs)) for held in (actual, expected))
        unusable = {name: f"{error.code}: {error}" for name, error in apart.items()}
        written.of_comparison(reports, unused, missing, names, maps, unusable)
    return _told(reports, unused, missing, unusable, options)


def _told(reports, unused, missing, unusable, options):
    """Print what was found; the exit status."""
    equal = sum(map(bool, reports.values()))
    alike = equal == len(reports) and not unused and not missing
    passed, count = alike and not unusable, len(reports) + len(unused) + len(missing) + len(unusable)
    if options.json:
        plain = {name: report.to_json() for name, report in reports.items()}
        found = {"passed": passed, "tensors": plain, "unused": unused, "missing": missing, "unusable": unusable}
        screen.as_json(found)
    else:
        for name, report in reports.items():
            print(_described(name, report))
        for sentence in unusable.values():
            print(screen.paragraph(f"cannot be compared: {sentence}", 0, 2))
        for names, file in ((unused, options.actual), (missing, options.expected)):
            if names:
                print(screen.paragraph(f"differs, being only in {file}: {', '.join(names)}", 0, 2))
        if count > 1:
            print(f"{equal} of {count} tensors equal")
    return 0 if passed else 2 if alike else 1


def _listed(path):
    """{name: Unread} of the tensors of a file, of which only the headers are read."""
    from ..tensor_files import read_tensors

    return _usable(read_tensors(path, wanted=lambda *header: False))


def _usable(tensors):
    """The tensors of a file; an error where one of them cannot be read."""
    for one in tensors.values():
        if getattr(one, "why", ""):
            raise FileError("E_FILE", "path", one.why)
    return tensors


def _streamed(pairs, paths, listed):
    """(name, actual, expected) of each pair, of which a few are read at a time: files may be larger than the memory."""
    from ..tensor_files import read_tensors

    names = list(pairs)
    sizes = [sum(_size(held[one]) for one, held in zip(pairs[name], listed, strict=True)) for name in names]
    while names:
        count, total = 1, sizes[0]
        while count < len(names) and total + sizes[count] <= AT_A_TIME:
            total, count = total + sizes[count], count + 1
        wanted = [{pairs[name][side] for name in names[:count]} for side in (0, 1)]
        actual, expected = (
            _usable(read_tensors(path, wanted=lambda name, *_, some=some: name in some))
            for path, some in zip(paths, wanted, strict=True)
        )
        for name in names[:count]:
            one, other = pairs[name]
            yield name, actual.pop(one), expected.pop(other)
        names, sizes = names[count:], sizes[count:]


def _size(header):
    """The bytes of a tensor that is not read."""
    from ..tensor_files.tensors import itemsize

    return math.prod(header.shape) * itemsize(header.dtype)


def _paired(actual, expected, options):
    """{name: (its name in actual, that in expected)} of what both files hold, which must be something."""
    for path, held in ((options.expected, expected), (options.actual, actual)):
        if not held:
            raise FileError("E_MISSING", "path", f"{path} must hold at least one tensor, got none")
    if len(actual) == len(expected) == 1 and (_is_npy(options.actual) or _is_npy(options.expected)):
        ((name, _),) = expected.items()
        return {name: (*actual, name)}
    pairs = {name: (name, name) for name in expected if name in actual}
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

    if dtype is None and actual.dtype != expected.dtype:
        wanted = f"{name}: actual must have the dtype {expected.dtype} of expected, or --dtype name a format for both"
        raise InputTypeError("E_DTYPE", "actual", f"{wanted}, got {actual.dtype}")
    try:
        return compare_tensors(actual, expected, dtype=dtype)
    except InputError as error:
        raise type(error)(error.code, error.argument, f"{name}: {error}") from None


def _map(actual, expected, dtype):
    """The map of the errors of a tensor that differs."""
    from ..conformance.error_map import error_map

    return error_map(actual, expected, [("ulp", 1)], dtype=dtype)


def _described(name, report):
    first, *rest = str(report).splitlines()
    return "\n".join([screen.paragraph(f"{name}: {first}", 0, 2), *(screen.paragraph(line, 2, 4) for line in rest)])
