"""`refpos bench`: how fast refpos is here, each line beside the limit of the machine."""

from decimal import Decimal

from .. import kernels
from ..errors import InputError
from . import screen

HEAD = ("work", "threads", "MB", "ms", "GB/s", "limit", "limit ms", "of limit")


def bench(options):
    """Measure, then print the table; --plot draws it too."""
    from . import measure

    pyplot = _pyplot() if options.plot else None
    runs = options.runs if options.runs is not None else measure.RUNS[options.size]
    if runs < 1:
        raise InputError("E_SIZE", "runs", f"--runs must be at least 1, got {runs}")
    known = list(dict.fromkeys(work.kind for work in measure.works()))
    for name in options.work or ():
        if name not in known:
            raise InputError("E_CHOICE", "work", f"--work must be one of {', '.join(known)}, got {name!r}")
    machine = measure.machine()  # before: a run makes the machine busy
    with screen.Progress() as progress:
        rows = list(measure.measure(measure.DIVIDE[options.size], runs, options.work, progress))
    if options.json:
        screen.as_json({"machine": machine, "runs": runs, "rows": [row._asdict() for row in rows]})
    else:
        print("\n".join(_described(machine, rows, runs)))
    if pyplot:
        _plot(pyplot, machine, rows, options.plot)
    return 0


def _described(machine, rows, runs):
    yield from screen.columns([(name, str(value)) for name, value in machine.items()])
    yield ""
    yield from screen.columns([HEAD, *map(_cells, rows)])
    yield ""
    stores = "streaming stores" if kernels.name == "compiled" else "np.copyto"
    yield screen.paragraph(
        f"Times are medians of {runs}, into an output that exists already. The limit is filling (fill) or copying"
        f" (copy) as many bytes by {stores} with as many threads, in turns with the work; a copy reads as many bytes as"
        " it writes, and GB/s counts what is written. Outputs of a few MB stay in the cache, where a fill takes next to"
        " no time."
    )


def _cells(row):
    return (
        row.work,
        row.threads,
        Decimal(f"{row.bytes / 1e6:.2f}"),
        Decimal(f"{row.ms:.3f}"),
        Decimal(f"{row.gb_per_s:.2f}"),
        row.limit,
        Decimal(f"{row.limit_ms:.3f}"),
        Decimal(f"{row.of_limit:.2f}"),
    )


def _pyplot():
    try:
        import matplotlib
    except ImportError:
        sentence = '--plot needs matplotlib, got an installation without it: pip install "refpos[plot]"'
        raise InputError("E_MISSING", "plot", sentence) from None
    matplotlib.use("agg")
    from matplotlib import pyplot

    return pyplot


def _plot(pyplot, machine, rows, path):
    """Bars of the fraction of the limit, one color for each count of threads."""
    names = list(dict.fromkeys(row.work for row in rows))
    counts = sorted({row.threads for row in rows})
    figure, axes = pyplot.subplots(figsize=(10, 1 + 0.4 * len(names)), layout="constrained")
    for k, threads in enumerate(counts):
        shares = [row.of_limit for name in names for row in rows if (row.work, row.threads) == (name, threads)]
        heights = [i + (k - (len(counts) - 1) / 2) * 0.8 / len(counts) for i in range(len(names))]
        axes.barh(heights, shares, 0.8 / len(counts), label=f"{threads} thread{'s' if threads > 1 else ''}")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("fraction of the limit (fill or copy of the same bytes)")
    axes.set_title(f"refpos on {machine['processor']}, {machine['cores']} cores, {machine['kernels']} kernels")
    axes.legend()
    try:
        figure.savefig(path)
    except ValueError as error:
        raise InputError("E_CHOICE", "plot", f"--plot must name a kind of picture, got {path!r}: {error}") from None
    finally:
        pyplot.close(figure)
