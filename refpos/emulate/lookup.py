"""Emulations by name."""

from __future__ import annotations

from .. import checks
from ..errors import InputTypeError, shown
from ..guard import guarded
from . import calls
from .profile_registry import EMULATED
from .profiles import PROFILES, Profile


@guarded
def find(name: str) -> Profile:
    """The emulation of that name.

    Parameters
    ----------
    name : str
        Name of an emulation.

    Returns
    -------
    Profile
        The `Profile`.

    Raises
    ------
    InputError
        E_CHOICE for a name that is not known.

    Examples
    --------
    >>> find("ggml_product").frequencies
    'running'
    """
    return PROFILES[checks.choice("name", name, tuple(PROFILES))]


@guarded
def functions(name: str) -> list[str]:
    """The functions of refpos that an emulation can be called with.

    Parameters
    ----------
    name : str
        Name of an emulation.

    Returns
    -------
    list of str
        The names.

    Raises
    ------
    InputError
        E_CHOICE for a name that is not known.

    Examples
    --------
    >>> functions("falcon_alibi")
    ['alibi_slopes', 'alibi']
    """
    profile = find(name)
    return [one for one in EMULATED if calls.applies(profile, one)]


@guarded
def applies(name: str, function_name: str) -> bool:
    """Whether an emulation is one of that function of the catalogue.

    Parameters
    ----------
    name : str
        Name of an emulation.
    function_name : str
        Name of a function of the catalogue.

    Returns
    -------
    bool
        True where the function can be emulated so.

    Raises
    ------
    InputError
        E_CHOICE for an emulation that is not known and a function_name that is not text.

    Examples
    --------
    >>> applies("float32_angle", "rope"), applies("falcon_alibi", "rope")
    (True, False)
    """
    profile = find(name)
    if not isinstance(function_name, str):
        raise InputTypeError("E_CHOICE", "function_name", f"function_name must be text, got {shown(function_name)}")
    return calls.applies(profile, function_name)
