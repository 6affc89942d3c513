"""`verify --live`: processes that answer, that cannot, and that hang, end, flood or print anything else."""

import json
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from tiers import sampled

from refpos import cli, golden
from refpos.errors import InputError, InputTypeError
from refpos.golden import subprocess_port
from refpos.golden.live import inline
from refpos.golden.run import outputs_of

EXAMPLES = Path(__file__).resolve().parent.parent / "docs" / "live"
SUITE = "inverse_frequencies"
IDS = [f"{SUITE}/dim-{dim}" for dim in (2, 4, 6)]

#: answers every case from a file of right answers; `case` is what was asked, `answer` what will be said
TEMPLATE = """
import json, os, sys, time
ANSWERS = json.load(open(os.path.join(os.path.dirname(__file__), "right.json")))
count = 0
for line in sys.stdin:
    case = json.loads(line)
    answer = {"id": case["id"], "outputs": ANSWERS.get(case["id"])}
    count += 1
    PLANTED
    print(json.dumps(answer), flush=True)
"""


def process(folder, planted="pass", cases=IDS):
    """The command of a process with a mistake, which is a line or more of Python; cases: those it can answer."""
    path = folder / "process.py"
    right = {}
    for suite in {id.partition("/")[0] for id in cases}:
        for case in (case for case in golden.cases(suite) if case.id in cases and not case.refusal):
            right[case.id] = {name: inline(tensor) for name, tensor in outputs_of(case).items()}
    (folder / "right.json").write_text(json.dumps(right))
    path.write_text(TEMPLATE.replace("PLANTED", textwrap.indent(textwrap.dedent(planted), "    ").strip()))
    return [sys.executable, str(path)]


def verified(folder, planted="pass", **options):
    options = {"cases": IDS, "timeout": 20, **options}
    can = options.get("can", options["cases"])
    return golden.verify_live(process(folder, planted, options.pop("can", can)), **options)


@pytest.mark.exhaustive
def test_right_answers_pass(tmp_path):
    result = verified(tmp_path)
    assert result and (result.ran, result.expected, result.met) == (3, 3, "correct")
    seen = []
    suites = ["alibi_slopes", "t5_buckets", "rope_table"]  # every dtype, NaN, infinities, nested calls
    members = [case.id for suite in suites for case in golden.cases(suite, tier="core") if not case.refusal]
    options = {"suites": suites, "cases": None, "can": members}
    result = verified(tmp_path, progress=lambda *step: seen.append(step), **options)
    assert result and result.ran == result.expected == len(members) > 100 and len(seen) == len(members)
    result = verified(tmp_path, dtype="bfloat16", **options)
    assert result and 5 < result.expected < 60


def test_a_refusal_is_asked_for_by_its_id(tmp_path):
    refused = next(case for case in golden.cases("rope") if case.refusal)
    planted = f'answer = {{"id": case["id"], "error": {refused.refusal[0]!r}}}'
    assert verified(tmp_path, planted, cases=[refused.id]).met == "correct"
    planted = 'answer = {"id": case["id"], "error": "E_OTHER"}'
    assert verified(tmp_path, planted, cases=[refused.id]).exit_code == 1
    assert "expected outputs, got the error" in verified(tmp_path, planted).findings[0].sentence


def test_wrong_numbers_differ(tmp_path):
    planted = 'answer["outputs"]["output"]["bits"][0] = "0000000000000000"'
    result = verified(tmp_path, planted)
    assert result.exit_code == 1 and len(result.of("differs")) == 3


#: at the second case: a mistake -> what is said of that case
ONCE = {
    "if count == 2: time.sleep(60)": "no answer in 2 s",
    "if count == 2: sys.exit(3)": "the process ended with status 3 before it answered",
    "if count == 2: os.abort()": "the process was ended by signal 6 before it answered",
    "if count == 2: raise KeyError('cos_cache')": "status 1 before it answered: KeyError: 'cos_cache'",
    "if count == 2: print('loading weights', flush=True); continue": "standard output, got 'loading weights'",
    "if count == 2: os.write(1, b'loading weights\\n{}\\n'); continue": "more than one line for one question",
    "if count == 2: print('[1]', flush=True); continue": "JSON object a line on standard output, got '[1]'",
    "if count == 2: print('[' * 90000, flush=True); continue": "expected one JSON object a line",
    "if count == 2: os.write(1, b'\\xff\\xfe\\x00\\n'); continue": "expected one JSON object a line",
    "if count == 2: answer['id'] = 'rope/other'": "expected an answer with the id",
    "if count == 2: answer = {'id': case['id']}": "expected one of outputs, unsupported and error",
    "if count == 2: answer['outputs'] = []": "expected an object of tensors as outputs, got '[]'",
    "if count == 2: answer['outputs']['output'] = 3": "output: expected a tensor with dtype, shape and bits, got '3'",
    "if count == 2: answer['outputs']['output']['dtype'] = 'float8'": "output: expected a dtype of float64, float32",
    "if count == 2: answer['outputs']['output']['shape'] = [-1]": "output: expected a list of sizes as shape",
    "if count == 2: answer['outputs']['output']['shape'] = [2**30]": "output: expected 1073741824 bit strings",
    "if count == 2: answer['outputs']['output']['bits'][0] = 1.5": "16 hexadecimal digits of float64, got '1.5'",
    "if count == 2: answer['outputs']['output']['bits'][0] = '0x3f'": "16 hexadecimal digits of float64",
    "while count == 2: os.write(1, b'x' * 65536)": "bytes without the end of a line",
    "while count == 2: os.write(2, b'x' * 65536)": "no answer in 2 s",
}


@pytest.mark.parametrize("planted", sampled(list(ONCE), 20))
def test_one_case_without_an_answer_leaves_the_others(planted, tmp_path):
    # the first process goes wrong at its second case; the one that is started then has one case left
    started = time.monotonic()
    result = verified(tmp_path, planted, timeout=2 if "2 s" in ONCE[planted] else 20)
    states = [(finding.id, finding.state) for finding in result.findings]
    assert states == [(IDS[0], "met"), (IDS[1], "unusable"), (IDS[2], "met")], str(result)
    assert ONCE[planted] in result.findings[1].sentence, result.findings[1].sentence
    assert result.exit_code == 2 and len(result.findings[1].sentence) < 400
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("planted", ["if count == 2: sys.exit(0)", "if count == 2: answer['id'] = 'rope/other'"])
def test_a_case_in_trouble_is_not_left_out(planted, tmp_path):
    result = verified(tmp_path, planted, only_answered=True)
    assert result.exit_code == 2 and [finding.id for finding in result.of("unusable")] == [IDS[1]]


def test_other_names_and_shapes_are_said_as_in_a_file(tmp_path):
    planted = "answer['outputs'] = {'inv_freq': answer['outputs']['output']}"
    result = verified(tmp_path, planted)
    assert result.exit_code == 2 and "got '" in result.findings[0].sentence and "inv_freq" in str(result)
    planted = "answer['outputs']['output'].update(shape=[1, *answer['outputs']['output']['shape']])"
    assert "E_SHAPE: expected the shape (1,)" in str(verified(tmp_path, planted))


#: what goes wrong after the last answer
AT_THE_END = {
    "if count == 3: import atexit; atexit.register(os._exit, 7)": "ended with status 7 after its last answer",
    "if count == 3: import atexit; atexit.register(print, 'bye')": "more lines than questions, the first of them 'bye'",
    "if count == 3: import atexit; atexit.register(time.sleep, 60)": "no end of the process 1 s after",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("planted", AT_THE_END)
def test_an_end_that_is_none_does_not_pass(planted, tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess_port, "ENDING", 1.0)
    result = verified(tmp_path, planted)
    assert result.exit_code == 2 and AT_THE_END[planted] in str(result)
    assert [finding.state for finding in result.findings] == ["met", "met", "unusable"]


def test_a_process_that_never_answers_is_not_asked_for_ever(tmp_path):
    started = time.monotonic()
    result = golden.verify_live(["sleep", "60"], suites=[SUITE], timeout=0.2)
    assert result.exit_code == 2 and result.ran == 0 and time.monotonic() - started < 30
    assert len(result.of("unusable")) == result.expected > 20
    sentences = [finding.sentence for finding in result.findings]
    assert sentences[:4] == ["no answer in 0.2 s"] * 3 + ["not asked, as 3 cases in a row had no answer"]
    assert golden.verify_live(["true"], suites=[SUITE]).exit_code == 2
    assert golden.verify_live(["cat"], suites=[SUITE]).exit_code == 2
    assert golden.verify_live(["yes"], suites=[SUITE]).exit_code == 2


@pytest.mark.exhaustive
def test_what_a_process_starts_ends_with_it(tmp_path):
    planted = f"""
        import subprocess
        child = subprocess.Popen(["sleep", "1000"])
        open({str(tmp_path / "pid")!r}, "w").write(f"{{child.pid}} {{os.getpid()}}")
        time.sleep(1000)
    """
    result = verified(tmp_path, planted, cases=IDS[:1], timeout=5)
    assert result.exit_code == 2
    end = time.monotonic() + 10
    while any(map(runs, (tmp_path / "pid").read_text().split())):
        assert time.monotonic() < end
        time.sleep(0.05)


def runs(pid):
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_what_is_unsupported_is_missing_or_left_out(tmp_path):
    planted = "if count == 2: answer = {'id': case['id'], 'unsupported': 'no narrow\\x1b dtypes'}"
    result = verified(tmp_path, planted)
    assert result.exit_code == 2 and result.of("missing")[0].id == IDS[1]
    assert "says that it is unsupported: no narrow\\x1b dtypes" in str(result)
    result = verified(tmp_path, planted, only_answered=True)
    assert result and (result.ran, result.unanswered) == (2, [IDS[1]])
    everything = "answer = {'id': case['id'], 'unsupported': 'all of it'}"
    result = verified(tmp_path, everything, only_answered=True)
    assert not result and result.exit_code == 2 and result.ran == 0


def test_a_long_question_and_a_long_answer_pass_each_other():
    """A process that answers while it is asked does not wait for a reader that waits for it."""
    line = b"x" * (1 << 22)
    asked = subprocess_port.Child(["cat"])
    try:
        assert asked.ask(line + b"\n", 20, 1 << 23) == line
    finally:
        asked.kill()


BAD = [
    ({"command": "ls -l"}, InputTypeError, "command must be a list of words, got 'ls -l'"),
    ({"command": []}, InputTypeError, "command must be a list of words"),
    ({"command": [3]}, InputTypeError, "command must be a list of words"),
    ({"command": ["/nowhere/at-all"]}, InputError, "can be started, got '/nowhere/at-all': No such file"),
    ({"command": ["a\0b"]}, InputError, "can be started"),
    ({"timeout": 0}, InputError, "timeout must be above 0 and at most 86400 seconds, got 0"),
    ({"timeout": float("nan")}, InputError, "timeout must be above 0"),
    ({"timeout": True}, InputError, "timeout must be above 0"),
    ({"cases": ["rope/none"], "suites": [SUITE]}, InputError, "rope/none"),
    ({"dtype": "float16"}, InputError, "dtype must be the format of a case that is expected, got 'float16'"),
    ({"only_answered": 1}, InputError, "only_answered must be True or False"),
    ({"conformance": "right"}, InputError, "conformance"),
]


@pytest.mark.parametrize(("options", "kind", "sentence"), BAD)
def test_what_cannot_be_asked_is_refused(options, kind, sentence):
    options = {"command": ["cat"], "cases": IDS, **options}
    with pytest.raises(kind, match=sentence):
        golden.verify_live(options.pop("command"), **options)


def test_the_command_line(tmp_path, capsys):
    command = ["verify", "--live", "--suite", SUITE, "--only-answered", "--junit", str(tmp_path / "r.xml"), "--"]
    port = [sys.executable, str(EXAMPLES / "port.py")]
    assert cli.main([*command, *port]) == 0
    shown = capsys.readouterr().out
    assert "ran 20 of 20: every case meets float64-angle" in shown or "every case meets" in shown
    assert 'failures="0" errors="0"' in (tmp_path / "r.xml").read_text()
    assert cli.main(["verify", "--live", "--suite", SUITE, "--timeout", "5", "--json", "--", *port]) == 2
    assert json.loads(capsys.readouterr().out)["missing"] > 5
    assert cli.main(["verify", "--timeout", "5", "answers.npz"]) == 2
    assert "--timeout must stand with --live" in capsys.readouterr().err


def test_the_example_in_c(tmp_path):
    program = tmp_path / "port"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2"]
    subprocess.run(["cc", *flags, "-o", program, EXAMPLES / "port.c", "-lm"], check=True)
    result = golden.verify_live([str(program)], suites=[SUITE], only_answered=True)
    assert result and result.ran > 12
