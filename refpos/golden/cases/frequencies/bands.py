"""Golden cases of bands of frequencies."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("bands", paper("Mildenhall et al. 2020, NeRF, arXiv:2003.08934, section 5.1"))
NERF = project("bmild/nerf", "14c5556", "run_nerf_helpers.py", "Embedder")
PERCEIVER = project("transformers", "5.23.0", "models/perceiver/modeling_perceiver.py", "generate_fourier_features")
TIMM = project("huggingface/pytorch-image-models", "1.0.31", "timm/layers/pos_embed_sincos.py", "pixel_freq_bands")
GLIGEN = project("huggingface/diffusers", "0.42.1", "models/embeddings.py", "get_fourier_embeds_from_boundingbox")
AURORA = project("microsoft/aurora", "7fa85ff", "aurora/model/fourier.py", "FourierExpansion")
FLAGS = ("Endpoint",)

CASES = [
    value("nerf-10", "10 octaves of NeRF", n=10, rule="powers", low=0, high=9, flags=FLAGS, source=NERF),
    value("nerf-linear", "NeRF without log_sampling: evenly from 1 to 2**9", n=10, rule="linear", low=1, high=512,
          flags=FLAGS, source=NERF),
    *[
        value(f"perceiver-{SHORT[dtype]}", f"Perceiver: evenly from 1 to 112, {dtype}", n=64, rule="linear", low=1,
              high=112, dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=PERCEIVER)
        for dtype in DTYPES
    ],
    *[
        value(f"gligen-{SHORT[dtype]}", f"GLIGEN: powers of 100 without the last, {dtype}", n=8, rule="geometric",
              low=1, high=100, endpoint=False, dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=GLIGEN)
        for dtype in DTYPES
    ],
    *[
        value(f"pixel-{rule}", f"timm: pixel bands to 112, {rule}", n=10, rule=rule, low=1, high=112, flags=FLAGS,
              source=TIMM)
        for rule in ("linear", "geometric")
    ],
    value("mochi-vae", "Mochi: 2**6 and 2**7", n=2, rule="powers", low=6, high=7, flags=FLAGS,
          source=project("huggingface/diffusers", "0.42.1", "models/autoencoders/autoencoder_kl_mochi.py",
                         "FourierFeatures")),
    value("nerfstudio-uneven", "exponents that are not integers", n=4, rule="powers", low=0, high=8, flags=FLAGS,
          source=project("nerfstudio-project/nerfstudio", "50e0e3c", "nerfstudio/field_components/encodings.py",
                         "NeRFEncoding")),
    value("aurora-degrees", "Aurora: wavelengths of 0.01 to 720 degrees", n=16, rule="geometric",
          low=fraction(100, 1), high=fraction(1, 720), flags=FLAGS, source=AURORA),
    value("aurora-hours-f32", "Aurora: wavelengths of 1 minute to 504 hours", n=16, rule="geometric", low=60,
          high=fraction(1, 504), dtype="float32", flags=FLAGS, source=AURORA),
    value("one-linear", "one band is the lowest", n=1, rule="linear", low=1, high=112, flags=FLAGS),
    value("one-geometric", "one band in a constant ratio", n=1, rule="geometric", low=3, high=100, flags=FLAGS),
    value("one-power", "one power", n=1, rule="powers", low=-3, high=5, flags=FLAGS),
    value("half-open-linear", "evenly, the highest left out", n=4, rule="linear", low=0, high=1, endpoint=False,
          flags=FLAGS),
    value("half-open-powers", "powers, the highest left out", n=4, rule="powers", low=0, high=1, endpoint=False,
          flags=FLAGS),
    value("falling", "bands that fall to 0", n=5, rule="linear", low=1, high=0, flags=FLAGS),
    value("equal", "bands that are all one", n=3, rule="geometric", low=0.1, high=0.1, flags=FLAGS),
    value("squares", "a ratio whose roots are whole", n=3, rule="geometric", low=1, high=9, flags=FLAGS),
    refused("none", "no bands", "E_SIZE", "n", n=0, rule="linear", low=1, high=2),
    refused("rule", "a rule that is not known", "E_CHOICE", "rule", n=2, rule="log", low=1, high=2),
    refused("negative", "a band below 0", "E_NUMBER", "low", n=2, rule="linear", low=-1, high=2),
    refused("zero", "0 in a constant ratio", "E_NUMBER", "low", n=2, rule="geometric", low=0, high=2),
    refused("half-power", "a lowest exponent that is not an integer", "E_NUMBER", "low", n=2, rule="powers", low=0.5,
            high=2),
    refused("power", "an exponent beyond 1024", "E_NUMBER", "high", n=2, rule="powers", low=0, high=1025),
    refused("infinite", "an infinite end", "E_NUMBER", "high", n=2, rule="linear", low=0, high=float("inf")),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="mochi-vae",
    float16="mochi-vae",
    bfloat16="mochi-vae",
)
