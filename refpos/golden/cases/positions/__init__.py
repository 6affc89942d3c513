"""Golden cases of the family `positions`."""
