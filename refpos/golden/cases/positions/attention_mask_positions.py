"""Golden cases of positions from an attention mask."""

from ...case import listed, project, suite

OLD = project("transformers", "4.57.1", "generation/utils.py", "prepare_inputs_for_generation")
NEW = project("transformers", "5.23.0", "generation/utils.py", "_prepare_position_ids_for_generation")
value, refused = suite("attention_mask_positions", NEW)
FLAGS = ("OffByOne",)
#: a digit for each token
MASKS = (
    ("full", "no padding", ("1111",)),
    ("left", "padding on the left", ("0011", "1111")),
    ("right", "padding on the right", ("1100", "1111")),
    ("inside", "masked slots inside", ("1011", "0101")),
    ("one", "one token left", ("0001", "1000")),
    ("batch", "three rows", ("00111", "11100", "01110")),
    ("single", "a single token", ("1",)),
)


def mask(words):
    return {"attention_mask": listed(tuple(map(int, "".join(words))), shape=(len(words), len(words[0])))}


CASES = [
    *[
        value(f"{slug}-{masked}", f"{about}, masked slots {masked}", masked=masked, inputs=mask(words), flags=FLAGS,
              source=source)
        for slug, about, words in MASKS
        for masked, source in ((0, NEW), (1, OLD))
    ],
    value("past", "two slots in the cache", masked=0, past_length=2, inputs=mask(("0111", "1111")), flags=FLAGS),
    value("last", "one new token", masked=1, past_length=3, inputs=mask(("0111", "1111")), flags=FLAGS),
    refused("values", "a mask with a 2", "E_CHOICE", "attention_mask", masked=0, inputs=mask(("012",))),
    refused("floats", "a mask of floats", "E_DTYPE", "attention_mask", masked=0,
            inputs={"attention_mask": listed((1.0,), "float32", (1, 1))}),
    refused("flat", "a mask of one axis", "E_SHAPE", "attention_mask", masked=0,
            inputs={"attention_mask": listed((1, 1))}),
    refused("empty-row", "a row without a token", "E_SHAPE", "attention_mask", masked=0, inputs=mask(("11", "00"))),
    refused("past", "more slots in the cache than there are", "E_SIZE", "past_length", masked=0, past_length=3,
            inputs=mask(("11",))),
]
