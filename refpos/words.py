"""The words of a name or a question: without case, plural, spelling and filler, and synonyms of the field as one."""

from __future__ import annotations

import re
from functools import lru_cache

#: {word: the one that stands for all words of its meaning in names}
COMMON_FORM = {
    word: common
    for common, others in {
        "position": "positional pos positioning",
        "embedding": "encoding encode embed emb representation",
        "learned": "learnable trainable learnt",
        "sinusoidal": "sinusoid sine sin",
        "cosine": "cos",
        "rope": "rotary rotate rotation rotational rotated rot",
        "relative": "rel",
        "absolute": "abs",
        "frequency": "freq",
        "inverse": "inv",
        "attention": "attn",
        "interpolation": "interpolate interpolated interp resample resampled resized resize",
        "scaling": "scale scaled",
        "extrapolation": "extrapolate extrapolatable generalization generalisation",
        "extension": "extend extended extending",
        "random": "randomized randomised",
        "factor": "factorized factorised",
        "normalised": "normalized normalize normalise",
        "index": "id idx indices",
        "axis": "axes",
        "bias": "biases",
        "convolutional": "conv convolution",
        "2": "two",
        "3": "three",
        "d": "dimensional",
    }.items()
    for word in others.split()
}
#: words without a meaning of their own, among them the verbs that names of functions begin with
FILLER = frozenset(
    "a an and apply as at build by calculate compute create et al for from generate get has how in is make module of"
    " on or per precompute style the to transformer use using vs what which with".split()
)
_JOINED = re.compile(r"([A-Z][a-z]{2,}){2,}")  # RotaryEmbedding, but neither RoPE nor ALiBi


@lru_cache(maxsize=1 << 13)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in their common form, in order.

    >>> words("Rotary Positional Embeddings"), words("get_rel_pos"), words("RoPE2D")
    (('rope', 'position', 'embedding'), ('relative', 'position'), ('rope', '2', 'd'))
    """
    runs = re.findall(r"[A-Za-z]+|\d+", text)
    pieces = [piece for run in runs for piece in (re.findall("[A-Z][a-z]+", run) if _JOINED.fullmatch(run) else [run])]
    found = [piece.lower() for piece in pieces]
    return tuple(common(word) for word in found if word not in FILLER) or tuple(map(common, found))


def common(word: str) -> str:
    """The common form of a word in lower case.

    >>> common("frequencies"), common("biases"), common("bias"), common("emb")
    ('frequency', 'bias', 'bias', 'embedding')
    """
    if word in COMMON_FORM:
        return COMMON_FORM[word]
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is", "as")):
        word = word[:-1]
    return COMMON_FORM.get(word, word)
