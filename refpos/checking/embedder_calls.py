"""How a module of diffusers that makes cosines and sines for a grid of tokens is called, and where its tokens are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..positions.multimodal.lumina2_positions import lumina2_positions
from ..positions.multimodal.qwen_image_positions import qwen_image_positions
from .rotary_runs import parameters_of

#: frames, rows and columns, of which no two are alike, and tokens of text beside them
SIZES, TEXT = (3, 4, 7), 5
#: positions along each axis where a module takes any, rolled by one from axis to axis
TELLING = (0, 1, 2, 7, 100, 11)


class Called(NamedTuple):
    """What a module returned: cosines and sines, or complex numbers, for tokens at positions (axes, tokens)."""

    made: object
    positions: np.ndarray


def call(module, like, axes):
    """Each `Called` of a module; None where it takes arguments that are not known. like: a tensor of the model, axes:
    the number of axes."""
    made = CALLS.get(tuple(parameters_of(module)))
    return None if made is None else made(module, like, axes)


def _ids(module, like, axes):
    lengths = getattr(module, "axes_lens", None) or [max(TELLING) + 1] * axes
    positions = np.stack([np.roll(TELLING, shift) % lengths[shift] for shift in range(axes)])
    ids = like.new_zeros((positions.shape[1], axes)).long()
    for (axis, token), position in np.ndenumerate(positions):
        ids[token, axis] = int(position)
    return [Called(module(ids), positions)]


def _grid(sizes):
    """The positions (axes, tokens) of a grid, its last axis fastest."""
    return np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij")).reshape(len(sizes), -1)


def _sides(module, axes):
    """The sides of a patch along each axis."""
    side, frames = module.patch_size, getattr(module, "patch_size_t", 1)
    sides = list(side) if isinstance(side, (tuple, list)) else [side, side]
    return sides if len(sides) == axes else [frames, *sides]


def _volume(module, like, axes):
    sizes = SIZES[-axes:]
    sides = [size * side for size, side in zip(sizes, _sides(module, axes))]
    positions = _grid(sizes)
    reference = getattr(module, "rope_axes_dim", None)  # CogView 4: the places of a grid of that size, floored
    if reference is not None:
        wide = np.array(reference)[:, None], np.array(sizes)[:, None]
        positions = positions * wide[0] // wide[1]
    return [Called(module(like.new_zeros((1, 1, *sides)).float()), positions)]


def _qwen(module, like, axes):
    text, image = qwen_image_positions([list(SIZES)], text_length=TEXT, scale_rope=module.scale_rope)
    of_image, of_text = module([SIZES], device=like.device, max_txt_seq_len=TEXT)
    return [Called(of_image, image.T), Called(of_text, text.T)]


def _lumina2(module, like, axes):
    rows, columns = SIZES[1:]
    side = module.patch_size
    made = module(like.new_zeros((1, 1, rows * side, columns * side)), like.new_ones((1, TEXT)).long())
    positions = lumina2_positions(rows, columns, text_lengths=[TEXT])[0]
    return [Called(made[3], positions.T), Called(made[1], positions[:TEXT].T), Called(made[2], positions[TEXT:].T)]


def _ltx(module, like, axes):
    """At quarters of the base grid, which are exact in float32, from -1 on."""
    quarters = _grid(SIZES) / 4
    base = module.base_num_frames, module.base_height, module.base_width
    coordinates = like.new_zeros((1, *quarters.shape)).float()
    for (axis, token), quarter in np.ndenumerate(quarters):
        coordinates[0, axis, token] = quarter * base[axis]
    made = module(like.new_zeros((1, 1)).float(), video_coords=coordinates)
    return [Called(made, 2 * quarters - 1)]


LTX = ("hidden_states", "num_frames", "height", "width", "rope_interpolation_scale", "video_coords")
#: names of the arguments of a forward -> the function that calls it
CALLS = {
    ("ids",): _ids,
    ("hidden_states",): _volume,
    ("hidden_states", "fps"): _volume,
    ("hidden_states", "attention_mask"): _lumina2,
    ("video_fhw", "device", "max_txt_seq_len"): _qwen,
    LTX: _ltx,
}
