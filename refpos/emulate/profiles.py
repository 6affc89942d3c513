"""The emulations: what is computed in which format, step by step."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from ..arithmetic.formats import Format
from ..guard import guarded
from .operations import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, TF32

#: how frequencies are made: "power" 1 / base**t; "exp" exp(i c) with the constant c = -ln(base) / n rounded first;
#: "exp-quotient" exp(-ln(base) i / n) with a product and a quotient; "mlx-exp" the first of these two as
#: 2**(i c log2(e)); "float64" 1 / base**t in float64, then rounded; "running" no frequencies, but a running product of
#: angles; "divisor" base**t, by which positions are divided
FrequencyRule = Literal["power", "exp", "exp-quotient", "mlx-exp", "float64", "running", "divisor"]
Kind = Literal["angles", "slopes"]


@guarded
@dataclass(frozen=True)
class Profile:
    """One emulation. Call it with a function of refpos and the arguments of that function.

    Attributes
    ----------
    name : str
        Name of the emulation.
    meaning : str
        What it does, in words.
    used_by : str
        Projects that compute so.
    kind : {'angles', 'slopes'}
        What it computes.
    arithmetic : Format
        Format of the frequencies, of their product with the position, of sine and cosine.
    frequencies : str
        How the frequencies are computed.
    inv_freq, positions : Format or None
        Formats that these are rounded to before the product, if anything.
    operands : Format or None
        Format that both are rounded to after that.
    angle : Format or None
        Format of the product, of sine and cosine, if another.
    table : Format, 'output' or None
        Format that cosines and sines are rounded to; "output" stands for the format of the result.
    rotation : Format, 'output' or None
        Format of every product and sum of a rotation; None is the one that holds x and the table.
    """

    name: str
    meaning: str
    used_by: str
    kind: Kind = "angles"
    arithmetic: Format = FLOAT32
    frequencies: FrequencyRule = "power"
    inv_freq: Format | None = None
    positions: Format | None = None
    operands: Format | None = None
    angle: Format | None = None
    table: Format | Literal["output"] | None = None
    rotation: Format | Literal["output"] | None = None

    def __call__(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
        """What `function(*arguments, **options)` would return in this arithmetic; see `refpos.emulate`."""
        from .calls import emulated

        return emulated(self, function, arguments, options)

    @property
    def wave_format(self) -> Format:
        """The format of the product of frequency and position, of sine and of cosine."""
        return self.angle or self.arithmetic

    def for_output(self, fmt: Format) -> "Profile":
        """The emulation with the format of the result in place of "output"."""
        wide = {"table": self.table, "rotation": self.rotation}
        return replace(self, **{name: fmt if value == "output" else value for name, value in wide.items()})


def _in_16_bits(fmt):
    """The emulations with one step, or all of them, in a format of 16 bits."""
    name = fmt.name
    yield Profile(
        f"{name}_inv_freq",
        f"float32_angle with inv_freq rounded to {name}, as a buffer is that is cast with its model",
        "models cast with .to(dtype) whose inv_freq is a buffer; EleutherAI/gpt-neox#1003; NeMo Automodel#2549",
        inv_freq=fmt,
    )
    yield Profile(
        f"{name}_positions",
        f"float32_angle with positions rounded to {name}",
        f"positions in the dtype of x: rotary-embedding-torch on queries of {name}; ONNX exports with a {name} range",
        positions=fmt,
    )
    yield Profile(
        f"{name}_angle",
        f"inv_freq, positions, angles, sines and cosines rounded to {name}",
        f"modules cast to {name} as x-transformers' are, and rotary modules below torch.autocast; PegasusX on {name}",
        inv_freq=fmt,
        positions=fmt,
        angle=fmt,
    )
    yield Profile(
        f"{name}_table",
        f"float32_angle with cosines and sines rounded to {name}; a rotation in float32, rounded once",
        f"fused kernels that read a cache of {name}: flash-attn, Liger; vLLM's cos_sin_cache",
        table=fmt,
    )
    yield Profile(
        f"{name}_rotation",
        f"float32_angle with cosines and sines rounded to {name}; each product and sum of a rotation in {name}",
        f"Hugging Face's Llama and its kin on x of {name}; vLLM's PyTorch path",
        table=fmt,
        rotation=fmt,
    )


_ALL = (
    Profile(
        "float64_angle",
        "frequencies by a float64 power, angles, sines and cosines in float64; tables then rounded to the output",
        "NumPy, torch.double, JAX with x64; Flux, Wan and Lumina2 in diffusers",
        arithmetic=FLOAT64,
    ),
    Profile(
        "float64_quotient",
        "positions divided by a float64 power, sines and cosines in float64, then rounded to the output",
        "the sinusoids of Marian, Pegasus, RoFormer, XLM and VideoMAE, made with NumPy",
        arithmetic=FLOAT64,
        frequencies="divisor",
    ),
    Profile(
        "float32_angle",
        "inv_freq = 1 / base**(2i/dim), angles, sines and cosines in float32",
        "the rotary modules of transformers in float32, Meta's Llama, torchtune, vLLM, x-transformers, T5X",
    ),
    Profile(
        "huggingface",
        "float32_angle with cosines and sines rounded to the dtype of x, in which the rotation is done",
        "transformers: LlamaRotaryEmbedding and apply_rotary_pos_emb for x of any dtype",
        table="output",
        rotation="output",
    ),
    Profile(
        "float32_exp",
        "inv_freq = exp(i c), c = -ln(base) / n rounded to float32; angles, sines and cosines in float32",
        "tensor2tensor, fairseq and the PyTorch tutorial; SpeechT5, M2M100 and Speech2Text in transformers",
        frequencies="exp",
    ),
    Profile(
        "mlx",
        "float32_exp whose exponential is 2**(x 1.442695), table and rotation in the dtype of x",
        "mlx.fast.rope on a CPU",
        frequencies="mlx-exp",
        table="output",
        rotation="output",
    ),
    Profile(
        "float32_exp_quotient",
        "inv_freq = exp((-ln(base) i) / n), product and quotient in float32; angles, sines and cosines in float32",
        "get_timestep_embedding of diffusers; timestep_embedding of guided-diffusion and Stable Diffusion",
        frequencies="exp-quotient",
    ),
    Profile(
        "float32_inv_freq",
        "inv_freq computed in float64 and rounded to float32; angles, sines and cosines in float32",
        "frequencies made with NumPy or Python floats and stored as float32",
        frequencies="float64",
    ),
    Profile(
        "ggml_product",
        "a running product: angle_0 = p, angle_(i+1) = angle_i * base**(-2/dim), in float32",
        "ggml and llama.cpp, ggml_rope_cache_init",
        frequencies="running",
    ),
    Profile(
        "tf32_product",
        "float32_angle whose product takes inv_freq and positions rounded to TF32 (10 bits, ties away from zero)",
        "inv_freq @ position_ids on tensor cores; huggingface/transformers#48428, NVIDIA/TensorRT-LLM#19532",
        operands=TF32,
    ),
    *_in_16_bits(BFLOAT16),
    *_in_16_bits(FLOAT16),
    Profile(
        "press_alibi",
        "slopes start * ratio**i in float64, rounded to float32, times distances in float32",
        "the authors' code of ALiBi, ofirpress/attention_with_linear_biases",
        kind="slopes",
    ),
    Profile(
        "bloom_alibi",
        "slopes as float32 powers of a float32 root, times positions in float32",
        "BLOOM, build_alibi_tensor",
        kind="slopes",
    ),
    Profile(
        "mpt_alibi",
        "slopes 1 / 2**(k max_bias / n) in float32, times positions in float32",
        "MPT, build_mpt_alibi_tensor",
        kind="slopes",
    ),
    Profile(
        "falcon_alibi",
        "slopes of bloom_alibi, positions and their products rounded to bfloat16",
        "Falcon, build_alibi_tensor",
        kind="slopes",
    ),
)

#: {name: emulation}, in the order in which they are listed
PROFILES = {profile.name: profile for profile in _ALL}
