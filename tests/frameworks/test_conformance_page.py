"""The block of docs/conformance.md that needs torch gives what the page shows."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text("utf-8")


def test_a_table_of_torch_meets_the_class_that_the_page_shows(capsys):
    ((code, shown),) = re.findall(r"^```py\n(.*?  # (.*?)\n)```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == f"{shown}\n" == "True float32-angle\n"
