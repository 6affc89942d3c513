"""A case that a test is handed and does not compare, and a record that nothing is held against, are never green."""

import collections
import json
import os
import textwrap

import numpy as np
import pytest

import refpos
from refpos import testing
from refpos.errors import InputError
from refpos.testing.handing import handed
from refpos.testing.nested import cases_in
from refpos.testing.renamed import entries_of

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.exhaustive  # each test starts pytest in a process of its own
CASE = testing.cases("alibi_slopes", dtype="float32")[0]  # imports what a run in this process would import and forget

HEAD = """
    import contextlib, dataclasses, functools, types, unittest, weakref
    import numpy as np, pytest, refpos
    from refpos import testing

    CASES = testing.cases("alibi_slopes", dtype="float32")[:3]
    ONE = CASES[0]

    def made(case):
        return refpos.alibi_slopes(**case.arguments)

    @dataclasses.dataclass
    class Held:
        case: object
        device: str = "cpu"

    class Private:
        __slots__ = ("__case",)
        def __init__(self, case):
            self.__case = case

    class Slotted:
        __slots__ = ("case",)
        def __init__(self, case):
            self.case = case
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """A function: (exit status, output) of pytest on a file of tests."""
    for name, value in (("DISABLE_PLUGIN_AUTOLOAD", "1"), ("ADDOPTS", "")):
        monkeypatch.setenv(f"PYTEST_{name}", value)
    root = os.path.dirname(os.path.dirname(refpos.__file__))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))

    def run(tests, *options, name="test_port.py", head=HEAD, apart=False):
        if tests is not None:
            (pytester.path / name).write_text(textwrap.dedent(head) + textwrap.dedent(tests))
        call = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        done = call("-p", "refpos.pytest_plugin", "-p", "no:cacheprovider", *options)
        return int(done.ret), str(done.stdout) + str(done.stderr)

    run.folder = pytester.path
    return run


def parametrized(value):
    return f"""
        @pytest.mark.parametrize("value", [{value}])
        def test_it(value):
            pass
    """


#: tests that pass and compare nothing, of which the first line of each failure names a case
UNCOMPARED = {
    "a tuple": parametrized("(ONE, 'cpu')"),
    "a list": parametrized("CASES"),
    "a dict": parametrized("{'case': ONE}"),
    "a key": parametrized("{ONE: 1}"),
    "a set": parametrized("{ONE}"),
    "nested": parametrized("[{'a': (1, [ONE])}]"),
    "a dataclass": parametrized("Held(ONE)"),
    "slots": parametrized("Slotted(ONE)"),
    "a namespace": parametrized("types.SimpleNamespace(case=ONE)"),
    "an array of objects": parametrized("np.array([ONE, None], dtype=object)"),
    "a partial call": parametrized("functools.partial(made, ONE)"),
    "a closure": parametrized("(lambda case: lambda: case)(ONE)"),
    "a default": parametrized("lambda case=ONE: case"),
    "a method": parametrized("Held(ONE).__eq__"),
    "values of a dict": parametrized("{'case': ONE}.values()"),
    "a class": parametrized("type('Port', (), {'case': ONE})"),
    "an attribute of its class": parametrized("type('Port', (), {'case': ONE})()"),
    "a private slot": parametrized("Private(ONE)"),
    "a weak reference": parametrized("weakref.ref(ONE)"),
    "a fixture that is asked for by name": """
        @pytest.fixture
        def case():
            return [ONE]
        def test_it(request):
            request.getfixturevalue("case")
    """,
    "a parameter of a fixture": """
        @pytest.fixture(params=[(ONE, 1)])
        def pair(request):
            return request.param[1]
        def test_it(pair):
            pass
    """,
    "a fixture": """
        @pytest.fixture
        def case():
            return ONE
        def test_it(case):
            pass
    """,
    "a fixture of a fixture": """
        @pytest.fixture
        def held():
            return Held(ONE)
        @pytest.fixture
        def answer(held):
            return 3
        def test_it(answer):
            assert answer == 3
    """,
    "a fixture that yields": """
        @pytest.fixture
        def case():
            yield {"case": ONE}
        def test_it(case):
            pass
    """,
    "a fixture of the module": """
        @pytest.fixture(scope="module")
        def case():
            return ONE
        def test_it(case):
            pass
    """,
    "a fixture of the session that reads": """
        @pytest.fixture(scope="session")
        def answers():
            return {case.id: made(case) for case in CASES}
        def test_it(answers):
            assert len(answers) == 3
    """,
    "a fixture that reads": """
        @pytest.fixture
        def answer():
            return made(ONE)
        def test_it(answer):
            assert answer.shape
    """,
    "arguments of a global case": """
        def test_it():
            assert np.isfinite(made(ONE)).all()
    """,
    "numbers of a global case": """
        def test_it():
            np.testing.assert_allclose(made(ONE), ONE.expected["output"].values)
    """,
    "a filter within the test": """
        def test_it():
            for case in CASES:
                if case.arguments["num_heads"] > 10**6:
                    case.check(made(case))
    """,
    "a method of a class": """
        class TestPort:
            case = ONE
            def test_it(self):
                made(self.case)
    """,
    "unittest": """
        class TestPort(unittest.TestCase):
            def test_it(self):
                made(ONE)
    """,
    "an iterator": parametrized("iter(CASES)"),
    "an iterator over values": parametrized("iter({1: ONE}.values())"),
    "a generator": parametrized("(case for case in CASES)"),
    "a map": parametrized("map(Held, CASES)"),
    "a fixture that returns an iterator": """
        @pytest.fixture
        def cases():
            return iter(CASES)
        def test_it(cases):
            for case in cases:
                pass
    """,
    "a fixture that returns an iterator of which one is compared": """
        @pytest.fixture
        def cases():
            return iter(CASES)
        def test_it(cases):
            case = next(cases)
            case.check(made(case))
    """,
    "a fixture that returns a generator": """
        @pytest.fixture
        def cases():
            return (case for case in CASES if "f32" in case.id)
        def test_it(cases):
            for case in cases:
                pass
    """,
    "a fixture that calls a generator": """
        @pytest.fixture
        def cases():
            def each():
                yield from CASES
            return each()
        def test_it(cases):
            list(cases)
    """,
    "a fixture of the module that returns a filter": """
        @pytest.fixture(scope="module")
        def cases():
            return "cpu", filter(None, CASES)
        def test_it(cases):
            list(cases[1])
    """,
    "another case": """
        @pytest.mark.parametrize("case", CASES[:1])
        def test_it(case):
            CASES[1].check(made(CASES[1]))
    """,
    "one of two": """
        @pytest.mark.parametrize("cases", [CASES[:2]])
        def test_it(cases):
            cases[0].check(made(cases[0]))
    """,
    "a failure that is swallowed": """
        @pytest.mark.parametrize("case", CASES[:1])
        def test_it(case):
            with contextlib.suppress(AssertionError):
                case.check(made(case) * 2)
    """,
    "refpos imported by the test": """
        def test_it():
            from refpos import testing
            case = testing.cases("alibi_slopes")[0]
            case.arguments
    """,
}


@pytest.mark.parametrize("kind", UNCOMPARED)
def test_a_case_that_is_not_compared_fails_its_test(kind, run):
    alone = kind == "refpos imported by the test"  # in a process that has not imported it
    status, text = run(UNCOMPARED[kind], head="import pytest\n" if alone else HEAD, apart=alone)
    assert status == 1 and "passed without comparing" in text and "1 failed" in text, text
    assert "alibi_slopes/" in text or "hands out golden cases" in text


#: set-ups that hand out cases and return nothing, with tests that pass and compare none of them
SHARED = {
    "a fixture of the class": """
        class TestPort:
            @pytest.fixture(scope="class", autouse=True)
            def answer(self, request):
                request.cls.answer = made(ONE)
            def test_it(self):
                assert self.answer.shape
    """,
    "a fixture of the class that is asked for": """
        @pytest.fixture(scope="class")
        def answer(request):
            request.cls.answer = made(ONE)
        @pytest.mark.usefixtures("answer")
        class TestPort:
            def test_it(self):
                assert self.answer.shape
    """,
    "a fixture that is asked for by name": """
        @pytest.fixture(scope="module")
        def answer():
            return made(ONE)
        def test_it(request):
            assert request.getfixturevalue("answer").shape
    """,
    "a fixture of the module that yields": """
        ANSWERS = []
        @pytest.fixture(scope="module", autouse=True)
        def answers():
            ANSWERS.append(made(ONE))
            yield
        def test_it():
            assert ANSWERS
    """,
    "setup_class": """
        class TestPort:
            @classmethod
            def setup_class(cls):
                cls.answer = made(ONE)
            def test_it(self):
                assert self.answer.shape
    """,
    "setup_class that keeps the case": """
        class TestPort:
            def setup_class(cls):
                cls.case = CASES[0]
            def test_it(self):
                assert self.case
    """,
    "setup_method that keeps the case": """
        class TestPort:
            def setup_method(self):
                self.case = CASES[0]
            def test_it(self):
                assert self.case
    """,
    "setup_module": """
        def setup_module(module):
            module.CASE = testing.cases("alibi_slopes")[0]
        def test_it():
            assert CASE
    """,
    "setUpClass": """
        class TestPort(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.answer = made(ONE)
            def test_it(self):
                assert self.answer.shape
    """,
    "setUp": """
        class TestPort(unittest.TestCase):
            def setUp(self):
                self.case = CASES[0]
            def test_it(self):
                assert self.case
    """,
    "another case": """
        class TestPort:
            def setup_class(cls):
                cls.answer = made(ONE)
            def test_it(self):
                CASES[1].check(made(CASES[1]))
    """,
    "one of two that the fixture compares": """
        @pytest.fixture(scope="session", autouse=True)
        def answers():
            ONE.check(made(ONE))
            made(CASES[1])
        def test_it():
            pass
    """,
}


@pytest.mark.parametrize("kind", SHARED)
def test_what_tests_share_is_compared_by_one_of_them(kind, run):
    status, text = run(SHARED[kind])
    assert status == 1 and "1 passed" in text and "no test of this run that uses it compared one" in text, text
    assert "hands out alibi_slopes/" in text and " _xunit_" not in text


def test_no_record_is_written_of_a_run_that_shares_cases_and_compares_none(run):
    tests = SHARED["another case"]
    status, text = run(tests, RECORD, "--refpos-write-record")
    assert status == 1 and "good.json is NOT written" in text, text


def test_processes_of_xdist_share_what_they_compared(run):
    options = ("-p", "xdist.plugin", "-n2", "--dist=each")
    status, text = run(SHARED["setup_class"], *options, apart=True)
    assert status == 1 and "setup_class of test_port.py::TestPort hands out alibi_slopes/" in text, text
    assert run(SHARED_AND_COMPARED, "-p", "xdist.plugin", "-n2", apart=True)[0] == 0


#: each class and each module fixture has a test that compares, and one that does not
SHARED_AND_COMPARED = """
    class TestClass:
        def setup_class(cls):
            cls.case, cls.answer = ONE, made(ONE)
        def test_shape(self):
            assert self.answer.shape
        def test_numbers(self):
            self.case.check(self.answer)

    class TestMethod:
        def setup_method(self):
            self.case = CASES[1]
        def test_shape(self):
            assert self.case
        def test_numbers(self):
            self.case.check(made(self.case))

    class TestUnit(unittest.TestCase):
        def setUp(self):
            self.case = CASES[2]
        @classmethod
        def setUpClass(cls):
            cls.answer = made(CASES[2])
        def test_shape(self):
            assert self.answer.shape
        def test_numbers(self):
            self.case.check(self.answer)

    class TestTornDown:
        @pytest.fixture(scope="class", autouse=True)
        def answer(self, request):
            request.cls.answer = made(ONE)
            yield
            ONE.check(request.cls.answer)
        def test_shape(self):
            assert self.answer.shape

    class TestExpectedToDiffer:
        def setup_class(cls):
            cls.answer = made(ONE)
        def test_shape(self):
            assert self.answer.shape
        @pytest.mark.xfail(strict=True)
        def test_numbers(self):
            ONE.check(self.answer * 2)

    class TestComparedAtOnce:
        @pytest.fixture(scope="class", autouse=True)
        def answer(self, request):
            request.cls.answer = made(ONE)
            ONE.check(request.cls.answer)
        def test_shape(self):
            assert self.answer.shape

    @pytest.fixture
    def each():
        return iter(CASES), (case for case in CASES if case.id != ONE.id), [1].__iter__()

    def test_iterators(each):
        for case in each[0]:
            case.check(made(case))
        for case in each[1]:
            case.check(made(case))
"""


def test_tests_that_share_cases_pass_where_one_compares_them(run):
    status, text = run(SHARED_AND_COMPARED)
    assert status == 0 and "10 passed, 1 xfailed" in text, text


COMPARED = """
    @pytest.mark.parametrize("pair", [(case, "cpu") for case in CASES])
    def test_pairs(pair):
        pair[0].check(made(pair[0]))

    @pytest.mark.parametrize("cases", [CASES])
    def test_all(cases):
        for case in cases:
            case.check(made(case))

    @pytest.fixture(scope="session")
    def answers():
        return {case: made(case) for case in CASES}

    @pytest.mark.parametrize("k", [0, 1, 2])
    def test_one_of_a_fixture(k, answers):
        CASES[k].check(answers[CASES[k]])

    @pytest.fixture
    def checked():
        ONE.check(made(ONE))

    def test_in_a_fixture(checked):
        pass

    def test_the_shape_is_known(request, pytestconfig, tmp_path):
        assert ONE.about and ONE.suite == "alibi_slopes" and ONE.golden.flags is not None

    def test_that_skips():
        if made(ONE).size:
            pytest.skip("no device")
"""


def test_cases_that_are_compared_pass_wherever_they_come_from(run):
    status, text = run(COMPARED)
    assert status == 0 and "9 passed, 1 skipped" in text, text


def test_a_list_names_cases_inside_of_parameters(run):
    (run.folder / "skip").write_text("alibi_slopes/recursive-6-f32: not yet")
    status, text = run(COMPARED, "--refpos-skip=skip", "-k", "pairs", "-rs")
    assert status == 0 and "1 skipped" in text and "not yet" in text, text


def test_what_is_read_inside_of_a_test_is_noticed_and_metadata_is_not():
    case = CASE
    with handed() as held:
        assert (case.about, case.suite, case.golden.id) and held.given == set()
        case.check(refpos.alibi_slopes(**case.arguments))
    assert held.given == held.compared == {case.id}


def test_looking_into_values_ends():
    case = testing.cases("alibi_slopes")[0]
    loop = [case]
    loop.append(loop)

    class Strange:
        @property
        def __dict__(self):
            raise RuntimeError

    assert cases_in(Strange(), iter([case]), loop, range(10**9)) == [case]
    assert cases_in(list(range(10**5)), {}, None, np.zeros(3)) == []


# -- answers that are none --------------------------------------------------------------------------------------------


def own(case):
    return refpos.alibi_slopes(**case.arguments)


#: what is handed back in place of an answer; each after `case.arguments` was read
PUBLISHED = {
    "the tensor": lambda case: case.expected["output"],
    "all of them": lambda case: case.expected,
    "its values": lambda case: case.expected["output"].values,
    "a view": lambda case: case.expected["output"].values[...],
    "reshaped": lambda case: case.expected["output"].values.reshape(1, -1)[0],
    "reversed twice": lambda case: case.expected["output"].values[::-1][::-1],
    "a memoryview": lambda case: np.asarray(memoryview(case.expected["output"].values)),
    "as an array of another class": lambda case: case.expected["output"].values.view(np.recarray),
}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_published_numbers_are_no_answer(kind):
    case = testing.cases("alibi_slopes", dtype="float32")[0]
    own(case)
    with pytest.raises(InputError, match=r"what other code computed, got case\.expected itself"):
        case.check(PUBLISHED[kind](case))
    assert case.check(own(case)) == "correct"


@pytest.mark.parametrize("copied", [np.copy, np.array, lambda values: values + 0, lambda values: values.tolist()])
def test_a_copy_of_published_numbers_is_no_answer_where_no_argument_was_read(copied):
    case = testing.cases("alibi_slopes", dtype="float64")[0]
    with pytest.raises(InputError, match=r"case\.expected read and case\.arguments never"):
        case.check(copied(case.expected["output"].values))
    assert case.check(own(case)) == "correct"


def again(case):
    """Another object of the same case."""
    return testing.cases(case.id)[0]


@pytest.mark.parametrize("kind", PUBLISHED)
def test_published_numbers_of_another_object_are_no_answer(kind):
    case = again(CASE)
    own(case)
    for other in (again(CASE), again(CASE)):  # one that the test holds, and one that is gone
        held = PUBLISHED[kind](other)
        del other
        with pytest.raises(InputError, match=r"what other code computed, got case\.expected itself"):
            case.check(held)
    assert case.check(own(case)) == "correct"


class Wrapped:
    """A row that an array can be made of."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


#: arrays in place of one array, which NumPy would copy
IN_PARTS = {
    "a list": list,
    "a tuple": tuple,
    "lists": lambda values: [list(row[..., None].reshape(-1, 1)) for row in values],
    "a deque": collections.deque,
    "one view among copies": lambda values: [values[0].copy(), *values[1:]],
    "arrays of another class": lambda values: [Wrapped(row) for row in values],
    "memoryviews": lambda values: [memoryview(row) for row in values],
    "an array of objects": lambda values: objects(values),
}


def objects(values):
    held = np.empty(len(values), object)
    held[:] = [Wrapped(row) for row in values]
    return list(held)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("kind", IN_PARTS)
def test_published_numbers_in_parts_are_no_answer(kind, other):
    case = testing.cases("rope/llama-3-128-f32")[0]
    right, held = refpos.rope(**case.arguments), again(case) if other else case
    actual = IN_PARTS[kind](held.expected["output"].values)
    for given in (actual, {"output": actual}):
        with pytest.raises(InputError, match=r"what other code computed, got case\.expected itself as output"):
            case.check(given)
    assert case.check(right) == case.check(list(right)) == case.check(right.tolist()) == "correct"


def test_outputs_in_parts_are_no_answer():
    case = testing.cases("rope_table", dtype="float32")[0]
    cos, sin = refpos.rope_table(**case.arguments)
    with pytest.raises(InputError, match=r"got case\.expected itself as sin"):
        case.check((cos, list(case.expected["sin"].values)))
    assert case.check((list(cos), list(sin))) == "correct"


#: tests in which the numbers of another object are handed back, and nothing reads the arguments
COPIES = {
    "the memory": """
        def test_it(case):
            other = testing.cases(case.id)[0]
            case.check(other.expected["output"][1])
    """,
    "a copy": """
        def test_it(case):
            other = testing.cases(case.id)[0]
            case.check(other.expected["output"][1].copy())
    """,
    "a copy for a third object": """
        def test_it(case):
            first, second = testing.cases(case.id) + testing.cases(case.id)
            second.check(first.expected["output"][1].copy())
    """,
    "a fixture": """
        @pytest.fixture
        def answer(case):
            return testing.cases(case.id)[0].expected["output"][1].copy()
        def test_it(case, answer):
            case.check(answer)
    """,
    "a fixture of the module": """
        @pytest.fixture(scope="module")
        def answers():
            return {case.id: case.expected["output"][1].copy() for case in CASES}
        def test_it(case, answers):
            testing.cases(case.id)[0].check(answers[case.id])
    """,
    "a list": """
        ANSWERS = {case.id: case.expected["output"][1].copy() for case in CASES}
        def test_it(case):
            testing.cases(case.id)[0].check(ANSWERS[case.id])
    """,
}


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("kind", COPIES)
def test_numbers_of_another_object_are_no_answer_where_the_test_reads_no_argument(kind, before, run):
    honest = """
        def test_honest():
            case = testing.cases(ONE.id)[0]
            case.check(made(case))
    """
    cheats = COPIES[kind].replace("def test_it", '@pytest.mark.parametrize("case", CASES[:1])\n        def test_it')
    status, text = run((honest if before else "") + cheats, apart=True)
    assert status == 1 and "actual must be" in text and ("1 passed" in text) == before, text


#: tests whose answer comes from arguments, and in which `expected` is read as well
HONEST = {
    "another object has the arguments": """
        def test_it(case):
            answer = made(testing.cases(case.id)[0])
            assert case.expected["output"].values.shape == answer.shape
            case.check(answer)
    """,
    "another object has the numbers": """
        def test_it(case):
            print(testing.cases(case.id)[0].expected)
            case.check(made(case))
    """,
    "a third object has both": """
        def test_it(case):
            other = testing.cases(case.id)[0]
            print(other.expected)
            case.check(made(other))
    """,
    "a fixture has the arguments": """
        @pytest.fixture
        def answer(case):
            return made(testing.cases(case.id)[0])
        def test_it(case, answer):
            print(case.expected)
            case.check(answer)
    """,
    "a fixture of the module": """
        @pytest.fixture(scope="module")
        def answers():
            return {case.id: made(case) for case in testing.cases("alibi_slopes", dtype="float32")[:3]}
        def test_it(case, answers):
            print(testing.cases(case.id)[0].expected)
            case.check(answers[case.id])
    """,
    "a list": """
        ANSWERS = {case.id: made(case) for case in testing.cases("alibi_slopes", dtype="float32")[:3]}
        def test_it(case):
            print(testing.cases(case.id)[0].expected)
            case.check(ANSWERS[case.id])
    """,
    "another test has the numbers": """
        @pytest.mark.parametrize("case", CASES)
        def test_first(case):
            case.check(made(case))
            print(testing.cases(case.id)[0].expected)
        def test_it(case):
            answer = refpos.alibi_slopes(**case.golden.arguments)
            testing.cases(case.id)[0].check(np.float32(answer))
    """,
}


@pytest.mark.parametrize("kind", HONEST)
def test_an_answer_from_the_arguments_of_another_object_passes(kind, run):
    status, text = run(
        HONEST[kind].replace("def test_it", '@pytest.mark.parametrize("case", CASES)\n        def test_it')
    )
    assert status == 0, text


def test_edited_arguments_and_numbers_change_no_judgement():
    case = testing.cases("rope/llama-3-128-f32")[0]
    x, right = case.arguments["x"], refpos.rope(**case.arguments)
    wrong = np.zeros_like(x)
    case.expected["output"].values[...] = 0
    x[...] = np.float32(1e30)  # whose error bounds would let everything pass
    with pytest.raises(AssertionError, match="meets no class"):
        case.check(wrong)
    assert case.check(right) == "correct"


def test_a_case_has_its_own_id():
    easy, hard = testing.cases("alibi_slopes")[:2]
    with pytest.raises(InputError, match="id must be that of the case"):
        testing.TestCase(hard.id, easy.golden)


@pytest.mark.parametrize(
    "error", [BaseException, Exception, KeyboardInterrupt, pytest.fail.Exception, NameError, ModuleNotFoundError]
)
def test_a_refusal_is_an_error_of_a_narrow_class(error):
    case = testing.cases("rope", refused=True)[0]
    with pytest.raises(InputError, match="errors must be subclasses of Exception"), case.raises(error):
        raise error
    with pytest.raises(InputError, match="errors must be"), case.raises(ValueError, error):
        raise error


def test_a_skip_is_no_refusal(run):
    status, text = run("""
        @pytest.mark.parametrize("case", testing.cases("rope", refused=True)[:1])
        def test_it(case):
            with case.raises(BaseException):
                pytest.skip()
    """)
    assert status == 1 and "errors must be subclasses of Exception" in text, text


def test_a_refused_call_is_made_with_its_arguments():
    case = testing.cases("rope", refused=True)[0]
    with pytest.raises(InputError, match=r"must be made with case\.arguments"), case.raises(ValueError):
        raise ValueError("I refuse everything")


# -- the record -------------------------------------------------------------------------------------------------------

PORT = """
    import os
    @pytest.mark.parametrize("case", CASES)
    def test_slopes(case):
        if "skip" in os.environ.get("HOW", ""):
            pytest.skip("no device")
        near = "near" in os.environ.get("HOW", "")
        case.check(np.nextafter(made(case), np.float32(9)) if near else made(case))
"""
RECORD = "--refpos-record=good.json"


@pytest.fixture
def recorded(run):
    """The runner, after a good run whose record is written."""
    assert run(PORT, RECORD, "--refpos-write-record")[0] == 0
    return run


def rename(run, name):
    (run.folder / name).parent.mkdir(exist_ok=True)
    (run.folder / "test_port.py").rename(run.folder / name)


@pytest.mark.parametrize("name", ["test_renamed.py", "tests/test_port.py"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_renamed_file_is_held_against_its_record(name, whole, recorded, monkeypatch):
    rename(recorded, name)
    named = () if whole else (name,)
    status, text = recorded(None, RECORD, *named)
    assert status == 0 and "3 of 3 tests as good as" in text and "0 not in it" in text, text
    monkeypatch.setenv("HOW", "near")
    status, text = recorded(None, RECORD, *named)
    assert status == 1 and "meets faithful, and the record says correct" in text, text
    monkeypatch.delenv("HOW")
    assert recorded(None, RECORD, "--refpos-write-record", *named)[0] == 0
    held = json.loads((recorded.folder / "good.json").read_text())
    assert len(held) == 3 and all(entry.startswith(f"{name}::test_slopes[") for entry in held)


def test_another_root_is_held_against_the_record(recorded, monkeypatch):
    monkeypatch.setenv("HOW", "near")
    (recorded.folder / "inner").mkdir()
    (recorded.folder / "inner" / "pytest.ini").write_text("[pytest]\n")
    rename(recorded, "inner/test_port.py")
    record = f"--refpos-record={recorded.folder / 'good.json'}"
    for options in (("inner",), ("inner/test_port.py",), ("--rootdir=inner", "inner/test_port.py")):
        status, text = recorded(None, record, *options)
        assert status == 1 and "meets faithful, and the record says correct" in text, text


OTHER = "def test_other():\n    pass\n"


def test_a_record_of_which_no_test_ran_is_an_error(recorded):
    status, text = recorded(OTHER, RECORD, "test_other.py", name="test_other.py", head="")
    assert status == 1 and "no test of the record passed" in text and "1 passed" in text, text
    status, text = recorded(None, RECORD, "-k", "test_other")
    assert status == 1 and "no test of the record passed" in text, text
    (recorded.folder / "pytest.ini").write_text("[pytest]\nrefpos_record = good.json\n")
    assert recorded(None, "test_other.py")[0] == 1
    assert recorded(None, "test_other.py", "-o", "refpos_record=")[0] == 0
    assert recorded(None, "--collect-only")[0] == 0


def test_an_empty_record_is_none(run):
    (run.folder / "good.json").write_text("{}")
    for options in ((), ("--refpos-write-record",)):
        status, text = run(PORT, RECORD, *options)
        assert status == 4 and "good.json must map tests to what they compared" in text, text


def test_a_record_says_each_thing_once(recorded):
    path = recorded.folder / "good.json"
    entry, held = next(iter(json.loads(path.read_text()).items()))
    path.write_text(path.read_text().replace("{", f'{{{json.dumps(entry)}: {{"a": "faithful"}},', 1))
    status, text = recorded(None, RECORD)
    assert status == 4 and "each key must stand once" in text and held, text


def test_a_test_of_the_record_that_is_skipped_or_expected_to_fail_is_not_as_good(recorded, monkeypatch):
    (recorded.folder / "skip").write_text("alibi_slopes/recursive-6-f32: not today")
    status, text = recorded(None, RECORD, "--refpos-skip=skip")
    assert status == 1 and "2 of 3 tests as good" in text and "1 of it skipped or expected to fail" in text, text
    monkeypatch.setenv("HOW", "skip")
    status, text = recorded(None, RECORD)
    assert status == 1 and "0 of 3 tests as good" in text and "3 skipped" in text, text


def test_entries_belong_to_tests_of_their_name():
    record = dict.fromkeys(["a.py::t[1]", "a.py::t[2]", "b.py::t[1]"])
    nowhere, everywhere = (lambda file: False), (lambda file: True)
    assert entries_of(record, record, nowhere) == ({name: [name] for name in record}, [])
    assert entries_of(record, ["c.py::t[1]"], nowhere) == (
        {"c.py::t[1]": ["a.py::t[1]", "b.py::t[1]"]},
        ["a.py::t[1]", "b.py::t[1]", "a.py::t[2]"],
    )
    held, gone = entries_of(record, ["a.py::t[1]", "c.py::t[1]", "c.py::t[2]"], nowhere)
    assert held == {"a.py::t[1]": ["a.py::t[1]"], "c.py::t[1]": ["b.py::t[1]"], "c.py::t[2]": ["a.py::t[2]"]}
    assert gone == []
    assert entries_of(record, ["c.py::t[1]"], everywhere)[0] == {}
    held, _ = entries_of(record, ["c.py::t[1]"], lambda file: file == "a.py")
    assert held == {"c.py::t[1]": ["b.py::t[1]"]}
