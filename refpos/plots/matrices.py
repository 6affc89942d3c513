"""Matrices as colours: thinned where they are large, NaN hatched, infinities striped, and a bar of the scale."""

from __future__ import annotations

import math

import numpy as np

from .. import checks
from ..errors import InputError
from . import style

MOST = 512  # rows or columns of a picture: of more, every k-th is drawn, and its axis says so
MOST_TILES = 12
LARGEST = 1e300  # finite number: matplotlib's colours and axes need the difference of any two
MOST_RUNS = 4096  # of cells beside each other, to draw their pattern one by one
WRITTEN = 14  # rows and columns up to which integers are written into their cells


def thinned(values, most=MOST):
    """(the matrix with at most so many rows and columns, k of the rows, k of the columns): every k-th is kept."""
    steps = [max(1, -(-size // most)) for size in values.shape]
    return values[:: steps[0], :: steps[1]], *steps


def label(name, step):
    """The name of an axis, with what is left out of it."""
    return name if step == 1 else f"{name} (every {ordinal(step)} drawn)"


def ordinal(number):
    """2 as 2nd."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def limits(*matrices, centre=False):
    """The smallest and largest finite value of all; centre: as far below 0 as above it, if both signs are there."""
    finite = [matrix[np.isfinite(matrix)] for matrix in matrices]
    finite = [part for part in finite if part.size]
    if not finite:
        return 0.0, 1.0
    low, high = float(min(part.min() for part in finite)), float(max(part.max() for part in finite))
    if centre and low < 0 < high:
        high = max(-low, high)
        low = -high
    if low == high:
        return low - 0.5, high + 0.5
    return low + 0.0, high + 0.0  # no -0


def extent(values, form=".4g"):
    """The smallest and largest finite value in words."""
    finite = np.asarray(values)[np.isfinite(values)]
    if not finite.size:
        return "without a finite number"
    low, high = float(finite.min()) + 0.0, float(finite.max()) + 0.0
    return f"from {low:{form}} to {high:{form}}" if low < high else f"{low:{form}} everywhere"


def draw(ax, values, *, names=("", ""), at=None, scale=None, numbers=True, aspect="auto", norm=None):
    """The matrix as an image; the image. at: the numbers of the first and last row, then of the columns."""
    values = as_floats(values)
    kept, *steps = thinned(values)
    rows, columns = values.shape
    top, bottom, left, right = (0, rows - 1, 0, columns - 1) if at is None else at
    half = [(bottom - top) / max(rows - 1, 1) / 2 or 0.5, (right - left) / max(columns - 1, 1) / 2 or 0.5]
    extent = (left - half[1], right + half[1], bottom + half[0], top - half[0])
    scale = scale or limits(values, centre=True)
    image = ax.imshow(
        np.ma.masked_invalid(kept), aspect=aspect, extent=extent, zorder=1, norm=norm, cmap=colours(scale, norm),
        **({} if norm else dict(zip(("vmin", "vmax"), scale))),
    )  # fmt: skip
    ax.set_ylabel(label(names[0], steps[0]))
    ax.set_xlabel(label(names[1], steps[1]))
    ax.spines[["top", "right"]].set_visible(True)
    style.whole_ticks(ax)
    hatch(ax, np.isnan(kept), extent, "xxxx", style.palette().ink)
    hatch(ax, np.isinf(kept), extent, "///", style.palette().faint)
    if numbers and max(values.shape) <= WRITTEN and whole(values):
        write(ax, image, values)
    return image


def colours(scale, norm=None):
    """The colours of a scale: those of both signs where it is as far below 0 as above it."""
    return style.SIGNED if norm is None and scale[0] == -scale[1] else style.COLOURS


def numbers(name, values):
    """The numbers or booleans of an array of the caller as float64: what is drawn is what they are, not their bits."""
    found = checks.widened(name, values)
    found = found.astype(np.uint8) if found.dtype == bool else found
    found = as_floats(checks.of_64_bits(name, found, "E_DTYPE"), name)
    largest = np.abs(found[np.isfinite(found)]).max(initial=0)
    if largest > LARGEST:
        raise InputError("E_NUMBER", name, f"{name} must be at most {LARGEST:g} in size, got {largest:g}")
    return found


def as_floats(values, name="table"):
    """The numbers of a matrix as float64; a table without rows or columns has no picture."""
    values = np.asarray(values, np.float64)
    if not values.size:
        raise InputError("E_SHAPE", name, f"{name} must have at least one number to draw, got shape {values.shape}")
    return values


def whole(values):
    """Whether the finite values are integers of up to three digits."""
    finite = values[np.isfinite(values)]
    return bool((finite == np.rint(finite)).all() and (np.abs(finite) < 1000).all())


def write(ax, image, values):
    """Integers in their cells, dark on light colours and light on dark ones."""
    if not (image.get_extent()[0] == -0.5 and image.get_extent()[3] == -0.5):
        return
    size = style.FONT - 1 if max(values.shape) <= 10 else style.FONT - 2.5
    for (row, column), value in np.ndenumerate(values):
        if math.isfinite(value):
            bright = image.cmap(image.norm(value))
            ink = "#000000" if 0.3 * bright[0] + 0.6 * bright[1] + 0.1 * bright[2] > 0.5 else "#ffffff"
            ax.text(column, row, str(int(value)), ha="center", va="center", color=ink, fontsize=size, zorder=3)


def hatch(ax, cells, extent, pattern, ink):
    """A pattern on the ground of cells that the image leaves out: their colour alone could be taken for a value."""
    if not cells.any():
        return
    from matplotlib import rc_context
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    left, right, bottom, top = extent
    height, width = (bottom - top) / cells.shape[0], (right - left) / cells.shape[1]
    runs = np.diff(np.pad(cells, ((0, 0), (1, 1))).astype(np.int8), axis=1)  # 1 where a run begins, -1 behind it
    runs = [(*begin, stop) for begin, stop in zip(np.argwhere(runs == 1), np.argwhere(runs == -1)[:, 1])]
    boxes = [(left + a * width, top + row * height, left + b * width, top + (row + 1) * height) for row, a, b in runs]
    if len(boxes) > MOST_RUNS:  # one area for all: the image covers the other cells
        boxes = [(left, top, right, bottom)]
    corners = [corner for x, y, z, w in boxes for corner in ((x, y), (z, y), (z, w), (x, w), (x, y))]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
    with rc_context({"hatch.color": ink}):  # a patch takes it from there when it is made
        ax.add_patch(PathPatch(Path(corners, codes), fill=False, hatch=pattern, linewidth=0, zorder=0.5))


def notes(values):
    """What the patterns of a picture mean, beside its bar; nothing where there are none."""
    return ", ".join(f"{pattern}: {number}" for pattern, number in patterns(values))


def told(values):
    """The same in sentences."""
    return " ".join(f"{pattern.capitalize()} cells are {number}." for pattern, number in patterns(values))


def patterns(values):
    """The patterns of a picture, each with the number that it stands for."""
    values = np.asarray(values, np.float64)
    tests = ("hatched", "NaN", np.isnan), ("striped", "-∞", np.isneginf), ("striped", "+∞", np.isposinf)
    return [(pattern, number) for pattern, number, test in tests if test(values).any()]


def bar(ax, image, title="", *, place=(1.02, 0.0, 0.025, 1.0)):
    """The scale of the colours, right of the Axes."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    side = style.beside(ax, place)
    scale = ax.get_figure().colorbar(image, cax=side)
    if not isinstance(image.norm, LogNorm) and whole(np.ma.compressed(image.get_array())):
        scale.locator = MaxNLocator(8, integer=True)
    scale.outline.set_linewidth(0.5)
    if image.cmap.name == style.SIGNED:
        side.axhline(0, color="#000000", linewidth=1)  # on white, whatever the theme
    side.set_ylabel(title)
    side.spines[:].set_visible(True)
    return side


def mosaic(ax, tiles, titles, *, names=("", ""), bar_title="", numbers=True, aspect="equal", at=None, scale=None):
    """Up to MOST_TILES matrices of one scale, side by side in panels of the Axes; the panels."""
    shown = [np.asarray(tile, np.float64) for tile in tiles[:MOST_TILES]]
    columns = math.ceil(len(shown) / arrangement(len(shown), shown[0].shape))
    rows = math.ceil(len(shown) / columns)
    scale, gap = scale or limits(*shown, centre=True), 0.05
    tall = shown[0].shape[0] / shown[0].shape[1]
    aspect = aspect if tall < 2.5 else "auto"
    tall = tall if aspect == "equal" else min(tall, 1.2)
    high = (1 - gap * (columns - 1)) / columns * tall  # of a panel, in widths of all
    between = 0.55 / 5.6  # of the titles and numbers between two rows of panels, in widths too
    whole_height = rows * high + (rows - 1) * between
    style.as_high(ax, whole_height)
    parts = style.panels(ax, rows, columns, gap=gap, rise=between / whole_height / gap)
    for k, (part, tile, title) in enumerate(zip(parts, shown, titles)):
        image = draw(part, tile, names=("", ""), scale=scale, numbers=numbers, aspect=aspect, at=at)
        part.set_title(title, fontsize=style.FONT - 0.5, loc="left")
        style.whole_ticks(part, most=5)
        part.set_anchor("NW")
        if k % columns == 0:
            part.set_ylabel(names[0])
        if k // columns == rows - 1 or k + columns >= len(shown):
            part.set_xlabel(names[1])
    for part in parts[len(shown) :]:
        part.remove()
    bar(ax, image, bar_title, place=(1.03, 0.0, 0.02, 1.0))
    return parts[: len(shown)]


def arrangement(count, shape=(1, 1)):
    """In how many rows so many panels of that shape stand."""
    if shape[1] > 3 * shape[0]:
        return count
    return 1 if count <= 4 else 2 if count <= 8 else 3


def chosen(count, most):
    """At most so many of the first numbers, evenly spread, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(k * (count - 1) / (most - 1)) for k in range(most)})
