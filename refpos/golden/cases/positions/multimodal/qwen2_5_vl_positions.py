"""Golden cases of the positions of Qwen2.5-VL."""

from ....case import listed, project, suite
from ._multimodal import FLAGS, STILL, VERSIONS, both, inputs, wrong

FILE = "models/qwen2_5_vl/modeling_qwen2_5_vl.py"
OLD, NEW = (project("transformers", version, FILE, "get_rope_index") for version in ("4.57.1", "5.23.0"))
SGLANG = project("sglang", "0.5.23", "python/sglang/srt/layers/rotary_embedding/mrope_rope_index.py", "get_rope_index")
value, refused = suite("qwen2_5_vl_positions", NEW)
SERVED = "sglang-0.5.23"
#: each version with its source
SOURCES = [(age, version, {"old": OLD, "new": NEW}[age]) for age, version in VERSIONS.items()]
SOURCES.append(("sglang", SERVED, SGLANG))
MIXED = ("tiitvvvt", "...tvvvv"), ((1, 2, 4),), ((3, 2, 2), (2, 4, 2))


def seconds(given, dtype="float32"):
    return {"second_per_grid_ts": listed(given, dtype)}


def video(*given, dtype="float32"):
    return {**inputs(("tttvvvvvvtt",), (), ((3, 2, 4),)), **(seconds(given, dtype) if given else {})}


CASES = [
    *both(value, STILL[1:8:3], OLD, NEW, tokens_per_second=2),
    *[
        value(f"seconds-{slug}-{age}", f"{given} seconds from frame to frame; {version}", version=version,
              tokens_per_second=2, inputs=video(given), flags=(*FLAGS, "TextResumes"), source=source)
        for slug, given in (("half", 0.5), ("one", 1.0), ("one-and-a-half", 1.5), ("two", 2.0), ("zero", 0.0))
        for age, version, source in SOURCES
    ],
    *[
        value(f"mixed-{age}", f"a batch of images and videos; {version}", version=version, tokens_per_second=2,
              inputs={**inputs(*MIXED), **seconds((1.5, 0.5))}, flags=(*FLAGS, "TextResumes"),
              source={"old": OLD, "new": NEW}[age])
        for age, version in VERSIONS.items()
    ],
    *[
        value(f"third-{dtype}", f"a third of a second, 25 positions a second, {dtype}: 24.99.. or 25 after 1 second",
              version=VERSIONS["new"], tokens_per_second=25, flags=FLAGS,
              inputs={**inputs(("vvvv",), (), ((4, 2, 2),)), **seconds((value_of_third,), dtype)})
        for dtype, value_of_third in (("float32", 0.3333333432674408), ("float64", 1 / 3))
    ],
    *[
        value(f"order-of-products-{age}", f"0.12 seconds, 25 positions a second: 14.99.. or 15 for frame 5; {version}",
              version=version, tokens_per_second=25, flags=FLAGS, source=source,
              inputs={**inputs(("vvvvvv",), (), ((6, 2, 2),)), **seconds((0.11999999731779099,))})
        for age, version, source in SOURCES[1:]
    ],
    *[
        value(f"{slug}-sglang", f"{about}; {SERVED}", version=SERVED, tokens_per_second=2, source=SGLANG,
              inputs={**inputs(*given), **seconds((1.5, 0.5))} if given[2] else inputs(*given),
              flags=(*FLAGS, *(() if slug == "text" else ("TextResumes",))))
        for slug, about, given in (
            ("text", "text alone", (("tttt",), (), ())),
            ("two-images", "two images of different shape", (("tiiitiit",), ((1, 2, 6), (1, 4, 2)), ())),
            ("image-frames", "an image of two frames, at one time", (("tiiiit",), ((2, 2, 4),), ())),
            ("mixed", "an image and two videos", (("tiitvvvttvvvvt",), ((1, 2, 4),), ((3, 2, 2), (2, 4, 2)))),
        )
    ],
    value("no-seconds-sglang", f"no seconds: 1; {SERVED}", version=SERVED, tokens_per_second=4, inputs=video(),
          flags=(*FLAGS, "TextResumes"), source=SGLANG),
    value("no-seconds", "no seconds: 1", version=VERSIONS["new"], tokens_per_second=4, inputs=video(),
          flags=(*FLAGS, "TextResumes")),
    *wrong(refused, version=VERSIONS["new"], tokens_per_second=2),
    refused("seconds-negative", "negative seconds", "E_NUMBER", "second_per_grid_ts", version=VERSIONS["new"],
            tokens_per_second=2, inputs=video(-1.0)),
    refused("padding", "padding, which is not known there", "E_CHOICE", "attention_mask", version=SERVED,
            tokens_per_second=2, inputs=inputs((".tiit",), ((1, 2, 4),))),
    refused("seconds-count", "seconds of two videos for one", "E_SHAPE", "second_per_grid_ts", version=VERSIONS["new"],
            tokens_per_second=2, inputs=video(1.0, 1.0)),
]
