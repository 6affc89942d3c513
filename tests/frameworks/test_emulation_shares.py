"""In how many configurations, and at how many elements, emulations have the bits of torch and transformers.

python tests/frameworks/test_emulation_shares.py    writes tests/data/emulation_shares.json and docs/emulations.md
"""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from refpos import emulate

TESTS = Path(__file__).resolve().parents[1]
DATA, PAGE = TESTS / "data" / "emulation_shares.json", TESTS.parent / "docs" / "emulations.md"
START, END = "<!-- shares: written by tests/frameworks/test_emulation_shares.py -->", "<!-- end of shares -->"
CONFIGURATIONS = 48
HEADS = (*range(1, 33), 40, 48, 52, 56, 64, 71, 96, 112, 128)
TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def configuration(number):
    """(what a config says, the call of refpos, positions) of one configuration at random."""
    rng = np.random.default_rng(number)
    kind = ("default", "linear", "yarn", "llama3")[number % 4]
    dim = int(rng.choice([32, 64, 80, 96, 128, 256]))
    base = float(rng.choice([10000.0, 500000.0, 1000000.0, float(np.round(10 ** rng.uniform(3.2, 6.9)))]))
    factor, trained = float(rng.choice([2.0, 4.0, 8.0, 32.0])), int(rng.choice([2048, 4096, 8192]))
    says = {
        "default": {},
        "linear": {"factor": factor},
        "yarn": {"factor": factor, "original_max_position_embeddings": trained},
        "llama3": {"factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                   "original_max_position_embeddings": trained},
    }[kind]  # fmt: skip
    name = {"default": "inverse_frequencies"}.get(kind, kind)
    positions = np.unique(np.r_[0:256, rng.integers(0, 126000, 256)])
    module = LlamaRotaryEmbedding(LlamaConfig(
        hidden_size=2 * dim, num_attention_heads=2, head_dim=dim, max_position_embeddings=int(trained * factor),
        rope_parameters={"rope_type": kind, "rope_theta": base, **says},
    ))  # fmt: skip
    return module, {"function": name, "arguments": {"dim": dim, "base": base, **says}}, positions


def numbers(tensor):
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.uint16).numpy().view(ml_dtypes.bfloat16)
    return tensor.detach().contiguous().numpy()


def off(theirs, ours):
    """(how many elements differ, how many there are)."""
    assert theirs.shape == ours.shape and theirs.dtype == ours.dtype and theirs.size
    return int((theirs != ours).sum()), theirs.size


def of_configuration(number):
    """{what: (elements that differ, elements)} of one configuration."""
    module, call, positions = configuration(number)
    dim, found = call["arguments"]["dim"], {}
    inv_freq = emulate.float32_angle(call["function"], **call["arguments"])[0]
    found["inv_freq"] = off(module.inv_freq.numpy(), np.asarray(inv_freq, np.float32))
    x = np.random.default_rng(number).standard_normal((1, 1, len(positions), dim))
    for name, kind in TYPES.items():
        q = torch.tensor(x).to(kind)
        cos, sin = module(q, torch.tensor(positions)[None])
        ours = emulate.huggingface("rope_table", positions, call, dtype=numbers(q).dtype)
        pairs = [
            off(numbers(part[0, :, : dim // 2]), np.asarray(one)) for part, one in zip((cos, sin), ours, strict=True)
        ]
        found[f"cosines and sines, {name}"] = tuple(map(sum, zip(*pairs, strict=True)))
        turned, _ = apply_rotary_pos_emb(q, q, cos, sin)
        ours = emulate.huggingface("rope", numbers(q), positions, pairing="half", frequencies=call)
        found[f"rotations, {name}"] = off(numbers(turned), np.asarray(ours))
    return found


def of_bloom(heads):
    real = bloom(torch.ones(1, 700, dtype=torch.int64), heads, torch.float32).numpy()[:, 0]
    ours = emulate.bloom_alibi("alibi", heads, 1, 700, mode="linear", anchor="key")[:, 0]
    return {"ALiBi of BLOOM, float32": off(real, ours)}


def measured():
    """{what: [configurations, those without a difference, elements, elements that differ]}."""
    rows = {}
    for found in [*map(of_configuration, range(CONFIGURATIONS)), *map(of_bloom, HEADS)]:
        for what, (different, count) in found.items():
            row = rows.setdefault(what, [0, 0, 0, 0])
            for place, more in enumerate((1, different == 0, count, different)):
                row[place] += int(more)
    return rows


def table(rows):
    lines = ["| | configurations | the same bits in | elements | that differ |", "| --- | ---: | ---: | ---: | ---: |"]
    for what, (count, same, elements, different) in rows.items():
        share = f"{different:,} ({100 * different / elements:.2g} %)" if different else "none"
        lines.append(f"| {what} | {count} | {same} | {elements:,} | {share} |")
    return "\n".join(lines)


def page(text, rows):
    """The page with the table of these rows between its marks."""
    before, rest = text.split(START)
    return f"{before}{START}\n\n{table(rows)}\n\n{END}{rest.split(END)[1]}"


def test_the_shares_are_those_of_the_page():
    """On another processor torch may take other vectors: then twice as many elements may differ."""
    held, found = json.loads(DATA.read_text(encoding="utf-8")), measured()
    assert list(held) == list(found)
    for what, (count, same, elements, different) in found.items():
        assert (count, elements) == (held[what][0], held[what][2]) and count >= 40
        assert held[what][3] / 2 <= different <= 2 * held[what][3], (what, different, held[what])
        assert same < count, what  # the page says nowhere that all bits are the same


def main():
    rows = measured()
    DATA.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
