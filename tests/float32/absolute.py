"""Absolute encodings made of sines and cosines, in float32."""

import math
import re
from datetime import datetime, timezone

import numpy as np

from . import angles
from .angles import F, cells, made, number, places
from .registry import float32

TAU = F(2 * math.pi)


def numbers(x):
    """An array, a number, or the call that makes positions."""
    return angles.coordinates(x) if isinstance(x, dict) else np.asarray(x).astype(F)


def factor_of(value):
    return {"pi": F(math.pi), "2pi": TAU}.get(value) or F(number(value))


def inv_freq_of(count, width, base):
    return F(1) / F(number(base)) ** (np.arange(0, 2 * count, 2).astype(F) / F(width))


def waves_of(angle, layout):
    """Sines and cosines of angles (..., n) in a layout."""
    sin, cos = np.sin(angle), np.cos(angle)
    if layout == "interleaved":
        return np.stack([sin, cos], -1).reshape(*angle.shape[:-1], 2 * angle.shape[-1])
    parts = {"sin-cos": [sin, cos], "cos-sin": [cos, sin], "sin": [sin], "cos": [cos]}[layout]
    return np.concatenate(parts, -1)


for _name in ("sincos_2d", "sincos_3d", "sincos_grid"):
    # looked up at each call: a test changes the functions of angles.py
    float32(_name, kind="float32-angle", defaults=False)(lambda _name=_name, **given: getattr(angles, _name)(**given))


@float32("sinusoidal", kind="float32-angle")
def sinusoidal(positions, dim, base, position_scale, layout, endpoint, odd, zero_row=None, divisor=None, **_):
    p = places(positions)
    width = dim - 1 if odd == "pad" and dim % 2 else dim
    count = (width + 1) // 2
    exponent = np.arange(count).astype(F) / F(max(count - 1, 1)) if endpoint else np.arange(count) * F(2) / F(width)
    angle = p[..., None] * (F(number(position_scale)) / F(number(base)) ** exponent)
    sin, cos = np.sin(angle), np.cos(angle)[..., : width - count]
    if layout == "interleaved":
        found = np.zeros((*p.shape, width), F)
        found[..., 0::2], found[..., 1::2] = sin, cos
    else:
        found = np.concatenate([sin, cos] if layout == "sin-cos" else [cos, sin], -1)
    found = np.concatenate([found, np.zeros((*p.shape, dim - width), F)], -1)
    if zero_row is not None:
        found[p == zero_row] = 0
    return found / np.sqrt(F(dim)) if divisor else found


@float32("timestep_embedding", kind="float32-angle")
def timestep_embedding(timesteps, dim, flip_sin_to_cos, downscale_freq_shift, scale, max_period, **_):
    half, t = dim // 2, numbers(timesteps)
    exponent = np.arange(half).astype(F) / F(half - float(number(downscale_freq_shift)))
    angle = t[..., None] * (F(1) / F(number(max_period)) ** exponent) * F(number(scale))
    found = waves_of(angle, "cos-sin" if flip_sin_to_cos else "sin-cos")
    return np.concatenate([found, np.zeros((*t.shape, dim % 2), F)], -1)


@float32("timestep_fourier", kind="float32-angle")
def timestep_fourier(timesteps, dim, first, last, ends, flip_sin_to_cos, **_):
    first, last, half = F(number(first)), F(number(last)), dim // 2
    ratio = first * (last / first) ** (np.arange(half).astype(F) / F(max(half - 1, 1)))
    turns = ratio if ends == "frequencies" else F(1) / ratio
    angle = numbers(timesteps)[..., None] * (turns * TAU)
    return waves_of(angle, "cos-sin" if flip_sin_to_cos else "sin-cos")


@float32("shift_matrix", kind="float32-angle")
def shift_matrix(offset, dim, base, layout, endpoint, **_):
    half = dim // 2
    exponent = np.arange(half).astype(F) / F(max(half - 1, 1) if endpoint else half)
    angle = F(number(offset)) * (F(1) / F(number(base)) ** exponent)
    i = np.arange(half)
    sines, cosines = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
    if layout == "cos-sin":
        sines, cosines = cosines, sines
    found = np.zeros((dim, dim), F)
    found[sines, sines] = found[cosines, cosines] = np.cos(angle)
    found[sines, cosines] = np.sin(angle)
    found[cosines, sines] = -np.sin(angle)
    return found


@float32("periodic", kind="float32-angle")
def periodic(x, period, **_):
    angle = numbers(x) * TAU / F(number(period))
    return np.stack([np.sin(angle), np.cos(angle)], -1)


@float32("functional_time", kind="float32-angle")
def functional_time(times, dim, base, **_):
    exponent = np.arange(dim).astype(F) / F(max(dim - 1, 1))
    return np.cos(numbers(times)[..., None] * (F(1) / F(number(base)) ** exponent))


@float32("time2vec", kind="float32-angle")
def time2vec(t, weight, phase, linear, kind, **_):
    angle = numbers(t)[..., None] * weight.astype(F) + phase.astype(F)
    found = np.sin(angle) if kind == "sin" else np.cos(angle)
    if linear in ("first", "last"):
        place = 0 if linear == "first" else -1
        found[..., place] = angle[..., place]
    return found


@float32("fixed_temporal", kind="float32-angle")
def fixed_temporal(rows, dim, base, **_):
    angle = rows.astype(F)[..., None] * inv_freq_of(dim // 2, dim, base)
    tables = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(*rows.shape, dim)
    found = tables[..., 0, :]
    for k in range(1, rows.shape[-1]):
        found = found + tables[..., k, :]
    return found


def axes_of(coordinates):
    """(..., n) of coordinates: an array, a list of exact positions of each, or a grid."""
    if isinstance(coordinates, dict):
        return np.moveaxis(cells(*coordinates["arguments"]["coordinates"]), 0, -1)
    if isinstance(coordinates, list) and any(isinstance(one, dict) for one in coordinates):
        return np.stack([angles.coordinates(one) for one in coordinates], -1)
    return np.asarray(coordinates).astype(F)


@float32("coordinate_sine", kind="float32-angle")
def coordinate_sine(coordinates, dim, order, base, factor, layout, widths=None, repeated=False, **_):
    where, parts = axes_of(coordinates), []
    count = where.shape[-1]
    for axis, width in zip(order, widths or [dim // count] * count, strict=True):
        i = np.arange(width // 2)
        exponent = (2 * (i // 2)).astype(F) / F(width // 2) if repeated else (2 * i).astype(F) / F(width)
        angle = (factor_of(factor) * where[..., axis])[..., None] * (F(1) / F(number(base)) ** exponent)
        parts.append(waves_of(angle, layout))
    return np.concatenate(parts, -1)


@float32("fourier_bands", kind="float32-angle")
def fourier_bands(coordinates, frequencies, factor, order, kinds, include=None, **_):
    where = axes_of(coordinates)
    listed = frequencies if isinstance(frequencies, list) else [frequencies] * where.shape[-1]
    angle = np.stack([factor_of(factor) * where[..., a, None] * made(one)[0] for a, one in enumerate(listed)], -2)
    table = np.stack([{"sin": np.sin, "cos": np.cos}[kind](angle) for kind in kinds.split("-")], -3)
    lead, names = where.ndim - 1, ("kind", "axis", "band")
    places_of = [lead + names.index(name) for name in order.split("-")]
    found = table.transpose(*range(lead), *places_of)
    found = found.reshape(*where.shape[:-1], math.prod(found.shape[lead:]))
    beside = {"first": [where, found], "last": [found, where]}.get(include, [found])
    return np.concatenate(beside, -1)


@float32("fourier_projection", kind="float32-angle")
def fourier_projection(coordinates, weight, factor, layout, phase=None, transform=None, **_):
    where = axes_of(coordinates)
    where = np.log(where) if transform == "ln" else where
    total = F(0)
    for axis, row in enumerate(weight.astype(F)):
        total = total + where[..., axis, None] * row
    total = total if phase is None else total + phase.astype(F)
    return waves_of(factor_of(factor) * total, layout)


@float32("soft_grid", kind="float32-angle")
def soft_grid(height, width, **_):
    y, x = (np.arange(size).astype(F) / F(max(size - 1, 1)) for size in (height, width))
    y, x = np.meshgrid(y, x, indexing="ij")
    return np.stack([y, x, F(1) - y, F(1) - x], -1)


@float32("centred_points", kind="float32-angle")
def centred_points(points, height, width, share, **_):
    middle = np.array([width, height]).astype(F) / F(2)
    return (axes_of(points) - middle) / (F(max(width, height)) * F(number(share)))


@float32("masked_sine_2d", kind="float32-angle")
def masked_sine_2d(mask, dim, base, axis_order, normalize, half_pixel, eps, scale=None, **_):
    allowed = np.ones(mask, F) if isinstance(mask, list) else np.asarray(mask).astype(F)
    bases = dict(zip("hw", base if isinstance(base, list) else [base] * 2, strict=True))
    parts = []
    for letter in axis_order:
        axis = {"h": -2, "w": -1}[letter]
        where = np.cumsum(allowed, axis, dtype=F)
        if normalize:
            last = allowed.sum(axis, keepdims=True, dtype=F)
            shifted = where - F(0.5) if half_pixel else where
            where = shifted / (last + F(number(eps))) * factor_of(scale)
        parts.append(waves_of(where[..., None] * inv_freq_of(dim // 4, dim // 2, bases[letter]), "interleaved"))
    return np.concatenate(parts, -1)


@float32("hyena_features", kind="float32-angle")
def hyena_features(length, dim, low, **_):
    n = (dim - 1) // 2
    t = np.arange(length).astype(F) / F(max(length - 1, 1))
    i = np.arange(n).astype(F)
    f = F(number(low)) + i * ((F(n - 1) - F(number(low))) / F(max(n - 1, 1)))
    angle = f * (TAU * np.arange(length).astype(F) / F(length))[:, None]
    return np.concatenate([t[:, None], np.cos(angle), -np.sin(angle)], -1)


@float32("exponential_modulation", kind="float32-power")
def exponential_modulation(length, channels, fast, slow, target, shift, **_):
    t = np.arange(length).astype(F) / F(max(length - 1, 1))
    ends = [np.log(F(number(target))) / F(number(value)) for value in (slow, fast)]
    d = ends[0] + np.arange(channels).astype(F) * ((ends[1] - ends[0]) / F(max(channels - 1, 1)))
    return np.exp(-t[:, None] * np.abs(d)) + F(number(shift))


@float32("normalised_sinusoidal", kind="float32-angle")
def normalised_sinusoidal(positions, dim, base, **_):
    table = sinusoidal(positions, dim, base, 1, "interleaved", False, "truncate")
    if table.size < 2:
        return table * F(np.nan)
    centred = table - table.mean(dtype=F)
    return centred / (F(10) * centred.std(ddof=1, dtype=F))


#: fields of a calendar for each sampling frequency, and the largest value of each
LARGEST = {"second": 59, "minute": 59, "hour": 23, "weekday": 6, "day": 30, "yearday": 365, "month": 11, "week": 52}
DAYS = ("weekday", "day", "yearday")
FIELDS = {"Y": (), "A": (), "Q": ("month",), "M": ("month",), "W": ("day", "week"), "D": DAYS, "B": DAYS,
          "H": ("hour", *DAYS), "MIN": ("minute", "hour", *DAYS), "T": ("minute", "hour", *DAYS),
          "S": ("second", "minute", "hour", *DAYS)}  # fmt: skip


def field(time, name):
    day = time.timetuple()
    return {"second": time.second, "minute": time.minute, "hour": time.hour, "weekday": time.weekday(),
            "day": time.day - 1, "yearday": day.tm_yday - 1, "month": time.month - 1,
            "week": time.isocalendar()[1] - 1}[name]  # fmt: skip


@float32("calendar_features", kind="float32-angle")
def calendar_features(times, frequency, zone=None, **_):
    stem = re.sub(r"^\d+", "", frequency).split("-")[0].upper()
    names = FIELDS.get(stem) if stem in FIELDS else FIELDS[stem.rstrip("ES")]
    if zone is not None:
        zone = datetime.fromisoformat(f"2000-01-01T00:00{'+00:00' if zone == 'UTC' else zone}").tzinfo

    def read(one):
        if not isinstance(one, str):
            return datetime.fromtimestamp(int(one), timezone.utc).astimezone(zone)
        time = datetime.fromisoformat(one)
        return time if zone is None else time.astimezone(zone)

    given = np.asarray(times, None if isinstance(times, np.ndarray) else object)
    shares = [[F(field(read(one), name)) / F(LARGEST[name]) - F(0.5) for name in names] for one in given.reshape(-1)]
    return np.array(shares, F).reshape(*given.shape, len(names))
