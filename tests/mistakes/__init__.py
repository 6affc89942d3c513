"""Programs as people write them, with planted mistakes, and what a good diagnosis of each must say.

One module a family or two. `python tests/mistakes_named.py` asks `refpos.diagnose` about all of them.
"""
