import math

import numpy as np
import pytest

from fairpairs.base import texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "+0.123"), (-99.9994, "-99.999"), (-1983.2, "-1,980"), (999_499, "+999,000"),
        (999_501, "+1.00e6"), (-1.98e12, "-1.98e12"), (np.nan, "–"), (np.inf, "–"), (0.0, "0.000"),
    ],
)  # fmt: skip
def test_an_estimate_has_three_digits(value, text):
    assert texts.number(value, sign=True) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0004, "-0.0004"), (0.0005, "0.001"), (3.2e-5, "3e-05"), (-1e-17, "0.000")],
)
def test_a_number_near_0_is_shown_unless_it_is_an_error_of_rounding(value, text):
    assert texts.number(value) == text


def test_an_interval_and_a_p_value_that_are_missing_are_one_sign():
    nan = np.nan
    assert [
        texts.interval(nan, nan),
        texts.pvalue(nan),
        texts.number(nan),
        texts.decimals(nan, 2),
    ] == ["–"] * 4


@pytest.mark.parametrize(
    ("value", "cell", "sentence"),
    [(0.0009, "<0.001", "p < 0.001"), (0.001, "0.001", "p = 0.001"), (1.0, "1.000", "p = 1.000"),
     (0.0, "<0.001", "p < 0.001")],
)  # fmt: skip
def test_a_p_value_has_three_digits(value, cell, sentence):
    assert (texts.pvalue(value), texts.p_equals(value)) == (cell, sentence)


def test_a_long_list_is_cut():
    assert texts.listed(range(texts.MAX_LISTED)).endswith(f", {texts.MAX_LISTED - 1}")
    assert texts.listed(range(texts.MAX_LISTED + 1)).endswith(f", {texts.MAX_LISTED - 1}, …")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0975, 4, "0.0975"),
        (0.09749, 4, "0.0975"),
        (0.0, 3, "0.000"),
        (-0.0, 3, "0.000"),
        (-0.0004, 3, "0.000"),
        (-0.0006, 3, "-0.001"),
        (-0.0, 0, "0"),
        (-0.4, 0, "0"),
        (-10.0, 1, "-10.0"),
        (1, 3, "1.000"),
        (7214, 0, "7,214"),
        (1234567.891, 2, "1,234,567.89"),
        (-1000, 0, "-1,000"),
        (math.nan, 3, "–"),
    ],
)
def test_a_number_is_written_with_its_digits(value, digits, text):
    assert texts.decimals(value, digits) == text
    assert texts.decimals(np.float64(value), digits) == text


#: What turns the direction of the text that follows, and what has no width.
DIRECTIONS = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
HIDDEN = [0xAD, 0x180E, 0x200B, 0x200C, 0x200D, *range(0x2060, 0x2066), *range(0x206A, 0x2070)]
HIDDEN += [0xFEFF, *range(0xE0000, 0xE0080)]


def test_what_is_not_seen_is_written_in_ascii():
    for character in map(chr, DIRECTIONS + HIDDEN):
        shown = character.encode("unicode_escape").decode()
        assert texts.printable(f"{character}a{character}b") == f"{shown}a{shown}b"
        assert texts.printable_lines(f"a\nb{character}\n") == f"a\nb{shown}\n"


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
        "\u0d28\u0d4d\u200d",  # Malayalam, at the end of a word
        "\u0915\u094d\u200d\u0937",  # Devanagari
        "\U0001f469\u200d\U0001f4bb",  # a woman at a computer
        "\u2764\ufe0f\u200d\U0001f525 \u05e9\u05dc\u05d5\u05dd é e\u0301 北京 – ‑",
    ],
)
def test_letters_of_any_script_are_written_as_they_are(text):
    assert texts.printable(text) == text
