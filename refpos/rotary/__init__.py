"""Encodings that rotate queries and keys, one file each."""
