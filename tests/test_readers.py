"""The reader of the corpus in C, which needs no more than the kernels do; the others: tests/frameworks."""

import readers

from refpos.golden.read import DATA


def test_the_suites_hold_every_kind_of_tensor():
    readers.assert_telling(DATA, readers.SUITES)


def test_every_reader_is_tested():
    files = {path.name for path in readers.FOLDER.iterdir()}
    assert files == {"reader.c", "reader.cpp", "reader.rs", "reader.mjs"} and len(readers.READERS) == len(files)


def test_the_reader_in_c(tmp_path):
    command = readers.build("c", tmp_path)
    readers.assert_reads(command, DATA, readers.SUITES)
    readers.assert_notices(command, DATA, tmp_path)


def test_the_reader_in_c_as_a_library(tmp_path):
    readers.assert_copies(readers.build_library("c", tmp_path), DATA, tmp_path)


def test_every_reader_is_used_as_a_library():
    assert set(readers.LIBRARIES) == set(readers.READERS)
