"""Pictures, as encoders and networks take them."""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fairpairs.errors import InputError

#: A vector an item, shape (n, dimensions).
Vectors = NDArray[np.float32]
#: The place of a file, for messages, and its content.
Files = Iterable[tuple[str, bytes]]


def picture(place: str, content: bytes, side: int) -> NDArray[np.uint8]:
    """Read a picture, shape (side, side, 3).

    Raises
    ------
    InputError
        When it is none, or damaged: which, and the remedy.
    """
    from PIL import Image  # noqa: PLC0415  (an optional extra)

    try:
        with Image.open(io.BytesIO(content)) as image:
            scaled = image.convert("RGB").resize((side, side), Image.Resampling.BILINEAR)
            return np.asarray(scaled, dtype=np.uint8)
    except (OSError, SyntaxError) as error:  # Pillow has both for a damaged picture
        raise InputError(
            f"{place}: not a whole picture ({error}): delete the archive, and it is fetched again, "
            "or leave the item out."
        ) from error
