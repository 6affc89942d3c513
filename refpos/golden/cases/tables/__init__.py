"""Golden cases of the family `tables`."""
