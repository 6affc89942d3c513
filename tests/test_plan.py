"""`plan`: each step has the bits and the errors of the direct call, at every length, and makes nothing twice."""

import pickle
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from test_config_encodings import inputs_of

import refpos
from refpos import InputError, from_config, kernels
from refpos.configs import model_defaults
from refpos.configs.decoding import plan as plan_module
from refpos.configs.decoding.bias_call import bias_call, is_bias
from refpos.configs.decoding.by_length import ByLength
from refpos.configs.encodings import encoding_rows
from refpos.steps.waves import fast_path

COMPILED = hasattr(kernels.active, "rotate_small")
#: model types that differ in what a step has to know: layers, bases, axes, placement, order and width of the channels
CHOSEN = """
    llama mistral qwen2 qwen3 phi3 gpt_neox gptj codegen cohere cohere2 stablelm persimmon olmo2 falcon gpt_oss granite
    gemma gemma2 gemma3_text gemma4_text modernbert llama4_text smollm3 exaone4 deepseek_v2 deepseek_v3 deepseek_v4
    qwen2_vl_text qwen2_5_vl_text qwen3_vl_text qwen3_5_text glm4v_text dinov3_vit gemma4_vision neomme lfm3_vl_vision
    pixtral glm4 chatglm baichuan nanochat
""".split()


def minimal(kind):
    """The smallest file of a type that can be read, or None."""
    for more in ({}, {"head_dim": 64}, {"hidden_size": 4096}, {"pad_token_id": 1}):
        values = {"model_type": kind, **more}
        try:
            if from_config(values).parts:
                return values
        except InputError:
            continue
    return None


READABLE = {kind: values for kind in model_defaults.rows() if (values := minimal(kind)) is not None}


def layers_of(part):
    """Layers by number and by name, with the type of each; None has none."""
    named = [(name, name) for name in part.rotaries]
    numbered = [(part.layers.index(kind), kind) for kind in dict.fromkeys(part.layers)]
    alike = [(11, named[0][1]), (None, named[0][1])] if len(named) == 1 and not part.layers else []
    return [*named, *numbered, *alike]


def positions_of(rotary, rng, count):
    """Positions of one token or more as steps give them: with axes a row for each, all alike and not."""
    axes = rotary.frequencies.axes
    if axes is None:
        row = rng.integers(0, 2**17, count)
        return [row.tolist(), row, row.astype(np.float64), count]
    number = max(axes) + 1
    rows = rng.integers(0, 2**12, (number, count))
    same = np.repeat(rows[:1], number, 0)
    return [rows, same, same.tolist(), same.astype(np.float32), [row.tolist() for row in rows]]


def same_arrays(one, other):
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    return one.tobytes() == other.tobytes()


def compared(values, rng, kinds):
    """Compare every layer of a model with the calls of `from_config`; how many arrays were compared."""
    planned, model, compared = refpos.plan(values), from_config(values), 0
    for name, part in model.parts.items():
        for layer, kind in layers_of(part):
            where = {"part": name} if len(model.parts) > 1 or rng.random() < 0.5 else {}
            if kind is None:
                continue
            rotary = part.rotaries[kind]
            for dtype, count in zip(kinds, (1, 3), strict=True):
                q = rng.standard_normal((1, 4, count, rotary.head_dim)).astype(dtype)
                k = q[:, :2] + q[:, 2:]
                for positions in positions_of(rotary, rng, count):
                    turned = planned.rotate(q, k, positions, layer, **where)
                    for x, result in zip((q, k), turned, strict=True):
                        assert same_arrays(result, rotary.rotate(x, positions)), (values, layer, positions)
                    tables = planned.table(positions, layer, dtype="float32", **where)
                    for x, result in zip(rotary.table(positions, dtype="float32"), tables, strict=True):
                        assert same_arrays(result, x)
                    compared += 4
    return compared


@pytest.mark.parametrize("kind", CHOSEN)
def test_every_step_has_the_bits_of_the_direct_call(kind):
    assert len(CHOSEN) >= 30
    rng = np.random.default_rng(27)
    assert compared(READABLE[kind], rng, ("float32", ml_dtypes.bfloat16)) >= 32


@pytest.mark.exhaustive
def test_every_model_type_has_the_bits_of_the_direct_call():
    assert len(READABLE) > 250
    rng, kinds = np.random.default_rng(28), ("float64", "float16")
    for values in READABLE.values():
        assert compared(values, rng, kinds) >= 32


# -- layers -----------------------------------------------------------------------------------------------------------


def test_layers_without_a_rotation_return_what_they_are_given():
    planned, q, k = refpos.plan({"model_type": "smollm3"}), np.ones((4, 1, 128)), np.ones((2, 1, 128))
    assert planned.model.parts["text"].without_rope[:2] == (3, 7)
    for layer in planned.model.parts["text"].without_rope:
        assert [one is x for one, x in zip(planned.rotate(q, k, [5], layer), (q, k), strict=True)] == [True, True]
        assert planned.rotate(q.tolist(), k, [5], layer)[0].tolist() == q.tolist()
        with pytest.raises(InputError, match=f"^layer must be one with a rotation, got {layer}$"):
            planned.table([5], layer)
    assert not same_arrays(planned.rotate(q, k, [5], 0)[0], q)


def test_a_model_without_any_rotation_needs_no_layer():
    planned = refpos.plan({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [0, 0]})
    assert planned.model.parts["text"].layers == (None, None)
    assert [planned.rotate(ONES, ONES, [5], layer)[0] is ONES for layer in (None, 0, 1)] == [True] * 3


def test_layer_types_without_numbers_are_named():
    """No configuration has such a part by now."""
    one = from_config({"model_type": "gemma3_text"}).parts["text"]
    part = replace(one, layers=())
    for layer in (None, 3):
        with pytest.raises(InputError, match=f"^layer must be one of [a-z_]+, [a-z_]+, got {layer}$"):
            plan_module._type_of_layer(part, layer)
    assert plan_module._type_of_layer(part, "full_attention") == "full_attention"
    assert plan_module._type_of_layer(replace(one, rotaries={"all": None}, layers=()), 3) == "all"


def test_local_and_global_layers_have_their_own_base():
    planned, q = refpos.plan({"model_type": "gemma3_text"}), np.ones((4, 1, 256), np.float32)
    kinds = planned.model.parts["text"].layers
    turned = {layer: planned.rotate(q, q, [4096], layer)[0].tobytes() for layer in range(len(kinds))}
    assert len({*turned.values()}) == 2 and len(turned) == 26
    assert all((turned[layer] == turned[5]) == (kind == "full_attention") for layer, kind in enumerate(kinds))


ONES = np.ones((4, 1, 128), np.float32)
WRONG_LAYERS = {
    "no layer where they differ": ("smollm3", {}, "E_MISSING", "layer must be a number or one of all, got None"),
    "no layer of two bases": ("gemma3_text", {}, "E_MISSING", "layer must be a number or one of "),
    "too large": ("smollm3", {"layer": 36}, "E_SIZE", "layer must be at most 35, got 36"),
    "negative": ("smollm3", {"layer": -1}, "E_SIZE", "layer must be at least 0, got -1"),
    "true": ("llama", {"layer": True}, "E_SIZE", "layer must be an integer, got True"),
    "a float": ("llama", {"layer": 1.0}, "E_SIZE", "layer must be an integer, got 1.0"),
    "a list": ("llama", {"layer": [1]}, "E_SIZE", "layer must be an integer, got [1]"),
    "an unknown type": ("llama", {"layer": "full"}, "E_CHOICE", "layer must be one of 'all', got 'full'"),
    "an unknown part": ("llama", {"part": "vision"}, "E_CHOICE", "part must be one of 'text', got 'vision'"),
    "a part that is a list": ("llama", {"part": ["text"]}, "E_CHOICE", "part must be one of 'text', got ['text']"),
    "no length": ("llama", {"seq_len": 0}, "E_SIZE", "seq_len must be at least 1, got 0"),
    "half a length": ("llama", {"seq_len": 0.5}, "E_SIZE", "seq_len must be an integer, got 0.5"),
    "no rotation": ("bloom", {}, "E_MISSING", "model_type must be one with a rotary encoding, got bloom"),
}


@pytest.mark.parametrize("name", WRONG_LAYERS)
def test_wrong_layers_parts_and_lengths_are_refused(name):
    kind, options, code, sentence = WRONG_LAYERS[name]
    planned = refpos.plan({"model_type": kind, "head_dim": 128})
    if kind == "llama":
        planned.rotate(ONES, ONES, [5], 1)  # a number that equals True and 1.0
    for _ in range(2):
        for call in (lambda: planned.rotate(ONES, ONES, [5], **options), lambda: planned.table([5], **options)):
            with pytest.raises(InputError) as error:
                call()
            assert error.value.code == code and str(error.value).startswith(sentence)


def test_numbers_of_numpy_name_layers():
    planned = refpos.plan({"model_type": "smollm3", "head_dim": 128})
    assert planned.rotate(ONES, ONES, [5], np.int64(3))[0] is ONES
    assert not same_arrays(planned.rotate(ONES, ONES, [5], np.int64(4))[0], ONES)


# -- errors -----------------------------------------------------------------------------------------------------------

WRONG = {
    "channels": {"x": np.ones((4, 1, 64), np.float32)},
    "more channels": {"x": np.ones((4, 1, 256), np.float32)},
    "no axis": {"x": np.float32(1)},
    "integers": {"x": np.ones((4, 1, 128), np.int32)},
    "a list of words": {"x": ["a"]},
    "two positions": {"positions": [5, 6]},
    "a position beyond 2**53": {"positions": [2**53 + 1]},
    "true": {"positions": [True]},
    "NaN as a position": {"positions": [np.nan]},
    "None": {"positions": None},
    "the channel axis": {"seq_axis": -1},
    "an axis that is not there": {"seq_axis": -4},
    "bfloat16 of floats": {"dtype": "bfloat16"},
    "no threads": {"threads": 0},
    "true as threads": {"threads": True},
}
WRONG_AXES = {
    "one row": {"positions": [[5]]},
    "two rows": {"positions": [[5], [5]]},
    "true in a row": {"positions": [[1], [True], [1]]},
    "true in all rows": {"positions": [[True], [True], [True]]},
    "rows of two": {"positions": [[5, 6]] * 3},
    "rows that differ in length": {"positions": [[5], [5, 6], [5]]},
    "a position beyond 2**53": {"positions": [[2**53 + 1]] * 3},
    "no tokens": {"positions": np.full((3, 0), 5)},
}


@pytest.mark.parametrize("kind", ["llama", "deepseek_v3", "qwen2_vl_text"])
def test_errors_are_those_of_the_direct_call(kind):
    planned, rotary = refpos.plan({"model_type": kind}), from_config({"model_type": kind}).rotary()
    cases = {f"axes: {name}": one for name, one in WRONG_AXES.items()} if kind == "qwen2_vl_text" else {}
    usual = {"x": np.ones((4, 1, rotary.head_dim), np.float32), "positions": [[5]] * 3 if cases else [5]}
    for name, changes in {**WRONG, **cases}.items():
        options = {**usual, **changes}
        x, positions, said = options.pop("x"), options.pop("positions"), []
        for call in (lambda: planned.rotate(usual["x"], x, positions, **options),
                     lambda: planned.rotate(x, usual["x"], positions, **options),
                     lambda: rotary.rotate(x, positions, **options)):  # fmt: skip
            with pytest.raises((ValueError, TypeError)) as error:
                call()
            said.append((type(error.value), error.value.code, str(error.value)))
        assert said[0] == said[1] == said[2], name


def test_what_from_config_refuses_plan_refuses():
    for values in ({}, {"model_type": "no such type"}, {"model_type": "llama", "rope_theta": -1.0}, 5):
        said = []
        for call in (from_config, refpos.plan):
            with pytest.raises((ValueError, TypeError)) as error:
                call(values)
            said.append((type(error.value), str(error.value)))
        assert said[0] == said[1]


# -- lengths ----------------------------------------------------------------------------------------------------------

LISTS = {"short_factor": [1.0 + i / 10 for i in range(32)], "long_factor": [2.0 + i / 7 for i in range(32)]}
OF_LENGTH = {
    "dynamic": {"model_type": "llama", "head_dim": 64, "max_position_embeddings": 100,
                "rope_scaling": {"type": "dynamic", "factor": 4.0}},
    "longrope": {"model_type": "phi3", "head_dim": 64, "original_max_position_embeddings": 100,
                 "max_position_embeddings": 800, "rope_scaling": {"type": "longrope", **LISTS}},
    "phimoe": {"model_type": "phimoe", "head_dim": 64, "original_max_position_embeddings": 100,
               "max_position_embeddings": 800, "rope_scaling": {"type": "longrope", **LISTS, "short_mscale": 1.1,
                                                                "long_mscale": 1.2}},
    "doublings": {"model_type": "qwen", "seq_length": 100, "use_dynamic_ntk": True, "hidden_size": 4096,
                  "num_attention_heads": 64, "kv_channels": 64},
    "factors of GGUF": {"general.architecture": "phi3", "phi3.embedding_length": 256, "phi3.attention.head_count": 4,
                        "phi3.context_length": 800, "phi3.rope.scaling.original_context_length": 100,
                        "phi3.rope.dimension_count": 64,
                        "rope_factors_short.weight": LISTS["short_factor"],
                        "rope_factors_long.weight": LISTS["long_factor"]},
}  # fmt: skip
THRESHOLDS = [1, 2, 99, 100, 101, 102, 199, 200, 201, 202, 400, 401, 800, 801, 2**30 - 1, 2**30, 2**30 + 1, 2**31]


@pytest.mark.parametrize("order", ["up", "down", "mixed"])
@pytest.mark.parametrize("name", OF_LENGTH)
def test_the_scaling_is_that_of_the_length_of_each_step(name, order):
    """However the lengths follow each other, as of several sequences in turn."""
    values, x = OF_LENGTH[name], np.random.default_rng(1).standard_normal((2, 1, 64)).astype(np.float32)
    planned, lengths = refpos.plan(values), list(THRESHOLDS)
    if order == "mixed":
        lengths = np.random.default_rng(2).permutation([*lengths, *lengths]).tolist()
    seen = set()
    for length in lengths[:: -1 if order == "down" else 1]:
        direct = from_config(values, seq_len=length).rotary().rotate(x, [99])
        seen.add(direct.tobytes())
        assert same_arrays(planned.rotate(x, x, [99], seq_len=length)[0], direct), length
        table = from_config(values, seq_len=length).rotary().table([99])
        assert all(map(same_arrays, planned.table([99], seq_len=length), table)), length
    assert len(seen) >= 2


@pytest.mark.parametrize("name", OF_LENGTH)
def test_a_length_that_is_not_given_is_refused(name):
    planned, x = refpos.plan(OF_LENGTH[name]), np.ones((2, 1, 64), np.float32)
    for call in (lambda: planned.rotate(x, x, [5]), lambda: planned.table([5])):
        with pytest.raises(InputError, match=r"^seq_len must be given where the scaling depends on it, got None$"):
            call()


def test_only_layers_whose_scaling_depends_on_it_need_a_length():
    scaled = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 1e6}
    values = {"model_type": "gemma3_text", "head_dim": 128, "max_position_embeddings": 100,
              "rope_parameters": {"full_attention": scaled,
                                  "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}}  # fmt: skip
    planned = refpos.plan(values)
    assert same_arrays(planned.rotate(ONES, ONES, [5], 0)[0], planned.rotate(ONES, ONES, [5], 0, seq_len=500)[0])
    with pytest.raises(InputError, match=r"^seq_len must be given"):
        planned.rotate(ONES, ONES, [5], "full_attention")
    at = [planned.rotate(ONES, ONES, [5], 5, seq_len=length)[0] for length in (100, 500)]
    assert not same_arrays(*at)


def test_a_length_that_a_file_has_no_factors_for_is_refused_at_that_length():
    values = {name: one for name, one in OF_LENGTH["factors of GGUF"].items() if name != "rope_factors_long.weight"}
    planned, x = refpos.plan(values), np.ones((2, 1, 64), np.float32)
    rotated = planned.rotate(x, x, [5], seq_len=100)[0]
    assert same_arrays(rotated, from_config(values, seq_len=100).rotary().rotate(x, [5]))
    for call in (lambda: planned.rotate(x, x, [5], seq_len=101), lambda: from_config(values, seq_len=101)):
        with pytest.raises(InputError, match=r"^source must hold rope_factors_long\.weight"):
            call()


# -- what is made once ------------------------------------------------------------------------------------------------


@pytest.fixture
def readings(monkeypatch):
    """The lengths at which a configuration was read."""
    lengths = []

    def recorded(values, *, seq_len, model_type):
        lengths.append(seq_len)
        return from_config(values, seq_len=seq_len, model_type=model_type)

    monkeypatch.setattr(plan_module, "from_config", recorded)
    return lengths


def test_a_plan_of_a_fixed_scaling_reads_the_file_twice(readings):
    planned = refpos.plan({"model_type": "gemma3_text", "head_dim": 128})
    for step in range(50):
        for layer in range(26):
            planned.rotate(ONES, ONES, [step], layer, seq_len=step + 1)
    assert readings == [None, 2**30]


def test_a_plan_of_longrope_reads_the_file_only_where_the_list_changes(readings):
    planned, x = refpos.plan(OF_LENGTH["longrope"]), np.ones((2, 1, 64), np.float32)
    for step in range(300):
        planned.rotate(x, x, [step], seq_len=step + 1)
    made, readings[:] = len(readings), []
    assert 4 < made < 60
    for step in (0, 299, 50, 100, 99):  # several sequences in turn
        planned.rotate(x, x, [step], seq_len=step + 1)
    assert readings == []


def test_a_plan_of_dynamic_scaling_reads_the_file_once_for_each_length(readings):
    planned, x = refpos.plan(OF_LENGTH["dynamic"]), np.ones((2, 1, 64), np.float32)
    planned.rotate(x, x, [0], seq_len=1)
    readings.clear()
    for step in range(1, 200):
        planned.rotate(x, x, [step], seq_len=step + 1)
    assert len(readings) == len({*readings}) and {*range(102, 202)} <= {*readings} <= {*range(101, 202)}
    readings.clear()
    for short in range(1, 100):
        planned.rotate(x, x, [0], seq_len=short)  # what holds for many lengths is not dropped for those of one
    assert readings == []


def test_ranges_of_lengths_are_few():
    lengths = ByLength(lambda length: type("Made", (), {"frequencies": refpos.ntk(4, factor=float(length))})())
    for length in range(1, 40):
        lengths.at(length)
    assert len(lengths._known) == 8 and [len(one[0]) for one in lengths._known] == [1] * 8


@pytest.mark.parametrize("kind, positions", [
    ("llama", [5]), ("llama", np.array([5])), ("qwen2_vl_text", [[5]] * 3), ("qwen2_vl_text", np.full((3, 1), 5)),
])  # fmt: skip
def test_a_step_of_decoding_goes_the_short_way(kind, positions, monkeypatch):
    given, way = [], fast_path.rotate
    monkeypatch.setattr(fast_path, "rotate", lambda *arguments: given.append(way(*arguments)) or given[-1])
    turned = refpos.plan({"model_type": kind, "head_dim": 128}).rotate(ONES, ONES, positions, 0)
    taken = [one for one in given if one is not None]
    assert len(taken) == 2 * COMPILED and all(one is x for one, x in zip(taken, turned, strict=COMPILED))


def test_a_change_of_the_source_changes_no_plan():
    values = {"model_type": "llama", "head_dim": 64, "max_position_embeddings": 100,
              "rope_scaling": {"type": "dynamic", "factor": 4.0}}  # fmt: skip
    planned, x = refpos.plan(values), np.ones((2, 1, 64), np.float32)
    values["rope_scaling"]["factor"] = 8.0
    expected = from_config(OF_LENGTH["dynamic"], seq_len=200).rotary().rotate(x, [5])
    assert same_arrays(planned.rotate(x, x, [5], seq_len=200)[0], expected)


def test_a_plan_is_pickled_by_the_call_that_makes_it():
    planned = pickle.loads(pickle.dumps(refpos.plan(OF_LENGTH["dynamic"], model_type="mistral")))
    x = np.ones((2, 1, 64), np.float32)
    assert planned.model.model_type == "mistral"
    assert same_arrays(planned.rotate(x, x, [5], seq_len=3)[0], planned.model.rotary().rotate(x, [5]))


# -- biases -----------------------------------------------------------------------------------------------------------

LENGTHS = ((1, 1), (1, 7), (3, 5), (4, 4), (0, 3))


def biased():
    """{model type: its encodings that are biases of lengths}."""
    found = {}
    for kind in encoding_rows.rows():
        values = {"model_type": kind, **({"hidden_size": 5120} if kind == "baichuan" else {})}
        values |= {"falcon": {"alibi": True}}.get(kind, {})
        try:
            model = from_config(values)
        except InputError:
            continue
        if biases := [one for one in model.encodings if is_bias(one)]:
            found[kind] = values, biases
    return found


BIASED = biased()


@pytest.mark.parametrize("kind", BIASED)
def test_every_bias_has_the_bits_of_its_call(kind):
    values, biases = BIASED[kind]
    planned = refpos.plan(values)
    assert len({one.part for one in biases}) == len(biases)
    for one in biases:
        given = {"weight": inputs_of(one)["weight"]} if "weight" in one.inputs else {}
        for query_len, key_len in LENGTHS:
            lengths = {"query_len": query_len, "key_len": key_len}
            direct = eval(one.call, {"refpos": refpos}, {**given, **lengths})
            assert same_arrays(planned.bias(query_len, key_len, part=one.part, **given), direct)


def test_which_models_have_a_bias():
    assert {"bloom", "mpt", "falcon", "baichuan", "t5", "mt5", "umt5", "mpnet"} <= {*BIASED} and len(BIASED) > 15
    assert not {"wavlm", "xlnet", "deberta", "swin", "llama"} & {*BIASED}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("kind", ["bloom", "mpt", "baichuan"])
def test_rows_of_alibi_that_are_kept_have_the_bits_of_the_call(kind, dtype, monkeypatch):
    """Of each anchor, whatever lengths came before; the function is called where a row becomes twice as long."""
    values, (one,) = BIASED[kind]
    planned, code = refpos.plan(values), one.call.removesuffix(")") + ", dtype=dtype)"
    for key_len in (5, 3, 11, 10, 4, 1, 300, 40, 299):
        direct = eval(code, {"refpos": refpos}, {"key_len": key_len, "dtype": dtype})
        row = planned.bias(1, key_len, dtype=dtype)
        assert same_arrays(row, direct) and row.flags.c_contiguous and row.flags.writeable
        row[...] = 7  # which is the caller's
    assert len(np.unique(direct)) > 100
    monkeypatch.setattr(np, "empty", None)  # what a call of the function needs
    assert planned.bias(1, 600, dtype=dtype).shape[-1] == 600


def test_rows_of_alibi_with_another_anchor_are_those_of_the_call():
    one = from_config({"model_type": "mpt"}).encoding()
    for anchor in ("key", "last"):
        call = bias_call(replace(one, call=one.call.removesuffix(")") + f', anchor="{anchor}")'))
        for key_len in (3, 9, 5):
            direct = refpos.alibi(16, 1, key_len, mode="linear", anchor=anchor)
            assert same_arrays(call({"key_len": key_len}, {}), direct)


def test_options_of_alibi_are_those_of_the_call():
    planned, direct = refpos.plan({"model_type": "bloom"}), from_config({"model_type": "bloom"}).encoding()
    assert planned.bias(1, 9, dtype="float32").dtype == np.float32
    assert same_arrays(planned.bias(1, 9), eval(direct.call, {"refpos": refpos}, {"key_len": 9}))
    out = np.empty((8, 1, 9), np.float32)
    assert planned.bias(1, 9, dtype="float32", out=out) is out and not planned.bias(1, 9, view=True).flags.writeable
    scaled = eval(direct.call.removesuffix(")") + ", head_dim=3)", {"refpos": refpos}, {"key_len": 9})
    assert same_arrays(planned.bias(1, 9, head_dim=3), scaled)
    for key_len in (0, np.int64(7), True, -1, 2**70):
        said = []
        for call in (lambda n: planned.bias(1, n), lambda n: refpos.alibi(8, 1, n, mode="linear", query_offset=0)):
            try:
                said.append(call(key_len).tobytes())
            except refpos.InputError as error:
                said.append((error.code, str(error)))
        assert said[0] == said[1]


def test_a_step_of_t5_has_the_row_of_its_query():
    planned, weight = refpos.plan({"model_type": "t5"}), np.random.default_rng(3).standard_normal((32, 8))
    whole = planned.bias(20, 20, weight=weight, part="decoder")
    for step in range(20):
        row = planned.bias(1, step + 1, weight=weight, part="decoder", query_offset=step)
        assert row.shape == (8, 1, step + 1) and (row == whole[:, step : step + 1, : step + 1]).all()
    assert len(np.unique(whole)) > 100


WRONG_BIASES = {
    "no bias": ("llama", {}, "E_MISSING", "model_type must be one with a bias of lengths alone, got llama"),
    "no part": ("t5", {}, "E_MISSING", "part must be one of "),
    "an unknown part": ("bloom", {"part": "vision"}, "E_CHOICE", "part must be one of 'text', got 'vision'"),
    "a weight of ALiBi": ("bloom", {"weight": [1.0]}, "E_CHOICE", "weight must be None without learned numbers"),
    "no weight": ("t5", {"part": "decoder"}, "E_DTYPE", "weight must "),
    "queries": ("bloom", {"query_len": -1}, "E_SIZE", "query_len must be at least 0, got -1"),
    "keys": ("bloom", {"key_len": 1.5}, "E_SIZE", "key_len must be an integer, got 1.5"),
    "dtype": ("bloom", {"dtype": "float63"}, "E_DTYPE", "dtype must be "),
}


@pytest.mark.parametrize("name", WRONG_BIASES)
def test_wrong_biases_are_refused(name):
    kind, changes, code, sentence = WRONG_BIASES[name]
    with pytest.raises((ValueError, TypeError)) as error:
        refpos.plan({"model_type": kind}).bias(**{"query_len": 1, "key_len": 3, **changes})
    assert error.value.code == code and str(error.value).startswith(sentence)
