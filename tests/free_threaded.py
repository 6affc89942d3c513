"""Core cases of the golden corpus on many threads at once, without the GIL; needs refpos and NumPy alone.

    python3.13t tests/free_threaded.py                   eight threads, a third of the cases each, in another order each
    python3.14t tests/free_threaded.py --share 1         all of them

Each case is compared with its digest in refpos/golden/lock.json. Exit status: 0 when all are equal, 1 when one differs
or raises, 2 when the GIL is on or the compiled kernels do not run: --any lets any Python and any kernels count.
"""

import argparse
import random
import sys
import threading

import refpos
from refpos import golden, kernels
from refpos.golden.format import case_digest
from refpos.golden.generate import case_entry
from refpos.golden.read import read_lock


def compare(case, locked):
    """None where the case is equal to the lock, else what is wrong with it."""
    try:
        digest = case_digest(case_entry(case, {}))
    except Exception as error:
        return f"{case.id}: {type(error).__name__}: {error}"
    return None if digest == locked[case.id] else f"{case.id}: another digest"


def run(threads, share):
    """(cases compared, what is wrong) of all threads, which begin together."""
    locked, cases = read_lock()["cases"], list(golden.cases(tier="core"))
    start, wrong, done = threading.Barrier(threads), [], []

    def work(seed):
        mine = random.Random(seed).sample(cases, max(1, int(share * len(cases))))
        start.wait()
        for case in mine:
            fault = compare(case, locked)
            done.append(case.id)
            if fault:
                wrong.append(fault)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(done), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--share", type=float, default=1 / 3, help="of the cases for each thread (default: a third)")
    parser.add_argument("--any", action="store_true", help="with the GIL, or without compiled kernels, as well")
    options = parser.parse_args()
    refpos.show_config()
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not options.any and (gil or kernels.name != "compiled"):
        print(f"the GIL must be off and the compiled kernels run, got GIL {gil}, {kernels.name}", file=sys.stderr)
        sys.exit(2)
    count, wrong = run(options.threads, options.share)
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(*wrong[:20], sep="\n")
    print(f"{count - len(wrong)} of {count} cases equal on {options.threads} threads, GIL {'on' if gil else 'off'}")
    sys.exit(1 if wrong or not count or (gil and not options.any) else 0)


if __name__ == "__main__":
    main()
