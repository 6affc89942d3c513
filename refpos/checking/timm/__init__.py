"""Live models of timm: what their modules reveal of windows, grids and rotations, and what is held against it."""
