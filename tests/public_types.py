"""Whether pyright knows the type of every public name: python tests/public_types.py, where `.[lint]` is installed.

A name whose type is partly unknown is no error in the code of users, who see `Any` instead and are told of no mistake.
"""

import __future__

import json
import os
import subprocess
import sys
from pathlib import Path

import refpos
from refpos import public

PYRIGHT = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
HERE = Path(__file__).resolve().parent
LEAST = 300  # names: of fewer, pyright has read something else


def public_names():
    """Every name of refpos, of its families and of its modules, with dots; no dunder, no module, nothing imported."""
    rooms = {f"refpos.{name}": getattr(refpos, name) for name in (*public.FAMILIES, *public.MODULES)}
    rooms["refpos"] = refpos
    listed = {room: getattr(module, "__all__", dir(module)) for room, module in rooms.items()}
    named = {f"{room}.{name}": getattr(rooms[room], name) for room, names in listed.items() for name in names}
    return {name for name, value in named.items() if "__" not in name and not _imported(value)}


def _imported(value):
    """Whether it is a module, a class of another package or a feature of `__future__`."""
    foreign = isinstance(value, type) and not value.__module__.startswith("refpos")
    return foreign or isinstance(value, (type(sys), type(__future__.annotations)))


def said_of_types():
    """{dotted name: whether its type is known} of everything that pyright finds in refpos."""
    command = [*PYRIGHT, "--ignoreexternal", "--verifytypes", "refpos", "--outputjson"]
    where = {**os.environ, "PYTHONPATH": str(Path(refpos.__file__).resolve().parent.parent)}
    report = json.loads(subprocess.run(command, env=where, capture_output=True, text=True, check=False).stdout)
    return {symbol["name"]: symbol["isTypeKnown"] for symbol in report["typeCompleteness"]["symbols"]}


def main():
    done = subprocess.run([*PYRIGHT, str(HERE / "typed_use.py")], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"pyright must accept tests/typed_use.py, got\n{done.stdout}{done.stderr}")
    known = said_of_types()
    unknown = sorted(name for name in public_names() if not known.get(name, False))
    if unknown:
        sys.exit(f"the types of all public names must be known, got {len(unknown)} that are not: {', '.join(unknown)}")
    if len(public_names()) < LEAST:
        sys.exit(f"there must be {LEAST} public names, got {len(public_names())}")
    print(f"types of {len(public_names())} public names known")


if __name__ == "__main__":
    main()
