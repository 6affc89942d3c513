"""Sinusoidal tables, timestep embeddings and grids as lessons and repositories compute them, in plain NumPy and
independent of refpos, right and wrong ones."""

import math
from typing import NamedTuple

import numpy as np
from rotary_programs import ROUND

F = np.float32
RNG = np.random.default_rng(11)


class Plant(NamedTuple):
    """The numbers of a program; the same without any rounding; function it is read as; base and positions of it."""

    y: np.ndarray
    exact: np.ndarray
    function: str = "sinusoidal"
    base: float | None = 10000
    positions: np.ndarray | None = None
    kind: str = "float32"


def columns(angles, layout):
    """Sines and cosines of angles (.., h), in a layout."""
    sines, cosines = np.sin(angles), np.cos(angles)
    if layout == "interleaved":
        return np.stack([sines, cosines], -1).reshape(*angles.shape[:-1], -1)
    return np.concatenate([sines, cosines] if layout == "sin-cos" else [cosines, sines], -1)


def pairs(dim, base, span=None):
    """base ** (-i / span) of each pair."""
    half = (dim + 1) // 2
    return base ** (-np.arange(half) / (dim / 2 if span is None else span))


def table(positions=100, dim=64, base=10000, *, layout="interleaved", span=None, kind="float32", scale=1.0, factor=1.0):
    """A table of float32 (or other) programs: frequency, angle, sine and cosine each in their format."""
    places = np.arange(positions) if isinstance(positions, int) else np.asarray(positions)
    exact = columns(places[..., None] * (scale * pairs(dim, base, span)), layout)[..., :dim] * factor
    arithmetic = np.float64 if kind == "float64" else F
    w = (pairs(dim, base, span) * scale).astype(arithmetic)
    y = columns(places[..., None].astype(arithmetic) * w, layout)[..., :dim] * arithmetic(factor)
    return Plant(ROUND[kind](y), exact, "sinusoidal", base, places, kind)


# -- one position a row -----------------------------------------------------------------------------------------------


def tensor2tensor(length, channels, start=0):
    """get_timing_signal_1d: log timescale increments in float32, sines beside cosines, odd widths padded."""
    half = channels // 2
    increment = F(math.log(10000.0) / (half - 1))
    inv = np.exp(np.arange(half, dtype=F) * -increment)
    places = np.arange(length) + start
    scaled = places.astype(F)[:, None] * inv[None]
    exact = columns(places[:, None] * pairs(2 * half, 10000, half - 1), "sin-cos")
    pad = ((0, 0), (0, channels % 2))
    y = np.concatenate([np.sin(scaled), np.cos(scaled)], 1)
    return Plant(np.pad(y, pad), np.pad(exact, pad), positions=places)


def annotated_transformer(length=100, d_model=64, base=10000.0):
    """exp(arange(0, d, 2) * -(log(base) / d)) in float32, sines in even columns."""
    pe = np.zeros((length, d_model), F)
    position = np.arange(length, dtype=F)[:, None]
    div = np.exp(np.arange(0, d_model, 2, dtype=F) * F(-(math.log(base) / d_model)))
    pe[:, 0::2], pe[:, 1::2] = np.sin(position * div), np.cos(position * div)
    return table(length, d_model, base)._replace(y=pe)


def fairseq(count=100, dim=64, padding=1):
    """SinusoidalPositionalEmbedding.get_embedding: its table from row 0, with a row of zeros for padding."""
    made = tensor2tensor(count, dim)
    made.y[padding], made.exact[padding] = 0, 0
    return made


def fairseq_forward(lengths=(20, 12, 17), dim=64, padding=1):
    """A left padded batch: positions from padding + 1 on, and zeros where there is no token."""
    whole, longest = fairseq(64, dim, padding), max(lengths)
    ids = np.array([[padding] * (longest - n) + list(range(padding + 1, padding + 1 + n)) for n in lengths])
    return whole._replace(y=whole.y[ids], exact=whole.exact[ids], positions=ids)


def tensorflow_lesson(position=100, d_model=64):
    """get_angles with 2 * (i // 2) / d of the column number, float64 and then float32."""
    rates = 1 / np.power(10000, (2 * (np.arange(d_model) // 2)) / np.float32(d_model))
    angles = np.arange(position)[:, None] * rates[None]
    angles[:, 0::2], angles[:, 1::2] = np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])
    return table(position, d_model)._replace(y=angles.astype(F))


def of_columns(exponents, n=100, base=10000, kind="float32", sines=None):
    """Each column with an exponent of its own: sines in even columns, cosines in odd ones."""
    d = len(exponents)
    angles = np.arange(n)[:, None] * base ** -np.asarray(exponents, np.float64)
    sines = np.arange(d) % 2 == 0 if sines is None else sines
    exact = np.where(sines, np.sin(angles), np.cos(angles))
    return Plant(ROUND[kind](exact), exact, "sinusoidal", base, np.arange(n), kind)


def sines_in_even_rows(n=100, d=64):
    """angles[0::2] = sin(angles[0::2]) where angles[:, 0::2] was meant."""
    exact = np.arange(n)[:, None] * 10000.0 ** (-(2 * (np.arange(d) // 2)) / d)
    exact[0::2], exact[1::2] = np.sin(exact[0::2]), np.cos(exact[1::2])
    return Plant(exact.astype(F), exact, positions=np.arange(n))


def cosines_in_even_columns():
    made = table()
    swap = np.arange(64) ^ 1
    return made._replace(y=made.y[:, swap], exact=made.exact[:, swap])


def bfloat16_positions(n=600):
    """Position ids made in bfloat16: beyond 256 every second, and later every fourth, number."""
    return table(ROUND["bfloat16"](np.arange(n)).astype(np.float64), 64)


# -- timesteps --------------------------------------------------------------------------------------------------------


def timesteps(times, dim=64, *, flip=True, shift=0.0, scale=1.0, period=10000, kind="float32"):
    """get_timestep_embedding of diffusers, in float32."""
    times, half = np.asarray(times, np.float64), dim // 2
    exponent = -math.log(period) * np.arange(half, dtype=F) / F(half - shift)
    angles = F(scale) * (times.astype(F)[:, None] * np.exp(exponent.astype(F))[None])
    exact = scale * times[:, None] * period ** (-np.arange(half) / (half - shift))
    layout = "cos-sin" if flip else "sin-cos"
    y, exact = (np.pad(columns(part, layout), ((0, 0), (0, dim % 2))) for part in (angles, exact))
    kind = "float32" if kind == "float64" else kind
    return Plant(ROUND[kind](y), exact, "timestep_embedding", period, times * scale, kind)


# -- grids ------------------------------------------------------------------------------------------------------------


def grid(rows, cols, dim=64, *, first="w", layout="sin-cos", base=10000, span=None, kind="float32", flat=True):
    """2D tables: rows and cols are coordinates; the first half of the channels counts columns or rows."""
    rows, cols = (np.arange(one) if isinstance(one, int) else np.asarray(one) for one in (rows, cols))
    down, across = np.meshgrid(rows, cols, indexing="ij")
    w = pairs(dim // 2, base, span)
    order = (across, down) if first == "w" else (down, across)
    exact = np.concatenate([columns(one[..., None] * w, layout) for one in order], -1)
    exact = exact.reshape(-1, dim) if flat else exact
    return Plant(ROUND[kind](exact), exact, "sincos_2d", base, None, kind)


def kinds(rows=7, cols=9, dim=64):
    """[sines of rows | sines of columns | cosines of rows | cosines of columns], as timm has them."""
    made = grid(rows, cols, dim, first="h")
    order = np.concatenate([np.arange(16), 32 + np.arange(16), 16 + np.arange(16), 48 + np.arange(16)])
    return made._replace(y=made.y[:, order], exact=made.exact[:, order])


def volume(frames=3, rows=4, cols=5, dim=48):
    """Three axes, a third of the channels each."""
    axes = np.meshgrid(np.arange(frames), np.arange(rows), np.arange(cols), indexing="ij")
    exact = np.concatenate([columns(one[..., None] * pairs(dim // 3, 10000), "sin-cos") for one in axes], -1)
    return Plant(exact.astype(F), exact, "sincos_grid")


def with_class_token(made, count=1):
    """Rows of zeros before those of a grid."""
    return made._replace(y=np.pad(made.y, ((count, 0), (0, 0))), exact=np.pad(made.exact, ((count, 0), (0, 0))))


def reordered(made, order):
    return made._replace(y=made.y[order], exact=made.exact[order], positions=None)


def stored(made, change):
    """The same numbers in another arrangement of the array."""
    return made._replace(y=change(made.y), exact=change(made.exact), positions=None)


GRID_7_9 = np.arange(63).reshape(7, 9)
TIMES = np.sort(RNG.integers(0, 1000, 32))[::-1]

#: {name: program that makes a `Plant`}
PLANTS = {
    # the formula of the paper and its two conventions, in the programs that have them
    "numpy lesson": lambda: table(kind="float64"),
    "annotated transformer": annotated_transformer,
    "annotated transformer, 1000 x 512": lambda: annotated_transformer(1000, 512),
    "tensorflow lesson": tensorflow_lesson,
    "tensor2tensor": lambda: tensor2tensor(100, 64),
    "tensor2tensor, odd width": lambda: tensor2tensor(100, 63),
    "tensor2tensor, start 5": lambda: tensor2tensor(100, 64, 5),
    "fairseq": fairseq,
    "fairseq, odd width": lambda: fairseq(dim=65),
    "fairseq, padding 0": lambda: fairseq(padding=0),
    "fairseq, rows from 2": lambda: tensor2tensor(100, 64, 2),
    "fairseq, a padded batch": fairseq_forward,
    "marian": lambda: table(512, 64, layout="sin-cos", kind="float64"),
    "transformer-xl, positions fall": lambda: table(np.arange(99, -1, -1), layout="sin-cos"),
    "xlnet, 200 .. -199": lambda: table(np.arange(200, -200, -1), layout="sin-cos"),
    "cosines first": lambda: table(layout="cos-sin"),
    "whisper": lambda: table(1500, 64, layout="sin-cos", span=31),
    "canary": lambda: table(layout="interleaved", factor=64**-0.5),
    "informer, odd width": lambda: table(dim=33),
    "width 2": lambda: table(dim=2)._replace(base=None),
    "width 4": lambda: table(dim=4),
    "diffwave": lambda: table(np.arange(50), 64, 1e-4, layout="sin-cos", span=31, kind="float64"),
    # numbers
    "base 1000": lambda: table(base=1000),
    "base 1e6": lambda: table(base=1000000),
    "base 12345": lambda: table(base=12345, kind="float64"),
    "base 500, halves": lambda: table(base=500, layout="sin-cos"),
    "exponent i/d of the pair": lambda: table(base=100)._replace(base=100),
    "first frequency 1/dim": lambda: table(scale=1 / 64),
    "first frequency 1/48": lambda: table(dim=48, scale=1 / 48),
    "degrees": lambda: table(scale=math.pi / 180),
    "exponents from 1": lambda: table(scale=10000 ** (-1 / 32)),
    "times sqrt(d)": lambda: table(factor=8.0),
    "times sqrt(d), 96": lambda: table(dim=96, factor=96**0.5),
    "times 1/d": lambda: table(factor=1 / 64),
    "times 0.1": lambda: table(layout="sin-cos", factor=0.1),
    # positions
    "positions from 1": lambda: table(np.arange(1, 101)),
    "positions of a cache": lambda: table(np.arange(4000, 4040)),
    "every second position": lambda: table(2 * np.arange(60)),
    "packed": lambda: table(np.r_[0:40, 0:25, 0:35]),
    "normalised positions": lambda: table(np.arange(100) / 100),
    "normalised, ends included": lambda: table(np.linspace(0, 1, 101)),
    "centred positions": lambda: table(np.arange(-50, 50)),
    "half positions": lambda: table(np.arange(100) + 0.5),
    "positions in bfloat16": bfloat16_positions,
    "shuffled rows": lambda: table(np.random.default_rng(3).permutation(100)),
    "one row": lambda: table(np.array([37])),
    "two rows": lambda: table(np.array([0, 1])),
    # bugs
    "exponent j/d in every column": lambda: of_columns(np.arange(64) / 64),
    "exponent 2j/d in every column": lambda: of_columns(2 * np.arange(64) / 64),
    "exponent j/d, float64, base 1000": lambda: of_columns(np.arange(64) / 64, base=1000, kind="float64"),
    "exponent j/d in halves": lambda: of_columns(np.arange(64) / 64, sines=np.arange(64) < 32),
    "sines in even rows": sines_in_even_rows,
    "cosines in even columns": cosines_in_even_columns,
    "sines alone": lambda: of_columns(np.arange(64) / 64, sines=np.ones(64, bool)),
    # formats
    "float16": lambda: table(kind="float16"),
    "bfloat16": lambda: table(kind="bfloat16"),
    "bfloat16, base 1e6, halves": lambda: table(base=1000000, layout="sin-cos", kind="bfloat16"),
    "float16, tensor2tensor": lambda: table(layout="sin-cos", span=31, kind="float16"),
    # timesteps
    "diffusers, flipped": lambda: timesteps(TIMES),
    "diffusers, defaults": lambda: timesteps(TIMES, flip=False, shift=1),
    "diffusers, shift 1/2": lambda: timesteps(TIMES, shift=0.5),
    "diffusers, scale 1000": lambda: timesteps(np.linspace(0, 1, 21), scale=1000.0),
    "diffusers, odd width": lambda: timesteps(np.arange(0, 1000, 20), 65),
    "diffusers, one timestep": lambda: timesteps([981], 320),
    "diffusers, float16": lambda: timesteps(TIMES, kind="float16"),
    "guided diffusion, 1000 steps": lambda: timesteps(np.arange(1000), 128),
    "period 1000": lambda: timesteps(TIMES, period=1000),
    # grids
    "mae": lambda: grid(8, 8, kind="float64"),
    "mae, rectangle": lambda: grid(7, 9),
    "mae, class token": lambda: with_class_token(grid(7, 9)),
    "v-jepa": lambda: grid(7, 9, first="h", flat=False),
    "big vision": lambda: grid(7, 9, span=15),
    "interleaved in each axis": lambda: grid(7, 9, layout="interleaved"),
    "dit, coordinates": lambda: grid(np.arange(8) * 16 / 8, np.arange(6) * 16 / 6),
    "sd3, coordinates": lambda: grid(np.arange(12) / (12 / 64) / 2, np.arange(16) / (16 / 64) / 2),
    "timm, kinds": kinds,
    "moco, column by column": lambda: reordered(grid(7, 9), GRID_7_9.T.reshape(-1)),
    "three axes": volume,
    "grid in bfloat16": lambda: grid(14, 14, kind="bfloat16"),
    "base 100": lambda: grid(7, 9, base=100),
    # arrangements
    "a batch": lambda: stored(table(), lambda one: np.stack([one, one])),
    "sequence first": lambda: stored(table(), lambda one: np.repeat(one[:, None], 3, 1)),
    "channels first": lambda: stored(table(), lambda one: one.T),
    "strided": lambda: stored(table(200), lambda one: one[::2]),
    "a batch of one": lambda: stored(table(), lambda one: one[None]),
}

BASES = (10000, 10000, 1000, 100, 1000000, 500000, 12345, 777, 31415.5)
POSITIONS = (
    lambda rng, n: np.arange(n),
    lambda rng, n: np.arange(n) + int(rng.integers(1, 3000)),
    lambda rng, n: np.arange(n)[::-1],
    lambda rng, n: np.arange(n) % int(rng.integers(2, n)),
    lambda rng, n: rng.integers(0, 1000, n),
    lambda rng, n: np.arange(n) * float(rng.choice([0.5, 0.25, 0.1, 2, 16 / 14])),
    lambda rng, n: np.arange(n) - n // 2,
)


def drawn(seed):
    """A random program."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["float64", "float32", "float32", "float16", "bfloat16"]))
    base = BASES[int(rng.integers(len(BASES)))]
    what, n = int(rng.integers(6)), int(rng.integers(5, 200))
    places = POSITIONS[int(rng.integers(len(POSITIONS)))](rng, n)
    dim = int(rng.choice([8, 16, 32, 48, 64, 128, 320]))
    if what == 0:
        return timesteps(
            places, dim, flip=bool(rng.integers(2)), shift=float(rng.choice([0, 1])), period=base, kind=kind
        )
    if what == 1:
        steps = float(rng.choice([1, 1, 0.5, 2]))
        rows, cols = (np.arange(int(rng.integers(3, 15))) * steps for _ in range(2))
        first, layout = str(rng.choice(["w", "h"])), str(rng.choice(["sin-cos", "interleaved", "cos-sin"]))
        return grid(rows, cols, 4 * dim, first=first, layout=layout, base=base, kind=kind)
    if what == 2:
        exponents = np.arange(dim) * float(rng.choice([1, 2])) / dim
        return of_columns(exponents, n, base, kind)
    layout = str(rng.choice(["interleaved", "sin-cos", "cos-sin"]))
    span = None if rng.integers(2) else dim // 2 - 1
    factor = float(rng.choice([1, 1, 1, dim**-0.5, dim**0.5, 0.02]))
    return table(places, dim, base, layout=layout, span=span, kind=kind, factor=factor)
