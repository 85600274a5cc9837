"""Edits of tables, to plant a result."""

from fairpairs.papers.plan.claims import study_claims
from fairpairs.papers.plan.study_files import study_folders


def claims_of(study):
    """The claims of a study of the package."""
    return study_claims(study, study_folders()[study])


def tables(study, *names):
    """The paths of tables of a study, as checks read them."""
    return [f"tables/{study}/{name}.csv" for name in names]


def setting(column, value, /, **keys):
    """An edit: `column` of the rows with these values."""

    def edit(frame):
        rows = frame.index == frame.index
        for key, wanted in keys.items():
            rows &= frame[key] == wanted
        assert rows.any(), keys
        changed = frame.copy()
        changed.loc[rows, column] = value(frame[rows]) if callable(value) else value
        return changed

    return edit


def all_of(*edits):
    """Several edits of one table."""

    def edit(frame):
        for one in edits:
            frame = one(frame)
        return frame

    return edit
