import io
import sys

import numpy as np
import pytest

from fairpairs import InputError
from fairpairs.papers.models.pictures import picture

Image = pytest.importorskip("PIL.Image", reason="the extra `faces` is not installed")


def encoded(array, kind="PNG", mode="RGB"):
    buffer = io.BytesIO()
    Image.fromarray(array).convert(mode).save(buffer, kind)
    return buffer.getvalue()


@pytest.fixture
def noise():
    return np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)


def test_a_picture_of_the_right_size_is_read_as_it_is(noise):
    shown = picture("a.png", encoded(noise), 40)
    assert shown.dtype == np.uint8
    assert shown.flags.writeable  # torch warns of what is not
    np.testing.assert_array_equal(shown, noise)


def test_other_sizes_are_scaled_and_other_modes_have_three_colours(noise):
    grey = picture("a.png", encoded(noise, mode="L"), 40)
    assert grey.shape == (40, 40, 3)
    np.testing.assert_array_equal(grey, grey[..., :1].repeat(3, axis=2))
    plain = np.full((60, 20, 3), (10, 200, 77), dtype=np.uint8)
    np.testing.assert_array_equal(
        picture("a.png", encoded(plain), 32), np.broadcast_to((10, 200, 77), (32, 32, 3))
    )
    halved = picture("a.png", encoded(noise), 20)
    assert abs(halved.mean() - noise.mean()) < 3


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:10],
        lambda content: b"",
        lambda content: b"no picture at all",
    ],
)
def test_what_is_no_whole_picture_is_named(noise, kind, damage):
    with pytest.raises(
        InputError,
        match=r"^faces\.zip, in/a: not a whole picture \(.*\): delete the archive, and it is "
        "fetched again, or leave the item out",
    ) as caught:
        picture("faces.zip, in/a", damage(encoded(noise, kind)), 32)
    assert "\n" not in str(caught.value)


def test_whatever_is_changed_in_a_picture_it_is_read_or_refused(noise):
    rng = np.random.default_rng(1)
    refused = 0
    for kind in ("JPEG", "PNG", "GIF"):
        whole = np.frombuffer(encoded(noise, kind), dtype=np.uint8)
        for _ in range(60):
            changed = whole.copy()
            changed[rng.integers(0, 200, 3)] = rng.integers(0, 256, 3)
            try:
                assert picture("a", changed.tobytes(), 32).shape == (32, 32, 3)
            except InputError:
                refused += 1
    assert refused > 60


def test_a_picture_that_claims_to_be_huge_is_refused(noise):
    content = bytearray(encoded(noise, "BMP"))
    content[18:26] = (30_000).to_bytes(4, "little") * 2
    with pytest.raises(InputError, match="a: not a whole picture"):
        picture("a", bytes(content), 32)


def test_without_the_library_the_message_says_how_to_install_it(monkeypatch, noise):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InputError, match=r"pillow .*pip install 'fairpairs\[faces\]'"):
        picture("a", b"", 32)
