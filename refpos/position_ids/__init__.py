"""One file for each rule that gives tokens their positions; each function enters itself into the catalogue."""
