"""One file for each encoding; the function in it enters itself into the catalogue."""
