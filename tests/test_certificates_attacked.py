"""Documents that were edited, with digests made right and certificates of their own, are refused or not covered."""

import copy
import hashlib
import json
import random
import shutil
import struct
from collections import Counter
from fractions import Fraction

import pytest
from test_certificates import CORPUS, checker, in_c, last_line, sealed
from tiers import sampled

from refpos import catalogue
from refpos.golden.format import bit_strings
from refpos.golden.run import results

__all__ = ["checker", "in_c"]  # fixtures
TABLE, ROTATION = "rope_table/offset-65536-f32", "rope/inverse-half-f32"


def case_of(identity):
    cases = json.loads((CORPUS / f"{identity.split('/')[0]}.json").read_text())["cases"]
    return next(case for case in cases if case["id"] == identity)


def tensor(dtype, shape, bits):
    data = b"".join(bytes.fromhex(one)[::-1] for one in bits)
    head = f"{dtype}\0{','.join(map(str, shape))}\0".encode()
    return {"dtype": dtype, "shape": shape, "bits": bits, "sha256": hashlib.sha256(head + data).hexdigest()}


def document(suite, cases, **fields):
    """A document of cases under a right digest."""
    made = {"cases": cases, "format_version": "1.1", "suite": suite} | fields
    words = json.dumps(made, sort_keys=True, separators=(",", ":")).encode()
    return {"digest": hashlib.sha256(words).hexdigest()} | made


def tried(checker, folder, suite, text):
    """(exit statuses of writing the certificates of a document and of checking them, what is printed)"""
    corpus, certificates = folder / "corpus", folder / "certificates"
    corpus.mkdir(exist_ok=True)
    (corpus / f"{suite}.json").write_text(text if isinstance(text, str) else json.dumps(text))
    payload = CORPUS / f"{suite}.safetensors"
    if payload.exists():
        shutil.copy(payload, corpus)
    words, made = [str(corpus), str(certificates), suite], certificates / f"{suite}.txt"
    made.unlink(missing_ok=True)
    wrote = checker.main([*words, "--write"])
    if not made.exists():
        made.write_text(sealed(checker, f"refpos claims 1 {suite}\n"))
    return wrote, checker.main(words)


def edited(change, identity=TABLE):
    case = copy.deepcopy(case_of(identity))
    change(case)
    return document(identity.split("/")[0], [case])


def test_the_cases_that_are_edited_are_proved(checker, tmp_path, capsys):
    for identity, count in ((TABLE, 128), (ROTATION, None), ("alibi_slopes/recursive-8-f64", 8)):
        found = tried(checker, tmp_path, identity.split("/")[0], edited(lambda case: None, identity))
        assert found == (0, 0), capsys.readouterr().out
        assert count is None or last_line(capsys.readouterr().out) == f"{count} values proved"


# -- outputs ----------------------------------------------------------------------------------------------------------


def cut(case):
    case["outputs"]["cos"] = tensor("float32", [2], case["outputs"]["cos"]["bits"][:2])


def emptied(case):
    case["outputs"]["cos"] = tensor("float32", [0, 4], [])


def without_sines(case):
    del case["outputs"]["sin"]


def of_another_dtype(case):
    case["arguments"]["dtype"] = "float64"


def with_more(case):
    case["outputs"] |= {"crap": case["outputs"]["cos"], "something": case["outputs"]["sin"]}


def turned(case):
    cos = case["outputs"]["cos"]
    case["outputs"]["cos"] = tensor("float32", [4, 16], cos["bits"])


def with_an_error(case):
    case["error"] = {"code": "E_DIM", "argument": "dim"}


def without_outputs(case):
    del case["outputs"]


@pytest.mark.parametrize(
    "change", [cut, emptied, without_sines, of_another_dtype, with_more, turned, with_an_error, without_outputs]
)
def test_outputs_of_other_names_dtypes_and_shapes_are_refused(checker, tmp_path, capsys, change):
    assert tried(checker, tmp_path, "rope_table", edited(change)) == (1, 1)
    said = capsys.readouterr().out
    assert "its call returns" in said or "neither outputs nor an error, or both" in said


def test_some_of_the_slopes_are_refused(checker, tmp_path, capsys):
    def change(case):
        case["outputs"]["output"] = tensor("float64", [3], case["outputs"]["output"]["bits"][:3])

    assert tried(checker, tmp_path, "alibi_slopes", edited(change, "alibi_slopes/recursive-8-f64")) == (1, 1)
    assert "its call returns" in capsys.readouterr().out


def test_a_case_that_stands_twice_is_refused(checker, tmp_path, capsys):
    assert tried(checker, tmp_path, "rope_table", document("rope_table", [case_of(TABLE)] * 2)) == (1, 1)
    assert "stands twice" in capsys.readouterr().out


def test_a_case_of_another_suite_is_refused(checker, tmp_path, capsys):
    case = case_of(TABLE) | {"id": "rope/offset-65536-f32"}
    assert tried(checker, tmp_path, "rope_table", document("rope_table", [case])) == (1, 1)
    assert "a case of another suite" in capsys.readouterr().out


def test_a_cotangent_of_another_shape_is_not_covered(checker, tmp_path, capsys):
    def change(case):
        bits = case["inputs"]["cotangent"]["bits"]
        case["inputs"]["cotangent"] = tensor("float64", [len(bits), 1], bits)

    assert tried(checker, tmp_path, "vjp_xpos", edited(change, "vjp_xpos/queries-f64")) == (2, 2)
    assert "not covered: a cotangent of another shape" in capsys.readouterr().out


def first_sampled(suite):
    """A case of a suite with a sampled output."""
    cases = json.loads((CORPUS / f"{suite}.json").read_text())["cases"]
    return next(case for case in cases if any("sample" in one for one in case.get("outputs", {}).values()))


def changed_sample(case, **fields):
    case = copy.deepcopy(case)
    for one in case["outputs"].values():
        one["sample"] |= fields
    return case


def test_samples_of_other_elements_are_refused(checker, tmp_path, capsys):
    case = first_sampled("sincos_2d")
    (sample,) = (one["sample"] for one in case["outputs"].values())
    bits, stride = sample["bits"], sample["stride"]
    assert tried(checker, tmp_path, "sincos_2d", document("sincos_2d", [case])) == (0, 0)
    for fields in (
        {"stride": 0},
        {"bits": []},
        {"bits": bits[:1] * len(bits), "stride": 0},
        {"bits": bits[:-1]},
        {"bits": bits[::2], "stride": 2 * stride},
        {"bits": [f"0x{one[2:]}" for one in bits]},
    ):
        made = document("sincos_2d", [changed_sample(case, **fields)])
        assert tried(checker, tmp_path, "sincos_2d", made) == (1, 1), fields
        assert "a sample" in capsys.readouterr().out

    def small(case):
        bits = case["outputs"]["cos"].pop("bits")
        case["outputs"]["cos"]["sample"] = {"stride": 1, "bits": bits}

    assert tried(checker, tmp_path, "rope_table", edited(small)) == (1, 1)
    assert "a sample of a small tensor" in capsys.readouterr().out


@pytest.mark.parametrize("axis", sampled(range(3), 3))
def test_the_shape_of_each_output_is_that_of_its_call(checker, axis):
    """An axis one longer, or an axis more, is another shape than the derivation finds, and so is another dtype."""
    count = 0
    for suite in checker.SUITES:
        cases, payload = checker.read_suite(CORPUS, suite)
        for case in [one for one in cases if "outputs" in one][:: 7 if suite.startswith("r") else 3]:
            given = checker.arguments(case, payload)
            assert checker.unread(suite, case, given) is None, case["id"]
            case = copy.deepcopy(case)
            one = list(case["outputs"].values())[-1]
            shape = one["shape"]
            one["shape"] = [n + (k == axis) for k, n in enumerate(shape)] + [1] * (axis >= len(shape))
            with pytest.raises(checker.Refused, match="its call returns"):
                checker.unread(suite, case, given)
            one |= {"shape": shape, "dtype": "int64" if one["dtype"] != "int64" else "float64"}
            with pytest.raises(checker.Refused, match="its call returns"):
                checker.unread(suite, case, given)
            count += 1
    assert count > 1000


def test_each_function_has_a_shape(checker):
    shapes = set(checker.claims.returned.__globals__["SHAPES"])
    frequencies = set(checker.claims.frequencies.ARGUMENTS)
    assert set(checker.SUITES) == shapes | frequencies | set(checker.claims.gradients.INPUTS)
    assert not shapes & frequencies


def test_the_dtype_of_a_call_that_names_none_is_that_of_the_function(checker):
    """The defaults of signatures: float64, integers, the dtype of an input, or no such argument."""
    outputs = checker.claims.returned.__globals__
    for name in checker.SUITES:
        entry = catalogue.ENTRIES.get(name)
        if entry is None or name in checker.claims.frequencies.ARGUMENTS or name.startswith(("round_", "vjp_")):
            continue
        default = entry.defaults.get("dtype", "absent")
        if default == "absent" and "dtype" not in entry.parameters:
            assert name in outputs["NO_DTYPE"], name
        elif default == "int64":
            assert name in outputs["COUNTS"]
        else:
            assert (default is None) == (name in outputs["INPUT_OF"]), name


TEXTS = ("dtype", "frequency", "times", "zone")  # words of which there is no list


# -- words ------------------------------------------------------------------------------------------------------------


def calls_of(suite, arguments):
    """(function, its arguments) of a call and of those within it."""
    yield suite, arguments
    for value in arguments.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and "function" in one:
                yield from calls_of(one["function"], one["arguments"])


def with_unknown_words(case, seen):
    """Copies of a case, each with one word changed, of the arguments that are new to `seen`."""
    count = sum(len(arguments) for _, arguments in calls_of(case["id"].split("/")[0], case["arguments"]))
    for k in range(count):
        changed = copy.deepcopy(case)
        pairs = [
            (function, arguments, name)
            for function, arguments in calls_of(case["id"].split("/")[0], changed["arguments"])
            for name in arguments
        ]
        function, arguments, name = pairs[k]
        if isinstance(arguments[name], (str, bool)) and name not in TEXTS and (function, name) not in seen:
            seen.add((function, name))
            arguments[name] = f"{arguments[name]}x"
            yield function, name, changed


def is_left(checker, suite, case, payload):
    """Whether a case is not covered or refused, before a value of it is looked at."""
    try:
        given = checker.arguments(case, payload)
        reason = checker.unread(suite, case, given)
        checker.claims.claims(suite, given, next(iter(case["outputs"])))
    except (checker.Uncovered, *checker.UNUSABLE):
        return True
    return reason is not None


@pytest.mark.exhaustive
def test_a_word_that_a_function_does_not_have_is_not_covered(checker):
    seen = set()
    for suite in checker.SUITES:
        cases, payload = checker.read_suite(CORPUS, suite)
        for case in [one for one in cases if "outputs" in one]:
            for function, name, changed in with_unknown_words(case, seen):
                assert is_left(checker, suite, changed, payload), (function, name)
    assert len(seen) >= 170


def test_the_words_of_the_derivations_are_words_of_the_corpus(checker):
    """None is listed that no golden case has, so that each is confirmed."""
    words, used = checker.claims.known.__globals__["WORDS"], {}
    for suite in checker.SUITES:
        cases, _ = checker.read_suite(CORPUS, suite)
        for case in [one for one in cases if "outputs" in one]:
            for function, arguments in calls_of(suite, case["arguments"]):
                for name, value in arguments.items():
                    function = function.removeprefix("vjp_")
                    key = f"{function} {name}" if f"{function} {name}" in words else name
                    used.setdefault(key, set()).update(
                        one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)
                    )
    for key, listed in words.items():
        assert set(listed.split()) - {"#", "~"} <= used.get(key, set()), key


@pytest.mark.parametrize(
    "identity, name, word",
    [
        (ROTATION, "pairing", "interleavd"),
        (ROTATION, "pairing", None),
        (ROTATION, "pairing", 1),
        (ROTATION, "inverse", "no"),
        ("alibi/linear-recursive-4x6-f64", "mode", "causl"),
    ],
)
def test_a_misspelt_word_is_not_proved(checker, tmp_path, capsys, identity, name, word):
    def change(case):
        case["arguments"][name] = word

    assert tried(checker, tmp_path, identity.split("/")[0], edited(change, identity)) == (2, 2)
    said = capsys.readouterr().out
    assert f"not covered: {name} {word} of" in said and last_line(said) == "0 values proved"


@pytest.mark.parametrize(
    "change",
    [
        {"zone": "x05:30"},
        {"zone": "UTCx"},
        {"times": ["2015-02-31"]},
        {"times": ["2015-13-01"]},
        {"times": ["2015-00-01"]},
        {"frequency": "x"},
    ],
)
def test_a_time_that_does_not_exist_is_not_proved(checker, change):
    given = {"times": ["2015-01-31T10:00:00+01:00"], "frequency": "D", "zone": "+05:30"}
    for one, refused in ((given, False), (given | change, True)):
        try:
            checker.claims.claims("calendar_features", one, "output")[2](0)
        except (checker.Uncovered, *checker.UNUSABLE):
            assert refused
        else:
            assert not refused, change


def test_an_exponent_dim_of_0_is_not_an_absent_one(checker, tmp_path, capsys):
    def change(case):
        case["arguments"]["frequencies"]["arguments"]["exponent_dim"] = 0

    assert tried(checker, tmp_path, "rope_table", edited(change)) == (2, 2)
    assert last_line(capsys.readouterr().out) == "0 values proved"


# -- defaults ---------------------------------------------------------------------------------------------------------


def written(value):
    """A default of a function as documents hold it."""
    if isinstance(value, float) and not value.is_integer():
        return {"float64": struct.pack(">d", value).hex()}
    return int(value) if isinstance(value, float) else value


def claims_of(checker, suite, given, output):
    """The claims of some elements of an output, in full."""
    thetas, factor, claim = checker.claims.claims(suite, given, output)
    return thetas, factor, [checker.claimed(claim, k, Counter()) for k in range(0, 40, 3)]


@pytest.mark.parametrize("every", sampled((9, 1), 2))
def test_an_argument_that_is_absent_is_the_default_of_the_function(checker, every):
    """Derivations of calls with the default, and of those without it, make the same claims."""
    count = set()
    for suite in checker.SUITES:
        entry = catalogue.ENTRIES.get(suite)
        cases, payload = checker.read_suite(CORPUS, suite)
        for case in [one for one in cases if "outputs" in one and entry][::every]:
            given, output = checker.arguments(case, payload), next(iter(case["outputs"]))
            for name in set(entry.defaults) & set(checker.claims.FUNCTIONS[suite][1].split()):
                default = written(entry.defaults[name])
                if default is None or name == "frequencies":
                    continue
                bare = {key: value for key, value in given.items() if key != name}
                try:
                    without = claims_of(checker, suite, bare, output)
                except (checker.Uncovered, *checker.UNUSABLE):
                    continue
                try:
                    explicit = claims_of(checker, suite, bare | {name: default}, output)
                except (checker.Uncovered, *checker.UNUSABLE):
                    continue
                assert without == explicit, (case["id"], name)
                count.add((suite, name))
    assert len(count) > 60, len(count)
    assert {("masked_sine_2d", "eps"), ("decay", "eps"), ("decay_rates", "eps"), ("distance_features", "eps")} <= count


# -- digests and formats ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, said",
    [
        ({"digest": "0" * 64}, "a document whose digest differs"),
        ({"format_version": "1.0"}, "another format than 1.1"),
        ({"format_version": "2.0"}, "another format than 1.1"),
        ({"suite": "rope"}, "a document of another suite"),
        ({"values_version": "99.0.0"}, "a document whose digest differs"),
    ],
)
def test_a_document_of_another_digest_or_format_is_refused(checker, tmp_path, capsys, fields, said):
    found = document("rope_table", [case_of(TABLE)]) | fields
    assert tried(checker, tmp_path, "rope_table", found) == (1, 1)
    assert said in capsys.readouterr().out


def test_a_digest_of_a_sampled_tensor_is_covered_by_that_of_the_document(checker, tmp_path, capsys):
    found = document("sincos_2d", [first_sampled("sincos_2d")])
    for one in found["cases"][0]["outputs"].values():
        one["sha256"] = "0" * 64
    assert tried(checker, tmp_path, "sincos_2d", found) == (1, 1)
    assert "a document whose digest differs" in capsys.readouterr().out


# -- what cannot be used ----------------------------------------------------------------------------------------------


def base_over_0(case):
    case["arguments"]["frequencies"]["arguments"]["base"] = {"fraction": [1, 0]}


def factor_0(case):
    inner = {"function": "linear", "arguments": {"dim": 8, "factor": 0}}
    case["arguments"]["frequencies"] = inner


def inputs_list(case):
    case["inputs"] = []


def outputs_list(case):
    case["outputs"] = []


@pytest.mark.parametrize("change", [base_over_0, factor_0, inputs_list, outputs_list])
def test_a_case_that_cannot_be_used_is_no_wrong_value(checker, tmp_path, capsys, change):
    assert tried(checker, tmp_path, "rope_table", edited(change)) == (2, 2)
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["[" * 100_000, "", "{", "é", document("rope_table", ["a"])])
def test_a_document_that_cannot_be_read_does_not_hide_the_next_one(checker, tmp_path, capsys, text):
    tried(checker, tmp_path, "rope_table", text)
    case = case_of("alibi_slopes/recursive-8-f64")
    tried(checker, tmp_path, "alibi_slopes", document("alibi_slopes", [case]))
    capsys.readouterr()
    words = [str(tmp_path / "corpus"), str(tmp_path / "certificates"), "rope_table", "alibi_slopes"]
    assert checker.main(words) == 2
    said = capsys.readouterr().out
    assert "rope_table: refused" in said and "alibi_slopes: 8 of 8 values proved" in said


@pytest.mark.parametrize("words", [[], ["folder"], ["--help"], ["folder", "other", "--quick"]])
def test_a_call_of_another_form_prints_the_usage(checker, capsys, words):
    assert checker.main(words) == 2
    assert "python check.py CORPUS CERTIFICATES" in capsys.readouterr().out


def test_certificates_are_not_written_into_a_file(checker, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert checker.main([str(CORPUS), str(tmp_path / "file"), "linear", "--write"]) == 2
    assert "refused" in capsys.readouterr().out


# -- arithmetic -------------------------------------------------------------------------------------------------------


def test_a_power_of_0_has_no_interval(checker):
    with checker.intervals.Precision(256):
        for text in ("0^2", "0^-1", "0^1/2", "-1^2", "-4^2"):
            with pytest.raises(checker.Uncovered, match="not above 0"):
                checker.intervals.evaluated(text)
        assert checker.intervals.evaluated("1/2^2") == checker.intervals.exact(1, 4)


def nearest(checker, dtype, x):
    """The bits of a fraction rounded to 8 bits, by a search of all numbers; a tie goes to the even one."""
    intervals, found = checker.intervals, {}
    for bits in range(128):
        if (dtype == "float8_e5m2" and bits > 124) or bits == 127:
            continue
        infinite = intervals.infinite(bits, dtype)
        found[bits] = Fraction(65536) if infinite else Fraction(*intervals.fraction_of(bits, dtype))
    return min(found, key=lambda bits: (abs(found[bits] - abs(x)), bits % 2)) + (128 if x < 0 else 0)


@pytest.mark.parametrize("dtype, powers", [("float8_e4m3fn", (-13, 3)), ("float8_e5m2", (-20, 12))])
def test_all_numbers_but_the_nearest_are_refuted(checker, dtype, powers):
    """Of fractions, many of them midpoints, and of intervals around numbers that are none of them."""
    intervals, rng = checker.intervals, random.Random(11)
    with intervals.Precision(checker.LEVELS[-1]):
        for _ in range(60):
            x = rng.choice([-1, 1]) * rng.randrange(1, 64) * Fraction(2) ** rng.randrange(*powers)
            exactly = intervals.exact(x.numerator, x.denominator)
            beside = x + Fraction(rng.choice([-1, 1]), 2**40)
            around = exactly[0] + (beside - x) * 2**3520 - 1, exactly[0] + (beside - x) * 2**3520 + 1
            touching = sorted((exactly[0], int(exactly[0] + (beside - x) * 2**3520)))  # no number is at an end
            for point, interval in ((x, exactly), (beside, tuple(map(int, around))), (beside, tuple(touching))):
                left = []
                for bits in range(256):
                    if bits % 128 != 127 and not (dtype == "float8_e5m2" and bits % 128 > 124):
                        left += [] if intervals.refuted(bits, dtype, interval) else [bits]
                assert left == [nearest(checker, dtype, point)], (point, left)


def test_a_gamma_of_0_is_not_covered(checker, tmp_path, capsys):
    arguments = {"dim": 4, "centring": "floor", "gamma": 0, "scale_base": 1, "length": 6, "positions": 6}
    powers = [p - 3 for p in range(6)]
    bits = [struct.pack(">d", one).hex() for e in powers for one in (2.0**-e if e else 1.0, 0.5**e)]
    case = {"id": "xpos_scale/zero", "arguments": arguments, "inputs": {}}
    case["outputs"] = {"output": tensor("float64", [6, 2], bits)}
    assert tried(checker, tmp_path, "xpos_scale", document("xpos_scale", [case])) == (2, 2)
    assert "12 not covered: a gamma that is not above 0" in capsys.readouterr().out


def computed(case):
    """The case with the outputs that refpos computes."""
    found = results(case["id"].split("/")[0], copy.deepcopy(case["arguments"]), {})
    for name, one in found.items():
        head = {"dtype": one.dtype, "shape": list(one.values.shape), "bits": bit_strings(one.values)}
        case["outputs"][name] = tensor(*head.values())


def beta_fast_2(case):
    case["arguments"]["beta_fast"] = 2


def band_of_112_turns(case):
    """The sine of 2**112 pi is 0, and its cosine 1."""
    bands = {"function": "bands", "arguments": {"n": 2, "low": 0, "high": 112, "rule": "powers"}}
    grid = {"function": "grid", "arguments": {"coordinates": [{"function": "listed", "arguments": {"values": [1, 3]}}]}}
    case["arguments"] |= {"coordinates": grid, "frequencies": bands}
    case["inputs"] = {}


@pytest.mark.parametrize(
    "identity, change", [("yarn/ramp-inside-f32", beta_fast_2), ("fourier_bands/first-numbers", band_of_112_turns)]
)
def test_a_true_value_that_is_not_decided_is_no_wrong_one(checker, tmp_path, capsys, identity, change):
    def both(case):
        change(case)
        computed(case)

    found, suite = edited(both, identity), identity.split("/")[0]
    assert tried(checker, tmp_path, suite, found) == (0, 0), capsys.readouterr().out
    assert capsys.readouterr().out.count("not covered: numbers that 3,520 bits do not decide") == 2
    outputs = found["cases"][0]["outputs"]
    ((name, one),) = [(name, one) for name, one in outputs.items() if name != "attention_factor"]
    for k in range(len(one["bits"])):
        bits = list(one["bits"])
        bits[k] = f"{int(bits[k], 16) ^ 1:0{len(bits[k])}x}"
        outputs[name] = tensor(one["dtype"], one["shape"], bits)
        assert tried(checker, tmp_path, suite, document(suite, found["cases"])) == (1, 1), k
        assert "refused" in capsys.readouterr().out


def test_numbers_that_no_interval_decides_are_not_covered(checker):
    """sqrt 4 / 32 is 1/16, which an interval around it never shows: neither proved, nor a wrong value."""
    intervals, reason = checker.intervals, "numbers that 3,520 bits do not decide"
    found = [], "1", ["4 sqrt 32 /", "1 3 /"]
    third = struct.unpack(">Q", struct.pack(">d", 1 / 3))[0]
    sixteenth = struct.unpack(">Q", struct.pack(">d", 1 / 16))[0]
    proof, left = ("yarn/x/output", "float64", [sixteenth, third], found), checker.Counter()
    lines = checker.written(*proof, left)
    assert left == {reason: 1} and len(lines) == 3
    left.clear()
    checker.checked(checker.deque(lines), *proof, left)
    assert left == {reason: 1}
    for bits in ([sixteenth + 1, third], [sixteenth - 1, third], [sixteenth, third + 1]):
        with pytest.raises(checker.Refused, match="another number"):
            checker.written("yarn/x/output", "float64", bits, found, checker.Counter())
        with pytest.raises(checker.Refused):
            checker.checked(checker.deque(lines), "yarn/x/output", "float64", bits, found, checker.Counter())
    with pytest.raises(checker.Refused, match="its call says"):  # a value that is decided may not be left out
        checker.checked(checker.deque(lines[:2]), *proof, checker.Counter())
    intervals.KNOWN.clear()
