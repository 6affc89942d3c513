"""The arguments that derivations read: their names, and the values of those that are words, switches or may be null.

A case with another argument or word is not covered: no derivation takes a word that it does not know for another one.
"""

from intervals import need

#: of switches, which are true or false
SWITCHES = set(
    "antialias bidirectional class_token downscale endpoint flip_sin_to_cos half_pixel inverse normalize repeated"
    " saturate subtract symmetric traditional truncate".split()
)
#: of an argument, or of "function argument" where functions differ; # is a number or a list of them, ~ is null
WORDS = {
    "align": "corners half-pixel ~",
    "allocation": "separate sections strided",
    "anchor": "query key last",
    "arrangement": "blocks interleaved",
    "mrope arrangement": "chunked alternating interleaved",
    "mrope_frequencies arrangement": "chunked alternating interleaved",
    "axis_order": "hw wh thw twh htw hwt wth wht #",
    "masked_sine_2d axis_order": "hw wh",
    "rope_2d axis_order": "hw wh",
    "sincos_2d axis_order": "hw wh",
    "rope_3d axis_order": "thw twh htw hwt wth wht",
    "sincos_3d axis_order": "thw twh htw hwt wth wht",
    "basis": "exponential central-mask gamma cosine one-hot",
    "border": "clamp renormalise zeros ~",
    "centring": "floor ceil",
    "clamp": "dim-1 dim/2-1",
    "combine": "concat sum",
    "convention": "geometric halving recursive",
    "spherical_harmonics convention": "nerfstudio tcnn satclip satclip-closed-form",
    "divisor": "sqrt-dim ~",
    "ends": "frequencies periods",
    "factor": "pi 2pi # ~",
    "fusion": "concatenated grouped",
    "include": "first last ~",
    "kind": "sin cos",
    "kerple kind": "log power weight",
    "kinds": "sin cos sin-cos cos-sin",
    "layout": "interleaved sin-cos cos-sin",
    "fourier_projection layout": "interleaved sin-cos cos-sin sin cos",
    "linear": "first last ~",
    "magnitude": "softplus given",
    "method": "linear cubic nearest nearest-exact",
    "resize_bias method": "swin beit levit geometric",
    "mode": "linear causal symmetric clipped",
    "sandwich mode": "clipped symmetric",
    "ggml_rope_ext mode": "#",
    "mscale_rule": "both ratio",
    "normalise": "table row",
    "odd": "truncate pad",
    "order": "kind-axis-band kind-band-axis axis-kind-band axis-band-kind band-kind-axis band-axis-kind",
    "coordinate_sine order": "#",
    "outer": "time frequency",
    "outside": "clip refuse",
    "packing": "axes kinds",
    "padding": "none zeros reflect end",
    "pairing": "interleaved half block-half",
    "mixed_rope pairing": "interleaved half",
    "pope pairing": "interleaved half",
    "xpos pairing": "interleaved half",
    "radii": "ends from-one",
    "role": "query key",
    "rounding": "floor ceil middle",
    "bands rule": "linear powers geometric",
    "decay rule": "retnet lightning",
    "decay_rates rule": "retnet lightning",
    "distance_features rule": "doubling root offset-geometric",
    "log_coordinates rule": "swin-v2 cr",
    "ntk rule": "power product",
    "sphere_code rule": "direct cartesian wrap grid theory C C+ M M+",
    "scale": "#",
    "masked_sine_2d scale": "pi 2pi #",
    "scale_rule": "floor even rceil",
    "shift": "#",
    "self_extend_distances shift": "floor exact",
    "self_extend_positions shift": "floor exact",
    "sign": "key-query query-key absolute",
    "token_order": "row-major column-major reversed",
    "transform": "ln ~",
    "version": "chunkllama vllm",
}
TEXTS = {"dtype", "frequency", "times", "zone"}  # words of which there is no list


def known(function, a, arguments):
    """Refuse arguments that would be left unread, and words that the function does not have."""
    unread = sorted(set(a) - set(arguments.split()))
    need(not unread, f"the argument {' '.join(unread)} of {function}")
    function = function.removeprefix("vjp_")
    for name, value in a.items():
        listed = WORDS.get(f"{function} {name}", WORDS.get(name))
        need(name in TEXTS or fits(value, name, listed), f"{name} {shown(value)} of {function}")


def fits(value, name, listed):
    """Whether a value is one of the words that are listed, a switch where it must be one, and else no word."""
    if isinstance(value, list):
        return all(fits(one, name, listed) for one in value)
    if name in SWITCHES or isinstance(value, bool):
        return name in SWITCHES and isinstance(value, bool)
    if listed is None:
        return not isinstance(value, str)
    kind = "~" if value is None else value if isinstance(value, str) else "#"
    return kind in listed.split()


def shown(value):
    return str(value)[:40]


def argument(a, name, default):
    """An argument, or what stands for it where it is absent or null."""
    return default if a.get(name) is None else a[name]
