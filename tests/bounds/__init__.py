"""Machine-checked error bounds: Gappa proves the bounds of docs/numbers.md from the source of the kernels.

A proof is one `.g` file, with what is known of the inputs and what is to be shown, and one function of a module here,
which fills in the definitions of the code. `python tests/prove_bounds.py` runs them; nothing here imports refpos or
NumPy.
"""
