"""Relative position biases, which are added to attention scores, and what they are made of; one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
