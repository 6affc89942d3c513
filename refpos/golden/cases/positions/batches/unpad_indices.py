"""Golden cases of padded rows as packed tokens."""

from ....case import listed, project, suite

FLASH = project("flash-attention", "3c0d495", "flash_attn/bert_padding.py", "unpad_input")
value, refused = suite("unpad_indices", FLASH)
FLAGS = ("OffByOne", "PackedSequence")
#: a digit for each slot
MASKS = (
    ("full", "no padding", ("1111", "1111")),
    ("left", "padding on the left", ("0011", "0111", "1111")),
    ("right", "padding on the right", ("1100", "1110", "1111")),
    ("inside", "padding inside", ("1011", "0101")),
    ("empty-row", "a row without a token", ("0110", "0000", "1001")),
    ("nothing", "no token at all", ("00", "00")),
    ("single", "one token", ("1",)),
)


def mask(*words):
    return {"attention_mask": listed(tuple(map(int, "".join(words))), shape=(len(words), len(words[0])))}


CASES = [
    *[value(slug, about, inputs=mask(*words), flags=FLAGS) for slug, about, words in MASKS],
    value("no-slots", "rows without slots", inputs={"attention_mask": listed((), shape=(2, 0))}, flags=FLAGS),
    refused("values", "a mask with a 2", "E_CHOICE", "attention_mask", inputs=mask("012")),
    refused("flat", "a mask of one axis", "E_SHAPE", "attention_mask", inputs={"attention_mask": listed((1, 1))}),
    refused("floats", "a mask of floats", "E_DTYPE", "attention_mask",
            inputs={"attention_mask": listed((1.0,), "float32", (1, 1))}),
]  # fmt: skip
