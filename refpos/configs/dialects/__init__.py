"""Configurations that are no config.json of transformers: one module for each dialect."""
