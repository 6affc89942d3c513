"""What docs/frameworks.md says of published releases: the blocks of those that the extra installs are run."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "frameworks.md").read_text("utf-8")
BLOCKS = re.findall(r"^```py\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ELSEWHERE = "keras_hub"  # with a framework of its own: run by hand
NUMBERS = re.compile(r"\(all .*\)")  # the last digits of errors are those of the machine's torch


def test_every_release_has_a_block_and_one_is_run_by_hand():
    assert len(BLOCKS) == PAGE.count("\n```py\n") == 5
    assert sum(ELSEWHERE in code for code, _ in BLOCKS) == 1


def test_the_defects_of_releases_are_named(capsys):
    names, ran = {}, 0
    for code, shown in BLOCKS:
        if ELSEWHERE in code:
            continue
        exec(code, names)
        printed = capsys.readouterr().out
        assert NUMBERS.sub("", printed) == NUMBERS.sub("", shown), printed
        ran += 1
    assert ran == 4
