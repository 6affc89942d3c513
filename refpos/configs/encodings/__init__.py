"""The encodings of a configuration that are no rotation: one row for each model type, and the call of each."""
