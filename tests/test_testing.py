"""`refpos.testing` and its plugin, each check of which is seen to fail, in runs of pytest with and without xdist."""

import json
import os
import re
import textwrap
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from foreign_arrays import OnlyArray, OnlyDlpack
from tiers import sampled

import refpos
from refpos import testing
from refpos.errors import InputError
from refpos.golden.discover import output_dtype
from refpos.tensor_files import Tensor
from refpos.testing.lists import read_list
from refpos.testing.noticing import Comparison, noticed
from refpos.testing.record import met_in, worse

pytest_plugins = ["pytester"]

# -- cases ------------------------------------------------------------------------------------------------------------


def test_cases_are_named_by_their_ids_and_there_is_always_one():
    found = testing.cases("rope", dtype="float32")
    assert [case.id for case in found] == [
        case.id for case in refpos.golden.cases("rope", tier="core")
        if not case.refusal and output_dtype(case) == "float32"
    ]  # fmt: skip
    assert {case.__name__ for case in found} == {str(case) for case in found} == {case.id for case in found}
    assert len(testing.cases(tier="starter")) == len(refpos.golden.cases(tier="starter"))
    assert {case.suite for case in testing.cases(["alibi", "rope/llama-*"])} == {"alibi", "rope"}
    assert all(case.golden.refusal for case in testing.cases("rope", refused=True))


def test_names_of_suites_read_no_others_and_choose_the_same(monkeypatch):
    read, known = [], refpos.golden.cases
    monkeypatch.setattr(refpos.golden, "cases", lambda suite=None, **rest: read.append(suite) or known(suite, **rest))
    everything = [case.id for case in testing.cases()]
    for names in (["rope/llama-*", "alibi"], ["alibi", "rope/*", "alibi/*"], ["rop[e]/*"], ["rope/llama-*", "al*/*"]):
        read.clear()
        found = [case.id for case in testing.cases(names)]
        forms = [name if "/" in name else f"{name}/*" for name in names]
        assert found == list(dict.fromkeys(id for form in forms for id in everything if fnmatchcase(id, form)))
        assert found and read == (["alibi", "rope"] if "alibi" in names else [None])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(names="rop"), "did you mean rope"),
        (dict(names="rope/lama-3-128-f32"), "did you mean rope/llama-3-128-f32"),
        (dict(names=["rope", "rope/no-*"]), "got 'rope/no-*'"),
        (dict(names="t5_buckets", dtype="float16"), "names must be those of suites or cases of tier core with outputs"),
        (dict(names="rope", tier="starters"), "tier must be one of"),
        (dict(names="rope", dtype="float8"), "dtype must be one of"),
        (dict(names="rope", refused=1), "refused must be True or False"),
        (dict(names="rope", refused=True, dtype="float32"), "dtype must be None for refused calls"),
        (dict(names="xpos", tier="starter"), "names must be those of suites or cases of tier starter"),
        (dict(names=[]), "names must"),
    ],
)
def test_a_choice_of_nothing_is_refused(arguments, words):
    with pytest.raises(InputError, match=re.escape(words)):
        testing.cases(**arguments)


@pytest.mark.parametrize("case", testing.cases(tier="starter") + testing.cases("rope", dtype="bfloat16")[:5])
def test_the_arguments_of_a_case_make_its_numbers(case):
    function, arguments = refpos.catalogue.find(case.suite).function, dict(case.arguments)
    if refpos.catalogue.find(case.suite).family == "frequencies":  # which are no arrays
        kind = np.dtype(arguments.pop("dtype"))
        made = function(**arguments)
        result = {name: tensor_of(made, name, kind) for name in case.expected}
    else:
        result = function(**arguments)
    assert case.check(result) == "correct"
    assert case.about and case.suite in case.id


def tensor_of(made, name, kind):
    """The numbers of Frequencies, rounded from float64, which is right where no two roundings differ."""
    values = {"output": made.inv_freq, "axes": made.axes or [0] * len(made)}.get(name)
    values = getattr(made, name) if values is None else values
    return np.asarray(values, np.int64 if name == "axes" else kind)


@pytest.mark.exhaustive
def test_a_wrong_answer_is_explained():
    (case,) = testing.cases("rope/llama-3-128-f32")
    arguments = {**case.arguments, "pairing": {"half": "interleaved", "interleaved": "half"}[case.arguments["pairing"]]}
    with pytest.raises(AssertionError, match=r"your numbers are those of pairing=.* \(asked: pairing=.*\)"):
        case.check(refpos.rope(**arguments))
    right = refpos.rope(**case.arguments)
    with pytest.raises(AssertionError, match="wrong calls were tried, and compared on every element: none gives"):
        case.check(right + np.float32(7) * np.arange(right.shape[-1], dtype=np.float32))
    with pytest.raises(AssertionError, match="E_SHAPE: expected the shape"):
        case.check(right[..., :-1])
    with pytest.raises(AssertionError, match="E_DTYPE: expected float32"):
        case.check(right.astype(np.float16))
    with pytest.raises(AssertionError, match="meets no class"):
        case.check(np.full_like(right, np.nan))
    case.check(right)  # the plugin fails a test in which no answer to its case was right


def test_a_class_that_is_asked_for_must_be_met():
    (case,) = testing.cases("rope/llama-3-128-f32")
    right = refpos.rope(**case.arguments)
    near = np.nextafter(right, np.float32(np.inf))
    assert case.check(right, at_least="correct") == "correct"
    assert case.check(near) == case.check(near, at_least="float32-angle") == "faithful"
    with pytest.raises(AssertionError, match="meets faithful, not correct"):
        case.check(near, at_least="correct")
    with pytest.raises(InputError, match="at_least must be one of"):
        case.check(right, at_least="float32")


def test_several_outputs_come_in_order_or_by_name():
    case = testing.cases("rope_table", dtype="float32")[0]
    cos, sin = refpos.rope_table(**case.arguments)
    assert case.check((cos, sin)) == case.check({"sin": sin, "cos": cos}) == "correct"
    with pytest.raises(AssertionError):
        case.check((sin, cos))
    for wrong in (cos, (cos,), {"cos": cos}, {"cos": cos, "sine": sin}, np.stack([cos, sin])):
        with pytest.raises(InputError, match="actual must"):
            case.check(wrong)


def test_a_refused_call_must_be_refused():
    case = testing.cases("rope", refused=True)[0]
    with noticed() as heard, case.raises(ValueError):
        refpos.rope(**case.arguments)
    assert [one.subject for one in heard] == [case.id]
    with pytest.raises(AssertionError, match="the call must be refused"), case.raises(ValueError):
        pass
    with pytest.raises(KeyError), case.raises(ValueError):
        raise KeyError("another error")
    for errors in ((), (3,), ("ValueError",)):
        with pytest.raises(InputError, match="errors must be"), case.raises(*errors):
            pass
    with pytest.raises(InputError, match="must be refused and has no numbers"):
        case.check(np.zeros(3))
    with pytest.raises(InputError, match="has numbers and is not refused"), testing.cases("rope")[0].raises(ValueError):
        pass


# -- calls ------------------------------------------------------------------------------------------------------------


def float32_rope(x, count, half=True):
    inv_freq = 1 / np.float32(10000) ** (np.arange(0, x.shape[-1], 2, dtype=np.float32) / np.float32(x.shape[-1]))
    angles = np.arange(count, dtype=np.float32)[:, None] * inv_freq
    one, two = np.split(x, 2, -1) if half else (x[..., ::2], x[..., 1::2])
    cos, sin = np.cos(angles), np.sin(angles)
    parts = one * cos - two * sin, two * cos + one * sin
    return np.concatenate(parts, -1) if half else np.stack(parts, -1).reshape(x.shape)


def test_code_of_others_is_held_against_a_call():
    x = np.random.default_rng(5).standard_normal((9, 8)).astype(np.float32)
    made = float32_rope(x, 9)
    with noticed() as heard:
        for actual in (made, OnlyArray(made), OnlyDlpack(made), Tensor("float32", made), {"output": made}):
            kind = testing.assert_rope(actual, OnlyArray(x), 9, pairing="half", at_least="float32-angle")
            testing.assert_matches(actual, refpos.rope, x, list(range(9)), pairing="half", out=np.empty(x.shape))
    assert len(heard) == 10 and {one.subject for one in heard} == {"rope"} and kind == heard[0].met
    with pytest.raises(AssertionError, match="your numbers are those of pairing='half'"):
        testing.assert_rope(made, x, 9, pairing="interleaved")
    with pytest.raises(AssertionError, match="positions - 1"):
        testing.assert_rope(made, x, np.arange(1, 10), pairing="half")
    llama = {"function": "llama3", "arguments": dict(dim=8, factor=8, low_freq_factor=1, high_freq_factor=4,
             original_max_position_embeddings=8192, base=10000)}  # fmt: skip
    made = refpos.rope(x, 9, pairing="half", frequencies=refpos.llama3(**llama["arguments"]))
    assert testing.assert_rope(made, x, 9, pairing="half", frequencies=llama) == "correct"


def test_a_call_without_a_dtype_has_that_of_the_answers():
    frequencies = refpos.inverse_frequencies(8)
    for dtype in ("float16", "float32", "float64"):
        table = refpos.rope_table(9, frequencies, dtype=dtype)
        assert testing.assert_matches(table, refpos.rope_table, 9, frequencies, at_least="correct") == "correct"
        with pytest.raises(AssertionError, match=f"of {dtype} off"):
            testing.assert_matches(table[::-1], refpos.rope_table, 9, frequencies)
    with pytest.raises(AssertionError, match="E_DTYPE: expected float64 or a format that holds its values"):
        testing.assert_matches(refpos.rope_table(9, frequencies, dtype="float32"), refpos.rope_table, 9, frequencies,
                               dtype="float64")  # fmt: skip
    assert testing.assert_matches(frequencies.inv_freq.astype("f4"), refpos.inverse_frequencies, 8) == "correct"
    with pytest.raises(InputError, match="actual must be the 2 arrays cos, sin, got a ndarray"):
        testing.assert_matches(table[0], refpos.rope_table, 9, frequencies)


def test_a_dtype_beside_x_is_that_of_the_result():
    hours = np.arange(6, dtype=np.float32)
    for dtype in ("bfloat16", "float32"):
        of = refpos.absolute.periodic(hours, 24, dtype=dtype), refpos.absolute.periodic, hours, 24
        assert testing.assert_matches(*of, dtype=dtype) == testing.assert_matches(*of) == "correct"
    with pytest.raises(AssertionError, match="E_DTYPE: expected bfloat16 or a format that holds its values"):
        testing.assert_matches(np.ones((6, 2), np.float16), refpos.absolute.periodic, hours, 24, dtype="bfloat16")


def test_what_cannot_be_read_says_what_to_do():
    x = np.ones((2, 4), np.float32)
    trained = OnlyArray(x)
    trained.requires_grad = True
    for actual, words in (
        (trained, "must not require grad: call .detach() first, got a OnlyArray that does"),
        (OnlyArray(None), "must convert to a NumPy array, got a OnlyArray that says: \"can't convert cuda:0"),
        (None, "actual output"),
        ("numbers", "actual output"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            testing.assert_rope(actual, x, 2, pairing="half")
    with pytest.raises(InputError, match="function must be one of the catalogue"):
        testing.assert_matches(x, float32_rope, x, 2)
    with pytest.raises(InputError, match="frequencies must come from"):
        testing.assert_rope(x, x, 2, pairing="half", frequencies=np.ones(2))
    with pytest.raises(TypeError):
        testing.assert_rope(x, x, 2, pairing="half", bases=3)


# -- the record -------------------------------------------------------------------------------------------------------


def test_worse_is_what_no_longer_meets_its_class():
    def heard(*kinds):
        return [Comparison("a", kinds[0], kinds)]

    assert met_in(heard("faithful", "float32-angle")) == {"a": "faithful"}
    assert met_in([*heard("correct"), *heard("faithful")]) == {"a": "correct", "a #2": "faithful"}
    for recorded, now in (
        ("float32-angle", ["faithful", "float32-angle"]), ("sequence32", ["correct"]), ("faithful", ["faithful"]),
    ):  # fmt: skip
        assert worse({"a": recorded}, heard(*now)) == []
    assert worse({"a": "faithful"}, heard("float32-angle")) == ["a: meets float32-angle, and the record says faithful"]
    assert worse({"a": "correct"}, heard("faithful")) == ["a: meets faithful, and the record says correct"]
    assert "nothing was compared" in worse({"b": "correct"}, heard("correct"))[0]


def test_the_list_of_the_page_is_one(tmp_path):
    page = (Path(__file__).resolve().parent.parent / "docs" / "testing.md").read_text()
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "skip").write_text(text)
    assert [entry.form for entry in read_list(tmp_path / "skip")] == ["rope/yarn-*", "rope/partial-*"]


# -- the plugin -------------------------------------------------------------------------------------------------------

TESTS = """
    import numpy as np, os, pytest, refpos, refpos.testing

    WRONG, NEAR = os.environ.get("WRONG", "").split(), os.environ.get("NEAR", "").split()

    @pytest.mark.parametrize("case", refpos.testing.cases("alibi_slopes", dtype="float32"))
    def test_slopes(case):
        made = refpos.alibi_slopes(**case.arguments)
        if case.id in WRONG:
            made = made * np.float32(1.5)
        if case.id in NEAR:
            made = np.nextafter(made, np.float32(9))
        if "crash" in WRONG:
            raise KeyError("no such kernel")
        if "nothing" not in WRONG:
            case.check(made)
"""
ONE, OTHER = "alibi_slopes/recursive-6-f32", "alibi_slopes/recursive-10-f32"


class Project:
    """A folder with a test file, and runs of pytest there: (status, output)."""

    def __init__(self, pytester, monkeypatch):
        self.pytester, self.monkeypatch, self.folder = pytester, monkeypatch, pytester.path
        (self.folder / "tests").mkdir()
        (self.folder / "tests" / "test_port.py").write_text(textwrap.dedent(TESTS))
        (self.folder / "pytest.ini").write_text("[pytest]\n")
        self.count = len(testing.cases("alibi_slopes", dtype="float32"))
        root = os.path.dirname(os.path.dirname(refpos.__file__))
        path = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
        for name, value in (("DISABLE_PLUGIN_AUTOLOAD", "1"), ("ADDOPTS", "")):
            monkeypatch.setenv(f"PYTEST_{name}", value)
        monkeypatch.setenv("PYTHONPATH", path)

    def __call__(self, *options, apart=False, **environment):
        for name in ("WRONG", "NEAR"):
            self.monkeypatch.setenv(name, environment.get(name, ""))
        run = self.pytester.runpytest_subprocess if apart else self.pytester.runpytest_inprocess
        done = run("-p", "refpos.pytest_plugin", "-p", "no:cacheprovider", *options)
        return int(done.ret), str(done.stdout) + str(done.stderr)


@pytest.fixture
def project(pytester, monkeypatch):
    return Project(pytester, monkeypatch)


def test_cases_run_by_their_names(project):
    status, text = project("-v")
    assert status == 0 and f"test_slopes[{ONE}] PASSED" in text and f"{project.count} passed" in text
    status, text = project(WRONG=ONE)
    assert status == 1 and f"1 failed, {project.count - 1} passed" in text and "meets no class" in text
    assert "refpos/testing" not in text  # the traceback ends in the test


def test_a_test_that_compares_nothing_fails(project):
    status, text = project(WRONG="nothing")
    assert status == 1 and f"{project.count} failed" in text and "passed without comparing it" in text


def listed(project, name, *lines):
    (project.folder / name).write_text("\n".join(lines))
    return f"--refpos-{name}={name}"


@pytest.mark.exhaustive
def test_what_is_skipped_and_what_must_fail(project):
    skip = listed(project, "skip", "# a list", "", "alibi_slopes/geometric-*: geometric slopes are not ported")
    xfail = listed(project, "xfail", f"{ONE}: six heads, issue 12")
    status, text = project(skip, xfail, "-rsx", WRONG=ONE)
    assert status == 0 and f"{project.count - 2} passed, 1 skipped, 1 xfailed" in text
    assert "geometric slopes are not ported" in text and "six heads, issue 12" in text
    status, text = project(skip, xfail)
    assert status == 1 and "1 failed" in text and "XPASS(strict)" in text
    status, text = project(xfail, WRONG=f"{ONE} crash")
    assert status == 1 and "KeyError" in text and "xfailed" not in text
    status, text = project(xfail, WRONG="nothing")
    assert status == 1 and "xfailed" not in text


@pytest.mark.parametrize(
    "lines, words",
    [
        (["alibi_slopes/recursive-66-f32: typo"], "must name a golden case"),
        (["alibi_slopes/*"], "must be `case: reason`"),
        (["alibi_slopes/*: "], "must be `case: reason`"),
        (["rope/*: not tested here"], "line 1 must name a case of a test of this run, got 'rope/*'"),
        ([f"{ONE}: once", f"{ONE}: twice"], "must name each case once"),
        (["\udcff: bytes"], "must be text in UTF-8"),
    ],
)
@pytest.mark.parametrize("name", ["skip", pytest.param("xfail", marks=pytest.mark.exhaustive)])
def test_a_wrong_list_ends_the_run(name, lines, words, project):
    (project.folder / name).write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))
    status, text = project(f"--refpos-{name}={name}")
    assert status == 4 and words in text, text


def test_a_missing_list_and_a_case_on_both_lists_end_the_run(project):
    status, text = project("--refpos-skip=absent")
    assert status == 4 and "absent must be a readable file" in text
    lists = listed(project, "skip", f"{ONE}: a"), listed(project, "xfail", f"{ONE}: b")
    status, text = project(*lists)
    assert status == 4 and "must be skipped or fail" in text


@pytest.mark.exhaustive
def test_a_list_may_name_others_where_single_tests_are_run(project):
    skip = listed(project, "skip", "rope/*: in another file")
    assert project(skip, "tests/test_port.py")[0] == 0
    assert project(skip, f"tests/test_port.py::test_slopes[{ONE}]")[0] == 0
    assert project(skip, "tests")[0] == 4


def test_the_ini_file_names_lists_from_its_own_folder(project):
    listed(project, "skip", f"{ONE}: not yet")
    (project.folder / "pytest.ini").write_text("[pytest]\nrefpos_skip = skip\n")
    status, text = project("--rootdir", str(project.folder), "tests")
    assert status == 0 and "1 skipped" in text


WORKERS = pytest.mark.parametrize(
    "workers", [[], pytest.param(["-p", "xdist", "-n2"], marks=pytest.mark.exhaustive)], ids=["one process", "xdist"]
)


@WORKERS
def test_a_record_is_written_on_request_and_held(workers, project):
    record = "--refpos-record=good.json"
    status, text = project(record)
    assert status == 4 and "good.json must be a readable file" in text
    status, text = project(record, "--refpos-write-record", *workers, apart=bool(workers), NEAR=ONE)
    assert status == 0 and f"wrote {project.folder / 'good.json'}: {project.count} tests" in text
    held = json.loads((project.folder / "good.json").read_text())
    assert held[f"tests/test_port.py::test_slopes[{ONE}]"] == {ONE: "faithful"}
    assert held[f"tests/test_port.py::test_slopes[{OTHER}]"] == {OTHER: "correct"} and len(held) == project.count
    before = (project.folder / "good.json").read_bytes()
    status, text = project(record, *workers, apart=bool(workers))  # better
    assert status == 0 and f"{project.count} of {project.count} tests as good as" in text
    status, text = project(record, *workers, apart=bool(workers), NEAR=OTHER)
    assert status == 1 and f"{OTHER}: meets faithful, and the record says correct" in text
    assert (project.folder / "good.json").read_bytes() == before
    assert [path.name for path in project.folder.iterdir() if "part" in path.name] == []


@WORKERS
def test_a_run_that_fails_writes_no_record(workers, project):
    options = ["--refpos-record=good.json", "--refpos-write-record", *workers]
    status, text = project(*options, apart=bool(workers), WRONG=ONE)
    assert status == 1 and "is NOT written" in text and not (project.folder / "good.json").exists()
    (project.folder / "tests" / "test_port.py").write_text("def test_nothing():\n    pass\n")
    status, text = project(*options, apart=bool(workers))
    assert status == 1 and "no test compared anything" in text and not (project.folder / "good.json").exists()


@pytest.mark.exhaustive
def test_a_record_of_tests_that_are_gone_ends_the_run(project):
    record = "--refpos-record=good.json"
    assert project(record, "--refpos-write-record")[0] == 0
    tests = project.folder / "tests" / "test_port.py"
    tests.write_text(tests.read_text().replace("test_slopes", "test_others"))
    status, text = project(record)
    assert status == 4 and "which is not there" in text and "test_slopes" in text
    assert project(record, "--refpos-write-record")[0] == 0 and project(record)[0] == 0
    # of some tests only: what is not run stays in the record
    tests.write_text(tests.read_text().replace("NEAR:", "NEAR or True:"))
    assert project(record, "--refpos-write-record", "-k", "recursive-6-f32")[0] == 0
    held = json.loads((project.folder / "good.json").read_text())
    assert len(held) == project.count
    assert held[f"tests/test_port.py::test_others[{ONE}]"] == {ONE: "faithful"}


@pytest.mark.parametrize(
    "text", sampled(["", "{", "[]", '{"a": "correct"}', '{"a": {}}', '{"a": {"b": "good"}}', '{"a": {"b": 1}}'], 4)
)
def test_a_broken_record_ends_the_run(text, project):
    (project.folder / "good.json").write_text(text)
    status, out = project("--refpos-record=good.json")
    assert status == 4 and "good.json must" in out


def test_a_record_needs_a_name(project):
    status, text = project("--refpos-write-record")
    assert status == 4 and "--refpos-write-record needs --refpos-record FILE" in text


def test_the_plugin_leaves_other_tests_alone(project):
    (project.folder / "tests" / "test_port.py").write_text(
        "import sys\n\ndef test_it():\n    assert not {'refpos.golden', 'refpos.testing'} & set(sys.modules)\n"
    )
    status, text = project(apart=True)
    assert status == 0 and "refpos" not in text.partition("collected")[2].replace(str(project.folder), "")
