"""Tables that models of text, sound and series add to their embeddings."""

from __future__ import annotations

from fractions import Fraction

from .. import checks
from ..steps.positions.exact_positions import LIMIT
from ..types import Integer, Number
from . import token_positions
from .absolute import Absolute
from .registry import from_diffusers, from_transformers
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


@from_transformers(
    file="models/distilbert/modeling_distilbert.py, create_sinusoidal_embeddings", positions=text,
    notes=("Only with sinusoidal_pos_embds=True; computed in float64.",),
)  # fmt: skip
def distilbert(dim: Integer = 768) -> Absolute:
    """DistilBERT with sinusoidal positions: the table of the paper.

    sin(p theta_i), cos(p theta_i) in turn, theta_i = 10000**(-2i / dim)

    >>> distilbert().table(512, dtype="float32").shape
    (512, 768)
    """
    return xlm(dim)


@from_transformers(
    file="models/florence2/modeling_florence2.py, Florence2VisionPositionalEmbeddingCosine1D", positions=text,
    notes=("Added to the frames of a video.",),
)  # fmt: skip
def florence2(dim: Integer = 1024) -> Absolute:
    """Florence-2, time: the table of the paper.

    sin(p theta_i), cos(p theta_i) in turn, theta_i = 10000**(-2i / dim)

    >>> florence2().arguments["layout"]
    'interleaved'
    """
    return xlm(dim)


@from_transformers(
    file="models/speecht5/modeling_speecht5.py, SpeechT5ScaledPositionalEncoding", positions=text,
    notes=("The model multiplies the table by the learned number alpha, which begins at 1.",),
)  # fmt: skip
def speecht5(dim: Integer = 768) -> Absolute:
    """SpeechT5, scaled: the table of the paper, before it is multiplied by alpha.

    sin(p theta_i), cos(p theta_i) in turn, theta_i = 10000**(-2i / dim)

    >>> speecht5().table(3).shape
    (3, 768)
    """
    return xlm(dim)


@from_diffusers(
    file="src/diffusers/models/embeddings.py, SinusoidalPositionalEmbedding", positions=text,
    notes=("Of blocks with positional_embeddings='sinusoidal', as along the frames of AnimateDiff.",),
)  # fmt: skip
def animatediff(dim: Integer = 320) -> Absolute:
    """AnimateDiff, time: the table of the paper.

    sin(p theta_i), cos(p theta_i) in turn, theta_i = 10000**(-2i / dim)

    >>> animatediff().table(32, dtype="float16").shape
    (32, 320)
    """
    return xlm(dim)


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


@from_transformers(file="models/pegasus/modeling_pegasus.py, PegasusSinusoidalPositionalEmbedding", positions=text,
                   notes=("Computed in float64.",))  # fmt: skip
def pegasus(dim: Integer = 1024) -> Absolute:
    """Pegasus: the sines of the paper, then its cosines.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> pegasus().arguments["layout"]
    'sin-cos'
    """
    return marian(dim)


@from_transformers(file="models/informer/modeling_informer.py, InformerSinusoidalPositionalEmbedding", positions=text,
                   notes=("Computed in float64.", "Autoformer has the same."))  # fmt: skip
def informer(dim: Integer = 64) -> Absolute:
    """Informer, Autoformer: the sines of the paper, then its cosines, one fewer of an odd width.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> informer(5).table(1)
    array([[0., 0., 0., 1., 1.]])
    """
    return marian(dim)


@from_transformers(
    file="models/time_series_transformer/modeling_time_series_transformer.py, TimeSeriesSinusoidalPositionalEmbedding",
    positions=text, notes=("Computed in float64.",),
)  # fmt: skip
def time_series_transformer(dim: Integer = 64) -> Absolute:
    """Time Series Transformer: the sines of the paper, then its cosines, one fewer of an odd width.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> time_series_transformer(5).table(1)
    array([[0., 0., 0., 1., 1.]])
    """
    return marian(dim)


@from_transformers(
    file="models/ctrl/modeling_ctrl.py, positional_encoding", positions=text,
    notes=("Token embeddings are multiplied by sqrt(dim) before the table is added.",),
)  # fmt: skip
def ctrl(dim: Integer = 1280) -> Absolute:
    """CTRL: the sines of the paper, then its cosines.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-2i / dim)

    >>> ctrl().table(256, dtype="float32").shape
    (256, 1280)
    """
    return marian(dim)


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


# -- the ladder that ends at 1 / base ---------------------------------------------------------------------------------


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


@from_transformers(
    file="models/qwen3_omni_moe/modeling_qwen3_omni_moe.py, SinusoidsPositionEmbedding", positions=text,
    notes=("Qwen2-Audio and Qwen2.5-Omni have the same.", "Each chunk of sound counts from 0."),
)  # fmt: skip
def qwen3_omni_audio(dim: Integer = 1280) -> Absolute:
    """Qwen3-Omni, sound: sines, then cosines, at frequencies that end at 1/10000.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim/2 - 1))

    >>> qwen3_omni_audio(4).arguments["endpoint"]
    True
    """
    return whisper(dim)


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


@from_transformers(
    file="models/fun_asr_nano/modeling_fun_asr_nano.py, FunAsrNanoPositionEmbedding",
    positions=token_positions.from_one, notes=("Positions count from 1.",),
)  # fmt: skip
def fun_asr_nano(dim: Integer = 560) -> Absolute:
    """Fun-ASR-Nano, encoder: sines, then cosines, at frequencies that end at 1/10000, at positions from 1.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim/2 - 1))

    >>> fun_asr_nano(2).table(token_positions.from_one(2), dtype="float16")
    array([[ 0.8413,  0.5405],
           [ 0.909 , -0.4163]], dtype=float16)
    """
    return whisper(dim)


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


@from_transformers(
    file="models/gemma4/modeling_gemma4.py, Gemma4AudioRelPositionalEncoding", positions=token_positions.descending,
    notes=("Vectors for distances, which are projected and multiplied by the queries, not added to embeddings.",),
)  # fmt: skip
def gemma4_audio(dim: Integer = 1024) -> Absolute:
    """Gemma 4, sound: sines, then cosines, at frequencies that end at 1/10000, at distances that fall to 0.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim/2 - 1))

    >>> gemma4_audio(2).table(token_positions.descending(4), dtype="float16")[-1]
    array([0., 1.], dtype=float16)
    """
    return whisper(dim)


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


@from_transformers(
    file="models/musicgen_melody/modeling_musicgen_melody.py, MusicgenMelodySinusoidalPositionalEmbedding",
    positions=token_positions.counted, notes=(REGROWS, "The condition stands before the sound and is counted."),
)  # fmt: skip
def musicgen_melody(dim: Integer = 1024) -> Absolute:
    """MusicGen Melody: cosines, then sines, at frequencies that end at 1/10000; a zero behind an odd width.

    cos(p theta_i) | sin(p theta_i), theta_i = 10000**(-i / (dim//2 - 1))

    >>> musicgen_melody().arguments["layout"]
    'cos-sin'
    """
    return musicgen(dim)


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


@from_transformers(
    file="models/nllb_moe/modeling_nllb_moe.py, NllbMoeSinusoidalPositionalEmbedding",
    positions=token_positions.padded, notes=(REGROWS,),
)  # fmt: skip
def nllb_moe(dim: Integer = 1024, *, padding_idx: Integer = 1) -> Absolute:
    """NLLB-MoE: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> nllb_moe().arguments["zero_row"]
    1
    """
    return _fairseq(dim, padding_idx)


@from_transformers(
    file="models/kosmos2/modeling_kosmos2.py, Kosmos2TextSinusoidalPositionalEmbedding",
    positions=token_positions.padded, notes=(REGROWS, "Kosmos-2.5 has the same."),
)  # fmt: skip
def kosmos2(dim: Integer = 2048, *, padding_idx: Integer = 1) -> Absolute:
    """Kosmos-2, text: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> kosmos2().arguments["zero_row"]
    1
    """
    return _fairseq(dim, padding_idx)


@from_transformers(
    file="models/speech_to_text/modeling_speech_to_text.py, Speech2TextSinusoidalPositionalEmbedding",
    positions=token_positions.padded, notes=(REGROWS, "The padding of sound is made of the mask: 1 where it is kept."),
)  # fmt: skip
def speech_to_text(dim: Integer = 256, *, padding_idx: Integer = 1) -> Absolute:
    """Speech2Text: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> speech_to_text().arguments["zero_row"]
    1
    """
    return _fairseq(dim, padding_idx)


@from_transformers(
    file="models/xglm/modeling_xglm.py, XGLMSinusoidalPositionalEmbedding", positions=token_positions.behind_two,
    notes=(REGROWS, "Token p reads row p + 2, so that the row of zeros is never read."),
)  # fmt: skip
def xglm(dim: Integer = 1024, *, padding_idx: Integer = 1) -> Absolute:
    """XGLM: sines, then cosines, at frequencies that end at 1/10000, at positions from 2.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> xglm(2).table(token_positions.behind_two(1), dtype="float16")
    array([[ 0.909 , -0.4163]], dtype=float16)
    """
    return _fairseq(dim, padding_idx)


@from_transformers(
    file="models/fsmt/modeling_fsmt.py, SinusoidalPositionalEmbedding", positions=token_positions.fsmt,
    notes=(REGROWS, "With tokens before, padding reads row padding_idx + past, which is not zeros."),
)  # fmt: skip
def fsmt(dim: Integer = 1024, *, padding_idx: Integer = 1) -> Absolute:
    """FSMT: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> fsmt().arguments["zero_row"]
    1
    """
    return _fairseq(dim, padding_idx)


@from_transformers(
    file="models/trocr/modeling_trocr.py, TrOCRSinusoidalPositionalEmbedding", positions=token_positions.padded,
    notes=("The table has as many rows as positions: its offset 2 is not read.",),
)  # fmt: skip
def trocr(dim: Integer = 1024, *, padding_idx: Integer = 1) -> Absolute:
    """TrOCR with sinusoidal positions: sines, then cosines, at frequencies that end at 1/10000; zeros at padding.

    sin(p theta_i) | cos(p theta_i), theta_i = 10000**(-i / (dim//2 - 1)); 0 at p = padding_idx

    >>> trocr().arguments["zero_row"]
    1
    """
    return _fairseq(dim, padding_idx)
