"""Scores, weights and sums in the order that the class `sequence64` writes down."""
