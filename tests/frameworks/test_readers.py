"""The readers of the corpus in C++, Rust and JavaScript; a compiler that is absent is a failure."""

import pytest
import readers

from refpos.golden.read import DATA


@pytest.mark.parametrize("language", [name for name in readers.READERS if name != "c"])
def test_the_reader(language, tmp_path):
    command = readers.build(language, tmp_path)
    readers.assert_reads(command, DATA, readers.SUITES)
    readers.assert_notices(command, DATA, tmp_path)


def test_a_tool_that_is_absent_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match="rustc must be installed"):
        readers.build("rust", tmp_path)
