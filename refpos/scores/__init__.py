"""Attention, its scores and what they are multiplied by, one file each."""
