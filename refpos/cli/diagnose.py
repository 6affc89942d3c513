"""`refpos diagnose`: which wrong call gives the numbers in a file."""

import ast

from .. import catalogue
from ..errors import InputError
from . import files, screen

MOST = 1 << 32  # bytes of the answers, and of the arrays of one file


def diagnose(options):
    """Read the file of answers, the call that was meant and its arrays, and say what is wrong."""
    from ..diagnosis.diagnose import diagnosed
    from ..diagnosis.measurements.measured import panels_of

    beside = [text.partition("=")[2] or text for text in options.arrays or ()]
    with files.Reports(options, "diagnose", [options.actual, *beside]) as written:
        held = tensors_by_name(options.arrays)
        name, given, named = _call(options.call, held)
        function = catalogue.find(name).function
        found, examined = diagnosed(_answers(options.actual, name, named), function, given, named)
        maps = examined.maps() if options.html or options.markdown else {}
        curves = panels_of(examined.trial) if options.html and examined.off else ()
        written.of_diagnosis(found, examined, f"{options.actual} for {options.call}", maps, curves)
    if options.json:
        screen.as_json(found.to_json())
    else:
        first, *rest = str(found).splitlines()
        print(screen.paragraph(first, 0, 2))
        for line in rest:
            print(screen.paragraph(line.strip(), 2, 4))
    return 0 if found.met is not None else 2 if found.untold else 1


def tensors_by_name(named):
    """{name: Tensor} of the files NAME=FILE, or of every tensor of FILE."""
    from ..tensor_files import read_tensors

    held = {}
    for text in named or ():
        name, equals, path = text.partition("=")
        tensors = read_tensors(path if equals else text, most_bytes=MOST)
        if equals and len(tensors) != 1:
            raise InputError("E_FILE", "arrays", f"{path} must hold one tensor for {name}, got {len(tensors)}")
        held.update({name: next(iter(tensors.values()))} if equals else tensors)
    return held


def _answers(path, name, named):
    """The answers of a file: the tensor of an npy file, or those that have the names of outputs."""
    from ..tensor_files import read_tensors

    tensors = read_tensors(path, most_bytes=MOST)
    names = catalogue.find(name).outputs_of(named)
    found = {key.rpartition("/")[2]: tensor for key, tensor in tensors.items()}
    if len(tensors) == len(names) == 1:
        return next(iter(tensors.values()))
    return found


def _call(text, held):
    """(name, arguments, named arguments) of a call as Python writes it; nothing of it is executed."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        node = None
    name = _function(node)
    if name is None:
        sentence = f"call must be as Python writes it, such as \"rope(x, 4096, pairing='half')\", got {text!a:.200}"
        raise InputError("E_CHOICE", "call", sentence)
    return name, *_arguments(node, held)


def _function(node):
    """The name of the function of a call, with refpos. before it or without; None of anything else."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "refpos":
        return called.attr
    return called.id if isinstance(called, ast.Name) else None


def _arguments(node, held):
    """(arguments, named arguments) of a call."""
    if any(word.arg is None for word in node.keywords):
        sentence = f"call must name its arguments one by one, got {ast.unparse(node)!a:.80}"
        raise InputError("E_CHOICE", "call", sentence)
    names = [word.arg for word in node.keywords]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        sentence = f"call must name each argument once, got {twice} twice in {ast.unparse(node)!a:.80}"
        raise InputError("E_CHOICE", "call", sentence)
    return [_value(one, held) for one in node.args], {word.arg: _value(word.value, held) for word in node.keywords}


def _value(node, held):
    """The value of an argument: a constant, a list, an array of the files, or a call of the catalogue."""
    if isinstance(node, ast.Name) and node.id in held:
        return held[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(one, held) for one in node.elts]
    if _function(node) is not None:
        return _made(_function(node), *_arguments(node, held))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        known = ", ".join(held) or "which gives none"
        wanted = f"numbers, text, lists, calls of refpos, or arrays of --arrays ({known})"
        sentence = f"call must hold {wanted}, got {ast.unparse(node)!a:.80}"
        raise InputError("E_CHOICE", "call", sentence) from None


def _made(name, given, named):
    from ..steps.waves.grids import grid

    function = grid if name == "grid" else catalogue.find(name).function
    values = [one.values if hasattr(one, "values") else one for one in given]
    try:
        return function(*values, **named)
    except TypeError as error:
        raise InputError("E_CHOICE", "call", f"call must have the arguments of {name}: {error}") from None
