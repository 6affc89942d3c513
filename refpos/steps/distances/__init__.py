"""Biases of the distance of query and key."""
