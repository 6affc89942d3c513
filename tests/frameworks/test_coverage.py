"""The code that docs/coverage.md names exists, in the versions that presets name."""

from importlib.metadata import version

import evidence
import pytest
from test_coverage import ROWS, VERSIONS

from frameworks import _timm


@pytest.mark.parametrize("row", [row for row in ROWS if row.ran], ids=lambda row: f"{row.id}-{row.what}")
def test_the_code_that_a_row_names_exists(row):
    for ran in row.ran.split():
        library, _, path = ran.partition(":")
        assert evidence.resolved(path, library) is not None


def test_versions_are_those_that_rows_name():
    assert {library: version(library).partition("+")[0] for library in VERSIONS} == VERSIONS  # torch 2.13.0+cpu
    assert VERSIONS["timm"] == _timm.VERSION
