"""Golden cases of the timestep embedding."""

from ...case import counting, fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Ho et al. 2020, Denoising Diffusion Probabilistic Models, arXiv:2006.11239, appendix B")
value, refused = suite("timestep_embedding", PAPER)
STEPS = (0, 1, 2, 250, 501, 998, 999, 1000)
FLAGS = ("NarrowAngle", "SineCosineOrder", "Endpoint")


def at(values, dtype="int64", shape=None):
    """Timesteps as an input tensor."""
    return {"timesteps": listed(values, dtype, shape)}


def rule(flip, shift, **more):
    """The arguments that have no default, and others."""
    return {"flip_sin_to_cos": flip, "downscale_freq_shift": shift, **more}


def said(rules):
    """The arguments in words."""
    first = "cosines" if rules["flip_sin_to_cos"] else "sines"
    return f"{first} first, shift {rules['downscale_freq_shift']}, scale {rules.get('scale', 1)}"


def hf(name):
    """The code of a model of transformers."""
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


def df(file, function=None):
    """The code of a model of diffusers."""
    return project("diffusers", "0.42.1", f"models/{file}.py", function)


FLOW = (0.0, 0.001, 1 / 3, 0.5, 0.999, 1.0)  # times of flow models, which are scaled by 1000
MODELS = [
    # name, dim, arguments, timesteps, their dtype, dtype of the result, source
    ("ddpm", 128, rule(False, 1), STEPS, "int64", "float32",
     project("hojonathanho/diffusion", "c461299", "diffusion_tf/nn.py", "get_timestep_embedding")),
    ("sd", 320, rule(True, 0), STEPS, "int64", "float32", df("unets/unet_2d_condition")),
    ("dit", 256, rule(True, 0), STEPS, "int64", "float32",
     project("facebookresearch/DiT", "4961bcb", "models.py", "TimestepEmbedder.timestep_embedding")),
    ("dit-diffusers", 256, rule(True, 1), STEPS, "int64", "float32",
     df("embeddings", "CombinedTimestepLabelEmbeddings")),
    ("adm", 192, rule(True, 0), STEPS, "int64", "float16",
     project("openai/guided-diffusion", "aca3097", "guided_diffusion/nn.py", "timestep_embedding")),
    ("adm-odd", 7, rule(True, 0), STEPS, "int64", "float32",
     project("openai/guided-diffusion", "aca3097", "guided_diffusion/nn.py", "timestep_embedding")),
    ("kandinsky3", 384, rule(False, 1), STEPS, "int64", "float32", df("unets/unet_kandinsky3")),
    ("ernie-image", 64, rule(False, 0), STEPS, "int64", "bfloat16", df("transformers/transformer_ernie_image")),
    ("flux", 256, rule(True, 0, scale=1000), FLOW, "float64", "bfloat16", df("transformers/transformer_flux")),
    ("krea2", 256, rule(True, 0, scale=1000), FLOW, "float64", "float32",
     df("transformers/transformer_krea2", "Krea2TimestepEmbedding")),
    ("krea2-bf16", 64, rule(True, 0, scale=1000), (0.333984375, 0.5, 0.99609375), "bfloat16", "bfloat16",
     df("transformers/transformer_krea2", "Krea2TimestepEmbedding")),
    ("prx", 256, rule(True, 0, scale=1000.0, max_period=10000), FLOW, "float64", "float32",
     df("transformers/transformer_prx")),
    ("auraflow", 256, rule(True, 0, scale=1000), FLOW, "float64", "float16",
     df("transformers/auraflow_transformer_2d")),
    ("wan", 256, rule(True, 0), (0.0, 1.0, 500.0, 999.0, 999.5), "float64", "float64",
     project("Wan-Video/Wan2.1", "c8a66f3", "wan/modules/model.py", "sinusoidal_embedding_1d")),
    ("z-image", 256, rule(True, 0), FLOW, "float64", "bfloat16",
     df("transformers/transformer_z_image", "TimestepEmbedder.timestep_embedding")),
    ("ideogram4", 256, rule(False, 1, scale=10000), FLOW, "float64", "float32",
     df("transformers/transformer_ideogram4", "Ideogram4EmbedScalar")),
    ("audio-dit", 256, rule(False, 1, scale=1000), FLOW, "float64", "float32",
     df("transformers/transformer_longcat_audio_dit", "AudioDiTSinusPositionEmbedding")),
    ("rfd4", 256, rule(False, 1, scale=2000, max_period=2000), FLOW, "float64", "float32",
     df("transformers/transformer_rfd4_proteina", "get_rfd4_time_embedding")),
    ("qwen2-5-omni", 256, rule(False, 1, scale=1000), FLOW, "float64", "float32", hf("qwen2_5_omni")),
    ("vibevoice", 256, rule(True, 0), STEPS, "int64", "float32", hf("vibevoice")),
    ("pocket-tts", 256, rule(True, 0), FLOW, "float64", "float32", hf("pocket_tts")),
]  # fmt: skip

CASES = [
    value("one-thousand", "the first rows: sines, then cosines, whose last frequency is 1/10000", dim=8,
          inputs={"timesteps": counting(0, 8)}, **rule(False, 1), flags=("Endpoint",)),
    *[
        value(f"model-{name}-{SHORT[dtype]}", f"{name}: width {dim}, {said(rules)}", dim=dim, dtype=dtype,
              inputs=at(values, kind), source=source, **rules,
              flags=(*FLAGS, *(("FractionalPosition",) if kind != "int64" else ()), *narrow(dtype),
                     *(("OddDimension",) if dim % 2 else ())))
        for name, dim, rules, values, kind, dtype, source in MODELS
    ],
    # both rules in every format
    *[
        value(f"shift-{shift}-{'cos' if flip else 'sin'}-{SHORT[dtype]}", f"shift {shift}, flip {flip}, {dtype}",
              dim=12, dtype=dtype, inputs=at(STEPS), **rule(flip, shift), flags=(*FLAGS, *narrow(dtype)))
        for shift, flip in ((0, False), (1, True)) for dtype in DTYPES
    ],
    # shifts that are not integers, and integers beyond half of the width
    *[
        value(f"shift-{slug}", f"downscale_freq_shift {slug}", dim=10, inputs=at(STEPS), **rule(flip, shift),
              dtype=dtype, flags=FLAGS)
        for slug, shift, flip, dtype in (
            ("half", 0.5, True, "float64"), ("third", fraction(1, 3), False, "float64"),
            ("tenth", 0.1, True, "float32"), ("minus-1", -1, False, "float64"), ("beyond", 7, True, "float64"),
            ("minus-half-bf16", -0.5, True, "bfloat16"),
        )
    ],
    # widths
    *[
        value(f"dim-{dim}-shift-{shift}{'-cos' * flip}", f"width {dim}, shift {shift}", dim=dim, inputs=at((0, 1, 999)),
              **rule(flip, shift), flags=("OddDimension",) if dim % 2 else ("Endpoint",))
        for dim, shift, flip in ((2, 0, False), (2, 0, True), (3, 0, True), (3, 0.5, False), (4, 1, False),
                                 (5, 1, True), (5, 0, False), (17, 1, False))
    ],
    # timesteps
    value("one", "one timestep: an integer is not a count", timesteps=999, dim=6, **rule(True, 0)),
    value("one-half", "one timestep that is a float", timesteps=0.5, dim=6, **rule(True, 0),
          flags=("FractionalPosition",)),
    value("one-negative", "one timestep below 0", timesteps=-1, dim=6, **rule(False, 0)),
    value("batch", "timesteps of shape (2, 3)", dim=6, inputs=at((0, 1, 2, 10, 11, 12), shape=(2, 3)), **rule(True, 0)),
    value("none", "no timesteps", dim=6, inputs=at(()), **rule(True, 0)),
    value("thirds-f64", "thirds as float64 holds them, times 1000", dim=8, inputs=at((1 / 3, 2 / 3), "float64"),
          **rule(True, 0, scale=1000), flags=("FractionalPosition", "NarrowAngle")),
    value("thirds-f32", "thirds as float32 holds them: another number, so another value", dim=8,
          inputs=at((0.3333333432674408, 0.6666666865348816), "float32"), **rule(True, 0, scale=1000),
          flags=("FractionalPosition", "NarrowAngle")),
    value("float16-times", "times that come as float16", dim=8, inputs=at((0.333251953125, 999.0), "float16"),
          **rule(True, 0), dtype="float16", flags=("FractionalPosition", "DoubleRounding")),
    value("beyond-float32", "timesteps that float32 cannot hold", dim=8, inputs=at((2**24 + 1, 2**31 - 1, 2**53)),
          **rule(False, 0), flags=("LongContextInteger", "LargeArgument")),
    value("scale-thousandth", "a scale of 1/1000, exactly", dim=8, inputs=at(STEPS),
          **rule(True, 0, scale=fraction(1, 1000)), dtype="float32", flags=("NarrowAngle",)),
    value("period-1000000", "max_period 1000000", dim=8, inputs=at(STEPS), **rule(True, 0, max_period=1000000),
          flags=("Base",)),
    value("period-100-f32", "max_period 100", dim=10, inputs=at(STEPS), **rule(False, 1, max_period=100.0),
          dtype="float32", flags=("Base",)),
    # refusals
    refused("half-1-shift-1", "one frequency and shift 1 divide by zero", "E_NUMBER", "downscale_freq_shift", dim=2,
            inputs=at((1,)), **rule(False, 1)),
    refused("dim-3-shift-1", "one frequency of an odd width and shift 1", "E_NUMBER", "downscale_freq_shift", dim=3,
            inputs=at((1,)), **rule(True, 1.0)),
    refused("half-4-shift-4", "a shift of half of the width", "E_NUMBER", "downscale_freq_shift", dim=8,
            inputs=at((1,)), **rule(True, 4)),
    refused("shift-nan", "a shift that is NaN", "E_NUMBER", "downscale_freq_shift", dim=8, inputs=at((1,)),
            **rule(True, float("nan"))),
    refused("shift-near-half", "a shift so near half of the width that no format holds the frequencies", "E_BASE",
            "max_period", dim=8, inputs=at((1,)), **rule(True, 3.9999999)),
    refused("dim-1", "width 1 has no frequency", "E_ODD_DIM", "dim", dim=1, inputs=at((1,)), **rule(True, 0)),
    refused("dim-zero", "no width", "E_ODD_DIM", "dim", dim=0, inputs=at((1,)), **rule(True, 0)),
    refused("flip", "a flag that is no flag", "E_CHOICE", "flip_sin_to_cos", dim=8, inputs=at((1,)), **rule(1, 0)),
    refused("scale-zero", "scale 0", "E_NUMBER", "scale", dim=8, inputs=at((1,)), **rule(True, 0, scale=0)),
    refused("period-zero", "max_period 0", "E_BASE", "max_period", dim=8, inputs=at((1,)),
            **rule(True, 0, max_period=0)),
    refused("time-nan", "a timestep that is NaN", "E_POSITION", "timesteps", dim=8,
            inputs=at((0.0, float("nan")), "float32"), **rule(True, 0)),
    refused("time-infinite", "an infinite timestep", "E_POSITION", "timesteps", dim=8,
            inputs=at((0.0, float("inf")), "float64"), **rule(True, 0)),
    refused("time-beyond", "a whole timestep beyond 2**53", "E_POSITION", "timesteps", timesteps=2**53 + 1, dim=8,
            **rule(True, 0)),
    # larger
    value("extended-sd-f32", "all 1000 timesteps of Stable Diffusion", dim=320, inputs={"timesteps": counting(0, 1000)},
          **rule(True, 0), dtype="float32", tier="extended", flags=FLAGS, source=df("unets/unet_2d_condition")),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float16="period-1000000",
    bfloat16="period-1000000",
)

# conventions that no case above tells
CASES += [
    value("odd-batch-f32", "an odd width, shift 1/2, and timesteps below 0 and above 1000, of shape (2, 2)", dim=7,
          inputs=at((-250, 3, 1600, 2400), shape=(2, 2)), **rule(True, 0.5), dtype="float32",
          flags=("Endpoint", "NarrowAngle", "OddDimension", "SineCosineOrder")),
]

CASES += in_formats(
    CASES,
    float32="one-negative dim-2-shift-0-cos",
    float16="odd-batch-f32 one-negative dim-2-shift-0-cos",
    bfloat16="odd-batch-f32 one-negative dim-2-shift-0-cos",
)
