"""Pictures with matplotlib: the same bytes each time, no display, no half file, and what is drawn are the numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path

import gallery
import jax.numpy as jnp
import matplotlib
import ml_dtypes
import numpy as np
import pytest
import torch
from doors import PICTURES, X
from matplotlib.figure import Figure

import refpos
from refpos import InputError, golden, plots
from refpos.cli import main

PAGE = gallery.pages.DOCS / "plots.md"
GALLERY = list(enumerate(gallery.names()))
KINDS = [name for name in gallery.names() if name.startswith("picture-")]
FIRST = ("sinusoidal", "rope", "swin", "alibi", "llama3", "qwen2_vl_positions", "yarn_softmax_scale", "equal_earth",
         "t5_buckets", "sincos_2d", "vit", "shaw")  # fmt: skip


@pytest.mark.parametrize("name", FIRST)
def test_the_bytes_of_a_picture_are_the_same_each_time(name, tmp_path):
    for kind in ("svg", "png"):
        files = [plots.save(plots.plot(name), tmp_path / f"{k}.{kind}") for k in range(2)]
        first, second = (Path(file).read_bytes() for file in files)
        assert first == second and len(first) > 5000
    assert "pyplot" not in {
        module.rpartition(".")[2] for module in sys.modules if module.startswith("matplotlib.pyplot")
    }


def test_the_colours_are_the_numbers():
    ax = plots.heat_map("sinusoidal", positions=20, dim=8)
    (image,) = ax.images
    assert image.get_array().tobytes() == refpos.sinusoidal(20, 8).tobytes()
    assert "position down (20) and channel across (8)" in ax.get_label() and image.cmap.name == "RdBu_r"
    assert refpos.inverse_frequencies(8).wavelengths[0] == ax.child_axes[-1].lines[0].get_ydata()[0]


def test_colours_grow_lighter_with_the_value():
    colours = matplotlib.colormaps["cividis"](np.linspace(0, 1, 64))[:, :3]
    grey = colours @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(grey) > 0).all()


def test_colours_of_both_signs_grow_darker_from_0_on_which_is_marked():
    colours = matplotlib.colormaps["RdBu_r"](np.linspace(0, 1, 65))[:, :3]
    grey = colours @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(grey[:33]) > 0).all() and (np.diff(grey[32:]) < 0).all()
    ax = plots.heat_map("sinusoidal", positions=20, dim=8)
    (image,), bars = ax.images, [part for part in ax.child_axes if part.get_ylabel() == "value"]
    assert image.get_clim() == (-1, 1) and [line.get_ydata() for line in bars[0].lines][-1] == [0, 0]
    (image,) = plots.heat_map(np.arange(12).reshape(3, 4)).images
    assert image.cmap.name == "cividis"


@pytest.mark.parametrize("name", ["qwen2_vl_positions", "flux_positions", "llama4_vision_positions"])
def test_positions_of_an_image_are_a_grid_with_numbers_for_each_axis(name):
    ax = plots.plot(name)
    grids = [part for part in ax.child_axes if part.images]
    shown = [np.asarray(part.images[0].get_array()) for part in grids]
    assert len(grids) >= 2 and all(len(part.texts) == tile.size for part, tile in zip(grids, shown, strict=True))
    assert (np.diff(shown[-1], axis=1) == 1).all() and (np.diff(shown[-1], axis=0) == 0).all()
    assert (np.diff(shown[-2], axis=0) == 1).all() and (np.diff(shown[-2], axis=1) == 0).all()
    for part, tile in zip(grids, shown, strict=True):
        assert sorted(int(text.get_text()) for text in part.texts) == sorted(tile.astype(int).ravel().tolist())


def test_a_title_says_what_is_seen_and_which_numbers_are_examples():
    title = plots.plot("t5_bias").get_title("left")
    assert title.startswith("The T5 relative position bias") and "model: weight." in title
    assert "Example numbers" not in plots.plot("t5_bias", weight=np.ones((32, 2))).get_title("left")
    assert "Example numbers" not in plots.plot("sinusoidal").get_title("left")


def test_panels_of_decays_are_sorted_by_what_their_numbers_are():
    labels = [part.get_ylabel() for part in plots.decays().child_axes]
    assert len(labels) == 12 and labels == sorted(labels, key=labels.index) and len({*labels}) == 4


def test_an_axes_that_is_given_is_drawn_on():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plots.plot("alibi", ax=left) is left and plots.counter(ax=right) is right
    with pytest.raises(InputError, match="ax must be an Axes"):
        plots.plot("alibi", ax=figure)


def test_settings_of_others_stay():
    before = dict(matplotlib.rcParams)
    plots.plot("sinusoidal", theme="dark")
    assert dict(matplotlib.rcParams) == before


def test_a_picture_has_100_dots_an_inch_whatever_the_settings_of_others():
    with matplotlib.rc_context({"figure.dpi": 30}):
        figure = plots.plot("alibi").figure
    assert figure.canvas.get_width_height() == pytest.approx(100 * figure.get_size_inches())


def test_the_scores_of_turned_pairs_are_products_of_what_rope_returns():
    rule = refpos.frequencies.given_frequencies([0.6])
    query, key = np.array([[1.0, 0.25]]), np.array([[0.5, 0.75]])
    ax = plots.rotation(query[0], key[0], positions=[(2, 0), (7, 5), (5, 3000)], frequency=0.6)
    for part, (q, k) in zip(ax.child_axes, [(2, 0), (7, 5), (5, 3000)], strict=True):
        turned = [refpos.rope(vector, [place], pairing="interleaved", frequencies=rule)[0]
                  for vector, place in ((query, q), (key, k))]  # fmt: skip
        assert part.get_title() == f"distance {q - k}: score {np.dot(*turned):.6g}"


def test_no_display_is_needed(tmp_path):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "MPLBACKEND")}
    code = "import sys; from refpos.cli import main; sys.exit(main(['plot', 'rope', '--theme', 'dark']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("wrote rope.svg\nRotary position embedding"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["rope.svg"]


#: {kind: (the array of it that has the values, an array of NumPy that is drawn alike)}
READ = {
    "torch": (torch.from_numpy, np.asarray),
    "torch, negative bit": (lambda values: torch._neg_view(-torch.from_numpy(values)), np.asarray),
    "nothing masked": (np.ma.masked_array, np.asarray),
    "object": (lambda values: values.astype(object), lambda values: values.tolist()),
    "list of tensors": (lambda values: list(torch.from_numpy(values)) if values.ndim else torch.from_numpy(values),
                        np.asarray),
    "torch.bfloat16": (lambda values: torch.from_numpy(values).bfloat16(), None),
    "jax bfloat16": (lambda values: jnp.asarray(values, jnp.bfloat16), None),
}  # fmt: skip
REFUSED = {
    "grad": lambda values: torch.from_numpy(values).float().requires_grad_(),
    "conjugate": lambda values: torch.complex(*[torch.from_numpy(values).float()] * 2).conj(),
    "complex": lambda values: values + 1j,
    "list of complex": lambda values: (values + 1j).tolist(),
    "masked": lambda values: np.ma.masked_array(values, values == values.ravel()[0]),
    "structured": lambda values: values.astype([("re", "f4"), ("im", "f4")]),
    "one field": lambda values: values.astype([("re", "f4")]),
    "words": lambda values: values.astype(str),
    "ragged": lambda values: [values.tolist(), [1, [2]]],
    "word": lambda values: "3",
    "object": lambda values: (values + 1j).astype(object),
}


def content(ax):
    """All that is drawn: the words, the colours of images and the places of lines, of the panels too."""
    images = [np.ma.filled(image.get_array().astype(float), -77.0).tobytes() for image in ax.images]
    return [ax.get_label(), images, [line.get_xydata().tobytes() for line in ax.lines], *map(content, ax.child_axes)]


def drawn(call, array):
    """The content of a picture, or why there is none."""
    try:
        return content(call(array))
    except InputError as error:
        return error.code


def as_bfloat16(values):
    return values.astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("door", PICTURES)
def test_every_argument_of_a_picture_is_read_or_refused(door):
    values, call = PICTURES[door]
    plain = {twin: drawn(call, (twin or as_bfloat16)(values)) for _, twin in READ.values()}
    assert isinstance(plain[np.asarray], list)
    for kind, (make, twin) in READ.items():
        found = drawn(call, make(values))
        assert found == plain[twin] or (kind == "object" and found.startswith("E_")), kind
    for kind, make in REFUSED.items():
        with pytest.raises(InputError):
            call(make(values))
            pytest.fail(kind)


def test_patterns_and_wide_numbers_are_what_they_are():
    patterns = np.uint16([[0x3F80, 0x4000]])
    image = plots.error_map(patterns, np.uint16([[0x3F80, 0x3F80]]), dtype="bfloat16").images[0].get_array()
    assert image.compressed().tolist() == [1.0]
    before = plots.resizings(np.uint16([[[0x3F80], [0x4000]]])).child_axes[0].images[0].get_array()
    assert before.tolist() == [[1.0, 2.0]]
    assert "at positions to 2.75" in plots.float_errors(8, positions=[0.5, 2.75]).get_label()
    for call in (lambda: plots.heat_map([[1e308, -1e308]]), lambda: plots.curves(a=[1.0, 2.0], at=[0, 1e308]),
                 lambda: plots.heat_map(X, wavelengths=[np.nan, 1, 0, 2]), lambda: plots.rotation([np.nan, 1]),
                 lambda: plots.plot("yarn_softmax_scale", factor=10**400)):  # fmt: skip
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == "E_NUMBER"
    with pytest.raises(InputError, match="positions=1000000000, dim=64"):
        plots.plot("sinusoidal", positions=np.int64(10**9), dim=64)
    assert "none of them finite" in plots.plot("given_frequencies", inv_freq=[0.0, 0.0]).get_label()


THREADS = """
import sys, threading
from refpos import plots

sys.setswitchinterval(1e-5)
meeting, errors, colours = threading.Barrier(8), set(), set()

def work(k):
    meeting.wait()
    theme = ("light", "dark")[k % 2]
    try:
        for _ in range(3):
            ax = plots.heat_map([[1, 2], [3, 4]], theme=theme)
            colours.add((theme, ax.get_facecolor(), ax.title.get_color(), ax.get_figure().get_facecolor()))
            plots.save(ax, f"{k}.png")
    except BaseException as error:
        errors.add(repr(error))

threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]

import matplotlib
print(sorted(errors), len(colours), matplotlib.rcParams["axes.facecolor"])
"""


def test_threads_of_a_fresh_process_draw_each_their_theme(tmp_path):
    done = subprocess.run([sys.executable, "-c", THREADS], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.stdout == "[] 2 white\n", done.stderr
    assert len({file.read_bytes() for file in tmp_path.iterdir()}) == 2


def test_no_half_file(tmp_path, monkeypatch):
    ax, file = plots.plot("alibi"), tmp_path / "alibi.svg"
    file.write_text("old")

    def fails(*args, **options):
        args[0].write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(ax.figure, "savefig", fails)
    with pytest.raises(InputError, match="disk full"):
        plots.save(ax, file)
    assert file.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["alibi.svg"]
    for wrong in ("alibi.txt", "alibi", "no/such/alibi.svg"):
        with pytest.raises(InputError):
            plots.save(ax, tmp_path / wrong)


def test_nan_is_hatched_and_infinities_are_striped():
    ax = plots.heat_map(np.array([[1, np.nan, 2], [3, -np.inf, 4.0]]))
    assert [patch.get_hatch() for patch in ax.patches] == ["xxxx", "///"]
    assert [patch.get_path().get_extents().extents.tolist() for patch in ax.patches] == [
        [0.5, -0.5, 1.5, 0.5], [0.5, 0.5, 1.5, 1.5]
    ]  # fmt: skip
    assert "Hatched cells are NaN. Striped cells are -∞." in ax.get_label()
    assert plots.heat_map(np.full((3, 3), np.nan)).get_label()
    with pytest.raises(InputError, match="at least one number"):
        plots.heat_map(np.zeros((0, 4)))


def test_error_maps_of_arrays_reports_and_results(tmp_path):
    expected = np.zeros((40, 16), np.float32)
    actual = expected.copy()
    actual[3, 5] += np.float32(0.25)
    ax = plots.error_map(actual, expected)
    assert ax.images[0].get_array().compressed().tolist() == [0.25] and "1 of 640 elements" in ax.get_label()
    assert "Bars" in plots.error_map(refpos.compare(actual, expected)).get_label()
    wide = np.zeros((5000, 3))
    wide[777, 1] = 8
    assert plots.error_map(wide, np.zeros((5000, 3))).images[0].get_array().compressed().tolist() == [8.0]
    case = next(case for case in golden.cases("inverse_frequencies", tier="core") if not case.refusal)
    output = next(iter(golden.load(case.id).outputs))
    wrong = golden.load(case.id).outputs[output].values * 1.5
    file = tmp_path / "wrong.npz"
    np.savez(file, **{f"{case.id}/{output}": wrong})
    assert "1 differ" in plots.error_map(file).get_label()
    with pytest.raises(InputError, match="actual must be an array"):
        plots.error_map(3)


def test_hands_of_an_attention_factor_and_their_labels_are_within_the_picture():
    scaled = refpos.yarn(64, factor=8, original_max_position_embeddings=8192)
    ax = plots.clock_hands(scaled, pairs=[0, 4])
    assert ax.get_label().endswith("Each hand is 1.208 long, as the attention factor is.")
    clocks = [part for part in ax.child_axes if part.get_title().startswith("pair")]
    labels = [np.abs(text.xy).max() for part in clocks for text in part.texts]
    assert len(clocks) == 2 and len(labels) == 12
    assert 1.3 < max(labels) < clocks[0].get_xlim()[1] == clocks[0].get_ylim()[1]
    plain = plots.clock_hands(64, pairs=[0, 4])
    assert "long" not in plain.get_label() and plain.child_axes[0].get_xlim()[1] == 1.3


@pytest.mark.parametrize("words", [["counter", "bits=99"], ["waves", "pairs=[99]"], ["sentence", "one"],
                                   ["rotation", "positions=[]"],
                                   ["clock_hands", "positions=[]"], ["decays", "sinusoidal"], ["scalings", "trained=0"],
                                   ["rope", "--out", "rope.txt"], ["sinusoidel"], ["error_map"], ["waves", "x=1"],
                                   ["rope", "ax=1"], ["rope", "x"]])  # fmt: skip
def test_what_cannot_be_drawn_ends_with_2(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["plot", *words]) == 2
    error = capsys.readouterr().err
    assert "a mistake of refpos itself" not in error and error.count("\n") == 1 and list(tmp_path.iterdir()) == []


def test_the_code_and_commands_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("mine.npy", np.ones((3, 4)))
    np.save("theirs.npy", np.eye(3, 4))
    x = np.linspace(-1, 1, 128, dtype=np.float32).reshape(16, 8)
    np.save("x.npy", x)
    for name, base in (("y", 500000), ("right", 10000)):
        np.save(f"{name}.npy", refpos.rope(x, 16, pairing="half", base=base))
    text = PAGE.read_text()
    for code in re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(code, {})
    ran = [line.split()[1:] for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
           for line in block.splitlines() if "answers.npz" not in line]  # fmt: skip
    assert len(ran) == 5 and [main(words) for words in ran] == [0] * 5
    assert {"rope.svg", "sinusoidal.svg", "swin.png", "measured.svg", "errors.svg"} <= set(os.listdir())


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * bool(k % 12)) for k, name in GALLERY])
def test_the_gallery_is_what_is_drawn_now(name, tmp_path):
    ax = gallery.draw(name, tmp_path)
    assert ax.get_label() == gallery.words(name), f"run: python tests/test_gallery.py {name}"
    made = f"drawn with matplotlib {matplotlib.__version__}"
    if made in gallery.PAGE.read_text():
        assert gallery.file_of(name).read_bytes() == gallery.file_of(name, tmp_path).read_bytes()
