"""Position ids once more, token by token in plain Python, with lists; nothing here uses NumPy.

Each function takes what the builder of its name takes and returns nested lists: (axis, row, token), then the deltas.
"""

import struct

#: {suite: what its function was written from}, as `witness` of witness/suites.py takes it
SOURCES = {
    "attention_mask_positions": "code: transformers 5.23.0, generation/utils.py, _prepare_position_ids_for_generation",
    "table_rows": "code: transformers 5.23.0, models/roberta/modeling_roberta.py, create_position_ids_from_input_ids",
    "hash_rows": "code: transformers 5.23.0, models/canine/modeling_canine.py, _hash_bucket_tensors",
    "cell_rows": "code: transformers 5.23.0, models/tapas/modeling_tapas.py, TapasEmbeddings",
    "fraction_rows": "code: transformers 5.23.0, models/idefics2/modeling_idefics2.py, Idefics2VisionEmbeddings",
    "skipped_positions": "code: PoSE ebd4f63d63b0, src/train_pose.py, train_preprocess_function_pose",
    "box_rows": "code: transformers 5.23.0, models/layoutlm/modeling_layoutlm.py, LayoutLMEmbeddings",
    "qwen2_vl_positions": "code: transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py, get_rope_index",
    "qwen2_5_vl_positions": "code: transformers 5.23.0, models/qwen2_5_vl/modeling_qwen2_5_vl.py, get_rope_index",
    "qwen3_vl_positions": "code: transformers 5.23.0, models/qwen3_vl/modeling_qwen3_vl.py, get_rope_index",
    "glm4v_positions": "code: transformers 5.23.0, models/glm4v/modeling_glm4v.py, get_rope_index",
    "ernie4_5_vl_positions": "code: transformers 5.23.0, models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py",
    "videorope_positions": "code: VideoRoPE 309f5c8, videorope-transformer/modeling_videorope.py",
    "hunyuan_vl_positions": "code: transformers 5.23.0, models/hunyuan_vl/modeling_hunyuan_vl.py, get_rope_index",
    "qwen2_5_omni_positions": "code: transformers 5.23.0, models/qwen2_5_omni/modeling_qwen2_5_omni.py, get_rope_index",
    "qwen3_omni_positions": "code: transformers 5.23.0, models/qwen3_omni_moe/modeling_qwen3_omni_moe.py",
    "glm_image_positions": "code: transformers 5.23.0, models/glm_image/modeling_glm_image.py, get_rope_index",
    "minicpm_v_positions": "code: transformers 5.23.0, models/minicpmv4_7/modeling_minicpmv4_7.py, get_rope_index",
    "vision_token_order": "code: transformers 5.23.0, vision_utils.py, get_vision_position_ids",
    "flux_positions": "code: diffusers 0.42.1, pipelines/flux/pipeline_flux.py, _prepare_latent_image_ids",
    "flux2_positions": "code: diffusers 0.42.1, pipelines/flux2/pipeline_flux2.py, _prepare_latent_ids",
    "lumina2_positions": "code: diffusers 0.42.1, models/transformers/transformer_lumina2.py, Lumina2RotaryPosEmbed",
    "qwen_image_positions": "code: diffusers 0.42.1, models/transformers/transformer_qwenimage.py, QwenEmbedRope",
    "qwen_image21_positions": "code: diffusers 0.42.1, models/transformers/transformer_qwenimage21.py, QwenImage21Rope",
    "llama4_vision_positions": "code: transformers 5.23.0, models/llama4/modeling_llama4.py",
    "z_image_positions": "code: diffusers 0.42.1, models/transformers/transformer_z_image.py, patchify_and_embed",
    "ideogram4_positions": "code: diffusers 0.42.1, pipelines/ideogram4/pipeline_ideogram4.py",
    "ernie_image_positions": "code: diffusers 0.42.1, models/transformers/transformer_ernie_image.py",
    "global_block_ids": "code: transformers 5.23.0, models/longt5/modeling_longt5.py, _make_global_fixed_block_ids",
}


def lists(values):
    """Arrays as nested lists."""
    return values.tolist() if hasattr(values, "tolist") else values


def float32(number):
    """The float32 nearest to a double. Products of two float32 are exact before; sums cannot be rounded twice wrongly,
    as a double has more than twice the bits."""
    return struct.unpack("f", struct.pack("f", number))[0]


def kept_places(row, attention_mask, tokens):
    """Indices of the tokens of a row that are not padding."""
    return [k for k in range(tokens) if attention_mask is None or attention_mask[row][k]]


def filled(axes, batch, tokens, value):
    return [[[value] * tokens for _ in range(batch)] for _ in range(axes)]


def attention_mask_positions(attention_mask, *, masked, past_length=0):
    result = []
    for row in lists(attention_mask):
        seen, line = 0, []
        for kept in row:
            line.append(seen if kept else masked)
            seen += 1 if kept else 0
        result.append(line[past_length:])
    return result


def table_rows(tokens, *, rule, padding_idx=None, offset=0, past=0, num_rows=None):
    if rule == "count":
        return [offset + past + k for k in range(tokens)]
    if rule == "sample":
        return nested(tokens, lambda line: [offset + row for row in line])
    masked = {"mask": 0, "clipped": 0}.get(rule, padding_idx)  # what is left out: a 0, or the id that pads

    def of_line(line):
        rows, seen = [], 0
        for one in line:
            kept = one != masked
            seen += kept
            if rule == "tokens":
                rows.append(padding_idx + past + seen if kept else padding_idx)
            elif rule == "fsmt":
                rows.append(padding_idx + past + (seen if kept else 0))
            elif rule == "mask":
                rows.append(offset + seen - 1 if kept else offset - 1)
            elif past:
                rows.append(padding_idx + past + len(line))
            else:
                rows.append(min(padding_idx + (seen if kept else 0), num_rows - 1))
        return rows[past:] if rule == "mask" else rows

    return nested(tokens, of_line)


def hash_rows(ids, primes, buckets):
    return [nested(ids, lambda line, prime=prime: [(one + 1) * prime % buckets for one in line]) for prime in primes]


def cell_rows(columns, rows, *, num_rows=None):
    columns, rows = lists(columns), lists(rows)
    if columns and isinstance(columns[0], list):
        return [cell_rows(*pair, num_rows=num_rows) for pair in zip(columns, rows, strict=True)]
    cells, positions = list(zip(columns, rows, strict=True)), []
    for k, cell in enumerate(cells):
        inside = k - cells.index(cell)
        positions.append(inside if num_rows is None or inside < num_rows else num_rows - 1)
    return positions


def fraction_rows(sizes, side, *, rule):
    def cell(i, n):
        if rule == "quotient":
            return max(k for k in range(side) if k * n <= i * side)
        x = min(float32(i * float32(1 / n)), float32(1 - 1e-6))
        return sum(float32(k / side) <= x for k in range(1, side))

    found = []
    for height, width in lists(sizes):
        rows, columns = ([cell(i, n) for i in range(n)] for n in (height, width))
        found += [row * side + column for row in rows for column in columns]
    return found


def skipped_positions(chunks, skips, *, target=None):
    positions = []
    for length, skip in zip(chunks, skips, strict=True):
        positions += [len(positions) + k + skip for k in range(length)]
    assert target is None or all(position < target for position in positions)
    return positions


def box_rows(boxes, *, clip, num_rows=None):
    def of_box(box):
        if not box:
            return []
        left, upper, right, lower = box
        sizes = [lower - upper, right - left]
        return [*box, *(sizes if clip is None else [min(max(size, 0), clip) for size in sizes])]

    return nested(boxes, of_box)


def nested(values, function):
    """A function of lists of numbers, of each innermost one."""
    values = lists(values)
    if values and isinstance(values[0], list):
        return [nested(one, function) for one in values]
    return function(values)


# -- rows of text, images and videos ----------------------------------------------------------------------------------


def _walk(types, mask, media, resume, fill, count_padding, with_padding):
    """media: {kind: [(frame times, height, width)]}; resume(times, height, width) is the distance to the next text."""
    types, mask = lists(types), lists(mask)
    batch, tokens = len(types), len(types[0])
    positions, deltas = filled(3, batch, tokens, fill), []
    queue = {kind: list(found) for kind, found in media.items()}
    for row in range(batch):
        places = kept_places(row, mask, tokens)
        start, inside, current = 0, 0, None
        largest = -1
        for order, place in enumerate(places):
            kind = types[row][place]
            if kind == 0:
                here = (start, start, start)
                start += 1
            else:
                if inside == 0:
                    current = queue[kind].pop(0)
                times, height, width = current
                frame, rest = divmod(inside, height * width)
                here = (start + times[frame], start + rest // width, start + rest % width)
                inside += 1
                if order + 1 == len(places) or types[row][places[order + 1]] != kind:
                    assert inside == len(times) * height * width
                    start, inside = start + resume(*current), 0
            for axis in range(3):
                positions[axis][row][place] = here[axis]
            largest = max(largest, *here)
        if with_padding and len(places) < tokens:
            largest = max(largest, fill)
        deltas.append([largest + 1 - (tokens if count_padding else len(places))])
    assert not any(queue.values())
    return positions, deltas


def _merged(grid_thw, merge, temporal=1):
    return [] if grid_thw is None else [(t // temporal, h // merge, w // merge) for t, h, w in lists(grid_thw)]


def _mrope(types, version, images, videos, attention_mask, given):
    """Both published algorithms, from (frame times, height, width); SGLang has no padding and counts as the older."""
    if version != "transformers-5.23.0":
        return _walk(types, attention_mask, {1: images, 2: videos},
                     lambda times, h, w: max(*times, h - 1, w - 1) + 1, 1, True, not given)  # fmt: skip
    return _walk(types, attention_mask, {1: images, 2: videos}, lambda times, h, w: max(h, w), 0, False, False)


def _evenly(grids):
    return [(list(range(t)), h, w) for t, h, w in grids]


def qwen2_vl_positions(
    mm_token_type_ids, *, version, image_grid_thw=None, video_grid_thw=None, attention_mask=None, spatial_merge_size=2
):
    given = image_grid_thw is not None or video_grid_thw is not None
    images = _evenly(_merged(image_grid_thw, spatial_merge_size))
    videos = _evenly(_merged(video_grid_thw, spatial_merge_size))
    return _mrope(mm_token_type_ids, version, images, videos, attention_mask, given)


def qwen2_5_vl_positions(
    mm_token_type_ids, *, version, tokens_per_second, image_grid_thw=None, video_grid_thw=None, second_per_grid_ts=None,
    attention_mask=None, spatial_merge_size=2,
):  # fmt: skip
    given = image_grid_thw is not None or video_grid_thw is not None
    double = str(getattr(second_per_grid_ts, "dtype", "float32")) == "float64"
    narrow = float if double else float32
    still = version != "transformers-5.23.0"
    images = [([0 if still else i for i in range(t)], h, w) for t, h, w in _merged(image_grid_thw, spatial_merge_size)]
    videos = []
    for k, (t, h, w) in enumerate(_merged(video_grid_thw, spatial_merge_size)):
        missing = 1.0 if version == "sglang-0.5.23" else 1
        second = missing if second_per_grid_ts is None else lists(second_per_grid_ts)[k]
        if version == "transformers-4.57.1":
            times = [i * int(narrow(second)) * tokens_per_second for i in range(t)]
        elif isinstance(second, int):
            times = [i * second * tokens_per_second for i in range(t)]
        elif version == "sglang-0.5.23":
            times = [int(narrow(narrow(i * narrow(second)) * tokens_per_second)) for i in range(t)]
        else:
            interval = narrow(tokens_per_second * narrow(second))
            times = [int(narrow(i * interval)) for i in range(t)]
        videos.append((times, h, w))
    return _mrope(mm_token_type_ids, version, images, videos, attention_mask, given)


def qwen3_vl_positions(
    mm_token_type_ids, *, version, image_grid_thw=None, video_grid_thw=None, attention_mask=None, spatial_merge_size=2
):
    given = image_grid_thw is not None or video_grid_thw is not None
    images = _evenly(_merged(image_grid_thw, spatial_merge_size))
    videos = [([0], h, w) for t, h, w in _merged(video_grid_thw, spatial_merge_size) for _ in range(t)]
    return _mrope(mm_token_type_ids, version, images, videos, attention_mask, given)


def glm4v_positions(mm_token_type_ids, **options):
    return qwen3_vl_positions(mm_token_type_ids, **options)


def ernie4_5_vl_positions(
    mm_token_type_ids, *, image_grid_thw=None, video_grid_thw=None, attention_mask=None, spatial_merge_size=2,
    temporal_merge_size=2,
):  # fmt: skip
    images = _evenly(_merged(image_grid_thw, spatial_merge_size))
    videos = _evenly(_merged(video_grid_thw, spatial_merge_size, temporal_merge_size))
    return _mrope(mm_token_type_ids, "transformers-5.23.0", images, videos, attention_mask, True)


def videorope_positions(
    mm_token_type_ids, *, scale_factor, image_grid_thw=None, video_grid_thw=None, attention_mask=None,
    spatial_merge_size=2,
):  # fmt: skip
    types, mask = lists(mm_token_type_ids), lists(attention_mask)
    given = image_grid_thw is not None or video_grid_thw is not None
    batch, tokens = len(types), len(types[0])
    queue = {1: _merged(image_grid_thw, spatial_merge_size), 2: _merged(video_grid_thw, spatial_merge_size)}
    scale = float32(float(scale_factor))
    positions, deltas = filled(3, batch, tokens, 1.0), []
    for row in range(batch):
        places = kept_places(row, mask, tokens)
        start, text, inside, largest = 0.0, 0, 0, 0.0
        for order, place in enumerate(places):
            kind = types[row][place]
            if kind == 0:
                time = float32(text + start)
                here, text = (time, time, time), text + 1
            else:
                t, h, w = queue[kind][0]
                frame, rest = divmod(inside, h * w)
                time = float32(float32(float32(frame * scale) + text) + start)
                here = (time, float32(rest // w - (h - 1) // 2 + time), float32(rest % w - (w - 1) // 2 + time))
                inside += 1
                if order + 1 == len(places) or types[row][places[order + 1]] != kind:
                    assert inside == t * h * w
                    queue[kind].pop(0)
                    start, text, inside = float32(time + 1), 0, 0
            for axis in range(3):
                positions[axis][row][place] = here[axis]
            largest = max(largest, time)
        if not given and len(places) < tokens:
            largest = max(largest, 1.0)
        deltas.append([float32(float32(largest + 1) - tokens)])
    assert not any(queue.values())
    return positions, deltas


def hunyuan_vl_positions(
    mm_token_type_ids, *, image_grid_thw=None, attention_mask=None, spatial_merge_size=2, num_axes=4
):
    types, mask = lists(mm_token_type_ids), lists(attention_mask)
    batch, tokens = len(types), len(types[0])
    grids = _merged(image_grid_thw, spatial_merge_size)
    positions, deltas, image = filled(num_axes, batch, tokens, 0), [], 0
    for row in range(batch):
        places = kept_places(row, mask, tokens)
        for order, place in enumerate(places):
            for axis in range(num_axes):
                positions[axis][row][place] = order
        kinds = [types[row][place] for place in places] + [0]
        order = 0
        while order < len(places):
            if kinds[order] == 0:
                order += 1
                continue
            stop = kinds.index(0, order)
            _, h, w = grids[image]
            spare = stop - order - h * (w + 1)
            assert spare in (0, 2)
            for r in range(h):
                for c in range(w + 1):
                    place = places[order + spare // 2 + r * (w + 1) + c]
                    positions[-3][row][place] = c
                    positions[-2][row][place] = r
                    positions[-1][row][place] = image
            image, order = image + 1, stop
        largest = max(positions[axis][row][place] for axis in range(num_axes) for place in places)
        deltas.append([largest + 1 - len(places)])
    assert image == len(grids)
    return positions, deltas


# -- text, images, videos and audio -----------------------------------------------------------------------------------


def _omni(input_ids, attention_mask, ids, queue, place_block, fill, shared):
    """Rows of positions from a rule for blocks: place_block(kind, entries, start) gives the (t, h, w) of each token and
    the next start. `shared`: whether the two start tokens of a video with audio have one position."""
    image, video, audio, vision_start, audio_start = ids
    rows, mask = lists(input_ids), lists(attention_mask)
    batch, tokens = len(rows), len(rows[0])
    positions, tops = filled(3, batch, tokens, fill), []
    for row in range(batch):
        places = kept_places(row, mask, tokens)
        line = [rows[row][place] for place in places]
        found, start, k = [], 0, 0
        while k < len(line):
            if line[k] == image:
                more, start = place_block("image", [queue["image"].pop(0)], start)
            elif line[k] == audio:
                more, start = place_block("audio", [queue["audio"].pop(0)], start)
            elif line[k] == video and line[k - 1] == audio_start:
                more, start = place_block("both", [queue["video"].pop(0), queue["audio"].pop(0)], start)
                after = k + len(more)
                if shared:
                    more = more + [(start,) * 3] * 2
                    start += 1
                    assert line[after] not in ids and line[after + 1] not in ids
            elif line[k] == video:
                more, start = place_block("video", [queue["video"].pop(0)], start)
            else:
                more = [(start,) * 3]
                pair = shared and line[k] == vision_start and k + 1 < len(line) and line[k + 1] == audio_start
                start = start if pair else start + 1
            found += more
            k += len(more)
        assert k == len(line)
        for place, here in zip(places, found, strict=True):
            for axis in range(3):
                positions[axis][row][place] = here[axis]
        tops.append((max(max(here) for here in found), len(places)))
    assert not any(queue.values())
    return positions, tops


def _timed(seconds, grids):
    return [] if seconds is None else list(zip(lists(seconds), grids, strict=True))


def qwen2_5_omni_positions(
    input_ids, *, image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id,
    image_grid_thw=None, video_grid_thw=None, audio_seqlens=None, second_per_grids=None, use_audio_in_video=False,
    attention_mask=None, spatial_merge_size=2, position_id_per_seconds=25, seconds_per_chunk=2,
):  # fmt: skip
    def place_block(kind, entries, start):
        if kind == "audio":
            return [(start + i,) * 3 for i in range(entries[0])], start + entries[0]
        second, (t, h, w) = entries[0]
        rate = position_id_per_seconds
        if kind == "image":
            times = [i * rate for i in range(t)]
        else:
            times = [int(float32(float32(i * float32(second)) * rate)) for i in range(t)]
        seen = [(start + time, start + r, start + c) for time in times for r in range(h) for c in range(w)]
        if kind != "both":
            return seen, max(map(max, seen)) + 1
        heard = [(start + i,) * 3 for i in range(entries[1])]
        pieces = []
        chunks = [cut(found, start, rate * seconds_per_chunk) for found in (seen, heard)]
        while chunks[0] or chunks[1]:
            for found in chunks:
                if found:
                    pieces.append(found.pop(0))
        return [here for piece in pieces for here in piece], max(map(max, pieces[-1])) + 1

    def cut(found, start, length):
        chunks = [[]]
        for here in found:
            if here[0] - start >= len(chunks) * length:
                chunks.append([])
            chunks[-1].append(here)
        return chunks

    queue = {
        "image": [(0, grid) for grid in _merged(image_grid_thw, spatial_merge_size)],
        "video": _timed(second_per_grids, _merged(video_grid_thw, spatial_merge_size)),
        "audio": [] if audio_seqlens is None else [((n - 1) // 2 + 1 - 2) // 2 + 1 for n in lists(audio_seqlens)],
    }
    ids = (image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id)
    positions, tops = _omni(input_ids, attention_mask, ids, queue, place_block, 1, True)
    tokens = len(positions[0][0])
    given = image_grid_thw is not None or video_grid_thw is not None
    tops = [(top if given or count == tokens else max(top, 1), count) for top, count in tops]
    return positions, [[top + 1 - count] for top, count in tops]


def qwen3_omni_positions(
    input_ids, *, image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id,
    image_grid_thw=None, video_grid_thw=None, audio_seqlens=None, second_per_grids=None, use_audio_in_video=False,
    attention_mask=None, spatial_merge_size=2, position_id_per_seconds=25, n_window=50,
):  # fmt: skip
    def place_block(kind, entries, start):
        if kind == "audio":
            return [(float32(start + i),) * 3 for i in range(entries[0])], float32(float32(start + entries[0] - 1) + 1)
        second, (t, h, w) = entries[0]
        rate = position_id_per_seconds
        if kind == "image":
            times = [float(i * rate) for i in range(t)]
        else:
            times = [float32(float32(i * float32(second)) * rate) for i in range(t)]
        seen = [
            (float32(time + start), float32(r + start), float32(c + start))
            for time in times for r in range(h) for c in range(w)
        ]  # fmt: skip
        if kind != "both":
            return seen, float32(max(map(max, seen)) + 1)
        heard = [(float32(start + i),) * 3 for i in range(entries[1])]
        merged = []
        while seen and heard:
            merged.append((seen if seen[0][0] <= heard[0][0] else heard).pop(0))
        rest = seen or heard
        return merged + rest, float32(max(map(max, rest)) + 1)

    def audio_tokens(count):
        full, rest = divmod(count, 2 * n_window)
        feat = (rest - 1) // 2 + 1
        return ((feat - 1) // 2 + 1 - 1) // 2 + 1 + full * 13

    given = image_grid_thw is not None or video_grid_thw is not None
    queue = {
        "image": [(0, grid) for grid in _merged(image_grid_thw, spatial_merge_size)],
        "video": _timed(second_per_grids, _merged(video_grid_thw, spatial_merge_size)),
        "audio": [] if audio_seqlens is None else [audio_tokens(n) for n in lists(audio_seqlens)],
    }
    ids = (image_token_id, video_token_id, audio_token_id, vision_start_token_id, audio_start_token_id)
    positions, tops = _omni(input_ids, attention_mask, ids, queue, place_block, 0 if given else 1, False)
    tokens = len(positions[0][0])
    tops = [(top if given or count == tokens else max(top, 1), count) for top, count in tops]
    return positions, [[float32(float32(top + 1) - count)] for top, count in tops]


# -- images to make, and canvases -------------------------------------------------------------------------------------


def glm_image_positions(
    input_ids, *, image_start_token_id, image_end_token_id, image_grid_thw=None, images_per_sample=None,
    attention_mask=None,
):  # fmt: skip
    rows, mask = lists(input_ids), lists(attention_mask)
    batch, tokens = len(rows), len(rows[0])
    grids = _merged(image_grid_thw, 1)
    counts = lists(images_per_sample) if images_per_sample is not None else [len(grids)]
    positions, decoded = filled(3, batch, tokens, 1), []
    for row in range(batch):
        own = [grids.pop(0) for _ in range(counts[row])] if grids else []
        places = kept_places(row, mask, tokens)
        line = [rows[row][place] for place in places]
        ends = line.count(image_end_token_id)
        start, image, k = 0, 0, 0
        while k < len(line):
            here, k = [(start,) * 3], k + 1
            start += 1
            if line[k - 1] == image_start_token_id and image < ends:
                t, h, w = own[image]
                here += [(start + f, start + r, start + c) for f in range(t) for r in range(h) for c in range(w)]
                start, image, k = start + max(h, w), image + 1, k + t * h * w
            for place, where in zip(places[k - len(here) : k], here, strict=True):
                for axis in range(3):
                    positions[axis][row][place] = where[axis]
        line = []
        for _, h, w in own[ends:][::-1]:
            line += [(start, start + r, start + c) for r in range(h) for c in range(w)]
            start += max(h, w)
        decoded.append(line + [(start,) * 3] if own else [])
    longest = max(map(len, decoded))
    decoded = [line + line[-1:] * (longest - len(line)) for line in decoded]
    return positions, [[[where[axis] for where in line] for axis in range(3)] for line in decoded]


def stretched(number, canvas, count):
    """torch.linspace in float32 from 0 to canvas - 1, counted from the nearer end, and rounded."""
    if count == 1:
        return 0
    step = float32((canvas - 1) / (count - 1))
    if number < count // 2:
        return round(float32(number * step))
    return round(float32(canvas - 1 - float32((count - 1 - number) * step)))


def minicpm_v_positions(
    input_ids, mm_token_type_ids, *, image_start_id, image_end_id, slice_start_id, slice_end_id, newline_id,
    downsample_mode, target_sizes=None, target_sizes_videos=None, attention_mask=None,
):  # fmt: skip
    merge = {"4x": 2, "16x": 4}[downsample_mode]
    markers = (image_start_id, image_end_id, slice_start_id, slice_end_id, newline_id)
    queue = {1: lists(target_sizes), 2: lists(target_sizes_videos)}
    queue = {kind: [(h // merge, w // merge) for h, w in sizes or []] for kind, sizes in queue.items()}
    rows, types, mask = lists(input_ids), lists(mm_token_type_ids), lists(attention_mask)
    batch, tokens = len(rows), len(rows[0])
    positions, deltas = filled(3, batch, tokens, 0), []
    for row in range(batch):
        places = kept_places(row, mask, tokens)
        line = [rows[row][place] for place in places]
        kinds = [types[row][place] for place in places]
        found, start = {}, 0
        k = 0
        while k < len(line):
            if not (line[k] == image_start_id and k + 1 < len(line) and kinds[k + 1]):
                found[k], start, k = (start,) * 3, start + 1, k + 1
                continue
            # a picture: its thumbnail, then slices in rows, told apart by what stands between them
            kind, opening = kinds[k + 1], k
            h, w = queue[kind].pop(0)
            k = thumbnail_end = k + 1 + h * w
            pieces, gaps = [], []
            while k < len(line) and line[k] in markers:
                last = line[k]
                k += 1
                if last == slice_start_id and k < len(line) and kinds[k]:
                    size = queue[kind].pop(0)
                    gaps.append(k - (pieces[-1][0] + pieces[-1][1][0] * pieces[-1][1][1] if pieces else k))
                    pieces.append((k, size))
                    k += size[0] * size[1]
                elif last == image_start_id and k < len(line) and kinds[k]:
                    k -= 1
                    break
            across = next((number for number, gap in enumerate(gaps) if gap > 2), len(pieces))
            if pieces and len(pieces) % across:
                across = len(pieces)
            down = len(pieces) // across if pieces else 1
            slice_h, slice_w = pieces[0][1] if pieces else (h, w)
            height, width = (down * slice_h, across * slice_w) if pieces else (h, w)
            for place in range(opening, k):
                found[place] = (start,) * 3
            found[opening] = (start, max(start - 1, 0), max(start - 1, 0))
            if thumbnail_end < k:
                found[thumbnail_end] = (start, start + height, start + width)
            for r in range(h):
                for c in range(w):
                    spread = stretched(r, height, h), stretched(c, width, w)
                    found[opening + 1 + r * w + c] = (start, start + spread[0], start + spread[1])
            for number, (first, (sh, sw)) in enumerate(pieces):
                top, left = start + number // across * slice_h, start + number % across * slice_w
                found[first - 1] = (start, top, left)
                last = first + sh * sw
                if last < k:
                    found[last] = (start, top + sh - 1, left + sw - 1)
                for n in range(sh * sw):
                    found[first + n] = (start, top + n // sw, left + n % sw)
            for number in range(1, len(pieces)):
                before = pieces[number - 1]
                last = before[0] + before[1][0] * before[1][1]
                line_below = start + ((number - 1) // across + 1) * slice_h - 1
                for place in range(last + 1, pieces[number][0] - 1):
                    found[place] = (start, line_below, start + across * slice_w)
            start += max(height, width) + 1
        for place, index in enumerate(places):
            for axis in range(3):
                positions[axis][row][index] = found[place][axis]
        deltas.append([max(max(here) for here in found.values()) + 1 - len(places)])
    assert not any(queue.values())
    return positions, deltas


# -- vision tokens and diffusion transformers -------------------------------------------------------------------------


def vision_token_order(grid_thw, *, order, spatial_merge_size=2, window_size=112, patch_size=14):
    result, m = [], spatial_merge_size

    def patches(frame, block_row, block_column):
        for r in range(m):
            for c in range(m):
                result.append([frame, block_row * m + r, block_column * m + c])

    for frames, height, width in lists(grid_thw):
        for frame in range(frames):
            if order == "row-major":
                result += [[frame, r, c] for r in range(height) for c in range(width)]
            elif order == "column-major":
                result += [[frame, r, c] for c in range(width) for r in range(height)]
            else:
                rows, columns = height // m, width // m
                size = window_size // m // patch_size if order == "windows" else max(rows, columns)
                for top in range(0, rows, size):
                    for left in range(0, columns, size):
                        for r in range(top, min(top + size, rows)):
                            for c in range(left, min(left + size, columns)):
                                patches(frame, r, c)
    return result


def flux_positions(height, width, *, text_length, reference=None):
    image = [[0, r, c] for r in range(height) for c in range(width)]
    if reference is not None:
        image += [[1, r, c] for r in range(lists(reference)[0]) for c in range(lists(reference)[1])]
    return [[0, 0, 0] for _ in range(text_length)], image


def flux2_positions(height, width, *, text_length, references=(), scale=10):
    image, time = [[0, r, c, 0] for r in range(height) for c in range(width)], 0
    for h, w in lists(references):
        time += scale
        image += [[time, r, c, 0] for r in range(h) for c in range(w)]
    return [[0, 0, 0, token] for token in range(text_length)], image


def lumina2_positions(height, width, *, text_lengths):
    lengths, result = lists(text_lengths), []
    for count in lengths:
        line = [[token, 0, 0] for token in range(count)]
        line += [[count, r, c] for r in range(height) for c in range(width)]
        result.append(line + [[0, 0, 0]] * (max(lengths) - count))
    return result


def qwen_image_positions(grid_thw, *, text_length, scale_rope=True, layered=False):
    grids, image, start = lists(grid_thw), [], 0
    for number, (frames, h, w) in enumerate(grids):
        condition = layered and number + 1 == len(grids)
        for frame in range(frames):
            for r in range(h):
                for c in range(w):
                    if scale_rope:
                        r0, c0 = r - (h - h // 2), c - (w - w // 2)
                    else:
                        r0, c0 = r, c
                    image.append([-1 if condition else number + frame, r0, c0])
        start = max(start, h // 2, w // 2) if scale_rope else max(start, h, w)
    if layered:
        start = max(start, len(grids) - 1)
    return [[start + token] * 3 for token in range(text_length)], image


def qwen_image21_positions(image_pad_mask, *, grid_thw):
    queue = [(h, w, r, c) for _, h, w in lists(grid_thw) for r in range(h) for c in range(w)]
    tokens, s = [], 0
    for is_image in lists(image_pad_mask):
        if is_image:
            h, w, r, c = queue.pop(0)
            tokens.append([s, r - (h - h // 2), c - (w - w // 2)])
            s += max(h, w) if (r, c) == (h - 1, w - 1) else 0
        else:
            tokens.append([s, s, s])
            s += 1
    assert not queue
    return [[token[axis] for token in tokens] for axis in range(3)]


def llama4_vision_positions(side):
    patches = [(r + 1, c + 1) for r in range(side) for c in range(side)] + [(0, 0)]
    return [[patch[axis] for patch in patches] for axis in (0, 1)]


def z_image_positions(height, width, *, text_length, frames=1):
    words = [[1 + k, 0, 0] for k in range(text_length)]
    while len(words) % 32:
        words.append([len(words) + 1, 0, 0])
    start = len(words) + 1
    image = [[start + f, r, c] for f in range(frames) for r in range(height) for c in range(width)]
    while len(image) % 32:
        image.append([0, 0, 0])
    tokens = image + words
    return [[token[axis] for token in tokens] for axis in range(3)]


def ideogram4_positions(height, width, *, text_length, offset=65536):
    tokens = [[k, k, k] for k in range(text_length)]
    tokens += [[offset, offset + r, offset + c] for r in range(height) for c in range(width)]
    return [[token[axis] for token in tokens] for axis in range(3)]


def ernie_image_positions(height, width, *, text_length):
    tokens = [[text_length, r, c] for r in range(height) for c in range(width)]
    tokens += [[k, 0, 0] for k in range(text_length)]
    return [[token[axis] for token in tokens] for axis in range(3)]


def global_block_ids(mask, block_size):
    """Blocks that end with a token, counted; later tokens belong to the last of them."""
    *batch, length = mask.shape
    result = []
    for line in mask.reshape(-1, length).tolist():
        ends = [token for token in range(block_size - 1, length, block_size) if line[token]]
        result.append([min(token // block_size, len(ends) - 1) if line[token] else -1 for token in range(length)])
    return result if batch else result[0]
