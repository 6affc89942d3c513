"""Where mm_token_type_ids of Qwen2-VL come from, as the page of `qwen2_vl_positions` says."""

from types import SimpleNamespace

from transformers.models.qwen2_vl.processing_qwen2_vl import Qwen2VLProcessor

START, END, IMAGE, VIDEO = 151652, 151653, 151655, 151656


def test_only_image_and_video_tokens_are_not_text():
    words = {"<|image_pad|>": IMAGE, "<|video_pad|>": VIDEO}
    tokenizer = SimpleNamespace(image_token_id=IMAGE, video_token_id=VIDEO, convert_tokens_to_ids=words.get)
    processor = Qwen2VLProcessor.__new__(Qwen2VLProcessor)
    processor.tokenizer, processor.image_token_id, processor.video_token_id = tokenizer, IMAGE, VIDEO
    ids = [[9, START, IMAGE, IMAGE, END, 9, START, VIDEO, END]]
    assert processor.create_mm_token_type_ids(ids) == [[0, 0, 1, 1, 0, 0, 0, 2, 0]]
