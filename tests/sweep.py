"""Sweep of 10**8 and more elements: compiled kernels against NumPy's, and samples of both against the witness.

    python tests/sweep.py                          10**8 elements of each encoding, long
    python tests/sweep.py --elements 1e6           the same in minutes
    python tests/sweep.py --encodings rope --dtypes float64 --seed 7
    python tests/sweep.py --dask ADDRESS --journal FILE   on a cluster, going on where an earlier run ended
    python tests/sweep.py --search                 search for hard cases again, into tests/data/hard.json

Every batch is drawn at random from the seed and the number of the batch, so a batch that differs can be run again alone
(--first). NumPy's kernels and the compiled ones, with every instruction set this machine has, run in this process one
after the other, and their results are compared as bits; of every batch a sample is compared with the witness. The last
line counts all of it; the exit code is 1 on any difference and 2 if the compiled kernels are not there.
"""

import argparse
import importlib
import itertools
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent))  # an installed refpos comes first

import witness

import refpos
from refpos import kernels

FORMATS = ("float64", "float32", "float16", "bfloat16")
BASES = (100, 500, 10000.0, 5e5, 10**6, 1e7)
BATCH = 1 << 20  # elements at a time
SAMPLE_ROWS = 3  # rows of each batch that the witness computes too


def draw_positions(rng, count):
    """A run, a progression, or scattered integers or floats."""
    kind = int(rng.integers(6))
    start = int(rng.integers(-(2**31), 2**31))
    if kind == 0:
        return np.arange(count)
    if kind == 1:
        return start + np.arange(count)
    if kind == 2:
        return start + int(rng.integers(2, 1 << 20)) * np.arange(count)
    if kind == 3:
        return rng.integers(-(2**31), 2**31, count)
    if kind == 4:
        return rng.integers(-(2**53), 2**53, count, endpoint=True)
    return rng.uniform(-(2.0**20), 2.0**20, count)


def storage(name):
    """The unsigned dtype of the patterns of a format."""
    return np.dtype({"float64": "u8", "float32": "u4", "float16": "u2", "bfloat16": "u2"}[name])


def fresh(shape, name):
    """An array to fill, which bfloat16 allows as uint16, and a view of its bits."""
    out = np.empty(shape, "uint16" if name == "bfloat16" else name)
    return out, out.view(storage(name))


def sinusoidal(rng, name):
    """One batch: how to run it, and how the witness computes sampled rows of it."""
    dim = int(rng.integers(2, 300))
    options = {
        "base": BASES[rng.integers(len(BASES))],
        "layout": ("interleaved", "sin-cos", "cos-sin")[rng.integers(3)],
        "endpoint": bool(rng.random() < 0.3),
    }
    positions = draw_positions(rng, BATCH // dim)
    rows = rng.integers(0, len(positions), SAMPLE_ROWS)

    def run():
        out, bits = fresh((len(positions), dim), name)
        refpos.sinusoidal(positions, dim, dtype=name, out=out, **options)
        return bits

    def truth():
        return witness.patterns(witness.sinusoidal(positions[rows], dim, **options), name)

    return run, truth, lambda bits: bits[rows]


def rope_table(rng, name):
    """One batch of cosines and sines, side by side."""
    half = int(rng.integers(1, 150))
    base = BASES[rng.integers(len(BASES))]
    frequencies = refpos.inverse_frequencies(2 * half, base=base)
    positions = draw_positions(rng, BATCH // (2 * half))
    rows = rng.integers(0, len(positions), SAMPLE_ROWS)

    def run():
        pairs = [fresh((len(positions), half), name) for _ in range(2)]
        refpos.rope_table(positions, frequencies, dtype=name, out=tuple(out for out, _ in pairs))
        return np.hstack([bits for _, bits in pairs])

    def truth():
        return np.hstack([witness.patterns(d, name) for d in witness.rope_table(positions[rows], 2 * half, base=base)])

    return run, truth, lambda bits: bits[rows]


def sincos_2d(rng, name):
    """One batch: a rectangle."""
    dim = 4 * int(rng.integers(1, 100))
    height = int(rng.integers(1, 400))
    width = max(1, BATCH // (dim * height))
    options = {"axis_order": ("hw", "wh")[rng.integers(2)], "base": BASES[rng.integers(len(BASES))]}
    row = int(rng.integers(height))

    def run():
        out, bits = fresh((height, width, dim), name)
        refpos.sincos_2d(height, width, dim, dtype=name, out=out, **options)
        return bits

    def truth():
        # one token: the witness has no rows of a grid but through both axes
        y, x = np.array([row]), np.array([width - 1])
        first, second = (y, x) if options["axis_order"] == "hw" else (x, y)
        halves = [witness.sinusoidal(p, dim // 2, base=options["base"], layout="sin-cos") for p in (first, second)]
        return np.hstack([witness.patterns(half, name) for half in halves])

    return run, truth, lambda bits: bits[row, width - 1][None]


def rope(rng, name):
    """One batch of rows of every size, some of whose products cancel."""
    dim = 2 * int(rng.integers(1, 130))
    count = BATCH // dim
    options = {
        "pairing": ("half", "interleaved")[rng.integers(2)],
        "base": BASES[rng.integers(len(BASES))],
        "inverse": bool(rng.integers(2)),
    }
    positions = draw_positions(rng, count)
    precision, smallest, largest, _ = witness.digits.SHAPES[name]
    spread = ((-3, 3), (smallest - precision, smallest + 4), (smallest - precision, largest))[rng.integers(3)]
    values = np.ldexp(rng.normal(size=(count, dim)), rng.integers(*spread, (count, dim)))
    bits = witness.formulas.with_specials(values, name)
    x = bits if name == "bfloat16" else bits.view(name)
    rows = rng.integers(0, count, SAMPLE_ROWS)

    def run():
        tag = {"dtype": "bfloat16"} if name == "bfloat16" else {}
        return refpos.rope(x, positions, **options, **tag).view(storage(name))

    def truth():
        return witness.rope(as_doubles(x[rows], name), positions[rows], name, **options)

    return run, truth, lambda bits: bits[rows]


def as_doubles(x, name):
    """The exact float64 values of an array that holds bfloat16 as patterns."""
    if name == "bfloat16":
        return (x.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return x.astype(np.float64)


def alibi(rng, name):
    """One batch: few queries, so that most entries differ."""
    heads, queries = int(rng.integers(1, 130)), int(rng.integers(1, 4))
    keys = BATCH // (heads * queries)
    options = {
        "mode": ("causal", "symmetric", "linear")[rng.integers(3)],
        "convention": ("recursive", "geometric")[rng.integers(2)],
        "query_offset": int(rng.integers(-(2**33), 2**33)),
    }
    column = int(rng.integers(keys))

    def run():
        out, bits = fresh((heads, queries, keys), name)
        refpos.alibi(heads, queries, keys, dtype=name, out=out, **options)
        return bits

    def truth():
        # the same distance with one query and one key
        moved = dict(options, query_offset=options["query_offset"] - column)
        return witness.alibi(heads, 1, 1, name, **moved)

    return run, truth, lambda bits: bits[:, :1, column : column + 1]


ENCODINGS = {f.__name__: f for f in (sinusoidal, rope_table, sincos_2d, rope, alibi)}


def accounts(alone):
    """Name -> (kernel module, instruction set or None) of everything to be compared, NumPy's first."""
    found = {"numpy": (kernels.numpy_kernels, None)}
    if not alone:
        compiled = importlib.import_module("refpos.kernels.compiled")
        found.update({f"compiled {cpu}": (compiled, cpu) for cpu in compiled.cpus()})
    return found


def with_kernels(module, cpu, run):
    """Run with one kernel module and instruction set, then put back what was active."""
    before = kernels.active
    kernels.active = module
    try:
        if cpu:
            module.use_cpu(cpu)
        return run()
    finally:
        kernels.active = before


def batch_of(encoding, name, number, seed, modules):
    """(Elements, of which differ between accounts, sampled, of which wrong, lines to print) of one batch."""
    rng = np.random.default_rng([seed, number, list(ENCODINGS).index(encoding), FORMATS.index(name)])
    run, truth, pick = ENCODINGS[encoding](rng, name)
    wanted, first, totals, lines = truth(), None, np.zeros(3, np.int64), []
    for account, (module, cpu) in modules.items():
        found = with_kernels(module, cpu, run)
        first = found if first is None else first
        differ, wrong = int((found != first).sum()), int((pick(found) != wanted).sum())
        totals += (differ, wanted.size, wrong)
        if differ or wrong:
            where = f"{encoding} {name} {account} batch {number} seed {seed}"
            lines.append(f"{where}: {differ} unlike NumPy's, {wrong} wrong")
    return [first.size, *totals.tolist(), lines]


def sweep(options, modules, make=batch_of):
    """All batches; returns (elements compared, of which differ, elements sampled, of which wrong)."""
    totals, started = np.zeros(4, np.int64), time.monotonic()
    for encoding in options.encodings:
        for name in options.dtypes:
            done, batch = 0, options.first
            while done < options.elements / len(options.dtypes):
                size, *counts, lines = make(encoding, name, batch, options.seed, modules)
                for line in lines:
                    print(line, flush=True)
                done, batch = done + size, batch + 1
                totals += (size, *counts)
                rate = totals[0] / (time.monotonic() - started)
                print(f"\r{encoding} {name} {done:.3g}, {rate:.3g} a second   ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return totals.tolist()


# -- on a cluster -----------------------------------------------------------------------------------------------------


def at_work(folder, encoding, name, number, seed, alone, version):
    """`batch_of`, on a worker that has the source tree in the same place."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    here = importlib.import_module("sweep")
    if refpos.__version__ != version:
        raise RuntimeError(f"every worker must have refpos {version}, got {refpos.__version__}")
    return here.batch_of(encoding, name, number, seed, here.accounts(alone))


def on_workers(client, options):
    """`batch_of` of a client, some batches ahead; those that stand in the journal are not made again."""
    held, version, coming, futures = read_journal(options), refpos.__version__, iter(planned(options)), {}

    if options.journal:
        note(options.journal, "")  # an earlier run may have ended within a line

    def submit(key):
        if key not in futures and key not in held:
            futures[key] = client.submit(at_work, str(HERE), *key, options.alone, version, pure=False)

    def make(encoding, name, number, seed, modules):
        key = (encoding, name, number, seed)
        submit(key)
        while len(futures) < 2 * sum(client.nthreads().values()) and (later := next(coming, None)):
            submit(later)
        if key not in held:
            held[key] = futures.pop(key).result()
            if options.journal:
                note(options.journal, json.dumps([version, options.alone, *key, held[key]]))
        return held[key]

    return make


def note(journal, line):
    with open(journal, "a", encoding="ascii") as file:
        file.write(f"{line}\n")


def planned(options):
    """The batches of the whole sweep in their order; where some are small, more are needed in the end."""
    count = math.ceil(options.elements / len(options.dtypes) / BATCH)
    numbers = range(options.first, options.first + count)
    return [(*key, options.seed) for key in itertools.product(options.encodings, options.dtypes, numbers)]


def read_journal(options):
    """{batch: what was found} of a file of an earlier run of this version with the same kernels; a line that
    was cut short is no batch."""
    held = {}
    if options.journal and Path(options.journal).exists():
        for line in Path(options.journal).read_text(encoding="ascii").splitlines():
            try:
                version, alone, *key, found = json.loads(line)
            except ValueError:
                continue
            if (version, alone) == (refpos.__version__, options.alone):
                held[tuple(key)] = found
    return held


def search(path, seed, count):
    """Write the hard cases found, one a line."""
    from witness import hard_cases

    found = hard_cases.search(seed, count, keep=1)
    lines = [f'"how": {json.dumps(f"python tests/sweep.py --search --seed {seed} --count {count}")}']
    for key, rows in found.items():
        body = ",\n".join(json.dumps(row) for row in rows)
        lines.append(f'"{key}": [\n{body}\n]')
    path.parent.mkdir(exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")
    print(f"{sum(map(len, found.values()))} hard cases in {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=float, default=1e8, help="elements of each encoding, over its dtypes (1e8)")
    parser.add_argument("--encodings", nargs="+", choices=ENCODINGS, default=list(ENCODINGS), metavar="NAME")
    parser.add_argument("--dtypes", nargs="+", choices=FORMATS, default=list(FORMATS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first batch (0)")
    parser.add_argument("--alone", action="store_true", help="NumPy kernels against the witness, without compiled ones")
    parser.add_argument("--search", action="store_true", help="search for hard cases instead, and write them")
    parser.add_argument("--count", type=int, default=3000, help="midpoints tried in each search of --search (3000)")
    parser.add_argument(
        "--dask", metavar="WHERE", help="address of a Dask scheduler, or a number of processes to start"
    )
    parser.add_argument("--journal", metavar="FILE", help="with --dask: where batches are noted, to go on from")
    options = parser.parse_args(arguments)
    if options.journal and not options.dask:
        parser.error("--journal goes with --dask")
    if options.search:
        search(HERE / "data" / "hard.json", options.seed, options.count)
        return 0
    try:
        modules = accounts(options.alone)
    except ImportError as error:
        print(f"the compiled kernels must be built for this (or --alone given), got: {error}", file=sys.stderr)
        return 2
    print(f"refpos {kernels.config()['refpos']}: {', '.join(modules)}", flush=True)
    if options.dask:
        from refpos.dask import connected

        with connected(options.dask) as client:
            found = sweep(options, modules, on_workers(client, options))
    else:
        found = sweep(options, modules)
    compared, differ, sampled, wrong = found
    print(
        f"{compared} elements in {len(modules)} accounts, {differ} differ; {sampled} against the witness, {wrong} wrong"
    )
    return 1 if differ or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
