"""Which rows of learned tables the tokens of named models read, beside those of `token_positions`."""

import numpy as np

from .. import checks
from ..positions.cell_rows import cell_rows
from ..positions.fraction_rows import fraction_rows
from ..positions.table_rows import table_rows


def _sides(height, width):
    return checks.integer("height", height), checks.integer("width", width)


def masked(tokens, *, past=0):
    """2, 3 ... of the tokens that a mask keeps, behind `past` of its slots; 1 of those that it leaves out."""
    return table_rows(tokens, rule="mask", offset=2, past=past)


def clipped(tokens, *, padding_idx=0, num_rows=512, past=0):
    """padding_idx + 1, + 2 ... of the tokens that a mask keeps, up to num_rows - 1; padding_idx of the others."""
    return table_rows(tokens, rule="clipped", padding_idx=padding_idx, num_rows=num_rows, past=past)


def cells_of_tables(columns, rows, *, num_rows=1024):
    """0, 1 ... in each cell of a table of text, up to num_rows - 1."""
    return cell_rows(columns, rows, num_rows=num_rows)


def patches(height, width):
    """The rows of the patches of an image, row by row."""
    height, width = _sides(height, width)
    return table_rows(height * width, rule="count")


def class_and_patches(height, width):
    """The row of a class token, then those of the patches of an image, row by row."""
    height, width = _sides(height, width)
    return table_rows(1 + height * width, rule="count")


def two_and_patches(height, width):
    """The rows of two tokens, of class and distillation, then those of the patches of an image, row by row."""
    height, width = _sides(height, width)
    return table_rows(2 + height * width, rule="count")


def class_and_tubelets(frames, height, width):
    """The row of a class token, then those of the cells of a video, frame by frame and row by row."""
    height, width = _sides(height, width)
    return table_rows(1 + checks.integer("frames", frames) * height * width, rule="count")


def fractions_step(sizes, *, side):
    """The cells of a table of side x side that the patches of images read, with steps of 1 / n in float32."""
    return fraction_rows(sizes, side, rule="step")


def fractions_quotient(sizes, *, side):
    """The cells of a table of side x side that the patches of images read, at the fractions i / n."""
    return fraction_rows(sizes, side, rule="quotient")


def boxes(boxes):
    """(left, upper, right, lower) of each word, as they are."""
    return checks.integers("boxes", boxes)


def spans(rows):
    """The rows of the words of each mention, -1 behind the last, as they are."""
    return checks.integers("rows", rows)


def sizes(height, width):
    """(height, width) of a grid, as `learned_axes` takes them."""
    return np.array(_sides(height, width), np.int64)
