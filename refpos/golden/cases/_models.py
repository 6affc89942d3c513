"""Named models in the corpus: for each preset of `refpos.models` the calls and positions that say it in full.

From a row follow a table (suite rope_table), a query and a key rotated by it (suite rope), and, where its tokens form a
grid, their positions (suite grid_positions); all of them are called `model-` and the name of the preset. The rows say
again, in calls of the catalogue, what a preset says in Python, so that a corpus needs no names; the tests compare them.
What is no rotation, or turns by learned sums, has suites of its own.
"""

import zlib
from fractions import Fraction
from typing import NamedTuple

from ... import models
from ...models.diffusion import OMNIGEN_SHORT, PHI_3_LONG
from ..case import call, fraction, grid, listed, scattered

NO_SIZES: dict = {}


class Row(NamedTuple):
    """A preset and its frequencies as a call, its pairing, and positions: a grid, or a list for each axis.

    sizes: arguments of the preset. where: arguments of the function of its positions. coordinates: the same positions
    along each axis of a grid where they form one, else `at` lists them.
    """

    name: str
    frequencies: dict
    pairing: str
    at: object
    sizes: dict = NO_SIZES
    where: object = None
    coordinates: list | None = None
    inverse: bool = False

    @property
    def slug(self):
        """What follows the suite in the ids of its cases."""
        return slug(self.name)

    @property
    def rotary(self):
        """The preset."""
        return models.load(self.name, **self.sizes)


def slug(name):
    """What the cases of a preset are called in each suite."""
    return "model-" + name.replace("_", "-")


def _axial(*widths, **options):
    return call("axial_frequencies", widths=list(widths), **options)


def _frequencies(dim, base=10000):
    return call("inverse_frequencies", dim=dim, base=base)


def _mrope(dim, sections, arrangement, base):
    return call("mrope_frequencies", dim=dim, sections=list(sections), arrangement=arrangement, base=base)


def _affine(size, **options):
    return call("affine", size=size, **options)


def _ends(start, stop, size):
    return call("linspace", start=start, stop=stop, size=size, endpoint=True)


def _listed(*values):
    return call("listed", values=list(values))


#: far cells on two and on three axes, text, and tokens of images and text behind each other
IMAGE = [[0, 5, 63], [0, 2, 41]]
VIDEO = [[0, 1, 16], [0, 5, 63], [0, 2, 41]]
TEXT = [1, 4095, 131071]
IDS = [[0, 12, 131071], [0, 15, 131072], [0, 13, 131073]]
FOUR = [[0, 10, 20, 0], [0, 3, 63, 0], [0, 2, 41, 0], [7, 0, 0, 511]]
FLAT = {"height": 2, "width": 3}
FILM = {"frames": 2, "height": 2, "width": 3}


def _fractional(name, frequencies, pairing, coordinates, where, **options):
    """A model whose coordinates are not integers: the grid of its positions is that of its tables."""
    return Row(name, frequencies, pairing, grid(*coordinates), where=where, coordinates=coordinates, **options)


def _image(name, frequencies, pairing, **options):
    return Row(name, frequencies, pairing, IMAGE, where=FLAT, coordinates=[2, 3], **options)


def _video(name, frequencies, pairing, **options):
    return Row(name, frequencies, pairing, VIDEO, where=FILM, coordinates=[2, 2, 3], **options)


HALVES = [call("half_pixel", size=2), call("half_pixel", size=3)]
CORNERS = [_ends(-1, 1, 3), _ends(-1, 1, 2)]
EVENLY = call("given_frequencies", inv_freq=[1, fraction(7, 3), fraction(11, 3), 5])
STORED = call("given_frequencies", inv_freq=[1, fraction(32, 101), fraction(1, 10), fraction(8, 253)])
DINO = {"base": 100, "times_pi": 2}
GROWING = {"base": fraction(1, 10000), "endpoint": True, "times_pi": 0.5}
COLUMNS_FIRST = {"axes": [1, 0]}
IN_TURN = {"arrangement": "interleaved"}
MIDDLES = [
    _listed(fraction(-479, 480), fraction(-47, 48), fraction(-227, 240)),
    _affine(1, start=fraction(-63, 64)), _affine(2, start=fraction(-63, 64), step=fraction(1, 32)),
]  # fmt: skip

VISION = [
    Row("rotary_embedding_torch", _axial(32, 32), "interleaved", IMAGE, where=(2, 3), coordinates=[2, 3]),
    _fractional("rotary_embedding_torch_pixel", _axial(8, 8, frequencies=[EVENLY, EVENLY], times_pi=1), "interleaved",
                CORNERS, (3, 2), sizes={"head_dim": 16}),
    _fractional("eva02", _axial(32, 32), "interleaved",
                [_affine(3, step=fraction(16, 3)), _affine(2, step=8)],
                {"height": 3, "width": 2, "trained": (16, 16)}),
    _fractional("timm_rotary", _axial(32, 32, **COLUMNS_FIRST), "interleaved",
                [_affine(3, start=fraction(16, 3), step=fraction(16, 3)), _affine(2, start=8, step=8)],
                {"height": 3, "width": 2, "trained": (16, 16), "offset": 1}, sizes={"indexing": "xy"}),
    _fractional("timm_rotary_pixel", _axial(32, 32, base=fraction(1, 112), endpoint=True, times_pi=1), "interleaved",
                CORNERS, (3, 2)),
    Row("genlip", _mrope(64, (8, 12, 12), "interleaved", 10000), "half", [[0, 0, 0], *IMAGE], where=FLAT,
          coordinates=[1, 2, 3]),
    Row("pe_core", _axial(32, 32, **COLUMNS_FIRST), "interleaved", [[0, 1, 1, 2, 2], [0, 1, 2, 1, 2]],
          where={"height": 2, "width": 2}),
    _image("rope_vit_axial", _axial(32, 32, base=100, **COLUMNS_FIRST), "interleaved"),
    _image("sam2", _axial(128, 128, **COLUMNS_FIRST), "interleaved"),
    Row("llama4_vision", _axial(44, 44, **COLUMNS_FIRST), "interleaved", [[1, 24, 0], [2, 7, 0]]),
    _image("step3p7_vision", _axial(48, 48, **COLUMNS_FIRST), "half"),
    Row("inkling2_vision", _axial(32, 32, **COLUMNS_FIRST), "interleaved", IMAGE),
    _image("kimi_k25_vision", _axial(36, 36, **COLUMNS_FIRST, **IN_TURN), "half"),
    _image("gemma4_vision", _axial(32, 32, base=100, **COLUMNS_FIRST), "block-half"),
    _fractional("dinov3", _axial(32, 32, **DINO), "half", HALVES, FLAT),
    _fractional("dinov3_stored", _axial(8, 8, frequencies=[STORED, STORED], times_pi=2), "half", HALVES, FLAT),
    _fractional("timm_dinov3", _axial(32, 32, **DINO, **COLUMNS_FIRST), "interleaved", HALVES, FLAT,
                sizes={"indexing": "xy", "half": False}),
    _image("pixtral", _axial(32, 32, allocation="strided"), "half"),
    _image("mistral_vision", _axial(32, 32, allocation="strided"), "interleaved"),
    Row("qwen2_vl_vision", _axial(40, 40), "half", IMAGE),
    Row("minimax_m3_vision", _axial(26, 26, 26), "half", VIDEO),
]  # fmt: skip

DIFFUSION = [
    # a region of 21 x 32 cells of the base grid, from row 6 on; one of 30 x 20, from column 12 on
    _fractional("hunyuan_dit", _axial(44, 44, **COLUMNS_FIRST), "interleaved",
                [_ends(6, fraction(27, 2), 2), _ends(0, fraction(64, 3), 3)], {**FLAT, "spacing": "shrunk"}),
    _fractional("cogvideox", _axial(16, 24, 24), "interleaved", [2, _ends(0, 20, 3), _ends(12, 16, 2)],
                {"frames": 2, "height": 3, "width": 2, "spacing": "shrunk"}),
    _fractional("easyanimate", _axial(16, 24, 24), "interleaved", [1, _ends(0, 15, 2), _ends(8, 19, 2)],
                {"frames": 1, "height": 2, "width": 2, "spacing": "shrunk"}),
    _video("cogvideox_1_5", _axial(16, 24, 24), "interleaved"),
    _fractional("allegro", _axial(32, 32, 32), "block-half",
                [_affine(2, step=fraction(5, 11)), *(_affine(n, step=fraction(1, 2)) for n in (2, 3))], FILM),
    _image("lumina", _axial(36, 36, **IN_TURN), "interleaved"),
    Row("lumina2", _axial(32, 32, 32), "interleaved", VIDEO),
    Row("omnigen2", _axial(32, 32, 32), "interleaved", [[0, 1, 1, 3, 3], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]],
          where={"height": 1, "width": 2, "text_length": 1, "references": ((2, 1),)}),
    Row("z_image", _axial(32, 48, 48, base=256), "interleaved", [[33, 65, 1], [0, 63, 0], [0, 41, 0]]),
    Row("flux", _axial(16, 56, 56), "interleaved", [[0, 0, 1], [0, 63, 5], [0, 41, 2]]),
    Row("hidream", _axial(64, 32, 32), "interleaved", [[0, 0, 0, 0, 0], [0, 0, 1, 1, 0], [0, 1, 0, 1, 0]],
          where={"height": 2, "width": 2, "text_length": 1}),
    Row("krea2", _axial(32, 48, 48, base=1000), "interleaved", [[0, 0, 1], [0, 63, 5], [0, 41, 2]]),
    Row("flux2", _axial(32, 32, 32, 32, base=2000), "interleaved", FOUR),
    Row("flux3", _axial(32, 32, 32, 32), "interleaved", FOUR),
    Row("qwen_image", _axial(16, 56, 56), "interleaved", [[0, 1, 40], [-32, 5, 40], [-21, 2, 40]]),
    Row("qwen_image21", _axial(16, 56, 56), "interleaved", [[0, 1, 1, 1, 4], [0, -1, -1, -1, 4], [0, -2, -1, 0, 4]],
          where={"image_pad_mask": (0, 1, 1, 1, 0), "grid_thw": ((1, 1, 3),)}),
    Row("nucleusmoe_image", _axial(16, 56, 56), "interleaved", [[0, 0, 40], [-32, 31, 40], [-21, 20, 40]]),
    Row("omnigen", call("longrope", dim=96, base=10000, short_factor=list(OMNIGEN_SHORT),
                          long_factor=list(PHI_3_LONG), original_max_position_embeddings=4096,
                          max_position_embeddings=131072, seq_len=131072), "half", TEXT, sizes={"seq_len": 131072}),
    Row("cogview4", _axial(20, 20), "half", [[0, 85, 170], [0, 36, 219]], where={"height": 3, "width": 7},
          coordinates=[call("resampled", size=n, reference=256) for n in (3, 7)]),
    _image("glm_image", _axial(20, 20), "half"),
    Row("ideogram4", _mrope(256, (88, 20, 20), "interleaved", 5000000), "half",
          [[7, 65536, 65536], [7, 65536, 65599], [7, 65536, 65577]]),
    _video("hunyuan_video", _axial(16, 56, 56, base=256), "interleaved"),
    _video("wan", _axial(44, 42, 42), "interleaved"),
    _fractional("cosmos", _axial(44, 42, 42, frequencies=[
                    call("ntk", dim=44, base=10000, factor=2), _frequencies(42), _frequencies(42)]), "half",
                [_affine(2, step=fraction(4, 5)), 2, 1],
                {"frames": 2, "height": 2, "width": 1, "fps": 30}),
    _video("helios", _axial(44, 42, 42), "interleaved"),
    _video("sana_wm", _axial(40, 36, 36), "interleaved"),
    # a coarse frame of one row, then a full one
    Row("anyflow_far", _axial(44, 42, 42), "interleaved",
          [[0, 0, *[1] * 8], [0.5, 0.5, 0, 0, 0, 0, 1, 1, 1, 1], [0.5, 2.5, 0, 1, 2, 3, 0, 1, 2, 3]],
          where={"frames": 2, "height": 2, "width": 4, "compressed": 1}),
    # text, and a video at 32 frames a second
    Row("cosmos3", _mrope(128, (24, 20, 20), "interleaved", 5000000), "half",
          [[0, 1, 15002, 15002, 15002.75, 15002.75], [0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 1]],
          where={"frames": 2, "height": 1, "width": 2, "text_length": 2, "fps": 32}),
    _video("kandinsky5", _axial(16, 24, 24), "interleaved"),
    _video("kandinsky6", _axial(32, 48, 48), "interleaved"),
    _fractional("kandinsky6_sr", _axial(16, 24, 24), "interleaved",
                [2, *(_affine(n, step=fraction(1, 2)) for n in (2, 3))], {**FILM, "scale_factor": (1, 2, 2)}),
    _video("minimax_h3", _axial(32, 32, 32), "half"),
    Row("stable_audio", _frequencies(32), "half", TEXT),
    Row("minimax_music3", _frequencies(32), "half", TEXT),
    Row("audio_dit", _frequencies(64, 100000), "half", TEXT),
    # all channels of a narrow layer
    _fractional("ltx_video", _axial(32, 32, 32, **GROWING, **IN_TURN), "interleaved",
                [_affine(2, start=-1, step=fraction(4, 125)), *(_affine(n, start=-1, step=fraction(1, 32))
                                                                for n in (1, 2))],
                {"frames": 2, "height": 1, "width": 2, "scale": (Fraction(8, 25), 32, 32)}, sizes={"dim": 96}),
    _fractional("ltx2", _axial(32, 32, 32, **GROWING, **IN_TURN), "interleaved", MIDDLES,
                {"frames": 3, "height": 1, "width": 2}, sizes={"dim": 96}),
    _fractional("ltx2_audio", _axial(64, **GROWING, **IN_TURN), "interleaved",
                [_listed(fraction(-1999, 2000), fraction(-997, 1000), fraction(-993, 1000))], {"frames": 3},
                sizes={"dim": 64}),
    # of three heads the first has the first 3 of 9 frequencies on each axis
    _fractional("ltx2_split", _axial(6, 6, 6, **{**GROWING, "base": fraction(1, 10)}, **IN_TURN), "half", MIDDLES,
                {"frames": 3, "height": 1, "width": 2}, sizes={"head": 0, "dim": 54, "heads": 3}),
]  # fmt: skip

MULTIMODAL = [
    *[
        Row(name, _mrope(128, (16, 24, 24), "chunked", 1000000), "half", IDS)
        for name in ("qwen2_vl", "qwen2_5_vl", "qwen2_5_omni")
    ],
    Row("qwen3_vl", _mrope(128, (24, 20, 20), "interleaved", 5000000), "half", IDS),
    Row("qwen3_5", _mrope(64, (11, 11, 10), "interleaved", 10000000), "half", IDS),
    Row("qwen3_omni", _mrope(128, (24, 20, 20), "interleaved", 1000000), "half", [[0, 12.5, 131071], *IDS[1:]]),
    Row("glm4v", _mrope(64, (8, 12, 12), "chunked", 10000), "interleaved", IDS),
    Row("glm4v_moe", _mrope(64, (8, 12, 12), "chunked", 10000), "half", IDS),
    Row("ernie4_5_vl", _mrope(128, (22, 22, 20), "alternating", 500000), "interleaved", IDS),
    Row("videorope", _mrope(128, (24, 24, 16), "alternating", 1000000), "half",
          [[0, 2.5, 8191], [0, -1, 8195], [0, 4, 8190.5]]),
    Row("neomme", _axial(8, 8, base=1000000, allocation="strided", **IN_TURN), "half", [[0, 1, 2, 2], [0, 1, 2, 3]],
          where={"height": 1, "width": 1}),
]  # fmt: skip

WINDOW = call("linear", dim=8, base=1200, factor=1200)
CONTINUOUS = [
    # the second axis has 2 pi twice
    Row("music_flamingo", _axial(8, 8, times_pi=2, frequencies=[WINDOW, _axial(8, times_pi=2, frequencies=[WINDOW])]),
          "interleaved", [[0, 0, 0.5, 0.75], [0, 0.25, 0, 0.75]],
          where={"count": 2, "length": 2, "frame_step": 0.0625}, sizes={"head_dim": 20, "rotary_dim": 8}, inverse=True),
    Row("esmfold2", _axial(4, 4, 4, 20, base=[20, 20, 20, 10000]), "half",
          [[0, 1.25, -3.5], [2, 0.5, 100], [-7.75, 0, 41], [0, 1, 511]],
          where={"ref_pos": ((0, 2, -7.75), (1.25, 0.5, 0), (-3.5, 100, 41)), "ref_space_uid": (0, 1, 511)}),
]  # fmt: skip

TEXTS = [
    Row("llama", _frequencies(128), "half", TEXT),
    Row("llama_meta", _frequencies(128), "interleaved", TEXT),
    Row("gptj", _frequencies(64), "interleaved", TEXT),
    Row("roformer", _frequencies(64), "interleaved", TEXT),
    Row("gpt_neox", _frequencies(24), "half", TEXT),
    Row("cohere", _frequencies(128, 500000), "interleaved", TEXT),
    Row("glm", _frequencies(64), "interleaved", TEXT),
    Row("helium", _frequencies(128, 100000), "interleaved", TEXT),
    Row("ernie4_5", _frequencies(128, 500000), "interleaved", TEXT),
    # the rotated channels alone
    Row("deepseek_v2", _frequencies(64), "interleaved", TEXT, sizes={"qk_nope_head_dim": 0}),
    Row("gpt_oss", call("yarn", dim=64, base=150000, factor=32, original_max_position_embeddings=4096,
                          truncate=False), "half", TEXT),
    Row("nanochat", _frequencies(128), "half", TEXT, inverse=True),
    Row("gemma4", call("proportional", dim=512, base=1000000, partial_rotary_factor=0.25), "half", TEXT),
]  # fmt: skip

#: positions of presets that have no row, since they are no rotations or turn by learned sums: name, where, coordinates
ALONE = [
    ("rope_vit_mixed", FLAT, [2, 3]),
    ("mochi", FILM, [2, *(_affine(n, start=fraction(1 - n, 2)) for n in (2, 3))]),
    ("vjepa2", FILM, [2, 2, 3]),
]

NAMED = [*VISION, *DIFFUSION, *MULTIMODAL, *TEXTS, *CONTINUOUS]


# -- cases ------------------------------------------------------------------------------------------------------------


def tables(value):
    """The cosines and sines of each model, in float32."""
    return [
        value(row.slug, f"{row.name}: cosines and sines", frequencies=row.frequencies, dtype="float32",
              flags=_flags(row, rotary), source=rotary.source, **_positions(row))
        for row, rotary in _with_presets(NAMED)
    ]  # fmt: skip


def rotations(value):
    """A query and a key of each model in float32, the first and the second of x."""
    return [
        value(row.slug, f"{row.name}: a query and a key", frequencies=row.frequencies, pairing=row.pairing,
              flags=(*_flags(row, rotary), "InterleavedVsHalf", *_part_flags(row, rotary)), source=rotary.source,
              **({"inverse": True} if row.inverse else {}), **_positions(row, _vectors(row, rotary)))
        for row, rotary in _with_presets(NAMED)
    ]  # fmt: skip


def positions(value):
    """Cases of the positions of each model whose tokens form a grid."""
    grids = [(row.name, row.rotary, row.coordinates) for row in NAMED if row.coordinates]
    grids += [(name, models.load(name), coordinates) for name, _, coordinates in ALONE]
    return [
        value(slug(name), f"{name}: the positions of its tokens", coordinates=coordinates,
              flags=("AxisOrder", "NonSquare"), source=rotary.source)
        for name, rotary, coordinates in grids
    ]  # fmt: skip


def _with_presets(rows):
    """Each row and its preset, made once."""
    return ((row, row.rotary) for row in rows)


def _positions(row, inputs=()):
    if isinstance(row.at, dict):
        return {"positions": row.at, "inputs": dict(inputs)}
    several = isinstance(row.at[0], list)
    values = [p for axis in row.at for p in axis] if several else row.at
    shape = (len(row.at), len(row.at[0])) if several else (len(row.at),)
    kind = "int64" if all(isinstance(p, int) for p in values) else "float64"
    return {"inputs": {**dict(inputs), "positions": listed([*values], kind, shape)}}


def _vectors(row, rotary):
    seed = zlib.crc32(row.name.encode()) & 0xFFFF  # of the name, so that new rows leave the others as they are
    return {"x": scattered("float32", (2, tokens(row), rotary.head_dim), seed)}


def tokens(row):
    """How many tokens the table has."""
    if not isinstance(row.at, dict):
        return len(row.at[0]) if isinstance(row.at[0], list) else len(row.at)
    count = 1
    for axis in row.at["arguments"]["coordinates"]:
        options = axis if isinstance(axis, int) else axis["arguments"]
        count *= options if isinstance(axis, int) else options.get("size") or len(options["values"])
    return count


def _flags(row, rotary):
    flags = ["NarrowAngle"]
    if rotary.frequencies.axes:
        flags.append("AxisOrder")
    if isinstance(row.at, dict):
        flags.append("FractionalPosition")
    if row.frequencies["arguments"].get("base", 10000) != 10000:
        flags.append("Base")
    return tuple(flags)


def _part_flags(row, rotary):
    part = rotary.rotary_dim < rotary.head_dim
    return ("PartialRotary",) * part + ("Inverse",) * row.inverse
