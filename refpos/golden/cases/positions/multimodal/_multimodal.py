"""Rows of text, images and videos that the golden cases of multimodal positions share."""

import re

from ....case import listed

FLAGS = ("AxisOrder", "OffByOne")
VERSIONS = {"old": "transformers-4.57.1", "new": "transformers-5.23.0"}
TYPES = {"t": 0, "i": 1, "v": 2, ".": 0}
#: slug, about, rows of letters (a dot is padding), image grids, video grids
STILL = (
    ("text", "text alone", ("tttt",), (), ()),
    ("image", "text, an image of 1 x 2 tokens, text", ("ttiitt",), ((1, 2, 4),), ()),
    ("tall", "an image of 3 x 1 tokens", ("ttiiit",), ((1, 6, 2),), ()),
    ("image-only", "nothing but an image", ("iiii",), ((1, 4, 4),), ()),
    ("two-images", "two images of different shape", ("tiiitiit",), ((1, 2, 6), (1, 4, 2)), ()),
    ("left", "a batch padded on the left", ("..tiit", "ttttii"), ((1, 2, 4), (1, 4, 2)), ()),
    ("right", "a batch padded on the right", ("tiit..", "iitttt"), ((1, 2, 4), (1, 4, 2)), ()),
    ("both-sides", "padding on both sides, and inside", ("..tii.it.",), ((1, 2, 6),), ()),
    ("text-row", "a row without images beside one with an image", ("...tt", "tiiit"), ((1, 6, 2),), ()),
    ("text-left", "text alone, padded on the left to one token", ("...t", "tttt"), (), ()),
)
VIDEO = (
    ("video", "a video of 3 frames of 1 x 2 tokens", ("tttvvvvvvtt",), (), ((3, 2, 4),)),
    ("long-video", "more frames than rows or columns", ("tvvvvvtt",), (), ((5, 2, 2),)),
    ("image-video", "an image and a video of 2 x 1 tokens", ("tiitvvvvt",), ((1, 2, 4),), ((2, 4, 2),)),
    ("video-left", "videos in a batch padded on the left", ("...tvvt", "tvvvttt"), (), ((2, 2, 2), (3, 2, 2))),
)
#: text stands between the frames
FRAMES = (
    ("video", "a video of 2 frames of 1 x 2 tokens, and what stands between", ("tvvttvvt",), (), ((2, 2, 4),)),
    ("two-videos", "two videos, frame by frame", ("tvtvtvvt",), (), ((2, 2, 2), (1, 4, 2))),
    ("image-video", "an image and a video of 2 x 1 tokens", ("tiitvvtvvt",), ((1, 2, 4),), ((2, 4, 2),)),
    ("video-left", "videos in a batch padded on the left", ("..tvvt", "tvtvtt"), (), ((1, 2, 4), (2, 2, 2))),
)


def rows(words, table=TYPES, name="mm_token_type_ids"):
    """Rows of tokens, a letter each, and the mask of those that are no dot."""
    shape, letters = (len(words), len(words[0])), "".join(words)
    tensors = {name: listed(tuple(table[letter] for letter in letters), shape=shape)}
    if "." in letters:
        tensors["attention_mask"] = listed(tuple(int(letter != ".") for letter in letters), shape=shape)
    return tensors


def table(values):
    """A table of integers."""
    return listed(tuple(number for row in values for number in row), shape=(len(values), len(values[0])))


def resumes(words):
    """The flag of rows in which text follows an image or a video."""
    return ("TextResumes",) if any(re.search("[iv].*t", row) for row in words) else ()


def inputs(words, images=(), videos=()):
    """Rows and the grids that there are."""
    tensors = rows(words)
    for name, grids in (("image_grid_thw", images), ("video_grid_thw", videos)):
        if grids:
            tensors[name] = table(grids)
    return tensors


#: rows of which both versions say the same: the older one is no core case
AGREED = ("text", "image", "tall", "image-only", "two-images", "two-videos", "image-video")


def both(value, parts, old, new, agreed=AGREED, **arguments):
    """Each row under both published versions."""
    return [
        value(f"{slug}-{age}", f"{about}; {version}", version=version, inputs=inputs(words, images, videos),
              flags=(*FLAGS, *resumes(words)), source={"old": old, "new": new}[age],
              tier="extended" if age == "old" and slug in agreed else "core", **arguments)
        for slug, about, words, images, videos in parts
        for age, version in VERSIONS.items()
    ]


def wrong(refused, **arguments):
    """Calls that every model of this kind refuses."""
    image = {"image_grid_thw": table(((1, 2, 4),))}
    return [
        refused("no-grid", "image tokens without a grid", "E_SHAPE", "image_grid_thw", inputs=rows(("tii",)),
                **arguments),
        refused("too-many-grids", "a grid without image tokens", "E_SHAPE", "image_grid_thw",
                inputs={**rows(("ttt",)), **image}, **arguments),
        refused("tokens", "more image tokens than the grid has", "E_SHAPE", "mm_token_type_ids",
                inputs={**rows(("tiii",)), **image}, **arguments),
        refused("merge", "a grid that is no multiple of the merge size", "E_SIZE", "image_grid_thw",
                inputs=inputs(("tii",), ((1, 3, 4),)), **arguments),
        refused("negative", "a negative grid", "E_SIZE", "image_grid_thw", inputs=inputs(("tii",), ((1, -2, 4),)),
                **arguments),
        refused("types", "an unknown kind of token", "E_CHOICE", "mm_token_type_ids",
                inputs={"mm_token_type_ids": listed((0, 7), shape=(1, 2))}, **arguments),
        refused("mask-shape", "a mask of another shape", "E_SHAPE", "attention_mask",
                inputs={**rows(("ttt",)), "attention_mask": listed((1, 1), shape=(1, 2))}, **arguments),
        refused("empty-row", "a row without a token", "E_SHAPE", "attention_mask", inputs=rows(("tt", "..")),
                **arguments),
    ]  # fmt: skip
