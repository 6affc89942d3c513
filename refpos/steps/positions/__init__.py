"""Exact positions, coordinates of grids and fields of calendars; no angle is known here."""
