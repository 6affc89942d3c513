"""Position ids: the rules that give tokens their positions and rows of tables, one file each."""

from ..public import open_family

__all__ = list(open_family(__name__))
