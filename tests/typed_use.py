"""Code as users write it, which `mypy --strict` and pyright accept; tests/frameworks/test_types.py runs it too."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import refpos
from refpos import Frequencies, conformance, conversion, coordinates, golden, models
from refpos.golden import Finding, Result


def absolute() -> NDArray[Any]:
    table = refpos.sinusoidal(16, 6, base=10000, layout="sin-cos", dtype="float32")
    patches = refpos.sincos_2d(3, 5, 8, axis_order="wh", dtype=np.float32)
    cells = refpos.absolute.sincos_grid([3, coordinates.cropped(9, 5)], 8, axis_order=(1, 0), packing="kinds")
    clip = refpos.sincos_3d(2, 3, coordinates.half_pixel(5), 12, axis_order="thw", dtype=np.dtype("float64"))
    return np.concatenate([table.ravel(), patches.ravel(), cells.ravel(), clip.ravel()])


def scalings(dim: int) -> list[Frequencies]:
    short, long = [1.0] * (dim // 2), np.full(dim // 2, 4.0)
    return [
        refpos.inverse_frequencies(dim, base=Fraction(10**6, 3)),
        refpos.linear(dim, factor=Decimal("2.5")),
        refpos.ntk(dim, factor=4, rule="power"),
        refpos.yarn(dim, factor=32, original_max_position_embeddings=4096, truncate=False, clamp="dim/2-1"),
        refpos.llama3(dim, factor=8, low_freq_factor=1, high_freq_factor=4, original_max_position_embeddings=8192),
        refpos.longrope(dim, short_factor=short, long_factor=long, factor=8, original_max_position_embeddings=4096),
        refpos.frequencies.given_frequencies([Fraction(1, k + 1) for k in range(dim // 2)]),
    ]


def describe(frequencies: Frequencies) -> tuple[float, int, NDArray[np.float64], NDArray[Any]]:
    axes = frequencies.axes or ()
    factor: float = frequencies.attention_factor
    return factor, len(frequencies) + len(axes), frequencies.inv_freq, frequencies.rounded("bfloat16")


def rotary(x: NDArray[np.float32]) -> NDArray[Any]:
    frequencies = scalings(x.shape[-1])[3]
    cos, sin = refpos.rope_table(range(x.shape[-2]), frequencies, dtype="float32")
    out = np.empty_like(x)
    refpos.rope(x, x.shape[-2], pairing="half", frequencies=frequencies, out=out, threads=None)
    turned = refpos.rope(x, np.arange(x.shape[-2]), pairing="interleaved", rotary_dim=np.int64(4), inverse=True)
    cells = refpos.grid(1, coordinates.affine(x.shape[-2], step=Fraction(1, 2)))
    axial = refpos.frequencies.axial_frequencies((2, 4), base=[100, 1000], arrangement="blocks", allocation="separate")
    axial_turned = refpos.rope(x, cells, pairing="block-half", frequencies=axial)
    return np.stack([out, turned, axial_turned * cos.sum() - sin.max()])


def positions_of_models() -> tuple[NDArray[np.int64], int]:
    types = [[0, 0, 1, 1, 0]]
    ids, deltas = refpos.positions.qwen2_vl_positions(types, version="transformers-5.23.0", image_grid_thw=[[1, 2, 4]])
    x = np.ones((1, 5, 8), np.float32)
    refpos.mrope(x, ids, pairing="half", sections=(2, 1, 1), arrangement="chunked")
    role = refpos.positions.rerope_positions(8, role="query", window=4, dtype="int64")
    return ids, int(deltas[0, 0]) + int(role.max())


def relative() -> NDArray[Any]:
    bias = refpos.alibi(3, 2, 5, mode="symmetric", dtype="float16", view=True)
    buckets = refpos.t5_buckets(np.arange(-5, 6), bidirectional=True)
    weight = np.zeros((32, 3))
    return np.stack([bias, refpos.t5_bias(weight, 2, 5, bidirectional=False) + buckets.max()])


def judged(mine: NDArray[np.float32]) -> str:
    report = refpos.compare(mine, mine, dtype="float32", conformance="faithful")
    limits = conformance.bounds("rope_table", {"dim": 4, "base": 10000}, {"positions": [0, 1]}, "float32")
    worst = report.worst.ulp if report.worst is not None else 0.0
    share: float = report.fraction_off + worst + limits["float32-angle"]["cos"].max()
    return f"{bool(report)} {share:g} {report.met} {report.histogram['0']}"


def corpus() -> tuple[bool, list[str]]:
    ids = [case.id for case in golden.cases("rope", tier="core", flag="PartialRotary")]
    loaded = golden.load(ids[0])
    output = loaded.outputs["output"]
    assert output is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answers.npz"
        answers: dict[str, Any] = {f"{ids[0]}/output": output.values}
        np.savez(file, **answers)
        result: Result = golden.verify(file, cases=ids[:1], conformance="correct")
    findings: list[Finding] = result.of("differs")
    return bool(result), [finding.sentence for finding in findings]


def named(name: str) -> tuple[NDArray[Any], int]:
    encoding = models.load(name, head_dim=64, widths=(8, 28, 28))
    places = models.positions(name, height=2, width=3, text_length=1)
    cos, _ = encoding.table(places, dtype="float32")
    if isinstance(encoding, models.Rotary):
        return encoding.rotate(np.ones((7, 64)), places), len(encoding.inv_freq)
    return cos, 0 if isinstance(encoding, models.Absolute) else encoding.rotary_dim


def configured() -> float:
    config = {"model_type": "llama", "rope_theta": 500000.0, "hidden_size": 512, "num_attention_heads": 4}
    meaning = refpos.from_config(config, seq_len=4096)
    rotary = meaning.rotary("text")
    pair = refpos.same_encoding(config, config, override_b={"rope_theta": 10000}, layers=[0, 1])
    positions = [one.position for one in pair.differences if one.position is not None]
    decoding = refpos.plan(config, model_type="llama")
    turned, _ = decoding.rotate(np.ones((4, 1, 128)), np.ones((2, 1, 128)), [positions[0]], 3, seq_len=5)
    assert turned.shape == (4, 1, 128) and decoding.table(3, part="text", dtype="float32")[0].shape == (3, 64)
    assert refpos.plan({"model_type": "bloom"}).bias(1, 4, view=True).shape == (8, 1, 4)
    return rotary.attention_factor * rotary.rotary_dim * len(meaning.used) * pair.same + min(positions)


def converted() -> NDArray[Any]:
    meta, hf = conversion.layout(8, pairing="interleaved"), conversion.layout(8, pairing="half")
    order = conversion.order(meta, hf, num_heads=2)
    cos, sin = conversion.convert_table((np.ones((1, 4)), np.zeros((1, 4))), "compact", "tiled")
    joined = conversion.convert_table((cos, sin), "tiled", "cos-sin-tiled")
    assert conversion.prove_orders(order, order, meta, hf, num_heads=2)
    return joined[..., order[:4]]


def pieces() -> int:
    frequencies = refpos.inverse_frequencies(4)
    return sum(len(piece[0]) for _, piece in refpos.blocks(refpos.rope_table, 100, frequencies, rows=30))


def refused(dim: int) -> str:
    try:
        refpos.inverse_frequencies(dim)
    except refpos.InputError as error:
        return f"{error.code} {error.argument}: {error}"
    return "even"


def run() -> list[object]:
    """Every function above, so that what is accepted also works."""
    x = np.ones((5, 6), np.float32)
    rest = absolute(), rotary(x), positions_of_models(), relative(), judged(x), corpus(), named("flux"), configured()
    return [*map(describe, scalings(6)), *rest, converted(), pieces(), refused(7)]
