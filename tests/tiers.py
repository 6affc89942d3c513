"""The tiers of the tests: fast (what `pytest` runs), exhaustive, and frameworks; how many tests each has at least."""

import json
import re
from pathlib import Path

import pytest

COUNTS = Path(__file__).with_name("counts.json")
TIERS = ("fast", "exhaustive", "frameworks")
EVERYTHING = "-m 'not long'"
#: modules whose tests say the same with either kernels: files, pages, configurations, reports, other programs
ONCE = frozenset("""
    test_bounds test_browser test_certificates test_certificates_attacked test_certificates_c test_certificates_of_all
    test_changelog test_check test_check_defects test_check_modules test_check_onnx test_cli test_config
    test_config_empty_keys test_config_encodings test_config_files test_config_gguf test_config_hostile
    test_config_layers test_config_own_keys test_config_parts test_config_random_keys test_config_rows
    test_config_towers test_config_types test_config_unread test_contradictions test_coverage test_dask test_dask_zarr
    test_deprecations test_diagnose_reports test_diagnosis test_diffusers_classes test_docs test_docstrings
    test_dotted_names test_dump test_eight_bit_mistakes test_emulations test_errors test_explanations
    test_export_formats test_exports test_false_green test_false_green_compare test_false_green_docs
    test_false_green_files test_false_green_pytest test_feature_gradient_bounds test_files test_files_hostile
    test_files_writing test_find test_float32 test_float32_answers test_gallery test_gguf_files test_golden_documents
    test_golden_files test_golden_verify test_gradient_bounds_jax test_hard_searches test_house test_in_memory
    test_lessons test_lint test_live test_lock test_measured test_mistakes test_model_types test_mutants test_mutate
    test_mutate_witnesses test_names test_names_of_users test_only_answered test_onnx_export test_operator_exports
    test_orders test_packaging test_panels test_params_json test_picture test_plots test_port_in_c test_power
    test_presets test_read test_read_copies test_read_plants test_read_scores test_read_sinusoids test_read_tables
    test_readers test_release test_releases test_report_commands test_reports test_same_encoding test_says_nothing
    test_site test_softmax_factor test_starter test_testing test_texts test_threads_of_the_field test_tiers
    test_torch_programs test_types test_words test_workflows test_zarr_edits test_zarr_manifest
""".split())  # fmt: skip
#: a test of several instruction sets counts once: which there are depends on the machine
CPU = re.compile(r"(?<=[\[-])(numpy|compiled|baseline|neon|sse\w*|avx\w*)(?=[\]-])")


def sampled(values, every, always=(), several=False):
    """Parameters of a test: every so many of the values in the fast tier, and those that are always there; the others
    in the exhaustive one. several: each value is a tuple of several arguments."""
    left = [bool(k % every) and value not in always for k, value in enumerate(values)]
    return [
        pytest.param(*(value if several else (value,)), marks=[pytest.mark.exhaustive] * out)
        for value, out in zip(values, left, strict=True)
    ]


def least(marks=""):
    """{tier: the number of its tests}, raised by hand when tests are added; without those that run once, where the
    expression of marks leaves them out."""
    held = json.loads(COUNTS.read_text())
    once = held.pop("once")
    return {tier: count - once[tier] for tier, count in held.items()} if "not once" in marks else held


def least_once():
    """{tier: the number of its tests that run once}: no more than there are, or a run without them could fall."""
    return json.loads(COUNTS.read_text())["once"]


def tier_of(marks):
    """The tier of a test by the names of its marks."""
    return next((tier for tier in TIERS[:0:-1] if tier in marks), "fast")


def counted(ran):
    """{tier: number} of (node id, names of marks) of the tests that ran."""
    seen = {tier: set() for tier in TIERS}
    for id, marks in ran:
        if "long" not in marks:
            seen[tier_of(marks)].add(CPU.sub("*", id))
    return {tier: len(ids) for tier, ids in seen.items()}


def seconds(reports):
    """{tier: seconds} of (names of marks, seconds) of all that ran: tests, and what stands up and down around them."""
    spent = dict.fromkeys(TIERS, 0.0)
    for marks, duration in reports:
        spent[tier_of(marks)] += duration
    return spent


def fallen(numbers, required, marks="", once=None):
    """One sentence for each required tier that has fewer tests than it had; unknown names are refused too.

    once: {tier: the number of those marked once}, where they ran too.
    """
    held = least(marks)
    for tier in required:
        if tier not in TIERS:
            yield f"REFPOS_REQUIRE_TIERS must name tiers of {', '.join(TIERS)}, got {tier!r}"
        elif not held.get(tier):
            yield f"tests/counts.json must say how many tests the {tier} tier has, got {held.get(tier)}"
        elif numbers[tier] < held[tier]:
            yield f"the {tier} tier must pass {held[tier]} tests at least (tests/counts.json), got {numbers[tier]}"
        elif once is not None and once[tier] < least_once()[tier]:
            sentence = f"the {tier} tier must pass {least_once()[tier]} tests that are marked once (tests/counts.json)"
            yield f"{sentence}, got {once[tier]}"


def low(numbers, required, once):
    """One sentence for each floor of a required tier from which more than one test in a hundred could vanish unseen.

    once: {tier: the number of those marked once}; None where they were left out, which says nothing of the floors.
    """
    held = json.loads(COUNTS.read_text())
    for tier in required if once is not None else ():
        for name, ran, floor in (
            (tier, numbers[tier], held[tier]),
            (f"once of {tier}", once[tier], held["once"][tier]),
        ):
            if floor < ran - ran // 100:
                yield f"tests/counts.json must say {ran - ran // 200} for {name}, of which {ran} passed, got {floor}"


def summary(numbers, spent, marks=""):
    """What ran of each tier, how long it took in all processes together, and what did not run."""
    parts = [
        f"{numbers[tier]} of {held} {tier} ({spent[tier]:.0f} s)"
        for tier, held in least(marks).items()
        if tier in numbers
    ]
    return f"tiers: {', '.join(parts)}"
