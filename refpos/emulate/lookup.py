"""Emulations by name."""

from __future__ import annotations

from .. import checks
from ..guard import guarded
from . import calls
from .profiles import PROFILES, Profile
from .registry import EMULATED


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
    return calls.applies(find(name), function_name)
