"""Golden cases of Abacus positions."""

from ...case import listed, project, suite

SOURCE = project("mcleish7/arithmetic", "86022a57d38c0fde46444d62e8dcbebcc0af614c", "abacus.py", "Abacus.helper")
value, refused = suite("abacus_positions", SOURCE)
FLAGS = ("OffByOne",)
DIGITS = {"digits": listed(tuple(range(10)))}


def _ids(*rows):
    """A digit for each token, + for another one (10)."""
    numbers = tuple(10 if one == "+" else int(one) for row in rows for one in row)
    return {"tokens": listed(numbers, shape=(len(rows), len(rows[0])) if len(rows) > 1 else (len(rows[0]),)), **DIGITS}


CASES = [
    value("sum", "two numbers and their sum", flags=FLAGS, inputs=_ids("987+6+396")),
    value("start", "no number at the start", flags=FLAGS, inputs=_ids("++12+")),
    value("batch", "rows that begin and end in numbers: none goes on in the next", flags=FLAGS,
          inputs=_ids("12+34", "+9876", "55555", "+++++")),
    value("offset", "an offset of 99, which other tokens do not get", offset=99, flags=FLAGS, inputs=_ids("12+345+")),
    value("tokenizer", "digits that are ids 4 to 13, of the authors' tokenizer", flags=FLAGS,
          inputs={"tokens": listed((3, 4, 13, 14, 5, 5, 0, 9), shape=(2, 4)), "digits": listed(tuple(range(4, 14)))}),
    value("scattered-digits", "digits that are any ids, one of them below 0", flags=FLAGS,
          inputs={"tokens": listed((7, -3, 2**40, 8, 7)), "digits": listed((2**40, 7, -3))}),
    value("no-digits", "no id is a digit", inputs={"tokens": listed((1, 2, 3)), "digits": listed(())}),
    value("none", "no tokens", inputs={"tokens": listed((), shape=(2, 0)), **DIGITS}),
    value("three-axes", "tokens of three axes", flags=FLAGS,
          inputs={"tokens": listed((1, 10, 2, 3, 4, 5, 10, 1), shape=(2, 2, 2)), **DIGITS}),
    refused("offset", "an offset below 0", "E_SIZE", "offset", offset=-1, inputs=_ids("12")),
    refused("digits", "digits of two axes", "E_SHAPE", "digits",
            inputs={"tokens": listed((1, 2)), "digits": listed((0, 1), shape=(1, 2))}),
    refused("scalar", "one token without an axis", "E_SHAPE", "tokens", inputs={"tokens": listed((1,), shape=()),
            **DIGITS}),
    refused("floats", "tokens that are not integers", "E_DTYPE", "tokens",
            inputs={"tokens": listed((1.0, 2.0), "float64"), **DIGITS}),
]  # fmt: skip
