"""Straight-line code of the kernels, in C, Cython or Python, as assignments in Python's syntax, and how to run them.

What cannot be read is an error, never left out: a proof then fails.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
TYPES = r"(?:(?:cdef|const|static|VD|VS|VI|VQ|double|float|SURE)\b\s*)*"
HEX_FLOAT = re.compile(r"-?0x[\da-fA-F.]+p[+-]?\d+(?=f?\b)")


#: {file: (text, text in its place)}: faults that prove_bounds plants
PLANTED = {}


def text(file):
    """The text of a file of the repository, with the fault that is planted in it."""
    return (ROOT / file).read_text(encoding="utf-8").replace(*PLANTED.get(file, ("", "")))


class Function(NamedTuple):
    """Parameters, and statements: (name assigned to, expression), or ("", call)."""

    parameters: tuple
    statements: tuple


def read(file, name, first=None, last=None, holds=None):
    """The function of that name in a file of the repository, from its first assignment to `first` to that to `last`;
    in C, what stands after `if` and the condition `holds` is done."""
    reader = {"py": _of_python, "pyx": _of_cython}.get(file.rpartition(".")[2], _of_c)
    parameters, statements = reader(text(file).replace(f"if ({holds})", ""), name)
    targets = [target for target, _ in statements]
    start, stop = targets.index(first) if first else 0, len(targets) - targets[::-1].index(last) if last else None
    return Function(parameters, statements[start:stop])


def functions(file, names, values):
    """Functions of a Python module, made from its text: they compute with what the values make of their operations."""
    nodes = [node for node in ast.parse(text(file)).body if getattr(node, "name", "") in names]
    if len(nodes) != len(names):
        raise ValueError(f"{file} must have functions {names}, got {len(nodes)}")
    exec(compile(ast.Module(nodes, []), file, "exec"), values)
    return [values[name] for name in names]


def constants(file):
    """Numbers that a Python or Cython module defines by numbers, outside its functions."""
    return _constants(text(file))


def _constants(text):
    found = {}
    for line in _whole_lines(text):
        pair = re.fullmatch(r"(?:cdef \w+ )?([A-Z][A-Z\d_, ]*) = ([-+*/() \d.eA-Z_,]+)", line)
        if pair:
            try:
                exec(f"{pair[1]} = {pair[2]}", {}, found)
            except NameError:  # made of something else
                continue
    return found


def defined(file, name):
    """The number that a header defines by that name."""
    (value,) = re.findall(rf"^#define {name} (0x[\d.]+p[+-]?\d+)", text(file), re.MULTILINE)
    return float.fromhex(value)


def only(pattern, text):
    """The one match of a pattern."""
    found = re.findall(pattern, text, re.DOTALL)
    if len(found) != 1:
        raise ValueError(f"the source must have one {pattern!r}, got {len(found)}")
    return found[0]


def holds(text, *patterns):
    """Ask that each pattern stands once in a text, as a proof takes for granted."""
    for pattern in patterns:
        only(pattern, text)


def _of_c(text, name):
    header, body = only(rf"\b{name}\(([^)]*)\) \{{(.*?)\n\}}", text)
    body = re.sub(r"/\*.*?\*/|^#.*?$", "", body, flags=re.DOTALL | re.MULTILINE)
    body = re.sub(r"for \((?:[^()]|\([^()]*\))*\)|[{}]", "", body)
    pieces = [" ".join(piece.split()) for piece in body.split(";")]
    return Function(_parameters(header), tuple(step for piece in pieces if piece for step in _steps(piece)))


def _of_cython(text, name):
    header, body = only(rf"\b{name}\(([^)]*)\)[ \w]*:\n(.*?)\n(?=\S|\Z)", text)
    body = re.sub(r"\[0\](?= =)", "", re.sub(r'""".*?"""', "", body, flags=re.DOTALL))
    return Function(_parameters(header), tuple(step for line in _whole_lines(body) for step in _steps(line)))


def _of_python(text, name):
    (node,) = (node for node in ast.walk(ast.parse(text)) if getattr(node, "name", "") == name)
    return Function(
        tuple(arg.arg for arg in node.args.args),
        tuple(map(_step_of_python, _unrolled(_without_docstring(node.body), _constants(text)))),
    )


def _unrolled(body, known):
    """Statements, those of a loop over a range of constants once for each number."""
    for node in body:
        if not isinstance(node, ast.For):
            yield node
            continue
        count = ast.unparse(node.iter)
        for number in eval(count, {"range": range, "__builtins__": {}}, known):
            yield ast.Assign([node.target], ast.Constant(number), lineno=0)
            yield from node.body


def _without_docstring(body):
    return body[isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) :]


def _step_of_python(node):
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return ast.unparse(node.targets[0]).replace(" ", ""), ast.unparse(node.value)
    if isinstance(node, ast.AugAssign):
        target = ast.unparse(node.target)
        return target, ast.unparse(ast.BinOp(node.target, node.op, node.value))
    if isinstance(node, ast.Return):
        return "returned", ast.unparse(node.value)
    # np.multiply(a, b, out=c)
    call = getattr(node, "value", None)
    if isinstance(call, ast.Call) and len(call.keywords) == 1 and call.keywords[0].arg == "out":
        target = ast.unparse(call.keywords[0].value)
        call.keywords = []
        return target, ast.unparse(call)
    return "", ast.unparse(node)


def _whole_lines(text):
    """Lines without comments, those of one pair of brackets joined."""
    line = ""
    for part in text.splitlines():
        line = f"{line} {part.partition('#')[0].strip()}".strip()
        if line and line.count("(") == line.count(")") and line.count("[") == line.count("]"):
            yield line
            line = ""


def _parameters(header):
    """Names of parameters; those of pointers begin with *."""
    names = (part.strip().split()[-1] for part in header.split(","))
    return tuple(re.sub(r"\[\d*\]$", "", name) for name in names)


def _apart(text):
    """A text between its commas outside brackets."""
    depth, start = 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            yield text[start:k].strip()
            start = k + 1
    yield text[start:].strip()


def _steps(statement):
    """The assignments and calls of a statement of C or Cython; declarations without a value are none."""
    statement = re.sub(rf"^{TYPES}", "", statement)
    for part in _apart(statement):
        part = re.sub(r"^\*\(\w+ \*\)", "", part).removeprefix("*")
        pair = re.fullmatch(r"([\w.]+(?:\[\w+\])?|\([\w +]+\)) ([-+*]?)= (.*)", part)
        if pair and pair[2]:
            yield pair[1], f"{pair[1]} {pair[2]} ({_expression(pair[3])})"
        elif pair:
            yield pair[1].strip("()"), _expression(pair[3])
        elif part.startswith("return "):
            yield "returned", _expression(part.removeprefix("return "))
        elif not re.fullmatch(r"\w+(\[\w+\])*", part):
            yield "", _expression(part)


def _expression(text):
    """An expression of C in Python's syntax: hexadecimal numbers, casts to vectors, pointers and addresses."""
    text = re.sub(r"\((?:VD|VS|VI|VQ)\)\s*", "", text).replace("->", ".")
    text = re.sub(r"\b(0x[\dA-Fa-f]+|\d+)(?:ULL|ull)\b", r"\1", text)
    text = re.sub(r"(?<=[(,])( ?)&(?=[a-z])", r"\1", text)
    text = re.sub(r"((?:^|[-+*(,]) ?)\*(?=[a-z])", r"\1", text)
    return re.sub(r"(?<=\d)f\b", "", HEX_FLOAT.sub(lambda found: repr(float.fromhex(found[0])), text))


def run(function, values, given=(), skipped=(), bind=lambda name, value: value):
    """Execute the statements with the values of names; returns all values.

    Names of `given` keep their values, whatever is assigned to them; calls of `skipped` are left out, as are their
    statements. `bind` makes a value from the name and the value of each assignment.
    """
    values = dict(values)
    for target, expression in function.statements:
        names = [name.strip("() ") for name in target.split(",")]
        called = expression.partition("(")[0]
        if (target and all(name in given for name in names)) or called in skipped:
            continue
        if not target:
            values.update(_call(values, called, expression))
            continue
        made = eval(expression, {"__builtins__": {}}, values)
        for name, value in zip(names, made if len(names) > 1 else [made], strict=True):
            values[name] = bind(name, value)
    return values


def inner(function, prefixes, operations, bind):
    """A function that code calls, to be run with the operations: names of the k-th call begin with the k-th prefix."""
    calls = iter(prefixes)

    def call(*arguments):
        prefix = next(calls)
        values = {**operations, **dict(zip(function.parameters[: len(arguments)], arguments, strict=True))}
        values = run(function, values, bind=lambda name, value: bind(prefix + name, value))
        return values.get("returned", values)

    call.parameters = function.parameters
    return call


def _call(values, called, expression):
    """The results of a call of another function that is read, by the arguments that are pointers to them."""
    inner = values[called]
    parts = list(_apart(expression.removeprefix(f"{called}(").removesuffix(")")))
    count = sum(not name.startswith("*") for name in inner.parameters)
    results = inner(*(eval(part, {"__builtins__": {}}, values) for part in parts[:count]))
    outs = [name.removeprefix("*") for name in inner.parameters[count:]]
    return {
        part.replace(" ", "").removeprefix("&"): results[name] for part, name in zip(parts[count:], outs, strict=True)
    }
