"""Golden cases of the family `operators`."""
