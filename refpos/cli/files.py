"""The reports that a command writes into files, also where it cannot do what it was asked to."""

import os

from ..errors import InputError


class Reports:
    """The files that options name; an error in the block is written into each of them before it goes on."""

    def __init__(self, options, command, subjects):
        names = "html", "junit", "markdown"
        self.files = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
        self.command, self.subjects = command, subjects

    def __enter__(self):
        if self.files:
            from .. import reports

            for name, path in self.files.items():
                if os.path.realpath(path) in map(os.path.realpath, self.subjects):
                    raise InputError("E_FILE", name, f"--{name} must name a file of its own, got {path!r}")
            reports.begin(self.files)
        return self

    def of_result(self, *found):
        """Write those of a verification."""
        self._write("of_result", found)

    def of_comparison(self, *found):
        """Write those of a comparison."""
        self._write("of_comparison", found)

    def of_diagnosis(self, *found):
        """Write those of a diagnosis."""
        self._write("of_diagnosis", found)

    def of_check(self, *found):
        """Write those of a check of a model."""
        self._write("of_check", found)

    def _write(self, outcome, found):
        if self.files:
            from .. import reports

            reports.write(getattr(reports, outcome)(*found), self.files)

    def __exit__(self, kind, error, trace):
        if self.files and error is not None:
            from .. import reports

            code = f"{error.code}: " if isinstance(error, InputError) else f"{kind.__name__}: "
            reports.write(reports.of_error(self.command, " ".join(self.subjects), f"{code}{error}"), self.files)
