"""Position ids of the tokens of an image as its grid of cells, a panel with numbers for each axis."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import matrices, style

STEPS, BETWEEN = 0.42, 0.17  # height of the steps below the grids and of what is between them, in widths of the picture


class Block(NamedTuple):
    """Tokens of an image, row by row: the first of them, and how many rows and columns there are."""

    first: int
    height: int
    width: int


def largest_grid(rows: Any) -> Block | None:
    """The largest run of tokens that are the cells of a grid on two of the axes; None where there is none.

    >>> import numpy as np
    >>> largest_grid(np.array([[0, 1, 2, 2, 2, 3, 3, 3], [0, 1, 2, 3, 4, 2, 3, 4]]))
    Block(first=2, height=2, width=3)
    """
    found = [
        block
        for down in rows
        for across in rows
        for first in range(rows.shape[1])
        if (block := _grid_at(down, across, first)) is not None
    ]
    return max(found, key=lambda block: (block.height * block.width, -block.first), default=None)


def _grid_at(down, across, first):
    """The grid that begins at a token, with those two axes."""
    width = 1
    while first + width < len(down) and down[first + width] == down[first] and \
            across[first + width] > across[first + width - 1]:  # fmt: skip
        width += 1
    height, columns = 1, across[first : first + width]
    while _follows(down, across, first + height * width, columns):
        height += 1
    return Block(first, height, width) if width > 1 and height > 1 else None


def _follows(down, across, first, columns):
    """Whether the tokens from there on are one more row with those columns."""
    stop = first + len(columns)
    whole = stop <= len(down) and (across[first:stop] == columns).all() and (down[first:stop] == down[first]).all()
    return bool(whole and down[first] > down[first - 1])


def draw(ax: Any, rows: Any, block: Block, names: list[str]) -> Any:
    """The grids of all axes in the upper part of an Axes; the Axes below them."""
    ax.set_axis_off()
    tiles = rows[:, block.first : block.first + block.height * block.width].reshape(-1, block.height, block.width)
    scale, gap = matrices.limits(tiles), 0.06
    width = (1 - gap * (len(tiles) - 1)) / len(tiles)
    tall = width * block.height / block.width
    whole = tall + BETWEEN + STEPS
    style.as_high(ax, whole)
    for k, (tile, name) in enumerate(zip(tiles, names)):
        part = style.beside(ax, (k * (width + gap), 1 - tall / whole, width, tall / whole))
        matrices.draw(part, tile, names=("row of the image" * (k == 0), "column"), scale=scale, aspect="equal")
        part.set_title(f"{name} of each cell", fontsize=style.FONT - 0.5)
        style.whole_ticks(part, most=5)
        part.set_anchor("NW")
    return style.beside(ax, (0.0, 0.0, 1.0, STEPS / whole))
