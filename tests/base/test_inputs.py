import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from fairpairs import InputError
from fairpairs.base import inputs, tables
from fairpairs.base.errors import LONGEST, shortened, shown


def test_numbers_become_floats():
    for values in ([1, 2], [True, False], pd.Series([1, 2], dtype="Int64"), ["1.5", "2"]):
        array = inputs.numeric(values, "y_score")
        assert array.dtype == np.float64
        assert array.shape == (2,)


@pytest.mark.parametrize(
    "values", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True], np.array([0, 1, 1], np.uint8)]
)
def test_zeros_and_ones_of_any_type_are_binary(values):
    result = inputs.binary(values, "y_true")
    assert_array_equal(result, [0, 1, 1])
    assert result.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["m", "f", "m"], ("f", "m")),
        ([40, 25, 40], (25, 40)),
        ([True, False, True], (False, True)),
        (pd.Categorical(["m", "f", "m"], categories=["m", "f"]), ("f", "m")),
        (pd.Series(["m", "f", "m"], index=[7, 8, 9]), ("f", "m")),
    ],
)
def test_groups_are_numbered_in_sorted_order(values, names):
    codes, found = inputs.two_groups(values)
    assert_array_equal(codes, [1, 0, 1])
    assert found == names


@pytest.mark.parametrize(
    "values",
    [
        ["m", "f", "m", "x"],
        [[2], [1], [2], [3]],
        pd.DataFrame({"sex": pd.Categorical(["m", "f", "m", "x"])}),
    ],
)
def test_any_number_of_groups_is_numbered_in_sorted_order(values):
    codes, names = inputs.groups(values)
    assert_array_equal(codes, [1, 0, 1, 2])
    assert codes.dtype == np.int64
    assert len(names) == 3
    assert list(names) == sorted(names)


def test_several_attributes_make_a_group_of_each_combination_that_occurs():
    frame = pd.DataFrame(
        {"sex": ["m", "f", "m", "f", "m"], "age": [40, 25, 25, 25, 40], "old": [1, 0, 0, 0, 1]}
    )
    codes, names = inputs.groups(frame)
    assert names == (("f", 25, 0), ("m", 25, 0), ("m", 40, 1))
    assert_array_equal(codes, [2, 0, 1, 0, 2])
    codes, names = inputs.groups(frame[["age", "old"]].to_numpy())
    assert names == ((25, 0), (40, 1))
    assert_array_equal(codes, [1, 0, 0, 0, 1])


FRAME = pd.DataFrame({"sex": ["m", "f", "m"], "race": ["a", None, "b"]})
MIXED = pd.DataFrame({"sex": ["m", "f"], "race": [1, "a"]}, dtype=object)
LEVEL = r"^alpha must lie between 0 and 1(, without these)?; it is "


@pytest.mark.parametrize(
    ("read", "values", "words"),
    [
        (inputs.numeric, ["high", "low"], "name must hold numbers: .*'high'"),
        (inputs.numeric, [0.1, np.inf], "name holds an infinite value"),
        (inputs.binary, [0, 2, 1], "name must hold 0 and 1 only; it holds 2: "),
        (inputs.binary, [0.5, 1], "it holds 0.5, a probability: give decisions, such as name >= 0"),
        (inputs.binary, ["a", "b"], "it holds 'a': "),
        (inputs.two_groups, pd.Series([1, "a", 1], dtype=object), "features mixes kinds of values"),
        (inputs.two_groups, ["m", "m"], r"one group only \(m\): a test compares two groups"),
        (inputs.two_groups, ["a", "b", "c"], "has 3 groups: make it binary"),
        (inputs.groups, FRAME, "sensitive_features, column race has 1 missing .* 1:"),
        (inputs.groups, [["m", "a"], ["f", float("nan")], ["m", "b"]], "1 missing"),
        (inputs.groups, MIXED, "column race mixes kinds of values"),
        (inputs.groups, pd.DataFrame({"sex": ["m", "m"], "age": [3, 3]}), r"only \(m & 3\)"),
        (inputs.groups, [], "sensitive_features"),
        (inputs.groups, np.zeros((2, 0)), "sensitive_features"),
        (inputs.groups, np.zeros((2, 2, 2)), "sensitive_features"),
        *((inputs.level, alpha, LEVEL) for alpha in (0, 1, -0.1, 1.5, np.nan)),
        (inputs.level, 1e-20, r"^alpha must be at least 1e-09; it is 1e-20\.$"),
    ],
)
def test_what_cannot_be_read_is_refused(read, values, words):
    with pytest.raises(InputError, match=words):
        read(values, "name") if read in (inputs.numeric, inputs.binary) else read(values)


def test_too_many_groups_are_taken_for_a_mistake():
    assert len(inputs.groups(np.arange(inputs.MAX_GROUPS))[1]) == inputs.MAX_GROUPS
    with pytest.raises(InputError, match="has 21 groups, more than 20: join some"):
        inputs.groups(np.arange(inputs.MAX_GROUPS + 1))


def test_a_group_is_said_in_words():
    assert inputs.group_name(("f", 25)) == "f & 25"
    assert inputs.group_name("f") == "f"
    assert inputs.group_name(25) == "25"


def test_lengths_are_listed():
    inputs.same_items(a=np.zeros(3), b=np.ones(3))
    with pytest.raises(InputError, match="must have one length: a has 3, b has 3, c has 2"):
        inputs.same_items(a=np.zeros(3), b=np.zeros(3), c=np.zeros(2))


def test_any_level_between_is_accepted():
    for alpha in (1e-9, 0.05, 0.999):
        inputs.level(alpha)


def sentence_of(function, *arguments, **options):
    with pytest.raises(InputError) as refused:
        function(*arguments, **options)
    return str(refused.value)


def test_numbers_of_which_no_moment_can_be_taken_are_refused():
    assert sentence_of(inputs.moderate, [1, -1e155], "y") == (
        "y holds numbers as large as 1e+155, and its largest may be 1e+50: divide all by a large "
        "number."
    )
    assert sentence_of(inputs.moderate, [0, 1e-155], "y") == (
        "y holds numbers no larger than 1e-155, and its largest must be at least 1e-50: multiply "
        "all by a large number."
    )
    for values in ([0, 0], [1e50, 1e-300], [-1e-50, 0]):
        assert_array_equal(inputs.moderate(values, "y"), values)


def test_a_missing_number_is_kept_where_it_may_be():
    for values in ([1, None, 3], pd.Series([1, pd.NA, 3], dtype="Int64"), [1, np.nan, 3]):
        assert_array_equal(inputs.moderate(values, "y", missing=True), [1, np.nan, 3])
    assert "infinite" in sentence_of(inputs.moderate, [1, np.inf], "y", missing=True)
    assert sentence_of(inputs.numeric, ["1", "nan"], "y") == (
        "y holds a missing value: give finite numbers."
    )


def test_many_arrays_are_not_all_listed():
    arrays = {f"a{i}": np.zeros(3 if i else 4) for i in range(30)}
    assert sentence_of(inputs.same_items, **arrays) == (
        "The arrays must have one length: a0 has 4, a1 has 3."
    )


def test_an_index_says_which_items_they_are():
    one = pd.Series([1, 2, 3], index=list("xyz"))
    assert sentence_of(inputs.same_items, y_true=one, y_pred=one[::-1]) == (
        "y_true and y_pred have an index with the same labels in another order: bring them into "
        "one order by their labels, or, if they are the same rows in the same order, take "
        ".reset_index(drop=True) of both."
    )
    other = pd.Series([1, 2, 3], index=list("abc"))
    assert "have an index with different labels: " in sentence_of(inputs.same_items, a=one, b=other)
    new, rows = pd.Series([1, 2, 3]), one.to_frame()
    inputs.same_items(y_true=one, y_pred=rows, score=[1, 2, 3], more=new)
    # what a default index goes with need not go together
    assert "a and b have" in sentence_of(inputs.same_items, new=new, a=one, b=other)
    assert "another order" in sentence_of(inputs.same_items, new=new, turned=new[::-1])
    both = pd.MultiIndex.from_product([["a", "b"], [1, 2]])
    two = pd.Series(range(4), index=both)
    inputs.same_items(one=two, other=two + 1)
    assert "another order" in sentence_of(inputs.same_items, one=two, other=two[::-1])


@pytest.mark.parametrize(
    ("check", "arguments", "sentence"),
    [
        (inputs.whole, (2.0, "n", 1, 9000), "n must be a whole number from 1 to 9,000; it is 2.0."),
        (inputs.whole, (True, "n", 1), "n must be a whole number from 1 on; it is True."),
        (inputs.between, ("1", "p", 0, 1), "p must lie between 0 and 1; it is '1'."),
        (inputs.between, (1, "p", 0, 1), "p must lie between 0 and 1, without these; it is 1."),
        (inputs.flag, (1, "f"), "f must be True or False; it is 1."),
        (inputs.one_of, (["a"], "o", ("a", "b")), "o must be one of 'a', 'b'; it is ['a']."),
        (inputs.known_group, ("c", "reference", ("a", "b")),
         "There is no group 'c' for `reference`: name one of a, b."),
    ],
)  # fmt: skip
def test_an_option_that_is_none_is_one_sentence(check, arguments, sentence):
    assert sentence_of(check, *arguments) == sentence


def test_options_that_are_fit_pass():
    inputs.whole(np.int64(3), "n", 3, 3)
    inputs.between(np.float32(0.5), "p", 0, 1)
    inputs.between(1, "p", 0, 1, ends=True)
    inputs.flag(np.bool_(True), "f")
    assert inputs.known_group(("f", 1), "reference", (("f", 0), ("f", 1))) == 1


class WithoutRepr:
    def __repr__(self):
        raise KeyError


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((99, 99)), list(range(10**6)), "x" * 10**6, pd.DataFrame({"a": range(99)}),
        10**4000, pytest.param(10**5000, id="digits"), WithoutRepr(), "a\nb",
        dict.fromkeys(range(99), "x" * 99),
    ],
)  # fmt: skip
def test_a_value_is_shown_in_one_short_line(value):
    text = shown(value)
    assert 0 < len(text) <= LONGEST
    assert text.splitlines() == [text]


def test_a_message_is_one_line():
    assert str(InputError("a\nb\r\nc\u2028d")) == "a b c d"
    assert shortened("a\n b") == "a b"
    assert shown([1, "a"]) == "[1, 'a']"


WHOLE = {"i8": [0, -3, -(2**63), 2**63 - 4], "u8": [0, 2**63 - 2, 2**64 - 4]}


@pytest.mark.parametrize(
    ("kind", "low"),
    [(k, low) for k in ("?", "i1", "u1", "i8", "u8", "f8", "U2") for low in WHOLE.get(k, [0])],
)
def test_levels_are_those_of_unique(kind, low):
    """Also where whole numbers are counted instead of sorted."""
    array = np.array([low + i for i in (3, 0, 1, 3, 0, 3)], dtype=kind)
    names, codes = inputs.levels(array, "y")
    expected, places = np.unique(array, return_inverse=True)
    assert names == expected.tolist()
    assert [type(name) for name in names] == [type(name) for name in expected.tolist()]
    np.testing.assert_array_equal(codes, places)


def test_levels_of_whole_numbers_far_apart_are_sorted():
    names, codes = inputs.levels(np.array([10**15, -5, 10**15]), "y")
    assert (names, codes.tolist()) == ([-5, 10**15], [1, 0, 1])


@pytest.mark.parametrize("k", [2, 3])
def test_the_columns_of_an_array_are_those_of_its_table(k):
    array = np.arange(6 * k).reshape(6, k)
    fast, slow = tables.columns(array, "x"), tables.columns(pd.DataFrame(array), "x")
    assert (
        [name for name, _ in fast]
        == [name for name, _ in slow]
        == [f"x, column {i}" for i in range(k)]
    )
    for (_, one), (_, other) in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("value", [1, 0.5, True, "a"])
def test_a_number_of_numpy_is_shown_as_one_of_python(value):
    assert shown(np.asarray([value])[0]) == shown(value) == repr(value)
    assert shown(np.asarray([value])) != shown(value)
    assert shown(np.datetime64("2026-01-01")) == "np.datetime64('2026-01-01')"
