"""Golden cases of the family `absolute`."""
