"""The keys of a configuration, with an account of what each of them decided."""

from dataclasses import dataclass, field

from ..errors import InputError, InputTypeError

#: more channels, layers or levels than any model has: what is beyond them is refused before anything is computed
WIDEST, MOST_LAYERS, DEEPEST = 2**12, 2**16, 32
#: nor has it a base or a factor of such a size: frequencies stay within float64, and take little time
SMALLEST = 2.0**-64


@dataclass(frozen=True)
class Account:
    """What each key decided, why others decided nothing, and what was taken from the class of the model instead."""

    used: dict = field(default_factory=dict)
    ignored: dict = field(default_factory=dict)
    assumed: dict = field(default_factory=dict)


class Keys:
    """Keys by their name, each with its place in the file; null is the same as no key at all."""

    def __init__(self, values, place="", account=None, names=None):
        self.place = place
        self.account = Account() if account is None else account
        check_names(values, place)
        self.nulls = {name for name, value in values.items() if value is None}
        self.entries = {name: (place + name, value) for name, value in values.items() if value is not None}
        for name, other in (names or {}).items():
            self.rename(other, name)

    def rename(self, other, name):
        """Let the key `other` be known by the name `name`; both with different values contradict each other."""
        if other not in self.entries:
            return
        found = self.entries.pop(other)
        if name in self.entries:
            self._same(self.entries[name], found)
        self.entries[name] = found

    def join(self, others):
        """Add the keys of others; a key that both have with different values is a contradiction."""
        for name, entry in others.entries.items():
            if name in self.entries:
                self._same(self.entries[name], entry)
            else:
                self.entries[name] = entry

    def __contains__(self, name):
        return name in self.entries

    def peek(self, name, default=None):
        """The value, without a note."""
        return self.entries[name][1] if name in self.entries else default

    def where(self, name):
        """The place of a key in the file, or the name it would have there."""
        return self.entries[name][0] if name in self.entries else self.place + name

    def take(self, name, decides, default=None):
        """The value, noted as used for what it decides; without the key the default, noted as assumed."""
        if name in self.entries:
            place, value = self.entries[name]
            self.account.used[place] = decides
            return value
        if default is not None:
            self.account.assumed[self.place + name] = default
        return default

    def need(self, name, decides):
        """The number of a key that has no default."""
        if name not in self.entries:
            place = self.place + name
            raise InputError("E_NUMBER", name, f"{place} must be given, got a configuration without it")
        return self.number(name, decides)

    def ignore(self, name, why):
        """Note why a key, if it is there, decides nothing."""
        if name in self.entries:
            self.account.ignored[self.entries[name][0]] = why

    def silent(self, name):
        """Whether nothing has been noted of a key."""
        place = self.entries[name][0]
        return place not in self.account.used and place not in self.account.ignored

    def ignore_rest(self, why):
        """Note why every key that has no note yet decides nothing."""
        for name in self.entries:
            if self.silent(name):
                self.ignore(name, why)

    def number(self, name, decides, default=None):
        """The value of a key that holds a number."""
        return self._real(name, self.take(name, decides, default), "a number")

    def whole(self, name, decides, default=None, minimum=1, maximum=2**53):
        """The value of a key that holds a whole number within limits."""
        value = self._kind(name, self.take(name, decides, default), (int, float), "a whole number")
        if isinstance(value, float) and not value.is_integer():
            raise InputError("E_SIZE", name, f"{self.where(name)} must be a whole number, got {value!r}")
        if value is not None and not minimum <= value <= maximum:
            limit = f"at least {minimum}" if value < minimum else f"at most {maximum}"
            raise InputError("E_SIZE", name, f"{self.where(name)} must be {limit}, got {value!r}")
        return None if value is None else int(value)

    def width(self, name, decides, default=None):
        """The value of a key that holds a number of channels."""
        return self.whole(name, decides, default, maximum=WIDEST)

    def dictionary(self, name):
        """The value of a key that holds keys of its own; without the key there are none."""
        return self._kind(name, self.peek(name, {}), dict, "an object")

    def listed(self, name, decides, default=None):
        """The value of a key that holds a list."""
        return self._kind(name, self.take(name, decides, default), (list, tuple), "a list")

    def names(self, name, decides=None, default=None):
        """The value of a key that holds a list of names; without `decides` nothing is noted."""
        found = self.peek(name, default) if decides is None else self.take(name, decides, default)
        for one in self._kind(name, found, (list, tuple), "a list") or ():
            if not isinstance(one, str):
                raise InputTypeError("E_CHOICE", name, f"{self.where(name)} must hold names, got {one!r}")
        return found

    def numbers(self, name, decides, default=None):
        """The value of a key that holds a list of numbers."""
        found = self.listed(name, decides, default)
        for one in found or ():
            self._real(name, [] if one is None else one, "a list of numbers")
        return found

    def _real(self, name, value, wanted):
        value = self._kind(name, value, (int, float), wanted)
        if value and not SMALLEST <= abs(value) <= 1 / SMALLEST and abs(value) < float("inf"):
            limits = f"between {SMALLEST:.4g} and {1 / SMALLEST:.4g} in size"
            raise InputError("E_NUMBER", name, f"{self.where(name)} must be {limits}, got {value!r}")
        return value

    def _kind(self, name, value, kinds, wanted):
        if value is not None and (not isinstance(value, kinds) or isinstance(value, bool)):
            raise InputTypeError("E_NUMBER", name, f"{self.where(name)} must be {wanted}, got {value!r}")
        return value

    def _same(self, one, other):
        if one[1] != other[1]:
            raise contradiction(*one, *other)


def check_names(values, place):
    """Refuse keys that are no plain words."""
    for name in values:
        if not isinstance(name, str) or not name.isprintable():
            where = f"the keys of {place.rstrip('.')}" if place else "keys"
            raise InputTypeError("E_FILE", "source", f"{where} must be printable strings, got {name!r}")


def contradiction(place, value, other, another):
    """The error of two keys that say different things."""
    name = other.rpartition(".")[2]
    return InputError("E_CHOICE", name, f"{other} must agree with {place}, {value!r}, got {another!r}")
