"""Rope parameters and widths that are null or empty, which some classes take for missing ones and others fail at.

Every rotary module of transformers is built from a file with such a key, beside the type alone and beside all other
keys of its class. refpos must read the same frequencies, or refuse the file where the module cannot be built.
"""

import pytest

from . import test_config
from .test_config_random_keys import ours, same, theirs

EMPTY = {
    "rope_scaling {}": {"rope_scaling": {}},
    "rope_scaling null": {"rope_scaling": None},
    "rope_parameters {}": {"rope_parameters": {}},
    "rope_parameters null": {"rope_parameters": None},
    "both {}": {"rope_scaling": {}, "rope_parameters": {}},
    "rope_scaling {}, a base": {"rope_scaling": {}, "rope_theta": 5e5},
    "rope_scaling null, a base": {"rope_scaling": None, "rope_theta": 5e5},
    "rope_parameters {}, a base": {"rope_parameters": {}, "rope_theta": 5e5},
    "head_dim null": {"head_dim": None},
}
TABLE = "the module is built, and its table does not fit the heads that the model rotates"
NUMBER = "the module is built, and the attention fails at null"
#: files that refpos refuses although the rotary module can be built, and why the model does not run
ONLY_THE_MODULE = {
    "head_dim null": {"axk1": TABLE, "deepseek_v3": TABLE, "youtu": TABLE, "paddleocr_vl_text": TABLE,
                      "glm4_moe_lite": NUMBER, "jetmoe": NUMBER, "zamba2": NUMBER},
    "rope_parameters {}": {"mistral4": TABLE},
    "rope_parameters {}, a base": {"mistral4": TABLE},
    "both {}": {"mistral4": TABLE},
}  # fmt: skip
#: the class of Falcon refuses head_dim whatever it holds; refpos reads such files, which name no other width
UNREADABLE = {"head_dim null": {"falcon"}}


def modules():
    """The modules along one axis whose tables are compared elsewhere."""
    for found in test_config.found_modules():
        apart = found.kind in test_config.MEASURED or found.name in test_config.NO_TABLE
        if not apart and not test_config.is_axial(found.kind):
            yield found


def verdict(found, values):
    """Whether both read a file, none, or one of them."""
    module, mine = theirs(found, dict(values)), ours(found, dict(values))
    if module is None or mine is None:
        return "refused" if module is mine else "refpos alone" if module is None else "transformers alone"
    rotaries = mine[0]
    labels = {label: label or next(iter(rotaries)) for label in module}
    right = all(name in rotaries and same(module[label], rotaries[name]) for label, name in labels.items())
    return "right" if right else "wrong"


#: a base beside all keys would contradict the one among them
CASES = [(name, whole) for name in EMPTY for whole in (False, True) if not (whole and "a base" in name)]


@pytest.mark.parametrize("name, whole", CASES)
def test_null_and_empty_keys_are_read_as_transformers_reads_them(name, whole):
    verdicts = {}
    for found in modules():
        values = test_config.written(found, found.config()) if whole else {"model_type": found.kind}
        values = test_config.switched(found.kind, {**values, **EMPTY[name]})
        verdicts.setdefault(verdict(found, values), set()).add(found.kind)
    assert not verdicts.get("wrong"), verdicts["wrong"]
    assert verdicts.get("refpos alone", set()) <= UNREADABLE.get(name, set())
    assert verdicts.get("transformers alone", set()) <= {*ONLY_THE_MODULE.get(name, ())}
    if not whole:  # nothing is excused that is read alike
        assert verdicts.get("transformers alone", set()) == {*ONLY_THE_MODULE.get(name, ())}
    assert len(verdicts["right"]) > (100 if "head_dim" in name else 150), {one: len(verdicts[one]) for one in verdicts}
