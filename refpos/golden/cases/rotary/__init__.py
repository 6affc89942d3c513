"""Golden cases of the family `rotary`."""
