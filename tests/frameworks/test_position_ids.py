"""Position ids as the models of transformers make them."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models.transformers.transformer_qwenimage21 import QwenImage21Rope
from test_position_ids import (
    AUDIO,
    AUDIO_START,
    BUILDERS,
    END,
    IDS,
    IMAGE,
    MARKERS,
    NEW,
    NUMBER,
    SGLANG,
    VIDEO,
    VISION_START,
    assert_equal,
    generators,
    grid_of,
    multimodal,
    padded,
    qwen2_5_vl_batch,
    text,
)
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
            if kind == AUDIO or (kind == VIDEO and together):
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
    types[np.ones_like(types, bool) if mask is None else mask == 1] = [kind for row in kinds for kind in row]
    sizes = {kind: np.array(found) if found else None for kind, found in sizes.items()}
    return dict(
        input_ids=input_ids, mm_token_type_ids=types, attention_mask=mask,
        target_sizes=sizes[IMAGE], target_sizes_videos=sizes[VIDEO],
    )  # fmt: skip


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
        assert_equal(BUILDERS[name](types, spatial_merge_size=merge, **given, **extra), expected)
        answer = getattr(witness, name)(types, spatial_merge_size=merge, **given, **extra)
        assert_equal(tuple(map(np.array, answer)), expected)


def test_times_of_the_real_qwen2_5_vl():
    for rng in generators(2):
        input_ids, types, given, rate = qwen2_5_vl_batch(rng)
        config = SimpleNamespace(spatial_merge_size=2, tokens_per_second=rate)
        expected = rope_index(
            Qwen2_5_VLModel, dict(input_ids=input_ids, mm_token_type_ids=types, **given), vision_config=config
        )
        assert_equal(BUILDERS["qwen2_5_vl_positions"](types, version=NEW, tokens_per_second=rate, **given), expected)
        answer = witness.qwen2_5_vl_positions(types, version=NEW, tokens_per_second=rate, **given)
        assert_equal(tuple(map(np.array, answer)), expected)


def omni_config(window=50):
    return dict(
        **IDS, spatial_merge_size=2, position_id_per_seconds=25, seconds_per_chunk=2,
        audio_config=SimpleNamespace(n_window=window),
    )  # fmt: skip


def test_the_real_qwen2_5_omni():
    for rng in generators(3):
        given = omni(rng, lambda n: ((n - 1) // 2 - 1) // 2 + 1)
        expected = rope_index(Qwen2_5OmniPreTrainedModelForConditionalGeneration, given, **omni_config())
        assert_equal(BUILDERS["qwen2_5_omni_positions"](**given, **IDS), expected)
        assert_equal(tuple(map(np.array, witness.qwen2_5_omni_positions(**given, **IDS))), expected)


@pytest.mark.parametrize("window", [50, 30])
def test_the_real_qwen3_omni(window):
    def audio_tokens(n):
        full, rest = divmod(n, 2 * window)
        return 13 * full + (-(-rest // 8) if rest else 0)

    for rng in generators(4):
        given = omni(rng, audio_tokens)
        expected = rope_index(Qwen3OmniMoePreTrainedModelForConditionalGeneration, given, **omni_config(window))
        assert_equal(BUILDERS["qwen3_omni_positions"](**given, **IDS, n_window=window), expected, np.float32)
        answer = witness.qwen3_omni_positions(**given, **IDS, n_window=window)
        assert_equal(tuple(np.array(found, np.float32) for found in answer), expected, np.float32)


def test_the_real_glm_image():
    ids = dict(image_start_token_id=1, image_end_token_id=2)
    for rng in generators(5):
        given = glm_image(rng)
        real = model(GlmImageModel, **ids)
        positions, deltas = real.get_rope_index(**tensors(given))
        assert not deltas.any()
        expected = positions.numpy(), real._cached_decode_position_ids.numpy()
        assert_equal(BUILDERS["glm_image_positions"](**given, **ids), expected)
        assert_equal(tuple(map(np.array, witness.glm_image_positions(**given, **ids))), expected)


@pytest.mark.parametrize("axes", [3, 4, 5])
def test_the_real_hunyuan_vl(axes):
    text_config = SimpleNamespace(rope_parameters={"mrope_section": [1] * axes})
    config = dict(text_config=text_config, vision_config=SimpleNamespace(spatial_merge_size=2))
    for rng in generators(6):
        given = hunyuan(rng)
        expected = rope_index(HunYuanVLModel, dict(input_ids=given["mm_token_type_ids"], **given), **config)
        assert_equal(BUILDERS["hunyuan_vl_positions"](**given, num_axes=axes), expected)
        assert_equal(tuple(map(np.array, witness.hunyuan_vl_positions(**given, num_axes=axes))), expected)


@pytest.mark.parametrize("mode, merge", [("4x", 2), ("16x", 4)])
def test_the_real_minicpm_v(mode, merge):
    for rng in generators(7):
        given = minicpm(rng, merge)
        expected = rope_index(MiniCPMV4_7Model, given, **MARKERS, downsample_mode=mode)
        assert_equal(BUILDERS["minicpm_v_positions"](**given, **MARKERS, downsample_mode=mode), expected)
        answer = witness.minicpm_v_positions(**given, **MARKERS, downsample_mode=mode)
        assert_equal(tuple(map(np.array, answer)), expected)


def test_the_real_text_positions():
    for rng in generators(8):
        mask = rng.integers(0, 2, rng.integers(1, 9, 2)) | 0
        mask[:, rng.integers(mask.shape[1])] = 1
        real = GenerationMixin._prepare_position_ids_for_generation(
            None, torch.from_numpy(mask), {"attention_mask": torch.from_numpy(mask)}
        ).numpy()
        past = int(rng.integers(0, mask.shape[1] + 1))
        for given in (mask, mask.astype(bool), mask.tolist()):
            assert_equal(BUILDERS["attention_mask_positions"](given, masked=0, past_length=past), real[:, past:])
        older = np.where(mask == 0, 1, real)  # 4.57.1 has another fill
        assert_equal(BUILDERS["attention_mask_positions"](mask, masked=1), older)
        assert witness.attention_mask_positions(mask, masked=1, past_length=past) == older[:, past:].tolist()


def test_the_real_vision_orders():
    order_of = BUILDERS["vision_token_order"]
    for rng in generators(9):
        merge, window, patch = int(rng.integers(1, 4)), int(rng.integers(1, 5)), int(rng.choice([14, 16]))
        sizes = np.array([grid_of(rng, merge, VIDEO) for _ in range(rng.integers(1, 4))])
        real = get_vision_position_ids(torch.from_numpy(sizes), merge, include_temporal=True).numpy()
        assert_equal(order_of(sizes, order="merge-blocks", spatial_merge_size=merge), real)
        index, _ = get_vision_window_index(torch.from_numpy(sizes), merge, window * merge * patch, patch)
        moved = real.reshape(-1, merge**2, 3)[index.numpy()].reshape(-1, 3)
        options = dict(spatial_merge_size=merge, window_size=window * merge * patch, patch_size=patch)
        assert_equal(order_of(sizes, order="windows", **options), moved)
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
            assert_equal(BUILDERS["qwen_image21_positions"](given, grid_thw=sizes), expected)
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


# -- printed by those programs ----------------------------------------------------------------------------------------


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
