"""What a published configuration means: the rotary encoding of a config.json or of GGUF metadata."""
