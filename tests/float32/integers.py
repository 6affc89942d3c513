"""Functions whose numbers are integers, or copied from a table at integers, as the plainest programs in NumPy.

Nothing here imports refpos. A program has the names of the arguments of its function that it knows; of the others it
takes the defaults.
"""

import itertools

import numpy as np

# -- position ids -----------------------------------------------------------------------------------------------------


def attention_mask_positions(attention_mask, masked, past_length=0):
    ids = np.cumsum(attention_mask, axis=-1, dtype=np.int64) - 1
    return np.where(np.asarray(attention_mask) == 0, masked, ids)[..., past_length:]


def grid_positions(coordinates):
    """coordinates: a count or the numbers of each axis."""
    axes = [np.arange(one) if isinstance(one, int) else np.asarray(one) for one in coordinates]
    return np.stack(np.meshgrid(*axes, indexing="ij")).reshape(len(axes), -1)


def flux_positions(height, width, text_length):
    """The (time, row, column) of text tokens and of image tokens."""
    image = np.zeros((height, width, 3), np.int64)
    image[..., 1] = np.arange(height)[:, None]
    image[..., 2] = np.arange(width)
    return np.zeros((text_length, 3), np.int64), image.reshape(-1, 3)


def qwen2_vl_positions(mm_token_type_ids, version, image_grid_thw=(), video_grid_thw=(), spatial_merge_size=2):
    """Rows without padding, as transformers 5: 0 is a token of text, 1 one of an image, 2 one of a video."""
    assert version == "transformers-5.23.0"
    grids, positions, deltas = {1: iter(image_grid_thw), 2: iter(video_grid_thw)}, [], []
    for row in np.asarray(mm_token_type_ids).tolist():
        start, parts = 0, []
        for kind, run in itertools.groupby(row):
            if kind == 0:
                t = len(list(run))
                parts.append(np.broadcast_to(start + np.arange(t), (3, t)))
                start += t
            else:
                t, h, w = (int(one) for one in next(grids[kind]))
                h, w = h // spatial_merge_size, w // spatial_merge_size
                parts.append(start + np.indices((t, h, w)).reshape(3, -1))
                start += max(h, w)
        positions.append(np.concatenate(parts, axis=1))
        deltas.append([positions[-1].max() + 1 - len(row)])
    return np.stack(positions, axis=1), np.array(deltas)


def table_rows(tokens, rule, padding_idx):
    """rule="tokens", as RoBERTa: the first row is padding_idx + 1, and padding reads row padding_idx."""
    assert rule == "tokens"
    kept = np.asarray(tokens) != padding_idx
    return np.cumsum(kept, axis=-1, dtype=np.int64) * kept + padding_idx


# -- rows of distances ------------------------------------------------------------------------------------------------


def relative_rows(query_len, key_len, sign, low, high, outside, query_offset=0):
    """outside="clip": distances beyond low and high read the first and last row; lengths, or arrays of positions."""
    assert outside == "clip"
    queries, keys = (np.arange(one) if isinstance(one, int) else np.asarray(one) for one in (query_len, key_len))
    distance = keys[..., None, :] - (query_offset + queries)[..., None]
    distance = {"key-query": distance, "query-key": -distance, "absolute": abs(distance)}[sign]
    return np.clip(distance, low, high) - low


def relative_bias(weight, query_len, key_len, sign, low=None, query_offset=0):
    """weight is (rows, heads); the middle row is that of distance 0 where low is None."""
    count = len(weight)
    if low is None:
        low = 0 if sign == "absolute" else -(count // 2)
    rows = relative_rows(query_len, key_len, sign, low, low + count - 1, "clip", query_offset)
    return weight[rows].transpose(2, 0, 1)


def t5_buckets(relative_positions, bidirectional, num_buckets=32, max_distance=128):
    """Powers of integers instead of the logarithm, which float32 rounds to the wrong side of a bucket's edge."""
    relative = np.clip(relative_positions, -max_distance, max_distance)  # all farther ones are in the last bucket
    half = num_buckets // 2 if bidirectional else num_buckets
    upper = (relative > 0) * half if bidirectional else 0
    distance = abs(relative) if bidirectional else np.maximum(-relative, 0)
    exact = half // 2  # distances below it have a bucket each
    wide = half - exact
    # bucket exact + k begins at the first distance with (distance / exact)**wide >= (max_distance / exact)**k
    edges, first = [], exact
    for k in range(1, wide):
        while first**wide < max_distance**k * exact ** (wide - k):
            first += 1
        edges.append(first)
    return upper + np.where(distance < exact, distance, exact + np.searchsorted(edges, distance, side="right"))


def t5_bias(weight, query_len, key_len, bidirectional, max_distance=128, query_offset=0):
    """weight is (num_buckets, heads)."""
    relative = np.arange(key_len) - (query_offset + np.arange(query_len))[:, None]
    rows = t5_buckets(relative, bidirectional, len(weight), max_distance)
    return weight[rows].transpose(2, 0, 1)


# -- rows of windows --------------------------------------------------------------------------------------------------


def window_rows(height, width, sign, class_token=False):
    """Row of the table for each query cell and key cell; those from the class token, to it and of itself come last."""
    cells = np.indices((height, width)).reshape(2, -1)
    rows, columns = cells[:, None, :] - cells[:, :, None]  # key minus query
    if sign == "absolute":
        index, count = abs(rows) * width + abs(columns), height * width
    else:
        rows, columns = (-rows, -columns) if sign == "query-key" else (rows, columns)
        index = (rows + height - 1) * (2 * width - 1) + columns + width - 1
        count = (2 * height - 1) * (2 * width - 1)
    if not class_token:
        return index
    index = np.pad(index, ((1, 0), (1, 0)))
    index[0, :], index[:, 0], index[0, 0] = count, count + 1, count + 2
    return index


def window_bias(weight, height, width, sign, class_token=False):
    """weight is (rows, heads)."""
    return weight[window_rows(height, width, sign, class_token)].transpose(2, 0, 1)
