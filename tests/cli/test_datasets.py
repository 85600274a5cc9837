import shutil

import pytest
import yaml


@pytest.fixture
def cards(root):
    folder = root / "config/datasets"
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in folder.glob("*.yaml")}


@pytest.fixture
def checkout(root, tmp_path, monkeypatch):
    """A copy of the cards, which is in the working folder."""
    shutil.copytree(root / "config/datasets", tmp_path / "config/datasets")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_every_card_has_a_line(checkout, ran, cards):
    lines = ran("datasets").splitlines()
    table = {line.split()[0]: line for line in lines[2 : lines.index("")]}
    assert list(table) == sorted(cards)
    for name, card in cards.items():
        line = table[name]
        assert card["homepage"] in line
        assert card["licence"].split()[0] in line
        if card.get("raw_only"):
            assert line.split()[1:4] == ["files", "–", "–"]
            continue
        assert f" {card['counts']['rows']:,} " in line
        for attribute, rule in card["sensitive"].items():
            assert f"{attribute}: {rule['names']['zero']}, {rule['names']['one']}" in line
    assert "text, numbers" in table["jira"]
    assert "image, numbers" in table["scut_fbp5500"]
    assert "table, yes/no" in table["compas"]
    assert f"{len(cards)} data sets. " in lines[-2]


def test_one_card_is_shown_in_full(checkout, ran, cards):
    out = ran("datasets", "compas")
    assert out.startswith("# config/datasets/compas.yaml\n")
    assert yaml.safe_load(out) == cards["compas"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("compass", "There is no data set `compass`; there are adult, "),
        ("compass", ": did you mean `compas`?"),
        ("zzz", ", …: name one of them."),
        ("../config", "There is no data set `../config`"),
    ],
)
def test_an_unknown_name_is_told_with_the_known_ones(checkout, refused, name, words):
    assert words in refused("datasets", name)


@pytest.mark.parametrize("arguments", [(), ("compas",)])
def test_a_broken_card_is_named_and_not_shown(checkout, refused, arguments):
    path = checkout / "config/datasets/compas.yaml"
    path.write_text(path.read_text("utf-8").replace("title:", "titel:"), "utf-8")
    words = refused("datasets", *arguments)
    assert "config/datasets/compas.yaml: unknown key `titel`; did you mean `title`?" in words


@pytest.mark.slow
def test_the_cards_of_a_project_of_ones_own_are_listed_too(ran, tmp_path, root, monkeypatch, cards):
    monkeypatch.chdir(tmp_path)
    text = (root / "config/datasets/german.yaml").read_text("utf-8")
    for folder, name in (("config/datasets", "ours"), ("more/datasets", "mine")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{name}.yaml").write_text(text, "utf-8")
    config = (
        "{seed: 1, alpha: 0.05, repeats: 2, chunk_size: 2, experiments: {}, extensions: [more]}"
    )
    (tmp_path / "config/config.yaml").write_text(config, "utf-8")
    (tmp_path / "config/datasets/compas.yaml").write_text(text, "utf-8")  # before the shipped one
    lines = ran("datasets").splitlines()
    assert [line.split()[0] for line in lines[2 : lines.index("")]] == sorted(
        [*cards, "mine", "ours"]
    )
    assert ran("datasets", "compas").startswith("# config/datasets/compas.yaml\n")
    assert "1 data set. " in ran("datasets", "--folder", "more/datasets")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{extension: [more]}", "config/config.yaml: unknown key `extension`"),
        ("{seed: 1, alpha: 0.05, repeats: 2, chunk_size: 2, experiments: {}, extensions: [more]}",
         "more/datasets/compas.yaml: there is a data set `compas` already, in "),
    ],
)  # fmt: skip
def test_a_config_that_a_run_refuses_is_refused(refused, folder, config, words):
    for path, text in (("config/config.yaml", config), ("more/datasets/compas.yaml", "")):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text, "utf-8")
    assert words in refused("datasets")
