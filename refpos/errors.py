"""The errors refpos raises: one sentence, what was expected, then what was received, and a neutral code."""


class InputError(ValueError):
    """A value that cannot be used; `code` is neutral between languages and `argument` names the culprit."""

    def __init__(self, code, argument, sentence):
        super().__init__(sentence)
        self.code = code
        self.argument = argument

    def __reduce__(self):
        return type(self), (self.code, self.argument, str(self))


class InputTypeError(InputError, TypeError):
    """A value of a kind that cannot be used at all, such as a complex array."""


class FileError(InputError):
    """A file that is missing, truncated, edited or of an unknown kind."""


#: every code, with what it says; golden error cases use these names
CODES = {
    "E_ODD_DIM": "a width must be even (or a multiple of 4) and is not",
    "E_SIZE": "a size or count is not a whole number in the allowed range",
    "E_TOO_LARGE": "the sizes multiply to more than an array can hold",
    "E_ROTARY_DIM": "rotary_dim does not fit the width or the frequencies",
    "E_BASE": "base is not a finite number greater than 0",
    "E_NUMBER": "a parameter is not a finite real number in its range",
    "E_POSITION": "a position is NaN, infinite or outside the exact range",
    "E_CHOICE": "a name is not one of the known ones",
    "E_DTYPE": "a dtype is not one of those supported",
    "E_SHAPE": "a shape does not fit the other arguments",
    "E_AXIS": "an axis is out of range or already taken",
    "E_OUT": "out has the wrong shape, dtype or byte order, is read-only or overlaps an input",
    "E_FILE": "a file is missing, truncated, edited or of an unknown kind",
    "E_MISSING": "a case or tensor that was expected is not there",
}


def shortened(value, most=80):
    """How a message shows a value: its repr on one line, what cannot be printed escaped, cut where it is long."""
    try:
        # of a long value only the beginning is wanted
        text = repr(value[:most] if isinstance(value, (str, bytes, list, tuple)) else value)
    except Exception:  # whatever the value says of itself; of whole numbers with thousands of digits, Python
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    text = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
    return text if len(text) <= most else f"{text[: most - 3]}..."
