"""Which Python blocks of a page run alone and which go on from those above: copy.js copies the latter with these."""

import ast
import builtins
import doctest

import pages

TESTS = pages.DOCS.parent / "tests"


def goes_on(code):
    """Whether a program reads a name that it does not make."""
    tree, known = ast.parse(code), {*dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known.add(node.id)
        elif isinstance(node, ast.alias):
            known.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            known.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)):
            known.add(node.name)
    return any(isinstance(node, ast.Name) and node.id not in known for node in ast.walk(tree))


def is_excerpt(code):
    """Whether a program is a part of refpos or of its tests: it imports from there."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    return any(node.level or (TESTS / node.module.partition(".")[0]).is_dir() for node in imports)


def typed(code):
    """What a session was typed as."""
    return "".join(one.source for one in doctest.DocTestParser().get_examples(code))


def mark(app, doctree):
    """A class for the blocks that go on, and one for excerpts, which have no button."""
    from docutils import nodes

    for block in doctree.findall(nodes.literal_block):
        language = block.get("language")
        if language in ("python", "py", "pycon") and not {"signature"} & {*block["classes"]}:
            code = typed(block.astext()) if language == "pycon" else block.astext()
            excerpt = is_excerpt(code)
            block["classes"] += ["excerpt"] * excerpt + ["goes-on"] * (not excerpt and goes_on(code))


def setup(app):
    app.connect("doctree-read", mark, priority=900)  # once signatures are marked
    return {"parallel_read_safe": True, "parallel_write_safe": True}
