"""Golden cases of positions in batches."""
