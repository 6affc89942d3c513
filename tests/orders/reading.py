"""Reads an order of docs/orders into lists that JSON can hold; docs/orders.md has the language.

`python tests/orders/reading.py docs/orders/attention.txt` prints the program as JSON.
"""

import json
import re
import sys
from pathlib import Path

TYPES = "float", "exact", "int", "word"
NUMBER = r"0x[0-9a-f]+(?:\.[0-9a-f]+)?p[+-]?\d+|\d+(?:\.\d+)?(?:e[+-]?\d+)?"
TOKEN = re.compile(rf"\s*({NUMBER}|[A-Za-z]\w*(?:-[a-z]\w*)*|==|!=|<=|//|[-+*/%<=()\[\],:])")


class Tokens:
    """The tokens of a line, from left to right."""

    def __init__(self, line):
        self.line, self.left, end = line, [], 0
        while line[end:].strip():
            found = TOKEN.match(line, end)
            self.expect(found is not None)
            self.left.append(found[1])
            end = found.end()

    def expect(self, true):
        if not true:
            raise SyntaxError(f"{self.line!r} must end where {self.left[:3]} begins or go on otherwise")

    def take(self, *wanted):
        """The next token if it is one of those wanted, else None."""
        return self.left.pop(0) if self.left and self.left[0] in wanted else None

    def need(self, *wanted):
        self.expect(self.left and self.left[0] in wanted)
        return self.left.pop(0)

    def name(self):
        self.expect(self.left and self.left[0][0].isalpha())
        return self.left.pop(0)

    def several(self, one, end):
        """What stands between commas, up to the token that ends them."""
        found = [] if self.left[:1] == [end] else [one()]
        while self.take(","):
            found.append(one())
        self.need(end)
        return found

    def expression(self):
        if self.take("if"):
            condition, _, first, _ = self.condition(), self.need("then"), self.expression(), self.need("else")
            return ["if", condition, first, self.expression()]
        return self.added()

    def added(self):
        found = self.multiplied()
        while sign := self.take("+", "-"):
            found = [sign, found, self.multiplied()]
        return found

    def multiplied(self):
        found = self.signed()
        while sign := self.take("*", "/", "//", "%"):
            found = [sign, found, self.signed()]
        return found

    def signed(self):
        return ["negative", self.signed()] if self.take("-") else self.single()

    def single(self):
        if self.take("("):
            found = self.expression()
            self.need(")")
            return found
        if self.left and self.left[0][0].isdigit():
            return ["number", self.left.pop(0)]
        name = self.name()
        if name in ("sum", "max") and self.left[:1] != ["("]:
            return self.reduction(name)
        if self.take("("):
            return ["call", name, self.several(self.expression, ")")]
        return ["read", name, self.several(self.expression, "]") if self.take("[") else []]

    def reduction(self, name):
        """sum or max over indices, the last of them fastest, each upwards unless it says `down`."""
        indices = [self.name()]
        while self.take(","):
            indices.append(self.name())
        down, kept = bool(self.take("down")), self.condition() if self.take("where") else None
        self.need(":")
        return [name, indices, down, kept, self.expression()]

    def condition(self):
        found = self.compared()
        while word := self.take("and", "or"):
            found = [word, found, self.compared()]
        return found

    def compared(self):
        first = self.added()
        if self.take("is"):
            found = ["is", first, None]
            negative = self.take("not")
            found[2] = self.name()
            return ["not", found] if negative else found
        return [self.need("==", "!=", "<", "<="), first, self.added()]


def read_line(line):
    """One line as ["input", type, name, indices, what it is without one], ["index", name, size], ["define", name,
    names, expression] ["each", index, lines] or ["set", ..]."""
    tokens = Tokens(line)
    if kind := tokens.take(*TYPES):
        found = ["input", kind, tokens.name(), tokens.several(tokens.name, "]") if tokens.take("[") else [], None]
        if tokens.take("or"):
            found[4] = tokens.need("none")
        elif tokens.take("="):
            found[4] = (tokens.take("-") or "") + tokens.left.pop(0)
    elif tokens.take("index"):
        found = ["index", tokens.name(), (tokens.need("<"), tokens.expression())[1]]
    elif tokens.take("define"):
        found = ["define", tokens.name(), (tokens.need("("), tokens.several(tokens.name, ")"))[1]]
        found.append((tokens.need("="), tokens.expression())[1])
    elif tokens.take("each"):
        found = ["each", tokens.name(), [(tokens.need(":"), read_set(tokens))[1]]]
    else:
        found = read_set(tokens)
    tokens.expect(not tokens.left)
    return found


def read_set(tokens):
    """["set", condition or None, name, indices, expression] of what is left."""
    kept = (tokens.condition(), tokens.need(":"))[0] if tokens.take("if") else None
    name, indices = tokens.name(), tokens.several(tokens.name, "]") if tokens.take("[") else []
    tokens.need("=")
    return ["set", kept, name, indices, tokens.expression()]


def read(text):
    """The lines of a program: from # to the end of a line is a comment, and an indented line goes on with the last."""
    text = re.sub(r"[^\S\n]*#.*", "", text)
    found = []
    for line in (read_line(" ".join(line.split())) for line in re.split(r"\n(?! )", text) if line.strip()):
        if line[0] == "each" and found and found[-1][:2] == line[:2]:
            found[-1][2] += line[2]  # lines of one index are repeated together
        else:
            found.append(line)
    return found


if __name__ == "__main__":
    print(json.dumps([line for name in sys.argv[1:] for line in read(Path(name).read_text(encoding="utf-8"))]))
