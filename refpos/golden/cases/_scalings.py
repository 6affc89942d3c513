"""Arguments of every scaling that tell each of them apart; the suites of tables and of rotations share them."""

from ..case import call

PARTS = {"dim": 16, "base": 100, "factor": 4, "original_max_position_embeddings": 400, "beta_fast": 20,
         "beta_slow": 0.5}  # fmt: skip
LISTS = {"dim": 8, "base": 100, "short_factor": [1, 1.5, 2, 3], "long_factor": [1.5, 2, 4, 8],
         "original_max_position_embeddings": 4}  # fmt: skip


def _ramp(dim, base, trained, fast, slow, **more):
    return {"dim": dim, "base": base, "factor": 4, "original_max_position_embeddings": trained, "beta_fast": fast,
            "beta_slow": slow, **more}


#: {slug: (about, arguments)} of ramps that a wrong limit of their ends or of their values changes
RAMPS = {
    # D(beta_fast) and D(beta_slow): -1.2 and 9.2
    "beyond": ("a ramp whose ends lie beyond the pairs, at -2 and 10, limited to 0 and 7", _ramp(8, 10, 64, 20, 0.05)),
    "beyond-untruncated": ("a ramp whose ends lie beyond the pairs, at -1.2 and 9.2, limited to 0 and 7",
                           _ramp(8, 10, 64, 20, 0.05, truncate=False)),
    # 1.6 and 4.4
    "inside": ("a ramp from 1 to 5, with pairs on either side", _ramp(16, 100, 100, 6.5, 1.25)),
    # -1.8 and -0.04
    "zero": ("a ramp of which both ends are 0", _ramp(8, 100, 6, 8, 1)),
    # 2.9 and 2.9
    "equal": ("a ramp of equal ends between two pairs", _ramp(16, 100, 100, 3, 3, truncate=False)),
}
#: small numbers, so that each of them moves the angles; of the ramp of PARTS both ends lie between two pairs
SCALED = {
    "linear": ("linear", {"dim": 8, "base": 100, "factor": 4}),
    "linear-of-ntk": ("linear", {"dim": 8, "factor": 4,
                                 "frequencies": call("ntk", dim=8, base=100, factor=4)}),
    "ntk": ("ntk", {"dim": 8, "base": 100, "factor": 4}),
    "ntk-product": ("ntk", {"dim": 8, "base": 100, "factor": 4, "rule": "product"}),
    "dynamic-ntk": ("dynamic_ntk", {"dim": 8, "base": 100, "factor": 4, "max_position_embeddings": 16, "seq_len": 40}),
    "dynamic-ntk-short": ("dynamic_ntk", {"dim": 8, "base": 100, "factor": 4, "max_position_embeddings": 2}),
    "yarn": ("yarn", {**PARTS, "truncate": False, "mscale": 9, "mscale_all_dim": 12}),
    "yarn-clamp-half": ("yarn", {**PARTS, "truncate": False, "clamp": "dim/2-1"}),
    "yarn-truncated": ("yarn", {**PARTS, "attention_factor": 1.25}),
    "yarn-mscale-alone": ("yarn", {**PARTS, "mscale": 0.5}),
    "yarn-all-dim-alone": ("yarn", {**PARTS, "mscale_all_dim": 3}),
    "yarn-ratio": ("yarn", {**PARTS, "mscale": 0.9, "mscale_rule": "ratio"}),
    "yarn-lengths": ("yarn", {**{name: value for name, value in PARTS.items() if name != "factor"},
                              "max_position_embeddings": 1200}),
    "yarn-lengths-short": ("yarn", {"dim": 16, "base": 100, "max_position_embeddings": 16,
                                    "original_max_position_embeddings": 8, "beta_fast": 0.5, "beta_slow": 0.1}),
    **{f"yarn-ramp-{slug}": ("yarn", ramp) for slug, (_, ramp) in RAMPS.items()},
    "ntk-by-parts": ("ntk_by_parts", {**PARTS, "truncate": False}),
    "ntk-by-parts-clamp-half": ("ntk_by_parts", {**PARTS, "truncate": False, "clamp": "dim/2-1"}),
    "ntk-by-parts-truncated": ("ntk_by_parts", PARTS),
    "longrope-long": ("longrope", {**LISTS, "seq_len": 5, "max_position_embeddings": 6}),
    "longrope-short": ("longrope", {**LISTS, "factor": 1.05, "max_position_embeddings": 6,
                                    "original_max_position_embeddings": 2}),
    "longrope-attention-factor": ("longrope", {**LISTS, "seq_len": 5, "factor": 4, "attention_factor": 1.25}),
    "longrope-long-mscale": ("longrope", {**LISTS, "seq_len": 5, "factor": 4, "short_mscale": 1.125,
                                          "long_mscale": 1.5}),
    "longrope-short-mscale": ("longrope", {**LISTS, "seq_len": 4, "factor": 4, "short_mscale": 1.125,
                                           "long_mscale": 1.5}),
    "llama3": ("llama3", {"dim": 16, "base": 100, "factor": 4, "low_freq_factor": 1.5, "high_freq_factor": 6,
                          "original_max_position_embeddings": 64}),
    "proportional": ("proportional", {"dim": 16, "base": 100, "partial_rotary_factor": 0.62, "factor": 4}),
}  # fmt: skip
