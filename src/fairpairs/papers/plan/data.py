"""The data sets and encoders of a run: their cards, raw files and vectors."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairpairs.base.errors import InputError, check_tuples
from fairpairs.base.plain_values import Content, Record
from fairpairs.papers.datasets.card import (
    READS,
    coding,
    find_card,
    is_raw_only,
    read_card,
    words,
)


@dataclass(frozen=True)
class Request:
    """Data sets that an experiment or a study reads, and how."""

    #: Their names.
    datasets: tuple[str, ...]
    #: The encoder of their texts or images.
    encoder: str | None = None
    #: Whether a study reads their raw files as they are, so that their cards may be `raw_only`.
    raw: bool = False

    def __post_init__(self) -> None:
        check_tuples(self, "datasets")


@dataclass(frozen=True)
class Data:
    """The data sets and encoders that a config uses."""

    #: The card of each known data set, used or not.
    card_files: Mapping[str, Path]
    #: The schema of cards.
    schema: Path
    cards: Mapping[str, Content]
    encoders: Content
    requests: Sequence[Request]

    @property
    def requested(self) -> list[str]:
        """All data sets that the config uses, available or not."""
        return list(self.cards)

    @property
    def raw_only(self) -> list[str]:
        """The data sets of the config without a table of items."""
        return [name for name, card in self.cards.items() if is_raw_only(card)]

    @property
    def folders_with_files(self) -> list[str]:
        """The folders of cards that have files beside them, in a folder of the data set's name."""
        kept = {str(card.parent) for name, card in self.card_files.items()
                if (card.parent / name).is_dir()}  # fmt: skip
        return sorted(kept)

    def card(self, dataset: str) -> Content:
        """Return the card of a data set, whether an experiment names it or not."""
        if dataset in self.cards:
            return self.cards[dataset]
        return read_card(find_card(dataset, self.card_files), self.schema)

    def coding(self, dataset: str) -> Record:
        """Return what the prepared data set rests on of its card."""
        return coding(self.card(dataset))

    def words(self, datasets: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return what the cards of data sets say to readers."""
        return {name: words(self.card(name)) for name in datasets}

    def titles(self, datasets: Iterable[str]) -> dict[str, str]:
        """Return the titles of data sets; those that are called alike have their names, too."""
        titles = {name: of["title"] for name, of in self.words(datasets).items()}
        alike = Counter(titles.values())
        return {name: f"{t} ({name})" if alike[t] > 1 else t for name, t in titles.items()}

    def raw_entry(self, owner: str, file: str) -> Record:
        """Return the entry of a raw file on the card of a data set, or in that of an encoder."""
        spec = self.encoders[owner] if owner in self.encoders else self.card(owner)
        entries = {entry["name"]: entry for entry in spec.get("files", [])}
        if file not in entries:
            raise InputError(
                f"There is no raw file {file} of {owner}: its card or the config names none."
            )
        entry: Record = entries[file]
        return entry

    def notice(self, owner: str) -> str:
        """Return the terms of a data set, which are printed when its files are fetched."""
        return "" if owner in self.encoders else str(self.card(owner).get("notice", ""))

    def raw_tables(self, dataset: str) -> list[str]:
        """Name the raw files of a data set, without its archives of images."""
        card = self.card(dataset)
        archives = {archive["file"] for archive in card.get("archives", {}).values()}
        names = [entry["name"] for entry in card["files"]]
        return [f"data/raw/{dataset}/{name}" for name in names if name not in archives]

    def prepared_from(self, dataset: str) -> list[str]:
        """Name the raw files from which the table of items of a data set is prepared."""
        if is_raw_only(self.card(dataset)):
            raise InputError(
                f"The card of the data set {dataset} is `raw_only`: it has files, and no table of "
                f"items is prepared of them; `snakemake {self.raw_tables(dataset)[0]}` fetches one."
            )
        return self.raw_tables(dataset)

    def image_archive(self, dataset: str, encoder: str) -> Content:
        """Return the archive of a card that an encoder of images reads; empty for texts."""
        kind = self.encoders[encoder].get("kind")
        archive: Content = (
            self.card(dataset).get("archives", {}).get(READS[kind], {}) if kind else {}
        )
        return archive

    def image_files(self, dataset: str, encoder: str) -> list[str]:
        """Name the archive that an encoder of images reads."""
        archive = self.image_archive(dataset, encoder)
        return [f"data/raw/{dataset}/{archive['file']}"] if archive else []

    def encoder_files(self, encoder: str | None) -> list[str]:
        """Name the weights of an encoder of images, fetched as raw files are."""
        files = self.encoders.get(encoder or "", {}).get("files", [])
        return [f"data/raw/{encoder}/{entry['name']}" for entry in files]

    def raw_files(self, datasets: Collection[str]) -> list[str]:
        """Name the raw files of data sets, with the images and weights that an encoder reads."""
        tables = [file for name in datasets for file in self.raw_tables(name)]
        encoded = [
            file
            for name in datasets
            for request in self.requests
            if name in request.datasets and request.encoder in self.encoders
            for file in self.image_files(name, str(request.encoder))
        ]
        weights = [
            file
            for request in self.requests
            if set(request.datasets) & set(datasets)
            for file in self.encoder_files(request.encoder)
        ]
        return [*tables, *dict.fromkeys(encoded), *dict.fromkeys(weights)]

    def embedded(self, dataset: str, encoder: str | None) -> list[str]:
        """Name the vectors of a data set with texts or images."""
        if not {"text", "image"} & set(self.card(dataset)["features"].values()):
            return []
        return [f"data/embedded/{dataset}.{encoder}.parquet"]
