"""The picture of the README, without matplotlib: it was drawn from the numbers that refpos gives now."""

import base64
import importlib.util
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import refpos

SCRIPT = Path(__file__).resolve().parent.parent / "docs" / "picture.py"
PANELS = {"rotated": False, "biased": False, "wrong": True}  # whether its axes are logarithmic


@pytest.fixture(scope="module")
def picture():
    spec = importlib.util.spec_from_file_location("picture", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(svg, shown, panel):
    """(points as numbers, the points drawn) of the lines of a panel, each (n, 2)."""
    for name in shown:
        if name.startswith(panel):
            (path,) = re.findall(rf'<g id="{name.replace(" ", "-")}">\s*<path d="([^"]*)"', svg)
            yield name, np.array(re.findall(r"[ML] (\S+) (\S+)", path), float)


def misdrawn(svg, shown, positions):
    """The panels whose lines are no straight image of the numbers: one scale and shift for each axis of a panel."""
    for panel, logarithmic in PANELS.items():
        points, drawn = [], []
        for name, path in lines(svg, shown, panel):
            at = positions if logarithmic else np.arange(len(shown[name]))
            points.append(np.stack([at, shown[name]], axis=1).astype(float))
            drawn.append(path)
        points, drawn = np.concatenate(points), np.concatenate(drawn)
        points = np.log10(points) if logarithmic else points
        for axis in range(2):
            line = np.polyfit(points[:, axis], drawn[:, axis], 1)
            if np.abs(np.polyval(line, points[:, axis]) - drawn[:, axis]).max() > 1e-3:
                yield panel


def pixels(svg):
    """The colours of the only image in the picture, (height, width, 4)."""
    (text,) = re.findall(r'xlink:href="data:image/png;base64,\s*([^"]*)"', svg)
    data, at, packed = base64.b64decode(text), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8 : at + 18])
        packed += data[at + 8 : at + 8 + size] * (kind == b"IDAT")
        at += size + 12
    assert (depth, colour) == (8, 6)
    return unfiltered(zlib.decompress(packed), height, 4 * width).reshape(height, width, 4)


def unfiltered(raw, height, stride):
    """The rows of a PNG of four bytes a pixel without their filters."""
    rows = np.zeros((height + 1, stride + 4), int)
    for n, row in enumerate(np.frombuffer(raw, np.uint8).reshape(height, stride + 1), 1):
        for k, byte in enumerate(row[1:], 4):
            left, up, corner = int(rows[n, k - 4]), int(rows[n - 1, k]), int(rows[n - 1, k - 4])
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            rows[n, k] = int(byte) + (0, left, up, (left + up) // 2, nearest)[row[0]] & 255
    return rows[1:, 4:]


def test_the_picture_was_drawn_by_this_script_from_these_numbers(picture):
    svg = picture.FILE.read_text()
    assert f">{picture.digest(picture.numbers())}<" in svg, "run: python docs/picture.py"
    assert picture.FILE.stat().st_size < 150_000


def test_the_first_panel_is_the_call_in_its_title(picture, monkeypatch):
    added = picture.numbers()["added"]
    assert np.array_equal(added, refpos.sinusoidal(96, 64).astype("float32"))
    monkeypatch.setattr(picture, "ADDED", (5, 8))
    assert np.array_equal(picture.numbers()["added"], refpos.sinusoidal(5, 8).astype("float32"))
    assert 'f"Added: sinusoidal{ADDED}"' in SCRIPT.read_text()


def test_its_lines_are_the_numbers(picture):
    svg, shown = picture.FILE.read_text(), picture.numbers()
    assert len([name for panel in PANELS for name, _ in lines(svg, shown, panel)]) == 8
    assert list(misdrawn(svg, shown, picture.POSITIONS)) == []


@pytest.mark.parametrize("name", ["rotated 16", "biased 3", "wrong bfloat16"])
def test_a_number_that_is_drawn_elsewhere_is_noticed(picture, name):
    svg, shown = picture.FILE.read_text(), picture.numbers()
    shown[name] = shown[name].copy()
    shown[name][7] *= 1.001
    assert list(misdrawn(svg, shown, picture.POSITIONS)) == [name.partition(" ")[0]]


def test_its_colours_are_the_numbers(picture):
    """One colour for each 256th of the range, as a colour map gives."""
    values = picture.numbers()["added"]
    colours = pixels(picture.FILE.read_text())
    assert colours.shape == (*values.shape, 4)
    shades = np.minimum((values - values.min()) / (values.max() - values.min()) * 256, 255).astype(int)
    of = {}
    for shade, colour in zip(shades.ravel(), map(tuple, colours.reshape(-1, 4)), strict=True):
        of.setdefault(shade, set()).add(colour)
    assert len(of) > 200 and max(map(len, of.values())) <= 2
    assert len(set.union(*of.values())) > 200
