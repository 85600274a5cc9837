"""The register: how often tests and intervals of other libraries, and ours, are wrong."""

from fairpairs.base.errors import InputError, shown
from fairpairs.base.plain_values import Content
from fairpairs.papers.plan.run import Run
from fairpairs.papers.plan.study import Outputs, Study

NAME = "register"
#: The size whose results are committed.
FULL = "full"


def size(run: Run) -> Content:
    """Return how much is simulated; empty without settings of the study."""
    settings = run.settings(NAME)
    amounts: Content = settings["sizes"].get(settings["size"], {}) if settings else {}
    return amounts


def is_full(run: Run) -> bool:
    """Return whether the size is that whose results are committed."""
    return bool(run.settings(NAME).get("size") == FULL)


def outputs(run: Run) -> Outputs:
    """Name the table of all numbers, and the picture."""
    return Outputs(tables=("levels",), figures=("levels",)) if size(run) else Outputs()


def check(run: Run) -> None:
    """Raise for an unknown size, and for unknown worlds."""
    settings = run.settings(NAME)
    if not settings:
        return
    if settings["size"] not in settings["sizes"]:
        raise InputError(
            f"config: {NAME}.size must be one of {', '.join(settings['sizes'])}; it is "
            f"{settings['size']}."
        )
    if named := size(run).get("worlds"):
        # slow, and a plan without named worlds has no need of it
        from fairpairs.papers.studies.register.worlds import REGISTER_WORLDS  # noqa: PLC0415

        for name in named:
            if name not in REGISTER_WORLDS:
                raise InputError(
                    f"config: {NAME}: there is no world {shown(name)}: name one of "
                    f"{'; '.join(REGISTER_WORLDS)}."
                )


STUDY = Study(
    title="The register of levels",
    position=6,
    outputs=outputs,
    check=check,
)
