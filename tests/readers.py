"""The readers of docs/readers: how each is built and run, and what it must print of a suite."""

import hashlib
import math
import shlex
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np

from refpos import golden
from refpos.golden.format import digest, little_endian
from refpos.golden.read import open_suite

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "readers"
#: language -> (what must be there, the command that builds it, the command that runs it)
READERS = {
    "c": ("cc", "cc -std=c11 -Wall -Wextra -Werror -O2 -o {made} {folder}/reader.c", "{made}"),
    "cpp": ("c++", "c++ -std=c++17 -Wall -Wextra -Werror -O2 -o {made} {folder}/reader.cpp", "{made}"),
    "rust": ("rustc", "rustc --edition 2021 -D warnings -O -o {made} {folder}/reader.rs", "{made}"),
    "javascript": ("node", None, "node {folder}/reader.mjs"),
}
#: suites that hold between them every dtype, NaN, infinities, empty and large tensors, and outputs held as samples
SUITES = ("rope", "alibi", "sinusoidal", "t5_buckets", "t5_bias", "attention", "inverse_frequencies")
#: language -> (a program that copies a suite's outputs to answers with the reader as a library, its file, the command)
LIBRARIES = {
    "c": (
        """
#define REFPOS_READER_NO_MAIN
#include "reader.c"
int main(int argc, char **argv) {
    size_t count, kept = 0;
    refpos_tensor *all = refpos_tensors(argv[1], argv[2], &count), *answers = malloc(count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (all[i].data && !strcmp(all[i].side, "outputs")) answers[kept++] = *refpos_read(all, count, all[i].name);
    refpos_write_answers(argv[3], answers, kept);
    return argc != 4;
}
""",
        "user.c",
        "cc -std=c11 -Wall -Wextra -Werror -I {folder} -o {made} {source}",
    ),
    "cpp": (
        """
#define REFPOS_READER_NO_MAIN
#include "reader.cpp"
int main(int, char **argv) {
    std::vector<refpos::Tensor> answers;
    for (const auto &[name, tensor] : refpos::read(argv[1], argv[2]))
        if (tensor.side == "outputs") answers.push_back(tensor);
    refpos::write_answers(argv[3], answers);
}
""",
        "user.cpp",
        "c++ -std=c++17 -Wall -Wextra -Werror -I {folder} -o {made} {source}",
    ),
    "rust": (
        """
#[path = "FOLDER/reader.rs"]
mod reader;
fn main() -> reader::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let found = reader::read(&words[1], &words[2])?;
    let answers: Vec<_> = found.values().filter(|tensor| tensor.side == "outputs").collect();
    reader::write_answers(&words[3], &answers)
}
""",
        "user.rs",
        "rustc --edition 2021 -D warnings -o {made} {source}",
    ),
    "javascript": (
        """
import { read, write_answers } from "FOLDER/reader.mjs";
const found = Object.entries(read(process.argv[2], process.argv[3]));
write_answers(process.argv[4], Object.fromEntries(found.filter(([, tensor]) => tensor.side === "outputs")));
""",
        "user.mjs",
        None,
    ),
}


def build_library(language, folder):
    """The command that runs the program above, which prints nothing."""
    assert shutil.which(READERS[language][0]), f"{READERS[language][0]} must be installed, got none"
    program, name, building = LIBRARIES[language]
    source, made = folder / name, folder / f"user-{language}"
    source.write_text(program.replace("FOLDER", str(FOLDER)))
    if not building:
        return ["node", source]
    subprocess.run(shlex.split(building.format(folder=FOLDER, made=made, source=source)), check=True)
    return [made]


def assert_copies(command, folder, scratch):
    """Outputs that are read and written again are correct answers; where a bit is wrong nothing is written."""
    for suite in ("sinusoidal", "t5_buckets", "attention"):
        path = scratch / f"{suite}-answers.safetensors"
        done = subprocess.run([*command, folder, suite, path], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), suite
        result = golden.verify(path, suites=suite, only_answered=True, conformance="correct")
        assert result.exit_code == 0 and result.ran > 20, suite
    broken = scratch / "broken"
    broken.mkdir()
    document = (Path(folder) / "alibi_slopes.json").read_bytes()
    at = document.index(b'"bits":["') + len(b'"bits":["')
    (broken / "alibi_slopes.json").write_bytes(document[:at] + bytes([document[at] ^ 1]) + document[at + 1 :])
    done = subprocess.run([*command, broken, "alibi_slopes", broken / "made"], capture_output=True, check=False)
    assert done.returncode != 0 and not (broken / "made").exists()


def build(language, folder):
    """The command that runs a reader; a tool that is absent is a failure, as nothing would be compared without it."""
    tool, building, running = READERS[language]
    assert shutil.which(tool), f"{tool} must be installed, since the reader in {language} is tested with it, got none"
    places = {"made": folder / f"reader-{language}", "folder": FOLDER}
    if building:
        subprocess.run(shlex.split(building.format(**places)), check=True)
    return shlex.split(running.format(**places))


def expected(folder, suite):
    """The lines that a reader prints, computed by refpos."""
    held, lines, sampled = open_suite(folder, suite), [], 0
    for case in held.document["cases"]:
        for tensors in held.tensors(case).values():
            for name, tensor in tensors.items():
                sampled += tensor is None
                if tensor is not None:
                    shape = ",".join(map(str, tensor.values.shape))
                    lines.append(f"{case['id']}/{name} {tensor.dtype} [{shape}] {digest(tensor)} {last(tensor)}")
    return [*lines, f"{len(lines)} tensors agree, 0 differ, {sampled} are held as samples"]


def last(tensor):
    """The last element as a reader shows it."""
    if not tensor.values.size:
        return "empty"
    data = little_endian(tensor.values)[-tensor.values.dtype.itemsize :]
    if tensor.dtype == "bfloat16":
        data = b"\0\0" + data
    code = {"float64": "d", "float32": "f", "float16": "e", "bfloat16": "f", "int64": "q"}[tensor.dtype]
    (value,) = struct.unpack(f"<{code}", data)
    if tensor.dtype == "int64":
        return str(value)
    return "nan" if math.isnan(value) else struct.pack(">d", value).hex()


def assert_reads(command, folder, suites):
    """Every line of every suite."""
    seen = hashlib.sha256()
    for suite in suites:
        done = subprocess.run([*command, folder, suite], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), suite
        lines = expected(folder, suite)
        assert done.stdout.splitlines() == lines and len(lines) > 20, suite
        seen.update(done.stdout.encode())
    return seen


def assert_notices(command, folder, scratch):
    """One bit of a tensor in the document or in the payload, a file cut short, and suites that are not there."""
    for suffix, planted in ((".json", b'"bits":["'), (".safetensors", None)):
        for name in ("rope.json", "rope.safetensors"):
            shutil.copy(Path(folder) / name, scratch / name)
        path = scratch / f"rope{suffix}"
        data = bytearray(path.read_bytes())
        at = data.index(planted) + len(planted) if planted else len(data) - 1
        data[at] ^= 1
        path.write_bytes(data)
        done = subprocess.run([*command, scratch, "rope"], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stdout.count(" DIFFERS ") == 1, suffix
        assert " 1 differ, " in done.stdout
        path.write_bytes(data[: len(data) // 2])
        assert subprocess.run([*command, scratch, "rope"], capture_output=True, check=False).returncode == 2, suffix
    for words in ([scratch, "nothing"], [scratch / "nowhere", "rope"], []):
        assert subprocess.run([*command, *words], capture_output=True, check=False).returncode == 2, words


def assert_telling(folder, suites):
    """The suites hold what is hard to read."""
    tensors = [
        tensor
        for suite in suites
        for held in [open_suite(folder, suite)]
        for case in held.document["cases"]
        for side in held.tensors(case).values()
        for tensor in side.values()
    ]
    full = [tensor for tensor in tensors if tensor is not None]
    assert {tensor.dtype for tensor in full} == {"float64", "float32", "float16", "bfloat16", "int64"}
    assert len(full) < len(tensors) and any(not tensor.values.size for tensor in full)
    assert any(tensor.values.shape == () for tensor in full)
    floats = [tensor.values for tensor in full if tensor.values.dtype.kind == "f" and tensor.values.size]
    assert any(np.isnan(values).any() for values in floats) and any(np.isinf(values).any() for values in floats)
    shown = [last(tensor) for tensor in full]
    assert "nan" in shown and "empty" in shown and "fff0000000000000" in shown
