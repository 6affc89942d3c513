"""How every picture looks: its colours on light and dark ground, its panels, and the file that it is written to.

Colours grow lighter with the value, so that a picture tells the same in grey and to the colour-blind; those of numbers
of both signs grow darker from 0 on, blue below it and red above it. Lines differ in their dashes too. Nothing here
needs a display or changes what other code draws.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from .. import checks
from ..errors import InputError, shown
from ..guard import guarded
from ..tensor_files.files import file_name, replace_file
from ..types import AnyPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

ThemeName = Literal["light", "dark"]
THEMES = get_args(ThemeName)
COLOURS = "cividis"  # of values of one sign: from dark blue to light yellow, evenly
SIGNED = "RdBu_r"  # of values of both signs: from blue over white at 0 to red
FONT = 9
MOST_LINES = 8  # that can be distinguished
FORMATS = ("svg", "png", "pdf")
WIDTH, HEIGHT = 5.6, 3.3  # of the Axes of a picture, in inches
LEFT, RIGHT, BOTTOM, TOP = 1.0, 2.2, 0.9, 1.6  # room around it, of which a file keeps what is drawn on
CROPPED: Any = dict(bbox_inches="tight", pad_inches=0.1)
#: attributes of an SVG that hold places; three digits are enough for them
DECIMALS = re.compile(r' (?:d|x|y|width|height|transform)="[^"]*"')
STILL = re.compile(r' transform="rotate\(-0 [^"]*\)"')  # of text that is not rotated
OWN = "refpos"  # the label of a figure that was made for one picture, whose height may follow from it
GAP = 0.09  # between panels, in parts of the whole


class Theme(NamedTuple):
    """The ground, what is written on it, fainter lines, and a colour for each line of a picture."""

    ground: str
    ink: str
    faint: str
    lines: tuple[str, ...]


_THEMES = {
    "light": Theme("#ffffff", "#1a1a1a", "#8a8a8a",
                   ("#0b3c8c", "#d55e00", "#009e73", "#b0578d", "#1a1a1a", "#c08a00", "#56b4e9", "#7a4a1e")),
    "dark": Theme("#15181d", "#e8e8e8", "#8d949e",
                  ("#6db3f2", "#ff9d5c", "#3fd0a4", "#e59ac6", "#ffffff", "#f0d060", "#9fd4ff", "#d0a070")),
}  # fmt: skip
_DRAWN: ContextVar[Theme] = ContextVar("theme")  # of the picture that is drawn now
_TURN = threading.RLock()  # the settings of matplotlib are those of the process: one picture at a time
DASHES = ("-", "--", "-.", ":", (0, (6, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 2)), (0, (8, 3)))


def needed() -> Any:
    """matplotlib, imported when something is drawn; one sentence where it is absent or too old."""
    try:
        import matplotlib
    except ImportError:
        found = "an installation without it"
    else:
        if tuple(map(int, matplotlib.__version__.split(".")[:2])) >= (3, 8):
            return matplotlib
        found = f"version {matplotlib.__version__}"
    raise InputError("E_MISSING", "plots", f'pictures need matplotlib 3.8 or later (pip install "refpos[plot]"), '
                                           f"got {found}")  # fmt: skip


def _settings(theme):
    """The settings of matplotlib with which a picture is drawn and saved."""
    ground, ink, faint, lines = _THEMES[theme]
    import matplotlib

    return {
        "svg.hashsalt": "refpos", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": FONT,
        "path.simplify": False, "image.cmap": COLOURS, "image.interpolation": "none", "image.origin": "upper",
        "figure.facecolor": ground, "savefig.facecolor": ground, "axes.facecolor": ground, "text.color": ink,
        "axes.edgecolor": faint, "axes.labelcolor": ink, "axes.titlecolor": ink, "axes.titlesize": FONT + 1,
        "axes.labelsize": FONT, "axes.titlelocation": "left", "axes.linewidth": 0.8, "axes.grid": False,
        "axes.formatter.useoffset": False, "axes.unicode_minus": True, "grid.color": faint, "grid.alpha": 0.35,
        "xtick.labelsize": FONT - 1, "ytick.labelsize": FONT - 1, "xtick.color": ink, "ytick.color": ink,
        "hatch.color": faint, "hatch.linewidth": 0.6, "legend.fontsize": FONT - 1, "legend.frameon": False,
        "lines.linewidth": 1.5, "savefig.dpi": 150, "figure.dpi": 100, "text.usetex": False,
        "axes.prop_cycle": matplotlib.cycler(color=lines) + matplotlib.cycler(linestyle=DASHES),
    }  # fmt: skip


@contextlib.contextmanager
def canvas(
    ax: Axes | None, theme: str, width: float = WIDTH, height: float = HEIGHT, *, alone: bool = True
) -> Iterator[Axes]:
    """The Axes to draw on, under the settings of the theme: the one given, or one in a figure of its own.

    alone: whether one panel fills it. Other code's settings are as they were afterwards.
    """
    checks.choice("theme", theme, THEMES)
    matplotlib = needed()
    with _TURN, _drawn(_THEMES[theme]), matplotlib.rc_context(_settings(theme)):
        if ax is None:
            from matplotlib.figure import Figure  # not pyplot: no window, no global state

            ax = Figure(label=OWN).add_subplot()
            resize(ax, width, height)
        elif not hasattr(ax, "inset_axes"):
            raise InputError("E_CHOICE", "ax", f"ax must be an Axes of matplotlib, got {shown(ax)}")
        dress(ax)
        if not alone:
            ax.set_axis_off()
        yield ax


@contextlib.contextmanager
def _drawn(theme):
    token = _DRAWN.set(theme)
    try:
        yield
    finally:
        _DRAWN.reset(token)


def palette() -> Theme:
    """The colours of the picture that is drawn now; not those of matplotlib's settings, which any thread may change."""
    return _DRAWN.get()


def dress(ax: Axes) -> Axes:
    """Ticks and frame in the colours of the theme, also where they are made later."""
    theme = palette()
    ax.tick_params(colors=theme.ink, labelsize=FONT - 1, which="both")
    ax.tick_params(color=theme.faint, which="both")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def panels(ax: Axes, rows: int, columns: int, *, gap: float = GAP, rise: float = 1.6) -> list[Axes]:
    """Panels inside an Axes, row by row; gap: between them in parts of the whole, `rise` times as much between rows."""
    across, down = gap, gap * rise
    width, height = (1 - across * (columns - 1)) / columns, (1 - down * (rows - 1)) / rows
    places = [
        (column * (width + across), 1 - height - row * (height + down))
        for row in range(rows)
        for column in range(columns)
    ]
    return [dress(ax.inset_axes([left, low, width, height])) for left, low in places]


def resize(ax: Axes, width: float, height: float) -> None:
    """The Axes of a figure that was made for it gets that size, with room around it."""
    across, up = LEFT + width + RIGHT, BOTTOM + height + TOP
    ax.get_figure().set_size_inches(across, up)
    ax.set_position([LEFT / across, BOTTOM / up, width / across, height / up])


def as_high(ax: Axes, share: float) -> None:
    """A figure that was made for this picture becomes as high as its panels are: `share` times as high as wide."""
    figure = ax.get_figure()
    if figure.get_label() == OWN:
        width = ax.get_position().width * figure.get_figwidth()
        resize(ax, width, min(max(0.8, width * share), 3 * width))


def beside(ax: Axes, place: tuple[float, float, float, float], **more: Any) -> Axes:
    """A smaller panel at a place outside the Axes, in parts of it: left, bottom, width, height."""
    return dress(ax.inset_axes(list(place), **more))


def titled(ax: Axes, title: str, words: str, rise: float = 0.0) -> Axes:
    """The Axes with a title, and with the picture in words for those who cannot see it: `ax.get_label()`, which the
    files that are written hold too. rise: how far above the Axes something else stands, in parts of its height."""
    panels = [part for part in ax.child_axes if part.get_title("left") or part.get_title()]
    ax.set_title(title, loc="left", y=1 + rise, pad=24 if panels and not ax.axison else 8)
    ax.set_label(" ".join(words.split()))
    return ax


def whole_ticks(ax: Axes, *, x: bool = True, y: bool = True, most: int = 8) -> None:
    """Ticks at integers only, few of them however many values there are."""
    from matplotlib.ticker import MaxNLocator

    for axis in [ax.xaxis] * x + [ax.yaxis] * y:
        axis.set_major_locator(MaxNLocator(most, integer=True, steps=[1, 2, 4, 5, 8, 10]))


def told(number: float) -> str:
    """A length in words: four digits that count, and no power of ten up to 10^9."""
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e9 else f"{number:.4g}"


def ends(wavelengths: Any) -> str:
    """The shortest and the longest of finite wavelengths in words."""
    if not len(wavelengths):
        return "none of them finite"
    return f"from {told(wavelengths.min())} to {told(wavelengths.max())} positions"


@guarded
def save(ax: Axes, path: AnyPath) -> str:
    """Write the figure of an Axes to a file: svg, png or pdf, as the name ends; the same bytes each time.

    The file is there whole or not at all. Text of an SVG stays text, its title and description are those of the
    picture, and no date is written.

    Parameters
    ----------
    ax : matplotlib Axes
        Axes of the picture.
    path : str or path
        File to write; its suffix gives the kind.

    Returns
    -------
    str
        The name of the file.

    Raises
    ------
    InputError
        E_CHOICE for another kind of file, E_FILE where it cannot be written, E_MISSING without matplotlib.

    Examples
    --------
    >>> save(ax, "table.svg")  # doctest: +SKIP
    'table.svg'
    """
    name = os.fsdecode(file_name(path))
    kind = os.path.splitext(name)[1][1:].lower()
    if kind not in FORMATS:
        raise InputError(
            "E_CHOICE", "path", f"path must end in .svg, .png or .pdf, got {shown(os.path.basename(name))}"
        )
    figure, words = ax.get_figure(root=True) if _takes_root(ax) else ax.get_figure(), ax.get_label()
    facts = {
        "svg": {"Date": None, "Creator": None, "Title": ax.get_title("left") or ax.get_title(), "Description": words},
        "png": {"Software": None, "Description": words},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None, "Subject": words},
    }[kind]
    facts = {key: value for key, value in facts.items() if value != ""}
    with _TURN, needed().rc_context({"svg.hashsalt": "refpos", "svg.fonttype": "none", "path.simplify": False}):
        replace_file(path, lambda file: _write(figure, file, kind, facts))
    return name


def _takes_root(ax):
    import inspect

    return "root" in inspect.signature(ax.get_figure).parameters


def _shorter(attribute):
    """An attribute of places with thousandths of a point."""
    return re.sub(r"(\.\d{3})\d+", r"\1", attribute[0])


def _write(figure, file, kind, facts):
    import io

    if kind != "svg":
        figure.savefig(file, format=kind, metadata=facts, **CROPPED)
        return
    text = io.BytesIO()
    figure.savefig(text, format="svg", metadata=facts, **CROPPED)
    lines = DECIMALS.sub(_shorter, STILL.sub("", text.getvalue().decode())).splitlines()
    file.write("".join(line.strip() + "\n" for line in lines).encode())
