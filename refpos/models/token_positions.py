"""Where the tokens of named models are: positions for `Rotary.table` and `Rotary.rotate`, shared by the presets."""

from fractions import Fraction

import numpy as np

from .. import checks
from ..errors import InputError, shown
from ..positions.multimodal.flux2_positions import flux2_positions
from ..positions.multimodal.flux_positions import flux_positions
from ..positions.multimodal.lumina2_positions import lumina2_positions
from ..positions.multimodal.qwen_image_positions import qwen_image_positions
from ..positions.multimodal.vision_token_order import vision_token_order
from ..positions.table_rows import table_rows
from ..steps.positions.coordinates import affine, half_pixel, linspace, listed, multiples, resampled
from ..steps.positions.exact_positions import LIMIT
from ..steps.waves.grids import grid

NORMALISATIONS = ("separate", "max", "min")
SPACINGS = ("open", "shrunk")


def _sizes(minimum=1, **sizes):
    """Counts of tokens, checked, in their order."""
    return [checks.integer(name, size, minimum) for name, size in sizes.items()]


def _each(name, values, count):
    """A value for each axis."""
    if not isinstance(values, (tuple, list)) or len(values) != count:
        raise InputError("E_SHAPE", name, f"{name} must be a list of {count} values, got {shown(values)}")
    return values


# -- images -----------------------------------------------------------------------------------------------------------


def image(height, width, *, start=0):
    """(row, column), counted from start."""
    return grid(affine(height, start=start), affine(width, start=start))


def resized(height, width, *, trained=None, offset=0):
    """(row, column), plus offset, then times trained / size: grids of any size meet the one trained on."""
    sizes = _sizes(height=height, width=width)
    trained = sizes if trained is None else _sizes(**dict(zip(("rows", "columns"), _each("trained", trained, 2))))
    return grid(
        *(
            affine(size, start=checks.real("offset", offset) * Fraction(wanted, size), step=Fraction(wanted, size))
            for size, wanted in zip(sizes, trained)
        )
    )


def corners(*sizes):
    """-1 .. 1 along each axis, with both ends; a single token is at -1."""
    return grid(*(linspace(-1, 1, size, endpoint=True) for size in sizes))


def centres(height, width, *, normalize_coords="separate", offset=0):
    """Middles of patches, 2 (i + 1/2) / n - 1 with n the size of the axis ("separate"), the larger or the smaller.

    offset: patches by which all are moved.
    """
    height, width = _sizes(height=height, width=width)
    checks.choice("normalize_coords", normalize_coords, NORMALISATIONS)
    counts = {"separate": (height, width), "max": (max(height, width),) * 2, "min": (min(height, width),) * 2}
    return grid(
        *(half_pixel(n, count=count, offset=offset) for n, count in zip((height, width), counts[normalize_coords]))
    )


def merge_blocks(height, width, *, frames=1, spatial_merge_size=2):
    """(row, column) in blocks of spatial_merge_size x spatial_merge_size patches, the same for each frame."""
    return volume_blocks(frames, height, width, spatial_merge_size=spatial_merge_size)[1:]


def volume_blocks(frames, height, width, *, spatial_merge_size=2):
    """(frame, row, column) in blocks of spatial_merge_size x spatial_merge_size patches."""
    order = vision_token_order([[frames, height, width]], order="merge-blocks", spatial_merge_size=spatial_merge_size)
    return order.T


def behind_cls(height, width, *, use_cls_token=True):
    """(row, column) from 1, row-major, behind a first token at 0; without a class token from 0."""
    if not checks.flag("use_cls_token", use_cls_token):
        return image(height, width)
    cells = np.indices(_sizes(0, height=height, width=width), dtype=np.int64).reshape(2, -1) + 1
    return np.concatenate([np.zeros((2, 1), np.int64), cells], 1)


def memory(height, width, *, k_repeat=1, num_k_exclude_rope=0):
    """(row, column); keys of k_repeat frames of memory repeat them, and num_k_exclude_rope object pointers are at 0."""
    sizes = _sizes(0, height=height, width=width, k_repeat=k_repeat, num_k_exclude_rope=num_k_exclude_rope)
    if sizes[2:] == [1, 0]:
        return image(height, width)
    cells = np.tile(np.indices(sizes[:2], dtype=np.int64).reshape(2, -1), (1, sizes[2]))
    return np.concatenate([cells, np.zeros((2, sizes[3]), np.int64)], 1)


def resampled_image(height, width, *, reference=(256, 256)):
    """(floor(i R / height), floor(j C / width)) for a reference grid of R x C."""
    return grid(*(resampled(n, reference=r) for n, r in zip((height, width), _each("reference", reference, 2))))


def flat_image(height, width):
    """(0, row, column): an image where frames have a place."""
    return grid(1, height, width)


# -- crops of a base grid ---------------------------------------------------------------------------------------------


def crop_region(height, width, base):
    """((top, left), (bottom, right)) of a grid fitted into a base grid, centred; ties round to even.

    Exactly; the code of models divides in float64 first.
    """
    height, width = _sizes(height=height, width=width)
    rows, columns = _each("base", base, 2)
    if height * columns > width * rows:  # taller than the base
        fitted = rows, round(Fraction(rows * width, height))
    else:
        fitted = round(Fraction(columns * height, width)), columns
    top, left = (round(Fraction(whole - part, 2)) for whole, part in zip(base, fitted))
    return (top, left), (top + fitted[0], left + fitted[1])


def cropped(start, stop, size, spacing):
    """Positions from start towards stop: (stop - start) / size apart ("open"), or up to stop (size - 1) / size."""
    if checks.choice("spacing", spacing, SPACINGS) == "open":
        return linspace(start, stop, size)
    return linspace(start, Fraction(stop * (size - 1), size), size, endpoint=True)


def cropped_image(height, width, *, base=(32, 32), spacing):
    """(row, column) in the region of a base grid that the image is fitted into.

    spacing: "open" is NumPy's linspace without the end (Hunyuan-DiT, diffusers to 0.31); "shrunk" is that of diffusers
    today, which stretches the region towards 0. They agree where the region begins at 0.
    """
    region = zip(*crop_region(height, width, base), (height, width))
    return grid(*(cropped(start, stop, size, spacing) for start, stop, size in region))


def cropped_video(frames, height, width, *, base=(30, 45), spacing):
    """(frame, row, column), rows and columns as `cropped_image`."""
    return grid(frames, *cropped_image(height, width, base=base, spacing=spacing).axes)


# -- videos -----------------------------------------------------------------------------------------------------------


def volume(frames, height, width):
    """(frame, row, column)."""
    return grid(frames, height, width)


def shrunken(frames, height, width, *, scale=(Fraction(11, 5), 2, 2)):
    """(frame, row, column), each divided by its scale; floats are what they are, so that 2.2 is not 11/5."""
    scale = [checks.positive("scale", value) for value in _each("scale", scale, 3)]
    return grid(*(affine(n, step=1 / value) for n, value in zip((frames, height, width), scale)))


def divided(frames, height, width, *, scale_factor=(1, 1, 1)):
    """(frame, row, column), each divided by its factor."""
    return shrunken(frames, height, width, scale=_each("scale_factor", scale_factor, 3))


def multiplied(frames, height, width, *, interpolation_factor=1):
    """(frame, row, column) times interpolation_factor, a number or one for each axis; floats are what they are."""
    several = isinstance(interpolation_factor, (tuple, list))
    factors = _each("interpolation_factor", interpolation_factor if several else [interpolation_factor] * 3, 3)
    steps = [checks.positive("interpolation_factor", factor) for factor in factors]
    return grid(*(affine(n, step=step) for n, step in zip((frames, height, width), steps)))


def binned(frames, height, width):
    """(frame, row - (height - 1) / 2, column - (width - 1) / 2): middles of bins around 0, of the size of 1."""
    height, width = _sizes(height=height, width=width)
    return grid(frames, *(affine(n, start=Fraction(1 - n, 2)) for n in (height, width)))


def pooled(frames, height, width, *, compressed=0, pool=2):
    """(frame, row, column): frames of a coarse context at the middles of pool x pool tokens, then the full frames.

    height, width: of the full frames. compressed: how many of the frames are context, floor(height / pool) rows each.
    pool: at most 6, from where on the mean of rotations by neighbouring positions points the other way.
    """
    sizes = _sizes(0, frames=frames, height=height, width=width)
    compressed = checks.integer("compressed", compressed, 0, sizes[0])
    pool = checks.integer("pool", pool, 1, 6)
    coarse = np.indices((compressed, *(size // pool for size in sizes[1:])), np.int64).reshape(3, -1)
    full = np.indices((sizes[0] - compressed, *sizes[1:]), np.int64).reshape(3, -1) + [[compressed], [0], [0]]
    middle = Fraction(pool - 1, 2)
    rows = [[pool * int(cell) + middle for cell in axis] + axis_of_full.tolist()
            for axis, axis_of_full in zip(coarse[1:], full[1:])]  # fmt: skip
    return [listed(axis) for axis in ([*coarse[0].tolist(), *full[0].tolist()], *rows)]


def timed(frames, height, width, *, fps=None, base_fps=24):
    """(frame * base_fps / fps, row, column); without fps the frame itself."""
    step = 1 if fps is None else checks.positive("base_fps", base_fps) / checks.positive("fps", fps)
    return grid(affine(frames, step=step), height, width)


def fractions(frames, height, width, *, scale, base=(20, 2048, 2048)):
    """2 f - 1 for the fraction f = i * scale / base of each axis, from -1 on.

    scale: pixels (or seconds) from token to token along each axis, as (Fraction(8, 25), 32, 32) at 25 frames a second;
    a float is the fraction it is, whose denominator may be too long for whole multiples below 2**53.
    """
    pairs = zip(_each("scale", scale, 3), _each("base", base, 3))
    steps = [2 * checks.real("scale", s) / checks.positive("base", b) for s, b in pairs]
    return grid(*(affine(n, start=-1, step=step) for n, step in zip((frames, height, width), steps)))


def midpoints(frames, height, width, *, fps=24, scale=(8, 32, 32), base=(20, 2048, 2048), causal_offset=1):
    """2 f - 1 for the middle of each latent, in seconds and pixels; times before the first frame are 0."""
    fps = checks.positive("fps", fps)
    frames, height, width = _sizes(0, frames=frames, height=height, width=width)
    scale, base = _each("scale", scale, 3), [checks.positive("base", b) for b in _each("base", base, 3)]
    time = [_middle(i, scale[0], causal_offset) / fps for i in range(frames)]
    axes = [time, *([(i + Fraction(1, 2)) * s for i in range(n)] for n, s in zip((height, width), scale[1:]))]
    return grid(*(listed([2 * value / b - 1 for value in axis]) for axis, b in zip(axes, base)))


def audio_midpoints(frames, *, sampling_rate=16000, hop_length=160, scale=4, base=20, causal_offset=1, shift=0):
    """2 f - 1 for the middle of each audio latent, in seconds: one axis."""
    frames, base = checks.integer("frames", frames, maximum=checks.MOST_ITEMS), checks.positive("base", base)
    rate, hop = checks.integer("sampling_rate", sampling_rate, 1), checks.integer("hop_length", hop_length, 1)
    scale = checks.integer("scale", scale)
    offset, shift = (
        checks.integer(name, one, -LIMIT, LIMIT) for name, one in (("causal_offset", causal_offset), ("shift", shift))
    )
    span = base * rate / hop  # 2 * middle / base - 1 is ends / span - 1
    whole, part = span.numerator, span.denominator
    return grid(multiples([_ends(i + shift, scale, offset) * part - whole for i in range(frames)], Fraction(1, whole)))


def _middle(i, scale, offset):
    """The middle of latent i of a causal encoder."""
    return Fraction(_ends(i, scale, offset), 2)


def _ends(i, scale, offset):
    """The first and the last frame of latent i of a causal encoder, added: the first covers one frame, each other
    `scale` of them."""
    return max(i * scale + offset - scale, 0) + max((i + 1) * scale + offset - scale, 0)


# -- images beside text -----------------------------------------------------------------------------------------------


def flux(height, width, *, text_length, reference=None):
    """(image, row, column) of text, then image, then reference image: `flux_positions` by axis."""
    return np.concatenate(flux_positions(height, width, text_length=text_length, reference=reference)).T


def flux2(height, width, *, text_length, references=()):
    """(time, row, column, text) of text, then image, then references: `flux2_positions` by axis."""
    return np.concatenate(flux2_positions(height, width, text_length=text_length, references=references)).T


def lumina2(height, width, *, text_length):
    """(sequence, row, column) of a caption and its image: `lumina2_positions` of one caption by axis."""
    return lumina2_positions(height, width, text_lengths=[text_length])[0].T


def image_first(height, width, *, text_length):
    """(image, row, column) of an image, then of text, which is at 0."""
    text, image = flux_positions(height, width, text_length=text_length)
    return np.concatenate([image, text]).T


def omnigen2(height, width, *, text_length, references=()):
    """(sequence, row, column) of text, then reference images, then the image.

    Text counts on all axes. Each image stands at one position of the first axis: the first one after the text, the
    others behind it by the longer side of the image before.
    """
    (start,) = _sizes(0, text_length=text_length)
    parts = [np.tile(np.arange(start, dtype=np.int64), (3, 1))]
    for sizes in (*references, (height, width)):
        height, width = _sizes(0, height=sizes[0], width=sizes[1])
        parts.append(np.indices((1, height, width), dtype=np.int64).reshape(3, -1) + [[start], [0], [0]])
        start += max(height, width)
    return np.concatenate(parts, 1)


def cosmos3(frames, height, width, *, text_length, fps=None, base_fps=24, margin=15000):
    """(time, row, column) of text, then of a video margin behind it, whose latents are base_fps / fps apart.

    Without fps, or for one frame, latents are 1 apart. Sound is a video of one row and one column.
    """
    length, frames, height, width = _sizes(0, text_length=text_length, frames=frames, height=height, width=width)
    step = 1
    if fps is not None and frames > 1:
        step = checks.positive("base_fps", base_fps) / checks.positive("fps", fps)
    start = length + checks.integer("margin", margin, 0)
    text = list(range(length))
    times, rows, columns = np.indices((frames, height, width), np.int64).reshape(3, -1).tolist()
    return [listed(text + [start + time * step for time in times]), listed(text + rows), listed(text + columns)]


def qwen_image(grid_thw, *, text_length, scale_rope=True, layered=False):
    """(frame, row, column) of text, then images: `qwen_image_positions` by axis."""
    axes = qwen_image_positions(grid_thw, text_length=text_length, scale_rope=scale_rope, layered=layered)
    return np.concatenate(axes).T


def neomme(height, width):
    """(row, column): two tokens that open an image, at (0, 0) and (1, 1), then its rows, each with a newline."""
    height, width = _sizes(0, height=height, width=width)
    cells = np.indices((height, width + 1), dtype=np.int64).reshape(2, -1) + 2
    return np.concatenate([[[0, 1], [0, 1]], cells], 1)


# -- sound and space --------------------------------------------------------------------------------------------------


def windows(count, length, *, frame_step=Fraction(1, 100)):
    """(time * window, time * step) of each step of each window of sound, in seconds times integers.

    count: windows of `length` steps. A step is four frames of frame_step seconds, and windows follow each other.
    """
    count, length = _sizes(0, count=count, length=length)
    second = 4 * checks.positive("frame_step", frame_step)
    cells = [(window, step) for window in range(count) for step in range(length)]
    times = [second * (window * length + step) for window, step in cells]
    return [listed([time * cell[axis] for time, cell in zip(times, cells)]) for axis in (0, 1)]


def atoms(ref_pos, ref_space_uid):
    """(x, y, z, number of the residue) of atoms, floats taken as they are.

    ref_pos: (atoms, 3). ref_space_uid: (atoms,).
    """
    ref_pos, uid = np.asarray(ref_pos), np.asarray(ref_space_uid)
    if ref_pos.ndim != 2 or ref_pos.shape[1] != 3 or uid.shape != ref_pos.shape[:1]:
        sentence = f"ref_pos must be (atoms, 3) and ref_space_uid (atoms,), got {ref_pos.shape} and {uid.shape}"
        raise InputError("E_SHAPE", "ref_pos", sentence)
    return [*ref_pos.T, uid]


# -- text -------------------------------------------------------------------------------------------------------------


def text(length, *, start=0):
    """start .. start + length - 1."""
    return affine(length, start=start)


def from_one(length):
    """1 .. length."""
    return text(length, start=1)


def descending(context_size):
    """context_size // 2 .. 0: distances to the tokens before."""
    return affine(checks.integer("context_size", context_size) // 2 + 1, start=context_size // 2, step=-1)


def counted(length, *, past=0):
    """past .. past + length - 1."""
    return table_rows(checks.integer("length", length), rule="count", past=past)


def behind_two(length, *, past=0):
    """past + 2 .. past + length + 1: behind two rows that no token reads."""
    return table_rows(checks.integer("length", length), rule="count", offset=2, past=past)


def padded(tokens, *, padding_idx=1, past=0):
    """padding_idx + 1, + 2 ... of the ids that do not pad, behind `past` tokens; padding_idx of those that do."""
    return table_rows(tokens, rule="tokens", padding_idx=padding_idx, past=past)


def fsmt(tokens, *, padding_idx=1, past=0):
    """padding_idx + past + 1, + 2 ... of the ids that do not pad; padding_idx + past of those that do."""
    return table_rows(tokens, rule="fsmt", padding_idx=padding_idx, past=past)


def by_axis(function):
    """A function of `refpos.positions` that returns positions (3, batch, tokens) and deltas; the positions alone."""

    def positions(*args, **options):
        return function(*args, **options).positions

    positions.__name__ = function.__name__
    positions.__doc__ = function.__doc__
    return positions
