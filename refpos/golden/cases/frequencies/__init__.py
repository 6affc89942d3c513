"""Golden cases of the family `frequencies`."""
