"""Golden cases of the positions of pooled tokens in Funnel."""

from ...case import paper, project, suite

value, refused = suite(
    "funnel_positions", paper("Dai et al. 2020, Funnel-Transformer, arXiv:2006.03236, section 2.2")
)
FUNNEL = project("transformers", "5.23.0", "models/funnel/modeling_funnel.py", "FunnelAttentionStructure")
FLAGS = ("OffByOne", "SequenceLength")

CASES = [
    *[
        value(f"{length}-block-{block}{'-cls' * cls}{'-cut' * cut}", f"{length} tokens after {block} poolings",
              length=length, block=block, separate_cls=cls, truncate_seq=cut, source=FUNNEL, flags=FLAGS)
        for length, block, cls, cut in (
            (9, 0, True, True), (9, 1, True, True), (9, 2, True, True), (8, 1, True, True), (8, 2, True, True),
            (8, 1, True, False), (8, 2, True, False), (9, 2, True, False), (9, 2, False, True), (11, 3, False, False),
            (2, 1, True, True), (2, 3, True, False), (1, 2, True, True), (1, 2, False, False), (64, 3, True, True))
    ],
    value("far", "one token after 53 poolings", length=1, block=53, separate_cls=True, truncate_seq=True, flags=FLAGS),
    value("empty", "no tokens", length=0, block=2, separate_cls=True, truncate_seq=False),
    refused("block", "too many poolings", "E_SIZE", "block", length=4, block=54, separate_cls=True, truncate_seq=True),
    refused("flag", "a flag that is a number", "E_CHOICE", "separate_cls", length=4, block=1, separate_cls=1,
            truncate_seq=True),
]  # fmt: skip
