# What `refpos.frequencies` holds, for editors and type checkers; written by `python tests/test_exports.py`.

from .axial_frequencies import axial_frequencies as axial_frequencies
from .bands import bands as bands
from .dynamic_ntk import dynamic_ntk as dynamic_ntk
from .given_frequencies import given_frequencies as given_frequencies
from .high_frequencies import high_frequencies as high_frequencies
from .inverse_frequencies import inverse_frequencies as inverse_frequencies
from .learned_log_scale import learned_log_scale as learned_log_scale
from .linear import linear as linear
from .llama3 import llama3 as llama3
from .longrope import longrope as longrope
from .mrope_frequencies import mrope_frequencies as mrope_frequencies
from .ntk import ntk as ntk
from .ntk_alpha import ntk_alpha as ntk_alpha
from .ntk_by_parts import ntk_by_parts as ntk_by_parts
from .offset_geometric import offset_geometric as offset_geometric
from .proportional import proportional as proportional
from .resonance import resonance as resonance
from .yarn import yarn as yarn
