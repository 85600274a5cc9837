"""A logger of Snakemake: `snakemake --logger fairpairs`, as `make reproduce` runs it.

Snakemake finds this module by its name.
"""

import logging
import logging.handlers
import queue
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

#: Seconds between two lines on the progress.
PAUSE = 10.0
#: Seconds after which the thread that takes records looks for one by itself.
LOOK = 1.0
#: Rules whose files are named as soon as they are there.
REPORTS = {"first_report": "the first tables", "report": "the report"}
#: What Snakemake says of its own work, on which these lines say more.
HIDDEN = {
    LogEvent.RUN_INFO,
    LogEvent.RESOURCES_INFO,
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.PROGRESS,
}


class QueueListener(logging.handlers.QueueListener):
    """A thread that takes the records from a queue, also if the queue does not wake it.

    Where Ctrl-C interrupts `threading.Condition.notify`, the next call wakes nobody. If that is
    the record that ends this thread, Snakemake would wait for ever for its end.
    """

    def dequeue(self, block: bool) -> Any:
        """Return the next record, or raise queue.Empty if none is there and `block` is false."""
        while True:
            try:
                return self.queue.get(block, LOOK)  # type: ignore[call-arg]  # a Queue
            except queue.Empty:
                if not block:
                    raise


# Snakemake makes one once it has the handlers of all loggers
logging.handlers.QueueListener = QueueListener  # type: ignore[misc]


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """The options of the command line that begin with `--logger-fairpairs-`."""

    # Snakemake calls the type, so that annotations must not be postponed here

    seconds: str = field(
        default="", metadata={"help": "YAML file with the mean seconds of a job, by rule"}
    )


class LogHandler(LogHandlerBase):
    """Write how far the run is every few seconds, and all else as Snakemake does."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        common = self.common_settings
        self._snakemake = ColorizingTextHandler(
            nocolor=common.nocolor,
            stream=sys.stdout if common.stdout else sys.stderr,
            formatter=DefaultFormatter(common.quiet, common.show_failed_logs),
            filter=DefaultFilter(
                common.quiet, common.debug_dag, common.verbose, common.dryrun, common.printshellcmds
            ),
        )
        # every run of Snakemake imports this module, also one with another checkout of the package
        from fairpairs.papers.run.progress import Progress  # noqa: PLC0415
        from fairpairs.papers.run.times import read_seconds  # noqa: PLC0415

        self._new = partial(Progress, read_seconds(getattr(self.settings, "seconds", "")))
        self._progress = self._new({}, time.monotonic())
        self._reports: dict[int, str] = {}
        self._over = threading.Event()
        self._teller = threading.Thread(target=self._tell_again, daemon=True)

    def emit(self, record: logging.LogRecord) -> None:
        """Note what a record says of the run, or write it as Snakemake does."""
        event = getattr(record, "event", None)
        shown = self.common_settings.dryrun or event not in HIDDEN
        if shown and not record.getMessage().startswith("Select jobs"):
            self._snakemake.handle(record)
        try:
            self._note(event, vars(record))
        except Exception:  # what cannot be shown must not end the run
            self.handleError(record)

    def _note(self, event: LogEvent | None, fields: dict[str, Any]) -> None:
        now = time.monotonic()
        if event is LogEvent.RUN_INFO and not self.common_settings.dryrun:
            jobs = {rule: n for rule, n in fields["stats"].items() if rule != "total"}
            self._progress = self._new(jobs, now)
            self._tell()
            if not self._teller.ident:
                self._teller.start()
        elif event is LogEvent.JOB_INFO:
            job, rule = fields["jobid"], fields["rule_name"]
            self._progress.start(job, rule, fields["rule_msg"] or rule, now=now)
            if rule in REPORTS:
                self._reports[job] = f"  {REPORTS[rule]}: {fields['output'][0]}"
        elif event is LogEvent.JOB_ERROR:
            self._progress.stop(fields["jobid"])
        elif event is LogEvent.JOB_FINISHED:
            self._progress.finish(fields["job_id"])
            if report := self._reports.pop(fields["job_id"], ""):
                self._tell(report)

    def _tell(self, *more: str) -> None:
        lines = [self._progress.line(now=time.monotonic()), *more]
        print("\n".join(lines), file=self._snakemake.stream, flush=True)

    def _tell_again(self) -> None:
        while not self._over.wait(PAUSE):
            with self.lock or nullcontext():
                if not self._over.is_set():
                    self._tell()

    def close(self) -> None:
        """Say no more."""
        with self.lock or nullcontext():  # the stream may be gone once this returns
            self._over.set()
        super().close()
