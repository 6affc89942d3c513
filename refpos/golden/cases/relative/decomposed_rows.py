"""Golden cases of the rows of decomposed tables."""

from ...case import paper, project, suite

MVIT = project("timm", "1.0.31", "timm/models/mvitv2.py", "cal_rel_pos_type")
VITDET = project("transformers", "5.23.0", "models/vitdet/modeling_vitdet.py", "get_rel_pos")
SAM = project("transformers", "5.23.0", "models/sam/modeling_sam.py", "get_rel_pos")
value, refused = suite("decomposed_rows", paper("Li et al. 2022, MViTv2, arXiv:2112.01526, section 4.1"))
FLAGS = ("OffByOne", "BucketDirection")

CASES = [
    *[
        value(f"{name}-{query}-{key}", f"{name}: {query} queries, {key} keys", query=query, key=key, source=source,
              flags=FLAGS if query == key else (*FLAGS, "UnequalLengths"))
        for name, query, key, source in (
            ("vitdet", 14, 14, VITDET), ("sam", 64, 64, SAM), ("got-ocr2", 5, 5, SAM), ("mvitv2", 56, 14, MVIT),
            ("mvitv2", 28, 7, MVIT), ("mvitv2", 7, 14, MVIT), ("mvitv2", 14, 14, MVIT), ("floor", 16, 7, VITDET),
            ("floor", 8, 6, VITDET), ("floor", 7, 16, VITDET), ("floor", 5, 3, VITDET), ("floor", 3, 5, VITDET),
            ("floor", 53, 49, VITDET), ("one", 1, 1, VITDET), ("one", 1, 6, VITDET), ("one", 6, 1, VITDET),
        )
    ],
    value("no-keys", "no keys", query=3, key=0),
    refused("query-negative", "a negative number of queries", "E_SIZE", "query", query=-1, key=3),
]  # fmt: skip
