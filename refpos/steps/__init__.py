"""The steps that encodings are made of: from positions to phases, tables, rotations and biases."""
