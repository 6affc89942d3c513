"""The keys of a configuration, and a log of what each of them decided."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import InputError, InputTypeError, shortened, shown

#: more channels, layers or levels than any model has: what is beyond them is refused before anything is computed
WIDEST, MOST_LAYERS, DEEPEST = 2**12, 2**16, 32
#: nor does a model have a base or a factor of such a size: frequencies stay within float64, and take little time
SMALLEST = 2.0**-64


@dataclass(frozen=True)
class KeyLog:
    """By path: what each key decided (used), why one decided nothing (ignored), values of missing ones (assumed)."""

    used: dict = field(default_factory=dict)
    ignored: dict = field(default_factory=dict)
    assumed: dict = field(default_factory=dict)


class Entry(NamedTuple):
    """The value of a key, and where it stands; in_file: whether it comes from the file, and not from the class."""

    path: str
    value: object
    in_file: bool = True


class Field(NamedTuple):
    """How a key is read: what it decides, its value where it is missing, and the method of `Keys` for its kind."""

    decides: str
    default: object = None
    kind: str = "number"
    is_required: bool = False


class Keys:
    """The keys of one object of a configuration, each with its dotted path; null is the same as no key at all."""

    def __init__(self, values, prefix="", log=None, other_names=None):
        """prefix: the path of the object, with a dot; other_names: {key: its other name in the file}."""
        self.prefix = prefix
        self.log = KeyLog() if log is None else log
        check_names(values, prefix)
        self.nulls = {name for name, value in values.items() if value is None}
        self.entries = {name: Entry(prefix + name, value) for name, value in values.items() if value is not None}
        for name, other in (other_names or {}).items():
            self.rename(other, name)

    def rename(self, other, name):
        """Take the key `other` for `name`; the two with different values contradict each other."""
        if other in self.entries:
            self.merge({name: self.entries.pop(other)})

    def merge(self, entries):
        """Add entries; a key that stands in both with different values is a contradiction."""
        for name, entry in entries.items():
            if name not in self.entries:
                self.entries[name] = entry
                continue
            first = self.entries[name]
            if first.value != entry.value:
                raise contradiction(first, entry)
            if first.path != entry.path:
                self.log.used[entry.path] = f"says the same as {first.path}"

    def replaced(self, **entries):
        """The same keys with other entries for some of them."""
        keys = Keys({}, self.prefix, self.log)
        keys.entries = {**self.entries, **entries}
        return keys

    def __contains__(self, name):
        return name in self.entries

    def is_in_file(self, name):
        """Whether the value of a key comes from the file."""
        return name in self.entries and self.entries[name].in_file

    def peek(self, name, default=None):
        """The value, without a note."""
        return self.entries[name].value if name in self.entries else default

    def path(self, name):
        """The path of a key in the file, or the one it would have there."""
        return self.entries[name].path if name in self.entries else self.prefix + name

    # -- values, noted in the log -------------------------------------------------------------------------------------

    def take(self, name, decides, default=None):
        """The value, noted as used for what it decides; without the key the default, noted as assumed."""
        if name in self.entries:
            path, value, in_file = self.entries[name]
            if in_file:
                self.log.used[path] = decides
            else:
                self.log.assumed.setdefault(path, value)
            return value
        if default is not None:
            self.log.assumed[self.prefix + name] = default
        return default

    def read(self, fields):
        """{name: value} of several keys, each by its `Field`."""
        values = {}
        for name, (decides, default, kind, is_required) in fields.items():
            if is_required:
                self.require(name)
            values[name] = getattr(self, kind)(name, decides, default)
        return values

    def need(self, name, decides):
        """The number of a key that has no default."""
        self.require(name)
        return self.number(name, decides)

    def number(self, name, decides, default=None):
        """The value of a key that holds a number."""
        return self._check_number(name, self.take(name, decides, default), "a number")

    def integer(self, name, decides, default=None, minimum=1, maximum=2**53):
        """The value of a key that holds an integer within limits."""
        return self._check_integer(name, self.take(name, decides, default), minimum, maximum)

    def integer_without_note(self, name, maximum):
        """The value of a key that holds an integer from 0 on, without a note."""
        return self._check_integer(name, self.peek(name), 0, maximum)

    def width(self, name, decides, default=None):
        """The value of a key that holds a number of channels."""
        return self.integer(name, decides, default, maximum=WIDEST)

    def size(self, name, decides, maximum=2**31):
        """The value of a key that must be there and hold an integer from 1 on."""
        self.require(name)
        return self.integer(name, decides, maximum=maximum)

    def head_width(self, name, total, heads):
        """The channels of a head: a key, or without it those of all heads over the number of heads."""
        if name in self:
            return self.width(name, "the width of a head")
        channels = self.size(total, f"divided by {heads} it is the width of a head")
        count = self.size(heads, f"divides {total}")
        if channels % count or channels // count > WIDEST:
            limit = f"a multiple of {heads} with a head of at most {WIDEST} channels"
            raise InputError("E_SIZE", total, f"{self.path(total)} must be {limit}, got {channels} / {count}")
        return channels // count

    def flag(self, name, decides, default=False):
        """The value of a key that holds true or false."""
        value = self.take(name, decides, default)
        if not isinstance(value, bool):
            raise InputError("E_CHOICE", name, f"{self.path(name)} must be true or false, got {shown(value)}")
        return value

    def inner(self, name):
        """The `Keys` of the object that a key holds."""
        value = self.peek(name)
        if not isinstance(value, dict):
            raise InputError("E_CHOICE", name, f"{self.path(name)} must be an object, got {shown(value)}")
        return Keys(value, f"{self.path(name)}.", self.log)

    def dictionary(self, name):
        """The value of a key that holds an object, without a note; without the key an empty one."""
        return self._check_type(name, self.peek(name, {}), dict, "an object")

    def sequence(self, name, decides, default=None):
        """The value of a key that holds a list."""
        return self._check_type(name, self.take(name, decides, default), (list, tuple), "a list")

    def names(self, name, decides=None, default=None):
        """The value of a key that holds a list of names; without `decides` nothing is noted."""
        values = self.peek(name, default) if decides is None else self.take(name, decides, default)
        for value in self._check_type(name, values, (list, tuple), "a list") or ():
            if not isinstance(value, str):
                raise InputTypeError("E_CHOICE", name, f"{self.path(name)} must hold names, got {shown(value)}")
        return values

    def numbers(self, name, decides, default=None):
        """The value of a key that holds a list of numbers."""
        values = self.sequence(name, decides, default)
        for value in values or ():
            self._check_number(name, [] if value is None else value, "a list of numbers")
        return values

    # -- keys that decide nothing -------------------------------------------------------------------------------------

    def ignore(self, name, why):
        """Note why a key, if the file has it, decides nothing."""
        if self.is_in_file(name):
            self.log.ignored[self.path(name)] = why

    def leave_out(self, name, why):
        """Take a key away, null too, with a note why it decides nothing."""
        self.ignore(name, why)
        self.entries.pop(name, None)
        self.nulls.discard(name)

    def has_no_note(self, name):
        """Whether the log says nothing of a key."""
        path = self.path(name)
        return path not in self.log.used and path not in self.log.ignored

    def ignore_rest(self, why):
        """Note why every key without a note decides nothing."""
        for name in self.entries:
            if self.has_no_note(name):
                self.ignore(name, why)

    def ignore_inside(self, name, why):
        """Note why every key without a note, inside the object that a key holds, decides nothing."""
        inner = Keys(self.dictionary(name), f"{self.path(name)}.", self.log)
        inner_objects = [label for label in inner.entries if isinstance(inner.peek(label), dict)]
        for label in inner_objects:
            if inner.has_no_note(label):
                inner.ignore_inside(label, why)
            inner.entries.pop(label, None)
        inner.ignore_rest(why)

    # -- checks -------------------------------------------------------------------------------------------------------

    def require(self, name):
        """Refuse a file without a key."""
        if name not in self.entries:
            raise InputError("E_NUMBER", name, f"{self.prefix + name} must be given, got {self.described()}")

    def described(self):
        """The names that there are, for a message."""
        return shortened(f"only {', '.join(self.entries)}" if self.entries else "no key")

    def _check_integer(self, name, value, minimum, maximum):
        value = self._check_type(name, value, (int, float), "an integer")
        if isinstance(value, float) and not value.is_integer():
            raise InputError("E_SIZE", name, f"{self.path(name)} must be an integer, got {shown(value)}")
        if value is not None and not minimum <= value <= maximum:
            limit = f"at least {minimum}" if value < minimum else f"at most {maximum}"
            raise InputError("E_SIZE", name, f"{self.path(name)} must be {limit}, got {shown(value)}")
        return None if value is None else int(value)

    def _check_number(self, name, value, wanted):
        value = self._check_type(name, value, (int, float), wanted)
        if value and not SMALLEST <= abs(value) <= 1 / SMALLEST and abs(value) < float("inf"):
            limits = f"between {SMALLEST:.4g} and {1 / SMALLEST:.4g} in size"
            raise InputError("E_NUMBER", name, f"{self.path(name)} must be {limits}, got {shown(value)}")
        return value

    def _check_type(self, name, value, types, wanted):
        if value is not None and (not isinstance(value, types) or isinstance(value, bool)):
            raise InputTypeError("E_NUMBER", name, f"{self.path(name)} must be {wanted}, got {shown(value)}")
        return value


def check_names(values, prefix):
    """Refuse keys that are no plain words."""
    for name in values:
        if not isinstance(name, str) or not name.isprintable():
            where = f"the keys of {prefix.rstrip('.')}" if prefix else "keys"
            raise InputTypeError("E_FILE", "source", f"{where} must be printable strings, got {shown(name)}")


def contradiction(first, second):
    """The error of two entries that say different things."""
    sentence = f"{second.path} must agree with {first.path}, {shown(first.value)}, got {shown(second.value)}"
    return InputError("E_CHOICE", second.path.rpartition(".")[2], sentence)


def part_name(prefix):
    """The name of the part that an object describes, by its path: "" of the file itself."""
    return ".".join(name.removesuffix("_config") for name in prefix.split(".") if name)
