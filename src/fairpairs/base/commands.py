"""A command of the shell: its help, by what options are for, and its answers to wrong options."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any, NoReturn

import typer
import typer.core

from fairpairs.base.guesses import nearest_argument
from fairpairs.base.plain_values import Record
from fairpairs.base.terminal import BAD_INPUT, refuse
from fairpairs.base.texts import printable

#: The base of errors in the arguments, which Typer does not name.
UsageError: Any = typer.BadParameter.__bases__[0]
#: What options are for → those that most people need, the first ones first. All others are rare.
NEEDED = {
    "What to audit": "label prediction sensitive score left right outcome item judge threshold "
    "decision decision_2 verdict new_prediction new_score rows tpr fpr pair_accuracy "
    " form selected of positive openml",
    "What decides": "criterion margin at_most at_least reference favourable intersections depth "
    "cluster control difference share prevalence alpha",
    "Output": "details out figure fail_on_violation fail_on_worse fail_unless_shown fail_now "
    "fail_on_new junit card",
}
RARE = "Rarely needed"
#: Lines of a help; those of the examples in one that leaves out the rare options.
MOST, EXAMPLES = 60, 2
#: The end of the first clause of a text.
FIRST = re.compile(r"[.;:] +(?=[A-Za-z\[])")
#: What an option does not take → what is said of it.
REMEDIES = {
    "float_parsing": "is no number: give one",
    "int_parsing": "is no whole number: give one",
    "int_parsing_size": "is too large: give a number of fewer digits",
    "less_than_equal": "is too large: give {le:g} at most",
    "greater_than_equal": "is too small: give {ge:g} or more",
}
#: Keys of a context: whether all is asked for, and whether it is written.
ASKED, WHOLE = "fairpairs.help_all", "fairpairs.whole_help"
ALL = "--help-all"


class Command(typer.core.TyperCommand):
    """A command whose help has the needed options first, and that answers wrong names of them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; where there are too many, with the remedy."""
        if ALL in args:
            ctx.meta[ASKED] = True
            typer.echo(self.get_help(ctx))
            ctx.exit()
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            known = {option: parameter for parameter in self.params for option in parameter.opts}
            old = str(getattr(error, "option_name", ""))
            if hasattr(error, "possibilities"):
                remedy = f"use {new}" if (new := self._nearest(old)) else f"see {ALL}"
                raise UsageError(f"There is no option {old}: {remedy}.", ctx) from error
            if wrong := getattr(error.__cause__, "errors", None):  # of pydantic
                _refuse_value(error, wrong()[0])
            words = getattr(error, "message", "")
            if "--sensitive" in known and words.startswith("Got unexpected extra argument"):
                error.message = words + (
                    ": give several values of an option with a comma, such as --sensitive "
                    "sex,race, or repeat the option."
                )
            raise

    def _nearest(self, option: str) -> str:
        """Return the option that another name means; "" for none."""
        options = {
            parameter.opts[-1].lstrip("-").replace("-", "_"): parameter.opts[-1]
            for parameter in self.params
            if parameter.param_type_name == "option"
        }
        nearest = nearest_argument(option.lstrip("-").replace("-", "_"), options)
        return options.get(nearest, "")

    def get_help(self, ctx: Any) -> str:
        """Return all of the help, or what fits into 60 lines: the rare options are named alone."""
        for whole in (True, False):
            ctx.meta[WHOLE] = whole
            text: str = super().get_help(ctx)
            if ctx.meta.get(ASKED) or len(text.splitlines()) <= MOST:
                break
        return text

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options by what they are for."""
        records = {one.name: (one, one.get_help_record(ctx)) for one in self.get_params(ctx)}
        arguments = [row for one, row in records.values() if one.param_type_name == "argument"]
        rows = {name: row for name, (one, row) in records.items() if one.opts[0][0] == "-" and row}
        sections = {"Arguments": arguments}
        for heading, names in NEEDED.items():
            sections[heading] = [rows.pop(name) for name in names.split() if name in rows]
        rare = RARE if any(sections[heading] for heading in NEEDED) else "Options"
        whole = ctx.meta.get(WHOLE, True)
        del rows["help"]
        if not whole:
            rare, left_out = f"{RARE} ({ALL} describes them)", rows
            rows = {}
        help_row = (f"--help, {ALL}", "Show the help, or that of all options, and exit.")
        sections[rare] = [*rows.values(), help_row]
        for heading, written in sections.items():
            if written:
                with formatter.section(heading):
                    if not whole and heading == rare:
                        formatter.write(_indented(row[0].split()[0] for row in left_out.values()))
                    formatter.write_dl(written if whole else map(_first_clause, written))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does; its first paragraph where rare options are left out."""
        kept = self.help
        if not ctx.meta.get(WHOLE, True):
            self.help = (kept or "").split("\n\n")[0]
        super().format_help_text(ctx, formatter)
        self.help = kept

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples; the first ones alone where rare options are left out."""
        kept, whole = self.epilog, ctx.meta.get(WHOLE, True)
        lines = (kept or "").splitlines(keepends=True)
        starts = [n for n, line in enumerate(lines) if line.startswith("  fairpairs")]
        if not whole and len(starts) > EXAMPLES:
            self.epilog = "".join(lines[: starts[EXAMPLES]])
        super().format_epilog(ctx, formatter)
        self.epilog = kept


def _first_clause(record: Any) -> tuple[str, str]:
    name, words = record
    return name, f"{FIRST.split(words)[0].rstrip('.')}."


def _indented(names: Iterable[str]) -> str:
    lines = textwrap.wrap(", ".join(names), 76, break_on_hyphens=False)
    return "".join(f"  {line}\n" for line in lines)


def _refuse_value(error: Any, wrong: Record) -> NoReturn:
    """Say which value an option does not take, and exit with BAD_INPUT."""
    option, message = max(error.param.opts, key=len), error.message.removeprefix("Value error, ")
    if remedy := REMEDIES.get(wrong["type"]):
        message = f"{str(wrong['input'])!r} {remedy.format(**wrong.get('ctx', {}))}."
    refuse(printable(f"{option}: {message}"))
    raise typer.Exit(BAD_INPUT)
