"""refpos: the numerical ground truth for positional encodings, correctly rounded, from NumPy alone.

Functions that most models need are here; every function is in the namespace of its family.

    absolute      sinusoidal, sincos_2d, sincos_3d, timestep_embedding ...
    tables        learned, resize_table ...
    rotary        rope, rope_table, rope_2d, rope_3d, mrope ...
    relative      alibi, alibi_slopes, t5_bias, t5_buckets, relative_bias, window_bias ...
    scores        attention ...
    frequencies   inverse_frequencies, linear, ntk, dynamic_ntk, yarn, llama3, longrope, proportional ...
    positions     position ids: table_rows, qwen2_vl_positions ...
    operators     onnx_rotary_embedding, onnx_attention ...

To compare and explain: compare, diagnose, read, conformance, testing, golden (golden vectors and their verifier).
To read models: from_config, plan, same_encoding, check, models (named models), conversion (layouts of checkpoints).
To compute as other programs do: emulate. Large tables: blocks, grid, dask. Pictures: plots. Claims of papers: claims.
To differentiate: vjp (vector-Jacobian products).

On the command line: refpos list, show, find, generate, verify, diagnose, read, compare, config, check, plot, bench.
"""

from . import guard as guard  # first: all other modules are imported under it, which makes their constants right

# isort: split
from .kernels import show_config  # then: kernels check the floating point that all others compute with

# isort: split
from . import public as _public
from ._version import __version__
from .errors import FileError, InputError, InputTypeError
from .steps.angles.frequencies import Frequencies

__all__ = ["FileError", "Frequencies", "InputError", "InputTypeError", "__version__", "show_config"]
__all__ += list(_public.NAMES)


def __getattr__(name):
    if name not in __all__:
        return _public.former(__name__, name)
    family = _public.family_of(name)
    if name in _public.MODULES:
        value = _public.imported(f"{__name__}.{name}")
    else:
        module = f"{__name__}.{_public.OTHERS[name]}" if family is None else _public.functions_of(family)[name]
        value = getattr(_public.imported(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
