"""The progress of a run: what is done, what runs now, and how long is left."""

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Running jobs that a line names; the others are counted.
MOST_NAMED = 2


@dataclass
class Progress:
    """The jobs of a run.

    The time left follows from the share of the work that is done. The work of a job is the mean
    time of the jobs of its rule in the committed run, or of all rules if it has no such rule.
    `seconds` and `jobs` are by rule; `began` is in seconds of a clock.

    >>> progress = Progress({"train": 10.0, "test": 30.0}, {"train": 2, "test": 1}, began=0.0)
    >>> progress.start(1, "train", "Training", now=0.0)
    >>> progress.finish(1)
    >>> progress.start(2, "test", "Testing", now=10.0)
    >>> print(progress.line(now=25.0))
      0:25  1 of 3 jobs, 50 % of the work, about 25 s left; now: Testing
    """

    seconds: Mapping[str, float]
    jobs: Mapping[str, int]
    began: float
    finished: int = 0
    _done: float = 0
    _running: dict[int, tuple[str, str, float]] = field(default_factory=dict)

    def start(self, job: int, rule: str, message: str, *, now: float) -> None:
        """Note that a job of a rule has begun; `message` says what it does."""
        self._running[job] = (rule, message, now)

    def finish(self, job: int) -> None:
        """Note that a job is done."""
        rule, _, _ = self._running.pop(job, ("", "", 0.0))
        self.finished += 1
        self._done += self._work(rule)

    def stop(self, job: int) -> None:
        """Note that a job has failed."""
        self._running.pop(job, None)

    def _work(self, rule: str) -> float:
        known = self.seconds.values()
        return self.seconds.get(rule, sum(known) / len(known) if known else 1.0)

    def line(self, *, now: float) -> str:
        """Return the progress of the run in one line."""
        total = sum(n * self._work(rule) for rule, n in self.jobs.items())
        parts = (min(now - begun, self._work(rule)) for rule, _, begun in self._running.values())
        done = self._done + sum(parts)
        elapsed = now - self.began
        text = f"  {_clock(elapsed)}  {self.finished} of {sum(self.jobs.values())} jobs"
        if self.seconds and total and done:
            share = min(done / total, 1)
            text += f", {share:.0%} of the work".replace("%", " %")
            # the first jobs of a run are no measure of the speed of the machine
            if self.finished < sum(self.jobs.values()) and elapsed >= 10:
                text += f", about {_rough(elapsed * (1 - share) / share)} left"
        messages = [message for _, message, _ in self._running.values()]
        if messages:
            text += f"; now: {'; '.join(messages[:MOST_NAMED])}"
        if len(messages) > MOST_NAMED:
            text += f"; {len(messages) - MOST_NAMED} more"
        return text


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes}:{seconds:02d}"


def _rough(seconds: float) -> str:
    """Return a time in minutes, or, below 90 seconds, in steps of five seconds."""
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} s"
    return f"{round(seconds / 60)} min"
