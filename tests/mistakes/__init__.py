"""Programs as people write them, with planted mistakes, and what a good diagnosis of each must say.

One module a family. `run.py` asks `refpos.diagnose` about all of them and counts what it answers.
"""
