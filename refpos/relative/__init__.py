"""Relative position biases, which are added to attention scores, and what they are made of; one file each."""
