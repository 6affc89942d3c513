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

    >>> find("ggml_product").ladder
    'running'
    """
    return PROFILES[checks.choice("name", name, tuple(PROFILES))]


@guarded
def functions(name: str) -> list[str]:
    """The functions of refpos that an emulation can be called with.

    >>> functions("falcon_alibi")
    ['alibi_slopes', 'alibi']
    """
    profile = find(name)
    return [one for one in EMULATED if calls.applies(profile, one)]


@guarded
def applies(name: str, function_name: str) -> bool:
    """Whether an emulation is one of that function of the catalogue.

    >>> applies("float32_angle", "rope"), applies("falcon_alibi", "rope")
    (True, False)
    """
    profile = find(name)
    if not isinstance(function_name, str):
        raise InputTypeError("E_CHOICE", "function_name", f"function_name must be text, got {shown(function_name)}")
    return calls.applies(profile, function_name)
