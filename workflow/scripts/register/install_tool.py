"""Make the environment of one tool. Output: reason, empty unless it cannot be made."""

from pathlib import Path

from fairpairs.base.files import write_text
from fairpairs.base.scripting import run
from fairpairs.papers.studies.register.tools import NotInstalledError, command, read_tool


def main() -> None:
    tool = read_tool(Path(snakemake.params.tools), snakemake.wildcards.tool)
    try:
        command(tool, Path(snakemake.params.environments))
        reason = ""
    except NotInstalledError as error:
        reason = str(error)
    write_text(snakemake.output.reason, reason)


run(main, snakemake.log[0])
