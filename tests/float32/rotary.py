"""Rotations, their tables, and the factors of xPos: what stands in angles.py."""

from . import angles
from .registry import float32

for _name in ("rope_table", "rope", "rope_2d", "rope_3d", "mrope", "vjepa2_rope", "xdrope", "ernie_image_rope",
              "mixed_rope", "xpos", "xpos_table"):  # fmt: skip
    # looked up at each call: a test changes the functions of angles.py
    float32(_name, kind="float32-angle", defaults=False, wide=("x", "positions"))(
        lambda _name=_name, **given: getattr(angles, _name)(**given)
    )


def of_rotation(name):
    """The gradient of a rotation: that of the cotangent by the opposite angles."""

    def backward(x, cotangent, inverse=False, **given):
        return getattr(angles, name)(x=cotangent, inverse=not inverse, **given)

    return backward


for _name in ("rope", "rope_2d", "rope_3d", "mrope", "xpos"):
    float32(f"vjp_{_name}", kind="float32-angle", defaults=False, wide=("x", "cotangent", "positions"))(
        of_rotation(_name)
    )


@float32("xpos_scale", kind="float32-power", defaults=False, wide=("positions",))
def xpos_scale(**given):
    return angles.xpos_scale(**given)
