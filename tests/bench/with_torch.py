"""torch as tutorials and model code write it, float32 inside (float64 for float64), eager and compiled."""

import math
import warnings

import numpy as np
import torch

LIBRARY = "torch"
DTYPES = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def peers(work, job):
    function, given = {
        "sinusoidal": _sinusoidal,
        "rope_table": _rope_table,
        "rope": _rope,
        "sincos_2d": _sincos_grid,
        "sincos_3d": _sincos_grid,
        "alibi": _alibi,
        "t5_bias": _t5_bias,
        "resize_table": _resize_table,
    }[work.kind](work, **job.inputs)
    ready = ", ready cache" if work.kind == "rope" else ""
    yield f"torch eager{ready}", lambda: as_numpy(function(*given))
    torch.compiler.reset()
    warnings.filterwarnings("ignore", module="torch")
    compiled = torch.compile(function, dynamic=False)
    yield f"torch.compile{ready}", lambda: as_numpy(compiled(*given))


@torch.no_grad()
def as_numpy(tensor):
    """The result as an array over the same memory; of bfloat16, its bit patterns."""
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


def tensor(array, dtype):
    return torch.from_numpy(array).view(torch.bfloat16) if dtype == "bfloat16" else torch.from_numpy(array)


def inside(dtype):
    return torch.float64 if dtype == "float64" else torch.float32


def inv_freq(dim, dtype):
    return torch.exp(torch.arange(0, dim, 2, dtype=dtype) * (-math.log(10000.0) / dim))


def _sinusoidal(work, positions, dim):
    kind = inside(work.dtype)

    def function(positions):
        angles = positions.to(kind)[:, None] * inv_freq(dim, kind)
        table = torch.empty(len(positions), dim, dtype=kind)
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)
        return table.to(DTYPES[work.dtype])

    return function, [torch.from_numpy(positions)]


def _rope_table(work, positions, dim):
    def function(positions):
        angles = positions.float()[:, None] * inv_freq(dim, torch.float32)
        return torch.stack([angles.cos(), angles.sin()])

    return function, [torch.from_numpy(positions)]


def _rope(work, x, positions, dim, pairing):
    kind = inside(work.dtype)
    angles = torch.from_numpy(positions).to(kind)[:, None] * inv_freq(dim, kind)
    cos, sin = (part.to(DTYPES[work.dtype]) for part in (angles.cos(), angles.sin()))

    def half(x, cos, sin):
        turned = torch.cat([-x[..., dim // 2 :], x[..., : dim // 2]], dim=-1)
        return x * torch.cat([cos, cos], dim=-1) + turned * torch.cat([sin, sin], dim=-1)

    def interleaved(x, cos, sin):
        first, second = x[..., 0::2], x[..., 1::2]
        return torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1).flatten(-2)

    return half if pairing == "half" else interleaved, [tensor(x, work.dtype), cos, sin]


def _sincos_grid(work):
    *sizes, dim = work.shape
    share = dim // len(sizes)

    def axis(k):
        dtype = inside(work.dtype)
        angles = torch.arange(sizes[k], dtype=dtype)[:, None] * inv_freq(share, dtype)
        along = [1] * len(sizes)
        along[k] = sizes[k]
        return torch.cat([angles.sin(), angles.cos()], dim=1).reshape(*along, share).expand(*sizes, share)

    return lambda: torch.cat([axis(k) for k in range(len(sizes))], dim=-1), []


def _alibi(work):
    heads, queries, keys = work.shape
    slopes = torch.from_numpy((2.0 ** (-8 * np.arange(1, heads + 1) / heads)).astype(np.float32))

    def function(slopes):
        distance = (torch.arange(keys) - torch.arange(keys - queries, keys)[:, None]).abs().float()
        return -slopes[:, None, None] * distance

    return function, [slopes]


def _t5_bias(work, weight):
    _, queries, keys = work.shape

    def function(weight):
        relative = torch.arange(keys)[None] - torch.arange(queries)[:, None]
        size = relative.abs()
        far = 8 + (torch.log(size.float().clamp(min=1) / 8) / math.log(128 / 8) * 8).long()
        bucket = (relative > 0).long() * 16 + torch.where(size < 8, size, far.clamp(max=15))
        return torch.nn.functional.embedding(bucket, weight).permute(2, 0, 1)

    return function, [torch.from_numpy(weight)]


def _resize_table(work, weight):
    """As models of transformers resize it: channels first, and back."""

    def function(weight):
        planes = weight.permute(2, 0, 1)[None]
        made = torch.nn.functional.interpolate(planes, size=work.shape[:2], mode="bicubic", align_corners=False)
        return made[0].permute(1, 2, 0).contiguous()

    return function, [torch.from_numpy(weight)]
