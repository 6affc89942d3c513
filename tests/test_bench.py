"""`refpos bench` and the table of peers: every line is measured, has its limit, and computes what refpos does.

How long anything takes is asserted nowhere.
"""

import importlib
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import catalogue, checks, cli, kernels
from refpos.cli import measure

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parent / "docs" / "performance.md"
TINY = 1 << 14  # what divides the axes
WORKS = list(measure.works(TINY))
KINDS = {"sinusoidal", "rope_table", "rope", "sincos_2d", "sincos_3d", "alibi", "t5_bias", "resize_table"}

peers = importlib.import_module("bench") if str(FOLDER) in sys.path else importlib.import_module("tests.bench")
run = importlib.import_module(f"{peers.__name__}.run")
report = importlib.import_module(f"{peers.__name__}.report")
errors = importlib.import_module(f"{peers.__name__}.errors").errors
scatter = importlib.import_module(f"{peers.__name__}.scatter")
every = importlib.import_module(f"{peers.__name__}.catalogue")
small = importlib.import_module(f"{peers.__name__}.small")
SMALL = list(small.calls())


def name_of(work):
    return work.name


# -- the lines --------------------------------------------------------------------------------------------------------


def test_the_lines_are_those_of_the_full_size():
    full = list(measure.works())
    assert len(full) == len(WORKS) == len({work.name for work in full})
    assert {work.kind for work in full} == KINDS
    assert {work.dtype for work in full if work.kind == "sinusoidal"} == {"float64", "float32", "float16", "bfloat16"}
    shapes = {work.kind: work.shape for work in full if not work.how}
    assert shapes["sinusoidal"] == (131072, 1024) and shapes["alibi"] == (32, 4096, 4096)


@pytest.mark.parametrize("work", WORKS, ids=name_of)
def test_a_line_writes_all_of_its_output(work):
    job = measure.prepare(work)
    assert job.out.shape == work.shape
    job.out.reshape(-1).view(np.uint8)[:] = 85
    job.call(1)
    first = job.out.copy()
    job.out.reshape(-1).view(np.uint8)[:] = 170
    job.call(2)
    assert first.tobytes() == job.out.tobytes()


@pytest.mark.parametrize("work", WORKS, ids=name_of)
def test_the_limit_writes_every_byte_and_no_zeros(work):
    job = measure.prepare(work)
    given = job.inputs.get("x") if work.limit == "copy" else None
    flat = job.out.reshape(-1).view(np.uint8)
    flat[:] = 0
    measure.limit(job.out, given)(2)
    if given is None:
        assert flat.all()
    else:
        assert flat.tobytes() == given.tobytes() and np.count_nonzero(flat) > flat.size // 2


@pytest.mark.parametrize("size", [1, 4096, measure.tables.STREAM, measure.tables.STREAM + 4096 + 8])
def test_the_limit_of_any_size(size):
    out = np.zeros(size, np.uint8)
    measure.limit(out)(2)
    assert out.all()


def test_the_limit_gives_the_kernels_their_instruction_set_back():
    if kernels.name == "compiled":
        before = kernels.active.cpu()
        try:
            for name in kernels.active.cpus():
                kernels.active.use_cpu(name)
                measure.limit(np.zeros(4096, np.uint8))(1)
                assert kernels.active.cpu() == name
        finally:
            kernels.active.use_cpu(before)


def test_memory_begins_a_cache_line():
    for dtype, storage in (("float32", np.float32), ("bfloat16", np.uint16)):
        array = measure.memory((3, 5), dtype)
        assert array.dtype == storage and array.shape == (3, 5) and array.ctypes.data % 64 == 0


# -- taking turns -----------------------------------------------------------------------------------------------------


def test_calls_take_turns():
    seen = []
    calls = {name: lambda name=name: seen.append(name) for name in "abc"}
    times = measure.interleave(calls, 7, lambda name, first: 3 if name == "c" else 1)
    assert {name: len(taken) for name, taken in times.items()} == {"a": 7, "b": 7, "c": 3}
    assert all(second > 0 for taken in times.values() for second in taken)
    order = [name for k, name in enumerate(seen) if k == 0 or seen[k - 1] != name]
    assert order[:3] == ["a", "b", "c"] and len(order) > 12


@pytest.mark.exhaustive
def test_a_row_for_each_line_and_count_of_threads():
    rows = list(measure.measure(TINY, 1))
    counts = {1, checks.thread_count(None)}
    assert [(row.work, row.threads) for row in rows] == [(work.name, t) for work in WORKS for t in sorted(counts)]
    for row, work in zip(rows[:: len(counts)], WORKS, strict=True):
        assert row.bytes == math.prod(work.shape) * (2 if work.dtype.endswith("16") else int(work.dtype[5:]) // 8)
    for row in rows:
        assert row.limit in ("fill", "copy") and row.limit_ms > 0 and row.ms > 0
        assert row.of_limit == pytest.approx(row.limit_ms / row.ms)
        assert row.gb_per_s == pytest.approx(row.bytes / row.ms / 1e6)


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def tiny(monkeypatch):
    """The command at sizes that take no time."""
    monkeypatch.setitem(measure.DIVIDE, "small", TINY)


def test_json(tiny, capsys):
    assert cli.main(["bench", "--json", "--runs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["work"] for row in found["rows"]} == {work.name for work in WORKS}
    assert set(found["rows"][0]) == set(measure.Row._fields)
    assert found["runs"] == 1
    assert found["machine"]["processor"] and found["machine"]["numpy"] == np.__version__


def test_the_table_names_the_machine_and_every_line(tiny, capsys):
    assert cli.main(["bench", "--runs", "1", "--work", "alibi", "--work", "rope_table"]) == 0
    text = capsys.readouterr().out
    assert "processor" in text and kernels.name in text
    chosen = [work.name for work in WORKS if work.kind in ("alibi", "rope_table")]
    lines = [line for line in text.splitlines() if line.startswith(tuple(chosen))]
    assert len(lines) == len(chosen) * len({1, checks.thread_count(None)})
    assert all(re.search(r" fill +[\d.]+ +[\d.]+$", line) for line in lines)


@pytest.mark.parametrize("name, stores", [("compiled", "streaming stores"), ("numpy", "np.copyto")])
def test_the_table_names_what_the_limit_stores_with(name, stores, tiny, capsys, monkeypatch):
    command = importlib.import_module("refpos.cli.bench")
    rows = list(measure.measure(TINY, 1, ["alibi"]))
    monkeypatch.setattr(kernels, "name", name)
    text = " ".join("\n".join(command._described({"kernels": name}, rows, 1)).split())
    assert f"as many bytes by {stores} with as many threads" in text


@pytest.mark.parametrize(
    "arguments, expected",
    [(["--runs", "0"], "E_SIZE: --runs must be at least 1, got 0"),
     (["--work", "rote"], "E_CHOICE: --work must be one of sinusoidal, rope_table, rope")],
)  # fmt: skip
def test_what_is_refused(tiny, capsys, arguments, expected):
    assert cli.main(["bench", *arguments]) == 2
    assert expected in capsys.readouterr().err


def test_plot_without_matplotlib_says_how_to_get_it(tiny, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["bench", "--runs", "1", "--plot", "never.png"]) == 2
    done = capsys.readouterr()
    assert done.out == "" and "E_MISSING: --plot needs matplotlib" in done.err and "refpos[plot]" in done.err


@pytest.mark.exhaustive
def test_plot_draws_every_line(monkeypatch, tmp_path):
    """What the command asks of matplotlib, of which the tests hold no copy."""
    seen = {}

    class Anything:
        def __getattr__(self, name):
            return lambda *given, **named: seen.setdefault(name, []).append(given)

    class Pyplot(Anything):
        def subplots(self, **named):
            return Anything(), Anything()

    command = importlib.import_module("refpos.cli.bench")
    rows = list(measure.measure(TINY, 1))
    command._plot(Pyplot(), measure.machine(), rows, tmp_path / "bars.png")
    assert seen["savefig"] == [(tmp_path / "bars.png",)]
    assert list(seen["set_yticks"][0][1]) == [work.name for work in WORKS]
    assert sum(len(given[1]) for given in seen["barh"]) == len(rows)


# -- peers ------------------------------------------------------------------------------------------------------------


def test_a_peer_of_another_shape_or_dtype_is_refused():
    expected = np.ones((4, 4), np.float32)
    for actual in (np.ones((4, 3), np.float32), np.ones((4, 4))):
        with pytest.raises(ValueError, match="must be"):
            errors(actual, expected, "float32")


def test_errors_are_counted_in_ulp():
    expected = refpos.sinusoidal(300, 8, dtype="float32")
    assert errors(expected.copy(), expected, "float32") == (0.0, 0.0, 0.0)
    actual = expected.copy()
    actual[299, 3] = np.nextafter(np.nextafter(actual[299, 3], np.float32(2)), np.float32(2))
    found = errors(actual, expected, "float32")
    assert found.ulp == 2 and found.share == 1 / 2400
    assert found.absolute == abs(float(actual[299, 3]) - float(expected[299, 3]))
    signs = np.array([[2.0**-149]], np.float32)
    assert errors(signs, -signs, "float32").ulp == 2
    assert errors(np.array([[0x3F81]], np.uint16), np.array([[0x3F80]], np.uint16), "bfloat16") == (2**-7, 1, 1)


def test_what_is_absent_or_fails_is_named():
    modules, absent = run.load(["numpy", "no_such_library"])
    assert [module.LIBRARY for module in modules] == ["numpy"]
    assert list(absent) == ["no_such_library"]

    class Broken:
        @staticmethod
        def peers(work, job):
            def call():
                raise OverflowError("too much")

            yield "broken", call

    lines = list(run.lines([*modules, Broken], TINY, 1, ["rope_table"], absent))
    text = "\n".join(report.described(measure.machine(), run.versions(modules), absent, lines, 1))
    assert "no_such_library (" in text and "OverflowError: too much" in text
    (work,) = {line.work for line in lines}
    names = [line.name for line in lines]
    assert names[0] == "limit: fill" and "refpos" in names and "numpy textbook" in names
    assert "\n| numpy textbook |" in of_work(text, work)


def test_the_rival_stands_beside_the_same_kernels_and_threads():
    def line(name, ms, errors=None):
        return run.Line("rope half", name, ms, 1, 0.5, ms / 2.0, errors)

    wrong = errors(np.zeros((1, 2), np.float32), np.zeros((1, 2), np.float32), "float32")
    own = [line("limit: copy", 1.0), line("refpos", 2.0), line("refpos, 1 thread", 4.0)]
    rival = [line("rival", 3.0, wrong), line("rival, 1 thread", 5.0, wrong), line("rival, baseline", 9.0, wrong)]
    alone, beside = ("\n".join(report.described({}, {}, {}, lines, 1)) for lines in (own, [*own, *rival]))
    table = "| work | all threads | 1 thread | baseline |\n| --- | --- | --- | --- |\n| rope half | 1.50 | 1.25 |  |"
    assert table in beside and "rival by that of refpos" not in alone


def of_work(text, work):
    """The lines of everybody under the heading of a work."""
    (section,) = re.findall(rf"^### {re.escape(work)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return section


def test_the_table_of_peers_as_a_command(tmp_path):
    folder, package = (FOLDER, "bench") if peers.__name__ == "bench" else (FOLDER.parent, "tests.bench")
    path = os.pathsep.join([os.path.dirname(os.path.dirname(refpos.__file__)), str(folder)])
    words = ["--quick", "--divide", str(TINY), "--runs", "1", "--work", "t5_bias", "--peer", "numpy"]
    done = subprocess.run(
        [sys.executable, "-m", package, *words],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    section = of_work(done.stdout, "t5_bias 16x32x32 float32")
    assert "\n| limit: fill |" in section and "\n| numpy textbook |" in section


# -- gradients beside np.add.at ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", scatter.DTYPES)
@pytest.mark.parametrize("work", list(dict.fromkeys(scatter.works(TINY))), ids=name_of)
def test_all_programs_add_the_same(work, dtype):
    """But for the rounding of each addition, and of the cotangents of 16 bits and of their sums."""
    rows, values = scatter.rows_of(work), np.random.default_rng(2).standard_normal((work.vectors, work.channels))
    assert rows.shape == (work.vectors,) and 0 <= rows.min() <= rows.max() < work.table
    calls = scatter.calls_of(work, rows, values, dtype)
    found = {name: np.array(call(), np.float64) for name, call in calls.items() if name != "copy"}
    own = found.pop("refpos")
    assert np.count_nonzero(own) and len(found) == 1 + (dtype == "float64") + (work.channels > 1)
    sizes = np.zeros(own.shape)
    np.add.at(sizes, rows, np.abs(values))
    unit = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype]
    of_additions = (work.vectors + 2) * (
        unit if dtype == "float64" else 2.0**-24
    )  # the last part: of subnormal numbers
    # of float16 some numbers are subnormal
    bound = (2 * unit + of_additions) * sizes + (work.vectors + 1) * 2.0**-25 * (dtype == "float16")
    for name, other in found.items():
        assert own.shape == other.shape and (np.abs(own - other) <= bound).all(), name
    if dtype == "float64":
        assert (own == found["NumPy kernels"]).all()


# -- small calls ------------------------------------------------------------------------------------------------------


def test_plans_of_small_calls_give_their_bits():
    assert len({one.name for one in SMALL}) == len(SMALL) and all(map(small.agree, SMALL))
    planned = [one for one in SMALL if one.planned is not None]
    assert {"Llama", "Qwen2-VL", "alibi", "t5_bias"} == {re.split("[,:]", one.name)[0] for one in planned}


@pytest.mark.parametrize("change", [lambda a: np.nextafter(a, 9), lambda a: a.astype(np.float64), lambda a: a[:0]])
def test_a_plan_of_other_bits_is_not_timed(change, monkeypatch):
    one = next(one for one in SMALL if one.name.startswith("alibi"))
    other = one._replace(planned=lambda: change(one.planned()))
    empty = one._replace(call=lambda: one.call()[:0], planned=lambda: one.planned()[:0])
    for wrong in (other, empty):
        monkeypatch.setattr(small, "calls", lambda wrong=wrong: [wrong])
        with pytest.raises(ValueError, match="must give the bits of the call, got others: alibi"):
            list(small.rows(1))


def test_small_calls_are_timed_with_their_plans(monkeypatch):
    monkeypatch.setattr(small, "calls", lambda: SMALL[:2])
    (direct, *times), (name, *both) = small.rows(1)
    assert direct == SMALL[0].name and name == SMALL[1].name and len(times) == len(both) == 2
    assert float(times[0]) > 0 and times[1] == "" and all(float(time) > 0 for time in both)


# -- every function beside its program --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sampled(["alibi", "rope", "yarn", "t5_buckets", "flux_positions", "box_relation"], 3))
def test_two_calls_of_a_function_agree_with_its_program(name):
    (few, smaller), (many, larger) = every.few_and_many(name)
    assert few < many <= every.MOST and every.agrees(smaller) and every.agrees(larger)
    for given, size in ((smaller, few), (larger, many)):
        every.plain_call(given)()
        result = every.refpos_call(given)()
        assert size in (result.size, result.size + 1) if isinstance(result, np.ndarray) else name == "flux_positions"


@pytest.mark.parametrize("name", ["alibi", "t5_buckets"])
def test_a_program_that_is_wrong_is_not_timed(name, monkeypatch):
    program = every.program_of(name)

    def wrong(**given):
        return program(**given) + 1

    if name in every.REGISTER:
        monkeypatch.setitem(every.REGISTER, name, every.REGISTER[name]._replace(function=wrong))
    else:
        monkeypatch.setattr(every.integers, name, wrong)
    assert list(every.rows(1, [name])) == []
    table = "\n".join(every.described([], [name]))
    assert f"\nNot timed, the program takes none of the calls: {name}." in table


def test_functions_without_a_program_have_a_reason():
    reasons = every.without_program()
    timed = {name for name in catalogue.ENTRIES if every.program_of(name)}
    assert reasons.keys() | timed == catalogue.ENTRIES.keys() and not reasons.keys() & timed and len(timed) > 100
    assert all(len(why) > 15 for why in reasons.values())


# -- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_has_every_function_or_says_why_not():
    text = PAGE.read_text()
    (section,) = re.findall(r"<!-- catalogue -->\n(.*?)<!-- /catalogue -->", text, re.DOTALL)
    timed = set(re.findall(r"^\| (\w+) \| \d+ \|", section, re.MULTILINE))
    absent = {name for line in re.findall(r"^Not timed, .*: (.*)\.$", section, re.MULTILINE)
              for name in line.split(", ")}  # fmt: skip
    assert timed | absent == catalogue.ENTRIES.keys() and not timed & absent and len(timed) > 100
    assert report.into_page(text, "other", "catalogue") != text


def test_the_page_has_every_small_call():
    text = PAGE.read_text()
    (section,) = re.findall(r"<!-- small -->\n(.*?)<!-- /small -->", text, re.DOTALL)
    timed = re.findall(r"^\| (.*?) \| [\d.]+ \| ([\d.]*) ?\|$", section, re.MULTILINE)
    assert [(name, bool(time)) for name, time in timed] == [(one.name, one.planned is not None) for one in SMALL]
    assert re.search(r"Measured on \d{4}-\d\d-\d\d: processor .*cores \d+", section)


def test_the_page_shows_every_line_its_limit_and_the_machine():
    text = PAGE.read_text()
    assert report.into_page(text, "other") != text
    for work in measure.works():
        section = of_work(text, work.name)
        assert f"\n| limit: {work.limit} |" in section and "\n| refpos |" in section, work.name
    assert re.search(r"Measured on \d{4}-\d\d-\d\d: processor .*cores \d+", text)
    assert "of the limit" in text and "python -m tests.bench" in text


def test_the_page_of_gradients_shows_every_line():
    text = scatter.PAGE.read_text()
    assert report.into_page(text, "other") != text
    for work in scatter.works():
        assert f"\n| {work.name} |" in text, work.name
    assert re.search(r"Measured on \d{4}-\d\d-\d\d: processor .*cores \d+", text) and "tests.bench.scatter" in text


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(ValueError, match="one pair of marks, got 0"):
        report.into_page("nothing", "table")
