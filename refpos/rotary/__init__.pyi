# What `refpos.rotary` holds, for editors and type checkers; written by `python tests/test_exports.py`.

from .ernie_image_rope import ernie_image_rope as ernie_image_rope
from .liere import liere as liere
from .liere_generators import liere_generators as liere_generators
from .mixed_rope import mixed_rope as mixed_rope
from .mrope import mrope as mrope
from .path import path as path
from .pope import pope as pope
from .rope import rope as rope
from .rope_2d import rope_2d as rope_2d
from .rope_3d import rope_3d as rope_3d
from .rope_in_qkv import rope_in_qkv as rope_in_qkv
from .rope_table import rope_table as rope_table
from .rope_to_cache import rope_to_cache as rope_to_cache
from .vjepa2_rope import vjepa2_rope as vjepa2_rope
from .xdrope import xdrope as xdrope
from .xpos import xpos as xpos
from .xpos_scale import xpos_scale as xpos_scale
from .xpos_table import xpos_table as xpos_table
