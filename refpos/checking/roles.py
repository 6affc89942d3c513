"""What a tensor is by its name: frequencies, a cache, slopes, positions, an index, a bias, coordinates, or a table."""

import re

#: role -> the names, without that of the module, that mean it; the first one that fits
ROLES = (
    ("frequencies", r".*inv_freq|freqs"),
    ("cos_sin", r".*cos_sin(_cached?|_table)?"),
    ("cos", r"(.*_)?cos(_cached?|_table|_emb)?"),
    ("sin", r"(.*_)?sin(_cached?|_table|_emb)?"),
    ("slopes", r".*(slopes?|alibi).*"),
    ("positions", r"(.*_)?position_ids"),
    ("index", r"(.*_)?relative_position_index"),
    ("bias", r"relative_position_bias_table"),
    ("coordinates", r"(.*_)?relative_coords_table"),
    ("factors", r"rope_(freqs|factors_long|factors_short)(\.weight)?"),
)
PATTERNS = tuple((role, re.compile(pattern)) for role, pattern in ROLES)
#: names of tables that are added to embeddings, of which the configuration says whether they are sinusoids
TABLE = re.compile(
    r"(.*_)?(pos(ition|itional)?_?(emb|embd|embed|embeds|embedding|embeddings|enc|encoding|encodings|table)|wpe|pe"
    r"|embed_positions?)",
    re.IGNORECASE,
)


def role_of(name):
    """The role of a tensor, "table" where its name is that of a table, or None."""
    leaf = name if name.startswith("rope_f") else name.rpartition(".")[2]
    for role, pattern in PATTERNS:
        if pattern.fullmatch(leaf):
            return role
    return "table" if TABLE.fullmatch(re.sub(r"\.weights?$", "", name).rpartition(".")[2]) else None


def is_like_frequencies(values):
    """Whether the numbers are those of frequencies: positive, falling, and over a wide range."""
    falls = len(values) > 3 and bool((values > 0).all() and (values[1:] < values[:-1]).all())
    return falls and values[0] <= 2 and values[-1] < values[0] / 8


def sine_of(name):
    """The name of the sines that belong to a name of cosines."""
    head, dot, leaf = name.rpartition(".")
    return f"{head}{dot}{leaf.replace('cos', 'sin', 1)}"
