"""Floating-point states that other code leaves behind in a process, set by the C library, without refpos."""

import contextlib
import ctypes
import ctypes.util
import platform

_LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
_MACHINE = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
_UP, _DOWN, _ZERO = {"x86_64": (0x800, 0x400, 0xC00), "aarch64": (0x400000, 0x800000, 0xC00000)}[_MACHINE]
#: of glibc's fenv_t: where the word with flush-to-zero lies, and its bits of results and of operands
_WORD, _FLUSH = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}[_MACHINE]
#: {name: (rounding of fesetround, whether subnormal numbers are flushed)}
MODES = {
    "upward": (_UP, False),
    "downward": (_DOWN, False),
    "toward-zero": (_ZERO, False),
    "flush": (0, True),
    "downward-flush": (_DOWN, True),
}


def state():
    """The floating-point environment of this thread: control words and sticky flags."""
    found = ctypes.create_string_buffer(64)
    assert _LIBM.fegetenv(found) == 0
    return found.raw


def restore(held):
    """Set an environment that `state` returned."""
    assert _LIBM.fesetenv(ctypes.create_string_buffer(held, 64)) == 0


def spoil(mode):
    """Set a mode in this thread, for good."""
    rounding, flush = MODES[mode]
    assert _LIBM.fesetround(rounding) == 0
    if flush:
        held = bytearray(state())
        word = int.from_bytes(held[_WORD : _WORD + 4], "little") | _FLUSH
        held[_WORD : _WORD + 4] = word.to_bytes(4, "little")
        restore(bytes(held))


@contextlib.contextmanager
def spoilt(mode):
    """This thread in a mode, and then as it was."""
    before = state()
    spoil(mode)
    try:
        yield
    finally:
        restore(before)
