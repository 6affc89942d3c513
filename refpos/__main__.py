"""`python -m refpos`: the same as the `refpos` command."""

import sys

from .cli import main

sys.exit(main())
