"""Error bounds, derived for each function in the file of its family."""
