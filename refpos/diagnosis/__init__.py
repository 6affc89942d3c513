"""Which wrong call gives somebody's numbers: found by trying, with the engine that gives the right ones."""
