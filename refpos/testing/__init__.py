"""Golden cases and comparisons for the tests of a library, with or without pytest."""

from .cases import TestCase, cases
from .matching import assert_matches, assert_rope

__all__ = ["TestCase", "assert_matches", "assert_rope", "cases"]
