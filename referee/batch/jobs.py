"""What engines carry: jobs to workers, progress and outcomes back. All of it can be pickled and says nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from referee.version import version


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work: `kind` names a function of `worker`, `what` are its plain arguments.

    `label`: what people call it. `weight`: frames, for the time left; 0 if unknown. `memory`: bytes it needs.
    """

    number: int
    kind: str
    what: Mapping[str, Any]
    label: str
    weight: int = 0
    memory: int = 0
    program: str = field(default_factory=version)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended: with a `value`, or with the one-line `error`. `lost`: its worker died. `seconds` of work, `peak` bytes
    of the worker's memory, `where` it was done (machine:process)."""

    job: Job
    value: Any = None
    error: str | None = None
    lost: bool = False
    seconds: float = 0.0
    peak: int = 0
    where: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a job: frames `done` of `total` (None: not known) of a `stage`, `where` (machine:process) it is done."""

    number: int
    stage: str
    done: int
    total: int | None
    where: str = ""


class Engine(Protocol):
    """Where jobs are done. Outcomes come in any order, one for each job, also for jobs whose workers died."""

    @property
    def name(self) -> str: ...

    @property
    def slots(self) -> int:
        """Jobs that can run at once."""
        ...

    def run(self, jobs: Sequence[Job], on_step: Callable[[Step], None]) -> Iterator[Outcome]: ...

    def close(self, *, kill: bool = False) -> None:
        """Ends all workers; with `kill` at once, whatever they are doing."""
        ...
