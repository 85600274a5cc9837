"""`fairpairs table`: selection rates and impact ratios, in the form that a rule asks for."""

import typer

from fairpairs.audits.commands.options import SHARED, Given, Predictions, shared, takes
from fairpairs.audits.commands.outputs import check_files, check_folder, output_errors
from fairpairs.audits.counting.rows import Rows
from fairpairs.audits.lines.files import FILES
from fairpairs.audits.options import NUMBER, Option, read_names
from fairpairs.audits.table.form import names
from fairpairs.audits.table.interface import table_of
from fairpairs.base.errors import InputError
from fairpairs.base.reading.csv_layout import read_as
from fairpairs.base.terminal import VIOLATION, bad_input_in_one_sentence, show

EXAMPLES = """\b
Examples:
  fairpairs table applicants.csv --form nyc-ll144 --prediction selected --sensitive sex,race
  fairpairs table applicants.csv --form nyc-ll144 --score score --sensitive sex,race --out table
  fairpairs table counts.csv --form four-fifths --selected hired --of applicants --sensitive race
  fairpairs table loans.csv --at-most FPR=0.05 --label repaid --prediction approved \\
      --sensitive sex --fail-unless-shown
"""

#: Options of the files, and of the output.
OTHERS = ("out", "separator", "decimal", "fail_on_violation", "fail_unless_shown")


@takes(
    "table",
    form=Option(f"The form: {', '.join(names())}, or a YAML file."),
    at_most=Option(
        "Instead of --form: limit of the selection rate, or of another one, such as FPR=0.05, that "
        "each group is tested to keep.",
        metavar="[RATE=]NUMBER",
    ),
    at_least=Option("The same of a smallest value, such as TPR=0.8.", metavar="[RATE=]NUMBER"),
    label="Column of the label, for a limit of a rate of labels.",
    prediction="Column of the decision: two values.",
    score="Instead of --prediction: column of a score; above the median counts as selected.",
    sensitive=SHARED,
    positive="Value of --prediction that is a selection; by default 1 or true.",
    weight="Column of the number of people that a row stands for.",
    cluster="Column of the office, or other cluster, whose people may be dependent.",
    selected=Option("Column of how many people of the row were selected, beside --of."),
    of=Option("Column of how many people the row has, beside --selected."),
    lower_is_better=Option("Scores below the median count as selected.", bool, False),
    threshold=Option("Ratio to compare with, such as 0.8; by default that of the form.", NUMBER),
    unknown=Option(
        "Value of an attribute that means unknown, besides missing ones and `unknown`. Repeat it, "
        "or use commas, for several.",
        list[str] | None,
        metavar="VALUE",
        read=read_names("--unknown"),
    ),
    leave_out_small=Option("Leave the groups that the form marks out of the ratios.", bool, False),
    alpha="1 less the level of the intervals.",
    **shared("separator", "decimal", "out"),
    fail_on_violation="Exit with 1 when a limit, or the threshold of the form, is shown not to be "
    "kept.",
    fail_unless_shown="Exit with 1 unless all groups are shown to keep it.",
)
def table(predictions: Predictions, *, options: Given) -> None:
    """Make the table of rates and impact ratios that a rule asks for, with intervals.

    Each group's rate is divided by the highest one. The table says nothing of whether a law is
    kept.
    """
    out = options.out
    with bad_input_in_one_sentence(), read_as(options.separator, options.decimal):
        check_files(predictions)
        check_folder(out, FILES["table"], predictions)
        given = options.read()
        kept = {name: value for name, value in given.items() if name not in OTHERS}
        result = table_of(Rows.of_files(predictions), **kept)
        fails = [name for name in OTHERS if name.startswith("fail_") and given[name]]
        if fails and result.limit is None and result.form.threshold is None:
            raise InputError(
                f"--{fails[0].replace('_', '-')}: the form {result.form.name} asks for no limit: "
                "give --threshold, --at-most or --at-least."
            )
        if out is not None:
            with output_errors(out, "--out"):
                result.write(out)
    show(result.to_text())
    if out is not None:
        show(f"Written to {out}: {', '.join(FILES['table'])}")
    if (options.fail_on_violation and result.passed is False) or (
        options.fail_unless_shown and not result.passed
    ):
        raise typer.Exit(VIOLATION)
