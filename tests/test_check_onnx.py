"""ONNX models held against their configuration: rotary nodes, caches, frequencies; files that are cut or hostile."""

import json
import random
import re
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from test_check import LLAMA, bfloat16, states, thetas, widened
from tiers import sampled

import refpos
from refpos.cli import main
from refpos.errors import InputError
from refpos.tensor_files.onnx_files import DEEPEST, list_onnx, read_onnx

#: dtype -> TensorProto.DataType
KINDS = {"float32": 1, "uint8": 2, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11, "bfloat16": 16}
PAGE = Path(__file__).parents[1] / "docs" / "check.md"
NODE = "/model/layers.{}/attn/{}_rotary/RotaryEmbedding"


# -- the wire format, written by its rules ----------------------------------------------------------------------------


def varint(value):
    value &= (1 << 64) - 1
    raw = b""
    while value > 127:
        raw += bytes([value & 127 | 128])
        value >>= 7
    return raw + bytes([value])


def field(number, value):
    """A field: an integer, a float of 4 bytes, or what has a length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def tensor(name, values, kind=None):
    """A TensorProto with raw data; kind: that of bit patterns."""
    kind = KINDS[kind or values.dtype.name]
    sizes = b"".join(field(1, size) for size in values.shape)
    return sizes + field(2, kind) + field(8, name) + field(9, values.tobytes())


def attribute(name, value):
    kind = 3 if isinstance(value, int) else 2
    return field(1, name) + field(kind, value) + field(20, {3: 2, 2: 1}[kind])


def node(operator, inputs, outputs=("y",), name="", domain="", attributes=(), **numbers):
    raw = b"".join(field(1, one) for one in inputs) + b"".join(field(2, one) for one in outputs)
    raw += field(3, name) + field(4, operator)
    raw += b"".join(field(5, one) for one in (*attributes, *(attribute(*pair) for pair in numbers.items())))
    return raw + (field(7, domain) if domain else b"")


def graph(nodes, tensors=(), outputs=()):
    raw = b"".join(field(1, one) for one in nodes) + field(2, "g") + b"".join(field(5, one) for one in tensors)
    return raw + b"".join(field(12, field(1, one)) for one in outputs)


def model(nodes=(), tensors=()):
    return field(1, 10) + field(2, "by hand") + field(7, graph(nodes, tensors)) + field(8, field(2, 23))


def written(path, *parts):
    path.write_bytes(model(*parts))
    return path


def caches(base=500000.0, count=64, width=64):
    angles = np.arange(count, dtype=np.float32)[:, None] * thetas(base, width)
    return np.cos(angles), np.sin(angles)


def tables(**options):
    cos, sin = caches(**options)
    return tensor("cos_cache", cos), tensor("sin_cache", sin)


def rotary(layers=2, domain="com.microsoft", **numbers):
    names = ("x", "position_ids", "cos_cache", "sin_cache") if domain else ("x", "cos_cache", "sin_cache", "ids")
    return [
        node("RotaryEmbedding", names, (f"y{k}{which}",), NODE.format(k, which), domain, **numbers)
        for k in range(layers)
        for which in "qk"
    ]


# -- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", ["com.microsoft", "", "ai.onnx"])
def test_right_nodes_and_caches(tmp_path, domain):
    known = "" if domain == "ai.onnx" else domain
    nodes = [one + (field(7, domain) if domain == "ai.onnx" else b"") for one in rotary(domain=known)]
    found = refpos.check(written(tmp_path / "m.onnx", nodes, tables()), LLAMA)
    assert states(found) == {
        f"{NODE.format(0, 'q')} (4 nodes RotaryEmbedding)": "right",
        "cos_cache, sin_cache": "right",
    }
    assert found.status == 0 and "pairing 'half', 64 of 64 channels" in found.findings[0].sentence


@pytest.mark.parametrize(
    "options, numbers, told",
    [
        ({"base": 10000.0}, {}, "base=10000"),
        ({}, {"interleaved": 1}, "pairing 'interleaved' for 'half'"),
        ({}, {"rotary_embedding_dim": 32}, "32 channels for 64"),
        ({}, {"scale": 0.25}, "positions multiplied by 0.25"),
        ({"width": 32}, {}, "32 channels for 64"),
    ],
)
def test_planted_defects(tmp_path, options, numbers, told):
    found = refpos.check(written(tmp_path / "m.onnx", rotary(**numbers), tables(**options)), LLAMA)
    assert found.status == 1 and any(told in one.sentence for one in found.of("differs"))


def test_caches_in_bfloat16_and_swapped(tmp_path):
    cos, sin = caches()
    bits = tensor("cos_cache", bfloat16(cos), "bfloat16"), tensor("sin_cache", bfloat16(sin), "bfloat16")
    found = refpos.check(written(tmp_path / "m.onnx", rotary(), bits), LLAMA)
    assert found.findings[1].state == "right"
    swapped = tensor("cos_cache", sin), tensor("sin_cache", cos)
    assert refpos.check(written(tmp_path / "m.onnx", rotary(), swapped), LLAMA).findings[1].state == "differs"


def attention(**numbers):
    inputs = ("q", "k", "v", "", "", "lengths", "total", "cos_cache", "sin_cache")
    return node("GroupQueryAttention", inputs, domain="com.microsoft", name="/model/layers.0/attn/G", **numbers)


def test_group_query_attention(tmp_path):
    path = written(tmp_path / "m.onnx", [attention(do_rotary=1, scale=0.125)], tables())
    assert [one.state for one in refpos.check(path, LLAMA).findings] == ["right", "right"]
    path = written(tmp_path / "m.onnx", [attention(do_rotary=1, rotary_interleaved=1)], tables())
    assert [one.state for one in refpos.check(path, LLAMA).findings] == ["differs", "right"]
    # without do_rotary its caches are tensors like others
    path = written(tmp_path / "m.onnx", [attention()], tables())
    assert states(refpos.check(path, LLAMA)) == {"cos_cache, sin_cache": "right"}


def test_caches_that_the_graph_computes(tmp_path):
    found = refpos.check(written(tmp_path / "m.onnx", rotary(1)), LLAMA)
    assert [one.state for one in found.findings] == ["right", "not described"]
    assert "computed in the graph" in found.findings[1].sentence


SHORT, LONG = [1.0 + k / 32 for k in range(32)], [4.0 + k / 8 for k in range(32)]
PHI = {
    "model_type": "phi3", "hidden_size": 128, "num_attention_heads": 2, "rope_theta": 10000.0,
    "max_position_embeddings": 256, "original_max_position_embeddings": 64,
    "rope_scaling": {"type": "longrope", "short_factor": SHORT, "long_factor": LONG},
}  # fmt: skip


def branch(name, factors, names, is_same=False):
    """A graph with the caches of these factors, as its initializers or handed on, under one name or under its own."""
    scale = np.sqrt(1 + np.log(4) / np.log(64))
    angles = np.arange(256)[:, None] * (10000.0 ** -(np.arange(32) / 32) / factors)
    tensors = [
        tensor(one, (part(angles) * scale).astype(np.float32))
        for one, part in zip(names, (np.cos, np.sin), strict=True)
    ]
    handed = [node("Identity", [one], (f"{one}_out",)) for one in names] if is_same else []
    outputs = [f"{one}_out" for one in names] if is_same else names
    return field(1, name) + field(6, graph(handed, tensors, outputs)) + field(20, 5)


def chosen(then, other, names=(("cos_long", "sin_long"), ("cos_short", "sin_short"))):
    """A model whose caches an If chooses by the length of the sequence."""
    branches = (
        branch("then_branch", then, names[0]),
        branch("else_branch", other, names[1], is_same=names[0] != names[1]),
    )
    return [node("If", ["is_long"], ("cos_cache", "sin_cache"), attributes=branches), *rotary(1)]


@pytest.mark.parametrize("names", sampled([("ab", "cd"), ("ab", "ab")], 2))
def test_caches_that_an_if_chooses_by_the_length(tmp_path, names):
    names = [[f"{letter}_cache_of" for letter in pair] for pair in names]
    found = refpos.check(written(tmp_path / "m.onnx", chosen(LONG, SHORT, names)), PHI)
    assert [one.state for one in found.findings] == ["right"] * 3 and found.status == 0
    assert sum(one.part == "text, long" for one in found.findings) == 1
    found = refpos.check(written(tmp_path / "m.onnx", chosen(SHORT, LONG, names)), PHI)
    assert [one.state for one in found.findings] == ["right"] * 3
    for factors, missing in ((SHORT, "long"), (LONG, "short")):
        found = refpos.check(written(tmp_path / "m.onnx", chosen(factors, factors, names)), PHI)
        assert found.status == 1 and f"the cache of {missing} sequences" in found.of("differs")[0].sentence
    wrong = refpos.check(written(tmp_path / "m.onnx", chosen(LONG, [2.0] * 32, names)), PHI)
    assert [one.state for one in wrong.findings] == ["right", "right", "differs"]
    assert [one.part for one in wrong.findings] == ["text", "text, long", "text"]


def test_branches_of_an_if_that_hold_no_caches(tmp_path):
    empty = [field(1, name) + field(6, graph([], [], ["cos_x", "sin_x"])) for name in ("then_branch", "else_branch")]
    nodes = [node("If", ["is_long"], ("cos_cache", "sin_cache"), attributes=empty), *rotary(1)]
    found = refpos.check(written(tmp_path / "m.onnx", nodes), PHI)
    assert [one.state for one in found.findings] == ["right", "not described", "not described"]
    # an If with one output more than its branches
    nodes = [node("If", ["is_long"], ("a", "b", "cos_cache", "sin_cache"), attributes=empty), *rotary(1)]
    assert "not described" in states(refpos.check(written(tmp_path / "m.onnx", nodes), PHI)).values()


def test_layers_with_types_of_their_own(tmp_path):
    config = {
        "model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 500000.0,
        "rope_local_base_freq": 10000.0, "layer_types": ["sliding_attention", "full_attention"],
    }  # fmt: skip
    names = ("x", "position_ids", "cos_{}", "sin_{}")
    nodes = [
        node("RotaryEmbedding", [name.format(k) for name in names], (f"y{k}",), NODE.format(k, "q"), "com.microsoft")
        for k in (0, 1)
    ]

    def held(*bases):
        return [
            tensor(f"{kind}_{k}", values)
            for k, base in enumerate(bases)
            for kind, values in zip(("cos", "sin"), caches(base), strict=True)
        ]

    right = refpos.check(written(tmp_path / "m.onnx", nodes, held(10000.0, 500000.0)), config)
    assert right.status == 0 and len(right.of("right")) == 4
    wrong = refpos.check(written(tmp_path / "m.onnx", nodes, held(500000.0, 10000.0)), config)
    assert [one.tensor for one in wrong.of("differs")] == ["cos_0, sin_0", "cos_1, sin_1"]


def nameless(each, bases):
    """Nodes without names, so many of each layer, and the caches of each layer."""
    names = ("x", "position_ids", "cos_{}", "sin_{}")
    nodes = [
        node("RotaryEmbedding", [name.format(k) for name in names], (f"y{k}_{i}",), "", "com.microsoft")
        for k in range(len(bases))
        for i in range(each)
    ]
    pairs = [
        (f"{kind}_{k}", one)
        for k, base in enumerate(bases)
        for kind, one in zip(("cos", "sin"), caches(base), strict=True)
    ]
    return nodes, [tensor(*pair) for pair in pairs]


@pytest.mark.parametrize("each", [1, 2])
def test_nodes_whose_names_name_no_layer_are_told_apart_by_their_order(tmp_path, each):
    config = {
        "model_type": "gemma3_text", "head_dim": 64, "num_hidden_layers": 3, "rope_theta": 500000.0,
        "rope_local_base_freq": 10000.0, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    }  # fmt: skip

    def found(*bases, config=config):
        return refpos.check(written(tmp_path / "m.onnx", *nameless(each, bases)), config)

    assert found(1e4, 5e5, 1e4).status == 0
    assert [one.tensor for one in found(5e5, 1e4, 1e4).of("differs")] == ["cos_0, sin_0", "cos_1, sin_1"]
    # layers without a rotation have no nodes
    bare = {"model_type": "smollm3", "hidden_size": 4096, "num_attention_heads": 64, "num_hidden_layers": 4,
            "no_rope_layers": [1, 0, 1, 1], "rope_theta": 1e4}  # fmt: skip
    assert found(1e4, 1e4, 1e4, config=bare).status == 0
    # with another number of nodes, a node may be of any layer
    assert found(5e5, 1e4, config=config).status == 0


def test_frequencies_of_initializers_and_constants(tmp_path):
    held = [tensor("model.rotary_emb.inv_freq", thetas()), tensor("w", np.ones((256, 256), np.float32))]
    assert refpos.check(written(tmp_path / "m.onnx", (), held), LLAMA).status == 0
    constant = node("Constant", (), ("val_12",), attributes=[field(1, "value") + field(5, tensor("", thetas(10000.0)))])
    inside = node("If", ["c"], ("z",), attributes=[field(1, "then_branch") + field(6, graph([constant]))])
    for nodes in ([constant], [inside]):
        found = refpos.check(written(tmp_path / "m.onnx", nodes), LLAMA)
        assert states(found) == {"val_12": "differs"} and "base=10000" in found.findings[0].sentence


@pytest.mark.parametrize("shape", [(1, 32), (1, 32, 1), (1, 1, 32), (32, 1)])
def test_frequencies_of_any_name_and_shape(tmp_path, shape):
    """Exports of torch hold (1, n, 1) below a name that says nothing."""
    for inv_freq, state in (
        (thetas(), "right"),
        (thetas(10000.0), "differs"),
        (widened(bfloat16(thetas())), "differs"),
    ):
        path = written(tmp_path / "m.onnx", (), [tensor("onnx::Expand_2", inv_freq.reshape(shape))])
        assert states(refpos.check(path, LLAMA)) == {"onnx::Expand_2": state}


def test_frequencies_that_a_constant_lists(tmp_path):
    for listed in (b"".join(field(7, float(one)) for one in thetas(10000.0)), field(7, thetas(10000.0).tobytes())):
        constant = node("Constant", (), ("inv_freq",), attributes=[field(1, "value_floats") + listed])
        assert states(refpos.check(written(tmp_path / "m.onnx", [constant]), LLAMA)) == {"inv_freq": "differs"}


def test_one_name_in_two_graphs(tmp_path):
    branches = [
        field(1, name) + field(6, graph((), [tensor("inv_freq", thetas(base))]))
        for name, base in (("then_branch", 500000.0), ("else_branch", 10000.0))
    ]
    found = refpos.check(written(tmp_path / "m.onnx", [node("If", ["c"], ("z",), attributes=branches)]), LLAMA)
    assert states(found) == {"inv_freq": "right", "inv_freq (2)": "differs"}


def test_caches_that_are_handed_on(tmp_path):
    nodes = [
        node("Identity", ("a",), ("cos_cache",)),
        node("Cast", ("b",), ("c",)),
        node("Identity", ("c",), ("sin_cache",)),
    ]
    for base, state in ((500000.0, "right"), (10000.0, "differs")):
        cos, sin = caches(base)
        path = written(tmp_path / "m.onnx", [*nodes, *rotary(1)], [tensor("a", cos), tensor("b", sin)])
        assert states(refpos.check(path, LLAMA))["a, b"] == state
    looped = [node("Identity", ("cos_cache",), ("cos_cache",)), *rotary(1)]
    assert refpos.check(written(tmp_path / "m.onnx", looped), LLAMA).findings[1].state == "not described"


def test_operators_that_rotate_and_are_not_read(tmp_path):
    others = [
        node("MRotaryEmbedding", ("x",), name="m", domain="com.microsoft"),
        node("PagedAttention", ("x",), name="p", domain="com.microsoft", do_rotary=1),
        node("PagedAttention", ("x",), name="plain", domain="com.microsoft"),
        node("Attention", ("x",), name="a"),
    ]
    found = refpos.check(written(tmp_path / "m.onnx", [*rotary(1), *others], tables()), LLAMA)
    told = [one.tensor for one in found.of("not described")]
    assert told == ["m (node MRotaryEmbedding)", "p (node PagedAttention)"] and found.status == 0
    assert "2 not described" in found.verdict


def test_a_narrow_cache_without_rotary_embedding_dim(tmp_path):
    """com.microsoft.RotaryEmbedding then takes heads of that width, and rotates them whole."""
    config = {**LLAMA, "model_type": "phi", "partial_rotary_factor": 0.5}
    for numbers, state in (({}, "differs"), ({"rotary_embedding_dim": 32}, "right")):
        path = written(tmp_path / "m.onnx", rotary(1, **numbers), tables(width=32))
        first, second = refpos.check(path, config).findings
        assert (first.state, second.state) == (state, "right")
        assert ("rotary_embedding_dim is 0" in first.sentence) == (state == "differs")


def test_a_cache_without_rows(tmp_path):
    found = refpos.check(written(tmp_path / "m.onnx", rotary(1), tables(count=0)), LLAMA)
    assert [one.state for one in found.findings] == ["right", "differs"]


def test_the_configuration_beside_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "model.onnx", rotary(), tables())
    with pytest.raises(InputError, match="config must be given"):
        refpos.check(path)
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    (command,) = re.findall(r"^(refpos check \S+\.onnx) .*$", PAGE.read_text(), re.MULTILINE)
    assert main(command.split()[1:]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.endswith("model.onnx: all 2 compared are as the configuration says")


# -- tensors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", KINDS)
def test_tensors_of_each_dtype(tmp_path, dtype):
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype("uint16" if dtype == "bfloat16" else dtype)
    path = written(tmp_path / "m.onnx", (), [tensor("t", values, dtype)])
    assert list_onnx(path)[1] == {"t": (dtype, (2, 3))}
    found = read_onnx(path, "t")
    assert found.dtype == dtype and found.values.tobytes() == values.tobytes() and found.values.shape == (2, 3)


@pytest.mark.parametrize(
    "kind, values, listed",
    [
        ("float32", [1.5, -0.25], lambda one: field(4, one)),
        ("float32", [1.5, -0.25], None),
        ("float64", [1.5, -0.25], None),
        ("int64", [5, -3], lambda one: field(7, one)),
        ("int64", [5, -3], None),
        ("int32", [5, -3], None),
        ("float16", [1.5, -0.25], None),
    ],
)
def test_numbers_that_are_listed(tmp_path, kind, values, listed):
    """Numbers outside raw_data, one field each or packed."""
    array = np.array(values, kind)
    place = {"float32": 4, "float64": 10, "int64": 7}.get(kind, 5)
    if listed:
        body = b"".join(map(listed, values))
    elif place in (4, 10):
        body = field(place, array.tobytes())
    else:
        bits = array.view(np.uint16).tolist() if kind == "float16" else values
        body = field(place, b"".join(map(varint, bits)))
    raw = field(1, varint(2)) + field(2, KINDS[kind]) + field(8, "t") + body  # the sizes packed as well
    assert read_onnx(written(tmp_path / "m.onnx", (), [raw]), "t").values.tobytes() == array.tobytes()


def external(name, count, **pairs):
    listed = b"".join(field(13, field(1, key) + field(2, str(value))) for key, value in pairs.items())
    return field(1, count) + field(2, 1) + field(8, name) + listed + field(14, 1)


def test_data_in_another_file(tmp_path):
    values = thetas()
    (tmp_path / "w.bin").write_bytes(b"1234" + values.tobytes())
    place = dict(location="w.bin", offset=4, length=values.nbytes)
    path = written(tmp_path / "m.onnx", (), [external("inv_freq", len(values), **place)])
    assert refpos.check(path, LLAMA).status == 0
    for other in (
        {"location": "../w.bin"},
        {"location": str(tmp_path / "w.bin")},
        {"location": ".."},
        {"location": ""},
        {"location": "none.bin"},
        {"offset": 8},
        {"offset": -1},
        {"offset": "9" * 30},
        {"length": 4},
    ):
        path = written(tmp_path / "m.onnx", (), [external("inv_freq", len(values), **{**place, **other})])
        assert refpos.check(path, LLAMA).findings[0].state == "unreadable"


# -- files that are cut or hostile ------------------------------------------------------------------------------------


def test_refused_files(tmp_path):
    shape = field(1, -1) + field(2, 1) + field(8, "inv_freq")
    many = b"".join(field(1, 1) for _ in range(65)) + field(2, 1) + field(8, "inv_freq")
    deep = graph([])
    for _ in range(DEEPEST + 2):
        deep = graph([node("If", [], attributes=[field(1, "then_branch") + field(6, deep)])])
    for raw, told in (
        (b"", "less than 2 bytes"),
        (b"\n\0", "0"),
        (b"onnx" * 8, "be an ONNX model"),
        (field(7, b"") * 2, "hold one graph, got 2"),
        (field(7, 5), "got 1"),
        (b"\xff" * 30, "integers of at most 10 bytes"),
        (field(7, field(1, 5)), "messages where the format says so"),
        (field(7, field(1, field(4, b"\xff\xfe"))), "names of UTF-8"),
        (field(7, varint(1 << 3 | 2) + varint(1 << 40)), "end each field"),
        (field(7, b"\x0b"), "wire types"),
        (model((), [shape]), "sizes of 0 or more"),
        (model((), [many]), "at most 64 sizes"),
        (model((), [tensor("a", thetas()), tensor("a", thetas())]), "'a' twice"),
        (field(7, deep), "nest graphs at most 32 deep"),
    ):
        path = tmp_path / "m.onnx"
        path.write_bytes(raw)
        with pytest.raises(InputError) as caught:
            refpos.check(path, LLAMA)
        assert caught.value.code == "E_FILE" and told in str(caught.value), raw[:40]


@pytest.mark.parametrize(
    "raw, told",
    [
        (field(1, 32) + field(2, 1) + field(8, "inv_freq"), "hold 128 bytes for 'inv_freq', got 0"),
        (field(1, 32) + field(2, 1) + field(8, "inv_freq") + field(9, b"1234"), "got 4"),
        (field(1, 32) + field(2, 8) + field(8, "inv_freq"), "as numbers, got TensorProto.DataType 8"),
        (field(1, 32) + field(2, 1) + field(8, "inv_freq") + field(9, 7), "messages where"),
    ],
)
def test_unreadable_tensors(tmp_path, raw, told):
    one = refpos.check(written(tmp_path / "m.onnx", (), [raw]), LLAMA).findings[0]
    assert one.state == "unreadable" and told in one.sentence


def test_huge_tensors_take_no_memory(tmp_path):
    held = [field(1, 1 << 40) + field(1, 1 << 20) + field(2, 1) + field(8, "cos_cached")]
    held.append(held[0].replace(b"cos_", b"sin_"))
    path = written(tmp_path / "m.onnx", (), held)
    tracemalloc.start()
    try:
        found = refpos.check(path, LLAMA)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.status == 2 and "elements" in found.findings[0].sentence and peak < 1 << 24


@pytest.mark.parametrize("every", sampled((40, 10), 2))
def test_each_cut_and_flipped_bits(tmp_path, every):
    """A damaged file gives an answer or an error of refpos: its tensors, and for every so many a check."""
    whole = model(rotary(1), tables(count=2))
    rng, path, refused = random.Random(7), tmp_path / "m.onnx", 0
    places = [*range(0, 420, 3), *range(len(whole) - 60, len(whole), 2)]
    damaged = [whole[:place] for place in places]
    for _ in range(150):
        raw = bytearray(whole)
        raw[rng.choice(places)] ^= 1 << rng.randrange(8)
        damaged.append(bytes(raw))
    for number, raw in enumerate(damaged):
        path.write_bytes(raw)
        try:
            for name in list_onnx(path)[1]:
                read_onnx(path, name)
            if number % every == 0:
                refpos.check(path, LLAMA)
        except InputError:
            refused += 1
    assert refused >= len(places) - 1  # the whole file is not among those that are cut
