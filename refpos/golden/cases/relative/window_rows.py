"""Golden cases of the rows of tables of two-dimensional offsets."""

from ...case import paper, project, suite

SWIN = project("transformers", "5.23.0", "models/swin/modeling_swin.py", "create_relative_position_index")
BEIT = project("transformers", "5.23.0", "models/beit/modeling_beit.py", "generate_relative_position_index")
LEVIT = project("transformers", "5.23.0", "models/levit/modeling_levit.py", "LevitAttention")
MAXVIT = project("timm", "1.0.31", "timm/layers/pos_embed_rel.py", "RelPosBiasTf")
PAPER = paper("Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 3.2")
value, refused = suite("window_rows", PAPER)
FLAGS = ("AxisOrder", "BucketDirection", "NonSquare")

CASES = [
    *[
        value(f"{name}-{height}x{width}", f"{name}: {height} rows, {width} columns", height=height, width=width,
              sign=sign, flags=FLAGS if height != width else FLAGS[:2], source=source, **more)
        for name, height, width, sign, source, more in (
            ("swin", 1, 3, "query-key", SWIN, {}), ("swin", 3, 5, "query-key", SWIN, {}),
            ("swin", 7, 7, "query-key", SWIN, {}), ("swin", 5, 2, "query-key", SWIN, {}),
            ("swin", 1, 1, "query-key", SWIN, {}), ("clap", 8, 8, "query-key", SWIN, {}),
            ("beit", 3, 5, "query-key", BEIT, {"class_token": True}),
            ("beit", 4, 4, "query-key", BEIT, {"class_token": True}),
            ("beit", 1, 1, "query-key", BEIT, {"class_token": True}),
            ("maxvit", 3, 5, "key-query", MAXVIT, {}), ("maxvit", 7, 7, "key-query", MAXVIT, {}),
            ("coatnet", 4, 2, "key-query", MAXVIT, {}),
            ("levit", 4, 4, "absolute", LEVIT, {}), ("tiny-vit", 3, 5, "absolute", LEVIT, {}),
        )
    ],
    *[
        value(f"stride-{stride}-{sign}-{height}x{width}", f"every {stride}th row and column asks, {sign}",
              height=height, width=width, sign=sign, stride=stride, flags=(*FLAGS, "UnequalLengths"), source=LEVIT)
        for stride, height, width, sign in (
            (2, 14, 14, "absolute"), (2, 3, 5, "absolute"), (3, 5, 4, "query-key"), (2, 4, 7, "key-query"),
            (9, 2, 3, "query-key"),
        )
    ],
    value("class-absolute", "a class token without directions", height=2, width=3, sign="absolute", class_token=True,
          flags=FLAGS),
    refused("height-zero", "a window without rows", "E_SIZE", "height", height=0, width=3, sign="query-key"),
    refused("sign", "no such sign", "E_CHOICE", "sign", height=2, width=3, sign="swin"),
    refused("stride-zero", "a stride of 0", "E_SIZE", "stride", height=2, width=3, sign="query-key", stride=0),
    refused("class-stride", "a class token where queries are pooled", "E_CHOICE", "class_token", height=2, width=3,
            sign="query-key", stride=2, class_token=True),
]  # fmt: skip
