"""GGUF files themselves: what gguf-py wrote is read as it is, and files that are cut or hostile are refused."""

import random
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import refpos
from refpos.errors import InputError
from refpos.tensor_files.gguf_files import NUMBERS, read_gguf

#: written by gguf 0.19.0 (GGUFWriter): heads of 16 channels, with the factors that convert_hf_to_gguf computes for
#: Llama 3.1 from base 500000 and a context of 8192
WRITTEN = Path(__file__).parent / "data" / "llama_3_1.gguf"
CODES = {code: kind for kind, code in NUMBERS.items()}


def text(value, order="<"):
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack(f"{order}Q", len(raw)) + raw


def pair(key, value, order="<", code=None):
    """A key and its value: int as uint32, float as float32, lists as arrays."""
    if isinstance(value, (str, bytes)):
        return text(key, order) + struct.pack(f"{order}I", 8) + text(value, order)
    if isinstance(value, list):
        if value and isinstance(value[0], str):
            items, kind = b"".join(text(one, order) for one in value), 8
        else:
            code = code or ("I" if all(isinstance(one, int) for one in value) else "f")
            items, kind = struct.pack(f"{order}{len(value)}{code}", *value), CODES[code]
        return text(key, order) + struct.pack(f"{order}IIQ", 9, kind, len(value)) + items
    code = code or ("?" if isinstance(value, bool) else "I" if isinstance(value, int) else "f")
    return text(key, order) + struct.pack(f"{order}I{code}", CODES[code], value)


def file(pairs, tensors=(), order="<", version=3, alignment=32):
    """The bytes of a file; tensors: (name, sizes, type, data)."""
    head = b"GGUF" + struct.pack(f"{order}IQQ", version, len(tensors), len(pairs)) + b"".join(pairs)
    data = b""
    for name, sizes, kind, values in tensors:
        data += b"\0" * (-len(data) % alignment)
        head += text(name, order) + struct.pack(f"{order}I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(data))
        data += values
    return head + b"\0" * (-len(head) % alignment) + data


LLAMA = {"embedding_length": 64, "attention.head_count": 4, "context_length": 4096, "rope.freq_base": 500000.0}


def keys(order="<", architecture="llama", **others):
    values = {f"{architecture}.{name}": value for name, value in {**LLAMA, **others}.items()}
    return [pair(name, value, order) for name, value in {"general.architecture": architecture, **values}.items()]


def written(folder, raw):
    path = folder / "model.gguf"
    path.write_bytes(raw)
    return path


def floats(values, order="<", code="f"):
    return struct.pack(f"{order}{len(values)}{code}", *values)


# -- what is read -----------------------------------------------------------------------------------------------------


def test_a_file_of_gguf_py_is_the_configuration_it_was_converted_from():
    model = refpos.from_config(WRITTEN)
    original = {
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 500000.0,
        "rope_scaling": {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
    }  # fmt: skip
    expected = refpos.from_config(original).rotary()
    # the factors are float32 in the file
    assert np.abs(model.rotary().inv_freq / expected.inv_freq - 1).max() < 2.0**-22
    assert model.rotary().pairing == "interleaved" and model.rotary().notes == ()
    assert model.used["rope_freqs.weight"] == "divides the frequencies"
    assert not any("tokenizer" in key for key in (*model.used, *model.ignored, *model.assumed, *model.unread))


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_and_byte_orders(tmp_path, order, version):
    path = written(tmp_path, file(keys(order), order=order, version=version))
    dictionary = {"general.architecture": "llama", **{f"llama.{name}": value for name, value in LLAMA.items()}}
    assert refpos.from_config(path).rotary().inv_freq.tolist() == (
        refpos.from_config(dictionary).rotary().inv_freq.tolist()
    )


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("order", "<>")
def test_every_type_of_a_value(tmp_path, kind, order):
    code = NUMBERS[kind]
    value = {"?": True, "f": 0.1, "d": 0.1}.get(code, 1 if code.isupper() else -1)
    pairs = [pair("a", value, order, code), pair("b", [value, value], order, code), pair("c", ["x", "yz"], order)]
    metadata, _ = read_gguf(written(tmp_path, file(pairs, order=order)))
    expected = float(np.float32(0.1)) if code == "f" else value
    assert metadata == {"a": expected, "b": [expected, expected], "c": ["x", "yz"]}
    assert type(metadata["a"]) is type(expected)


@pytest.mark.parametrize(("kind", "code"), [(0, "f"), (1, "e"), (28, "d")])
@pytest.mark.parametrize("order", "<>")
def test_types_of_tensors_and_alignment(tmp_path, kind, code, order):
    factors = [1.0, 1.5, 2.0, 4.0, 4.0, 8.0, 8.0, 8.0]
    tensors = [("blk.0.attn_q.weight", (3,), 0, floats([1, 2, 3], order)),
               ("rope_freqs.weight", (8,), kind, floats(factors, order, code))]  # fmt: skip
    raw = file([*keys(order), pair("general.alignment", 64, order)], tensors, order, alignment=64)
    rotary = refpos.from_config(written(tmp_path, raw)).rotary()
    plain = refpos.from_config(written(tmp_path, file(keys(order), order=order))).rotary()
    assert rotary.inv_freq.tolist() == (plain.inv_freq / factors).tolist()  # by powers of 2 and 3/2, within half a unit


@pytest.mark.parametrize(("seq_len", "scale"), [(None, 2.0), (4096, 2.0), (4097, 4.0)])
def test_the_two_sets_of_longrope(tmp_path, seq_len, scale):
    tensors = [(f"rope_factors_{name}.weight", (8,), 0, floats([factor] * 8))
               for name, factor in (("short", 2.0), ("long", 4.0))]  # fmt: skip
    model = refpos.from_config(written(tmp_path, file(keys(architecture="phi3"), tensors)), seq_len=seq_len)
    plain = refpos.from_config(written(tmp_path, file(keys(architecture="phi3")))).rotary()
    assert model.rotary().inv_freq.tolist() == (plain.inv_freq / scale).tolist()
    assert any("seq_len" in note for note in model.rotary().notes) == (seq_len is None)


def test_factors_in_another_file_of_a_split_model(tmp_path):
    first, second = (tmp_path / f"model-0000{number}-of-00002.gguf" for number in (1, 2))
    first.write_bytes(file([*keys(), pair("split.count", 2, code="H"), pair("split.no", 0, code="H")]))
    assert any("if the file holds one" in note for note in refpos.from_config(first).rotary().notes)
    second.write_bytes(file([pair("split.count", 2, code="H")], [("rope_freqs.weight", (8,), 0, floats([2.0] * 8))]))
    rotary = refpos.from_config(first).rotary()
    assert rotary.inv_freq[0] == 0.5 and not rotary.notes
    second.write_bytes(file([pair("split.count", 2, code="H")]))
    rotary = refpos.from_config(first).rotary()
    assert rotary.inv_freq[0] == 1 and not rotary.notes
    renamed = tmp_path / "model.gguf"
    renamed.write_bytes(first.read_bytes())
    assert any("if the file holds one" in note for note in refpos.from_config(renamed).rotary().notes)
    second.write_bytes(b"GGUF")
    with pytest.raises(InputError, match="header"):
        refpos.from_config(first)


def test_factors_that_the_graph_does_not_read_are_ignored(tmp_path):
    tensors = [("rope_freqs.weight", (8,), 0, floats([2.0] * 8))]
    model = refpos.from_config(written(tmp_path, file(keys(architecture="qwen2"), tensors)))
    plain = refpos.from_config(written(tmp_path, file(keys(architecture="qwen2"))))
    assert model.rotary().inv_freq.tolist() == plain.rotary().inv_freq.tolist()
    assert "graph" in model.ignored["rope_freqs.weight"]


def test_a_conversion_that_lost_its_factors_differs_from_its_source(tmp_path):
    path = written(tmp_path, file(keys()))
    assert not refpos.same_encoding(path, WRITTEN)
    assert refpos.same_encoding(WRITTEN, WRITTEN)


# -- what is refused --------------------------------------------------------------------------------------------------


def assert_refused(folder, raw, words, argument="source"):
    with pytest.raises(InputError, match=words) as caught:
        refpos.from_config(written(folder, raw))
    assert caught.value.argument == argument


def test_every_cut_is_refused(tmp_path):
    raw = WRITTEN.read_bytes()
    for length in range(4, len(raw)):
        with pytest.raises(InputError):
            refpos.from_config(written(tmp_path, raw[:length]))


def test_bytes_at_random_end_in_a_reading_or_an_error_of_refpos(tmp_path):
    raw, rng, refusals = WRITTEN.read_bytes(), random.Random(4), 0
    for _ in range(400):
        changed = bytearray(raw)
        for _ in range(rng.choice([1, 1, 2, 8])):
            changed[rng.randrange(4, len(raw))] = rng.choice([0, 255, rng.randrange(256)])
        try:
            refpos.from_config(written(tmp_path, bytes(changed)))
        except InputError:
            refusals += 1
    assert 100 < refusals < 400


HUGE = 2**62


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 2 or 3, got version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, HUGE), "whole GGUF header"),
        (b"GGUF" + struct.pack("<IQQ", 3, HUGE, 0), "whole GGUF header"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, HUGE), "whole GGUF header"),
        (file([text("a") + struct.pack("<IIQ", 9, 4, HUGE)]), "whole GGUF header"),
        (file([text("tokenizer.a") + struct.pack("<IIQ", 9, 8, HUGE)]), "whole GGUF header"),
        (file([text("a") + struct.pack("<IIQ", 9, 9, 1)]), "array of numbers or texts for 'a', got type 9"),
        (file([text("a") + struct.pack("<I", 13)]), "known type of 'a', got type 13"),
        (file([pair("a", 1), pair("a", 1)]), "each key once"),
        (file([pair(b"\xff", 1)]), "UTF-8"),
        (file([pair("a", [0] * 70_000)]), "at most 65536 numbers for 'a', got 70000"),
        (file([*keys(), pair("general.alignment", 0)]), "general.alignment from 1"),
        (file([*keys(), pair("general.alignment", "x")]), "general.alignment from 1"),
        (file([pair("split.no", 1)]), "general.architecture, as the first file"),
        (file(keys(), [("a", (1,), 0, b""), ("a", (1,), 0, b"")]), "each tensor once"),
        (file(keys(), [("a", (1,) * 9, 0, b"")]), "at most 8 dimensions, got 9"),
        (file(keys(), [("rope_freqs.weight", (8,), 2, b"")]), "float64, bfloat16, got type 2"),
        (file(keys(), [("rope_freqs.weight", (8,), 0, b"")]), "data from"),
        (file(keys(), [("rope_freqs.weight", (2**21,), 0, b"")]), "at most 1048576 elements"),
    ],
)  # fmt: skip
def test_what_no_file_holds(tmp_path, raw, words):
    assert_refused(tmp_path, raw, words)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([2.0] * 7, "a factor for each of the 8 frequencies, got 7"),
        ([0.0] * 8, "rope_freqs.weight must be greater than 0"),
        ([float("nan")] * 8, "rope_freqs.weight"),
    ],
)
def test_factors_that_divide_nothing(tmp_path, values, words):
    tensors = [("rope_freqs.weight", (len(values),), 0, floats(values))]
    assert_refused(tmp_path, file(keys(), tensors), words, "rope_freqs.weight")


def test_one_set_of_longrope_alone(tmp_path):
    raw = file(keys(architecture="phi3"), [("rope_factors_long.weight", (8,), 0, floats([2.0] * 8))])
    assert_refused(tmp_path, raw, "must hold rope_factors_short.weight", "rope_factors_short.weight")


def test_words_of_a_vocabulary_need_not_be_text(tmp_path):
    raw = text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text(b"\xff\xfe") + text("a")
    pairs = [*keys(), raw, pair("tokenizer.chat_template", b"\xff" * 70_000), pair("general.license", "x" * 70_000)]
    metadata, _ = read_gguf(written(tmp_path, file(pairs)))
    assert metadata["general.license"] is None and len(metadata) == 1 + len(keys())


def test_a_vocabulary_takes_no_memory(tmp_path):
    words = [pair("tokenizer.ggml.tokens", [f"word {n}" for n in range(100_000)])]
    path = written(tmp_path, file([*keys(), *words, pair("tokenizer.ggml.scores", [0.5] * 100_000)]))
    refpos.from_config(path)
    tracemalloc.start()
    refpos.from_config(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 2_000_000 and peak < path.stat().st_size + 6_000_000
