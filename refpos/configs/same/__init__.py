"""Whether two configurations mean the same encodings, part by part and layer by layer."""
