"""Take the pictures of the documentation, with Chromium, in the folder of a finished run.

`python docs/pictures.py [CHROMIUM]` writes docs/pictures/audit.png and report.png.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image

import fairpairs as fp

FOLDER = Path(__file__).parent / "pictures"
SIZE = 1280, 860


def take(page: Path, name: str, browser: str) -> None:
    """Write what a browser shows of the top of a page, in 128 colours."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = [browser, *options, size, f"--user-data-dir={folder}", f"--screenshot={shot}"]
        subprocess.run([*command, page.resolve().as_uri()], check=True, capture_output=True)
        with Image.open(shot) as image:
            image.convert("RGB").quantize(128).save(FOLDER / f"{name}.png", optimize=True)


def main(browser: str = "chromium") -> None:
    """Take both pictures."""
    people = pd.read_csv("data/raw/compas/compas-scores-two-years.csv")
    result = fp.audit(
        people["two_year_recid"],
        people["score_text"] != "Low",
        y_score=people["decile_score"],
        sensitive_features=people[["sex", "race"]],
        reference={"race": "Caucasian"},
    )
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        result.write(folder)
        take(Path(folder) / "audit.html", "audit", browser)
    take(Path("results/report.html"), "report", browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
