"""What multiplies queries, keys or scores, one file each; each function enters itself into the catalogue."""
