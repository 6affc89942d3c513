"""The call that gives an encoding of an image: one function for each kind of entry in the rows."""

from math import isqrt

from ...errors import InputError
from .call_text import arguments, weight

RESIZES = {
    "cubic": 'method="cubic", align="half-pixel", cubic=-0.75',
    "cubic-antialias": 'method="cubic", align="half-pixel", cubic=-0.5, antialias=True',
    "linear": 'method="linear", align="half-pixel"',
    "linear-antialias": 'method="linear", align="half-pixel", antialias=True',
    "linear-corners": 'method="linear", align="corners"',
}


def read_grid(entry, values):
    """(rows, columns) of patches."""
    if "sides" in entry:
        return tuple(values.integer(name, "a side of the grid") for name in entry["sides"])
    if "side" in entry:  # the grid stands in the file itself
        side = values.integer(entry["side"], "the rows of the grid, squared" if entry.get("squared") else "the grid")
        root = isqrt(side) if entry.get("squared") else side
        if entry.get("squared") and root * root != side:
            raise InputError("E_SHAPE", entry["side"], f"{entry['side']} must be a square number, got {side}")
        return root, root
    if "stages" in entry:  # the first of several tables
        side = values.whole_numbers(entry["stages"], "the size of a patch in each stage")[0]
        return tuple(max(size // side, 1) for size in values.pair(entry["image"], "the size of an image in pixels"))
    if "windows" in entry:
        return (values.whole_numbers(entry["windows"], "the side of the windows of each stage")[0],) * 2
    if "axes" in entry:  # patches that overlap
        return tuple(_patches(values, *names) for names in entry["axes"])
    image = values.pair(entry["image"], "the size of an image in pixels")
    if "tubelet" in entry:
        patch = tubelet(entry, values)[1:]
    else:
        patch = values.pair(entry["patch"], "the size of a patch in pixels")
    if any(one < other for one, other in zip(image, patch)):
        path = values.keys.path(entry["image"])
        raise InputError("E_SIZE", entry["image"], f"{path} must be at least a patch, {patch}, got {image}")
    return image[0] // patch[0], image[1] // patch[1]


def _patches(values, size, patch, stride):
    """How many patches there are along an axis, one at each stride."""
    size, patch = values.integer(size, "the size of an axis"), values.integer(patch, "the size of a patch")
    if size < patch:
        raise InputError("E_SIZE", "patch_size", f"patch_size must be at most the {size} of an axis, got {patch}")
    return (size - patch) // values.integer(stride, "from one patch to the next") + 1


def tubelet(entry, values):
    """(frames, rows, columns) of the piece of a video that is a token."""
    sizes = values.whole_numbers(entry["tubelet"], "the frames, rows and columns of a token")
    if len(sizes) != 3:
        path = values.keys.path(entry["tubelet"])
        raise InputError("E_SHAPE", entry["tubelet"], f"{path} must be three numbers, got {len(sizes)}")
    return sizes


def image_table(entry, values):
    """A table of the weights with a row for each patch of an image, behind rows of other tokens."""
    grid, prefix = read_grid(entry, values), entry.get("prefix", 0)
    if isinstance(prefix, str):
        prefix = values.integer(prefix, "the rows before those of patches")
    suffix = entry.get("suffix", 0)
    if isinstance(suffix, str):
        suffix = values.integer(suffix, "the rows behind those of patches")
    frames = _frames(entry, values)
    count = prefix + frames * grid[0] * grid[1] + suffix
    width = values.whole_numbers(entry["dims"], "the widths of the stages")[0] if "dims" in entry else None
    inputs, parameters = weight((count, width or values.width(entry["dim"])), entry["tensor"])
    parameters |= {"grid": list(grid) if frames == 1 else [frames, *grid], "prefix": prefix}
    if suffix:
        parameters["suffix"] = suffix
    fields = {"name": "learned", "call": f"refpos.learned(weight, {count})", "inputs": inputs, "parameters": parameters}
    if "stacked" in entry:
        layers = values.integer(entry["stacked"], "how many layers have a table, one fewer")
        fields["weights"] = {"stacked": layers - 1}
    if "resize" in entry:
        rule = RESIZES[entry["resize"]]
        fields["resize"] = f"refpos.resize_table(weight, (height, width), prefix={prefix}, grid={grid}, {rule})"
        fields["inputs"] = {**inputs, "height": "the rows of patches", "width": "the columns of patches"}
    return fields


def _frames(entry, values):
    """How many tokens a video has along time, 1 of an image."""
    if "frames" not in entry:
        return 1
    frames = values.integer(entry["frames"], "the frames of a video")
    step = 1
    if "tubelet" in entry:
        step = tubelet(entry, values)[0]
    elif "step" in entry:
        step = values.integer(entry["step"], "the frames of a token")
    if frames < step:
        raise InputError("E_SIZE", entry["frames"], f"{entry['frames']} must be at least {step}, got {frames}")
    return frames // step


def sincos_2d(entry, values):
    """Sines and cosines of the row and the column of each patch, or of each cell of a feature map."""
    if "image" not in entry:
        dim, options = values.width(entry["dim"], "the width of an embedding"), dict(entry["arguments"])
        options["base"] = values.number(entry["base"], "the base of the frequencies")
        return {"name": "sincos_2d", "call": f"refpos.sincos_2d(height, width, {dim}{arguments(**options)})",
                "inputs": {"height": "the rows of the feature map", "width": "its columns"},
                "parameters": {"dim": dim, **options}}  # fmt: skip
    (height, width), dim = read_grid(entry, values), values.width(entry["dim"], "the width of an embedding")
    options = entry["arguments"]
    call = f"refpos.sincos_2d({height}, {width}, {dim}{arguments(**options)})"
    return {"name": "sincos_2d", "call": call, "parameters": {"grid": [height, width], "dim": dim, **options}}


def masked_sine_2d(entry, values):
    """Sines and cosines of the rows and columns that a mask counts."""
    dim, options = values.width(entry["dim"], "the width of an embedding"), dict(entry["arguments"])
    if "bases" in entry:
        bases = tuple(values.number(name, "a base of the frequencies") for name in entry["bases"])
        options["base"] = bases[0] if len(bases) == 1 else bases
    call = f"refpos.absolute.masked_sine_2d(mask, {dim}{arguments(**options)})"
    inputs = {"mask": "1 for image, 0 for padding (..., height, width) of the feature map"}
    return {"name": "masked_sine_2d", "call": call, "inputs": inputs, "parameters": {"dim": dim, **options}}


def learned_axes(entry, values):
    """A learned vector of the column beside one of the row."""
    count, width = entry["count"], values.width(entry["dim"], "the width of both vectors together") // 2
    tables = {"row_weight": entry["row"], "column_weight": entry["column"]}
    inputs = {name: f"({count}, {width}), the tensor {tensor}" for name, tensor in tables.items()}
    inputs |= {"height": "the rows of the feature map", "width": "its columns"}
    options = {"combine": "concat", "axis_order": "wh"}
    call = f"refpos.tables.learned_axes([row_weight, column_weight], (height, width){arguments(**options)})"
    parameters = {**options, "tensors": list(tables.values()), "shape": [count, width]}
    return {"name": "learned_axes", "call": call, "inputs": inputs, "parameters": parameters}


def video_sinusoidal(entry, values):
    """Sines and cosines of the number of each token of a video, frame by frame and row by row."""
    grid, frames = read_grid(entry, values), _frames(entry, values)
    dim, options = values.width(entry["dim"], "the width of an embedding"), entry["arguments"]
    call = f"refpos.sinusoidal({frames * grid[0] * grid[1]}, {dim}{arguments(**options)})"
    return {"name": "sinusoidal", "call": call, "parameters": {"grid": [frames, *grid], "dim": dim, **options}}


def tile_table(entry, values):
    """A small table beside itself in both directions, and a second one that is resized and added to it."""
    width, (height, across) = values.width(entry["dim"]), read_grid(entry, values)
    inputs = {"weight": f"({height}, {across}, {width}), the tensor {entry['tensor']}, channels last",
              "height": "the rows of the feature map", "width": "its columns"}  # fmt: skip
    call = "refpos.tables.tile_table(weight, (height, width))"
    if "resized" in entry:
        sides = values.pair(entry["resized_sides"], "the sides of the table that is resized")
        inputs["resized"] = f"({sides[0]}, {sides[1]}, {width}), the tensor {entry['resized']}, channels last"
        call += f" + refpos.resize_table(resized, (height, width), {RESIZES[entry['resize']]})"
    return {"name": "tile_table", "call": call, "inputs": inputs,
            "parameters": {"grid": [height, across], "tensors": [entry[name] for name in ("tensor", "resized") if
                                                                 name in entry]}}  # fmt: skip


def fourier_projection(entry, values):
    """Sines and cosines of random sums of the coordinates of points."""
    features = values.width(entry["features"], "the random sums") // entry.get("over", 1)
    learned, parameters = weight((2, features), entry["tensor"])
    inputs = {"points": "(..., 2), x and y in pixels, each plus 1/2, over the side of the image, times 2, minus 1"}
    call = 'refpos.absolute.fourier_projection(points, weight, factor="2pi", layout="sin-cos")'
    return {"name": "fourier_projection", "call": call, "inputs": {**inputs, **learned}, "parameters": parameters}


KINDS = (fourier_projection, image_table, learned_axes, masked_sine_2d, sincos_2d, tile_table, video_sinusoidal)
