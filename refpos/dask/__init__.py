"""Beyond one machine: tables, grids, rotations and biases as Dask arrays, Zarr arrays that are whole or not there, and
the golden corpus computed by a cluster. Needs the extra `dask`, which is imported when one of these is called.
"""

from .corpus import generate
from .lazy import lazy
from .need import connected
from .zarr_files import verify, write

__all__ = ["connected", "generate", "lazy", "verify", "write"]
