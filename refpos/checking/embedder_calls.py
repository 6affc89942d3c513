"""How a module of diffusers that makes cosines and sines for a grid of tokens is called, and where its tokens are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..positions.multimodal.lumina2_positions import lumina2_positions
from ..positions.multimodal.qwen_image_positions import qwen_image_positions
from .rotary_runs import parameters_of

#: frames, rows and columns, of which no two are alike, and tokens of text beside them; not two frames, which ChronoEdit
#: puts at 0 and 7
SIZES, TEXT = (3, 2, 5), 4
#: numbers of frames, where they are given
FRAMES = (0, 1, 9)
#: positions along each axis where a module takes any, rolled by one from axis to axis
TELLING = (0, 1, 2, 7, 100, 11)


class Called(NamedTuple):
    """What a module returned: cosines and sines, or complex numbers, for tokens at positions (axes, tokens)."""

    made: object
    positions: np.ndarray


class Given(NamedTuple):
    """What a call is made from: a tensor of the model, the number of axes, and the keys of the configuration."""

    like: object
    axes: int
    values: dict


def call(module, given):
    """Each `Called` of a module; None where it takes arguments that are not known."""
    made = CALLS.get(tuple(parameters_of(module)))
    return None if made is None else made(module, given)


def _fact(module, given, name, default=None):
    """What the configuration says, or where it is silent the module."""
    return given.values.get(name, getattr(module, name, default))


def _ids(module, given):
    lengths = getattr(module, "axes_lens", None) or [max(TELLING) + 1] * given.axes
    positions = np.stack([np.roll(TELLING, shift) % lengths[shift] for shift in range(given.axes)])
    ids = given.like.new_zeros((positions.shape[1], given.axes)).long()
    for (axis, token), position in np.ndenumerate(positions):
        ids[token, axis] = int(position)
    return [Called(module(ids), positions)]


def grid(sizes):
    """The positions (axes, tokens) of a grid, its last axis fastest."""
    along = [np.arange(size, dtype=np.int64) for size in sizes]
    return np.stack(np.meshgrid(*along, indexing="ij")).reshape(len(sizes), -1)


def _sides(module, given):
    """The sides of a patch along each axis."""
    side, frames = _fact(module, given, "patch_size"), _fact(module, given, "patch_size_t", 1)
    sides = list(side) if isinstance(side, (tuple, list)) else [side, side]
    return sides if len(sides) == given.axes else [frames, *sides]


def _volume(module, given):
    sizes = SIZES[-given.axes :]
    sides = [size * side for size, side in zip(sizes, _sides(module, given))]
    positions = grid(sizes)
    if hasattr(module, "rope_axes_dim"):  # CogView 4: the places of a grid of that size, floored
        reference, size = (np.array(one)[:, None] for one in (_fact(module, given, "rope_axes_dim"), sizes))
        positions = positions * reference // size
    return [Called(module(given.like.new_zeros((1, 1, *sides)).float()), positions)]


def _frames(module, given):
    """Of HunyuanVideo Framepack a pair of tables, of Helios one tensor (1, both tables, frames, rows, columns)."""
    indices = given.like.new_zeros(len(FRAMES)).long()
    for k, frame in enumerate(FRAMES):
        indices[k] = frame
    positions = grid((len(FRAMES), *SIZES[1:]))
    positions = np.stack([np.array(FRAMES, np.int64)[positions[0]], *positions[1:]])
    if hasattr(module, "patch_size"):
        sides = [size * _fact(module, given, "patch_size") for size in SIZES[1:]]
        return [Called(module(indices, *sides, given.like.device), positions)]
    tables = module(indices[None], *SIZES[1:], given.like.device)[0].flatten(1)
    return [Called(tuple(tables.T.contiguous().chunk(2, -1)), positions)]


def _qwen(module, given):
    text, image = qwen_image_positions([list(SIZES)], text_length=TEXT)
    of_image, of_text = module([SIZES], device=given.like.device, max_txt_seq_len=TEXT)
    return [Called(of_image, image.T), Called(of_text, text.T)]


def _lumina2(module, given):
    (rows, columns), side = SIZES[1:], _fact(module, given, "patch_size")
    made = module(given.like.new_zeros((1, 1, rows * side, columns * side)), given.like.new_ones((1, TEXT)).long())
    positions = lumina2_positions(rows, columns, text_lengths=[TEXT])[0]
    return [Called(made[3], positions.T), Called(made[1], positions[:TEXT].T), Called(made[2], positions[TEXT:].T)]


def _ltx(module, given):
    """At quarters of the base grid, which are exact in float32, from -1 on."""
    quarters = grid(SIZES) / 4
    coordinates = given.like.new_zeros((1, *quarters.shape)).float()
    for (axis, token), quarter in np.ndenumerate(quarters):
        coordinates[0, axis, token] = quarter * BASE_OF_LTX[axis]
    made = module(given.like.new_zeros((1, 1)).float(), video_coords=coordinates)
    return [Called(made, 2 * quarters - 1)]


LTX = ("hidden_states", "num_frames", "height", "width", "rope_interpolation_scale", "video_coords")
#: frames, rows and columns of the grid that positions of LTX-Video are fractions of
BASE_OF_LTX = (20, 2048, 2048)
#: names of the arguments of a forward -> the function that calls it
CALLS = {
    ("ids",): _ids,
    ("hidden_states",): _volume,
    ("hidden_states", "fps"): _volume,
    ("hidden_states", "attention_mask"): _lumina2,
    ("video_fhw", "device", "max_txt_seq_len"): _qwen,
    ("frame_indices", "height", "width", "device"): _frames,
    LTX: _ltx,
}
