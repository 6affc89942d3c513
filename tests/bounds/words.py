"""Words of 64 bits that the kernels compute, as integers of z3; products with the limbs of a phase are unknowns.

What a shift or a mask takes apart becomes unknowns that add up to the word, so that all is linear.
"""

BITS = 64


def number(value):
    return str(value) if value >= 0 else f"(- {-value})"


class Script:
    """The unknowns of a query, what is known of them, and what must hold for words to mean what the code does."""

    def __init__(self):
        self.lines, self.needed, self.parts = [], ["true"], {}

    def apart(self, word, bits):
        """(what a shift to the right by so many bits leaves, what it drops)."""
        key = word.term, word.signed, bits
        if key not in self.parts:
            self.parts[key] = turns, upper, lower = [
                f"{name}{len(self.parts)}" for name in ("whole_", "upper_", "lower_")
            ]
            most = 2 ** (BITS - bits)
            low, high = (-most // 2, most // 2 - 1) if word.signed else (0, most - 1)
            self.lines += [f"(declare-const {name} Int)" for name in (turns, upper, lower)]
            self.lines += [
                f"(assert (and (<= {number(low)} {upper} {high}) (<= 0 {lower} {2**bits - 1})))",
                f"(assert (= {word.term} (+ (* {2**BITS} {turns}) (* {2**bits} {upper}) {lower})))",
            ]
        return [Word(self, name, word.signed) for name in self.parts[key][1:]]

    def filled(self, name, **terms):
        """What the names in a template stand for."""
        needed = {f"{name}_needed": f"(and {' '.join(self.needed)})", f"{name}_lines": "\n".join(self.lines)}
        return needed | {f"{name}_{key}": word.term for key, word in terms.items()}


class Word:
    """An integer that is the word but for multiples of 2**64; of a sum of limbs, their factors."""

    def __init__(self, script, term, signed=False, limbs=None, multiple=0):
        self.script, self.term, self.signed, self.limbs, self.multiple = script, term, signed, limbs, multiple

    def _made(self, term, limbs=None, multiple=0):
        return Word(self.script, term, self.signed, limbs, multiple)

    def __add__(self, other):
        return self._made(f"(+ {self.term} {_term(other)})")

    def __sub__(self, other):
        return self._made(f"(- {self.term} {_term(other)})")

    def __lshift__(self, bits):
        limbs = self.limbs and {name: factor << bits for name, factor in self.limbs.items()}
        return self._made(f"(* {2**bits} {self.term})", limbs, bits)

    def __rshift__(self, bits):
        return self.script.apart(self, bits)[0]

    def __and__(self, mask):
        if mask & mask + 1:
            raise ValueError(f"a mask must be that of the lowest bits, got {mask:#x}")
        return self.script.apart(self, mask.bit_length())[1]

    def __or__(self, other):
        """Two words side by side: the lower one is below the multiples of the upper one."""
        upper, lower = (self, other) if self.multiple else (other, self)
        if not upper.multiple:
            raise ValueError(f"words that are joined must be side by side, got {self.term} and {other.term}")
        if upper.limbs and lower.limbs:  # below 2**32 each
            return self._made(f"(+ {upper.term} {lower.term})", {**upper.limbs, **lower.limbs})
        self.script.needed.append(f"(<= 0 {lower.term} {2**upper.multiple - 1})")
        return self._made(f"(+ {upper.term} {lower.term})")

    def __ror__(self, nothing):
        return self if nothing == 0 else NotImplemented

    def __xor__(self, bits):
        """With no bit, with all, or with the sign."""
        if bits not in (0, -1, 2**63):
            raise ValueError(f"bits that are flipped must be none, all, or the sign, got {bits:#x}")
        return self if not bits else self._made(f"(- (- 1) {self.term})") if bits < 0 else (self >> 0) - bits

    def __mul__(self, other):
        parts = [
            f"(* {a * b} {one}_{two})"
            for one, a in self.limbs.items()
            for two, b in other.limbs.items()
            if a * b < 2**BITS
        ]
        return self._made(f"(+ 0 {' '.join(parts)})")

    def view(self, kind):
        return Word(self.script, self.term, kind is NumPy.int64, self.limbs, self.multiple)


def _term(value):
    return value.term if isinstance(value, Word) else number(value)


class Multiplier(Word):
    """A column of integers of up to 2**53 in size: the limbs `low`, below 2**32, and `high`, which has the sign."""

    def __init__(self, script, is_large, signed=True):
        self.is_large = is_large
        super().__init__(script, "", signed, {"low": 1, "high": 2**32})

    def __getitem__(self, index):
        return self

    def astype(self, kind):
        return Multiplier(self.script, self.is_large, kind is NumPy.int64)

    def __and__(self, mask):
        if mask != 2**32 - 1:
            raise ValueError(f"the lower bits of a position must be 32, got a mask of {mask:#x}")
        return Word(self.script, "low", limbs={"low": 1})

    def __rshift__(self, bits):
        if bits != 32 or not self.signed:
            raise ValueError(
                f"the upper bits of a position must be those from 32 on and its sign, got those from {bits}"
            )
        high = Word(self.script, "high", True, {"high": 1})
        high.any = lambda: self.is_large
        return high


class Limbs(list):
    """A phase: five words below 2**32, the lowest first."""

    def __init__(self, script, signed=False):
        self.script = script
        super().__init__(Word(script, f"f{k}", signed, {f"f{k}": 1}) for k in range(5))

    def view(self, kind):
        return Limbs(self.script, kind is NumPy.int64)


class NumPy:
    """Types that the NumPy kernels call by name."""

    @staticmethod
    def int64(value):
        return value

    @staticmethod
    def uint64(value):
        return value
