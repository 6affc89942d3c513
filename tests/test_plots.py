"""Pictures without matplotlib: names, keywords, sizes, examples, and what is said where it is absent; wavelengths."""

import inspect
import subprocess
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from doors import PICTURES, WORDS
from mpmath import mp, mpf, pi

import refpos
from refpos import InputError, catalogue, plots
from refpos.cli import main
from refpos.plots import calls, examples, headings, image_positions, matrices, name_lookup, pictures, style, tables

KINDS = [name for name in plots.__all__ if name not in ("plot", "save", "heat_map", "error_map", "measured")]


# -- frequencies ------------------------------------------------------------------------------------------------------


def test_wavelengths_are_rounded_once():
    with mp.workdps(60):
        for dim, base in ((128, 500000), (64, 10000), (8, 3)):
            exact = [float(2 * pi * mpf(base) ** (mpf(2 * i) / dim)) for i in range(dim // 2)]
            assert refpos.inverse_frequencies(dim, base=base).wavelengths.tolist() == exact
        tiny = refpos.frequencies.given_frequencies([1e-300, 1e300, -2.0, 0.0]).wavelengths
        assert tiny.tolist() == [float(2 * pi / mpf(one)) for one in (1e-300, 1e300, 2.0)] + [np.inf]


def test_wavelengths_of_whole_turns_are_whole():
    assert refpos.frequencies.resonance(refpos.inverse_frequencies(16)).wavelengths[:3].tolist() == [6.0, 20.0, 63.0]


def test_frequencies_become_arrays():
    frequencies = refpos.inverse_frequencies(8)
    assert np.asarray(frequencies).tobytes() == frequencies.inv_freq.tobytes()
    assert np.asarray(frequencies, np.float32).tobytes() == frequencies.rounded("float32").tobytes()
    assert (2 * np.asarray(frequencies)).shape == (4,)
    with pytest.raises(ValueError, match="copy must be True or None"):
        frequencies.__array__(copy=False)


def test_the_axes_of_a_picture_of_distances():
    call = SimpleNamespace(entry=catalogue.find("distance_features"), arguments={"query_len": 3, "key_len": 5})
    assert tables.places_of(call, 7, 4) == (-2, 4, 0, 3)


# -- without matplotlib -----------------------------------------------------------------------------------------------


def test_matplotlib_is_imported_by_the_first_picture_only():
    code = "import sys, refpos; refpos.plots; refpos.rope; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
    assert subprocess.run([sys.executable, "-c", "import sys, refpos; print('refpos.plots' in sys.modules)"],
                          capture_output=True, text=True).stdout == "False\n"  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_picture_names_the_extra(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r'matplotlib 3.8 or later \(pip install "refpos\[plot\]"\), got') as caught:
        getattr(plots, kind)()
    assert caught.value.code == "E_MISSING"


@pytest.mark.parametrize("words", [["rope"], ["scalings"], ["swin", "--out", "swin.png"]])
def test_the_command_names_the_extra(words, monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    assert main(["plot", *words]) == 2
    assert "E_MISSING" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


# -- names and keywords -----------------------------------------------------------------------------------------------


def test_an_unknown_name_has_five_suggestions():
    with pytest.raises(InputError) as caught:
        name_lookup.call_of("sinusoidel", {})
    listed = str(caught.value).partition("such as ")[2].partition(", got")[0].split(", ")
    assert len(listed) == 5 and listed[0] == "sinusoidal" and caught.value.code == "E_CHOICE"


def test_names_of_models_and_of_the_field():
    call, title = name_lookup.call_of("swin", {})
    assert (call.entry.name, title, call.result.shape) == ("window_bias", "swin", (3, 49, 49))
    assert name_lookup.call_of("t5", {})[0].entry.name == "t5_bias" and name_lookup.call_of("shaw", {})[1] is None
    call, title = name_lookup.call_of("whisper", {"positions": 20})
    assert call.result.tobytes() == refpos.models.load("whisper").table(20).tobytes() and title == "whisper"
    assert name_lookup.call_of("llama", {})[0].result.shape == (64, 128)


def test_a_call_is_that_of_the_encoding():
    given = dict(num_heads=2, query_len=3, key_len=4, mode="symmetric")
    assert calls.called("alibi", given).result.tobytes() == refpos.alibi(**given).tobytes()
    table = calls.called("sinusoidal", dict(positions=5)).result
    assert table.tobytes() == refpos.sinusoidal(5, 64).tobytes()
    assert calls.called("rope", dict(positions=7)).result.shape == (7, 32)  # x follows


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [("alibi", {"num_head": 4}, "E_CHOICE"), ("alibi", {"mode": "no"}, "E_CHOICE"),
     ("sinusoidal", {"positions": 10**7, "dim": 512}, "E_TOO_LARGE"), ("sinusoidal", {"dim": -1}, "E_SIZE")],
)  # fmt: skip
def test_calls_that_are_refused(name, given, code):
    with pytest.raises(InputError) as caught:
        calls.called(name, given)
    assert caught.value.code == code


def test_a_word_where_a_number_must_stand_is_refused():
    with pytest.raises(InputError, match="positions='abc'") as caught:
        calls.called("rope", {"positions": "abc"})
    assert caught.value.code == "E_CHOICE" and caught.value.argument == "positions"


@pytest.mark.parametrize(
    ("name", "axes"),
    [("flux_positions", "image row column"), ("z_image_positions", "sequence row column"),
     ("flux2_positions", "time row column text"), ("calendar_rows", "month day weekday hour")],
)  # fmt: skip
def test_lines_have_the_names_of_the_axes_that_the_function_returns(name, axes):
    call = calls.called(name, {})
    result = np.asarray(calls.table_of(call.result))
    assert pictures._axis_names(call, len(pictures.by_axis(call, result))) == axes.split()


def test_every_example_is_of_a_function():
    assert set(examples.EXAMPLES) <= set(catalogue.ENTRIES) and len(examples.EXAMPLES) > 100
    case = calls.telling_case("box_rows")
    assert case.suite == "box_rows" and not case.refusal


def test_what_is_thinned_says_so():
    kept, rows, columns = matrices.thinned(np.zeros((2000, 64)))
    assert (kept.shape, rows, columns) == ((500, 64), 4, 1)
    assert matrices.label("position", rows) == "position (every 4th drawn)" and matrices.ordinal(22) == "22nd"
    assert matrices.chosen(8, 4) == [0, 2, 5, 7] and matrices.chosen(3, 4) == [0, 1, 2]
    assert matrices.notes([np.nan, -np.inf, 1]) == "hatched: NaN, striped: -∞"
    assert matrices.told([np.inf, np.nan, 1]) == "Hatched cells are NaN. Striped cells are +∞."
    assert matrices.told([1]) == ""
    assert matrices.limits(np.full(3, np.nan)) == (0.0, 1.0)


def test_values_of_the_command(tmp_path):
    from refpos.cli.plot import _read, _value

    np.save(tmp_path / "weight.npy", np.ones((2, 3)))
    assert [_value(text) for text in ("64", "3/4", "True", "half", "[1, 2]")] == [
        64,
        Fraction(3, 4),
        True,
        "half",
        [1, 2],
    ]
    assert _value(str(tmp_path / "weight.npy")).shape == (2, 3)
    assert _read(["rope", "dim=4", "a=b=c"]) == (["rope"], {"dim": "4", "a": "b=c"})


def test_every_argument_of_every_picture_is_a_door():
    taken = {f"{name} {key}" for name in plots.__all__ for key in inspect.signature(getattr(plots, name)).parameters}
    assert taken - {one for one in taken if one.split()[1] in WORDS} == set(PICTURES)


def test_numbers_of_the_caller_are_read_by_the_converter():
    assert matrices.numbers("table", [[True, False]]).tolist() == [[1.0, 0.0]]
    for wrong, code in (([[1j]], "E_DTYPE"), (np.zeros((2, 2), "f4,f4"), "E_DTYPE"), ([["1"]], "E_DTYPE"),
                        ([[1], [2, 3]], "E_SHAPE"), (np.ma.masked_array([1, 2], [0, 1]), "E_SHAPE"),
                        ([[1e308]], "E_NUMBER"), (np.zeros((0, 4)), "E_SHAPE")):  # fmt: skip
        with pytest.raises(InputError, match=r"^table must ") as caught:
            matrices.numbers("table", wrong)
        assert caught.value.code == code


def test_a_theme_is_one_of_two():
    assert style.THEMES == ("light", "dark")
    with (
        pytest.raises(InputError, match="theme must be one of 'light', 'dark', got 'grey'"),
        style.canvas(None, "grey"),
    ):
        pass


def test_the_slopes_of_cubic_panels_are_those_of_their_titles():
    from refpos.plots.resizings import METHODS

    slopes = {title: options["cubic"] for title, options in METHODS.items() if "cubic" in options}
    assert slopes == {title: Fraction(title.split()[1].rstrip(",")) for title in slopes} and len(slopes) == 2


def test_a_heading_names_the_numbers_that_are_only_examples():
    call = calls.called("t5_bias", {})
    assert headings.examples(call, {}) == ["weight"] and headings.examples(call, {"weight"}) == []
    lines = headings.heading(call, {}, "t5").splitlines()
    assert lines[0].startswith("t5: The T5 relative position bias") and max(map(len, lines)) <= headings.WIDTH
    assert lines[-2].startswith("t5_bias(weight, query_len=32") and lines[-1].endswith("not of a model: weight.")
    assert headings.examples(calls.called("sincos_2d", {}), {}) == []
    assert headings.examples(calls.called("fourier_projection", {}), {}) == ["weight"]  # coordinates are an axis


GRIDS = {
    "flux_positions": (4, 4, 5),
    "qwen2_vl_positions": (4, 4, 5),
    "qwen2_5_vl_positions": (3, 2, 3),
    "llama4_vision_positions": (0, 5, 5),
    "grid_positions": (0, 3, 4),
}


@pytest.mark.parametrize("name", GRIDS)
def test_the_grid_of_an_image_is_found_among_its_tokens(name):
    call = calls.called(name, {})
    rows = pictures.by_axis(call, np.asarray(calls.table_of(call.result)))
    assert image_positions.largest_grid(rows) == GRIDS[name]
    assert image_positions.largest_grid(rows[:, :4]) is None  # one row of an image, or text, is no grid
