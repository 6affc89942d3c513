"""Golden cases of the blocks of LongT5."""

from ...case import listed, project, suite

LONGT5 = project("transformers", "5.23.0", "models/longt5/modeling_longt5.py", "_make_global_fixed_block_ids")
value, refused = suite("global_block_ids", LONGT5)


def _mask(*words):
    digits = tuple(map(int, "".join(words)))
    return {"mask": listed(digits, shape=(len(words), len(words[0])))}


CASES = [
    value(slug, about, block_size=size, inputs=_mask(*words), flags=("OffByOne",))
    for slug, about, size, words in (
        ("orphan", "7 tokens in blocks of 3: the last joins", 3, ("1111111",)),
        ("longt5-16", "LongT5: blocks of 16, 40 tokens", 16, ("1" * 40,)),
        ("padding", "padding on either side and inside", 3, ("11111100", "00111111", "11011011", "00000000")),
        ("short", "no full block", 4, ("111", "110")),
        ("one", "blocks of one token", 1, ("1011",)),
        ("exact", "6 tokens in blocks of 3", 3, ("111111",)),
    )
] + [
    refused("size-zero", "blocks of no tokens", "E_SIZE", "block_size", block_size=0, inputs=_mask("11")),
    refused("mask-two", "a mask with a 2", "E_CHOICE", "mask", block_size=2, inputs=_mask("12")),
]
