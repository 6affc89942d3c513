"""Position ids: the rules that give tokens their positions and rows of tables, one file each."""
