"""What a command said that ran in the process."""


def output_of(result, status=0):
    """Return what a command printed that exited as told, without a word on stderr."""
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    return result.stdout


def sentence_of(result):
    """Return the one sentence with which a command was refused; nothing else is said or raised."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("fairpairs: ")
    assert result.stderr.endswith((".\n", "?\n"))
    assert result.stderr.count("\n") == 1
    return result.stderr
