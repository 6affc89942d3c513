"""Which kernels run (placeholder of the lead until the packaging helper's file lands: overwrite freely)."""
import os
from . import plain
active, name, reason = plain, "numpy", "placeholder"
if os.environ.get("REFPOS_KERNELS") != "numpy":
    try:
        from . import compiled
        active, name = compiled, "compiled"
    except ImportError:
        pass
def show_config():
    print(name)
