"""Measurement of arrays: which pairs of channels, gains, angles, positions and frequencies their numbers have."""
