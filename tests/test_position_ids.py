"""Position builders against the functions of real models, the witness, and what must be refused.

Real here: get_rope_index of transformers 5 as installed, called on objects that have a configuration and no weights,
and the class of Qwen-Image 2.1 in diffusers. Not real here, but by the witness's own account: what older transformers
(4.57.1), SGLang (0.5.23), diffusers (0.42.1) elsewhere and VideoRoPE compute, which cannot stand beside it. Values that
those programs printed are written out below.
"""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models.transformers.transformer_qwenimage21 import QwenImage21Rope
from transformers.generation.utils import GenerationMixin
from transformers.models.ernie4_5_vl_moe.modeling_ernie4_5_vl_moe import Ernie4_5_VLMoeModel
from transformers.models.glm4v.modeling_glm4v import Glm4vModel
from transformers.models.glm_image.modeling_glm_image import GlmImageModel
from transformers.models.hunyuan_vl.modeling_hunyuan_vl import HunYuanVLModel
from transformers.models.minicpmv4_7.modeling_minicpmv4_7 import MiniCPMV4_7Model
from transformers.models.qwen2_5_omni.modeling_qwen2_5_omni import Qwen2_5OmniPreTrainedModelForConditionalGeneration
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel
from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import (
    Qwen3OmniMoePreTrainedModelForConditionalGeneration,
)
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLModel
from transformers.vision_utils import get_vision_position_ids, get_vision_window_index
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


def equal(got, expected, dtype=np.int64):
    """Whether each array has the expected numbers and the dtype."""
    got = got if isinstance(got, tuple) else (got,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(got, expected, strict=True):
        assert one.dtype == dtype and one.flags.writeable
        np.testing.assert_array_equal(one, np.asarray(other))


def model(kind, **config):
    """What get_rope_index needs of a model: its methods and a configuration."""
    names = ("get_rope_index", "get_vision_position_ids", "get_llm_pos_ids_for_vision", "get_chunked_index",
             "_group_visual_frames", "_frame_end_idx")  # fmt: skip
    found = SimpleNamespace(config=SimpleNamespace(**config), **config)
    for name in names:
        method = inspect.getattr_static(kind, name, None)
        if isinstance(method, staticmethod):
            setattr(found, name, method.__func__)
        elif method is not None:
            setattr(found, name, method.__get__(found))
    return found


def tensors(given):
    """Arrays as tensors; None stays."""
    return {name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}


def rope_index(kind, given, **config):
    """Positions and deltas of the real function."""
    return tuple(found.numpy() for found in model(kind, **config).get_rope_index(**tensors(given)))


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


def omni(rng, audio_tokens, merge=2):
    """A batch for the Omni models; either every video has its audio in it, or none."""
    together = bool(rng.integers(2))
    rows, grids, lengths, seconds = [], {IMAGE: [], VIDEO: []}, [], []
    for _ in range(rng.integers(1, 4)):
        row = text(rng, 0)
        for _ in range(rng.integers(0, 4)):
            kind = int(rng.integers(1, 4))
            row += text(rng, 0)
            size, heard = 0, 0
            if kind != AUDIO:
                t, h, w = grid_of(rng, merge, kind)
                t = int(rng.integers(1, 8)) if kind == VIDEO else t
                grids[kind].append([t, h, w])
                size = t * h * w // merge**2
            if kind == VIDEO:
                seconds.append(rng.choice([0.5, 1.0, 1.5, 2.0, 4.0, 1 / 3, 0.1, 0.04, 0.08, 9 * rng.random()]))
            if kind == AUDIO or kind == VIDEO and together:
                lengths.append(int(rng.choice([rng.integers(3, 40), rng.integers(40, 700)])))
                heard = audio_tokens(lengths[-1])
            if kind == VIDEO and together:
                mixed = [VIDEO] * (size - 1) + [AUDIO] * heard
                rng.shuffle(mixed)
                row += [VISION_START, AUDIO_START, VIDEO, *mixed, END, END]
            elif kind == AUDIO:
                row += [AUDIO_START, *[AUDIO] * heard, END]
            else:
                row += [VISION_START, *[kind] * size, END]
        rows.append(row + text(rng, 0) or text(rng))
    input_ids, mask = padded(rng, rows)
    return dict(
        input_ids=input_ids,
        attention_mask=np.ones_like(input_ids) if mask is None else mask,
        image_grid_thw=np.array(grids[IMAGE]) if grids[IMAGE] else None,
        video_grid_thw=np.array(grids[VIDEO]) if grids[VIDEO] else None,
        audio_seqlens=np.array(lengths) if lengths else None,
        second_per_grids=np.array(seconds, np.float32) if seconds else None,
        use_audio_in_video=together,
    )


def glm_image(rng):
    """A batch of prompts, some with source images, each asking for at least one image."""
    rows, grids, counts = [], [], []
    for _ in range(rng.integers(1, 4)):
        row, own = text(rng), []
        for _ in range(rng.integers(0, 3)):
            own.append([1, *rng.integers(1, 5, 2).tolist()])
            row += [*text(rng, 0), 1, *[200] * (own[-1][1] * own[-1][2]), 2]
        own += [[1, *rng.integers(1, 5, 2).tolist()] for _ in range(rng.integers(0 if own else 1, 3))]
        rows.append([*row, *text(rng, 0), 1])
        grids += own
        counts.append(len(own))
    input_ids, mask = padded(rng, rows)
    return dict(
        input_ids=input_ids, image_grid_thw=np.array(grids), images_per_sample=np.array(counts), attention_mask=mask
    )


def hunyuan(rng):
    rows, grids = [], []
    for _ in range(rng.integers(1, 4)):
        row = [0] * int(rng.integers(1, 5))
        for _ in range(rng.integers(0, 4)):
            h, w = rng.integers(1, 5, 2).tolist()
            grids.append([1, 2 * h, 2 * w])
            row += [1] * (h * (w + 1) + 2 * int(rng.integers(2))) + [0] * int(rng.integers(1, 4))
        rows.append(row)
    types, mask = padded(rng, rows)
    return dict(mm_token_type_ids=types, image_grid_thw=np.array(grids) if grids else None, attention_mask=mask)


def minicpm(rng, merge):
    """A batch of pictures and video frames, with or without slices, some of them side by side."""
    start, end, slice_start, slice_end, newline = MARKERS.values()
    rows, kinds, sizes = [], [], {IMAGE: [], VIDEO: []}
    for _ in range(rng.integers(1, 3)):
        row, types = text(rng, 0), []
        types += [0] * len(row)

        def put(tokens, kind=0):
            row.extend(tokens)
            types.extend([kind] * len(tokens))

        for _ in range(rng.integers(0, 4)):
            kind = int(rng.integers(1, 3))
            h, w = rng.integers(1, 5, 2).tolist()
            sizes[kind].append([h * merge, w * merge])
            put([start])
            put([200] * (h * w), kind)
            put([end])
            down, across = rng.integers(1, 4, 2).tolist() if rng.integers(2) else (0, 0)
            h, w = rng.integers(1, 5, 2).tolist()
            for k in range(down * across):
                if k and not k % across:
                    put([newline])
                if not rng.integers(12):  # an odd one
                    h = int(rng.integers(1, 5))
                sizes[kind].append([h * merge, w * merge])
                put([slice_start])
                put([200] * (h * w), kind)
                put([slice_end])
            put([newline] * int(rng.integers(2)))
            if rng.integers(3):
                put(text(rng))
        put(text(rng, 0) or text(rng))
        rows.append(row)
        kinds.append(types)
    input_ids, mask = padded(rng, rows)
    types = np.zeros_like(input_ids)
    types[np.ones_like(types, bool) if mask is None else mask == 1] = sum(kinds, [])
    sizes = {kind: np.array(found) if found else None for kind, found in sizes.items()}
    return dict(
        input_ids=input_ids, mm_token_type_ids=types, attention_mask=mask,
        target_sizes=sizes[IMAGE], target_sizes_videos=sizes[VIDEO],
    )  # fmt: skip


def generators(seed):
    return (np.random.default_rng([seed, k]) for k in range(NUMBER))


# -- real models ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, kind", [
    ("qwen2_vl_positions", Qwen2VLModel), ("qwen3_vl_positions", Qwen3VLModel), ("glm4v_positions", Glm4vModel),
    ("ernie4_5_vl_positions", Ernie4_5_VLMoeModel),
])  # fmt: skip
def test_images_and_videos_of_real_models(name, kind):
    ernie = kind is Ernie4_5_VLMoeModel
    for rng in generators(1):
        merge, temporal = int(rng.integers(1, 4)), int(rng.integers(1, 4)) if ernie else 1
        framewise = name in ("qwen3_vl_positions", "glm4v_positions")
        input_ids, types, given = multimodal(rng, merge, framewise=framewise, temporal=temporal)
        config = SimpleNamespace(spatial_merge_size=merge, temporal_merge_size=temporal)
        expected = rope_index(kind, dict(input_ids=input_ids, mm_token_type_ids=types, **given), vision_config=config)
        extra = dict(temporal_merge_size=temporal) if ernie else dict(version=NEW)
        equal(BUILDERS[name](types, spatial_merge_size=merge, **given, **extra), expected)
        answer = getattr(witness, name)(types, spatial_merge_size=merge, **given, **extra)
        equal(tuple(map(np.array, answer)), expected)


def test_times_of_the_real_qwen2_5_vl():
    for rng in generators(2):
        input_ids, types, given, rate = qwen2_5_vl_batch(rng)
        config = SimpleNamespace(spatial_merge_size=2, tokens_per_second=rate)
        expected = rope_index(
            Qwen2_5_VLModel, dict(input_ids=input_ids, mm_token_type_ids=types, **given), vision_config=config
        )
        equal(BUILDERS["qwen2_5_vl_positions"](types, version=NEW, tokens_per_second=rate, **given), expected)
        answer = witness.qwen2_5_vl_positions(types, version=NEW, tokens_per_second=rate, **given)
        equal(tuple(map(np.array, answer)), expected)


def omni_config(window=50):
    return dict(
        **IDS, spatial_merge_size=2, position_id_per_seconds=25, seconds_per_chunk=2,
        audio_config=SimpleNamespace(n_window=window),
    )  # fmt: skip


def test_the_real_qwen2_5_omni():
    for rng in generators(3):
        given = omni(rng, lambda n: ((n - 1) // 2 - 1) // 2 + 1)
        expected = rope_index(Qwen2_5OmniPreTrainedModelForConditionalGeneration, given, **omni_config())
        equal(BUILDERS["qwen2_5_omni_positions"](**given, **IDS), expected)
        equal(tuple(map(np.array, witness.qwen2_5_omni_positions(**given, **IDS))), expected)


@pytest.mark.parametrize("window", [50, 30])
def test_the_real_qwen3_omni(window):
    def audio_tokens(n):
        full, rest = divmod(n, 2 * window)
        return 13 * full + (-(-rest // 8) if rest else 0)

    for rng in generators(4):
        given = omni(rng, audio_tokens)
        expected = rope_index(Qwen3OmniMoePreTrainedModelForConditionalGeneration, given, **omni_config(window))
        equal(BUILDERS["qwen3_omni_positions"](**given, **IDS, n_window=window), expected, np.float32)
        answer = witness.qwen3_omni_positions(**given, **IDS, n_window=window)
        equal(tuple(np.array(found, np.float32) for found in answer), expected, np.float32)


def test_the_real_glm_image():
    ids = dict(image_start_token_id=1, image_end_token_id=2)
    for rng in generators(5):
        given = glm_image(rng)
        real = model(GlmImageModel, **ids)
        positions, deltas = real.get_rope_index(**tensors(given))
        assert not deltas.any()
        expected = positions.numpy(), real._cached_decode_position_ids.numpy()
        equal(BUILDERS["glm_image_positions"](**given, **ids), expected)
        equal(tuple(map(np.array, witness.glm_image_positions(**given, **ids))), expected)


@pytest.mark.parametrize("axes", [3, 4, 5])
def test_the_real_hunyuan_vl(axes):
    text_config = SimpleNamespace(rope_parameters={"mrope_section": [1] * axes})
    config = dict(text_config=text_config, vision_config=SimpleNamespace(spatial_merge_size=2))
    for rng in generators(6):
        given = hunyuan(rng)
        expected = rope_index(HunYuanVLModel, dict(input_ids=given["mm_token_type_ids"], **given), **config)
        equal(BUILDERS["hunyuan_vl_positions"](**given, num_axes=axes), expected)
        equal(tuple(map(np.array, witness.hunyuan_vl_positions(**given, num_axes=axes))), expected)


@pytest.mark.parametrize("mode, merge", [("4x", 2), ("16x", 4)])
def test_the_real_minicpm_v(mode, merge):
    for rng in generators(7):
        given = minicpm(rng, merge)
        expected = rope_index(MiniCPMV4_7Model, given, **MARKERS, downsample_mode=mode)
        equal(BUILDERS["minicpm_v_positions"](**given, **MARKERS, downsample_mode=mode), expected)
        answer = witness.minicpm_v_positions(**given, **MARKERS, downsample_mode=mode)
        equal(tuple(map(np.array, answer)), expected)


def test_the_real_text_positions():
    for rng in generators(8):
        mask = rng.integers(0, 2, rng.integers(1, 9, 2)) | 0
        mask[:, rng.integers(mask.shape[1])] = 1
        real = GenerationMixin._prepare_position_ids_for_generation(
            None, torch.from_numpy(mask), {"attention_mask": torch.from_numpy(mask)}
        ).numpy()
        past = int(rng.integers(0, mask.shape[1] + 1))
        for given in (mask, mask.astype(bool), mask.tolist()):
            equal(BUILDERS["attention_mask_positions"](given, masked=0, past_length=past), real[:, past:])
        older = np.where(mask == 0, 1, real)  # 4.57.1 has another fill
        equal(BUILDERS["attention_mask_positions"](mask, masked=1), older)
        assert witness.attention_mask_positions(mask, masked=1, past_length=past) == older[:, past:].tolist()


def test_the_real_vision_orders():
    order_of = BUILDERS["vision_token_order"]
    for rng in generators(9):
        merge, window, patch = int(rng.integers(1, 4)), int(rng.integers(1, 5)), int(rng.choice([14, 16]))
        sizes = np.array([grid_of(rng, merge, VIDEO) for _ in range(rng.integers(1, 4))])
        real = get_vision_position_ids(torch.from_numpy(sizes), merge, include_temporal=True).numpy()
        equal(order_of(sizes, order="merge-blocks", spatial_merge_size=merge), real)
        index, _ = get_vision_window_index(torch.from_numpy(sizes), merge, window * merge * patch, patch)
        moved = real.reshape(-1, merge**2, 3)[index.numpy()].reshape(-1, 3)
        options = dict(spatial_merge_size=merge, window_size=window * merge * patch, patch_size=patch)
        equal(order_of(sizes, order="windows", **options), moved)
        for order in ("row-major", "column-major", "merge-blocks", "windows"):
            found = order_of(sizes, order=order, **options)
            assert found.tolist() == witness.vision_token_order(sizes, order=order, **options)
            assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, order_of(sizes, order="row-major").tolist()))


def qwen_image21(rng):
    """Text and images in any order, images side by side too."""
    mask, sizes = [], []
    for _ in range(rng.integers(0, 5)):
        h, w = rng.integers(1, 6, 2).tolist()
        mask += [0] * int(rng.integers(0, 4)) + [1] * (h * w)
        sizes.append([1, h, w])
    return np.array(mask + [0] * int(rng.integers(0, 4)), np.int64), np.array(sizes, np.int64).reshape(-1, 3)


def test_the_real_qwen_image21():
    real = QwenImage21Rope(10000, [16, 56, 56])
    counted = torch.cat([torch.arange(8192), torch.arange(-1024, 0)])[:, None]
    assert all(len(table) == len(counted) for table in real.freqs)
    real.freqs = [counted] * 3  # its tables hold positions, so that it gives back which it took
    for rng in generators(13):
        mask, sizes = qwen_image21(rng)
        expected = real(sizes.tolist(), torch.from_numpy(mask).bool(), torch.device("cpu")).T.numpy()
        for given in (mask, mask.astype(bool), mask.tolist()):
            equal(BUILDERS["qwen_image21_positions"](given, grid_thw=sizes), expected)
        assert witness.qwen_image21_positions(mask, grid_thw=sizes) == expected.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_the_products_of_sglang_in_torch(dtype):
    """SGLang and vLLM multiply whole frames by one number of a tensor, then by the rate, and cut."""
    rng, apart = np.random.default_rng(14), 0
    for _ in range(NUMBER):
        count, rate = int(rng.integers(1, 40)), int(rng.choice([1, 2, 4, 25]))
        second = torch.tensor([rng.integers(0, 100) / 25], dtype=dtype)
        times = (torch.arange(count) * second[0] * rate).long()
        options = dict(tokens_per_second=rate, video_grid_thw=[[count, 2, 2]], second_per_grid_ts=second.numpy())
        found, other = (
            BUILDERS["qwen2_5_vl_positions"]([[2] * count], version=version, **options).positions[0, 0]
            for version in (SGLANG, NEW)
        )
        assert found.tolist() == times.tolist()
        apart += found.tolist() != other.tolist()
    assert (apart > 0) == (dtype != torch.int64)


@pytest.mark.parametrize("version, last", [(NEW, 50331645), (SGLANG, 50331644)])
def test_no_seconds_are_a_float_in_sglang(version, last):
    options = dict(tokens_per_second=2**24 - 1, video_grid_thw=[[4, 2, 2]])
    found = BUILDERS["qwen2_5_vl_positions"]([[2] * 4], version=version, **options).positions[0, 0]
    assert found[-1] == last
    if version == SGLANG:
        assert (torch.arange(4) * 1.0 * (2**24 - 1)).long().tolist() == found.tolist()


# -- by formula -------------------------------------------------------------------------------------------------------


def test_the_older_algorithm_by_formula():
    for rng in generators(10):
        for name, framewise in (("qwen2_vl_positions", False), ("qwen3_vl_positions", True), ("glm4v_positions", True)):
            _, types, given = multimodal(rng, 2, framewise=framewise)
            expected = getattr(witness, name)(types, version=OLD, **given)
            equal(BUILDERS[name](types, version=OLD, **given), expected)
        _, types, given, rate = qwen2_5_vl_batch(rng)
        expected = witness.qwen2_5_vl_positions(types, version=OLD, tokens_per_second=rate, **given)
        equal(BUILDERS["qwen2_5_vl_positions"](types, version=OLD, tokens_per_second=rate, **given), expected)


def test_sglang_by_formula():
    for rng in generators(15):
        _, types, given, rate = qwen2_5_vl_batch(rng)
        mask, options = given.pop("attention_mask"), dict(version=SGLANG, tokens_per_second=rate, **given)
        if mask is not None and not mask.all():
            with pytest.raises(InputError, match="must keep every token"):
                BUILDERS["qwen2_5_vl_positions"](types, attention_mask=mask, **options)
        # padding is text there
        expected = witness.qwen2_5_vl_positions(types, **options)
        equal(BUILDERS["qwen2_5_vl_positions"](types, **options), expected)


def test_videorope_by_formula():
    for rng in generators(11):
        _, types, given = multimodal(rng, 2)
        scale = rng.choice([0.0, 0.5, 1.0, 2.0, 1 / 3, 1.7, 123456.789])
        expected = witness.videorope_positions(types, scale_factor=scale, **given)
        got = BUILDERS["videorope_positions"](types, scale_factor=scale, **given)
        equal(got, tuple(np.array(found, np.float32) for found in expected), np.float32)


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
                equal(BUILDERS[name](height, width, **options), expected)
            else:
                equal(BUILDERS[name](height, width, **options), pair(expected, 4 if "2" in name else 3))
        sizes = np.array([[1, h, w], *([1, *image] for image in images)])
        sizes[0, 0] = rng.integers(1, 4)
        layered = bool(rng.integers(2)) and sizes[-1, 0] == 1
        options = dict(text_length=length - 1, scale_rope=bool(rng.integers(2)), layered=bool(layered))
        expected = pair(witness.qwen_image_positions(sizes, **options), 3)
        equal(BUILDERS["qwen_image_positions"](sizes, **options), expected)


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
    found = build(
        types, version=OLD, attention_mask=mask, image_grid_thw=[[1, 4, 2]], video_grid_thw=[[3, 2, 2]]
    )
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


@pytest.mark.parametrize("dtype, times", [("float32", [0, 8, 16, 25]), ("float64", [0, 8, 16, 24])])
def test_the_dtype_of_the_seconds_decides_a_frame(dtype, times):
    # a third is larger in float32 than in float64, where three times 25 of it are below 25
    seconds, sizes = np.array([1 / 3], dtype), [[4, 2, 2]]
    options = dict(version=NEW, tokens_per_second=25, video_grid_thw=sizes, second_per_grid_ts=seconds)
    assert BUILDERS["qwen2_5_vl_positions"]([[2] * 4], **options).positions[0, 0].tolist() == times
    config = SimpleNamespace(spatial_merge_size=2, tokens_per_second=25)
    given = dict(video_grid_thw=np.array(sizes), second_per_grid_ts=seconds, input_ids=np.full((1, 4), 2))
    real = rope_index(Qwen2_5_VLModel, given | dict(mm_token_type_ids=given["input_ids"]), vision_config=config)
    assert real[0][0, 0].tolist() == times


def test_a_canvas_as_torch_spreads_it():
    build, start = BUILDERS["minicpm_v_positions"], MARKERS["image_start_id"]
    for count in range(1, 65):
        for canvas in (count, 14, 48, 63, 128):
            # a thumbnail of `count` rows above one column of `canvas` slices of one token
            row = [start, *[200] * count, 12] + [13, 200, 14, 15] * (canvas - 1) + [13, 200, 14]
            kinds = [int(token == 200) for token in row]
            sizes = [[2 * count, 2], *[[2, 2]] * canvas]
            found = build([row], [kinds], **MARKERS, downsample_mode="4x", target_sizes=sizes).positions[1, 0]
            real = torch.linspace(0, canvas - 1, count).round().long()
            assert found[1 : count + 1].tolist() == real.tolist()
            assert real.tolist() == [witness.stretched(k, canvas, count) for k in range(count)]


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
    ("attention_mask_positions", ([1, 1],), dict(masked=0), "E_SHAPE", "attention_mask", "(batch, tokens), got (2,)"),
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
    input_ids, types, given = multimodal(rng, 2)
    copies = {name: None if value is None else value.copy() for name, value in given.items()}
    BUILDERS["qwen2_vl_positions"](types, version=OLD, **given)
    for name, value in given.items():
        assert (value is None) == (copies[name] is None) and np.array_equal(value, copies[name])


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "<i4", ">i8", "u8"])
def test_any_integer_dtype_and_any_strides(dtype):
    types, sizes = [[0, 1, 1, 0]], [[1, 2, 4]]
    expected = BUILDERS["qwen2_vl_positions"](types, version=NEW, image_grid_thw=sizes)
    wide = np.repeat(np.array(types, dtype), 3, 1)[:, ::3]
    equal(BUILDERS["qwen2_vl_positions"](wide, version=NEW, image_grid_thw=np.array(sizes, dtype)), expected)
