"""Error bounds of the gradients of rotations: those of the rotation by the opposite angles, for the cotangent."""

from ... import catalogue
from ..registry import complete, derivation_of, error_bound


def _bounds_gradient(name):
    """Enter the bounds of the rotation of that name, which takes `inverse`, as those of its gradient for x."""

    @error_bound(catalogue.VJP + name)
    def limits(arguments, fmt):
        given = {key: value for key, value in arguments.items() if key != "cotangent"}
        back = {**given, "x": arguments["cotangent"], "inverse": not given["inverse"]}
        found = derivation_of(name)(complete(name, back), fmt)
        return {kind: {f"{catalogue.GRADIENT}x": limit["output"]} for kind, limit in found.items()}


for _name in ("mrope", "rope", "rope_2d", "rope_3d", "xpos"):
    _bounds_gradient(_name)
