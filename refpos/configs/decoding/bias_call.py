"""The call of a bias that depends on lengths alone, as a function: its text is taken apart once."""

import ast

from ... import catalogue
from ...public import dotted

INPUTS = ("weight", "query_len", "key_len")


def is_bias(encoding):
    """Whether the call of an `Encoding` gives it for any numbers of queries and keys, without looking at queries."""
    has_lengths = "key_len" in encoding.inputs and {*encoding.inputs} <= {*INPUTS}
    return has_lengths and encoding.call.startswith(f"{dotted(encoding.name)}(")


def bias_call(encoding):
    """The call of an `Encoding` as a function of {name: input} and of more named arguments."""
    text = ast.parse(encoding.call, mode="eval").body
    function = catalogue.find(encoding.name).function
    given = [(node.id, None) if isinstance(node, ast.Name) else (None, ast.literal_eval(node)) for node in text.args]
    named = {one.arg: ast.literal_eval(one.value) for one in text.keywords}

    def call(inputs, options):
        values = [value if name is None else inputs[name] for name, value in given]
        return function(*values, **{**named, **options})

    return call
