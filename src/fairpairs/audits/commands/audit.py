"""`fairpairs audit`: every test that applies to the predictions of one model."""

from fairpairs.audits.audit.audit import audit_columns
from fairpairs.audits.commands.options import COMMON, SHARED, Given, Predictions, shared, takes
from fairpairs.audits.commands.outputs import auditing
from fairpairs.audits.criteria import ALL_CRITERIA
from fairpairs.audits.items.files import read_files
from fairpairs.audits.items.settings import ALIASES, AuditLabelKind
from fairpairs.audits.options import Option
from fairpairs.base.named_columns import SEVERAL
from fairpairs.mathematics.arguments.design import WeightKind
from fairpairs.mathematics.inference.results import Correction

EXAMPLES = """\b
Examples:
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex
  fairpairs audit predictions.csv --label repaid --prediction approved --score s \\
      --sensitive sex --sensitive race --intersections --out report/ --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --criterion separation --criterion demographic_parity --fail-on-violation
  fairpairs audit predictions.csv --label repaid --prediction approved --sensitive sex \\
      --margin 0.05 --fail-unless-shown --junit audit.xml
  fairpairs audit predictions.csv --label repaid --score s --threshold 0.5 --sensitive sex
  fairpairs audit data/*.parquet --label repaid --prediction approved --sensitive sex
  fairpairs audit shards/*.counts
  fairpairs audit loans.csv --label grade --prediction predicted --sensitive sex \\
      --label-kind ordinal --order low,medium,high
  fairpairs audit efforts.parquet --label effort --prediction estimate --sensitive team
"""


@takes(
    "audit",
    label="Column of the label: two values, numbers, or classes; without it, predictions alone are "
    "compared.",
    prediction="Column of the prediction: values of the same kind.",
    **shared("sensitive", "score", "threshold"),
    positive="Value of the label that is positive; by default 1 or true. Of more than two classes, "
    "the one that alone is audited, against the rest.",
    favourable=SHARED,
    label_kind={
        "type": AuditLabelKind,
        "help": "What the label is, where a few whole numbers may be classes; ordinal for classes "
        "in an order.",
    },
    order=Option(
        "Classes of an ordinal label, the lowest first, such as low,medium,high; by default that "
        "of whole numbers.",
        metavar="CLASSES",
        read=lambda text: None if text is None else [name.strip() for name in text.split(",")],
    ),
    **shared("reference", "smallest", "intersections", "alpha"),
    correction={"type": Correction},
    criterion="What counts for the verdict, by default separation (equalized odds) for decisions, "
    "xauc for a score, separation_all_classes for classes, and comparative_separation for numbers. "
    f"One of {', '.join([*ALL_CRITERIA, *ALIASES])}. {SEVERAL}",
    **shared("margin", "control", "cluster", "weight"),
    weight_kind={"type": WeightKind},
    **shared("cheap_label", "chance", "drawn_within", "missing_group", "permutations", "seed"),
    **COMMON,
    fail_on_violation="Exit with 1 when what counts (--criterion) is violated, and with 2 when "
    "none of it can be tested. With --margin, only what is shown to exceed it is a violation.",
    fail_unless_shown="Exit with 1 unless all that counts is shown to lie within --margin, and "
    "with 2 when none of it can be tested against it.",
    **shared("card", "junit", "figure"),
)
def audit(predictions: Predictions, *, options: Given) -> None:
    """Audit the predictions of a model: which tests of fairness apply, and what they find.

    Each two groups are compared (or each with --reference). Exits with 0 whatever it finds,
    unless --fail-on-violation or --fail-unless-shown is given, and with 2 on bad input.
    """
    with auditing("audit", predictions, options, several=predictions) as run:
        run.result = audit_columns(
            *read_files(predictions, run.values), answer_only=run.answer_only
        )
