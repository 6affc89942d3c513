"""`refpos check` of ONNX models that onnx wrote and torch exported."""

import numpy as np
import onnx
import pytest
import torch
from onnx import helper, numpy_helper
from transformers import BertConfig, BertModel, LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

import refpos
from refpos.tensor_files.onnx_files import TYPES, list_onnx, read_onnx

SMALL = dict(hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=32)


class Rotation(torch.nn.Module):
    """The rotary part of a Llama, applied to one query."""

    def __init__(self, config):
        super().__init__()
        self.rotary_emb = LlamaRotaryEmbedding(config)

    def forward(self, q, position_ids):
        return apply_rotary_pos_emb(q, q, *self.rotary_emb(q, position_ids))[0]


class Encoder(torch.nn.Module):
    """A BERT that takes input ids alone."""

    def __init__(self, config):
        super().__init__()
        self.bert = BertModel(config)

    def forward(self, input_ids):
        return self.bert(input_ids=input_ids)[0]


def exported(module, arguments, path):
    torch.onnx.export(module.eval(), arguments, str(path), dynamo=False, opset_version=18)
    onnx.checker.check_model(str(path))
    return path


def llama(tmp_path, **options):
    config = LlamaConfig(**SMALL, **options)
    arguments = torch.ones(1, 4, 6, config.hidden_size // config.num_attention_heads), torch.arange(6)[None]
    return exported(Rotation(config), arguments, tmp_path / "m.onnx"), config.to_dict()


@pytest.mark.parametrize(
    "parameters",
    [
        {"rope_type": "default", "rope_theta": 500000.0},
        {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0},
        {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "original_max_position_embeddings": 512},
    ],
)
def test_frequencies_that_torch_exports(tmp_path, parameters):
    path, config = llama(tmp_path, rope_parameters=parameters)
    found = refpos.check(path, config)
    assert found.status == 0 and len(found.of("right")) == 1
    config["rope_parameters"] = {"rope_type": "default", "rope_theta": 12345.0}
    assert refpos.check(path, config).status == 1


def test_learned_table_that_torch_exports(tmp_path):
    config = BertConfig(**SMALL, attn_implementation="eager")
    path = exported(Encoder(config), (torch.ones(1, 6, dtype=torch.int64),), tmp_path / "m.onnx")
    found = refpos.check(path, config.to_dict())
    assert found.status == 0 and [one.state for one in found.findings] == ["fits"]
    assert refpos.check(path, {**config.to_dict(), "max_position_embeddings": 500}).status == 1


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("kind", sorted(TYPES))
def test_tensors_that_onnx_writes(tmp_path, kind, outside):
    values = np.arange(6).reshape(2, 3) % 2
    array = values.astype(helper.tensor_dtype_to_np_dtype(kind))
    made = numpy_helper.from_array(array, "t")
    listed = helper.make_tensor("listed", kind, values.shape, array.ravel().tolist())
    model = helper.make_model(helper.make_graph([], "g", [], [], [made, listed]))
    options = dict(save_as_external_data=True, location="w.bin", size_threshold=0) if outside else {}
    onnx.save(model, tmp_path / "m.onnx", **options)
    assert list_onnx(tmp_path / "m.onnx")[1] == dict.fromkeys(("t", "listed"), (TYPES[kind][0], (2, 3)))
    for name in ("t", "listed"):
        assert read_onnx(tmp_path / "m.onnx", name).values.tobytes() == array.tobytes()


def test_rotary_nodes_that_onnx_writes(tmp_path):
    angles = np.arange(32, dtype=np.float32)[:, None] * refpos.inverse_frequencies(16).rounded("float32")
    held = [numpy_helper.from_array(np.cos(angles), "cos"), numpy_helper.from_array(np.sin(angles), "sin")]
    for domain, inputs in (("", ["x", "cos", "sin", "ids"]), ("com.microsoft", ["x", "ids", "cos", "sin"])):
        for interleaved, state in ((0, "right"), (1, "differs")):
            node = helper.make_node("RotaryEmbedding", inputs, ["y"], domain=domain, interleaved=interleaved, name="r")
            onnx.save(helper.make_model(helper.make_graph([node], "g", [], [], held)), tmp_path / "m.onnx")
            found = refpos.check(tmp_path / "m.onnx", LlamaConfig(**SMALL).to_dict())
            assert [one.state for one in found.findings] == [state, "right"]
