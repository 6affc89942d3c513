"""Golden cases of the positions of Qwen2.5-Omni, and the rows that Qwen3-Omni shares."""

from ....case import listed, project, suite
from ._multimodal import rows, table

FLAGS = ("AxisOrder", "OffByOne")
IDS = {
    "image_token_id": 1, "video_token_id": 2, "audio_token_id": 3, "vision_start_token_id": 4, "audio_start_token_id": 5
}  # fmt: skip
#: ( begins an image or a video, [ begins audio, ) ends either
TOKENS = {"t": 9, "i": 1, "v": 2, "a": 3, "(": 4, "[": 5, ")": 6, ".": 0}


def tensors(words, images=(), videos=(), audio=(), seconds=()):
    """Rows and what there is of the rest."""
    by_name = rows(words, TOKENS, "input_ids")
    for name, grids in (("image_grid_thw", images), ("video_grid_thw", videos)):
        if grids:
            by_name[name] = table(grids)
    if audio:
        by_name["audio_seqlens"] = listed(audio)
    if seconds:
        by_name["second_per_grids"] = listed(seconds, "float32")
    return by_name


def parts(audio):
    """slug, about, inputs, whether videos have audio; `audio` gives mel frames for a number of audio tokens."""
    n = audio
    return (
        ("text", "text alone", tensors(("tttt",)), False),
        ("text-left", "text alone, padded on the left to one token", tensors(("...t", "tttt")), False),
        ("image", "an image of 1 x 2 tokens", tensors(("t(ii)t",), ((1, 2, 4),)), False),
        ("tall", "an image of 3 x 1 tokens", tensors(("(iii)t",), ((1, 6, 2),)), False),
        ("two-images", "two images side by side", tensors(("t(iii)(ii)t",), ((1, 2, 6), (1, 4, 2))), False),
        ("audio", "audio without any grid", tensors(("t[aaa)t",), audio=(n(3),)), False),
        ("image-audio", "an image and audio", tensors(("(ii)[aa)t",), ((1, 4, 2),), audio=(n(2),)), False),
        ("video-one", "3 frames, 1 second apart", tensors(("t(vvv)t",), (), ((3, 2, 2),), (), (1.0,)), False),
        ("video-half", "3 frames, half a second apart", tensors(("t(vvv)t",), (), ((3, 2, 2),), (), (0.5,)), False),
        ("video-slow", "1.5 seconds apart, 1 x 2 tokens", tensors(("t(vvvv)",), (), ((2, 2, 4),), (), (1.5,)), False),
        ("left", "a batch padded on the left", tensors((".t(ii)", "[aa)tt"), ((1, 2, 4),), (), (n(2),)), False),
        ("right", "a batch padded on the right", tensors(("t(ii).", "[aa)tt"), ((1, 2, 4),), (), (n(2),)), False),
        ("merged", "a video with its audio, 40 ms apart",
         tensors(("t([vvvaaaa))t",), (), ((3, 2, 2),), (n(4),), (0.04,)), True),
        ("merged-wide", "a video with audio, 2 x 2 tokens: rows go beyond the time",
         tensors(("([vvvvaa))t",), (), ((1, 4, 4),), (n(2),), (1.0,)), True),
        ("merged-slow", "a video with audio, 3 seconds apart",
         tensors(("([vvaaa))t",), (), ((2, 2, 2),), (n(3),), (3.0,)), True),
        ("merged-batch", "videos with audio and an audio of its own, padded on the left",
         tensors(("....([va))t", "([vva))[aa)"), (), ((1, 2, 2), (2, 2, 2)), (n(1), n(1), n(2)), (1.0, 2.0)), True),
    )  # fmt: skip


def wrong(refused, audio):
    """Calls that both models refuse."""
    video = {"videos": ((1, 2, 2),), "seconds": (1.0,)}
    return [
        refused("no-grid", "image tokens without a grid", "E_SHAPE", "image_grid_thw", inputs=tensors(("(i)",)), **IDS),
        refused("no-start", "an image without its start", "E_SHAPE", "input_ids",
                inputs=tensors(("ti)",), ((1, 2, 2),)), **IDS),
        refused("no-end", "an image without its end", "E_SHAPE", "input_ids", inputs=tensors(("(i",), ((1, 2, 2),)),
                **IDS),
        refused("tokens", "fewer image tokens than the grid has", "E_SHAPE", "input_ids",
                inputs=tensors(("(i)t",), ((1, 2, 4),)), **IDS),
        refused("audio-tokens", "more audio tokens than the length gives", "E_SHAPE", "input_ids",
                inputs=tensors(("[aaa)",), audio=(audio(2),)), **IDS),
        refused("no-seconds", "a video without seconds", "E_SHAPE", "second_per_grids",
                inputs=tensors(("(v)",), (), ((1, 2, 2),)), **IDS),
        refused("seconds-negative", "negative seconds", "E_NUMBER", "second_per_grids",
                inputs=tensors(("(v)",), (), ((1, 2, 2),), (), (-1.0,)), **IDS),
        refused("audio-in-video", "a video with audio, and use_audio_in_video false", "E_CHOICE", "use_audio_in_video",
                inputs=tensors(("([va))",), audio=(audio(1),), **video), **IDS),
        refused("merge", "a grid that is no multiple of the merge size", "E_SIZE", "image_grid_thw",
                inputs=tensors(("(i)",), ((1, 3, 2),)), **IDS),
        refused("special", "two special tokens that are equal", "E_CHOICE", "video_token_id", inputs=tensors(("tt",)),
                **{**IDS, "video_token_id": 1}),
    ]  # fmt: skip


def _mel(tokens):
    return 4 * tokens - 1


value, refused = suite("qwen2_5_omni_positions", project(
    "transformers", "5.23.0", "models/qwen2_5_omni/modeling_qwen2_5_omni.py", "get_rope_index"
))  # fmt: skip

CASES = [
    *[
        value(slug, about, inputs=inputs, use_audio_in_video=both, flags=FLAGS, **IDS)
        for slug, about, inputs, both in parts(_mel)
    ],
    value("chunks", "2 positions a second, chunks of 2: audio between the frames", use_audio_in_video=True,
          position_id_per_seconds=2, seconds_per_chunk=1, flags=FLAGS, **IDS,
          inputs=tensors(("([vvvaaaaa))t",), (), ((3, 2, 2),), (_mel(5),), (1.0,))),
    *wrong(refused, _mel),
]
