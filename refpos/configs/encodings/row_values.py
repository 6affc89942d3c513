"""The values of a row's keys: those of a file, or those of the class where it is silent."""

from typing import NamedTuple

from ...errors import InputError, InputTypeError, shown
from ..keys import WIDEST, Keys
from .encoding_rows import EncodingRow


class Values(NamedTuple):
    """The keys of one object of a file, and the row of its type."""

    keys: Keys
    row: EncodingRow

    def at(self, name):
        """(Keys, the last name) of a key, which may lie in an inner object: `attn_config.alibi_bias_max`."""
        outer, _, inner = name.rpartition(".")
        if not outer:
            return self.keys, name
        return Keys(self.keys.dictionary(outer), f"{self.keys.prefix}{outer}.", self.keys.log), inner

    def integer(self, name, decides, minimum=1, maximum=2**31 - 1):
        """An integer of the file or of the class."""
        keys, inner = self.at(name)
        _refuse_null(keys, inner)
        default = self.row.defaults.get(name)
        if default is None:
            keys.require(inner)
        return keys.integer(inner, decides, default, minimum, maximum)

    def width(self, name, decides="the width of the table"):
        """A number of channels."""
        return self.integer(name, decides, maximum=2**4 * WIDEST)

    def number(self, name, decides):
        """A number of the file or of the class."""
        keys, inner = self.at(name)
        _refuse_null(keys, inner)
        value = keys.number(inner, decides, self.row.defaults.get(name))
        if value is None or not 0 < value < float("inf"):
            sentence = f"{keys.path(inner)} must be a number greater than 0, got {shown(value)}"
            raise InputError("E_NUMBER", inner, sentence)
        return value

    def pair(self, name, decides):
        """Two integers, rows first; one number stands for both."""
        keys, inner = self.at(name)
        value = keys.peek(inner, self.row.defaults.get(name))
        if not isinstance(value, (list, tuple)):
            return (self.integer(name, decides),) * 2
        if len(value) != 2:
            raise InputError("E_SHAPE", inner, f"{keys.path(inner)} must be one number or two, got {shown(value)}")
        return self.whole_numbers(name, decides)

    def whole_numbers(self, name, decides, minimum=1):
        """A list of integers, at least one."""
        keys, inner = self.at(name)
        _refuse_null(keys, inner)
        value = keys.take(inner, decides, self.row.defaults.get(name))
        if (
            not isinstance(value, (list, tuple))
            or not value
            or not all(isinstance(one, int) and not isinstance(one, bool) and minimum <= one < 2**31 for one in value)
        ):
            sentence = f"{keys.path(inner)} must be a list of integers from {minimum}, got {shown(value)}"
            raise InputTypeError("E_SIZE", inner, sentence)
        return tuple(value)

    def choice(self, name):
        """The value of a key that chooses an encoding, which must be one that the code knows."""
        keys, inner = self.at(name)
        default = self.row.defaults.get(name)
        if inner in keys and not keys.has_no_note(inner):  # a rotation has read it
            value = keys.peek(inner)
        else:
            value = keys.take(inner, "which encoding there is", default)
        known = self.row.choices.get(name, (True, False))
        if known is not None and not any(value is one or (isinstance(one, str) and value == one) for one in known):
            sentence = f"{keys.path(inner)} must be one of {', '.join(map(repr, known))}, got {shown(value)}"
            raise InputError("E_CHOICE", inner, sentence)
        return value


def _refuse_null(keys, name):
    if name in keys.nulls:
        raise InputTypeError("E_NUMBER", name, f"{keys.prefix}{name} must be a number, got null")
