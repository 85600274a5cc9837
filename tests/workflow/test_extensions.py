"""What a project of one's own adds: the code of the guides and the templates, as they are."""

import re
import shutil
import textwrap

import numpy as np
import pytest
import yaml
from statsmodels.stats.proportion import test_proportions_2indep as proportions_test

from fairpairs.base.files import write_text
from fairpairs.papers.registry import load

pytestmark = pytest.mark.slow

GUIDES = ("dataset", "treatment", "model", "test")


def blocks(text):
    """The code blocks of a page that stand below the path of a file: path → code."""
    found = re.findall(
        r"`([\w./]+)`:\n\n( *)```(?:python|yaml|html)\n(.*?)^\2```", text, re.M | re.S
    )
    assert len({path for path, _, _ in found}) == len(found)
    return {path: textwrap.dedent(code) for path, _, code in found}


@pytest.fixture(scope="module")
def documented(root):
    """Path → code, for each guide."""
    return {
        name: blocks((root / f"docs/how-to/add-a-{name}.md").read_text("utf-8")) for name in GUIDES
    }


def template_config(project):
    """What the templates need: a copy of their folder, and an experiment of each."""
    shutil.copytree(project / "mirror/loans", project / "mirror/made")
    card = project / "config/datasets/made.yaml"
    shutil.copy(project / "mine/config/datasets/loans.yaml", card)
    project.sign("made", project / "mirror/made/loans.csv")
    return {
        "mine": {
            "datasets": ["made"],
            "treatments": ["my_treatment"],
            "model": "my_model",
            "tests": ["my_test"],
        }
    }


@pytest.fixture(scope="module")
def extended(new_project, root, documented):
    """A project outside the repository with all that the guides and the templates add, run."""
    project = new_project("extended")
    shutil.copytree(root / "templates", project / "mine")
    experiments = template_config(project)
    for code in documented.values():
        for path, text in code.items():
            if path == "config/config.yaml":
                experiments |= yaml.safe_load(text)["experiments"]
            else:
                write_text(project / path, text)
    # what the card of the guide is for is seen in one prediction
    experiments["my_loans"] = {
        "datasets": ["loans"], "treatments": ["none"], "model": "logistic_regression",
        "tests": ["separation"],
    }  # fmt: skip
    project.sign("loans", project / "mirror/loans/loans.csv")
    project.configure(
        lambda config: config.update(
            experiments=experiments, extensions=["extensions", "mine/extensions"]
        )
    )
    targets = [
        *(f"results/tables/{name}.csv" for name in ("my_models", "my_tests", "mine")),
        "results/tests/my_loans/loans/none/0000000-0000003.parquet",
        *(
            f"results/predictions/my_treatments/loans/{name}/0000000-0000003.parquet"
            for name in ("none", "equal_groups")
        ),
    ]
    run = project.snakemake(*targets).check()
    return project, run


def test_each_guide_adds_one_file_and_an_experiment(documented, extended):
    files = {name: len({*code} - {"config/config.yaml"}) for name, code in documented.items()}
    assert files == {**dict.fromkeys(GUIDES, 1), "test": 2}  # the guide to a test has two of them
    assert all("config/config.yaml" in documented[name] for name in GUIDES[1:])
    project, run = extended
    for name in ("my_models", "my_tests", "mine"):
        assert len(project.frame(f"results/tables/{name}.csv"))
    assert run.jobs["prepare"] == 2


def test_the_treatment_gives_the_groups_equal_weight(extended):
    project, _ = extended
    weigh = load("treatments", "equal_groups", [project / "extensions/treatments/equal_groups.py"])
    groups = np.array([[0, 0], [0, 1], [0, 1], [1, 1], [1, 1], [1, 1]])
    np.testing.assert_allclose(weigh(np.zeros(6), groups), [2, 1, 1, 2 / 3, 2 / 3, 2 / 3])
    chunk = "results/predictions/my_treatments/loans/{}/0000000-0000003.parquet"
    scores = [project.frame(chunk.format(name)) for name in ("none", "equal_groups")]
    assert (scores[0]["item"].to_numpy() == scores[1]["item"].to_numpy()).all()
    assert (scores[0]["score"] != scores[1]["score"]).mean() > 0.9  # it is what was trained with


def test_the_test_is_the_z_test_of_two_proportions(extended):
    project, _ = extended
    part = "my_tests/loans/none"
    name = next((project / f"results/predictions/{part}").iterdir()).name
    prepared = project.frame("data/prepared/loans.parquet").set_index("item")
    rows = project.frame(f"results/tests/{part}/{name}")
    rows = rows[rows["test"] == "statistical_parity"]
    assert len(rows) == 4
    for repeat, predicted in project.frame(f"results/predictions/{part}/{name}").groupby("repeat"):
        sex = prepared.loc[predicted["item"], "sensitive_sex"].to_numpy()
        ones = [predicted["prediction"].to_numpy()[sex == group] for group in (1, 0)]
        known = proportions_test(
            ones[0].sum(), len(ones[0]), ones[1].sum(), len(ones[1]), method="wald", compare="diff"
        )
        row = rows[rows["repeat"] == repeat].iloc[0]
        np.testing.assert_allclose(
            row[["statistic", "p_value"]].astype(float), [known.statistic, known.pvalue]
        )


def test_what_was_made_by_a_file_is_made_again_when_it_changes(extended):
    project, _ = extended
    targets = [
        "results/tables/my_tests.csv",
        *(
            f"results/predictions/my_treatments/loans/{name}/0000000-0000003.parquet"
            for name in ("none", "equal_groups")
        ),
    ]
    files = [
        project / f"extensions/{name}.py"
        for name in ("treatments/equal_groups", "tests/statistical_parity")
    ]
    before = [file.read_text("utf-8") for file in files]
    for file, text in zip(files, before, strict=True):
        write_text(file, f"{text}\n# changed\n")
    planned = project.snakemake(*targets, "--dry-run").check().jobs
    for file, text in zip(files, before, strict=True):
        write_text(file, text)
    assert planned == {"train": 1, "test": 1, "summarise": 1}


def test_an_extension_that_cannot_be_used_ends_the_run_before_it_begins(small):
    write_text(small / "extensions/treatments/mine.py", "import no_such_library\n")
    small.configure(
        lambda config: (
            config.update(extensions=["extensions"]),
            config["experiments"]["loans"].update(treatments=["mine"]),
        )
    )
    run = small.snakemake()
    assert run.returncode != 0
    assert run.sentences == [
        "config: experiments.loans: extensions/treatments/mine.py: cannot be imported "
        "(ModuleNotFoundError: No module named 'no_such_library'): correct it."
    ]
    assert "Traceback" not in run.stderr
    assert small.files("data", "results", "logs") == []
