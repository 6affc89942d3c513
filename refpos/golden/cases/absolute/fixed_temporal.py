"""Golden cases of the fixed temporal embedding of Informer."""

from ...case import listed, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

INFORMER = project("zhouhaoyi/Informer2020", "29f2a73", "models/embed.py", "TemporalEmbedding")
value, refused = suite("fixed_temporal", INFORMER)
FLAGS = ("OffByOne", "InterleavedVsHalf")
HOURS = ((1, 1, 0, 0), (12, 31, 6, 23), (2, 29, 3, 12), (3, 1, 4, 5), (7, 7, 5, 7))
QUARTERS = tuple((*row, k % 4) for k, row in enumerate(HOURS))


def rows(values, dtype="int64", shape=None):
    """An input tensor, rows of one length."""
    flat = tuple(number for row in values for number in row)
    return {"rows": listed(flat, dtype, shape or (len(values), len(values[0])))}


CASES = [
    *[
        value(f"{name}-{dim}-{SHORT[dtype]}", f"{what}, {dim} channels, {dtype}", dim=dim, dtype=dtype,
              inputs=rows(given), flags=(*FLAGS, *narrow(dtype)))
        for name, what, given in (("hours", "month, day, weekday, hour", HOURS),
                                  ("quarters", "and quarters of the hour", QUARTERS))
        for dim, dtype in (*((16, dtype) for dtype in DTYPES), (2, "float64"), (6, "float32"))
    ],
    value("wide-f32", "the width of Informer, 512", dim=512, dtype="float32", inputs=rows(HOURS[1:3]), flags=FLAGS),
    value("smallest", "the first row that is read of every table", dim=8, inputs=rows([(1, 1, 0, 0, 0)]), flags=FLAGS),
    value("largest", "the last row of every table", dim=8, inputs=rows([(12, 31, 6, 23, 3)]), flags=FLAGS),
    value("one-frequency-set", "hour and day of one number add the same", dim=4, flags=FLAGS,
          inputs=rows([(1, 7, 0, 0), (1, 1, 6, 0), (7, 1, 0, 0), (1, 1, 0, 6)])),
    value("base-1", "all frequencies are 1", dim=4, base=1, inputs=rows(HOURS), flags=FLAGS),
    value("base-small", "frequencies that grow", dim=6, base=0.001, inputs=rows(HOURS), flags=(*FLAGS, "Base")),
    value("base-large-f16", "frequencies so small that sums of sines are subnormal", dim=6, base=1e9, dtype="float16",
          inputs=rows(HOURS), flags=(*FLAGS, "Base", "Subnormal", "DoubleRounding")),
    value("base-huge", "sums far below the first digits", dim=4, base=1e200, inputs=rows(HOURS[:2]),
          flags=(*FLAGS, "Base")),
    value("batch", "rows of shape (2, 2, 4)", dim=4, inputs=rows(HOURS[:4], shape=(2, 2, 4)), flags=FLAGS),
    value("single", "one time without an axis", dim=4, inputs=rows(HOURS[2:3], shape=(4,)), flags=FLAGS),
    value("none", "no times", dim=4, inputs={"rows": listed((), shape=(0, 4))}),
    refused("minute", "minute 45 in place of its quarter", "E_POSITION", "rows", dim=4,
            inputs=rows([(1, 1, 0, 0, 45)])),
    refused("month-zero", "a month counted from 0", "E_POSITION", "rows", dim=4, inputs=rows([(0, 1, 0, 0)])),
    refused("day-zero", "a day counted from 0", "E_POSITION", "rows", dim=4, inputs=rows([(1, 0, 0, 0)])),
    refused("day", "day 32", "E_POSITION", "rows", dim=4, inputs=rows([(1, 32, 0, 0)])),
    refused("order", "hour first", "E_POSITION", "rows", dim=4, inputs=rows([(23, 4, 30, 11)])),
    refused("weekday", "Sunday as 7", "E_POSITION", "rows", dim=4, inputs=rows([(1, 1, 7, 0)])),
    refused("hour", "hour 24", "E_POSITION", "rows", dim=4, inputs=rows([(1, 1, 0, 24)])),
    refused("columns", "three columns, as at a frequency of days", "E_SHAPE", "rows", dim=4, inputs=rows([(1, 1, 0)])),
    refused("floats", "rows that are floats", "E_DTYPE", "rows", dim=4, inputs=rows([(1.0, 1.0, 0.0, 0.0)], "float64")),
    refused("odd", "an odd width", "E_ODD_DIM", "dim", dim=5, inputs=rows(HOURS)),
    refused("base", "base 0", "E_BASE", "base", dim=4, base=0, inputs=rows(HOURS)),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="base-1",
    bfloat16="base-huge",
)
