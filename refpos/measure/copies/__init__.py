"""Measurement of copies: which row of a table each query and key, or each token, reads."""
