"""The float32 programs of the tests as scripts that run alone: the helpers of a program stand above it, and below it a
call of it with a golden case, which refpos judges. A script needs NumPy and refpos."""

import ast
import json
import pprint
import sys
from functools import cache

import pages

from refpos import catalogue, golden
from refpos.golden import run
from refpos.golden.discover import output_dtype

TESTS = pages.DOCS.parent / "tests"
MAKERS = "float32", "makes_frequencies"  # what registers a program
BY_NAME = "angles", "integers"  # files whose programs have the names of their functions
UNUSED = "dtype", "threads", "view", "out"  # arguments that change no number of a float32 program


@cache
def programs():
    """{function: (file, name there)} of its formula as programs compute it, in float32 or in integers."""
    found = {}
    for path in (path for folder in ("float32", "proofs") for path in sorted((TESTS / folder).glob("*.py"))):
        for name, node in parsed(path)[1].items():
            if isinstance(node, ast.FunctionDef):
                calls = makers(node)
                named = [one.value for call in calls for one in getattr(call, "args", ())] or [name]
                if calls or (path.stem in BY_NAME and name in catalogue.ENTRIES):
                    found = {**dict.fromkeys(named, (path, name)), **found}  # the first one: rotary.py calls angles.py
    return found


def makers(node):
    """The decorators of a function that register it."""
    return [one for one in node.decorator_list if getattr(getattr(one, "func", one), "id", "") in MAKERS]


# -- files of the tests -----------------------------------------------------------------------------------------------


@cache
def parsed(path):
    """(lines, {name: its definition}, {name: where it is imported from}) of a file of the tests."""
    text = path.read_text()
    defined, imported = {}, {}
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
        elif isinstance(node, ast.Assign):
            defined.update({one.id: node for target in node.targets for one in ast.walk(target)
                            if isinstance(one, ast.Name)})  # fmt: skip
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imported.update({one.asname or one.name: source_of(node, one, path) for one in node.names})
    return text.splitlines(), defined, imported


def source_of(node, one, path):
    """The file and the name there of an import from the tests, no name for a file itself; else its line."""
    alias = f"{one.name} as {one.asname}" if one.asname else one.name
    if isinstance(node, ast.Import):
        return f"import {alias}"
    module = (path.parent if node.level else TESTS).joinpath(*(node.module or "").split("."))
    if module.is_dir():
        return module / f"{one.name}.py", None
    file = module.with_suffix(".py")
    return (file, one.name) if file.exists() else f"from {node.module} import {alias}"


def used(path, node):
    """(the node that reads a name, where the name is from) of a definition, its decorators apart."""
    own = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    own |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    _, defined, imported = parsed(path)
    parts = [one for part in ast.iter_child_nodes(node) if part not in getattr(node, "decorator_list", ())
             for one in ast.walk(part)]  # fmt: skip
    for one in parts:
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
            module = imported.get(one.value.id)
            if isinstance(module, tuple) and module[1] is None:
                yield one, (module[0], one.attr)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id not in own:
            if one.id in defined:
                yield one, (path, one.id)
            elif one.id in imported and imported[one.id][1:] != (None,):
                yield one, imported[one.id]


# -- a script ---------------------------------------------------------------------------------------------------------


class Script:
    """What a script imports, its constants, its functions in order, and what each is called in it."""

    def __init__(self):
        self.imports, self.constants, self.functions, self.names = set(), [], [], {}

    def add(self, place, called=None):
        """The script, with a definition and those that it uses, which come first."""
        self.name_of(place, called)
        return self

    def name_of(self, place, called=None):
        """The name of a definition in the script, which gets it if it has it not."""
        if isinstance(place, str):
            self.imports.add(place)
            return place.split()[-1]
        if place in self.names:
            return self.names[place]
        path, own = place
        lines, defined, imported = parsed(path)
        if own not in defined:
            return self.name_of(imported[own])
        name, node = called or own, defined[own]
        assert name not in self.names.values(), f"{place}: the script has another {name}"
        self.names[place] = name
        code = lines[node.lineno - 1 : node.end_lineno]
        read = [(one, self.name_of(source)) for one, source in used(path, node)]
        for one, new in sorted(read, key=lambda pair: (-pair[0].lineno, -pair[0].col_offset)):
            row = one.lineno - node.lineno
            code[row] = code[row][: one.col_offset] + new + code[row][one.end_col_offset :]
        code[0] = code[0].replace(f"def {own}(", f"def {name}(")
        constant = isinstance(node, ast.Assign) and {new for _, new in read} <= {"np", "math"}
        (self.constants if constant else self.functions).append("\n".join(code).replace("  # fmt: skip", ""))
        self.add_called(node)
        return name

    def add_called(self, node):
        """The programs that a definition calls by their names, as {"function": name}."""
        pairs = [(key, value) for one in ast.walk(node) if isinstance(one, ast.Dict)
                 for key, value in zip(one.keys, one.values, strict=True)]  # fmt: skip
        for key, value in pairs:
            if isinstance(key, ast.Constant) and key.value == "function":
                place = programs().get(value.value, (TESTS / "float32" / "angles.py", value.value))
                if place[1] in parsed(place[0])[1]:
                    self.add(place)

    def text(self):
        """The imports, the constants and the functions."""
        groups = [[], []]
        for line in sorted(self.imports, key=lambda line: (line.startswith("from"), line)):
            groups[line.split()[1].partition(".")[0] not in sys.stdlib_module_names].append(line)
        head = ["\n".join(part) for part in (*groups, self.constants) if part]
        return "\n\n\n".join(["\n\n".join(head), *self.functions]) + "\n"


def plain(value):
    """An argument of a golden case in Python."""
    if isinstance(value, dict) and "function" in value:
        return {**value, "arguments": {name: plain(one) for name, one in value["arguments"].items() if name != "dtype"}}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else run.call(value)


def arguments(name, case):
    """The arguments of a case that are no arrays, with the defaults where the program has none of its own."""
    path, own = programs()[name]
    keywords = {one.arg for call in makers(parsed(path)[1][own]) for one in getattr(call, "keywords", ())}
    given = run.arguments_of(case) if "kind" in keywords and "defaults" not in keywords else case.arguments
    return {key: plain(value) for key, value in given.items() if key not in UNUSED}


#: {function: the case that its script calls} where readers come from one model
SHOWN = {
    "qwen2_vl_positions": "image-new", "resize_table": "vit-f32", "timestep_embedding": "model-sd-f32",
    "window_bias": "swin-2x4-f32", "window_rows": "swin-3x5",
}  # fmt: skip


def in_the_program(name, case):
    """Whether the program of a function knows all arguments of a case, with the values that it is written for; none of
    integers calls another function."""
    path, own = programs()[name]
    node = parsed(path)[1][own]
    if path.stem != "integers":
        return True
    written = {one.left.id: one.comparators[0].value for part in node.body if isinstance(part, ast.Assert)
               for one in [part.test]}  # fmt: skip
    given = {**case.arguments, **case.inputs}
    if '"function"' in json.dumps(case.arguments):
        return False
    return given.keys() - {*UNUSED} <= {one.arg for one in node.args.args} and written.items() <= case.arguments.items()


def cases_of(name):
    """The golden cases of a function that its program is written for."""
    return [case for case in golden.cases(name, tier="core") if not case.refusal and in_the_program(name, case)]


def shown_case(name):
    """The golden case of SHOWN, or the one in float32 whose call is the shortest; none at positions beyond float32."""
    cases = [case for case in cases_of(name) if SHOWN.get(name) in (None, case.id.partition("/")[2])]
    single = [case for case in cases if output_dtype(case) == "float32"]
    return min(single or cases, key=lambda case: ("telling" in case.id, len(repr(arguments(name, case)))))


def call(name, case):
    """The lines that call the program with a golden case and judge what it gives."""
    given = arguments(name, case)
    shown = [f'{key}=case.arguments["{key}"]' for key in case.inputs] + [literal(*one) for one in given.items()]
    found = answer = "found"
    if catalogue.find(name).family == "frequencies":
        found, outputs = "inv_freq, attention_factor, axes", catalogue.find(name).outputs_of(given)
        pairs = ", ".join(f'"{one}": {one}' for one in outputs)
        answer = "inv_freq" if len(outputs) == 1 else f"{{{pairs}}}"
    elif isinstance(given.get("outputs"), str):
        found = "(found,)"
    elif programs()[name][0].stem == "integers" and len(catalogue.find(name).outputs_of(given)) > 1:
        outputs = catalogue.find(name).outputs_of(given)
        found, answer = ", ".join(outputs), "{" + ", ".join(f'"{one}": {one}' for one in outputs) + "}"
    one = f"{found} = {name}({', '.join(shown)})"
    many = [f"{found} = {name}(", *(f"    {line}," for line in shown), ")"]
    lines = [one] if len(one) <= 100 else many
    return "\n".join([f'(case,) = cases("{case.id}")', *lines, f"print(case.check({answer}))"])


def literal(name, value):
    """An argument as Python writes it."""
    text = pprint.pformat(value, width=90 - len(name), sort_dicts=False, compact=True).replace("'", '"')
    return f"{name}={text}".replace("\n", "\n" + " " * (len(name) + 5))


def script(name):
    """The program of a function, what it needs, and a call of it."""
    case, made = shown_case(name), Script()
    made.imports.update(["import numpy as np", "from refpos.testing import cases"])
    made.add(programs()[name], called=name).add_called(ast.parse(repr(arguments(name, case))))
    return f"{made.text()}\n\n{call(name, case)}\n"
