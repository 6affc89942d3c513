"""Tables that models of text, sound and series add to their embeddings."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..steps.positions.exact_positions import LIMIT
from ..types import Integer, Number
from . import token_positions
from .absolute import Absolute
from .registry import DIFFUSERS, from_transformers, row
from .token_positions import text

REGROWS = "The table has no end: it is made again where it is too short."


def _tensor2tensor(dim, **options):
    """Frequencies that end at 1 / base, sines first unless options say otherwise."""
    dim = checks.integer("dim", dim, 1)
    return Absolute("sinusoidal", {"dim": dim, "layout": "sin-cos", "endpoint": True, **options})


def _fairseq(dim, padding_idx):
    """The same with a zero behind an odd width, and a row of zeros for padding."""
    return _tensor2tensor(dim, odd="pad", zero_row=checks.integer("padding_idx", padding_idx, 0, LIMIT))


# -- the formula of the paper -----------------------------------------------------------------------------------------


@from_transformers(
    file="models/xlm/modeling_xlm.py, create_sinusoidal_embeddings", positions=text,
    notes=("Only with sinusoidal_embeddings=True; computed in float64. FlauBERT has the same.",),
)  # fmt: skip
def xlm(dim: Integer = 2048) -> Absolute:
    """XLM, FlauBERT: the table of the paper.

    sin(p theta_i), cos(p theta_i) in turn, theta_i = 10000**(-2i / dim)

    >>> xlm(4).table(2, dtype="float16")[1]
    array([0.8413, 0.5405, 0.01  , 1.    ], dtype=float16)
    """
    return Absolute("sinusoidal", {"dim": checks.multiple("dim", dim, 2), "layout": "interleaved"})


row(
    xlm, "distilbert", "DistilBERT with sinusoidal positions",
    "models/distilbert/modeling_distilbert.py, create_sinusoidal_embeddings",
    "Only with sinusoidal_pos_embds=True; computed in float64.", dim=768,
    example=">>> distilbert().table(512, dtype=\"float32\").shape\n(512, 768)",
)  # fmt: skip

row(
    xlm, "florence2", "Florence-2, time",
    "models/florence2/modeling_florence2.py, Florence2VisionPositionalEmbeddingCosine1D",
    "Added to the frames of a video.", dim=1024, example=">>> florence2().arguments[\"layout\"]\n'interleaved'",
)  # fmt: skip

row(
    xlm, "speecht5", "SpeechT5, scaled: the table of the paper, before it is multiplied by alpha.",
    "models/speecht5/modeling_speecht5.py, SpeechT5ScaledPositionalEncoding",
    "The model multiplies the table by the learned number alpha, which begins at 1.", dim=768,
    example=">>> speecht5().table(3).shape\n(3, 768)",
)  # fmt: skip

row(
    xlm, "animatediff", "AnimateDiff, time", "src/diffusers/models/embeddings.py, SinusoidalPositionalEmbedding",
    "Of blocks with positional_embeddings='sinusoidal', as along the frames of AnimateDiff.", dim=320,
    example=">>> animatediff().table(32, dtype=\"float16\").shape\n(32, 320)", **DIFFUSERS,
)  # fmt: skip


# -- sines, then cosines ----------------------------------------------------------------------------------------------


@from_transformers(
    file="models/marian/modeling_marian.py, MarianSinusoidalPositionalEmbedding", positions=text,
    notes=("Computed in float64.", "An odd width has a sine more than cosines."),
)  # fmt: skip
def marian(dim: Integer = 512) -> Absolute:
    """Marian: the sines of the paper, then its cosines.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> marian(3).table(2, dtype="float16")[1]
    array([0.8413  , 0.002155, 0.5405  ], dtype=float16)
    """
    return Absolute("sinusoidal", {"dim": checks.integer("dim", dim, 1), "layout": "sin-cos"})


row(
    marian, "pegasus", "Pegasus", "models/pegasus/modeling_pegasus.py, PegasusSinusoidalPositionalEmbedding",
    "Computed in float64.", dim=1024, example=">>> pegasus().arguments[\"layout\"]\n'sin-cos'",
)  # fmt: skip

row(
    marian, "informer", "Informer, Autoformer: the sines of the paper, then its cosines, one fewer of an odd width.",
    "models/informer/modeling_informer.py, InformerSinusoidalPositionalEmbedding", "Computed in float64.",
    "Autoformer has the same.", dim=64, example=">>> informer(5).table(1)\narray([[0., 0., 0., 1., 1.]])",
)  # fmt: skip

row(
    marian, "time_series_transformer",
    "Time Series Transformer: the sines of the paper, then its cosines, one fewer of an odd width.",
    "models/time_series_transformer/modeling_time_series_transformer.py, TimeSeriesSinusoidalPositionalEmbedding",
    "Computed in float64.", dim=64, example=">>> time_series_transformer(5).table(1)\narray([[0., 0., 0., 1., 1.]])",
)  # fmt: skip

row(
    marian, "ctrl", "CTRL", "models/ctrl/modeling_ctrl.py, positional_encoding",
    "Token embeddings are multiplied by sqrt(dim) before the table is added.", dim=1280,
    example=">>> ctrl().table(256, dtype=\"float32\").shape\n(256, 1280)",
)  # fmt: skip


@from_transformers(
    file="models/canary/modeling_canary.py, CanaryPositionalEmbedding", positions=text,
    notes=(
        "Its base 10000**((dim - 2) / dim) with frequencies that end at 1 / base gives the frequencies of the paper.",
        'The model divides the table by sqrt(dim), 32 of its released width: table(..., divisor="sqrt-dim").',
    ),
)  # fmt: skip
def canary(dim: Integer = 1024) -> Absolute:
    """Canary, decoder: the sines of the paper, then its cosines, before they are divided by sqrt(dim).

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> canary().table(1024, dtype="float32").shape
    (1024, 1024)
    """
    return marian(checks.multiple("dim", dim, 2))


# -- frequencies that end at 1 / base ---------------------------------------------------------------------------------


@from_transformers(
    file="models/whisper/modeling_whisper.py, sinusoids", positions=text,
    notes=("The encoder starts from this table; that of the decoder is learned.",),
)  # fmt: skip
def whisper(dim: Integer = 384) -> Absolute:
    """Whisper, encoder: sines, then cosines, at frequencies that end at 1/10000.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim/2 - 1))

    >>> whisper(512).table(1500, dtype="float32").shape
    (1500, 512)
    """
    return _tensor2tensor(checks.multiple("dim", dim, 2))


row(
    whisper, "qwen3_omni_audio", "Qwen3-Omni, sound",
    "models/qwen3_omni_moe/modeling_qwen3_omni_moe.py, SinusoidsPositionEmbedding",
    "Qwen2-Audio and Qwen2.5-Omni have the same.", "Each chunk of sound counts from 0.", dim=1280,
    example=">>> qwen3_omni_audio(4).arguments[\"endpoint\"]\nTrue",
)  # fmt: skip


@from_transformers(
    file="models/tipsv2/modeling_tipsv2.py, Tipsv2SinusoidalPositionalEmbedding", positions=text,
    notes=("No row is zeroed for padding.",),
)  # fmt: skip
def tipsv2(dim: Integer = 768) -> Absolute:
    """TIPSv2, text: sines, then cosines, at frequencies that end at 1/10000; a zero behind an odd width.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1))

    >>> tipsv2(5).table(1)
    array([[0., 0., 1., 1., 0.]])
    """
    return _tensor2tensor(dim, odd="pad")


row(
    whisper, "fun_asr_nano",
    "Fun-ASR-Nano, encoder: sines, then cosines, at frequencies that end at 1/10000, at positions from 1.",
    "models/fun_asr_nano/modeling_fun_asr_nano.py, FunAsrNanoPositionEmbedding", "Positions count from 1.", dim=560,
    example=">>> fun_asr_nano(2).table(token_positions.from_one(2), dtype=\"float16\")\n"
    "array([[ 0.8413,  0.5405],\n"
    "       [ 0.909 , -0.4163]], dtype=float16)",
    positions=token_positions.from_one,
)  # fmt: skip


@from_transformers(
    file="models/timesfm/modeling_timesfm.py, TimesFmPositionalEmbedding", positions=text,
    notes=("An odd width is one channel narrower, and the table has a row of zeros more: the padding is along time.",),
)  # fmt: skip
def timesfm(dim: Integer = 1280, *, min_timescale: Number = 1, max_timescale: Number = 10000) -> Absolute:
    """TimesFM: sines, then cosines, from min_timescale down to min_timescale squared over max_timescale.

    sin(p theta_i) | cos(p theta_i), theta_i = min_timescale (max_timescale / min_timescale)**(-i / (dim//2 - 1))

    >>> timesfm(7).arguments["dim"]
    6
    """
    low = checks.positive("min_timescale", min_timescale)
    base = Fraction(checks.positive("max_timescale", max_timescale), low)
    dim = checks.integer("dim", dim, 2) // 2 * 2
    return _tensor2tensor(dim, base=base, position_scale=low)


row(
    whisper, "gemma4_audio",
    "Gemma 4, sound: sines, then cosines, at frequencies that end at 1/10000, at distances that fall to 0.",
    "models/gemma4/modeling_gemma4.py, Gemma4AudioRelPositionalEncoding",
    "Vectors for distances, which are projected and multiplied by the queries, not added to embeddings.", dim=1024,
    example=">>> gemma4_audio(2).table(token_positions.descending(4), dtype=\"float16\")[-1]\n"
    "array([0., 1.], dtype=float16)",
    positions=token_positions.descending,
)  # fmt: skip


@from_transformers(
    file="models/pegasus_x/modeling_pegasus_x.py, PegasusXSinusoidalPositionalEmbedding",
    positions=token_positions.counted,
    notes=("Computed in the dtype of the embeddings: in bfloat16 the angles are.",),
)  # fmt: skip
def pegasus_x(dim: Integer = 1024, *, max_scale: Number = 10000) -> Absolute:
    """PEGASUS-X: sines, then cosines, at frequencies that end at 1 / max_scale.

    sin(p theta_i) | cos(p theta_i), theta_i = max_scale**(-i / (dim/2 - 1))

    >>> pegasus_x(4).table(token_positions.counted(2, past=3)).shape
    (2, 4)
    """
    return _tensor2tensor(checks.multiple("dim", dim, 2), base=checks.positive("max_scale", max_scale, "E_BASE"))


@from_transformers(
    file="models/musicgen/modeling_musicgen.py, MusicgenSinusoidalPositionalEmbedding",
    positions=token_positions.counted,
    notes=(REGROWS, "All codebooks of a step share a position."),
)  # fmt: skip
def musicgen(dim: Integer = 1024) -> Absolute:
    """MusicGen: cosines, then sines, at frequencies that end at 1/10000; a zero behind an odd width.

    cos(p theta_i) | sin(p theta_i), theta_i = 10000**(-i / (dim//2 - 1))

    >>> musicgen(5).table(1)
    array([[1., 1., 0., 0., 0.]])
    """
    return _tensor2tensor(dim, layout="cos-sin", odd="pad")


row(
    musicgen, "musicgen_melody", "MusicGen Melody",
    "models/musicgen_melody/modeling_musicgen_melody.py, MusicgenMelodySinusoidalPositionalEmbedding", REGROWS,
    "The condition stands before the sound and is counted.",
    example=">>> musicgen_melody().arguments[\"layout\"]\n'cos-sin'",
)  # fmt: skip


# -- and a row of zeros for padding -----------------------------------------------------------------------------------


@from_transformers(
    file="models/m2m_100/modeling_m2m_100.py, M2M100SinusoidalPositionalEmbedding", positions=token_positions.padded,
    notes=(REGROWS, "Positions of embeddings count from padding_idx + 1: `table_rows` with rule count."),
)  # fmt: skip
def m2m_100(dim: Integer = 1024, *, padding_idx: Integer = 1) -> Absolute:
    """M2M100, NLLB: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> m2m_100(4).table(token_positions.padded([[7, 1]]), dtype="float16")
    array([[[ 9.092e-01,  2.000e-04, -4.163e-01,  1.000e+00],
            [ 0.000e+00,  0.000e+00,  0.000e+00,  0.000e+00]]], dtype=float16)
    """
    return _fairseq(dim, padding_idx)


row(
    m2m_100, "nllb_moe", "NLLB-MoE", "models/nllb_moe/modeling_nllb_moe.py, NllbMoeSinusoidalPositionalEmbedding",
    REGROWS, example=">>> nllb_moe().arguments[\"zero_row\"]\n1",
)  # fmt: skip

row(
    m2m_100, "kosmos2", "Kosmos-2, text",
    "models/kosmos2/modeling_kosmos2.py, Kosmos2TextSinusoidalPositionalEmbedding", REGROWS,
    "Kosmos-2.5 has the same.", dim=2048, example=">>> kosmos2().arguments[\"zero_row\"]\n1",
)  # fmt: skip

row(
    m2m_100, "speech_to_text", "Speech2Text",
    "models/speech_to_text/modeling_speech_to_text.py, Speech2TextSinusoidalPositionalEmbedding", REGROWS,
    "The padding of sound is made of the mask: 1 where it is kept.", dim=256,
    example=">>> speech_to_text().arguments[\"zero_row\"]\n1",
)  # fmt: skip

row(
    m2m_100, "xglm", "XGLM: sines, then cosines, at frequencies that end at 1/10000, at positions from 2.",
    "models/xglm/modeling_xglm.py, XGLMSinusoidalPositionalEmbedding", REGROWS,
    "Token p reads row p + 2, so that the row of zeros is never read.",
    example=">>> xglm(2).table(token_positions.behind_two(1), dtype=\"float16\")\n"
    "array([[ 0.909 , -0.4163]], dtype=float16)",
    positions=token_positions.behind_two,
)  # fmt: skip

row(
    m2m_100, "fsmt", "FSMT", "models/fsmt/modeling_fsmt.py, SinusoidalPositionalEmbedding", REGROWS,
    "With tokens before, padding reads row padding_idx + past, which is not zeros.",
    example=">>> fsmt().arguments[\"zero_row\"]\n1", positions=token_positions.fsmt,
)  # fmt: skip

row(
    m2m_100, "trocr", "TrOCR with sinusoidal positions",
    "models/trocr/modeling_trocr.py, TrOCRSinusoidalPositionalEmbedding",
    "The table has as many rows as positions: its offset 2 is not read.",
    example=">>> trocr().arguments[\"zero_row\"]\n1",
)  # fmt: skip
