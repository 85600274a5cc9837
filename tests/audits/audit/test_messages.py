"""Sentences that take a word of the user's into account."""

import re

import pytest

import fairpairs as fp


@pytest.mark.parametrize(("named", "word"), [(True, "yes"), (False, "no")])
def test_yes_without_quotes_in_yaml_is_explained(named, word):
    y, group = ["no", "yes"] * 6, ["yes", "yes", "no", "no"] * 3
    sentence = f'; in YAML, write "{word}" in quotes, without which it is read as {named}.'
    with pytest.raises(fp.InputError, match=re.escape(f"'{named}' is none of them: name one")) as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive=named)
    assert str(e.value).endswith(sentence)
    reference = {"group": named}
    with pytest.raises(fp.InputError, match=f"'{named}' is not a group of sensitive_feat") as e:
        fp.audit(y, y[::-1], sensitive_features=group, positive="yes", reference=reference)
    assert str(e.value).endswith(sentence)
    with pytest.raises(fp.InputError, match=r"none of them: name one .* positive='b'\.$"):
        fp.audit(["a", "b"] * 6, ["b", "a"] * 6, sensitive_features=group, positive=named)
