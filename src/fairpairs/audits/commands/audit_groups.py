"""`fairpairs audit-groups`: which of many groups a model treats worst."""

from fairpairs.audits.commands.options import COMMON, SHARED, Given, Predictions, shared, takes
from fairpairs.audits.commands.outputs import auditing
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.groups.audit import audit_counted
from fairpairs.audits.groups.read import count_rows
from fairpairs.audits.groups.settings import CRITERIA, SMALLEST, GroupSettings
from fairpairs.audits.items.settings import ColumnNames
from fairpairs.audits.options import NUMBER, WHOLE, Option
from fairpairs.base.named_columns import SEVERAL

EXAMPLES = """\b
Examples:
  fairpairs audit-groups predictions.csv --label repaid --prediction approved \\
      --sensitive sex,race,age --depth 3
  fairpairs audit-groups data/*.parquet --label repaid --prediction approved \\
      --sensitive region,sex --margin 0.1 --smallest 500 --out report/ --fail-on-violation
  fairpairs audit-groups decisions.csv --prediction approved --sensitive region,sex
  fairpairs audit-groups shards/*.counts
"""


@takes(
    "audit-groups",
    label="Column of the label: two values. Selection rates need none.",
    prediction="Column of the decision: two values.",
    selected=Option("Column of how many people of the row were selected, beside --of."),
    of=Option("Column of how many people the row has, beside --selected."),
    sensitive=f"Column of a sensitive attribute, of any number of groups. {SEVERAL}",
    positive="Value of label and decision that is positive; by default 1 or true.",
    favourable=SHARED,
    depth=Option("Most attributes of an intersection; by default 2.", WHOLE),
    smallest=Option("Groups with fewer rows are left out.", int, SMALLEST),
    criterion=f"What is compared: {', '.join(CRITERIA)}. By default separation, TPR and FPR. "
    f"{SEVERAL}",
    margin=Option("Largest difference that does not matter, such as 0.05.", NUMBER),
    alpha="Level of the tests of all groups together.",
    cluster=SHARED,
    **shared("control"),
    missing_group=SHARED,
    **COMMON,
    fail_on_violation="Exit with 1 when a group is shown to differ, with --margin by more than it; "
    "and with 2 when none can be tested.",
    fail_unless_shown="Exit with 1 unless each comparison is shown to lie within --margin, and "
    "with 2 when none can be tested.",
    **shared("card", "junit", "figure"),
)
def audit_groups(predictions: Predictions, *, options: Given) -> None:
    """Find the groups that a model treats worst, among up to 100,000.

    Each group of each attribute, and each intersection of attributes, is compared with everyone
    else. Exits with 0 whatever it finds, unless --fail-on-violation or --fail-unless-shown is
    given, and with 2 on bad input.
    """
    with auditing("audit-groups", predictions, options, several=predictions) as run:
        columns = ("label", "prediction", "sensitive", "control", "cluster", "selected", "of")
        named = ColumnNames(**{name: run.values.pop(name) for name in columns})
        settings = GroupSettings(**run.values)
        counted = count_rows(Rows.of_files(predictions), named, settings)
        run.result = audit_counted(counted, settings)
