"""Gradients of decomposed scores, in plain Python floats, image by image."""

import math

import numpy as np
from witness.image_scores import cells, resized, row_of_pair
from witness.relative_vectors import of_heads, of_rows
from witness.sequences import total
from witness.suites import WITNESSES, of_doubles, witness

NAMES = ("weight_h", "weight_w")


@witness(
    "vjp_decomposed_scores",
    source=("definition: the derivative of decomposed_scores", "order: docs/orders/vjp_decomposed_scores.txt"),
)
def _decomposed_scores(given, call, dtype):
    q, grids, first = given["q"], (given["query_grid"], given["key_grid"]), int(given["class_token"])
    count, dim = first + math.prod(grids[0]), q.shape[-1]
    number = math.prod(q.shape[:-2])
    images, cotangent = (
        q.reshape(number, count, dim),
        given["cotangent"].reshape(number, *given["cotangent"].shape[-2:]),
    )
    made, sums = np.zeros(images.shape), []
    for axis, name in enumerate(NAMES):
        queries, keys = grids[0][axis], grids[1][axis]
        rows = 2 * (max(queries, keys) if given["sign"] == "query-key" else keys) - 1
        table = given[name].tolist() if len(given[name]) == rows else resized(given[name].tolist(), rows)
        numbers = [[row_of_pair(cell[axis], key, queries, keys, given["sign"]) for key in range(keys)]
                   for cell in cells(grids[0])]  # fmt: skip
        of_table = np.zeros((rows, dim))
        for n, (image, of_image) in enumerate(zip(images, cotangent, strict=True)):
            whole = of_image[first:, first:].reshape(count - first, *grids[1])
            lines = [[total(np.take(one, key, axis).tolist()) for key in range(keys)] for one in whole]
            made[n, first:] += np.array(of_heads(lines, table, numbers, dim)).reshape(count - first, dim)
            for row, c, value in of_rows(lines, image[first:].tolist(), numbers, dim):
                of_table[row, c] += value
        sums.append(of_table)
    found = {"gradient_q": of_doubles(made, q.shape, dtype)}
    for name, of_table in zip(NAMES, sums, strict=True):
        if len(given[name]) == len(of_table):
            found[f"gradient_{name}"] = of_doubles(of_table, of_table.shape, dtype)
        else:
            resizing = {"weight": given[name], "prefix": 0, "size": len(of_table), "method": "linear",
                        "align": "half-pixel", "cotangent": of_table}  # fmt: skip
            found[f"gradient_{name}"] = WITNESSES["vjp_resize_table"](resizing, call, dtype)["gradient_weight"]
    return found
