"""The corpus as npz files, a file for each suite; which cases an export has, and what it leaves out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from .. import checks, tensor_files
from ..guard import guarded
from ..types import AnyPath, FloatName, Integer
from .case import TierName
from .discover import names_of
from .format import SAMPLED
from .generate import Step, make_folder, read_suites, tiers_of, wanted_cases
from .run import inputs_of, outputs_of
from .starter import evaluated


def selected(suites, tier, cases, dtype):
    """The cases to export, of which there is at least one; refusals have nothing to export."""
    choice = {"choice": {"cases": names_of("cases", cases), "dtype": dtype}}
    return [
        case for members in wanted_cases(read_suites(suites), tiers_of(tier), True, choice).values() for case in members
    ]


@guarded
def export_npz(
    directory: AnyPath,
    *,
    suites: str | Sequence[str] | None = None,
    tier: TierName = "core",
    cases: str | Sequence[str] | None = None,
    dtype: FloatName | None = None,
    progress: Callable[[int, int, str], object] | None = None,
    threads: Integer | None = None,
) -> int:
    """Write each suite as <suite>.npz for NumPy users, inputs and outputs alike.

    Tensors are named "<case id>/<tensor name>"; those that are evaluated of the starter tier are among them. Outputs
    that the corpus holds as digests are left out. bfloat16 is stored as two-byte void elements.

    Parameters
    ----------
    directory : str or path
        Folder to write to.
    suites : str or sequence of str, optional
        Names of the suites; None for all.
    tier : {'starter', 'core', 'extended', 'full'}, default 'core'
        "core", "extended" (core too), "full" (all three), or "starter": some twenty small cases of the core.
    cases : str or sequence of str, optional
        Only those ids, or forms such as "rope/gpt-*".
    dtype : {'float64', 'float32', 'float16', 'bfloat16'}, optional
        Only cases whose outputs have that dtype.
    progress : callable, optional
        Called with (cases done, cases in all, id).
    threads : int, optional
        Number of threads that may share a large table; the default is all cores. The values never depend on it.

    Returns
    -------
    int
        The number of cases.

    Raises
    ------
    InputError
        E_CHOICE (suites, tier, cases), E_DTYPE, E_SIZE (threads), E_FILE when the directory cannot be written or is
        full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_npz(folder, suites=["inverse_frequencies"]) > 10
    True
    """
    return written_npz(directory, suites, tier, cases, dtype, progress, threads)[0]


class LeftOut:
    """What an export leaves out: how many outputs, of how many cases, have more than SAMPLED elements, so that the
    corpus holds a digest and a sample of them in place of all their numbers."""

    def __init__(self):
        self.outputs = self.cases = 0

    def without(self, outputs):
        """The outputs of a case that are held in full; the others are counted."""
        held = {name: tensor for name, tensor in outputs.items() if tensor.values.size <= SAMPLED}
        self.outputs += len(outputs) - len(held)
        self.cases += len(held) < len(outputs)
        return held


def written_npz(directory, suites=None, tier="core", cases=None, dtype=None, progress=None, threads=None):
    """(What `export_npz` returns, `LeftOut`)."""
    checks.thread_count(threads)
    progress = None if progress is None else checks.function("progress", progress)
    directory = checks.file_path("directory", directory)
    members = selected(suites, tier, cases, dtype)
    make_folder(directory)
    wanted, left = {}, LeftOut()
    for case in members:
        wanted.setdefault(case.suite, []).append(case)
    step = Step(progress, len(members))
    for name, members in wanted.items():
        tensors = {}
        for case in members:
            step(0, case.id)
            step.done += 1
            beside = evaluated(case) if tier == "starter" else {}
            for side in inputs_of(case), beside, left.without(outputs_of(case, threads=threads)):
                tensors.update({f"{case.id}/{key}": tensor for key, tensor in side.items()})
        tensor_files.write_npz(os.path.join(directory, f"{name}.npz"), tensors)
    return step.total, left
