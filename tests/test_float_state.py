"""The same bytes in any process: with another rounding mode, or with subnormal numbers flushed to zero."""

import copy
import functools
import inspect
import itertools
import marshal
import os
import pickle
import shutil
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest
from caches import caches
from float_modes import MODES, spoil, spoilt, state

import refpos
from refpos import catalogue, cli, golden, guard, models
from refpos.configs import submodels
from refpos.configs.encodings import encoding
from refpos.conformance import report
from refpos.diagnosis import result
from refpos.golden import run
from refpos.golden.format import digest
from refpos.golden.read import DATA, open_suite
from refpos.kernels.threads import for_blocks
from refpos.steps.positions import exact_positions

PACKAGE = Path(refpos.__file__).resolve().parent
TESTS = Path(__file__).resolve().parent
#: of what public functions return, the classes that no public namespace names
RETURNED = (
    report.Report, result.Comparison, result.Diagnosis, submodels.ModelConfig, submodels.Part, encoding.Encoding,
    golden.case.Case, golden.read.Loaded, exact_positions.Positions, refpos.steps.waves.grids.Grid,
)  # fmt: skip
#: one mode in the fast tier, the others in the exhaustive one
ONE_OF_MODES = [pytest.param(mode, marks=pytest.mark.exhaustive) for mode in MODES]
ONE_OF_MODES[-1] = [*MODES][-1]
FLAT = np.array([[1, 1, 0, 0], [12, 31, 6, 23]])  # rows of fixed_temporal, whose plans are cached


# -- every public name ------------------------------------------------------------------------------------------------


def public(namespace, where="refpos"):
    """(dotted name, value) of every callable of a namespace and of the namespaces in it."""
    for name in namespace.__all__:
        value, path = getattr(namespace, name), f"{where}.{name}"
        if isinstance(value, types.ModuleType):
            yield from public(value, path) if hasattr(value, "__all__") else ()
        elif callable(value):
            yield path, value


def members(of):
    """(name, function) of what a class computes: its methods and properties, and those that it inherits in refpos."""
    for base in of.__mro__:
        if not base.__module__.startswith("refpos") or issubclass(base, Exception):
            continue
        for name, member in vars(base).items():
            if (name.startswith("_") and not name.endswith("__")) or name in guard._PLAIN:
                continue
            for inner in (member, *(getattr(member, word, None) for word in ("fget", "func", "__func__"))):
                if isinstance(inner, types.FunctionType):
                    yield f"{base.__name__}.{name}", inner


def without_guard(named):
    """The dotted names of (name, callable) that no guard protects."""
    found = []
    for path, value in named:
        functions = members(value) if isinstance(value, type) else [(path, value)]
        if isinstance(value, (types.FunctionType, type)):
            found += [name for name, function in functions if not guard.is_guarded(function)]
        else:  # an object that is called
            found += [name for name, function in members(type(value)) if not guard.is_guarded(function)]
    return sorted(set(found))


def test_every_public_callable_has_the_guard():
    named = [
        *public(refpos),
        *((f"catalogue {entry.name}", entry.function) for entry in catalogue.ENTRIES.values()),
        *((f"preset {name}", models.find(name).encoding) for name in models.names()),
        *((of.__name__, of) for of in RETURNED),
        ("cli.main", cli.main),
    ]
    assert len(named) > 400 and len({path for path, _ in named}) == len(named)
    assert without_guard(named) == []


def test_a_callable_without_the_guard_is_named():
    class Thing:
        __module__ = "refpos.planted"

        @property
        def value(self):
            return 1

        @functools.cached_property
        def held(self):
            return 2

    assert without_guard([("f", lambda: 1), ("Thing", Thing)]) == ["Thing.held", "Thing.value", "f"]
    assert without_guard([("f", guard.guarded(lambda: 1)), ("Thing", guard.guarded(Thing))]) == []


def test_a_guarded_function_looks_as_it_was():
    assert list(inspect.signature(refpos.compare).parameters)[:2] == ["actual", "expected"]
    assert pickle.loads(pickle.dumps(refpos.rope)) is refpos.rope is copy.deepcopy(refpos.rope)
    assert refpos.rope.__globals__ is vars(sys.modules["refpos.rotary.rope"])
    assert inspect.isgeneratorfunction(refpos.blocks) and inspect.isfunction(refpos.rope)
    with pytest.raises(TypeError, match=r"rope\(\) missing 1 required keyword-only argument: 'pairing'"):
        refpos.rope(np.ones((1, 2)), 1)

    def planted(a, /, b=2, *rest, c, d=4, **more):
        return a, b, rest, c, d, more

    for call in (lambda f: f(1, c=3), lambda f: f(1, 5, 6, 7, c=8, d=9, e=10, function=11, ready=12, a=13)):
        assert call(guard.guarded(planted)) == call(planted)
        with spoilt("flush"):
            assert call(guard.guarded(planted)) == call(planted)


# -- every golden case ------------------------------------------------------------------------------------------------


@functools.cache
def published(suite):
    """{case id: {output: digest}} of the shipped document of a suite."""
    cases = open_suite(DATA, suite).document["cases"]
    return {
        case["id"]: {name: entry["sha256"] for name, entry in case["outputs"].items()}
        for case in cases
        if "outputs" in case
    }


def shares(most=None):
    """{mode: cases}: for each suite at most so many of its core cases, evenly spread, to each mode some of them."""
    found = {mode: [] for mode in MODES}
    for start, suite in enumerate(golden.suite_names()):
        cases = [case for case in golden.cases(suite, tier="core") if not case.refusal]
        for k, case in enumerate(cases[:: max(1, len(cases) // most)] if most else cases):
            found[list(MODES)[(start + k) % len(MODES)]].append(case)
    return found


def answers(cases):
    """{case id: {output: digest}, or the error} of calls with the arguments and inputs of cases."""
    found = {}
    for case, arguments, tensors in cases:
        try:
            found[case.id] = {name: digest(one) for name, one in run.results(case.suite, arguments, tensors).items()}
        except Exception as error:
            found[case.id] = error
    return found


def changed(cases, mode):
    """The ids of cases whose outputs are not those published: those of a suite made in a mode, where NumPy raises
    floating-point errors, with nothing cached when they start; or made again in the default state from what those
    calls cached."""
    wrong, compared = set(), 0
    for suite, group in itertools.groupby(cases, lambda case: case.suite):
        given = [(case, run.arguments_of(case), run.inputs_of(case)) for case in group]
        want = published(suite)
        for cache in caches():
            cache.cache_clear()
        with spoilt(mode), np.errstate(all="raise"):
            assert guard.fault()
            found = answers(given)
        again = answers(given)
        compared += len(given)
        wrong.update(case.id for case, *_ in given if not found[case.id] == again[case.id] == want[case.id] != {})
    assert compared == len(cases) > 0
    return sorted(wrong)


@pytest.mark.parametrize("mode", ONE_OF_MODES)
def test_cases_are_the_same_in_a_changed_state(mode):
    assert changed(shares(2)[mode], mode) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_every_core_case_is_the_same_in_a_changed_state(mode):
    cases = [case for suite in golden.suite_names() for case in golden.cases(suite, tier="core") if not case.refusal]
    assert len(cases) > 4000 and changed(cases, mode) == []


@pytest.mark.parametrize("mode", ONE_OF_MODES)
def test_documents_are_generated_and_verified_in_a_changed_state(mode, tmp_path):
    """Bounds, hardness and digests too: the shipped bytes, and a verdict as in any other state."""
    suites = ["alibi_2d", "cape_2d", "fraction_rows", "per_dim_scale"]
    with spoilt(mode):
        golden.generate(tmp_path, suites=suites, tier="core")
        found = golden.verify(tmp_path, suites=suites)
    shipped = Path(DATA)
    for name in (f"{suite}.json" for suite in suites):
        assert (tmp_path / name).read_bytes() == (shipped / name).read_bytes()
    assert found.exit_code == 0 and found.ran > 20


# -- the state of the caller ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_state_of_the_caller_is_as_before(mode):
    """Control words and sticky flags, after a result and after an error."""
    with spoilt(mode):
        before = state()
        refpos.alibi(3, 4, 5)
        after = state()
        try:
            refpos.rope(np.ones((1, 3)), 1, pairing="half")
        except refpos.InputError:
            failed = state()
    assert before == after == failed


def test_a_generator_has_the_default_state_in_its_steps_and_the_caller_has_its_own():
    want = [block.tobytes() for _, block in refpos.blocks(refpos.sinusoidal, 10, 4, rows=4)]
    found, states = [], []

    def table(*given, **named):
        states.append(guard.fault())
        return refpos.sinusoidal(*given, **named)

    with spoilt("downward-flush"):
        for _, block in refpos.blocks(table, 10, 4, rows=4):
            found.append(block.tobytes())
            assert guard.fault()
    assert found == want and states == [None] * 3


def test_comparison_keeps_subnormal_numbers():
    """`faithful` where subnormal numbers are read as zero."""
    actual, expected = np.array([1e-40], np.float32), np.array([1e-40], np.float64)
    usual = str(refpos.compare(actual, actual)), str(refpos.compare(actual, expected.astype(np.float32)))
    with spoilt("flush"):
        found = str(refpos.compare(actual, actual)), str(refpos.compare(actual, expected.astype(np.float32)))
        off = refpos.compare(np.array([3], np.uint32).view(np.float32), np.array([1], np.uint32).view(np.float32))
        text = repr(off), off.max_ulp
    assert found[0] == usual[0] and text == (repr(off), off.max_ulp) and off.max_ulp == 2


@pytest.mark.parametrize("mode", ONE_OF_MODES)
def test_frequencies_and_cases_compute_their_properties_in_the_default_state(mode):
    usual = refpos.yarn(8, factor=4.0, original_max_position_embeddings=16)
    want = usual.inv_freq.tobytes(), usual.wavelengths.tobytes(), usual.attention_factor, repr(usual)
    made = refpos.yarn(8, factor=4.0, original_max_position_embeddings=16)
    (case,) = refpos.testing.cases("per_dim_scale")[:1]
    with spoilt(mode):
        found = made.inv_freq.tobytes(), made.wavelengths.tobytes(), made.attention_factor, repr(made)
        expected = case.expected
    assert found == want and case.check(refpos.scores.per_dim_scale(**case.arguments)) == "correct"
    assert expected


def test_threads_of_the_caller_in_a_changed_state():
    want = [refpos.sinusoidal(3000, 64, threads=2).tobytes(), refpos.relative.alibi_2d(3, 5, 4).tobytes()]
    found = []

    def work(mode):
        with spoilt(mode):
            found.append(
                [refpos.sinusoidal(3000, 64, threads=2).tobytes(), refpos.relative.alibi_2d(3, 5, 4).tobytes()]
            )

    threads = [threading.Thread(target=work, args=(mode,)) for mode in MODES]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [want] * len(MODES)


def test_helper_threads_work_in_the_default_state():
    met, states = threading.Barrier(3, timeout=60), {}

    def work(start, stop):
        states[threading.get_ident()] = guard.fault()
        met.wait()

    with spoilt("upward"):
        for_blocks(work, 3, 1, 3)  # its caller is no public function here, and has no guard
    assert states.pop(threading.get_ident()) and list(states.values()) == [None, None]


# -- fresh processes --------------------------------------------------------------------------------------------------

NUMBERS = """
import refpos, refpos.golden, refpos.emulate
from refpos.absolute.fixed_temporal import fixed_temporal
from refpos.conformance.derivations import angles
from refpos.relative import alibi_2d
found = [alibi_2d(3, 5, 4), fixed_temporal([[1, 1, 0, 0], [12, 31, 6, 23]], 8), refpos.sinusoidal(70000, 6)]
found.append(refpos.emulate.float32_angle(refpos.rope_table, 7, refpos.inverse_frequencies(8))[0])
import hashlib
print(*(hashlib.sha256(one.tobytes()).hexdigest() for one in found), refpos.golden.VALUES_VERSION)
"""


def process(code, mode=None, *, path=PACKAGE.parent, prefix=None):
    """A fresh process in a mode, which compiles its modules into `prefix`."""
    first = f"from float_modes import spoil\nspoil({mode!r})\n" if mode else ""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = os.pathsep.join([str(path), str(TESTS)])
    if prefix:
        environment["PYTHONPYCACHEPREFIX"] = str(prefix)
    return subprocess.run(
        [sys.executable, "-c", first + code], env=environment, capture_output=True, text=True, timeout=300, cwd=path
    )


def compiled_files(prefix):
    """{name: code, which is equal where all of its constants are} of refpos below a prefix; the bytes of a file depend
    on what else holds its strings as well."""
    return {
        str(path.relative_to(prefix)): marshal.loads(path.read_bytes()[16:])
        for path in Path(prefix).rglob("*.pyc")
        if "refpos" in path.parts
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", ["upward", "downward-flush"])
def test_a_process_that_imports_in_a_changed_state_has_the_same_numbers(mode, tmp_path):
    want = process(NUMBERS, prefix=tmp_path / "usual")
    found = process(NUMBERS, mode, prefix=tmp_path / "spoilt")
    assert want.returncode == 0 and want.stdout.strip() and found.stdout == want.stdout, found.stderr + want.stderr
    files = compiled_files(tmp_path / "spoilt")
    assert len(files) > 100 and files == compiled_files(tmp_path / "usual")


POISONED = """
import sys
import refpos
from float_modes import spoilt
rows = [[1, 1, 0, 0], [12, 31, 6, 23]]
refpos.absolute.fixed_temporal
with spoilt("toward-zero"):
    try:
        refpos.absolute.fixed_temporal(rows, 8)
        print("computed")
    except FloatingPointError as error:
        print(error)
    try:
        import refpos.golden
    except ImportError as error:
        print(error)
print(refpos.absolute.fixed_temporal(rows, 8).tobytes().hex())
"""


@pytest.fixture(scope="module")
def without_guard_built(tmp_path_factory):
    """A copy of the package without any built extension."""
    folder = tmp_path_factory.mktemp("plain")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "data")
    shutil.copytree(PACKAGE, folder / "refpos", ignore=ignored)
    return folder


def test_without_the_guard_a_changed_state_is_refused_before_anything_is_cached(without_guard_built):
    done = process(POISONED, path=without_guard_built)
    said, imported, numbers = done.stdout.splitlines()
    assert said == (
        "floating point must round to nearest and keep subnormal numbers where refpos is built without its "
        "float_guard, got rounding is not to nearest even"
    )
    assert imported.startswith("refpos.golden must be imported where floating point is not changed, got rounding is")
    assert numbers == refpos.absolute.fixed_temporal(FLAT, 8).tobytes().hex(), done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_without_the_guard_the_import_is_refused(mode, without_guard_built):
    done = process("import refpos", mode, path=without_guard_built)
    assert done.returncode == 1 and "ImportError: NumPy's arithmetic cannot be trusted here: " in done.stderr


def test_with_the_guard_the_case_that_was_poisoned_is_right():
    done = process(POISONED)
    assert done.stdout.split() == ["computed", refpos.absolute.fixed_temporal(FLAT, 8).tobytes().hex()], done.stderr


def test_what_runs_says_whether_the_guard_is_built(without_guard_built):
    say = "import refpos; print(refpos.kernels.config()['guard'])"
    assert process(say).stdout.startswith("built: ")
    assert process(say, path=without_guard_built).stdout.startswith("not built: ")


def test_the_state_is_the_default_in_these_tests():
    assert guard.built and guard.fault() is None
    seen = []

    def work():
        spoil("flush")
        seen.append(guard.fault())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["subnormal numbers are read as zero (denormals-are-zero)"] and guard.fault() is None


# -- inputs -----------------------------------------------------------------------------------------------------------


def with_inputs():
    """The core cases that have inputs."""
    cases = (case for suite in golden.suite_names() for case in golden.cases(suite, tier="core"))
    return [case for case in cases if case.inputs and not case.refusal]


@functools.cache
def usual_inputs():
    """{case id: {input: digest}} in the default state."""
    return {case.id: digests(run.inputs_of(case)) for case in with_inputs()}


def digests(tensors):
    return {name: digest(tensor) for name, tensor in tensors.items()}


@pytest.mark.parametrize("mode", ONE_OF_MODES)
def test_inputs_of_every_case_are_the_same_in_a_changed_state(mode):
    want, cases = usual_inputs(), with_inputs()
    with spoilt(mode):
        found = {case.id: run.inputs_of(case) for case in cases}
    assert len(want) > 1000 and {id: digests(tensors) for id, tensors in found.items()} == want


@pytest.mark.parametrize("mode", ONE_OF_MODES)
def test_inputs_that_are_loaded_or_handed_to_tests_are_the_same_in_a_changed_state(mode):
    want = usual_inputs()
    chosen = {"gated_table": "gated_table/patches-1-f32", "liere": "liere/2x3-f32", "add": "add/like-roots-bf16"}
    with spoilt(mode):
        loaded = {id: golden.load(id).inputs for id in chosen.values()}
        handed = {case.id: case.arguments for suite in chosen for case in refpos.testing.cases(suite)[-1:]}
    assert {id: digests(tensors) for id, tensors in loaded.items()} == {id: want[id] for id in loaded}
    again = {case.id: case for suite in chosen for case in refpos.testing.cases(suite)[-1:]}
    for id, arguments in handed.items():
        usual = again[id].arguments
        arrays = {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}
        assert arrays and all(value.tobytes() == usual[name].tobytes() for name, value in arrays.items())
        assert again[id].check(run.outputs_of(again[id].golden)) == "correct"
