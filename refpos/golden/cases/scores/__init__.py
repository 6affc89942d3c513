"""Golden cases of the family `scores`."""
