"""The rotation of a configuration: its keys read into one record, and what the record computes."""
