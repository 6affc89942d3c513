"""Golden cases of the gradient of tables of offsets at another size: exact sums with the transposed weights."""

from ...case import extreme, paper, suite, tiny
from .._gradients import cotangents_refused, in_each, special

value, refused = suite("vjp_resize_bias", paper("Liu et al. 2021, Swin Transformer, arXiv:2103.14030, section 4.1"))
FLAGS = ("NonSquare", "Resampling")


def sizes(method, old, new, class_token=False, heads=1):
    """Shapes of the table and the cotangent, and the arguments of the call."""
    rows = [one[0] * one[1] if method == "levit" else (2 * one[0] - 1) * (2 * one[1] - 1) for one in (old, new)]
    table, result = ((count + 3 * class_token, heads) for count in rows)
    call = {"old": list(old), "new": list(new), "method": method}
    return table, result, call | ({"class_token": True} if class_token else {})


def each(slug, about, *given, flags=FLAGS, cotangent=None, **more):
    """The case in each format; cotangent: a rule of a shape."""
    table, result, call = sizes(*given, **more)
    made = result if cotangent is None else cotangent(result)
    return in_each(value, slug, about, {"weight": table, "cotangent": made}, flags=flags, **call)


CASES = [
    *each("swin", "swin: 2 x 3 to 3 x 2", "swin", (2, 3), (3, 2), heads=2),
    *each("swin-class", "swin: 2 x 2 to 1 x 3 and a class token", "swin", (2, 2), (1, 3), class_token=True),
    *each("swin-one", "swin: a window of one cell to 2 x 3", "swin", (1, 1), (2, 3)),
    *each("beit", "beit: 2 x 3 to 3 x 3 and a class token", "beit", (2, 3), (3, 3), class_token=True, heads=2),
    *each("levit", "levit: 3 x 5 to 2 x 3, antialiased", "levit", (3, 5), (2, 3)),
    *each("levit-larger", "levit: 2 x 3 to 4 x 4", "levit", (2, 3), (4, 4), heads=2),
    *each("geometric", "geometric: 2 x 3 to 3 x 5", "geometric", (2, 3), (3, 5)),
    *each("geometric-smaller", "geometric: 4 x 2 to 2 x 2: rows at the border are not read", "geometric", (4, 2),
          (2, 2), class_token=True),
    *each("equal", "a window of the same size: cotangents", "beit", (2, 2), (2, 2), class_token=True),
    *each("not-finite", "infinities and NaN meet the rows that they were made of", "beit", (1, 3), (1, 4),
          cotangent=lambda shape: special(*shape)),
    *each("not-finite-class", "infinities and NaN of the class token too", "levit", (1, 2), (1, 4), class_token=True,
          cotangent=lambda shape: special(*shape)),
    *each("subnormal", "the smallest numbers", "swin", (1, 2), (1, 3), flags=(*FLAGS, "Subnormal"),
          cotangent=lambda shape: lambda dtype: tiny(dtype, shape, 3)),
    *each("extreme", "the largest numbers", "beit", (1, 2), (1, 3),
          cotangent=lambda shape: lambda dtype: extreme(dtype, shape)),
    *cotangents_refused(refused, "weight", (9, 2), (15, 2), old=[2, 2], new=[2, 3], method="swin"),
]  # fmt: skip
