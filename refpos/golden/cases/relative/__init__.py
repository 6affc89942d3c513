"""Golden cases of the family `relative`."""
