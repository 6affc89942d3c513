"""The sections of a docstring that is written as numpydoc asks."""

import re
import textwrap

HEADING = re.compile(r"^([A-Z]\w+)\n-{3,}$", re.MULTILINE)


def sections(text):
    """{title: the text below it}; the summary and what follows it stand under the empty title.

    >>> sections("One line.\\n\\nReturns\\n-------\\nint\\n    A count.")
    {'': 'One line.', 'Returns': 'int\\n    A count.'}
    """
    head, *rest = HEADING.split(text)
    return {title: body.strip("\n") for title, body in zip(["", *rest[::2]], [head, *rest[1::2]])}


def items(body):
    """(head, description) of each item of a section; a description stands indented below its head.

    >>> items("x, y : int\\n    Two counts,\\n    - in a list.\\nout : ndarray")
    [('x, y : int', 'Two counts,\\n- in a list.'), ('out : ndarray', '')]
    """
    parts = re.split(r"^(?=\S)", body, flags=re.MULTILINE)
    pairs = (part.partition("\n") for part in parts if part)
    return [(head, textwrap.dedent(rest).strip("\n")) for head, _, rest in pairs]


def parameters(text):
    """{name: (type, description)} of the parameters of a docstring, those that share an item included.

    >>> parameters("One line.\\n\\nParameters\\n----------\\nx, y : int\\n    Two counts.")
    {'x': ('int', 'Two counts.'), 'y': ('int', 'Two counts.')}
    """
    found = {}
    for head, description in items(sections(text).get("Parameters", "")):
        names, _, kind = head.partition(" : ")
        found |= {name.lstrip("*"): (kind, description) for name in names.split(", ")}
    return found
