"""Prove the error bounds of docs/numbers.md from the source of the kernels, with Gappa, Sollya and z3.

    python tests/prove_bounds.py [NAME ...]            the scripts of those names in tests/bounds, or all
    python tests/prove_bounds.py --faults [NAME ...]   each with faults planted in the source it reads: it must fail

Debian's packages gappa, sollya and z3 are needed; Python needs no package, and refpos is not built. Exit status: 0 when
everything is proved, or every fault is found; 1 when not; 2 when a tool is absent. Gappa is also asked to prove 0 = 1
from the hypotheses of the first variant of each script, and must find no contradiction.
"""

import pkgutil
import shutil
import sys
import time
from importlib import import_module
from pathlib import Path

from bounds import registry, source, tools
from bounds.faults import FAULTS, WITHOUT_SOURCE

#: what reading the source raises where it has something that no proof knows
UNREADABLE = (AttributeError, LookupError, NameError, SyntaxError, TypeError, ValueError)
HERE = Path(registry.__file__).parent
for module in pkgutil.iter_modules([str(HERE)]):
    import_module(f"bounds.{module.name}")  # some register proofs


def stop(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


def scripts():
    """Names of the files with proofs, of which each must be registered, and nothing else."""
    files = sorted(path.stem for kind in ("*.g", "*.smt2") for path in HERE.glob(kind))
    known = sorted((*registry.PROOFS, *registry.QUERIES))
    if files != known or len(files) < 10:
        stop(f"tests/bounds must have one file for each of {known}, got {files}")
    return files


def variants(name):
    return registry.PROOFS[name][1] if name in registry.PROOFS else ("",)


def what(name, variant):
    """What a script proves, in a word."""
    if name in registry.QUERIES and name not in registry.stated():
        return "integers"
    return "exact" if name in registry.EXACT else f"2^-{registry.bits_of(name, variant)}"


def attempt(name, variant, check=False):
    """Prove one variant, and check its hypotheses; returns what was answered instead, or nothing."""
    try:
        if name in registry.PROOFS:
            script = registry.script(name, variant)
            if check:
                tools.consistent(script)
            tools.prove(script)
        else:
            tools.unsatisfiable(registry.queries(name))
    except (tools.NotProvedError, *UNREADABLE) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def prove(names):
    """Print a line for each variant of each script; whether all are proved."""
    done = wrong = 0
    for name in names:
        failed = 0
        for variant in variants(name):
            start = time.perf_counter()
            answer = attempt(name, variant, check=variant == variants(name)[0])
            failed += bool(answer)
            bound = what(name, variant)
            said = f"{name:24} {bound:9} {variant:22} {time.perf_counter() - start:6.2f} s"
            print(f"{'REFUSED' if answer else 'proved '}  {said}\n{answer[-2000:]}".rstrip(), flush=True)
        done += not failed
        wrong += failed
    print(f"{done} of {len(names)} scripts proved")
    return not wrong


def find_faults(names):
    """Plant each fault, which the first variant that reads the file must find; whether all are found."""
    missed = count = 0
    tools.LIMIT["seconds"] = 15  # ten times what a proof takes: without one, Gappa may search for long
    for name in names:
        if name in WITHOUT_SOURCE:
            continue
        if len(FAULTS[name]) < 3:
            stop(f"{name} must have 3 faults, got {len(FAULTS[name])}")
        for file, old, new, variant in FAULTS[name]:
            if old not in source.text(file):
                stop(f"{file} must have {old!r}, where a fault is planted")
            source.PLANTED = {file: (old, new)}
            try:
                answer = attempt(name, variant or variants(name)[0])
            finally:
                source.PLANTED = {}
            count += 1
            missed += not answer
            print(
                f"{'found ' if answer else 'MISSED'}  {name:24} {' '.join(old.split())}  ->  {new.strip()}", flush=True
            )
    print(f"{count - missed} of {count} faults found")
    return not missed


def main(arguments):
    for tool in ("gappa", "sollya", "z3"):
        if not shutil.which(tool):
            stop(f"{tool} must be installed (Debian's {tool}), got none")
    names = [name for name in arguments if name != "--faults"]
    unknown = set(names) - set(scripts())
    if unknown:
        stop(f"scripts are {scripts()}, got {sorted(unknown)}")
    names = names or scripts()
    sys.exit(0 if (find_faults if "--faults" in arguments else prove)(names) else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
