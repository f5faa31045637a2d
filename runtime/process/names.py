"""Names of processes: each stands for one PID, and is free again when its process ends.

This host is one node, so a name of any scope is known here and nowhere else; the scope is kept because a name
is given up under the scope under which it was taken.
"""

from __future__ import annotations

from runtime.core.errors import AlreadyExists, Invalid, NotFound

SCOPES = ("local", "eventual", "consistent", "strong")
"""The scopes by their number in Lua."""

MAX_NAME = 256


class Names:
    """The table of names of one host program."""

    def __init__(self) -> None:
        self._pids: dict[str, tuple[str, str]] = {}
        self._names: dict[str, set[str]] = {}

    def register(self, name: str, pid: str, scope: str = "local") -> None:
        """Let `name` stand for `pid`; nothing happens where it does so already.

        Raises Invalid for a name that could be taken for a PID, AlreadyExists for one of another process.
        """
        if not name or len(name) > MAX_NAME or name.startswith(("{", "@")):
            raise Invalid(
                f"name `{name[:MAX_NAME]}` must have 1 to {MAX_NAME} characters, the first not `{{` or `@`"
            )
        holder = self._pids.get(name)
        if holder is not None and holder[0] != pid:
            raise AlreadyExists(
                f"name already registered: `{name}`", details={"name": name, "pid": holder[0]}
            )
        self._pids[name] = pid, scope
        self._names.setdefault(pid, set()).add(name)

    def lookup(self, name: str) -> str:
        """Return the PID that `name` stands for; raise NotFound."""
        holder = self._pids.get(name)
        if holder is None:
            raise NotFound(f"name not registered: `{name}`", details={"name": name})
        return holder[0]

    def find(self, name: str) -> str | None:
        """Return the PID that `name` stands for, None where it stands for none."""
        holder = self._pids.get(name)
        return holder[0] if holder else None

    def unregister(self, name: str, scope: str = "local") -> bool:
        """Free `name`; return whether it was taken under `scope`."""
        holder = self._pids.get(name)
        if holder is None or holder[1] != scope:
            return False
        del self._pids[name]
        names = self._names[holder[0]]
        names.discard(name)
        if not names:
            del self._names[holder[0]]
        return True

    def release(self, pid: str) -> None:
        """Free every name of `pid`."""
        for name in self._names.pop(pid, ()):
            del self._pids[name]
