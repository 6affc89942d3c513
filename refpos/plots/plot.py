"""The picture that belongs to a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..guard import guarded
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@guarded
def plot(name: str, /, *, ax: Axes | None = None, theme: style.ThemeName = "light", **arguments: Any) -> Axes:
    """The picture of an encoding, of a named model, or of a model type of transformers.

    Parameters
    ----------
    name : str
        As `refpos list` and `refpos list models` have it, a model type such as "swin" or "t5", or what the field says
        ("shaw", "transformer_xl").
    ax : matplotlib Axes, optional
        An Axes to draw on, else one in a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".
    **arguments : keywords
        Keywords of the call; what it needs besides comes from an example, in which learned weights are stood in for.

    Returns
    -------
    matplotlib Axes
        The Axes, whose label (`ax.get_label()`) says in words what is seen.

    Raises
    ------
    InputError
        E_CHOICE for a name or keyword that is not known, with five that resemble it, E_MISSING without matplotlib, and
        what the call raises.

    Notes
    -----
    Tables are heat maps, rotations are shown on a vector of ones, biases as matrices of heads, frequencies as
    wavelengths, positions as steps, those of an image as its grid too. Above each stand what it shows, the call, and
    which numbers are only examples. Of axes longer than 512 every k-th number is drawn; of more than 4 heads or 8
    channels some, evenly spread.

    Examples
    --------
    >>> ax = plot("alibi", num_heads=4, query_len=16, key_len=16)  # doctest: +SKIP
    """
    from . import headings, name_lookup, pictures

    style.needed()
    call, model = name_lookup.call_of(name, arguments)
    with style.canvas(ax, theme) as ax:
        return pictures.draw(ax, call, headings.heading(call, arguments, model))
