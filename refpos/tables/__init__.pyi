# What `refpos.tables` holds, for editors and type checkers; written by `python tests/test_exports.py`.

from .cosmos_learnable import cosmos_learnable as cosmos_learnable
from .gated_table import gated_table as gated_table
from .learned import learned as learned
from .learned_axes import learned_axes as learned_axes
from .learned_boxes import learned_boxes as learned_boxes
from .mean_of_rows import mean_of_rows as mean_of_rows
from .project_table import project_table as project_table
from .resize_bias import resize_bias as resize_bias
from .resize_packed import resize_packed as resize_packed
from .resize_table import resize_table as resize_table
from .round_float8 import round_float8 as round_float8
from .round_mxfp8 import round_mxfp8 as round_mxfp8
from .tile_table import tile_table as tile_table
