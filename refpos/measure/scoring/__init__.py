"""Scores, weights and outputs of attention: coefficients of their known parts, masks, and the call."""
