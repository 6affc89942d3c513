"""What every run says and refuses: which kernels and which tiers run, others than those asked for, and tests that do
not run. The instruction sets that several files run through."""

import gc
import os
from pathlib import Path

import numpy
import pytest
import seeds
import tiers
import unlocked

import refpos
from refpos import kernels
from refpos.kernels import numpy_kernels

ROOT = Path(__file__).resolve().parent.parent
FRAMEWORKS = ROOT / "tests" / "frameworks"
CPUS = kernels.active.cpus() if kernels.name == "compiled" else ["numpy"]
INSTALLED = Path(refpos.__file__).resolve().parent.parent != ROOT

if INSTALLED:
    # `python -m refpos`, run by a test in this folder, is the installed package too
    os.environ["PYTHONSAFEPATH"] = "1"
if kernels.notice():
    # processes that tests start run the same kernels, and print what they are asked for and no notice
    os.environ[kernels.VARIABLE] = kernels.name


def pytest_report_header(config):
    where = "installed" if INSTALLED else "source tree"
    why = f"{kernels.reason}, numpy {numpy.__version__}"
    return [f"refpos {refpos.__version__} ({where}): {kernels.name} kernels ({why})", what_runs(config)]


def what_runs(config):
    """The tiers that the marks leave, and how to run the others."""
    marks = config.option.markexpr
    left = [f"{tier} ({count} tests)" for tier, count in tiers.least().items() if f"not {tier}" in marks]
    if not left:
        return f"tiers: {marks or 'all, and sweeps of hours'}"
    return f"tiers: not {', not '.join(left)}; all of them: pytest {tiers.EVERYTHING}, with .[test,frameworks]"


def pytest_ignore_collect(collection_path, config):
    """Without torch and the others, tests/frameworks cannot even be imported."""
    return True if collection_path.name == "frameworks" and "not frameworks" in config.option.markexpr else None


def pytest_collection_modifyitems(items):
    for item in items:
        if FRAMEWORKS in item.path.parents:
            item.add_marker("frameworks")
        if item.path.stem in tiers.ONCE:
            item.add_marker("once")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    seeds.restart(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return one_sentence(call, (yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    return one_sentence(report.call, report) if hasattr(report, "call") else report


def one_sentence(call, report):
    """The report of a test that needs a golden document that is not there yet: what to run, and no traceback."""
    error = call.excinfo.value if call.excinfo else None
    sentence = unlocked.about(error) if isinstance(error, refpos.FileError) else None
    report.longrepr = sentence or report.longrepr
    return report


def pytest_collection_finish():
    """What was collected lives as long as the run, so garbage collection need not go through it again."""
    gc.freeze()


def ran(reporter):
    """(node id, names of marks) of every test that passed."""
    reports = reporter.stats.get("passed", [])
    return [(report.nodeid, report.keywords) for report in reports if getattr(report, "when", "call") == "call"]


def durations(reporter):
    """(names of marks, seconds) of every test, and of what its fixtures did before and after it."""
    reports = [report for reports in reporter.stats.values() for report in reports]
    return [(report.keywords, report.duration) for report in reports if hasattr(report, "duration")]


def pytest_terminal_summary(terminalreporter):
    numbers = tiers.counted(ran(terminalreporter))
    marks = terminalreporter.config.option.markexpr
    terminalreporter.write_line(tiers.summary(numbers, tiers.seconds(durations(terminalreporter)), marks))


def pytest_sessionstart():
    required = "compiled" if os.environ.get("REFPOS_REQUIRE_KERNELS") == "1" else None
    wanted = os.environ.get(kernels.VARIABLE) or required
    if wanted and kernels.name != wanted:
        pytest.exit(f"kernels must be {wanted}, got {kernels.name}: {kernels.reason}", returncode=3)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """A test that did not run has shown nothing: it counts as failed. So do fewer tests than there were."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    # a worker of pytest-xdist, whose reports go to the run that started it, or a run that only lists tests
    if reporter is None or session.config.option.collectonly:
        return
    absent = [report for kind in ("skipped", "xfailed", "xpassed") for report in reporter.stats.get(kind, [])]
    wrong = [f"NOT RUN, which counts as failed: {report.nodeid} {report.longrepr}" for report in absent]
    passed, marks = ran(reporter), session.config.option.markexpr
    once = None if "not once" in marks else tiers.counted([one for one in passed if "once" in one[1]])
    required = os.environ.get("REFPOS_REQUIRE_TIERS", "").split()
    sentences = list(tiers.fallen(tiers.counted(passed), required, marks, once))
    wrong += sentences or tiers.low(tiers.counted(passed), required, once)
    for sentence in wrong:
        reporter.write_line(f"\n{sentence}", red=True)
    if wrong and session.exitstatus == 0:
        session.exitstatus = 1


@pytest.fixture(params=CPUS)
def cpu(request):
    """Once for each instruction set of the compiled kernels that this machine runs."""
    yield from on_kernel(request.param)


@pytest.fixture(params=dict.fromkeys(["numpy", *CPUS]))
def kernel(request, monkeypatch):
    """Once with the kernels in NumPy, and once for each instruction set of the compiled ones."""
    if request.param == "numpy":
        monkeypatch.setattr(kernels, "active", numpy_kernels)
    yield from on_kernel(request.param)


def on_kernel(name):
    """What stands around a test of one instruction set; of the kernels in NumPy there is none to choose."""
    if name == "numpy":
        yield
        return
    before = kernels.active.cpu()
    kernels.active.use_cpu(name)
    yield
    kernels.active.use_cpu(before)
