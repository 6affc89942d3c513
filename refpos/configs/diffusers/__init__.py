"""Rows of the classes of diffusers: embeddings of timesteps, tables that are added to patches, learned tables."""
