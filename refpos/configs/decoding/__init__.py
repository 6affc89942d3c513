"""The encodings of a model for decoding, where whatever does not change from step to step is made once."""
