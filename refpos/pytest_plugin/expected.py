"""A test that is handed a case and is expected to fail must fail by numbers that differ, not by another error."""

from __future__ import annotations

from typing import Any


def judge(report: Any, ids: set[str], differed: set[str]) -> None:
    """Make a failure of the report of a test that was expected to fail, where none of its comparisons differs.

    ids: the cases that the test was handed. What `xfail(run=False)` does not run is as good as skipped.
    """
    is_expected = report.skipped and hasattr(report, "wasxfail") and "[NOTRUN]" not in report.wasxfail
    if not (is_expected and ids) or differed:
        return
    from ..testing.shared import first_of

    sentence = "the test is expected to fail, and fails without a comparison that differs: call case.check(...)"
    del report.wasxfail
    report.outcome = "failed"
    report.longrepr = f"{first_of(ids)}: {sentence}, or pytest.skip where there is nothing to compare"
