"""timm loads without torchvision, and nothing else takes it for installed."""

from importlib.metadata import version

from transformers.utils import is_timm_available, is_torchvision_available

from frameworks import _timm
from frameworks._timm import timm_module


def test_timm_is_the_version_that_the_cases_name():
    assert version("timm") == _timm.VERSION


def test_layers_and_models_load():
    for name in ("xcit", "twins", "coat", "convit", "naflexvit", "swin_transformer_v2", "vision_transformer"):
        assert timm_module(f"models.{name}").__name__ == f"timm.models.{name}"
    assert timm_module("layers").build_sincos2d_pos_embed


def test_no_torchvision_appears():
    assert not is_torchvision_available() and not is_timm_available()
