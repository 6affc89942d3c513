"""The softmax factor of configurations, against the scaling of the attention modules of transformers."""

import importlib
import inspect
from pathlib import Path

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING

import refpos
from refpos.configs.model_defaults import rows
from refpos.conformance import error_bounds

TYPES = sorted(kind for kind, row in rows().items() if row.scales_softmax)
YARN = {"rope_type": "yarn", "original_max_position_embeddings": 4096}
SCALINGS = {
    "DeepSeek V3": {"factor": 40.0, "mscale": 1.0, "mscale_all_dim": 1.0},
    "DeepSeek V2": {"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 0.707},
    "alone": {"factor": 16.0, "mscale_all_dim": 0.5},
    "not read": {"factor": 16.0, "mscale": 1.0, "mscale_all_dim": 0},
    "shrunk": {"factor": 0.5, "mscale": 1.0, "mscale_all_dim": 1.0},
}
MODELS = Path(transformers.__file__).parent / "models"
ONE = (lambda: None).__code__


def folder_of(kind):
    return rows()[kind].file.split("/")[1]


def attention_of(kind, config):
    """An attention module whose code scales its softmax, without memory for its weights."""
    name = folder_of(kind)
    module = importlib.import_module(f"transformers.models.{name}.modeling_{name}")
    found = [one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__ == module.__name__]
    found = [one for one in found if "yarn_apply_mscale" in getattr(one.__init__, "__code__", ONE).co_names]
    assert found, kind
    with torch.device("meta"):
        return found[0](config, layer_idx=0)


def test_every_type_whose_code_does_it_is_here():
    files = [path for path in MODELS.glob("*/modeling_*.py") if "= yarn_apply_mscale(" in path.read_text()]
    assert {path.parent.name for path in files} == {folder_of(kind) for kind in TYPES} and len(files) >= 14


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("kind", TYPES)
def test_the_factor_is_what_the_module_multiplies_by(kind, name):
    scaling = {**YARN, **SCALINGS[name]}
    config = CONFIG_MAPPING[kind](rope_parameters={"rope_theta": 10000.0, **scaling})
    module = attention_of(kind, config)
    theirs = module.scaling / module.qk_head_dim**-0.5
    rotary = refpos.from_config({"model_type": kind, "rope_theta": 10000.0, "rope_parameters": scaling}).rotary()
    arguments = {"factor": scaling["factor"], "mscale_all_dim": scaling["mscale_all_dim"]}
    limit = error_bounds.bounds("yarn_softmax_scale", arguments, {}, "float64")["float64-logarithm"]["output"]
    assert abs(rotary.softmax_factor - theirs) <= limit + 2**-51 * theirs  # the product and the quotient are rounded
    assert (rotary.softmax_factor == 1) == (name in ("not read", "shrunk"))
