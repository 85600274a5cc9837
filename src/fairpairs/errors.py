"""The one exception that speaks to a user."""


class InputError(ValueError):
    """Something given by the user is wrong; the message says what, where, and the remedy."""
