"""Every distinct set of frequencies of the named models and of the defaults of the model types, with its witness."""

import inspect
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from flint import arb
from witness import enclosures, scalings
from witness.formulas import power

import refpos
from refpos import InputError, catalogue, models
from refpos.configs.config import from_config
from refpos.configs.encodings.uses_of_types import model_types

UNSTATED = 8192  # positions of a set whose users state no context length, such as the axes of images


@dataclass
class FrequencySet:
    """A call that makes frequencies, or a sinusoidal table, and who uses it to which position."""

    call: dict
    users: list = field(default_factory=list)
    length: int = UNSTATED

    @property
    def name(self):
        arguments = {k: v for k, v in self.call["arguments"].items() if not isinstance(v, (list, tuple, dict))}
        return " ".join([self.call["function"], *(f"{k}={v}" for k, v in arguments.items() if v is not None)])

    @property
    def witness(self):
        """(frequencies, factor) as balls, from tests/witness alone."""
        if self.call["function"] != "sinusoidal":
            rule, factor = scalings.scaling(self.call)
            return enclosures.balls(rule), enclosures.balls(factor)
        given = self.call["arguments"]
        half = given["dim"] // 2
        last = half - 1 if given.get("endpoint") else half
        base = scalings.Fraction(given.get("base", 10000))
        return enclosures.balls(lambda: [power(base, scalings.Fraction(-i, last)) for i in range(half)]), arb(1)

    def table(self):
        """The function that fills (cosines, sines) of positions, as refpos computes them."""
        function, given = self.call["function"], self.call["arguments"]
        if function != "sinusoidal":
            frequencies = catalogue.find(function).function(**given)
            return lambda positions, dtype, out: refpos.rope_table(positions, frequencies, dtype=dtype, out=out)
        given = {**given, "layout": "cos-sin"}

        def fill(positions, dtype, out):
            whole = np.empty((len(positions), given["dim"]), out[0].dtype)
            refpos.sinusoidal(positions, dtype=dtype, out=whole, **given)
            np.copyto(out[0], whole[:, : given["dim"] // 2])
            np.copyto(out[1], whole[:, given["dim"] // 2 :])

        return fill


def calls_of(frequencies, parameters):
    """The calls along one axis that make frequencies; none where they are not geometric or not of whole positions."""
    recipe = frequencies.recipe
    if recipe is None:
        base = parameters.get("rope_theta") if parameters.get("rope_type") == "default" else None
        return [] if base is None else [plain(frequencies.dim, base)]
    name, given, named = recipe
    bound = inspect.signature(catalogue.find(name).function).bind(*given, **named)
    arguments = {key: value for key, value in bound.arguments.items() if value is not None}
    if name == "mrope_frequencies":
        if "frequencies" in arguments:
            return calls_of(arguments["frequencies"], parameters)
        return [plain(arguments["dim"], arguments.get("base", 10000))]
    if name == "axial_frequencies":
        unusual = set(arguments) - {"widths", "base"} or not isinstance(arguments.get("base", 1), (int, float))
        return [] if unusual else [plain(width, arguments.get("base", 10000)) for width in arguments["widths"] if width]
    return [{"function": name, "arguments": arguments}] if name in scalings.RULES else []


def plain(dim, base):
    return {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": base}}


def found():
    """(user, call, context length or None) of all, and the users that have none."""
    calls, without = [], []
    for name in models.names():
        model = models.load(name)
        if getattr(model, "function", None) == "sinusoidal" and {"dim"} <= set(model.arguments):
            given = {key: model.arguments[key] for key in ("dim", "base", "endpoint") if key in model.arguments}
            calls.append((name, {"function": "sinusoidal", "arguments": given}, None))
        elif isinstance(model, models.Rotary):
            length = 131072 if models.find(name).family == "text" else None
            some = [(name, call, length) for call in calls_of(model.frequencies, model.parameters)]
            calls += some
            without += [name] * (not some)
    for name, parts in model_types().items():
        try:
            config = from_config({"model_type": name, **{key: {"model_type": part} for key, part in parts.items()}})
        except InputError:  # its name alone does not say which encoding it has
            continue
        for part in config.parts.values():
            for one in part.rotaries.values():
                some = [(name, c, row_length(name, parts)) for c in calls_of(one.frequencies, one.parameters)]
                calls += some
                without += [name] * (not some)
    return calls, without


def row_length(name, parts):
    """The longest context that the defaults of a type and of its parts state, if any."""
    rows = refpos.configs.model_defaults.rows()
    stated = [getattr(rows.get(one), "max_position_embeddings", None) for one in (name, *parts.values())]
    return max((n for n in stated if n), default=None)


def distinct():
    """([FrequencySet], most used first, and {user: number of its encodings that have none})."""
    sets = {}
    calls, without = found()
    for user, call, length in calls:
        one = FrequencySet(call)
        thetas, factor = one.witness
        key = call["function"] == "sinusoidal", str(factor), *(tuple(enclosures.limbs(theta)) for theta in thetas)
        one = sets.setdefault(key, one)
        one.users.append(user)
        one.length = max(one.length, length or 0)
    order = sorted(sets.values(), key=lambda one: (-len(set(one.users)), one.name))
    assert len({one.name for one in order}) == len(order), "two sets have one name"
    return order, Counter(without)
