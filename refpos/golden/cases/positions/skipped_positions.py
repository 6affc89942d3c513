"""Golden cases of the positions of PoSE."""

from ...case import project, suite

POSE = project(
    "dwzhu-pku/PoSE", "ebd4f63d63b098a8fd95adf242dadd56804deb01", "src/train_pose.py", "train_preprocess_function_pose"
)
value, refused = suite("skipped_positions", POSE)
FLAGS = ("LongContextInteger", "OffByOne")

CASES = [
    value("two", "two chunks, the second behind ten positions that are left out", chunks=[3, 5], skips=[0, 10],
          flags=FLAGS),
    value("none", "no skip: positions follow each other", chunks=[4, 3], skips=[0, 0], target=7, flags=FLAGS),
    value("farthest", "the largest skip, 32 - 8: the last position is 31", chunks=[5, 3], skips=[0, 24], target=32,
          flags=FLAGS),
    value("paper", "the first chunk behind a skip too, as the paper has it", chunks=[2, 4], skips=[7, 20], target=32,
          flags=FLAGS),
    value("three", "three chunks with two skips", chunks=[2, 1, 3], skips=[0, 4, 4], flags=FLAGS),
    value("one", "one chunk", chunks=[6], skips=[0], flags=FLAGS),
    value("empty-first", "a first chunk of no tokens", chunks=[0, 4], skips=[0, 3], flags=FLAGS),
    value("empty-last", "a last chunk of no tokens, whose skip reaches beyond the target", chunks=[4, 0],
          skips=[0, 90], target=8, flags=FLAGS),
    value("long", "2048 tokens over 131072 positions", chunks=[700, 1348], skips=[0, 129024], target=131072,
          flags=FLAGS),
    value("far", "the last position is 2**53", chunks=[1, 2], skips=[0, 2**53 - 2], flags=FLAGS),
    value("nothing", "no chunks", chunks=[], skips=[], target=0),
    refused("beyond", "a skip one larger than target - length", "E_POSITION", "skips", chunks=[5, 3], skips=[0, 25],
            target=32),
    refused("far", "a position beyond 2**53", "E_POSITION", "skips", chunks=[1, 2], skips=[0, 2**53 - 1]),
    refused("falling", "a second skip below the first", "E_POSITION", "skips", chunks=[2, 2], skips=[5, 4]),
    refused("count", "one skip for two chunks", "E_SHAPE", "skips", chunks=[2, 2], skips=[0]),
    refused("negative", "a chunk of fewer than no tokens", "E_SIZE", "chunks", chunks=[2, -1], skips=[0, 0]),
    refused("skip-negative", "a skip backwards", "E_SIZE", "skips", chunks=[2, 2], skips=[-1, 0]),
    refused("float", "a skip of half a position", "E_SIZE", "skips", chunks=[2, 2], skips=[0, 0.5]),
]  # fmt: skip
