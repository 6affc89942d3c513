"""Golden cases that name timm or positional-encodings, beside what that code computes for them."""

from collections import Counter
from importlib.metadata import version

import positional_encodings.torch_encodings as pe
import pytest
import torch

from frameworks._timm import timm_module
from refpos import compare
from refpos.golden.bounds import bounds_of
from refpos.golden.discover import cases
from refpos.golden.run import arguments_of, inputs_of, outputs_of

#: {project of a case: its distribution}
PROJECTS = {
    "huggingface/pytorch-image-models": "timm",
    "positional-encodings": "positional-encodings",
}
#: {number of axes: modules with channels last and first}
MODULES = {
    1: (pe.PositionalEncoding1D, pe.PositionalEncodingPermute1D),
    2: (pe.PositionalEncoding2D, pe.PositionalEncodingPermute2D),
    3: (pe.PositionalEncoding3D, pe.PositionalEncodingPermute3D),
}
SUITES = ("bands", "fourier_bands", "masked_sine_2d", "sincos_grid")
CASES = {
    case.id: case
    for case in cases()
    if case.suite in SUITES and case.source.get("project") in PROJECTS and not case.refusal
}


def sines_of_cells(case):
    """(rows, channels), as timm has it without axes of a grid."""
    call = case.arguments
    return timm_module("layers").build_sincos2d_pos_embed(
        list(call["grid"]),
        call["dim"],
        reverse_coord=call.get("token_order") == "reversed",
        interleave_sin_cos=call.get("packing", "axes") == "axes",
    )


def cut_channels(case):
    """The module for as many axes, and the one that has channels first."""
    call = case.arguments
    sizes, dim, kind = tuple(call["grid"]), call["dim"], getattr(torch, call["dtype"])
    last, first = MODULES[len(sizes)]
    table = last(dim)(torch.zeros(1, *sizes, dim, dtype=kind))
    permuted = first(dim)(torch.zeros(1, dim, *sizes, dtype=kind))
    assert torch.equal(permuted.movedim(1, -1), table)
    return table[0]


def pixel_bands(case):
    """timm multiplies its bands by pi."""
    call = case.arguments
    linear = call["rule"] == "linear"
    return timm_module("layers").pixel_freq_bands(call["n"], 2 * call["high"], linear_bands=linear) / torch.pi


def fourier_embed(case):
    """The coordinates, then bands outside of axes; the module has evenly spaced bands alone."""
    frequencies = case.arguments["frequencies"]["arguments"]
    module = timm_module("layers").FourierEmbed(2 * frequencies["high"], frequencies["n"], keep_spatial=True)
    if frequencies["rule"] == "geometric":
        module.bands = timm_module("layers").pixel_freq_bands(frequencies["n"], module.max_res, linear_bands=False)
    sizes = [axis["arguments"]["size"] for axis in case.arguments["coordinates"]["arguments"]["coordinates"]]
    features = module(torch.zeros(1, 1, *sizes))[0, 1:]  # behind the one channel of the image
    return features.permute(1, 2, 0)


def counts_of_cells(case):
    """XCiT before its learned projection."""
    call = case.arguments
    module = timm_module("models.xcit").PositionalEncodingFourier(call["dim"] // 2, call["dim"])
    module.token_projection = torch.nn.Identity()
    module.token_projection.weight = torch.zeros(1)
    return module(1, *call["mask"])[0].permute(1, 2, 0)


#: {what the id of a case begins with: what computes it}
REAL = {
    "sincos_grid/timm-": sines_of_cells,
    "sincos_grid/positional-encodings-": cut_channels,
    "bands/pixel-": pixel_bands,
    "fourier_bands/timm-": fourier_embed,
    "masked_sine_2d/xcit-": counts_of_cells,
}


@pytest.mark.parametrize("id", CASES)
def test_the_code_of_a_case_meets_its_class(id):
    case = CASES[id]
    (real,) = [function for prefix, function in REAL.items() if id.startswith(prefix)]
    (expected,) = outputs_of(case).values()
    limits = bounds_of(case.suite, arguments_of(case), inputs_of(case), {"output": expected})
    bounds = {name: limit["output"] for name, limit in limits.items()}
    assert bounds["float32-angle"].max() < 1e-2, "a bound that shows something"
    theirs = real(case).detach().reshape(expected.values.shape)
    patterns = expected.dtype if expected.dtype == "bfloat16" else None  # NumPy has no such dtype
    report = compare(theirs, expected.values, dtype=patterns, bounds=bounds)
    assert report.classes["float32-angle"].met, str(report)


def test_every_case_of_these_projects_is_run(capsys):
    assert {case.source["version"] for case in CASES.values()} == {version(name) for name in PROJECTS.values()}
    run = Counter(case.source["project"] for id, case in CASES.items() if id.startswith(tuple(REAL)))
    of = Counter(case.source["project"] for case in CASES.values())
    with capsys.disabled():
        for name, count in of.items():
            print(f"\n{run[name]} of {count} golden cases of {PROJECTS[name]} {version(PROJECTS[name])}", end="")
    assert run == of and min(of.values()) >= 6 and set(of) == set(PROJECTS)
