"""Rotations by cosines and sines that are given, and copies of parts of a signal: what their golden cases claim."""

from intervals import need
from positions import product
from sums import copied, elements


def is_minus(number):
    return number[0] < 0 or number == (0, -1)


def rotated(a, row_of):
    """x1 c - x2 s and x2 c + x1 s, with the row of the caches for each token (batch, place)."""
    x, sizes, (*_, half) = a["x"]["values"], a["x"]["shape"], a["cos_cache"]["shape"]
    values = [*x, *a["cos_cache"]["values"], *a["sin_cache"]["values"]]
    cos, sin = len(x), len(x) + len(a["cos_cache"]["values"])
    heads_first = len(sizes) == 4
    heads = a.get("num_heads") or sizes[-1] // (2 * half)
    dim, length = (sizes[3], sizes[2]) if heads_first else (sizes[2] // heads, sizes[1])
    width = a.get("rotary_embedding_dim") or dim

    def token_of(vector):
        if heads_first:
            return vector // (sizes[1] * length), vector % length
        return vector // heads // length, vector // heads % length

    def value(index):
        vector, c = divmod(index, dim)
        if c >= width:
            return copied(values, index)
        i, second = (c // 2, c % 2) if a.get("interleaved") else (c % half, c // half)
        other = index + (1 if a.get("interleaved") else half) * (-1 if second else 1)
        row = row_of(*token_of(vector), length) * half + i
        pairs = [(index, cos + row), (other, sin + row)]
        need(all(values[k] is not None for pair in pairs for k in pair), "infinity or NaN")
        if all(values[k][0] == 0 or values[m][0] == 0 for k, m in pairs):
            signs = [is_minus(values[k]) != is_minus(values[m]) for k, m in pairs]
            return "-0" if signs[0] and signs[1] == bool(second) else "0"
        lengths = [abs(values[k][0]).bit_length() - values[k][1].bit_length() for pair in pairs for k in pair]
        need(max(lengths) < 500, "products of more than 1,000 bits")
        return f"t{pairs[0][0]} t{pairs[0][1]} * t{pairs[1][0]} t{pairs[1][1]} * {'+' if second else '-'}"

    return elements(values), "1", value


def onnx_rotary_embedding(a, _):
    """The row of a position, or of each token its own."""

    def row_of(batch, t, length):
        return a["position_ids"]["values"][batch * length + t][0] if "position_ids" in a else batch * length + t

    return rotated(a, row_of)


def microsoft_rotary_embedding(a, _):
    """The row of a position, or of those from a first one on."""
    need(a.get("scale", 1) == 1, "a scale")
    ids = [n for n, _ in a["position_ids"]["values"]]
    return rotated(a, lambda batch, t, length: ids[0] + t if len(ids) == 1 else ids[batch * length + t])


def padded(a):
    """(samples before the first one of a signal, how many frames it has)"""
    n, size, hop = a["samples"]["shape"][-1], a["size"], a["hop"]
    left = size // 2 if a["padding"] in ("zeros", "reflect") else 0
    return left, -(-n // hop) if a["padding"] == "end" else max((n + 2 * left - size) // hop + 1, 0)


def frames(a, _):
    """Parts of a signal with zeros or its mirror image beyond its ends."""
    samples, n, size, hop = a["samples"]["values"], a["samples"]["shape"][-1], a["size"], a["hop"]
    left, count = padded(a)

    def value(index):
        row, j = divmod(index, size)
        signal, i = divmod(row, count)
        at = i * hop + j - left
        if a["padding"] == "reflect":
            at = -at if at < 0 else 2 * (n - 1) - at if at >= n else at
        return copied(samples, signal * n + at) if 0 <= at < n else "0"

    return elements(samples), "1", value


def cut(a):
    """(size, stride, count) of the patches along the outer and the inner axis."""
    times, frequencies = a["spectrogram"]["shape"][-2:]
    size, stride = (a[name] if isinstance(a[name], list) else [a[name]] * 2 for name in ("size", "stride"))
    lengths = [frequencies, times]
    if a["outer"] == "time":
        size, stride, lengths = size[::-1], stride[::-1], lengths[::-1]
    count = [max((n - one) // step + 1, 0) for n, one, step in zip(lengths, size, stride, strict=True)]
    return size, stride, count


def audio_patches(a, _):
    """The patches of a spectrogram, the outer axis first in the order of patches and in a patch."""
    values, (times, frequencies) = a["spectrogram"]["values"], a["spectrogram"]["shape"][-2:]
    size, stride, count = cut(a)

    def value(index):
        token, within = divmod(index, product(size))
        image, token = divmod(token, product(count))
        along = token // count[1] * stride[0] + within // size[1], token % count[1] * stride[1] + within % size[1]
        frequency, time = along if a["outer"] == "frequency" else along[::-1]
        return copied(values, (image * times + time) * frequencies + frequency)

    return elements(values), "1", value


def merge_scores(a, _):
    """Of each query and key the score of its region, minus infinity where that is -1."""
    scores, sizes, regions = a["scores"]["values"], a["scores"]["shape"], a["regions"]
    count, shape = product(sizes[1:]), [1] * (len(sizes) - 1 - len(regions["shape"])) + regions["shape"]

    def value(index):
        rest, place, step = index, 0, 1
        for size, own in zip(reversed(sizes[1:]), reversed(shape), strict=True):
            rest, at = divmod(rest, size)
            place, step = place + (at if own > 1 else 0) * step, step * own
        region = regions["values"][place][0]
        return "-inf" if region < 0 else copied(scores, region * count + index)

    return elements(scores), "1", value


def liere_generators(a, _):
    """The elements above the diagonal, and below it the same with the other sign."""
    values, size = a["weight"]["values"], a["weight"]["shape"][-1]

    def value(index):
        block, place = divmod(index, size * size)
        i, j = divmod(place, size)
        k = block * size * size + min(i, j) * size + max(i, j)
        if i == j or (values[k] and values[k][0] == 0):
            return "0"
        return copied(values, k) + (" -1 *" if i > j else "")

    return elements(values), "1", value


CACHES = "x position_ids cos_cache sin_cache interleaved num_heads rotary_embedding_dim"
FUNCTIONS = {
    "onnx_rotary_embedding": (onnx_rotary_embedding, CACHES),
    "microsoft_rotary_embedding": (microsoft_rotary_embedding, CACHES + " is_packed_batching scale"),
    "merge_scores": (merge_scores, "scores regions"),
    "liere_generators": (liere_generators, "weight"),
    "frames": (frames, "samples size hop padding"),
    "audio_patches": (audio_patches, "spectrogram outer size stride"),
}
