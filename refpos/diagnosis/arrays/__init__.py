"""Mistakes of the arrays of a call, tried where no other mistake gives the numbers."""
