"""Golden cases of positions that start again in every cell of a table of text."""

from ...case import listed, project, suite

TAPAS = project("transformers", "5.23.0", "models/tapas/modeling_tapas.py", "TapasEmbeddings")
value, refused = suite("cell_rows", TAPAS)
FLAGS = ("OffByOne",)


def cells(columns, rows):
    """Columns and rows as words, a digit for each token and a word for each sequence."""
    words = {"columns": columns.split(), "rows": rows.split()}
    return {
        name: listed(tuple(map(int, "".join(lines))), shape=(len(lines), len(lines[0])))
        for name, lines in words.items()
    }


CASES = [
    *[
        value(slug, about, inputs=cells(columns, rows), flags=FLAGS, **options)
        for slug, about, columns, rows, options in (
            ("tapas", "TAPAS: a question, a header and four cells", "00001122112222", "00000000111222",
             {"num_rows": 1024}),
            ("column", "one column: each row begins again", "0111111", "0001233", {}),
            ("row", "one row: each column begins again", "01112233", "01111111", {}),
            ("swapped", "(1, 2) and (2, 1) are two cells", "0112211", "0221122", {}),
            ("sums", "cells whose column and row have one sum", "0123012", "3210321", {}),
            ("clipped", "a cell of six tokens and a table of four positions", "0111111", "0111111", {"num_rows": 4}),
            ("clipped-1", "a table of one position", "0111122", "0111111", {"num_rows": 1}),
            ("exact", "as many tokens as positions", "1111", "1111", {"num_rows": 4}),
            ("question", "no table: everything is one cell", "000000", "000000", {}),
            ("every-token", "every token is a cell", "0123", "0011", {}),
            ("interrupted", "a cell that others interrupt goes on counting from its first token", "0112110", "0111110",
             {}),
            ("padding", "padding behind is in the cell of the question", "0011220000", "0011110000", {}),
            ("batch", "two sequences do not share their cells", "01122 11100", "01111 11100", {"num_rows": 3}),
            ("batch-first", "the same cell begins at another token of each sequence", "0011 0001 1111",
             "0011 0001 1111", {}),
            ("one", "one token", "7", "9", {"num_rows": 1024}),
        )
    ],
    value("flat", "a sequence without a batch", flags=FLAGS,
          inputs={"columns": listed((0, 0, 3, 3, 3, 0)), "rows": listed((0, 0, 1, 1, 1, 0))}),
    value("batches", "sequences of shape (2, 1, 3)", flags=FLAGS,
          inputs={"columns": listed((0, 1, 1, 2, 2, 2), shape=(2, 1, 3)),
                  "rows": listed((0, 1, 1, 0, 0, 1), shape=(2, 1, 3))}),
    value("large", "ids of 62 bits", flags=FLAGS,
          inputs={"columns": listed((2**62, 2**62 + 1, 2**62)), "rows": listed((1, 1, 1))}),
    value("none", "no tokens", inputs={"columns": listed((), shape=(2, 0)), "rows": listed((), shape=(2, 0))}),
    refused("shapes", "rows of another length", "E_SHAPE", "rows",
            inputs={"columns": listed((0, 1, 1)), "rows": listed((0, 1))}),
    refused("negative", "a column before the first", "E_SIZE", "columns",
            inputs={"columns": listed((0, -1)), "rows": listed((0, 1))}),
    refused("floats", "rows that are floats", "E_DTYPE", "rows",
            inputs={"columns": listed((0, 1)), "rows": listed((0.0, 1.0), "float64")}),
    refused("scalar", "one token without an axis", "E_SHAPE", "columns",
            inputs={"columns": listed((1,), shape=()), "rows": listed((1,), shape=())}),
    refused("rows-zero", "a table of no positions", "E_SIZE", "num_rows", num_rows=0,
            inputs={"columns": listed((0, 1)), "rows": listed((0, 1))}),
]  # fmt: skip
