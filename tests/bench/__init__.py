"""refpos and its peers, timed in one run: the lines of `refpos bench`, each peer's error beside its time.

`python -m tests.bench` prints the table, `--write` puts it into docs/performance.md, `--quick` is a short run. A peer
is what people write with one library; each module of this package that is named after a library has a function
`peers(job)` that yields (name, call) for a line, where call() returns the whole result.
"""
