"""What every run says and refuses: which kernels run, kernels other than those asked for, and tests that do not run."""

import os
from pathlib import Path

import numpy
import pytest

import refpos
from refpos import kernels

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = Path(refpos.__file__).resolve().parent.parent != ROOT

if INSTALLED:
    # `python -m refpos`, run by a test in this folder, is the installed package too
    os.environ["PYTHONSAFEPATH"] = "1"


def pytest_report_header():
    where = "installed" if INSTALLED else "source tree"
    why = f"{kernels.reason}, numpy {numpy.__version__}"
    return f"refpos {refpos.__version__} ({where}): {kernels.name} kernels ({why})"


def pytest_sessionstart():
    required = "compiled" if os.environ.get("REFPOS_REQUIRE_KERNELS") == "1" else None
    wanted = os.environ.get(kernels.VARIABLE) or required
    if wanted and kernels.name != wanted:
        pytest.exit(f"kernels must be {wanted}, got {kernels.name}: {kernels.reason}", returncode=3)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """A test that did not run has shown nothing: it counts as failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    absent = [report for kind in ("skipped", "xfailed", "xpassed") for report in reporter.stats.get(kind, [])]
    for report in absent:
        reporter.write_line(f"\nNOT RUN, which counts as failed: {report.nodeid} {report.longrepr}", red=True)
    if absent and session.exitstatus == 0:
        session.exitstatus = 1
