"""Cases in other formats: what a case of one dtype tells, a port that has another must be told too."""

from dataclasses import replace

from ... import catalogue
from ..discover import output_dtype
from ..telling_inputs import SHORT, narrow


def in_formats(cases, **slugs):
    """The cases of those slugs once more: float32="clamp-half betas-equal" gives clamp-half-f32 and betas-equal-f32."""
    known = {case.id.partition("/")[2]: case for case in cases}
    return [in_format(known[slug], dtype) for dtype, named in slugs.items() for slug in named.split()]


def in_format(case, dtype):
    """A case whose outputs are of another dtype. Where the call asks for one, arrays of float64 become float32, which
    ports of any dtype read; where it does not, the arrays decide."""
    before, entry = output_dtype(case), catalogue.find(case.suite)
    inputs, arguments = dict(case.inputs), dict(case.arguments)
    if arguments.get("dtype", entry.defaults.get("dtype")) is not None or entry.family == "frequencies":
        arguments["dtype"] = dtype
        for name, one in case.inputs.items():
            if dtype != "float64" and one.dtype == "float64" and one.rule != "listed":
                inputs[name] = one._replace(dtype="float32")
    else:
        main = entry.copies or "x"
        for name, one in case.inputs.items():
            if one.dtype == before:
                # bit patterns of bfloat16 are read where the result has their dtype
                inputs[name] = one._replace(dtype=dtype if name == main or dtype != "bfloat16" else "float32")
    slug, about = case.id.removesuffix(f"-{SHORT.get(before, '')}"), case.about
    if about.startswith("the same"):
        about = f"as {case.id.partition('/')[2]}"
    about = about.replace(before, dtype) if before in about else f"{about}, in {dtype}"
    flags = tuple(sorted({*case.flags, *narrow(dtype)}))
    return replace(case, id=f"{slug}-{SHORT[dtype]}", about=about, arguments=arguments, inputs=inputs, flags=flags)
