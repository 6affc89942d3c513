"""The picture of the README, drawn from numbers of refpos: `python docs/picture.py` writes it, with matplotlib."""

import hashlib
from pathlib import Path

import numpy as np

import refpos

FILE = Path(__file__).with_name("picture.svg")
POSITIONS = 2 ** np.arange(0, 21)
ADDED = (96, 64)  # the arguments of the first panel, which its title shows


def numbers():
    """{name: array} of everything the picture shows. No libm: the same bits on every machine."""
    frequencies = refpos.inverse_frequencies(128, base=500000)
    cosines = refpos.rope_table(129, frequencies, dtype="float32")[0]
    narrow = (frequencies.inv_freq.astype(np.float32).view(np.uint32) + 0x8000 & 0xFFFF0000).view(np.float32)
    bfloat16 = refpos.rope_table(POSITIONS, refpos.frequencies.given_frequencies(narrow))[0]
    return {
        "added": refpos.sinusoidal(*ADDED, dtype="float32"),
        **{f"rotated {pair}": cosines[:, pair] for pair in (8, 16, 24)},
        **{f"biased {head}": refpos.alibi(8, 1, 129, dtype="float32")[head, 0] for head in (1, 3, 5)},
        "wrong float32": error(float32_table(frequencies.inv_freq), frequencies),
        "wrong bfloat16": error(bfloat16, frequencies),
    }


def float32_table(inv_freq):
    """The exact cosines of angles that were rounded to float32, as those of most frameworks are."""
    angles = POSITIONS[:, None].astype(np.float32) * inv_freq.astype(np.float32)
    return refpos.rope_table(angles, refpos.frequencies.given_frequencies([1.0]))[0][..., 0]


def error(cosines, frequencies):
    """The largest error at each position."""
    return np.abs(cosines - refpos.rope_table(POSITIONS, frequencies)[0]).max(axis=1)


def digest(shown):
    """sha256 over the numbers and over this file: what the picture was made from."""
    parts = [Path(__file__).read_bytes()]
    for name, values in shown.items():
        parts += [name.encode(), np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def draw(shown):
    """Four panels: a table, rotations, biases, and how wrong two usual ways of computing a table are."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "refpos", "path.simplify": False, "font.size": 9})
    cycle = matplotlib.cycler(color=["#0b3c8c", "#d55e00", "#009e73"], linestyle=["-", "--", "-."])
    matplotlib.rcParams.update({"axes.prop_cycle": cycle, "legend.frameon": False})
    from matplotlib import pyplot

    figure, ((added, rotated), (biased, wrong)) = pyplot.subplots(2, 2, figsize=(8.4, 5.4), layout="constrained")
    added.imshow(shown["added"], aspect="auto", interpolation="none", cmap="cividis")
    labelled(added, f"Added: sinusoidal{ADDED}", "channel", "position")
    for pair in (8, 16, 24):
        line(rotated, shown, f"rotated {pair}", f"pair {pair}")
    labelled(rotated, "Rotated: rope_table, the cosines of three pairs", "position", "")
    rotated.set_ylim(-1.1, 1.5)
    rotated.legend(loc="upper center", ncol=3)
    for head in (1, 3, 5):
        line(biased, shown, f"biased {head}", f"head {head}")
    labelled(biased, "Biased: alibi, the last query", "key", "added to the score")
    biased.legend()
    line(wrong, shown, "wrong bfloat16", "frequencies in bfloat16", POSITIONS)
    line(wrong, shown, "wrong float32", "angles in float32", POSITIONS)
    wrong.loglog(base=10)
    wrong.set_ylim(1e-9, 10)
    labelled(wrong, "Wrong: largest error of a cosine, against refpos", "position", "")
    wrong.legend(loc="lower right")
    figure.savefig(FILE, metadata={"Date": None, "Creator": None, "Title": "refpos", "Description": digest(shown)})
    lines = (one.rstrip() for one in FILE.read_text().splitlines())
    FILE.write_text("\n".join(lines) + "\n")


def line(panel, shown, name, label, at=None):
    values = shown[name]
    panel.plot(np.arange(len(values)) if at is None else at, values, label=label, gid=name.replace(" ", "-"))


def labelled(panel, title, x, y):
    panel.set_title(title)
    panel.set_xlabel(x)
    panel.set_ylabel(y)


if __name__ == "__main__":
    draw(numbers())
