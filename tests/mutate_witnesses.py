"""An error in each function of the witnesses, and whether a golden case then differs from its witness.

    python tests/mutate_witnesses.py                       all functions, in about twenty minutes
    python tests/mutate_witnesses.py --module scalings     those of one file of tests/witness or tests/proofs

A witness that no case reads, or that agrees whatever it computes, confirms nothing. Of each function below
tests/witness and tests/proofs that a golden case runs, one operator, constant or condition after another is changed,
until a case of the core tier no longer has the digests of the corpus, which is what
`test_the_witness_confirms_the_shipped_case` would report. The last line counts the functions; the exit status is 1
where changes of a function are not seen.
"""

import argparse
import ast
import contextlib
import copy
import functools
import gc
import hashlib
import inspect
import math
import os
import random
import signal
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOMS = ("witness", "proofs")
CHANGES = 12  # of a function, before it is called unseen
CASES = 40  # of each suite that runs a function
LONGEST = 60  # seconds; a witness that does not end is no longer right either
SWAPPED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


# -- changes ----------------------------------------------------------------------------------------------------------


def changed(node):
    """A copy of a node with one change; None where there is nothing to change."""
    made = copy.copy(node)
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED:
        made.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        made.ops = [SWAPPED[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        return node.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        made.value = not node.value if type(node.value) is bool else node.value + 1
    elif isinstance(node, ast.If | ast.IfExp):
        made.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        return None
    return made


class _At(ast.NodeTransformer):
    """Changes the node of that number, in the order of `ast.walk`."""

    def __init__(self, target):
        self.target = target

    def visit(self, node):
        return changed(node) if node is self.target else self.generic_visit(node)


def changes_of(tree):
    """The function with each change in turn, in a random order that its text decides; at last with no result."""
    # defaults and decorators are not in the code of a function
    inside = {id(node) for statement in tree.body for node in ast.walk(statement)}
    numbers = [k for k, node in enumerate(ast.walk(tree)) if id(node) in inside and changed(node) is not None]
    random.Random(hashlib.sha256(ast.dump(tree).encode()).hexdigest()).shuffle(numbers)
    for number in numbers[:CHANGES]:
        fresh = copy.deepcopy(tree)
        target = next(node for k, node in enumerate(ast.walk(fresh)) if k == number)
        yield f"line {getattr(target, 'lineno', '?')}: {ast.unparse(target)[:60]}", _At(target).visit(fresh)
    fresh = copy.deepcopy(tree)
    inner = [node for node in ast.walk(fresh) if isinstance(node, ast.FunctionDef) and node is not fresh]
    for one in inner or [fresh]:  # in front, so that the variables of the function around it stay known
        one.body.insert(0, ast.Return(ast.Constant(None)))
    yield "no result", fresh


def code_of(tree, function):
    """The code of a changed function, to stand in its place."""
    tree.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([tree], []))
    made = compile(module, function.__code__.co_filename, "exec")
    return next(one for one in made.co_consts if isinstance(one, types.CodeType) and one.co_name == tree.name)


# -- functions --------------------------------------------------------------------------------------------------------


def functions_of(module):
    """{name: (function, its tree)} of the functions and methods of a module of witnesses."""
    found = {}
    trees = ast.parse(inspect.getsource(module)).body
    for node in trees:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = getattr(module, node.name) if isinstance(node, ast.ClassDef) else module
        for one in members:
            if isinstance(one, ast.FunctionDef):
                function = inspect.unwrap(inspect.getattr_static(owner, one.name))
                function = getattr(function, "fget", None) or getattr(function, "__func__", function)
                if isinstance(function, functools.cached_property):
                    function = function.func
                name = one.name if owner is module else f"{node.name}.{one.name}"
                found[name] = function, one
    return found


def modules():
    """{"witness.scalings": module} of all witnesses."""
    import_module("proving")  # imports them

    return {name: one for name, one in sorted(sys.modules.items()) if name.partition(".")[0] in ROOMS and "." in name}


def clear_caches(known):
    """Forget what cached functions of the witnesses have computed."""
    for module in known.values():
        for one in vars(module).values():
            if hasattr(one, "cache_clear"):
                one.cache_clear()


# -- cases ------------------------------------------------------------------------------------------------------------


def size_of(entry):
    return sum(math.prod(held["shape"]) for held in entry["outputs"].values())


def differs(id):
    """Whether the witness differs from a case of the core tier."""
    from test_golden import VALUES, against_witness

    entry, suite = VALUES[id]
    return bool(against_witness(entry, suite.tensors(entry)["inputs"], entry["outputs"]))


def suites_and_cases():
    """{suite: the ids of its cases in the core tier}, those with few numbers first."""
    from test_golden import VALUES

    found = {}
    for id in sorted(VALUES, key=lambda one: size_of(VALUES[one][0])):
        found.setdefault(id.partition("/")[0], []).append(id)
    return found


def runs_of_suite(ids):
    """{(file, function): the cases that run it} of the cases of a suite."""
    known = modules()
    files = {module.__file__ for module in known.values()}
    by_function = {}
    for id in ids:
        seen = set()

        def note(frame, event, _, seen=seen):
            code = frame.f_code
            if event == "call" and code.co_filename in files:
                seen.add((code.co_filename, getattr(code, "co_qualname", code.co_name).partition(".<locals>")[0]))

        clear_caches(known)
        sys.setprofile(note)
        try:
            differs(id)
        finally:
            sys.setprofile(None)
        for one in seen:
            by_function.setdefault(one, []).append(id)
    return by_function


class _Late(Exception):
    """A witness takes longer than LONGEST."""


@contextlib.contextmanager
def at_most(seconds):
    def late(*_):
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_seen(ids):
    """Whether a case differs, raises or does not end."""
    try:
        with at_most(LONGEST):
            return any(map(differs, ids))
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a changed witness raises
        return True


def inner_codes(code):
    """{name: code} of the functions within a function."""
    inside = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return {one.co_name: one for one in inside if not one.co_name.startswith("<")}


def made_before(code):
    """[(function, its code)] of the functions that one with this code has made, as at the import of its module."""
    inner = {id(one) for one in inner_codes(code).values()}
    every = gc.get_objects() if inner else ()
    return [(one, one.__code__) for one in every if isinstance(one, types.FunctionType) and id(one.__code__) in inner]


def of_function(function, tree, ids, known):
    """(the change that is seen, or None; how many were tried)."""
    before, tried = [(function, function.__code__), *made_before(function.__code__)], 0
    for what, made in changes_of(tree):
        tried += 1
        try:
            code = code_of(made, function)
            codes = {**inner_codes(code), code.co_name: code}
            for one, own in before:
                if own.co_name in codes:
                    one.__code__ = codes[own.co_name]
            clear_caches(known)
            if is_seen(ids):
                return what, tried
        except (SyntaxError, ValueError):  # what is changed no longer stands alone, or reads another variable
            continue
        finally:
            for one, own in before:
                one.__code__ = own
            clear_caches(known)
    return None, tried


def of_module(name, by_function):
    """[(function, the change that is seen, how many were tried, how many cases run it)] of one module."""
    known = modules()
    told = []
    for one, (function, tree) in functions_of(known[name]).items():
        ids = by_function.get((known[name].__file__, one), [])
        what, tried = of_function(function, tree, ids, known) if ids else (None, 0)
        told.append((f"{name}.{one}", what, tried, len(ids)))
    return told


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", metavar="NAME", action="append", help="a file of tests/witness or tests/proofs")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many at a time (default: all cores)")
    options = parser.parse_args(arguments)
    known = modules()
    names = [name for name in known if options.module is None or name.rpartition(".")[2] in options.module]
    unseen, unread, total, changes = [], [], 0, 0
    with ProcessPoolExecutor(options.processes) as pool:
        by_function = {}
        for found in pool.map(runs_of_suite, suites_and_cases().values()):
            for one, ids in found.items():
                by_function.setdefault(one, []).extend(ids[:CASES])
        of_each = [{one: ids for one, ids in by_function.items() if one[0] == known[name].__file__} for name in names]
        for told in pool.map(of_module, names, of_each):
            for function, what, tried, cases in told:
                total, changes = total + 1, changes + tried
                print(f"{function}: {what or ('not seen' if cases else 'no case runs it')} ({tried} tried)", flush=True)
                (unseen if cases and what is None else unread if not cases else []).append(function)
    seen = total - len(unseen) - len(unread)
    print(f"no case of the core tier runs: {', '.join(unread) or 'none'}\nnot seen: {', '.join(unseen) or 'none'}")
    print(
        f"{seen} of {total - len(unread)} functions that cases run: an error turns a case red; {changes} changes tried"
    )
    return 1 if unseen or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
