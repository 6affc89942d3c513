"""The call of a bias that depends on lengths alone, as a function: its text is taken apart once."""

import ast

from ... import catalogue
from ...public import dotted

INPUTS = ("weight", "query_len", "key_len")
MOST_KEPT = 1 << 16  # keys


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

    is_row = encoding.name == "alibi" and {*named} <= {"mode", "max_bias", "query_offset"}
    return _kept(call, "query_offset" in named) if is_row else call


def _kept(call, from_first):
    """The call of ALiBi: each row is the beginning of a longer one, which is kept, or where the query is the last token
    its end.

    from_first: whether the query stays where it is, so that distances are those from the first key."""
    rows = {}

    def row(inputs, options):
        count, dtype = inputs["key_len"], options.get("dtype", "float64")
        if {*options} - {"dtype"} or type(dtype) is not str or type(count) is not int or not 0 < count <= MOST_KEPT:
            return call(inputs, options)
        longer = rows.get(dtype)
        if longer is None or longer.shape[-1] < count:
            longer = rows[dtype] = call({**inputs, "key_len": 2 * count}, options)
        return (longer[..., :count] if from_first else longer[..., -count:]).copy()

    return row
