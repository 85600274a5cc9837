"""Changes of a frame that a command reads."""


def at(column, row, value):
    """A change of a frame: one cell, whatever the type of its column."""

    def change(frame):
        frame = frame.astype(object)
        frame.loc[row, column] = value
        return frame

    return change
