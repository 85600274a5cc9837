"""Pictures, as encoders and networks take them."""

import io
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fairpairs.base.errors import InputError

EXTRA = "install it with pip install 'fairpairs[faces]'"
#: One vector per item, shape (n, dimensions).
Vectors = NDArray[np.float32]
#: Path of each file, for messages, and its content.
Files = Iterable[tuple[str, bytes]]


def picture(path: str, content: bytes, side: int) -> NDArray[np.uint8]:
    """Read a picture, shape (side, side, 3); InputError if it is none, or damaged."""
    try:
        from PIL import Image  # noqa: PLC0415  (an optional extra)
    except ImportError as error:
        raise InputError(f"Pictures need the package pillow ({error}): {EXTRA}.") from error
    try:
        with Image.open(io.BytesIO(content)) as image:
            scaled = image.convert("RGB").resize((side, side), Image.Resampling.BILINEAR)
            return np.array(scaled, dtype=np.uint8)  # a copy, which torch may write to
    # Pillow has all of these for a damaged picture
    except (OSError, SyntaxError, TypeError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(
            f"{path}: not a whole picture ({error}): delete the archive, and it is fetched again, "
            "or leave the item out."
        ) from error
