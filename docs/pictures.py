"""Take the pictures of the documentation, with Chromium, in a clone that has COMPAS.

`python docs/pictures.py [CHROMIUM]` writes docs/pictures/*.png; report.png only after
`make reproduce`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image

import fairpairs as fp
from fairpairs.papers.display.treatments_figure import trade_off_figure

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/pictures"
COMPAS = ROOT / "data/raw/compas/compas-scores-two-years.csv"
REPORT = ROOT / "results/report.html"
SIZE, COLOURS = (1200, 800), 64
#: Picture → the page of the documentation whose example makes it, and the file that it writes.
EXAMPLES = {
    "judgments": ("tutorials/judgments.md", "audit/judgments.html"),
    "monitor": ("how-to/monitor.md", "report/monitor.html"),
}


def take(page: Path, name: str, browser: str) -> None:
    """Write what a browser shows of the top of a page, in few colours."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = [browser, *options, size, f"--user-data-dir={folder}", f"--screenshot={shot}"]
        subprocess.run([*command, page.resolve().as_uri()], check=True, capture_output=True)
        with Image.open(shot) as image:
            image.convert("RGB").quantize(COLOURS).save(FOLDER / f"{name}.png", optimize=True)


def results() -> dict[str, object]:
    """Return the results of the public score, by the names of the commands."""
    people = pd.read_csv(COMPAS).rename_axis("compas.csv")
    label, groups = people["two_year_recid"], people[["sex", "race"]]
    high, violent = (people[name] != "Low" for name in ("score_text", "v_score_text"))
    alike = {"reference": {"race": "Caucasian"}, "favourable": 0}
    return {
        "audit": fp.audit(
            label, high, y_score=people["decile_score"], sensitive_features=groups, **alike
        ),
        "compare": fp.compare(
            label, high, violent, sensitive_features=groups, margin=0.05, **alike
        ),
        "groups": fp.audit_groups(
            label, high, sensitive_features=people[["sex", "race", "age_cat"]], depth=3,
            favourable=0,
        ),
    }  # fmt: skip


def draw_experiment() -> None:
    """Draw what the code of how-to/lower-gaps.md finds."""
    known = "sex age age_cat race juv_fel_count juv_misd_count juv_other_count priors_count"
    names = [*known.split(), "c_charge_degree", "c_charge_desc", "two_year_recid"]
    people = pd.read_csv(COMPAS)[names]
    people["race"] = people["race"].where(people["race"] == "Caucasian", "other")
    found = fp.experiment(
        people,
        label="two_year_recid",
        positive=0,
        sensitive_features=["race", "sex"],
        reference={"race": "Caucasian", "sex": "Male"},
        models=["logistic_regression"],
        treatments={
            "none": "none",
            "fairbalance": "fairbalance",
            "reweighing": "reweighing",
            "thresholds by group": {"call": "thresholds_by_group", "held_out": 0.3},
        },
    )
    stem, compared = FOLDER / "experiment", fp.compare_treatments(found)
    trade_off_figure(stem, found, compared, {"data": "COMPAS"}, alpha=0.05)
    stem.with_suffix(".svg").unlink()


def main(browser: str = "chromium") -> None:
    """Take all pictures."""
    sys.path.insert(0, str(ROOT))
    from tests.cli.doc_pages import run_pages  # noqa: PLC0415  (of the clone, not of the package)

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "page.html"
        for command, result in results().items():
            page.write_text(result.to_html(), "utf-8")
            take(page, command, browser)
        for command, (example, written) in EXAMPLES.items():
            run_pages([example], name, html=True)
            take(Path(name) / written, command, browser)
    draw_experiment()
    if REPORT.exists():
        take(REPORT, "report", browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
