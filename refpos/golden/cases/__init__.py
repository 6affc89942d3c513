"""One file for each suite: plain data records, found by their module names."""
