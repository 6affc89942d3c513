"""Cases that pytest meets outside of a test, or in one that is expected to fail, are never read and left uncompared."""

import pytest
import test_handed_cases

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.exhaustive  # each test starts pytest
run = test_handed_cases.run
UNCOMPARED = "was read and no test of this run compared it"

#: files whose tests pass, and in which a case is read while pytest collects, or when a fixture is torn down
READ = {
    "a list of parameters": """
        @pytest.mark.parametrize("arguments, expected", [(case.arguments, case.expected) for case in CASES])
        def test_it(arguments, expected):
            assert np.allclose(refpos.alibi_slopes(**arguments), expected["output"].values)
    """,
    "pytest_generate_tests": """
        def pytest_generate_tests(metafunc):
            metafunc.parametrize("arguments", [case.arguments for case in CASES])
        def test_it(arguments):
            assert arguments
    """,
    "a module": """
        ANSWER = made(ONE)
        def test_it():
            assert ANSWER.shape
    """,
    "a class": """
        class TestPort:
            answer = made(ONE)
            def test_it(self):
                assert self.answer.shape
    """,
    "a module with one of three compared": """
        ANSWERS = {case: made(case) for case in CASES}
        def test_it():
            ONE.check(ANSWERS[ONE])
    """,
    "a finalizer": """
        @pytest.fixture
        def last(request):
            request.addfinalizer(lambda: made(ONE))
        def test_it(last):
            pass
    """,
    "a fixture after its yield": """
        @pytest.fixture(scope="module", autouse=True)
        def last():
            yield
            made(ONE)
        def test_it():
            pass
    """,
    "a clean-up of a class": """
        class TestPort(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.addClassCleanup(lambda: made(ONE))
            def test_it(self):
                pass
    """,
    "teardown_module": """
        def teardown_module():
            made(ONE)
        def test_it():
            pass
    """,
}


@pytest.mark.parametrize("kind", READ)
def test_what_is_read_outside_of_tests_is_compared_by_one(kind, run):
    status, text = run(READ[kind])
    assert status == 1 and "passed" in text and "failed" not in text, text
    assert UNCOMPARED in text and "alibi_slopes/" in text and "test_port.py" in text


@pytest.mark.parametrize("name", ["conftest.py", "test_none.py"])
def test_what_a_file_without_tests_reads_is_compared(name, run):
    other = "def test_other():\n    pass\n"
    (run.folder / "test_other.py").write_text(other)
    status, text = run("made(ONE)", name=name)
    assert status == 1 and UNCOMPARED in text, text
    (run.folder / "test_other.py").write_text("from refpos import testing\n" + other)
    assert run(None)[0] == 1
    checks = "    case = testing.cases('alibi_slopes', dtype='float32')[0]\n"
    checks += "    case.check(refpos.alibi_slopes(**case.arguments))\n"
    (run.folder / "test_other.py").write_text("import refpos\nfrom refpos import testing\ndef test_it():\n" + checks)
    status, text = run(None)
    assert status == 0, text


def test_processes_of_xdist_compare_what_each_of_them_reads(run):
    status, text = run(READ["a module"], "-p", "xdist.plugin", "-n2", apart=True)
    assert status == 1 and UNCOMPARED in text, text
    status, text = run(LISTED, "-p", "xdist.plugin", "-n2", apart=True)
    assert status == 0, text


LISTED = """
    @pytest.mark.parametrize("case, arguments", [(case, case.arguments) for case in CASES])
    def test_it(case, arguments):
        case.check(refpos.alibi_slopes(**arguments))
"""


@pytest.mark.parametrize(
    "options",
    [
        (), ("-k", "recursive-6"), ("test_port.py::test_it[alibi_slopes/recursive-6-f32-arguments0]",),
        ("-k", "nothing"), ("--collect-only",), ("--setup-plan",), ("--fixtures",), ("--refpos-skip=skip",),
        ("--deselect", "test_port.py::test_it[alibi_slopes/recursive-6-f32-arguments0]"),
    ],
    ids=lambda options: " ".join(options)[:20] or "all",
)  # fmt: skip
def test_a_part_of_a_list_may_be_run(options, run):
    (run.folder / "skip").write_text("alibi_slopes/recursive-6-f32: not yet")
    status, text = run(LISTED, *options)
    assert status == (5 if "nothing" in options else 0) and UNCOMPARED not in text, text


def test_a_part_of_a_file_compares_one_case_at_least(run):
    tests = READ["a module with one of three compared"] + "\n        def test_shape():\n            pass\n"
    assert run(tests, "-k", "test_it")[0] == 0
    status, text = run(tests, "-k", "test_shape")
    assert status == 1 and UNCOMPARED in text, text


def test_no_record_is_written_of_a_run_that_reads_and_does_not_compare(run):
    tests = READ["a module with one of three compared"]
    status, text = run(tests, "--refpos-record=good.json", "--refpos-write-record")
    assert status == 1 and "good.json is NOT written" in text, text


#: what reads outside of tests, and compares
COMPARED = {
    "at once": """
        ANSWER = made(ONE)
        ONE.check(ANSWER)
        def test_it():
            pass
    """,
    "a finalizer": """
        @pytest.fixture
        def last(request):
            request.addfinalizer(lambda: ONE.check(made(ONE)))
        def test_it(last):
            pass
    """,
    "a finalizer that reads what its test compares": """
        @pytest.fixture
        def last():
            yield
            made(ONE)
        def test_it(last):
            ONE.check(made(ONE))
    """,
    "a choice by plain arguments": """
        FEW = [case for case in CASES if case.golden.arguments["num_heads"] > 6]
        @pytest.mark.parametrize("case", FEW)
        def test_it(case):
            case.check(made(case))
    """,
    "expected to differ": """
        ANSWER = made(ONE) * 2
        @pytest.mark.xfail(strict=True)
        def test_it():
            ONE.check(ANSWER)
    """,
    "skipped": """
        ANSWER = made(ONE) * 2
        @pytest.mark.skip
        def test_it():
            ONE.check(ANSWER)
    """,
}


@pytest.mark.parametrize("kind", COMPARED)
def test_what_is_compared_passes(kind, run):
    status, text = run(COMPARED[kind])
    assert status == 0 and "refpos:" not in text, text


def test_a_cache_hides_no_case_that_is_read(run):
    status, text = run("""
        @functools.lru_cache
        def cached():
            return testing.cases("alibi_slopes")[:1]
        def test_first():
            for case in cached():
                case.check(made(case))
        def test_second():
            for case in cached():
                made(case)
    """)
    assert status == 1 and "1 failed, 1 passed" in text, text


# -- tests that are expected to fail ----------------------------------------------------------------------------------

#: tests that are handed a case, are expected to fail, and do so without a comparison that finds a difference
EXPECTED = {
    "not written": """
        @pytest.mark.xfail
        @pytest.mark.parametrize("case", CASES[:1])
        def test_it(case):
            raise NotImplementedError
    """,
    "an error that is named": """
        @pytest.mark.xfail(raises=NotImplementedError, strict=True)
        def test_it():
            made(ONE)
            raise NotImplementedError
    """,
    "a comparison of its own": """
        @pytest.mark.xfail
        def test_it():
            assert (made(ONE) == 0).all()
    """,
    "nothing": """
        @pytest.mark.xfail
        @pytest.mark.parametrize("case", CASES[:1])
        def test_it(case):
            pass
    """,
    "a comparison that passes": """
        @pytest.mark.xfail
        def test_it():
            ONE.check(made(ONE))
            raise KeyError
    """,
    "a call": """
        @pytest.mark.parametrize("case", CASES[:1])
        def test_it(case):
            pytest.xfail("not ported")
    """,
    "a fixture": """
        @pytest.fixture
        def answer():
            made(ONE)
            raise KeyError
        @pytest.mark.xfail
        def test_it(answer):
            ONE.check(answer)
    """,
    "unittest": """
        class TestPort(unittest.TestCase):
            @unittest.expectedFailure
            def test_it(self):
                made(ONE)
                raise KeyError
    """,
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_what_is_expected_to_fail_must_differ(kind, run):
    status, text = run(EXPECTED[kind])
    assert status == 1 and "expected to fail" in text and "alibi_slopes/" in text and "xfailed" not in text, text


def test_an_error_that_is_expected_compares_nothing(run):
    status, text = run("""
        class TestPort:
            def setup_class(cls):
                cls.answer = made(ONE)
            def test_shape(self):
                assert self.answer.shape
            @pytest.mark.xfail
            def test_numbers(self):
                raise KeyError
    """)
    assert (status == 1 and "hands out alibi_slopes/" in text) or "expected to fail" in text, text


def test_what_differs_may_be_expected(run):
    status, text = run("""
        @pytest.mark.xfail(strict=True)
        @pytest.mark.parametrize("factor", [2, np.ones(2)[:, None]])
        def test_differs(factor):
            ONE.check(made(ONE) * factor)
        @pytest.mark.xfail(strict=True)
        def test_class():
            ONE.check(np.nextafter(made(ONE), np.float32(9)), at_least="correct")
        @pytest.mark.xfail(strict=True)
        def test_refusal():
            case = testing.cases("rope", refused=True)[0]
            case.arguments
            with case.raises(ValueError):
                pass
        @pytest.mark.xfail(run=False)
        def test_not_run():
            made(ONE)
        @pytest.mark.xfail(strict=True)
        def test_without_cases():
            assert False
        class TestPort(unittest.TestCase):
            @unittest.expectedFailure
            def test_it(self):
                ONE.check(made(ONE) * 2)
    """)
    assert status == 0 and "7 xfailed" in text, text


# -- generators that have not made their cases ------------------------------------------------------------------------

GENERATORS = {
    "a function of the module": "testing.cases('alibi_slopes')",
    "another name": "listed('alibi_slopes')",
    "imported by itself": "__import__('refpos').testing.cases('alibi_slopes')",
}


@pytest.mark.parametrize("body", ["pass", "assert [case.id for case in held]"])
@pytest.mark.parametrize("given", ["parameter", "fixture"])
@pytest.mark.parametrize("kind", GENERATORS)
def test_a_generator_that_makes_its_cases_has_one_compared(kind, given, body, run):
    by = f"""
        from refpos.testing import cases as listed
        def each():
            yield from {GENERATORS[kind]}
        {'@pytest.mark.parametrize("held", [each()])' if given == "parameter" else "@pytest.fixture"}
        def {"test_it(held)" if given == "parameter" else "held()"}:
            {body if given == "parameter" else "return each()"}
    """
    by += "" if given == "parameter" else f"    def test_it(held):\n            {body}\n"
    status, text = run(by)
    assert status == 1 and "hands out golden cases" in text, text
    compares = "for case in held: case.check(made(case))"
    status, text = run(by.replace(f"            {body}\n", f"            {compares}\n"))
    assert status == 0, text
