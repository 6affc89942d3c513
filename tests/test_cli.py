"""The command line as a person and a script meet it: what it prints, where, and how it ends."""

import argparse
import contextlib
import dataclasses
import gc
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import refpos
from refpos import catalogue, cli, golden, public, tensor_files
from refpos.cli import listing
from refpos.conformance import CLASSES
from refpos.golden.read import DATA
from refpos.golden.run import outputs_of
from refpos.steps.waves import tables

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = os.path.dirname(os.path.dirname(refpos.__file__))
COMMANDS = ("list", "show", "config", "check", "generate", "verify", "compare", "bench")


def refpos_command(*arguments, folder=None):
    """Run the command in this process, which spares an import each; standard output and error as text."""
    output, errors = io.StringIO(), io.StringIO()
    before = os.getcwd()
    os.chdir(folder or before)
    try:
        with (
            mock.patch.dict(os.environ, COLUMNS="80"),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(errors),
        ):
            status = cli.main(list(map(str, arguments)))
    except SystemExit as end:  # of the parser of arguments
        status = end.code
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, status, output.getvalue(), errors.getvalue())


def refpos_process(*arguments, module=True):
    """Run the command as a program."""
    script = shutil.which("refpos", path=sysconfig.get_path("scripts"))
    assert module or script, "the refpos command must be installed with the package: pip install -e ."
    head = [sys.executable, "-m", "refpos"] if module else [script]
    environment = {**os.environ, "COLUMNS": "80"}
    if module:
        environment["PYTHONPATH"] = PACKAGE
    return subprocess.run([*head, *arguments], env=environment, capture_output=True, text=True, timeout=300)


def complaint(done):
    """The one line on standard error of a command that could not do its work."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if " kernels, " not in line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("refpos: "), done.stderr
    return lines[0]


@pytest.fixture
def corpus():
    """The shipped corpus, which is what is generated (tests/test_golden.py); tests that change it make a copy."""
    return Path(DATA)


@pytest.fixture
def tensors(tmp_path):
    """Two files of two tensors, of which one differs by one ulp in one element."""
    table = refpos.sinusoidal(40, 8, dtype="float32")
    changed = table.copy()
    changed[3, 4] = np.nextafter(changed[3, 4], np.float32(2))
    np.savez(tmp_path / "right.npz", first=table, second=table)
    np.savez(tmp_path / "wrong.npz", first=table, second=changed)
    np.save(tmp_path / "right.npy", table)
    np.save(tmp_path / "wrong.npy", changed)
    return tmp_path


# -- how it is called -------------------------------------------------------------------------------------------------


def test_version():
    done = refpos_process("--version")
    assert (done.returncode, done.stdout) == (0, f"refpos {refpos.__version__}\n")


@pytest.mark.parametrize("known, within", [((700, 10, 10), 200_000), ((300_000, 5, 5), 300_000), ((0, 10, 10), 0)])
def test_garbage_is_looked_for_rarely_within_a_command_and_as_before_after_it(known, within, monkeypatch):
    seen, before = [], gc.get_threshold()
    monkeypatch.setattr(cli, "parser", lambda: seen.append(gc.get_threshold()[0]) or argparse.ArgumentParser())
    try:
        gc.set_threshold(*known)
        assert cli.main([]) == cli.UNUSABLE  # a parser without commands, which makes main fail
        assert (seen, gc.get_threshold()) == ([within], known)
    finally:
        gc.set_threshold(*before)


@pytest.mark.exhaustive
def test_the_console_script_is_the_module():
    by_script, by_module = refpos_process("list", module=False), refpos_process("list")
    assert by_script.returncode == 0
    assert by_script.stdout == by_module.stdout == refpos_command("list").stdout


@pytest.mark.exhaustive
def test_the_program_ends_as_the_command_does(tensors):
    files = [str(tensors / name) for name in ("wrong.npz", "right.npz")]
    for arguments, status in ((["compare", *files], 1), (["compare", files[0], "nowhere.npz"], 2), (["dance"], 2)):
        by_process, here = refpos_process(*arguments), refpos_command(*arguments)
        assert by_process.returncode == here.returncode == status
        assert (by_process.stdout, by_process.stderr) == (here.stdout, here.stderr)


@pytest.mark.parametrize(
    "arguments", [(), ("dance",), ("show",), ("generate",), ("verify",), ("compare", "a.npy"), ("list", "--frob")]
)
def test_calls_that_make_no_sense_end_with_2_and_the_usage(arguments):
    done = refpos_command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("usage: refpos")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_fits_80_columns_and_states_the_exit_status(command):
    done = refpos_command(*command, "--help")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "exit status: 0 all is well; " in done.stdout and "2 something is missing" in " ".join(done.stdout.split())
    assert ("1 numbers differ" in done.stdout) == (command in ((), ("config",), ("check",), ("verify",), ("compare",)))
    if not command:
        assert all(name in done.stdout for name in COMMANDS)
    else:
        assert "--json" in done.stdout


def test_list_imports_nothing_it_does_not_need():
    code = "import sys; from refpos.cli import main; main(['list']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stderr.split())
    assert "refpos.catalogue" in loaded
    late = {
        "refpos.golden",
        "refpos.conformance.compare",
        "refpos.conformance",
        "refpos.tensor_files",
        "ml_dtypes",
        "torch",
    }
    assert not loaded & late


# -- list and show ----------------------------------------------------------------------------------------------------


def test_list_begins_with_what_most_models_use():
    short, whole = refpos_command("list").stdout, refpos_command("list", "--all").stdout
    assert len(short.splitlines()) < 0.4 * len(whole.splitlines())
    for name, entry in catalogue.ENTRIES.items():  # each once, described or as a name
        assert re.search(rf"\b{name}\b", short), name
        assert (f"\n  {name} " in short) == public.is_core(name) and f"\n  {name} " in whole
        assert entry.family in short
    assert short.splitlines()[1].split()[0] == "sinusoidal"


def test_list_names_every_encoding_under_its_family():
    done = refpos_command("list", "--all")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    family = None
    found = {}
    for line in done.stdout.splitlines():
        heading = re.match(r"(\w+): ", line)
        entry = re.match(r"  (\w+) ", line)
        if heading:
            family = heading[1]
        elif entry:
            found[entry[1]] = family
    assert found == {name: entry.family for name, entry in catalogue.ENTRIES.items()}


def test_a_bar_in_a_table_of_markdown_ends_no_cell():
    entry = dataclasses.replace(catalogue.ENTRIES["rope"], conventions="pairs | halves")
    *_, row = listing.markdown([entry])
    assert row.endswith(r" | pairs \| halves |") and len(re.findall(r"(?<!\\)\|", row)) == 5


def test_list_as_json_says_all():
    entries = json.loads(refpos_command("list", "--json").stdout)
    assert {entry["name"] for entry in entries} == set(catalogue.ENTRIES)
    for entry in entries:
        known = catalogue.ENTRIES[entry["name"]]
        for field in ("family", "paper", "summary", "conventions"):
            assert entry[field] == getattr(known, field)
        assert entry["signature"].startswith(entry["name"] + "(")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", catalogue.ENTRIES)
def test_show_an_encoding(name):
    done = refpos_command("show", name)
    assert done.returncode == 0
    entry, count = catalogue.ENTRIES[name], len(golden.cases(name))
    flowing = " ".join(done.stdout.split())
    for part in (entry.family, entry.paper, entry.conventions, entry.summary, f"golden cases: {count}, "):
        assert " ".join(part.split()) in flowing
    assert ">>> " in done.stdout
    found = json.loads(refpos_command("show", name, "--json").stdout)
    assert (found["name"], found["golden_cases"]) == (name, count)


def test_show_lists_the_cases_of_a_suite():
    cases = golden.cases("rope")
    shown = refpos_command("show", "rope/").stdout
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("rope/")] == [case.id for case in cases]
    listed = json.loads(refpos_command("show", "rope/", "--json").stdout)
    assert [case["id"] for case in listed] == [case.id for case in cases]


def test_show_a_case_with_its_first_values():
    case = next(c for c in golden.cases("rope_table", tier="core") if not c.refusal)
    done = refpos_command("show", case.id)
    assert done.returncode == 0
    held = golden.load(case.id)
    assert case.id in done.stdout
    assert held.entry["outputs"]["cos"]["sha256"][:16] in done.stdout
    assert f"{float(held.outputs['cos'].values.reshape(-1)[0]):.9g}" in done.stdout
    assert json.loads(refpos_command("show", case.id, "--json").stdout) == held.entry


def test_show_an_emulation_with_its_functions():
    shown = " ".join(refpos_command("show", "float32_angle").stdout.split())
    found = json.loads(refpos_command("show", "float32_angle", "--json").stdout)
    assert f"used by: {found['used_by']} functions: {', '.join(found['functions'])}" in shown
    assert len(found["functions"]) > 9


def test_show_a_refused_case_says_the_code():
    case = next(c for c in golden.cases("rope") if c.refusal)
    assert " ".join(case.refusal) in refpos_command("show", case.id).stdout


def test_show_a_flag_with_its_threads_and_a_class():
    shown = refpos_command("show", "NarrowAngle").stdout
    assert "bfloat16" in shown and all(link in shown for link in golden.FLAGS["NarrowAngle"].links)
    shown = " ".join(refpos_command("show", "float32-angle").stdout.split())
    assert CLASSES["float32-angle"].meaning in shown


def test_show_an_unknown_name_says_what_lists_the_known_ones():
    line = complaint(refpos_command("show", "qqqq"))
    assert "E_CHOICE" in line and "'qqqq'" in line and "`refpos list`" in line and len(line) < 200


@pytest.mark.parametrize(
    "wrong, near",
    [
        ("ropee", "rope"),
        ("sinusodal", "sinusoidal"),
        ("narrowangel", "NarrowAngle"),
        ("rope/lama-3-128-f32", "rope/llama-3-128-f32"),
    ],
)
def test_show_a_misspelled_name_offers_the_near_one(wrong, near):
    line = complaint(refpos_command("show", wrong))
    assert near in line and repr(wrong) in line


def test_config_names_the_option_for_a_file_without_model_type(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert "--model-type NAME" in complaint(refpos_command("config", "config.json", folder=tmp_path))
    assert "must be given" not in complaint(
        refpos_command("config", "config.json", "--model-type", "nothing", folder=tmp_path)
    )


# -- generate ---------------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_generate_says_how_many_and_where(corpus, tmp_path):
    count = len(golden.cases(tier="core"))
    done = refpos_command("generate", "gold", folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout == f"wrote {count} golden cases of tier core into {tmp_path / 'gold'}\n"
    assert count >= 150
    again = refpos_command("generate", "gold", folder=tmp_path)
    assert again.stdout == f"wrote 0 golden cases of tier core into {tmp_path / 'gold'} ({count} were there already)\n"
    for file in corpus.iterdir():
        assert file.read_bytes() == (tmp_path / "gold" / file.name).read_bytes()


@pytest.mark.parametrize("kind", ["npz", "csv", "c"])
def test_generate_says_what_a_format_leaves_out(kind, tmp_path):
    given = ["generate", "a", "--format", kind, "--case", "rope_table/llama-2-cache-f32"]
    done = refpos_command(*given, "--case", "rope_table/telling-*", "--case", "window_bias/*", folder=tmp_path)
    count = 1 + sum(case.id.startswith("rope_table/telling-") for case in golden.cases("rope_table", tier="core"))
    count += sum(not case.refusal for case in golden.cases("window_bias", tier="core"))
    assert done.returncode == 0 and done.stdout == (
        f"wrote {count} golden cases of tier core into {tmp_path / 'a'}; left out are 3 outputs of 2 of them, each of"
        " more than 4096 elements, of which the corpus holds a digest and a sample\n"
    )
    found = json.loads(refpos_command(*given, "--json", folder=tmp_path).stdout)
    assert found["cases"] == 1 and found["left_out"] == {"outputs": 2, "cases": 1, "elements_above": 4096}
    done = refpos_command("generate", "a", "--format", kind, "--case", "rope_table/telling-*", folder=tmp_path)
    assert done.stdout.endswith(f"into {tmp_path / 'a'}\n")


@pytest.mark.exhaustive
def test_generate_resumes_where_a_file_is_missing(corpus, tmp_path):
    copy = tmp_path / "gold"
    shutil.copytree(corpus, copy)
    (copy / "alibi.json").unlink()
    found = json.loads(refpos_command("generate", copy, "--json").stdout)
    assert found["written"] == len(golden.cases("alibi", tier="core")) < found["cases"]
    assert (copy / "alibi.json").read_bytes() == (corpus / "alibi.json").read_bytes()


@pytest.mark.exhaustive
def test_generate_one_suite_and_the_prompt(tmp_path):
    done = refpos_command("generate", tmp_path / "a", "--suite", "alibi", "--suite", "rope_table", "--json")
    wanted = len(golden.cases("alibi", tier="core")) + len(golden.cases("rope_table", tier="core"))
    assert json.loads(done.stdout)["cases"] == wanted
    assert json.loads(done.stdout)["left_out"] is None  # documents hold a digest and a sample of what is large
    done = refpos_command("generate", tmp_path / "b", "--suite", "rope_table", "--prompt")
    assert done.returncode == 0 and "prompts" in done.stdout
    text = (tmp_path / "b" / "rope_table.json").read_text()
    assert '"wanted"' in text and '"outputs"' not in text


@pytest.mark.exhaustive
@pytest.mark.parametrize("threads", [1, 5])
def test_generate_gives_the_same_bytes_with_any_number_of_threads(threads, corpus, tmp_path, monkeypatch):
    asked = set()
    for_blocks = tables.for_blocks
    monkeypatch.setattr(tables, "for_blocks", lambda *given: (asked.add(given[-1]), for_blocks(*given)))
    assert cli.main(["generate", str(tmp_path), "--suite", "rope_table", "--threads", str(threads)]) == 0
    assert asked == {threads, None}  # None: the hardness of a case is found apart
    for file in tmp_path.glob("rope_table.*"):
        assert file.read_bytes() == (corpus / file.name).read_bytes()


def test_generate_npz_is_read_by_numpy(tmp_path):
    assert refpos_command("generate", tmp_path, "--suite", "rope_table", "--format", "npz").returncode == 0
    with np.load(tmp_path / "rope_table.npz") as held:
        case = next(c for c in golden.cases("rope_table", tier="core") if f"{c.id}/cos" in held)
        assert held[f"{case.id}/cos"].tobytes() == golden.load(case.id).outputs["cos"].values.tobytes()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--suite", "nothing"), ("E_CHOICE", "'nothing'", "`refpos list`")),
        (("--prompt", "--format", "npz"), ("E_CHOICE", "npz")),
        (("--threads", "0"), ("E_SIZE", "threads")),
    ],
)
def test_generate_refuses(arguments, words, tmp_path):
    line = complaint(refpos_command("generate", tmp_path / "gold", *arguments))
    assert all(word in line for word in words)


def test_generate_into_a_file_is_refused(tmp_path):
    (tmp_path / "gold").write_text("")
    assert "E_FILE" in complaint(refpos_command("generate", tmp_path / "gold"))


# -- verify -----------------------------------------------------------------------------------------------------------


def answers(suite, change=lambda id, name, tensor: tensor):
    """The right answers of a suite's core tier, each after a change, as a dict for a file of tensors."""
    found = {}
    for case in golden.cases(suite, tier="core"):
        for name, tensor in ({} if case.refusal else outputs_of(case)).items():
            found[f"{case.id}/{name}"] = change(case.id, name, tensor)
    return found


def with_one_bit_off(id, name, tensor):
    """The tensor with the last bit of its first element changed, in one case only."""
    if id != "alibi_slopes/recursive-6-f32":
        return tensor
    patterns = tensor.values.copy().view(np.uint32)
    patterns.flat[0] ^= 1
    return tensor_files.Tensor(tensor.dtype, patterns.view(np.float32))


def test_the_case_whose_bit_is_changed_exists():
    case = golden.load("alibi_slopes/recursive-6-f32")
    assert case.outputs["output"].dtype == "float32" and case.outputs["output"].values.shape == (6,)


@pytest.mark.exhaustive
def test_verify_a_folder_counts_every_suite(corpus):
    done = refpos_command("verify", corpus)
    assert done.returncode == 0, done.stdout + done.stderr
    for suite in golden.suite_names():
        count = sum(not case.refusal for case in golden.cases(suite, tier="core"))
        row = re.search(rf"^{suite} +(\d+) +(\d+) +(\d+)", done.stdout, re.MULTILINE)
        assert row and count <= int(row[1]) == int(row[2]) == int(row[3])
    total = len(golden.cases(tier="core"))
    assert f"ran {total} of {total}: every case meets correct" in done.stdout
    total = len(golden.cases("rope", tier="core"))
    assert f"ran {total} of {total}: " in refpos_command("verify", corpus, "--suite", "rope").stdout


@pytest.mark.parametrize("place", ["bit", "missing", "truncated"])
def test_verify_a_damaged_folder_is_refused(place, corpus, tmp_path):
    copy = tmp_path / "gold"
    shutil.copytree(corpus, copy)
    target = copy / "rope_table.safetensors"
    data = bytearray(target.read_bytes())
    if place == "bit":
        data[-5] ^= 4
    if place == "missing":
        target.unlink()
    else:
        target.write_bytes(data[:-1] if place == "truncated" else data)
    line = complaint(refpos_command("verify", copy))
    assert "E_FILE" in line and "rope_table.safetensors" in line


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_verify_right_answers(kind, tmp_path):
    write = tensor_files.write_npz if kind == "npz" else tensor_files.write_safetensors
    write(tmp_path / f"answers.{kind}", answers("alibi_slopes"))
    asked = "--suite", "alibi_slopes", "--conformance", "correct"
    done = refpos_command("verify", f"answers.{kind}", *asked, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(answers("alibi_slopes"))
    assert f"ran {count} of {count}: every case meets correct, correct was required" in done.stdout


def test_verify_one_wrong_bit(tmp_path):
    tensor_files.write_npz(tmp_path / "a.npz", answers("alibi_slopes", with_one_bit_off))
    call = "verify", "a.npz", "--suite", "alibi_slopes"
    # one ulp off is faithful, and that is a class
    assert refpos_command(*call, folder=tmp_path).returncode == 0
    done = refpos_command(*call, "--conformance", "correct", folder=tmp_path)
    assert done.returncode == 1
    assert "alibi_slopes/recursive-6-f32/output: meets faithful, not correct" in done.stdout
    expected = golden.load("alibi_slopes/recursive-6-f32").outputs["output"].values[0]
    assert "worst at [0], 1 ulp" in done.stdout
    assert re.search(rf"expected +{expected} +0x{expected.view(np.uint32):08x}", done.stdout)
    assert "1 differ" in done.stdout.splitlines()[-1]
    found = json.loads(refpos_command(*call, "--conformance", "correct", "--json", folder=tmp_path).stdout)
    assert (found["passed"], found["differs"], found["ran"]) == (False, 1, found["expected"])


def test_verify_says_which_call_gives_the_numbers(tmp_path):
    def swap(id, name, tensor):
        turned = "-wh" in id or "-hw" in id
        half = tensor.values.shape[-1] // 2
        return tensor_files.Tensor(tensor.dtype, np.roll(tensor.values, half, -1)) if turned else tensor

    tensor_files.write_npz(tmp_path / "a.npz", answers("sincos_2d", swap))
    done = refpos_command("verify", "a.npz", "--suite", "sincos_2d", folder=tmp_path)
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    named = re.findall(r"(\d+) cases?: your numbers are those of axis_order='(..)' \(asked: axis_order='(..)'\)", said)
    assert {(one, other) for _, one, other in named} == {("wh", "hw"), ("hw", "wh")} and len(named) == 2
    assert sum(int(count) for count, _, _ in named) == 8
    assert "8 cases: not tried" in said and "AxisOrder" not in said


@pytest.mark.exhaustive
def test_verify_says_which_flag_the_failing_cases_share(tmp_path):
    def swap(id, name, tensor):
        if "-wh" not in id and "-hw" not in id:
            return tensor
        noise = np.random.default_rng(len(id)).permutation(tensor.values.reshape(-1))  # which is no mistake
        return tensor_files.Tensor(tensor.dtype, noise.reshape(tensor.values.shape))

    tensor_files.write_npz(tmp_path / "a.npz", answers("sincos_2d", swap))
    done = refpos_command("verify", "a.npz", "--suite", "sincos_2d", folder=tmp_path)
    assert done.returncode == 1
    assert re.search(r"^NonSquare: in (\d+) of \1 failing cases", done.stdout, re.MULTILINE), done.stdout
    assert golden.FLAGS["NonSquare"].links[0] in done.stdout


def test_verify_missing_answers_end_with_2(tmp_path):
    found = answers("alibi_slopes")
    del found["alibi_slopes/recursive-6-f32/output"]
    found["alibi_slopes/of-my-own/output"] = np.zeros(3)
    tensor_files.write_npz(tmp_path / "a.npz", found)
    done = refpos_command("verify", "a.npz", "--suite", "alibi_slopes", folder=tmp_path)
    assert done.returncode == 2
    assert "missing: alibi_slopes/recursive-6-f32" in done.stdout
    assert "1 are missing" in done.stdout.splitlines()[-1]


@pytest.mark.exhaustive
def test_verify_answers_of_one_format(tmp_path):
    kept = {name: tensor for name, tensor in answers("rope_table").items() if tensor.dtype == "float32"}
    tensor_files.write_npz(tmp_path / "a.npz", kept)
    assert refpos_command("verify", "a.npz", "--suite", "rope_table", folder=tmp_path).returncode == 2
    done = refpos_command("verify", "a.npz", "--suite", "rope_table", "--dtype", "float32", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"ran {len(kept) // 2} of {len(kept) // 2}" in done.stdout


def test_the_blind_exchange(tmp_path):
    folder = tmp_path / "prompt"
    assert refpos_command("generate", folder, "--suite", "alibi", "--prompt").returncode == 0
    tensor_files.write_safetensors(folder / "answers.safetensors", answers("alibi"))
    done = refpos_command("verify", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(answers("alibi"))
    assert f"ran {count} of {count}: every case meets correct" in done.stdout


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("absent.npz",), ("E_FILE", "absent.npz")),
        (("text.npz",), ("E_FILE", "text.npz")),
        (("a.npz", "--suite", "nothing"), ("E_CHOICE", "'nothing'", "`refpos list`")),
        (("a.npz", "--case", "rope/nothing"), ("E_CHOICE", "'rope/nothing'")),
        (("a.npz", "--conformance", "nearly"), ("E_CHOICE", "'nearly'", "faithful")),
        (("a.npz", "--dtype", "float7"), ("E_DTYPE", "'float7'")),
        (("a.npz", "--golden", "nowhere"), ("E_FILE", "nowhere")),
    ],
)
def test_verify_refuses(arguments, words, tmp_path):
    tensor_files.write_npz(tmp_path / "a.npz", {"x": np.zeros(3)})
    (tmp_path / "text.npz").write_text("neither numbers nor a zip")
    line = complaint(refpos_command("verify", *arguments, folder=tmp_path))
    assert all(word in line for word in words), line


# -- compare ----------------------------------------------------------------------------------------------------------


def test_compare_equal_files_ends_with_0(tensors):
    done = refpos_command("compare", "right.npz", "right.npz", folder=tensors)
    assert done.returncode == 0
    assert "2 of 2 tensors equal" in done.stdout


def test_compare_shows_the_worst_element_in_decimals_and_bits(tensors):
    done = refpos_command("compare", "wrong.npz", "right.npz", folder=tensors)
    assert done.returncode == 1
    assert "1 of 2 tensors equal" in done.stdout
    expected = refpos.sinusoidal(40, 8, dtype="float32")[3, 4]
    flowing = " ".join(done.stdout.split())
    assert "(3, 4)" in flowing and f"{expected.view(np.uint32):08x}" in flowing and str(expected) in flowing
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_compare_single_tensors_whatever_their_names(tensors):
    assert refpos_command("compare", "right.npy", "right.npy", folder=tensors).returncode == 0
    assert refpos_command("compare", "wrong.npy", "right.npy", folder=tensors).returncode == 1


def test_compare_as_json(tensors):
    done = refpos_command("compare", "wrong.npz", "right.npz", "--json", folder=tensors)
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["passed"] is False
    assert found["tensors"]["first"]["passed"] is True
    assert found["tensors"]["second"]["max_ulp"] == 1
    assert found["tensors"]["second"]["met"] == "faithful"


def test_compare_bfloat16_patterns(tmp_path):
    patterns = np.empty((4, 8), np.uint16)
    refpos.sinusoidal(4, 8, dtype="bfloat16", out=patterns)
    np.save(tmp_path / "patterns.npy", patterns)
    tensor_files.write_safetensors(tmp_path / "tagged.safetensors", {"x": tensor_files.Tensor("bfloat16", patterns)})
    done = refpos_command("compare", "patterns.npy", "tagged.safetensors", "--dtype", "bfloat16", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "bfloat16" in done.stdout


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("absent.npz", "right.npz"), ("E_FILE", "absent.npz")),
        (("right.npy", "right.npz"), ("E_MISSING", "'first'", "right.npy")),
        (("right.npz", "right.npz", "--dtype", "float7"), ("E_DTYPE", "'float7'", "bfloat16")),
        (("text.npz", "right.npz"), ("E_FILE", "text.npz")),
        (("short.npy", "right.npy"), ("E_SHAPE", "right")),
        (("empty.npz", "empty.npz"), ("E_MISSING", "empty.npz")),
    ],
)
def test_compare_refuses(arguments, words, tensors):
    (tensors / "text.npz").write_text("neither numbers nor a zip")
    np.save(tensors / "short.npy", np.zeros(3, np.float32))
    np.savez(tensors / "empty.npz")
    line = complaint(refpos_command("compare", *arguments, folder=tensors))
    assert all(word in line for word in words), line


def test_a_file_name_that_is_no_text_is_shown_escaped(tmp_path):
    command = [sys.executable, "-m", "refpos", "compare", b"\xff.npy", b"\xff.npy"]
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "E_FILE" in complaint(done)


# -- ends that are not the command's own ------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_reader_that_leaves_gets_no_traceback():
    command = [sys.executable, "-m", "refpos", "show", "rope/", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 141
    assert error == ""


@pytest.mark.exhaustive
@pytest.mark.parametrize("arguments", [("list",), ("show", "rope", "--json")])
def test_a_full_disk_is_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "refpos", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )
    assert done.returncode == 2
    assert done.stderr.startswith("refpos: E_FILE: ") and done.stderr.count("\n") == 1


def on_a_terminal(arguments, folder, stop_at=None):
    """Run with standard error on a terminal of 80 columns; (status, standard output, what the terminal received)."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "refpos", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": PACKAGE},
        stdout=subprocess.PIPE,
        stderr=theirs,
        # a job in the background ignores interrupts, and so would its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end has closed
            break
        if not piece:
            break
        received += piece
        if stop_at and stop_at in received:
            process.send_signal(signal.SIGINT)
            stop_at = None
    output = process.stdout.read().decode()
    process.stdout.close()
    os.close(ours)
    return process.wait(60), output, received.decode()


@pytest.mark.exhaustive
def test_the_bar_is_drawn_on_a_terminal_and_wiped(tmp_path):
    status, output, terminal = on_a_terminal(["generate", "gold", "--suite", "rope_table"], tmp_path)
    assert status == 0 and output.startswith("wrote ")
    count = len(golden.cases("rope_table", tier="core"))
    assert f"[{'#' * 24}] {count}/{count}" in terminal
    assert max(len(line) for line in re.split(r"[\r\n]", terminal) if " kernels, " not in line) < 80
    assert terminal.endswith("\r") and not terminal.rsplit("\r", 2)[1].strip()


@pytest.mark.exhaustive
def test_no_bar_elsewhere(tmp_path):
    done = refpos_command("generate", tmp_path / "gold", "--suite", "rope_table")
    assert "[" not in done.stderr and "\r" not in done.stderr


@pytest.mark.exhaustive
def test_an_interruption_ends_with_130_and_leaves_nothing_that_looks_whole(tmp_path):
    # this tier takes long enough that the interruption always finds it at work
    status, output, terminal = on_a_terminal(["generate", "gold", "--tier", "full"], tmp_path, stop_at=b"/")
    assert status == 130 and output == ""
    assert "interrupted" in terminal and "Traceback" not in terminal
    assert not (tmp_path / "gold" / "MANIFEST.json").exists()
    # and the next run completes it
    assert refpos_command("generate", "gold", folder=tmp_path).returncode == 0
    assert (tmp_path / "gold" / "MANIFEST.json").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_the_only_output(command, corpus, tensors):
    arguments = {
        "show": ["alibi"],
        "config": [tensors],
        "check": ["inv_freq.npz", "--config", "config.json"],
        "generate": [tensors / "gold", "--suite", "alibi"],
        "verify": [corpus],
        "compare": ["right.npz", "right.npz"],
        "bench": ["--work", "rope_table", "--runs", "1"],
    }
    (tensors / "config.json").write_text('{"model_type": "llama"}')
    np.savez(tensors / "inv_freq.npz", inv_freq=refpos.inverse_frequencies(128).rounded("float32"))
    done = refpos_command(command, *arguments.get(command, []), "--json", folder=tensors)
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)
