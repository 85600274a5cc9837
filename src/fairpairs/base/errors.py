"""The exception for wrong input of the user, and the form of values in its messages."""

import logging
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Characters of a value, or of the message of a library, in a message.
LONGEST = 80

_REPR = reprlib.Repr()  # takes the first few of the values of a list
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = LONGEST


class InputError(ValueError):
    """Input of the user is wrong; the message names the error and the remedy in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


def check_tuples(thing: object, *fields: str) -> None:
    """Raise a TypeError unless these fields of a dataclass are tuples or lists of text."""
    for field in fields:
        value = getattr(thing, field)
        if not isinstance(value, tuple | list) or not all(isinstance(v, str) for v in value):
            raise TypeError(
                f"{field} of {type(thing).__name__} is {shown(value)}, and has to be a tuple of "
                'text, as in ("a",)'
            )


def shortened(text: object) -> str:
    """Return a text, in one line and cut when it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def half_character(name: object, error: UnicodeEncodeError) -> InputError:
    """Return the refusal of a text that UTF-8 cannot hold."""
    return InputError(
        f"{name} holds half of a character, {shown(error.object[error.start])}, which UTF-8 cannot "
        "hold: correct it."
    )


def shown(value: Any) -> str:
    """Return a value as Python writes it, in one line and cut when it is long."""
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    if kind in "biufcU" and value.shape == ():
        value = value.item()  # 1, not np.int64(1)
    try:
        return shortened(_REPR.repr(value))
    except ValueError:  # an integer with too many digits
        return f"a value of type {type(value).__name__}"


@contextmanager
def failures(what: str, remedy: str) -> Iterator[None]:
    """Turn what other people's code raises into an InputError of what failed, and the remedy.

    The traceback goes to the log.
    """
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        logging.getLogger(__name__).info("The cause:", exc_info=error)
        text = " ".join(str(error).split())
        raise InputError(f"{what} ({type(error).__name__}: {text[:300]}): {remedy}.") from error


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put a place before the message of an InputError."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error.__cause__
