"""What programs really compute: named sequences of operations, each correctly rounded in its format.

    refpos.emulate.float32_angle(refpos.rope_table, 4096, refpos.inverse_frequencies(128))

An emulation is called with a function of refpos and the arguments of that function; docs/emulations.md writes out the
steps of each. `PROFILES` lists them by name, `applies(name, function)` says whether one is an emulation of a function,
and `bounds` how far it can be from the exact value.
"""

from .limits import bounds
from .lookup import applies, find, functions
from .profiles import PROFILES, Profile

float64_angle: Profile = PROFILES["float64_angle"]
float64_quotient: Profile = PROFILES["float64_quotient"]
float32_angle: Profile = PROFILES["float32_angle"]
huggingface: Profile = PROFILES["huggingface"]
float32_exp: Profile = PROFILES["float32_exp"]
mlx: Profile = PROFILES["mlx"]
float32_exp_quotient: Profile = PROFILES["float32_exp_quotient"]
float32_inv_freq: Profile = PROFILES["float32_inv_freq"]
ggml_product: Profile = PROFILES["ggml_product"]
tf32_product: Profile = PROFILES["tf32_product"]
bfloat16_inv_freq: Profile = PROFILES["bfloat16_inv_freq"]
bfloat16_positions: Profile = PROFILES["bfloat16_positions"]
bfloat16_angle: Profile = PROFILES["bfloat16_angle"]
bfloat16_table: Profile = PROFILES["bfloat16_table"]
bfloat16_rotation: Profile = PROFILES["bfloat16_rotation"]
float16_inv_freq: Profile = PROFILES["float16_inv_freq"]
float16_positions: Profile = PROFILES["float16_positions"]
float16_angle: Profile = PROFILES["float16_angle"]
float16_table: Profile = PROFILES["float16_table"]
float16_rotation: Profile = PROFILES["float16_rotation"]
press_alibi: Profile = PROFILES["press_alibi"]
bloom_alibi: Profile = PROFILES["bloom_alibi"]
mpt_alibi: Profile = PROFILES["mpt_alibi"]
falcon_alibi: Profile = PROFILES["falcon_alibi"]

__all__ = [
    "PROFILES",
    "Profile",
    "applies",
    "bfloat16_angle",
    "bfloat16_inv_freq",
    "bfloat16_positions",
    "bfloat16_rotation",
    "bfloat16_table",
    "bloom_alibi",
    "bounds",
    "falcon_alibi",
    "find",
    "float16_angle",
    "float16_inv_freq",
    "float16_positions",
    "float16_rotation",
    "float16_table",
    "float32_angle",
    "float32_exp",
    "float32_exp_quotient",
    "float32_inv_freq",
    "float64_angle",
    "float64_quotient",
    "functions",
    "ggml_product",
    "huggingface",
    "mlx",
    "mpt_alibi",
    "press_alibi",
    "tf32_product",
]
