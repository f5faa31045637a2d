"""What a run was asked for, whoever asked: the command line today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runtime.core.errors import Invalid
from runtime.evolution.consent import Approve
from runtime.journal.events import MAIN


@dataclass(frozen=True, slots=True)
class Options:
    """The wishes of one run.

    `words` are target, command and arguments as typed; `arguments` is what follows `--`. `prompt` makes the
    run one turn, `lines` are read instead of standard input. `overrides` are texts `section.key=value`,
    `entry_overrides` texts `namespace:name:path=value`. `compat` names the runtime whose projects are to run
    as they are (`wippy`). `watch` takes edits while the run goes on (None: at a terminal, for services).
    `branch` is where it writes. `silent` keeps log lines away. `environment` is the process's, read once.
    """

    words: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    project: Path | None = None
    state: Path | None = None
    ephemeral: bool = False
    locked: bool = False
    frozen: bool = False
    host: str | None = None
    model: str | None = None
    offline: bool = False
    prompt: str | None = None
    lines: tuple[str, ...] | None = None
    approve: Approve = Approve.ASK
    verbose: bool = False
    silent: bool = False
    console: bool = False
    compat: str | None = None
    overrides: tuple[str, ...] = ()
    entry_overrides: tuple[str, ...] = ()
    watch: bool | None = None
    branch: str = MAIN
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def may_watch(self) -> bool:
        """Whether edits may count while this run goes on; raises Invalid for wishes that exclude another."""
        pinned = self.locked or self.frozen
        if self.watch and pinned:
            raise Invalid("--watch and --locked or --frozen exclude each other: a pinned run takes no edits")
        return self.watch is not False and not pinned and (self.watch is True or self.prompt is None)

    @property
    def consent(self) -> Approve:
        """How consent is had: a project of the peer writes directly, unless a person said never."""
        return Approve.DIRECT if self.compat and self.approve is not Approve.NEVER else self.approve

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings of this run as texts `section.key=value`; what is said by name wins over `compat`."""
        loose = ("security.strict_mode=false", "loader.lenient=true") if self.compat else ()
        shown = ("logger.encoding=console",) if self.console else ()
        entries = (f"override.{each}" for each in self.entry_overrides)
        return (*loose, *shown, *self.overrides, *entries)
