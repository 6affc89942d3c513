"""The corpus in formats of others: CSV for tables, a C header for programs without a parser, models of ONNX, and the
test files of torch, WebNN and ONNX Runtime Web.

Each module writes one format: `prepare` says what it needs and `write` writes the chosen cases of one suite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ... import checks
from ...errors import InputError
from ...guard import guarded
from ...types import AnyPath, FloatName
from ..case import TierName
from ..generate import Step, make_folder
from ..npz_export import LeftOut, selected
from ..run import inputs_of, outputs_of
from . import c_header, csv_tables, onnx_models, ort_web_tests, torch_samples, webnn_graphs

FORMATS = {
    "csv": csv_tables,
    "c": c_header,
    "onnx": onnx_models,
    "torch": torch_samples,
    "webnn": webnn_graphs,
    "ort-web": ort_web_tests,
}


@guarded
def export(
    directory: AnyPath,
    *,
    format: Literal["csv", "c", "onnx", "torch", "webnn", "ort-web"],
    suites: str | Sequence[str] | None = None,
    tier: TierName = "core",
    cases: str | Sequence[str] | None = None,
    dtype: FloatName | None = None,
    progress: Callable[[int, int, str], object] | None = None,
) -> int:
    """Write golden cases, inputs and outputs alike, in a format of others; how many were written.

    Parameters
    ----------
    directory : str or path
        Folder to write to.
    format : {'csv', 'c', 'onnx', 'torch', 'webnn', 'ort-web'}
        "csv", <suite>.csv with a row for each element and <suite>.cases.csv with a row for each case; "c", <suite>.h
        with the bits of every tensor; "onnx", for each rotation that the operator RotaryEmbedding of opset 23 computes,
        and whose output the corpus holds in full, a folder test_<suite>_<case> with model.onnx and test_data_set_0,
        whose caches are the correctly rounded cosines and sines, and whose output is the correctly rounded rotation;
        "torch", samples of the proposed torch.nn.functional.rotary_embedding as rotary_embedding_samples.py; "webnn",
        rotations as graphs of WebNN, rotary_embedding_subgraph.https.any.js; "ort-web", <suite>.jsonc with the tests of
        an operator for ONNX Runtime Web, and <suite>.ulp.json with their tolerances.
    suites : str or sequence of str, optional
        Names of the suites; None for all.
    tier : {'starter', 'core', 'extended', 'full'}, default 'core'
        "core", "extended" (core too), "full" (all three), or "starter": some twenty small cases of the core.
    cases : str or sequence of str, optional
        Only the cases of those ids, or of forms such as "rope/gpt-*"; None for all.
    dtype : {'float64', 'float32', 'float16', 'bfloat16'}, optional
        Only cases whose outputs have that dtype.
    progress : callable, optional
        Called with (cases done, cases in all, id).

    Returns
    -------
    int
        The number of cases that were written.

    Raises
    ------
    InputError
        E_CHOICE (format, suites, tier, cases, or where none of the cases can be written so), E_DTYPE, E_MISSING where
        "onnx" is asked for without the package of that name, E_FILE when the directory cannot be written or is full.

    Notes
    -----
    Outputs that the corpus holds as digests are left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(folder, format="csv", cases="inverse_frequencies/dim-4")
    1
    """
    return exported(directory, format, suites, tier, cases, dtype, progress)[0]


def exported(directory, format, suites=None, tier="core", cases=None, dtype=None, progress=None):
    """(What `export` returns, `LeftOut`)."""
    writer = FORMATS[checks.choice("format", format, tuple(FORMATS))]
    progress = None if progress is None else checks.function("progress", progress)
    directory = checks.file_path("directory", directory)
    writer.prepare()
    chosen = [case for case in selected(suites, tier, cases, dtype) if writer.holds(case)]
    if not chosen:
        sentence = f"format must be one that holds a case that is chosen, got {format!r}, which holds none of them"
        raise InputError("E_CHOICE", "format", sentence)
    make_folder(directory)
    groups = {}
    for case in chosen:
        groups.setdefault(case.suite, []).append(case)
    step, left = Step(progress, len(chosen)), LeftOut()
    for suite, members in groups.items():
        writer.write(directory, suite, _loaded(members, step, left))
    return len(chosen), left


def _loaded(members, step, left):
    """(case, inputs, outputs) of each, without what is too large to be held in full."""
    for case in members:
        step(0, case.id)
        step.done += 1
        yield case, inputs_of(case), left.without(outputs_of(case))
