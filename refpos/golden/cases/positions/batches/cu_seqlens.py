"""Golden cases of the boundaries of packed sequences."""

from ....case import listed, project, suite

NEW = project("transformers", "5.23.0", "modeling_flash_attention_utils.py", "prepare_fa_kwargs_from_position_ids")
OLD = project("transformers", "4.57.1", "modeling_flash_attention_utils.py", "prepare_fa_kwargs_from_position_ids")
MASKS = project("transformers", "5.23.0", "masking_utils.py", "find_packed_sequence_indices")
VARLEN = project("flash-attention", "3c0d495", "flash_attn/flash_attn_interface.py", "flash_attn_varlen_func")
value, refused = suite("cu_seqlens", VARLEN)
FLAGS = ("OffByOne", "PackedSequence")
#: position ids that tell the rules apart: restarts at 0, at 2, at several numbers, and a gap inside
IDS = (
    ("restarts", "sequences of 3, 2 and 1", (0, 1, 2, 0, 1, 0)),
    ("token", "one token", (0,)),
    ("gap", "a gap inside a sequence", (0, 1, 5, 6, 0, 1)),
    ("again", "the first position twice, where no sequence begins", (0, 1, 1, 2, 0, 1)),
)


def ids(*values, dtype="int64"):
    return {"values": listed(values, dtype)}


CASES = [
    value("lengths", "three sequences", rule="lengths", inputs=ids(3, 2, 4), flags=FLAGS),
    value("lengths-empty-sequences", "sequences without tokens", rule="lengths", inputs=ids(0, 3, 0, 0, 2, 0),
          flags=FLAGS),
    value("lengths-none", "no sequences", rule="lengths", inputs=ids(), flags=FLAGS),
    value("lengths-long", "sums past 2**31", rule="lengths", inputs=ids(2**31 - 1, 1, 2**40), flags=FLAGS),
    value("lengths-most", "a sum of 2**53", rule="lengths", inputs=ids(2**53 - 1, 1), flags=FLAGS),
    value("segments", "ids that return", rule="segments", inputs=ids(7, 7, 3, 3, 3, 7), flags=FLAGS),
    value("segments-padding", "padding of id 0 at the end", rule="segments", inputs=ids(1, 1, 2, 0, 0), flags=FLAGS),
    value("segments-from-0", "ids that could be positions", rule="segments", inputs=ids(0, 0, 1, 1, 2), flags=FLAGS),
    value("segments-negative", "padding of id -1", rule="segments", inputs=ids(-1, -1, 0, 1, 1), flags=FLAGS),
    value("segments-none", "no tokens", rule="segments", inputs=ids(), flags=FLAGS),
    *[
        value(f"{rule}-{slug}", f"{about}, {rule}", rule=rule, inputs=ids(*numbers), flags=FLAGS, source=source)
        for slug, about, numbers in IDS
        for rule, source in (("first", NEW), ("zeros", OLD), ("jumps", MASKS))
    ],
    value("first-roberta", "positions from 2", rule="first", inputs=ids(2, 3, 4, 2, 3), flags=FLAGS, source=NEW),
    value("jumps-offsets", "chunks with a cache", rule="jumps", inputs=ids(8, 9, 20, 5, 6), flags=FLAGS, source=MASKS),
    value("jumps-joined", "a sequence that goes on where another ends", rule="jumps", inputs=ids(0, 1, 2, 3, 0),
          flags=FLAGS, source=MASKS),
    refused("negative", "a negative length", "E_SIZE", "values", rule="lengths", inputs=ids(3, -1)),
    refused("most", "more than 2**53 tokens", "E_SIZE", "values", rule="lengths", inputs=ids(2**53, 1)),
    refused("roberta", "positions from 2 by zeros", "E_POSITION", "values", rule="zeros", inputs=ids(2, 3)),
    refused("start", "a smaller position later", "E_POSITION", "values", rule="first", inputs=ids(3, 4, 0, 1)),
    refused("negative-position", "a negative position", "E_POSITION", "values", rule="jumps", inputs=ids(-1, 0)),
    refused("rule", "an unknown rule", "E_CHOICE", "rule", rule="offsets", inputs=ids(3)),
    refused("floats", "floats", "E_DTYPE", "values", rule="lengths", inputs={"values": listed((3.0,), "float32")}),
]  # fmt: skip
