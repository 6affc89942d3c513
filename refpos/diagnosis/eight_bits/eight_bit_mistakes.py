"""Mistakes of 8-bit floats: other formats and roundings, and scales of blocks by another rule."""

from __future__ import annotations

from ...arithmetic import eight_bits
from ...foreign import float8
from ...tensor_files import Tensor
from ..mistake import Mistake
from ..narrower import Done
from ..places import NARROWER
from ..trial import REFUSED
from .eight_bit_rules import NEAREST, RULE, SCALES, SUITES, TIES_AWAY, TOWARD_ZERO, canonical

#: the 8-bit floats of torch and ml_dtypes with a sign
FORMATS = (*eight_bits.FORMATS8, "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e4m3",
           "float8_e3m4")  # fmt: skip
BLOCKS = (16, 64, 128, 8)
#: fields of a rule that are tried together with a second mistake
PAIRED = {"kind", "through", "direction", "flushed", "scale"}
#: [(fields of a rule, what was computed, what is asked for)] of both functions
ROUNDINGS = [
    *(({"through": kind}, f"values rounded to {kind} first", "one rounding") for kind in NARROWER),
    ({"direction": TOWARD_ZERO}, "values rounded toward zero", NEAREST),
    ({"direction": TIES_AWAY}, "halfway values rounded away from zero", NEAREST),
    ({"flushed": True}, "subnormal numbers flushed to zero", "subnormal numbers"),
    ({"flushed": True, "plus_zero": True}, "subnormal numbers flushed to +0", "subnormal numbers"),
    ({"plus_zero": True}, "-0 written as +0", "zeros with the sign of the value"),
    ({"negated": True}, "the sign bit of every element inverted", "the signs of the values"),
]
#: the same of `round_mxfp8`
OF_BLOCKS = [
    ({"scale": "ceil"}, "scales of the power of two at or above the largest of a block", "another rule"),
    ({"more": 1}, "scales twice as large, with elements of these", "scales of the rule"),
    ({"more": -1}, "scales half as large, with elements of these", "scales of the rule"),
    ({"shared": "row"}, "one scale for all blocks of a row", "a scale for each block"),
    ({"shared": "array"}, "one scale for all blocks of the array", "a scale for each block"),
    ({"written": "one more"}, "scales twice as large, with the elements unchanged", SCALES),
    ({"written": "one less"}, "scales half as large, with the elements unchanged", SCALES),
    ({"written": "inverted"}, "scales inverted (2**-s)", SCALES),
    ({"written": "without a bias"}, "scales without their bias of 127", SCALES),
    ({"written": "without a bias, as bytes"}, "scales without their bias of 127", SCALES),
    ({"saturate": False}, "elements that are not saturated", "saturated elements"),
]


def wrong_8_bits(call):
    """The call with numbers rounded to another 8-bit format, or by other rules."""
    if call.suite not in SUITES:
        return
    asked = call.arguments["dtype"]
    yield Mistake("NaN", "NaN of another sign or payload", "the positive NaN", undo=canonical(asked))
    yield from _other_formats(asked, call.arguments.get("saturate"))
    of_blocks = OF_BLOCKS if call.suite == SUITES[1] else []
    yield from (_other(next(iter(fields)), *texts, asked, **fields) for fields, *texts in (*ROUNDINGS, *of_blocks))
    if of_blocks:
        yield from _other_blocks(asked)
    for kind in FORMATS:
        if kind != asked:
            text = f"the bytes of {asked} read as {kind}, and rounded again"
            yield _other("format", text, asked, asked, read_as=kind)


def _other_formats(asked, saturate):
    """Numbers rounded to another format; saturate: of `round_float8`, which may be another one too, and None of blocks,
    whose elements always are."""
    scales = () if saturate is None else (eight_bits.SCALE,)
    for kind in (*FORMATS, *scales):
        if kind != asked:
            yield _other("format", f"values rounded to {kind}", asked, kind, kind=kind)
    for kind in () if saturate is None else FORMATS:
        if kind != asked:
            text = f"values rounded to {kind} with saturate={not saturate}"
            yield _other("format", text, f"{asked} with saturate={saturate}", kind, kind=kind, saturate=not saturate)


def _other(name, computed, meant, written, /, **fields):
    """A mistake of a rule; written: the format of the elements. Those that a program hardly makes with a second one
    are rare."""
    rare = not fields.keys() <= PAIRED or fields.get("kind", written) not in eight_bits.FORMATS8
    return Mistake(name, computed, meant, lambda call: changed(call, **fields), canonical(written), rare=rare)


def changed(call, **fields):
    """The call with other fields of its rule."""
    return call.change(**{RULE: {**call.arguments.get(RULE, {}), **fields}})


def _other_blocks(asked):
    """Blocks along another axis, or of another size."""
    for transposed in (False, True):
        text = "blocks along axis -2"
        yield _other("axis", text, "blocks along the last axis", asked, axis=-2, transposed=transposed)
    for size in BLOCKS:
        yield _other("block", f"blocks of {size}", f"blocks of {eight_bits.BLOCK}", asked, block=size)


# -- answers of another format or shape -------------------------------------------------------------------------------


def wanted(call):
    """{output: the 8-bit format whose bit patterns are expected}; none of other functions."""
    if call.suite not in SUITES:
        return {}
    first = "output" if call.suite == SUITES[0] else "elements"
    return {first: call.arguments["dtype"], SCALES: eight_bits.SCALE}


def unlike(trial):
    """{output: why it is not in the 8-bit format that is asked for}."""
    kinds = wanted(trial.call)
    return {
        name: f"E_DTYPE: expected {kinds[name]}, or its bit patterns as integers, got {one.dtype}"
        for name, one in trial.answered.items()
        if kinds and "float" in one.dtype and one.dtype != kinds[name]
    }


def of_another_kind(trial):
    """(trial whose call gives the 8-bit format or the blocks of the answers, what was done) where those are others than
    are asked for; else None."""
    kinds = wanted(trial.call)
    given = {name: one.dtype for name, one in trial.answered.items() if float8.is_float8(one.dtype)}
    tags = {name: kind for name, kind in given.items() if kinds and kind != kinds[name]}
    if not kinds or (not tags and _shapes(trial.answered) == _shapes(trial.outputs)):
        return None
    untagged = {name: Tensor("uint8", trial.answered[name].values) for name in tags}
    trial = trial._replace(answered={**trial.answered, **untagged})
    done = None
    for name, kind in tags.items():
        trial, also = _of_format(trial, name, kind, kinds[name])
        done = also if done is None else done.then(also)
    return (trial, done) if _shapes(trial.answered) == _shapes(trial.outputs) else _of_other_blocks(trial, done)


def _shapes(tensors):
    return {name: one.values.shape for name, one in tensors.items()}


def _of_format(trial, name, kind, asked):
    """(trial, what was done) of bit patterns in the array of another format."""
    held = {name: trial.answered[name]}
    if name == SCALES or (canonical(asked)(held)[name].values == trial.outputs[name].values).all():
        trial = trial._replace(answered={**trial.answered, **canonical(asked)(held)})
        return trial, Done("format", f"the bytes of {asked} read as {kind}", asked)
    call, answered = changed(trial.call, kind=kind), canonical(kind)(held)
    trial = trial._replace(call=call, outputs=_outputs(call, trial), answered={**trial.answered, **answered})
    return trial, Done("format", f"values rounded to {kind}", asked)


def _of_other_blocks(trial, done):
    for mistake in _other_blocks(trial.call.arguments["dtype"]):
        try:
            call = mistake.change(trial.call)
            outputs = _outputs(call, trial)
        except REFUSED:
            continue
        if _shapes(outputs) == _shapes(trial.answered):
            also = Done(mistake.name, mistake.computed, mistake.asked)
            return trial._replace(call=call, outputs=outputs), also if done is None else done.then(also)
    return None


def _outputs(call, trial):
    made = call.outputs()
    return {name: made[name] for name in trial.outputs}
