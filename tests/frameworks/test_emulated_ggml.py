"""Scaled running products of llama.cpp, with the C library's functions and torch's factors of Llama 3."""

import math
import subprocess

import numpy as np
import pytest
import torch

import refpos
from refpos import emulate

POSITIONS = np.r_[0:200, 4095:4098, 32768, 131071]
#: the loop of ggml_rope_cache_init and rope_yarn (ggml/src/ggml-cpu/ops.cpp), written anew
PROGRAM = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static float end(int dims, int trained, float turns, float base) {
  return dims * logf(trained / (turns * 2 * (float)M_PI)) / (2 * logf(base));
}
int main(int n, char **given) {  /* dim base freq_scale trained (0 without YaRN) factors.. positions.. */
  int dim = atoi(given[1]);
  float base = atof(given[2]), freq_scale = atof(given[3]), scale = powf(base, -2.0f / dim);
  int trained = atoi(given[4]);
  float low = 0, high = 0;
  if (trained) {
    low = fmaxf(0, floorf(end(dim, trained, 32.0f, base)));
    high = fminf(dim - 1, ceilf(end(dim, trained, 1.0f, base)));
  }
  for (int k = 5 + dim / 2; k < n; k++) {
    float theta = atof(given[k]);
    for (int i = 0; i < dim / 2; i++, theta *= scale) {
      float ff = atof(given[5 + i]), whole = theta / ff, angle = freq_scale * whole, size = 1.0f;
      if (trained) {
        float y = (i - low) / fmaxf(0.001f, high - low), mix = 1 - fminf(1, fmaxf(0, y));
        angle = angle * (1 - mix) + whole * mix;
        size *= 1.0f + 0.1f * logf(1.0f / freq_scale);
      }
      printf("%.9g %.9g %.9g\\n", angle, cosf(angle) * size, sinf(angle) * size);
    }
  }
}
"""


def factors_of_llama3(dim, base, factor, low_freq_factor, high_freq_factor, original_max_position_embeddings):
    """The tensor rope_freqs.weight as convert_hf_to_gguf.py makes it."""
    context, made = original_max_position_embeddings, []
    for freq in 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)):
        wavelen = 2 * math.pi / freq
        if wavelen < context / high_freq_factor:
            made.append(1.0)
        elif wavelen > context / low_freq_factor:
            made.append(factor)
        else:
            smooth = (context / wavelen - low_freq_factor) / (high_freq_factor - low_freq_factor)
            made.append(float(1 / ((1 - smooth) / factor + smooth)))
    return torch.tensor(made, dtype=torch.float32).tolist()


LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
CALLS = [
    ("linear", {"dim": 64, "base": 10000.0, "factor": 4.0}),
    ("linear", {"dim": 128, "base": 1000000.0, "factor": 3.0}),
    ("linear", {"dim": 96, "base": 26000.0, "factor": 1.7}),
    ("llama3", {"dim": 128, "base": 500000.0, **LLAMA3}),
    ("llama3", {"dim": 64, "base": 500000.0, **LLAMA3, "factor": 32.0}),
    ("llama3", {"dim": 80, "base": 123456.0, **LLAMA3}),
    ("yarn", {"dim": 128, "base": 1000000.0, "factor": 4.0, "original_max_position_embeddings": 32768}),
    ("yarn", {"dim": 64, "base": 150000.0, "factor": 32.0, "original_max_position_embeddings": 4096}),
    ("yarn", {"dim": 96, "base": 10000.0, "factor": 2.5, "original_max_position_embeddings": 4096}),
]


def printed(tmp_path, name, arguments):
    """(angles, cosines, sines) of the program at POSITIONS."""
    (tmp_path / "ggml.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-ffp-contract=off", "ggml.c", "-o", "ggml", "-lm"], cwd=tmp_path, check=True)
    dim = arguments["dim"]
    scale = 1.0 if name == "llama3" else float(np.float32(1) / np.float32(arguments["factor"]))
    trained = arguments["original_max_position_embeddings"] if name == "yarn" else 0
    factors = factors_of_llama3(**arguments) if name == "llama3" else [1.0] * (dim // 2)
    words = [
        str(tmp_path / "ggml"),
        *map(repr, (dim, arguments["base"], scale, trained, *factors)),
        *map(str, POSITIONS.tolist()),
    ]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return np.moveaxis(np.array(text.split(), np.float64).reshape(len(POSITIONS), dim // 2, 3), -1, 0)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_scalings_of_running_products(name, arguments, tmp_path):
    angle, *real = printed(tmp_path, name, arguments)
    call = {"function": name, "arguments": arguments}
    tables = emulate.ggml_product("rope_table", POSITIONS, call)
    inputs = {"positions": POSITIONS}
    limits = emulate.bounds("ggml_product", "rope_table", {"frequencies": call}, inputs, "float32")
    exact = refpos.rope_table(POSITIONS, getattr(refpos, name)(**arguments), dtype="float32")
    for part, table, number, output in zip(real, tables, exact, ("cos", "sin"), strict=True):
        report = refpos.compare(part.astype(np.float32), table)
        most = 2 if name == "yarn" else 1  # a neighbour of a cosine, and its product with the factor
        assert report.max_ulp <= most and report.different < report.count / 20, report
        error = np.abs(table.astype(np.float64) - number)
        assert (error <= limits[output]).all() and error.max() > limits[output].max() / 1000
    plain = emulate.ggml_product(
        "rope_table", POSITIONS, refpos.inverse_frequencies(arguments["dim"], base=arguments["base"])
    )
    assert np.abs(plain[0] - real[0]).max() > 0.5  # without the scaling
    assert np.abs(angle).max() > 1000


def test_what_is_not_emulated_is_refused():
    yarn = {"dim": 64, "factor": 2.0, "original_max_position_embeddings": 4096, "truncate": False}
    with pytest.raises(refpos.InputError, match="truncate must be True for a running product, got False"):
        emulate.ggml_product("rope_table", 4, {"function": "yarn", "arguments": yarn})
    ntk = {"function": "ntk", "arguments": {"dim": 64, "factor": 2.0}}
    with pytest.raises(refpos.InputError, match=r"frequencies must come from one of .*, got ntk"):
        emulate.ggml_product("rope_table", 4, ntk)
    inner = {"function": "linear", "arguments": {"dim": 64, "factor": 2.0}}
    twice = {"function": "linear", "arguments": {"dim": 64, "factor": 2.0, "frequencies": inner}}
    with pytest.raises(refpos.InputError, match="got linear"):
        emulate.ggml_product("rope_table", 4, twice)
