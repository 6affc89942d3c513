"""Rows of tables: copied, weighted and added, each sum rounded once."""
