"""A project in a folder of its own, and the real command run on it as a child process.

    project = ProjectFolder.copy(repository, tmp_path / "app")
    ended = project.run("run", "app", "agent", "--yes", stdin="what time is it?\n")
    assert ended.code == 0 and project.open_requests() == []

The environment of a child is closed: nothing of the caller's crosses but the path of executables, so neither
a key nor `CI` of the machine reaches it, and the settings and the state are the project's own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import runtime
from runtime.journal.events import Event
from runtime.journal.sqlite import SqliteJournal
from runtime.journal.state import JOURNAL
from runtime.journal.types import ANSWERS
from runtime.registry.project import STATE_FOLDER

DEADLINE = 60.0
"""Seconds after which a child that has not ended is killed, and the test fails."""

APPLICATION = ("src", ".wippy.yaml", "wippy.lock", "policies.conf")
"""What makes an application; all else beside it stays where it is."""

_PACKAGES = str(Path(runtime.__file__).parents[1])


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: its exit code (negative for a signal) and all that it wrote."""

    code: int
    stdout: str
    stderr: str


class ProjectFolder:
    """A project under `root`; `home` holds the settings of its user, apart from the project."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.state = root / STATE_FOLDER

    @classmethod
    def copy(cls, source: Path, folder: Path, *, state: bool = False) -> ProjectFolder:
        """Return a copy of the application in `source`, made in the new folder `folder`.

        With `state` its journal is copied too, but nothing else of its state.
        """
        project = cls._new(folder)
        for name in APPLICATION:
            part = source / name
            if part.is_dir():
                shutil.copytree(part, project.root / name)
            elif part.exists():
                shutil.copy2(part, project.root / name)
        if state:
            project.state.mkdir(mode=0o700)
            shutil.copy2(source / STATE_FOLDER / JOURNAL, project.state / JOURNAL)
        return project

    @classmethod
    def write(cls, folder: Path, files: Mapping[str, str]) -> ProjectFolder:
        """Return a project made of `files` (path: text) in the new folder `folder`."""
        project = cls._new(folder)
        for path, text in files.items():
            project.put(path, text)
        return project

    @classmethod
    def _new(cls, folder: Path) -> ProjectFolder:
        project = cls(folder / "project", folder / "home")
        project.root.mkdir(parents=True)
        project.home.mkdir()
        return project

    # -- its files -------------------------------------------------------------------------------------------

    def put(self, path: str, text: str) -> None:
        """Write the file `path` of the project, with the folders above it."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace the text `old`, which the file `path` must hold exactly once."""
        text = (self.root / path).read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"`{path}` holds {text.count(old)} times what was to be replaced: {old!r}")
        self.put(path, text.replace(old, new))

    # -- the command -----------------------------------------------------------------------------------------

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a child: closed, with `more` in it."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": _PACKAGES,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            **more,
        }

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> Ended:
        """Run `runtime` with `arguments` in the project and return how it ended.

        `environment` are variables more. Raises subprocess.TimeoutExpired after DEADLINE.
        """
        ended = subprocess.run(
            command(*arguments),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=self.root,
            env=self.environment(**environment),
            timeout=DEADLINE,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    @contextmanager
    def start(
        self, *arguments: str, python: str = sys.executable, **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Start `runtime` under `python`, with pipes, and yield the process; kill it at the end."""
        process = subprocess.Popen(
            command(*arguments, python=python),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            bufsize=1,
            cwd=self.root,
            env=self.environment(**environment),
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                with suppress(OSError):  # what was still to be written has no reader
                    pipe.close()  # type: ignore[union-attr]

    @contextmanager
    def at_terminal(self, *arguments: str, timeout: float = 30.0, **environment: str) -> Iterator[Any]:
        """Start `runtime` at a terminal of its own and yield it as a `pexpect.spawn`; end it at the end.

        `timeout` is how long an `expect` waits, in seconds.
        """
        import pexpect

        first, *rest = command(*arguments)
        child = pexpect.spawn(
            first,
            rest,
            timeout=timeout,
            cwd=str(self.root),
            env=self.environment(**environment),
            encoding="utf-8",
            echo=False,
            dimensions=(50, 200),
        )
        child.delaybeforesend = None
        child.ptyproc.delayafterclose = child.ptyproc.delayafterterminate = 0.02
        try:
            yield child
        finally:
            child.close(force=True)

    # -- what it left ----------------------------------------------------------------------------------------

    @contextmanager
    def journal(self) -> Iterator[SqliteJournal]:
        """Open its journal to read."""
        with closing(SqliteJournal.open_read_only(self.state / JOURNAL)) as journal:
            yield journal

    def events(self, *types: str) -> list[Event]:
        """Return the events of its journal, in order; all of them without `types`."""
        with self.journal() as journal:
            return list(journal.read(types=types))

    def open_requests(self) -> list[Event]:
        """Return the requests that nothing answers."""
        with self.journal() as journal:
            return journal.open_requests()

    def problems(self) -> tuple[str, ...]:
        """Return what a check of the whole journal finds wrong."""
        with self.journal() as journal:
            return journal.verify().problems

    def state_files(self) -> set[str]:
        """Return the names of all files of its state folder, relative to it."""
        return {str(file.relative_to(self.state)) for file in self.state.rglob("*") if file.is_file()}

    def holds(self, text: str) -> list[str]:
        """Return the files of the project and of its user, the journal too, whose bytes hold `text`."""
        files = [file for folder in (self.root, self.home) for file in folder.rglob("*") if file.is_file()]
        return sorted(file.name for file in files if text.encode() in file.read_bytes())


def command(*arguments: str, python: str = sys.executable) -> list[str]:
    """Return the command line of `runtime` with `arguments`."""
    return [python, "-m", "runtime", *arguments]


def answers_of(events: Iterable[Event]) -> dict[int, list[Event]]:
    """Return, for the seq of each request among `events`, the events that answer it."""
    requests: dict[int, Event] = {}
    answers: dict[int, list[Event]] = {}
    for event in events:
        if event.type in ANSWERS:
            requests[event.seq], answers[event.seq] = event, []
        elif event.cause in requests and event.type in ANSWERS[requests[event.cause].type]:
            answers[event.cause].append(event)
    return answers
