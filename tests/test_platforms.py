"""Where machines differ: the integers NumPy takes when nobody names them; and how emulated machines are judged."""

import hashlib
import sys

import emulate
import numpy as np
import pytest

import refpos
from refpos import catalogue, conversion, golden
from refpos.golden.format import case_digest
from refpos.golden.generate import case_entry
from refpos.golden.read import read_lock
from refpos.models import token_positions

LOCK = read_lock()["cases"]

# -- integers of 32 bits ----------------------------------------------------------------------------------------------

# what makes integers of its own: of NumPy's default where no dtype and no 64-bit integer is given ...
DEFAULT = ("arange", "array", "asarray", "cumsum", "full", "indices", "where")
# ... and what counts elements, which are as wide as a pointer
COUNTING = (
    "argmax", "argmin", "argsort", "argwhere", "bincount", "digitize", "flatnonzero", "lexsort", "nonzero",
    "searchsorted", "unravel_index",
)  # fmt: skip
# ... and what wants indices no wider than that
INDEXED = {"choose": 0, "put": 1, "repeat": 1}


def fits(array):
    return array.size == 0 or (-(2**31) <= array.min() and array.max() < 2**31)


def wide(value):
    """Whether there is a 64-bit integer of NumPy in an argument, or what says that it is an array of them."""
    if isinstance(value, (list, tuple)):
        return any(map(wide, value))
    return getattr(value, "__array_interface__", {}).get("typestr", "")[1:] in ("i8", "u8")


def narrowed(function, counting):
    """The function as it answers on a 32-bit machine; a parameter `dtype` or a wider integer given keeps 64 bits."""

    def narrow(found):
        return found.astype(np.int32) if getattr(found, "dtype", None) == np.int64 and fits(found) else found

    def call(*args, **options):
        found = function(*args, **options)
        # np.array(values, dtype) and np.full(shape, value, dtype) take it by position
        if options.get("dtype") is not None or any(isinstance(one, (type, np.dtype, str)) for one in args):
            return found
        if not counting and any(map(wide, (*args, *options.values()))):
            return found
        return tuple(map(narrow, found)) if isinstance(found, tuple) else narrow(found)

    return call


def refusing(function, place):
    """The function as it takes indices on a 32-bit machine."""

    def call(*args, **options):
        if np.ndim(args[place]) and wide(args[place]):
            raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'")
        return function(*args, **options)

    return call


@pytest.fixture
def integers_of_32_bits(monkeypatch):
    """NumPy as it is on armhf and i386, and for its defaults on Windows before NumPy 2."""
    for name in DEFAULT + COUNTING:
        monkeypatch.setattr(np, name, narrowed(getattr(np, name), name in COUNTING))
    for name, place in INDEXED.items():
        monkeypatch.setattr(np, name, refusing(getattr(np, name), place))
    assert np.arange(3).dtype == np.flatnonzero([1]).dtype == np.cumsum([True]).dtype == np.int32
    assert np.arange(3, dtype=np.int64).dtype == np.array([2**40]).dtype == np.int64


POSITIONS = sorted(entry.name for entry in catalogue.ENTRIES.values() if entry.family == "positions")
OTHERS = sorted(set(golden.discover.suite_names()) - set(POSITIONS))


def by_hash(suites):
    return sorted(
        (case for suite in suites for case in golden.cases(suite, tier="core")),
        key=lambda case: hashlib.sha256(case.id.encode()).digest(),
    )


def changed(cases):
    return [case.id for case in cases if case_digest(case_entry(case, {})) != LOCK[case.id]]


@pytest.mark.parametrize("suite", POSITIONS)
def test_positions_are_the_same_where_integers_have_32_bits(suite, integers_of_32_bits):
    cases = by_hash([suite])
    assert cases and changed(cases) == []


@pytest.mark.exhaustive
def test_other_suites_are_the_same_where_integers_have_32_bits(integers_of_32_bits):
    cases = by_hash(OTHERS)[:150]
    assert len({case.suite for case in cases}) > 20 and changed(cases) == []


def test_numbers_beyond_32_bits_are_kept(integers_of_32_bits):
    found = refpos.positions.attention_mask_positions(np.array([[0, 1, 1]], np.int32), masked=2**40)
    assert found.dtype == np.int64 and found.tolist() == [[2**40, 0, 1]]
    found = refpos.positions.dual_chunk_positions(
        [2**31 - 1], role="intra", chunk_size=2**31, local_size=0, version="paper"
    )
    assert found.tolist() == [2**31 - 1]
    sequence = refpos.positions.rerope_positions([2**31 - 1], role="query", window=2**31, dtype="int64")
    assert sequence.tolist() == [2**31]
    assert refpos.positions.flux2_positions(1, 1, text_length=0, scale=2**40, references=[(1, 1)]).image[1, 0] == 2**40
    assert refpos.positions.ideogram4_positions(1, 1, text_length=0, offset=2**40).tolist() == [[2**40]] * 3


def test_orders_and_places_are_int64(integers_of_32_bits):
    meta, hf = conversion.layout(6, pairing="interleaved", columns=(1, 0, 2)), conversion.layout(6, pairing="half")
    order = conversion.order(meta, hf, num_heads=2)
    proof = conversion.prove_orders(order, order, meta, hf, num_heads=2)
    found = [
        meta.read, hf.written, order, *conversion.qkv_rows(2, 3, fusion="grouped"),
        conversion.qkv_order(meta, hf, num_heads=2, fusion="concatenated"), proof.q_fix, proof.k_fix,
        refpos.t5_buckets([-3, 9], bidirectional=True), token_positions.behind_cls(2, 3), token_positions.neomme(2, 3),
        token_positions.memory(2, 3, k_repeat=2, num_k_exclude_rope=1), token_positions.omnigen2(2, 3, text_length=4),
    ]  # fmt: skip
    assert [array.dtype.name for array in found] == ["int64"] * len(found)


# -- emulated machines ------------------------------------------------------------------------------------------------


def test_an_emulated_machine_passes_when_it_compared_and_all_is_equal(monkeypatch, capsys):
    few = by_hash(["alibi_slopes"])[:3]
    monkeypatch.setattr(golden, "cases", lambda tier: few)
    assert emulate.corpus(1) == emulate.EQUAL
    assert "3 of 3 cases equal, of 3 in the core corpus" in capsys.readouterr().out
    assert emulate.corpus(-1) == emulate.NONE
    assert "0 of 0 cases equal" in capsys.readouterr().out


@pytest.mark.parametrize("module, name, stand_in", [
    ("read", "read_lock", lambda: {"cases": dict.fromkeys(LOCK, "0")}),
    ("generate", "case_entry", lambda case, payload: 1 / 0),
])  # fmt: skip
def test_an_emulated_machine_fails_when_a_case_differs_or_raises(module, name, stand_in, monkeypatch, capsys):
    few = by_hash(["alibi_slopes"])[:3]
    monkeypatch.setattr(golden, "cases", lambda tier: few)
    monkeypatch.setattr(sys.modules[f"refpos.golden.{module}"], name, stand_in)
    assert emulate.corpus(1) == emulate.DIFFERENT
    said = capsys.readouterr().out
    assert f"differs: {few[0].id}: " in said and "0 of 3 cases equal" in said


def test_an_emulated_machine_gets_every_source_of_the_kernels(tmp_path):
    emulate.copy(tmp_path / "site")
    sources = {path.name for path in (emulate.ROOT / "ext").iterdir()} - {"compiled.c", "__pycache__"}
    assert {"compiled.pyx", "baseline.c", "tables.h"} <= sources
    assert {path.name for path in (tmp_path / "site" / "ext").iterdir()} == sources
    assert not [*(tmp_path / "site").rglob("*.so"), *(tmp_path / "site").rglob("*.pyd")]


# -- packages of Debian ------------------------------------------------------------------------------------------------


def test_a_mirror_that_lacks_a_release_is_one_sentence_and_a_second_release_is_tried(tmp_path, monkeypatch, capsys):
    """An apt that knows no release, and one that knows only the second."""
    apt = tmp_path / "apt-get"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for broken, ends in (("*", None), ("*apt-trixie*", "sid")):
        apt.write_text(f'#!/bin/sh\ncase "$*" in {broken}) exit 100;; esac\n')
        apt.chmod(0o755)
        wanted = {"trixie": ["python3"], "sid": ["python3"]}
        if ends:
            assert emulate.fetch(tmp_path / "one", "arm64", "mirror", wanted)[1] == ends
            assert emulate.fetch(tmp_path / "one", "arm64", "mirror", {})[1] == ends  # it is there
        else:
            with pytest.raises(SystemExit) as stopped:
                emulate.fetch(tmp_path / "none", "arm64", "mirror", wanted)
            said = capsys.readouterr().err.splitlines()
            assert stopped.value.code == 2 and len(said) == 5
            assert said[-1] == "trixie or sid of Debian must have arm64 packages on mirror, got neither: try later"
