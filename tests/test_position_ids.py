"""Position builders against the functions of real models, the witness, and what must be refused.

Real here: get_rope_index of transformers 5 as installed, called on objects that have a configuration and no weights,
and the class of Qwen-Image 2.1 in diffusers. Not real here, but by the witness's own account: what older transformers
(4.57.1), SGLang (0.5.23), diffusers (0.42.1) elsewhere and VideoRoPE compute, which cannot stand beside it. Values that
those programs printed are written out below.
"""

import numpy as np
import pytest
from witness import position_ids as witness

from refpos import InputError, InputTypeError, catalogue

NUMBER = 200
OLD, NEW, SGLANG = "transformers-4.57.1", "transformers-5.23.0", "sglang-0.5.23"
BUILDERS = {name: entry.function for name, entry in catalogue.ENTRIES.items() if entry.family == "positions"}
IMAGE, VIDEO, AUDIO, VISION_START, AUDIO_START, END = 1, 2, 3, 4, 5, 6
IDS = dict(
    image_token_id=IMAGE, video_token_id=VIDEO, audio_token_id=AUDIO, vision_start_token_id=VISION_START,
    audio_start_token_id=AUDIO_START,
)  # fmt: skip
MARKERS = dict(image_start_id=11, image_end_id=12, slice_start_id=13, slice_end_id=14, newline_id=15)


def assert_equal(got, expected, dtype=np.int64):
    """Whether each array has the expected numbers and the dtype."""
    got = got if isinstance(got, tuple) else (got,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == dtype and one.flags.writeable
        np.testing.assert_array_equal(one, np.asarray(other))


# -- random inputs ----------------------------------------------------------------------------------------------------


def padded(rng, rows, fill=0):
    """Rows as one array and their mask: padding left, right, on both sides, or none and no mask."""
    longest = max(map(len, rows)) + int(rng.integers(0, 3))
    if min(map(len, rows)) == longest and rng.integers(2):
        return np.array(rows), None
    array, mask = np.full((len(rows), longest), fill), np.zeros((len(rows), longest), np.int64)
    side = rng.integers(3)
    for row, tokens in enumerate(rows):
        spare = longest - len(tokens)
        first = (spare, 0, int(rng.integers(0, spare + 1)))[side]
        array[row, first : first + len(tokens)], mask[row, first : first + len(tokens)] = tokens, 1
    return array, mask


def text(rng, least=1):
    return [100 + int(k) for k in rng.integers(0, 50, rng.integers(least, 5))]


def grid_of(rng, merge, kind, temporal=1):
    t = 1 if kind == IMAGE and rng.integers(5) else int(rng.integers(1, 4)) * temporal
    return [t, int(rng.integers(1, 5)) * merge, int(rng.integers(1, 5)) * merge]


def multimodal(rng, merge, *, framewise=False, temporal=1, videos=True):
    """input_ids, token types, mask and grids of a batch; a video is one run, or a run for each frame."""
    rows, grids = [], {IMAGE: [], VIDEO: []}
    for _ in range(rng.integers(1, 4)):
        row = text(rng)
        for _ in range(rng.integers(0, 4)):
            kind = int(rng.integers(1, 3)) if videos else IMAGE
            t, h, w = grid_of(rng, merge, kind, temporal if kind == VIDEO else 1)
            grids[kind].append([t, h, w])
            parts = t if framewise and kind == VIDEO else 1
            each = t // parts // (temporal if kind == VIDEO else 1) * h * w // merge**2
            for _ in range(parts):
                row += [*text(rng, 0), VISION_START, *[kind] * each, END]
        rows.append(row + text(rng, 0))
    input_ids, mask = padded(rng, rows)
    types = np.where(input_ids <= VIDEO, input_ids, 0)
    grids = {kind: np.array(found) if found else None for kind, found in grids.items()}
    return input_ids, types, dict(image_grid_thw=grids[IMAGE], video_grid_thw=grids[VIDEO], attention_mask=mask)


def random_seconds(rng, grids):
    """None, or seconds for each video, of a dtype."""
    if grids is None or not rng.integers(4):
        return None
    choices = [0.5, 1.5, 1.0, 2.0, 0.0, 1 / 3, 0.1, 0.08, 12.34, 0.04]
    found = np.where(rng.integers(2, size=len(grids)), rng.choice(choices, len(grids)), rng.random(len(grids)) * 9)
    return found.astype(rng.choice(["float32", "float64", "int64"], p=[0.6, 0.3, 0.1]))


def qwen2_5_vl_batch(rng):
    input_ids, types, given = multimodal(rng, 2)
    given["second_per_grid_ts"] = random_seconds(rng, given["video_grid_thw"])
    return input_ids, types, given, int(rng.choice([1, 2, 4, 25]))


def generators(seed):
    return (np.random.default_rng([seed, k]) for k in range(NUMBER))


# -- by formula -------------------------------------------------------------------------------------------------------


def test_the_older_algorithm_by_formula():
    for rng in generators(10):
        for name, framewise in (("qwen2_vl_positions", False), ("qwen3_vl_positions", True), ("glm4v_positions", True)):
            _, types, given = multimodal(rng, 2, framewise=framewise)
            expected = getattr(witness, name)(types, version=OLD, **given)
            assert_equal(BUILDERS[name](types, version=OLD, **given), expected)
        _, types, given, rate = qwen2_5_vl_batch(rng)
        expected = witness.qwen2_5_vl_positions(types, version=OLD, tokens_per_second=rate, **given)
        assert_equal(BUILDERS["qwen2_5_vl_positions"](types, version=OLD, tokens_per_second=rate, **given), expected)


def test_sglang_by_formula():
    for rng in generators(15):
        _, types, given, rate = qwen2_5_vl_batch(rng)
        mask, options = given.pop("attention_mask"), dict(version=SGLANG, tokens_per_second=rate, **given)
        if mask is not None and not mask.all():
            with pytest.raises(InputError, match="must keep every token"):
                BUILDERS["qwen2_5_vl_positions"](types, attention_mask=mask, **options)
        # padding is text there
        expected = witness.qwen2_5_vl_positions(types, **options)
        assert_equal(BUILDERS["qwen2_5_vl_positions"](types, **options), expected)


def test_videorope_by_formula():
    for rng in generators(11):
        _, types, given = multimodal(rng, 2)
        scale = rng.choice([0.0, 0.5, 1.0, 2.0, 1 / 3, 1.7, 123456.789])
        expected = witness.videorope_positions(types, scale_factor=scale, **given)
        got = BUILDERS["videorope_positions"](types, scale_factor=scale, **given)
        assert_equal(got, tuple(np.array(found, np.float32) for found in expected), np.float32)


def test_diffusion_transformers_by_formula():
    for rng in generators(12):
        height, width, length, h, w = map(int, rng.integers(1, 7, 5))
        images = rng.integers(1, 6, (rng.integers(0, 4), 2))
        for name, options in (
            ("flux_positions", dict(text_length=length - 1, reference=(h, w) if rng.integers(2) else None)),
            ("flux2_positions", dict(text_length=length - 1, references=images, scale=10)),
            ("lumina2_positions", dict(text_lengths=rng.integers(0, 9, length))),
        ):
            expected = getattr(witness, name)(height, width, **options)
            if name == "lumina2_positions":
                assert_equal(BUILDERS[name](height, width, **options), expected)
            else:
                assert_equal(BUILDERS[name](height, width, **options), pair(expected, 4 if "2" in name else 3))
        sizes = np.array([[1, h, w], *([1, *image] for image in images)])
        sizes[0, 0] = rng.integers(1, 4)
        layered = bool(rng.integers(2)) and sizes[-1, 0] == 1
        options = dict(text_length=length - 1, scale_rope=bool(rng.integers(2)), layered=bool(layered))
        expected = pair(witness.qwen_image_positions(sizes, **options), 3)
        assert_equal(BUILDERS["qwen_image_positions"](sizes, **options), expected)


def pair(expected, axes):
    return tuple(np.array(found, np.int64).reshape(-1, axes) for found in expected)


# -- printed by those programs ----------------------------------------------------------------------------------------

VIDEO_ROW = [[0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0]]


@pytest.mark.parametrize("version, seconds, times, delta", [
    (OLD, 0.5, [0, 1, 2, 3, 3, 3, 3, 3, 3, 5, 6], -4),
    (OLD, 1.5, [0, 1, 2, 3, 3, 5, 5, 7, 7, 8, 9], -1),
    (OLD, 2.0, [0, 1, 2, 3, 3, 7, 7, 11, 11, 12, 13], 3),
    (SGLANG, 1.5, [0, 1, 2, 3, 3, 6, 6, 9, 9, 10, 11], 1),
    (NEW, 0.5, [0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6], -4),
    (NEW, 1.5, [0, 1, 2, 3, 3, 6, 6, 9, 9, 5, 6], -1),
])  # fmt: skip
def test_the_three_qwen2_5_vl_printed(version, seconds, times, delta):
    options = dict(tokens_per_second=2, video_grid_thw=[[3, 2, 4]], second_per_grid_ts=[seconds])
    found = BUILDERS["qwen2_5_vl_positions"](VIDEO_ROW, version=version, **options)
    assert found.positions[0, 0].tolist() == times and found.deltas.tolist() == [[delta]]


def test_the_older_qwen2_vl_printed():
    build = BUILDERS["qwen2_vl_positions"]
    types, mask = [[0, 0, 0, 0, 1, 1, 0], [0, 0, 2, 2, 2, 0, 0]], [[0, 0, 1, 1, 1, 1, 1], [1] * 7]
    found = build(types, version=OLD, attention_mask=mask, image_grid_thw=[[1, 4, 2]], video_grid_thw=[[3, 2, 2]])
    assert found.positions.tolist() == [
        [[1, 1, 0, 1, 2, 2, 4], [0, 1, 2, 3, 4, 5, 6]],
        [[1, 1, 0, 1, 2, 3, 4], [0, 1, 2, 2, 2, 5, 6]],
        [[1, 1, 0, 1, 2, 2, 4], [0, 1, 2, 2, 2, 5, 6]],
    ]
    assert found.deltas.tolist() == [[-2], [0]]
    # without grids its largest position is that of a masked slot
    lonely = build([[0, 0, 0, 0]], version=OLD, attention_mask=[[0, 0, 0, 1]])
    assert lonely.positions.tolist() == [[[1, 1, 1, 0]]] * 3 and lonely.deltas.tolist() == [[-2]]
    assert build([[0, 0, 0, 0]], version=NEW, attention_mask=[[0, 0, 0, 1]]).deltas.tolist() == [[0]]


def test_what_the_real_code_leaves_open():
    # an image number counts through the batch, so that a row depends on those before it
    row, size = [0, 1, 1, 0], [1, 2, 2]
    alone = BUILDERS["hunyuan_vl_positions"]([row], image_grid_thw=[size])
    second = BUILDERS["hunyuan_vl_positions"]([row] * 6, image_grid_thw=[size] * 6)
    assert alone.positions[3, 0].tolist() == [0, 0, 0, 3] and alone.deltas.tolist() == [[0]]
    assert second.positions[3, 5].tolist() == [0, 5, 5, 3] and second.deltas.tolist() == [[0]] * 4 + [[1], [2]]


# -- refused ----------------------------------------------------------------------------------------------------------

QWEN = dict(version=NEW)
QWEN25 = dict(version=NEW, tokens_per_second=2)
ONE_IMAGE = dict(image_grid_thw=[[1, 2, 4]])
OMNI = dict(IDS, image_grid_thw=None)
PICTURE = dict(MARKERS, downsample_mode="16x")
ORDER = dict(order="windows")


@pytest.mark.parametrize("name, arguments, options, code, argument, said", [
    ("qwen2_vl_positions", ([[0, 1, 1]],), ONE_IMAGE | dict(version="4"), "E_CHOICE", "version", "must be one of"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN, "E_SHAPE", "image_grid_thw",
     "must have a grid for each run of image tokens, got none"),
    ("qwen2_vl_positions", ([[0, 2, 2]],), QWEN | ONE_IMAGE, "E_SHAPE", "video_grid_thw", "got none"),
    ("qwen2_vl_positions", ([[0, 1, 1, 0, 1, 1]],), QWEN | ONE_IMAGE, "E_SHAPE", "image_grid_thw", "got 1 for more"),
    ("qwen2_vl_positions", ([[0, 0, 0]],), QWEN | ONE_IMAGE, "E_SHAPE", "image_grid_thw", "got 1 for 0"),
    ("qwen2_vl_positions", ([[0, 1, 1, 1]],), QWEN | ONE_IMAGE, "E_SHAPE", "mm_token_type_ids",
     "2 tokens for run 1 of image tokens, got 3"),
    ("qwen2_vl_positions", ([[1, 1, 1, 1]],), QWEN | dict(image_grid_thw=[[1, 2, 4]] * 2), "E_SHAPE",
     "mm_token_type_ids", "got 4"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[[1, 3, 4]]), "E_SIZE", "image_grid_thw",
     "multiples of spatial_merge_size = 2, got (1, 3, 4)"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[[1, -2, 4]]), "E_SIZE", "image_grid_thw",
     "must be at least 1, got -2"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[[0, 2, 4]]), "E_SIZE", "image_grid_thw",
     "got 0"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[[2**40, 2**40, 4]]), "E_SIZE", "image_grid_thw",
     "tokens each"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[1, 2, 4]), "E_SHAPE", "image_grid_thw",
     "must have shape (count, 3), got (3,)"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | dict(image_grid_thw=[[1.0, 2, 4]]), "E_DTYPE", "image_grid_thw",
     "got float64"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | ONE_IMAGE | dict(spatial_merge_size=0), "E_SIZE",
     "spatial_merge_size", "at least 1"),
    ("qwen2_vl_positions", ([[0, 1, 3]],), QWEN | ONE_IMAGE, "E_CHOICE", "mm_token_type_ids",
     "0 (text), 1 (image), 2 (video), got 3"),
    ("qwen2_vl_positions", ([0, 1, 1],), QWEN | ONE_IMAGE, "E_SHAPE", "mm_token_type_ids", "(batch, tokens), got (3,)"),
    ("qwen2_vl_positions", ([[], []],), QWEN, "E_SHAPE", "mm_token_type_ids", "between 1 and"),
    ("qwen2_vl_positions", ([[0, 1], [0]],), QWEN, "E_DTYPE", "mm_token_type_ids", "rectangular"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | ONE_IMAGE | dict(attention_mask=[[1, 1]]), "E_SHAPE",
     "attention_mask", "must have shape (1, 3), got (1, 2)"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | ONE_IMAGE | dict(attention_mask=[[1, 1, 2]]), "E_CHOICE",
     "attention_mask", "must be 0 or 1, got 2"),
    ("qwen2_vl_positions", ([[0], [0]],), QWEN | dict(attention_mask=[[1], [0]]), "E_SHAPE", "attention_mask",
     "got none in row 1"),
    ("qwen2_vl_positions", ([[0, 1, 1]],), QWEN | ONE_IMAGE | dict(attention_mask=[[1, 1, 0]]), "E_SHAPE",
     "mm_token_type_ids", "got 1"),
    ("qwen2_5_vl_positions", ([[0, 1, 1]],), ONE_IMAGE | QWEN25 | dict(tokens_per_second=2.0), "E_SIZE",
     "tokens_per_second", "integer"),
    ("qwen2_5_vl_positions", ([[2]],), QWEN25 | dict(video_grid_thw=[[1, 2, 2]], second_per_grid_ts=[-1.0]),
     "E_NUMBER", "second_per_grid_ts", "between 0 and 2**31, got -1.0"),
    ("qwen2_5_vl_positions", ([[2]],), QWEN25 | dict(video_grid_thw=[[1, 2, 2]], second_per_grid_ts=[np.nan]),
     "E_NUMBER", "second_per_grid_ts", "got nan"),
    ("qwen2_5_vl_positions", ([[2]],), QWEN25 | dict(video_grid_thw=[[1, 2, 2]], second_per_grid_ts=[1.0, 1.0]),
     "E_SHAPE", "second_per_grid_ts", "one entry for each video, got (2,) for 1"),
    ("qwen2_5_vl_positions", ([[2]],), QWEN25 | dict(video_grid_thw=[[1, 2, 2]], second_per_grid_ts=["1"]),
     "E_DTYPE", "second_per_grid_ts", "must be float32, float64 or integers"),
    ("qwen2_5_vl_positions", ([[2]],), dict(version=NEW, tokens_per_second=2**24, video_grid_thw=[[1, 2, 2]],
     second_per_grid_ts=[2.0**31]), "E_NUMBER", "second_per_grid_ts", "times below 2**53"),
    ("qwen2_5_vl_positions", ([[0, 1, 1]],), ONE_IMAGE | dict(version="sglang", tokens_per_second=2), "E_CHOICE",
     "version", "sglang-0.5.23"),
    ("qwen2_5_vl_positions", ([[0, 0, 1, 1]],), ONE_IMAGE | dict(version=SGLANG, tokens_per_second=2,
     attention_mask=[[0, 1, 1, 1]]), "E_CHOICE", "attention_mask", "must keep every token"),
    ("qwen_image21_positions", ([0, 1, 0, 1],), dict(grid_thw=[[1, 1, 2]]), "E_SHAPE", "image_pad_mask",
     "must have 2 tokens for image 1 of grid_thw, got 1"),
    ("qwen_image21_positions", ([0, 1],), dict(grid_thw=[[1, 2, 1]]), "E_SHAPE", "image_pad_mask", "got 1"),
    ("qwen_image21_positions", ([0],), dict(grid_thw=[[1, 1, 1]]), "E_SHAPE", "image_pad_mask", "got 0"),
    ("qwen_image21_positions", ([0, 1],), dict(grid_thw=None), "E_SHAPE", "grid_thw", "got 0 for more tokens"),
    ("qwen_image21_positions", ([0, 1, 1, 1],), dict(grid_thw=[[1, 1, 2]]), "E_SHAPE", "grid_thw", "got 1 for more"),
    ("qwen_image21_positions", ([0, 1, 1],), dict(grid_thw=[[2, 1, 1]]), "E_SIZE", "grid_thw", "1 frame"),
    ("qwen_image21_positions", ([[0, 1]],), dict(grid_thw=None), "E_SHAPE", "image_pad_mask", "(tokens,), got (1, 2)"),
    ("qwen_image21_positions", ([0, 2],), dict(grid_thw=None), "E_CHOICE", "image_pad_mask", "0 or 1, got 2"),
    ("qwen_image21_positions", ([0.5],), dict(grid_thw=None), "E_DTYPE", "image_pad_mask", "got float64"),
    ("ernie4_5_vl_positions", ([[2]],), dict(video_grid_thw=[[3, 2, 2]]), "E_SIZE", "video_grid_thw",
     "multiples of temporal_merge_size = 2, got (3, 2, 2)"),
    ("glm4v_positions", ([[0, 2, 2, 0]],), QWEN | dict(video_grid_thw=[[2, 2, 2]]), "E_SHAPE", "mm_token_type_ids",
     "1 tokens for run 1"),
    ("videorope_positions", ([[0]],), dict(scale_factor=-1), "E_NUMBER", "scale_factor", "between 0 and 2**31"),
    ("videorope_positions", ([[0]],), dict(scale_factor=float("inf")), "E_NUMBER", "scale_factor", "finite"),
    ("hunyuan_vl_positions", ([[0, 2]],), {}, "E_CHOICE", "mm_token_type_ids", "0 (text), 1 (image), got 2"),
    ("hunyuan_vl_positions", ([[0, 1, 1]],), dict(image_grid_thw=[[1, 2, 4]]), "E_SHAPE", "mm_token_type_ids",
     "3 tokens for run 1 of image tokens, got 2"),
    ("hunyuan_vl_positions", ([[0, 1, 1]],), dict(image_grid_thw=[[2, 2, 2]]), "E_SIZE", "image_grid_thw", "1 frame"),
    ("hunyuan_vl_positions", ([[0]],), dict(num_axes=2), "E_SIZE", "num_axes", "at least 3, got 2"),
    ("qwen2_5_omni_positions", ([[9, 1, 6]],), OMNI | dict(image_grid_thw=[[1, 2, 2]]), "E_SHAPE", "input_ids",
     "must have vision_start_token_id before each image, got 9 before token 1"),
    ("qwen2_5_omni_positions", ([[4, 1, 6]],), OMNI, "E_SHAPE", "image_grid_thw", "each image of input_ids, got none"),
    ("qwen2_5_omni_positions", ([[4, 1]],), OMNI | dict(image_grid_thw=[[1, 2, 2]]), "E_SHAPE", "input_ids",
     "must have its end token after each image, got []"),
    ("qwen2_5_omni_positions", ([[4, 1, 1, 6]],), OMNI | dict(image_grid_thw=[[1, 2, 2]]), "E_SHAPE", "input_ids",
     "its end token after each image, got [1]"),
    ("qwen2_5_omni_positions", ([[4, 1, 6]],), OMNI | dict(image_grid_thw=[[1, 2, 2]] * 2), "E_SHAPE",
     "image_grid_thw", "got 2 for 1"),
    ("qwen2_5_omni_positions", ([[4, 2, 6]],), OMNI | dict(video_grid_thw=[[1, 2, 2]]), "E_SHAPE", "second_per_grids",
     "must be given for videos"),
    ("qwen2_5_omni_positions", ([[5, 3, 6]],), OMNI, "E_SHAPE", "audio_seqlens", "got none"),
    ("qwen2_5_omni_positions", ([[5, 3, 3, 6]],), OMNI | dict(audio_seqlens=[16]), "E_SHAPE", "input_ids",
     "must have 4 audio tokens from token 1 on, got 2"),
    ("qwen2_5_omni_positions", ([[5, 3, 6]],), OMNI | dict(audio_seqlens=[2]), "E_SIZE", "audio_seqlens",
     "at least 3, got 2"),
    ("qwen2_5_omni_positions", ([[4, 2, 6]],), OMNI | dict(video_grid_thw=[[1, 2, 2]], second_per_grids=[1.0],
     use_audio_in_video=True), "E_CHOICE", "use_audio_in_video", "must be False for a video without audio"),
    ("qwen2_5_omni_positions", ([[4, 5, 2, 3, 6, 6]],), OMNI | dict(video_grid_thw=[[1, 2, 2]], second_per_grids=[1.0],
     audio_seqlens=[4]), "E_CHOICE", "use_audio_in_video", "must be True for a video with its audio"),
    ("qwen3_omni_positions", ([[4, 5, 2, 3, 6]],), OMNI | dict(video_grid_thw=[[1, 2, 2]], second_per_grids=[1.0],
     audio_seqlens=[4], use_audio_in_video=True), "E_SHAPE", "input_ids", "its two end tokens"),
    ("qwen3_omni_positions", ([[4, 9]],), OMNI, "E_SHAPE", "input_ids", "got 0 blocks and 1 start tokens"),
    ("qwen3_omni_positions", ([[9]],), OMNI | dict(video_token_id=1), "E_CHOICE", "video_token_id", "must differ"),
    ("glm_image_positions", ([[1, 9, 2, 1]],), dict(image_start_token_id=1, image_end_token_id=2,
     image_grid_thw=[[1, 1, 2]]), "E_SHAPE", "input_ids", "must have 2 tokens between the start and the end of"),
    ("glm_image_positions", ([[1, 9, 2, 1]],), dict(image_start_token_id=1, image_end_token_id=2), "E_SHAPE",
     "image_grid_thw", "got 0 for 1"),
    ("glm_image_positions", ([[1], [1]],), dict(image_start_token_id=1, image_end_token_id=2,
     image_grid_thw=[[1, 1, 2]]), "E_SHAPE", "images_per_sample", "of 2 rows"),
    ("glm_image_positions", ([[1]],), dict(image_start_token_id=1, image_end_token_id=2, image_grid_thw=[[1, 1, 2]],
     images_per_sample=[2]), "E_SHAPE", "images_per_sample", "must add up to the 1 grids, got 2"),
    ("minicpm_v_positions", ([[9, 7]], [[0, 1]]), PICTURE | dict(target_sizes=[[4, 4]]), "E_SHAPE", "input_ids",
     "image_start_id or slice_start_id"),
    ("minicpm_v_positions", ([[13, 7]], [[0, 1]]), PICTURE | dict(target_sizes=[[4, 4]]), "E_SHAPE", "input_ids",
     "got 13 before token 1"),
    ("minicpm_v_positions", ([[11, 7]], [[0, 1]]), PICTURE | dict(target_sizes=[[4, 6]]), "E_SIZE", "target_sizes",
     "multiples of 4"),
    ("minicpm_v_positions", ([[11, 7]], [[0, 1]]), PICTURE | dict(target_sizes=[[4, 8]]), "E_SHAPE",
     "mm_token_type_ids", "2 tokens for entry 1 of target_sizes, got 1"),
    ("minicpm_v_positions", ([[11, 7]], [[0, 2]]), PICTURE, "E_SHAPE", "target_sizes_videos", "got none"),
    ("minicpm_v_positions", ([[11, 7]], [[0, 0]]), PICTURE | dict(downsample_mode="8x"), "E_CHOICE", "downsample_mode",
     "must be one of"),
    ("attention_mask_positions", ([[0, 0]],), dict(masked=0), "E_SHAPE", "attention_mask", "got none in row 0"),
    ("attention_mask_positions", ([1, 1],), dict(masked=0), "E_SHAPE", "attention_mask",
     "(batch, tokens), both at least 1, got (2,)"),
    ("attention_mask_positions", ([[1.0]],), dict(masked=0), "E_DTYPE", "attention_mask", "got float64"),
    ("attention_mask_positions", ([[1]],), dict(masked=-1), "E_SIZE", "masked", "at least 0"),
    ("attention_mask_positions", ([[1]],), dict(masked=0, past_length=2), "E_SIZE", "past_length", "at most 1"),
    ("vision_token_order", ([[1, 2, 3]],), ORDER, "E_SIZE", "grid_thw", "multiples of spatial_merge_size = 2"),
    ("vision_token_order", ([[1, 2, 2]],), ORDER | dict(window_size=20), "E_SIZE", "window_size", "got 20"),
    ("vision_token_order", ([[1, 2, 2]],), dict(order="morton"), "E_CHOICE", "order", "must be one of"),
    ("vision_token_order", (None,), ORDER, "E_SHAPE", "grid_thw", "got None"),
    ("flux_positions", (0, 2), dict(text_length=1), "E_SIZE", "height", "at least 1, got 0"),
    ("flux_positions", (2, 2), dict(text_length=1, reference=[2]), "E_SHAPE", "reference", "shape (2,), got (1,)"),
    ("flux2_positions", (2, 2), dict(text_length=-1), "E_SIZE", "text_length", "at least 0, got -1"),
    ("flux2_positions", (2, 2), dict(text_length=1, references=[[1, 0]]), "E_SIZE", "references", "at least 1, got 0"),
    ("lumina2_positions", (2, 2), dict(text_lengths=[-1]), "E_SIZE", "text_lengths", "at least 0, got -1"),
    ("lumina2_positions", (2, 2), dict(text_lengths=[]), "E_SIZE", "text_lengths", "at least one caption"),
    ("qwen_image_positions", ([[2, 1, 1]],), dict(text_length=1, layered=True), "E_SIZE", "grid_thw", "1 frame"),
    ("qwen_image_positions", ([],), dict(text_length=1), "E_SHAPE", "grid_thw", "(count, 3), got (0,)"),
])  # fmt: skip
def test_refused(name, arguments, options, code, argument, said):
    with pytest.raises(InputError) as caught:
        BUILDERS[name](*arguments, **options)
    assert (caught.value.code, caught.value.argument) == (code, argument)
    assert said in str(caught.value)
    assert isinstance(caught.value, InputTypeError) == (code == "E_DTYPE" or "integer" in said)


def test_inputs_stay_as_they_are():
    rng = np.random.default_rng(0)
    _, types, given = multimodal(rng, 2)
    copies = {name: None if value is None else value.copy() for name, value in given.items()}
    BUILDERS["qwen2_vl_positions"](types, version=OLD, **given)
    for name, value in given.items():
        assert (value is None) == (copies[name] is None) and np.array_equal(value, copies[name])


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "<i4", ">i8", "u8"])
def test_any_integer_dtype_and_any_strides(dtype):
    types, sizes = [[0, 1, 1, 0]], [[1, 2, 4]]
    expected = BUILDERS["qwen2_vl_positions"](types, version=NEW, image_grid_thw=sizes)
    wide = np.repeat(np.array(types, dtype), 3, 1)[:, ::3]
    assert_equal(BUILDERS["qwen2_vl_positions"](wide, version=NEW, image_grid_thw=np.array(sizes, dtype)), expected)
