"""Which Python blocks of a page run alone and which go on from those above: copy.js copies the latter with these."""

import ast
import builtins


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


def mark(app, doctree):
    """A class for the blocks that go on."""
    from docutils import nodes

    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in ("python", "py") and "signature" not in block["classes"]:
            block["classes"] += ["goes-on"] * goes_on(block.astext())


def setup(app):
    app.connect("doctree-read", mark, priority=900)  # once signatures are marked
    return {"parallel_read_safe": True, "parallel_write_safe": True}
