"""refpos imported from a zip archive: encodings and configurations run; golden data says that it needs files."""

import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

import refpos
from refpos import golden
from refpos.golden.read import read_lock

PACKAGE = Path(refpos.__file__).resolve().parent
SENTENCE = "must be files: unpack the zip archive to use golden data, got a package in a zip archive"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("zip") / "refpos.zip"
    with zipfile.ZipFile(path, "w") as file:
        for source in PACKAGE.rglob("*"):
            if source.is_file() and source.suffix in (".py", ".json", ".safetensors"):
                file.write(source, source.relative_to(PACKAGE.parent))
    return path


def printed(archive, code):
    code = f"import refpos\nfrom refpos import golden\nassert 'refpos.zip' in refpos.__file__\n{textwrap.dedent(code)}"
    environment = {**os.environ, "PYTHONPATH": str(archive), "REFPOS_KERNELS": "numpy", "PYTHONSAFEPATH": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_encodings_and_configurations_run_from_a_zip_archive(archive, tmp_path):
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4}')
    pairing = f"refpos.from_config({str(config)!r}).parts['text'].rotaries['all'].pairing"
    code = f"print(refpos.sinusoidal(2, 4)[1, 1].hex(), {pairing})"
    assert printed(archive, code) == f"{refpos.sinusoidal(2, 4)[1, 1].hex()} half\n"


@pytest.mark.exhaustive
@pytest.mark.parametrize("call", ["load('rope_table/dim-4')", "verify({'rope_table/dim-4/cos': [1.0]})"])
def test_golden_data_in_a_zip_archive_is_refused_in_one_sentence(archive, call):
    code = f"""
        try:
            golden.{call}
        except refpos.FileError as error:
            print(error)
        """
    assert printed(archive, code).endswith(f" {SENTENCE}\n")


def test_the_lock_of_a_zip_archive_is_read(archive):
    """An empty lock would compare nothing."""
    code = "from refpos.golden.read import read_lock\nprint(len(read_lock()['cases']), golden.VALUES_VERSION)"
    assert printed(archive, code) == f"{len(read_lock()['cases'])} {golden.VALUES_VERSION}\n"
