"""Forms of tables: a YAML file each, of this package or of the user."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairpairs.base.errors import InputError, shortened, shown
from fairpairs.base.schemas import read_checked_yaml
from fairpairs.base.texts import meant

#: The forms of the package, and the schema of all.
FOLDER = Path(__file__).parent / "forms"
SCHEMA = Path(__file__).parent / "form.schema.yaml"


@dataclass(frozen=True)
class Form:
    """What a table asks for: its columns, their order and their words."""

    name: str
    title: str
    source: str
    #: What each attribute is; a single one may be repeated.
    attributes: Sequence[str]
    intersections: bool
    #: Whether a person with an unknown value is left out of "all" tables, or of "each" it is in.
    unknown: str
    small: float
    headings: dict[str, str]
    columns: Sequence[dict[str, str]]
    notes: Sequence[str]
    threshold: float | None = None

    def compared_with(self, threshold: float) -> "Form":
        """Return the form with another ratio to compare with, which it shows."""
        if not 0 < threshold <= 1:
            raise InputError(
                f"--threshold {threshold:g}: give a ratio above 0 and at most 1, such as 0.8."
            )
        columns = [one for one in self.columns if one["value"] != "threshold"]
        columns.append({"value": "threshold", "words": f"Ratio and {threshold:g}"})
        return replace(self, threshold=threshold, columns=columns)

    def check(self, attributes: Sequence[str]) -> None:
        """Raise InputError unless as many attributes are named as the form asks for."""
        asked = len(self.attributes)
        if not attributes or (asked > 1 and len(attributes) != asked):
            raise InputError(
                f"--sensitive: the form {self.name} asks for {asked} column(s), "
                f"{' and '.join(self.attributes)}, and {len(attributes)} are named: name "
                f"{'them in this order' if asked > 1 else 'at least one'}."
            )


def names() -> list[str]:
    """Return the names of the forms of the package."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_form(text: str | Path) -> Form:
    """Read a form by its name, or from a YAML file of the user; InputError if it is none."""
    if not isinstance(text, str | Path):
        raise InputError(f"--form is {shown(text)}: name one of {', '.join(names())}, or a file.")
    path, text = Path(text), str(text)
    if path.suffix not in (".yaml", ".yml"):
        if text not in names():
            raise InputError(
                f"--form {shortened(text)}: there is no such form{meant(text, names())}: name one "
                f"of {', '.join(names())}, or a YAML file."
            )
        path = FOLDER / f"{text}.yaml"
    try:
        content = read_checked_yaml(path, SCHEMA)
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}: correct the form.") from None
    form = Form(path.stem, **content)
    if form.threshold is None and any(one["value"] == "threshold" for one in form.columns):
        raise InputError(
            f"{path}: a column shows the `threshold`, and the form has none: add the key "
            "`threshold`, or drop the column."
        )
    return form
