"""Synthetic data: portraits of noise, and people who decide on items."""

import hashlib
import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml


def seal(path: Path) -> dict[str, Any]:
    """The size and the sha256 of a file, as a card has them."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def write_portraits(
    mirror: Path, *, n: int = 32, side: int = 32
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Write small pictures of noise, their landmarks, two people's decisions and their mean.

    The network has the form of VGG-16 and random weights, so nothing is fetched from anywhere.

    Returns
    -------
    dict, dict
        The card of the data set, and the encoders of the config.
    """
    Image = pytest.importorskip("PIL.Image", reason="the extra `faces` is not installed")
    torch = pytest.importorskip("torch", reason="the extra `faces` is not installed")
    from fairpairs.papers.models.vgg16 import VGG16

    rng = np.random.default_rng(0)
    # the letter that tells the group, in no order
    names = [f"{letter}{i}.jpg" for i, letter in enumerate(rng.permutation(list("FM") * (n // 2)))]
    bright = rng.integers(60, 256, n)
    mirror.mkdir(parents=True)
    with (
        zipfile.ZipFile(mirror / "pictures.zip", "w") as pictures,
        zipfile.ZipFile(mirror / "points.zip", "w") as points,
    ):
        for name, brightest in zip(names, bright, strict=True):
            buffer = io.BytesIO()
            pixels = rng.integers(0, brightest, (side, side, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(buffer, "JPEG")
            pictures.writestr(f"in/{name}", buffer.getvalue())
            shape = rng.normal(brightest, brightest, (86, 2)).astype("<f4")
            points.writestr(f"{Path(name).stem}.pts", struct.pack("<i", 86) + shape.tobytes())
    decisions = np.clip((bright / 50 + rng.normal(0, 0.5, (2, n))).round(), 1, 5)
    table = pd.DataFrame(dict(zip(("name", "P1", "P2"), (names, *decisions), strict=True)))
    table["mean"] = decisions.mean(axis=0)
    table.to_csv(mirror / "ratings.csv", index=False)
    torch.manual_seed(0)
    torch.save(VGG16(width=2, units=8, side=side // 32).state_dict(), mirror / "network.pth")
    card = yaml.safe_load(Path(__file__).with_name("portraits.yaml").read_text("utf-8"))
    card["files"] = [
        {"name": name, **seal(mirror / name), "urls": []}
        for name in ("ratings.csv", "pictures.zip", "points.zip")
    ]
    weights = {"name": "network.pth", **seal(mirror / "network.pth"), "urls": []}
    encoders = {
        "points": {"kind": "landmarks"},
        "network": {"kind": "vgg16", "files": [{**weights, "mirror": "portraits/network.pth"}]},
    }
    return card, encoders


def rate(text: str) -> str:
    """Let three people rate the loans of a CSV from 1 to 5: P2 favours men, P4 has not seen all."""
    loans = pd.read_csv(io.StringIO(text))
    rng = np.random.default_rng(4)
    ratings = {}
    for name, favour in (("P1", 0), ("P2", 1), ("P3", 0)):
        noise = rng.integers(-1, 2, len(loans))
        rated = loans["income"] // 15 + favour * (loans["sex"] == "male") + noise
        ratings[name] = rated.clip(1, 5)
    loans = loans.assign(**ratings, Average=sum(ratings.values()) / 3)
    loans["P4"] = ratings["P1"].where(loans.index % 3 > 0).astype("Int64")
    return loans.to_csv(index=False, lineterminator="\n")
