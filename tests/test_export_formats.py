"""`generate --format csv`, `c` and `onnx`: what they hold is the corpus, bit for bit, and nothing is half-written."""

import csv
import importlib.util
import json
import subprocess

import ml_dtypes
import numpy as np
import pytest

from refpos import cli, golden
from refpos.errors import InputError
from refpos.golden.arguments import json_value
from refpos.golden.exports.onnx_models import holds
from refpos.golden.format import bit_strings
from refpos.golden.run import arguments_of, inputs_of, outputs_of

#: every dtype, infinities, NaN, empty tensors, scalars, tensors of one element, arguments with text and floats
FORMS = ["alibi/*", "rope/telling-*", "rope/extreme-*", "inverse_frequencies/*", "t5_buckets/*"]


def members():
    suites = dict.fromkeys(form.partition("/")[0] for form in FORMS)
    found = [case for suite in suites for case in golden.cases(suite, tier="core") if not case.refusal]
    return [
        case for case in found if case.suite != "rope" or case.id.split("/")[1].startswith(("telling-", "extreme-"))
    ]


def tensors(case):
    """(side, name, Tensor) of a case, without what is held as a sample."""
    yield from (("input", name, tensor) for name, tensor in inputs_of(case).items())
    yield from (("output", name, tensor) for name, tensor in outputs_of(case).items() if tensor.values.size <= 4096)


def test_csv_holds_every_element_bit_for_bit(tmp_path):
    assert golden.export(tmp_path, format="csv", cases=FORMS) == len(members()) > 50
    kinds = set()
    for suite in {case.suite for case in members()}:
        with open(tmp_path / f"{suite}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        expected = [
            (case.id, side, name, tensor.dtype, "x".join(map(str, tensor.values.shape)) or "scalar", str(k), bits)
            for case in members()
            if case.suite == suite
            for side, name, tensor in tensors(case)
            for k, bits in enumerate(bit_strings(tensor.values))
        ]
        assert [tuple(row.values())[:-1] for row in rows] == expected
        for row in rows:
            assert again(row["dtype"], row["value"]) == row["bits"] or row["value"] == "nan", row
            kinds |= {row["dtype"], row["value"]} & {"float16", "bfloat16", "float64", "int64", "inf", "-inf"}
        with open(tmp_path / f"{suite}.cases.csv", newline="") as file:
            held = {row["case"]: json.loads(row["arguments"]) for row in csv.DictReader(file)}
        wanted = {
            case.id: {name: json_value(value) for name, value in arguments_of(case).items()}
            for case in members()
            if case.suite == suite
        }
        assert held == wanted
    assert kinds == {"float16", "bfloat16", "float64", "int64", "inf", "-inf"}


def again(dtype, value):
    """The bits of a decimal, read as the dtype by NumPy."""
    if dtype == "bfloat16":
        return f"{np.array(float(value)).astype(ml_dtypes.bfloat16).view(np.uint16).item():04x}"
    made = np.array([value]).astype(dtype) if dtype == "int64" else np.array([np.dtype(dtype).type(value)])
    return bit_strings(made)[0]


PROGRAM = """
#include <stdio.h>
#include <string.h>
INCLUDES
static int shown(const refpos_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < cases[i].tensors; j++) {
            const refpos_tensor *t = &cases[i].tensor[j];
            printf("%s %d %s %s [", cases[i].id, t->is_output, t->name, t->dtype);
            for (size_t k = 0; k < t->dimensions; k++) printf("%s%zu", k ? "," : "", t->shape[k]);
            printf("]");
            size_t item = strstr(t->dtype, "64") ? 8 : strstr(t->dtype, "32") ? 4 : 2;
            for (size_t k = 0; k < t->size; k++) {
                unsigned long long bits = 0;
                if (item == 8) bits = ((const uint64_t *)t->bits)[k];
                if (item == 4) bits = ((const uint32_t *)t->bits)[k];
                if (item == 2) bits = ((const uint16_t *)t->bits)[k];
                printf(" %0*llx", (int)(2 * item), bits);
            }
            printf("\\n%s\\n", cases[i].arguments);
        }
    return 0;
}
int main(void) { return CALLS; }
"""


@pytest.mark.parametrize("compiler", [["cc", "-std=c99"], ["c++", "-x", "c++", "-std=c++11"]], ids=["c", "cpp"])
def test_the_header_holds_every_element_bit_for_bit(compiler, tmp_path):
    assert golden.export(tmp_path, format="c", cases=FORMS) == len(members())
    suites = list(dict.fromkeys(case.suite for case in members()))
    text = PROGRAM.replace("INCLUDES", "\n".join(f'#include "{suite}.h"\n#include "{suite}.h"' for suite in suites))
    calls = " + ".join(f"shown(refpos_{suite}, refpos_{suite}_cases)" for suite in suites)
    (tmp_path / "main.c").write_text(text.replace("CALLS", calls))
    program = tmp_path / "program"
    flags = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, *flags, "-o", program, tmp_path / "main.c"], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    expected = []
    for suite in suites:
        for case in (case for case in members() if case.suite == suite):
            arguments = {name: json_value(value) for name, value in arguments_of(case).items()}
            for side, name, tensor in tensors(case):
                shape = ",".join(map(str, tensor.values.shape))
                head = f"{case.id} {int(side == 'output')} {name} {tensor.dtype} [{shape}]"
                expected += [" ".join([head, *bit_strings(tensor.values)]), json.dumps(arguments, sort_keys=True)]
    assert printed == expected and len(printed) > 100


@pytest.mark.parametrize("format", ["csv", "c"])
def test_the_same_bytes_every_time(format, tmp_path):
    for folder in ("one", "two"):
        golden.export(tmp_path / folder, format=format, cases="alibi/*", dtype="float32")
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["alibi.cases.csv", "alibi.csv"] if format == "csv" else ["alibi.h"]
    for name in files:
        data = (tmp_path / "one" / name).read_bytes()
        assert data == (tmp_path / "two" / name).read_bytes() and data.isascii()
        assert b"float16" not in data.replace(b"(float16, bfloat16)", b"")


def test_a_rotation_that_is_held_as_a_digest_is_no_model():
    """It ended the export of the larger tiers with KeyError: 'output'."""
    large = {case.id for case in golden.cases("rope", tier="extended") if inputs_of(case)["x"].values.size > 4096}
    held = {case.id for tier in ("core", "extended") for case in golden.cases("rope", tier=tier) if holds(case)}
    assert large and len(held) > 100 and not held & large


def test_without_onnx_one_sentence_and_nothing_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert cli.main(["generate", str(tmp_path / "folder"), "--format", "onnx"]) == 2
    error = capsys.readouterr().err
    assert (
        error.count("\n") == 1 and 'needs onnx, got an installation without it: pip install "refpos[interop]"' in error
    )
    assert list(tmp_path.iterdir()) == []


BAD = [
    ({"format": "pdf"}, "format must be .*, got 'pdf'"),
    ({"format": "csv", "cases": "alibi/none"}, "cases must be ids of cases to write"),
    ({"format": "csv", "suites": "alibi", "dtype": "int64"}, "dtype must be that of a case that is chosen"),
    ({"format": "csv", "tier": "some"}, "tier must be"),
    ({"format": "csv", "progress": 3}, "progress must be"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD)
def test_what_cannot_be_exported_is_refused(options, sentence, tmp_path):
    with pytest.raises((InputError, TypeError), match=sentence):
        golden.export(tmp_path / "folder", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "alibi.csv").mkdir()
    with pytest.raises(InputError, match="must be written whole"):
        golden.export(tmp_path, format="csv", cases="alibi/causal-geometric-3x7-f32")
    assert [path.name for path in tmp_path.iterdir()] == ["alibi.csv"]
    (tmp_path / "file").write_text("")
    assert cli.main(["generate", str(tmp_path / "file"), "--format", "c"]) == 2
