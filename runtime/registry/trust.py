"""What a project asks for that its user must trust, and where that trust is kept: outside the project.

The hash covers exactly what is looser, so any change of it asks again. The record is the user's own file;
what others can write is not believed.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runtime.core.canonical import value_digest
from runtime.core.errors import Error, Invalid, PermissionDenied, Place, Unavailable
from runtime.core.values import Value
from runtime.registry import yaml

FILE = "trust.yaml"
VARIABLE = "RUNTIME_TRUST"
_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Looser:
    """A setting that loosens a guard: its value, the one in force without it, and where it stands."""

    key: str
    value: Value
    without: Value
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Demand:
    """All that a project wants trusted: looser settings, and files that differ (name: digest)."""

    looser: tuple[Looser, ...] = ()
    files: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.looser or self.files)

    @property
    def digest(self) -> str:
        """The hash that trust is given to."""
        settings: dict[str, Value] = {each.key: each.value for each in self.looser}
        return value_digest({"settings": settings, "files": dict(self.files)})


class TrustFile:
    """The user's record of trust: the root of each project and the hash that was trusted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def trusted(self, root: Path) -> str | None:
        """Return the hash that was trusted for the project in `root`, None where there is none."""
        return self._read().get(str(root))

    def record(self, root: Path, digest: str) -> None:
        """Record that `digest` is trusted for `root`, in place of what was; raise Unavailable."""
        self._write({**self._read(), str(root): digest})

    def forget(self, root: Path) -> str | None:
        """Take the trust back and return its hash, None where there was none."""
        known = self._read()
        gone = known.pop(str(root), None)
        if gone is not None:
            self._write(known)
        return gone

    def _read(self) -> dict[str, str]:
        try:
            found = self.path.lstat()
        except OSError:
            return {}
        place = Place(FILE)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise PermissionDenied(
                "the record of trusted projects is not a file that only you can write: `chmod 600` it, or "
                "remove it and trust again",
                place=place,
            )
        try:
            document = yaml.parse(self.path.read_text("utf-8"), FILE)
        except (Error, OSError, UnicodeDecodeError) as error:
            raise Invalid(f"the record of trusted projects can not be read: {error}", place=place) from None
        projects = document.get("projects") if isinstance(document, Mapping) else None
        if not isinstance(projects, Mapping) or not all(isinstance(each, str) for each in projects.values()):
            raise Invalid("the record of trusted projects must be a map of folders and hashes", place=place)
        return {str(root): str(digest) for root, digest in projects.items()}

    def _write(self, projects: Mapping[str, str]) -> None:
        import yaml as pyyaml

        text = pyyaml.safe_dump({"version": _VERSION, "projects": dict(sorted(projects.items()))})
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.path.parent)  # mode 0600
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except OSError as error:
            raise Unavailable(f"can not write `{self.path.name}`: {error.strerror}") from None


def is_trusted(demand: Demand, root: Path, file: TrustFile | None, environment: Mapping[str, str]) -> bool:
    """Whether exactly `demand` is trusted, by the record or by RUNTIME_TRUST.

    Raises PermissionDenied where the variable names another hash: somebody trusted something else.
    """
    if not demand:
        return False
    named = environment.get(VARIABLE)
    if named:
        if named != demand.digest:
            raise PermissionDenied(
                f"{VARIABLE} is not the hash of what this project asks for, which is `{demand.digest}`: look "
                "at it with `runtime trust --show`"
            )
        return True
    return file is not None and file.trusted(root) == demand.digest
