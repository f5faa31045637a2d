"""The commands of a project: processes that name one in `meta.command`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runtime.core.errors import Conflict, NotFound
from runtime.core.nearest import did_you_mean
from runtime.registry.entry import Entry, Origin
from runtime.registry.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, the process entry that it runs, and a line about it."""

    name: str
    entry: Entry
    short: str


def commands(snapshot: Snapshot) -> list[Command]:
    """Return the commands of the project, sorted by name and id."""
    found = [each for entry in snapshot.find({".kind": "process.*"}) if (each := command_of(entry))]
    return sorted(found, key=lambda command: (command.name, command.entry.id))


def command_of(entry: Entry) -> Command | None:
    """Return the command that `entry` declares, None where it declares none."""
    declared = entry.meta.get("command") if entry.kind.startswith("process.") else None
    name = declared.get("name") if isinstance(declared, dict) else None
    if not isinstance(declared, dict) or not isinstance(name, str) or not name:
        return None
    return Command(name, entry, str(declared.get("short", "")))


def find_command(snapshot: Snapshot, words: tuple[str, ...]) -> tuple[Command | None, tuple[str, ...]]:
    """Return the command that `words` ask for and the words that are its arguments.

    The first word is a namespace, then the second one the command; a first word that is no namespace is the
    command itself. Without a command the services of the project run. Raises NotFound naming what there is.
    """
    every = commands(snapshot)
    if not words:
        return None, ()
    target, rest = words[0], words[1:]
    namespaces = {entry.namespace for entry in snapshot.entries() if entry.origin is not Origin.MODULE}
    if target not in namespaces:
        what = f"`{target}` is neither a namespace nor a command of this project"
        return _named(every, target, what, namespaces), rest
    if not rest:
        return None, ()
    inside = [each for each in every if _within(each.entry.namespace, target)]
    return _named(inside, rest[0], f"`{target}` has no command `{rest[0]}`"), rest[1:]


def terminal_host(snapshot: Snapshot, wanted: str | None) -> str:
    """Return the id of the terminal host to run on; a project's own goes before that of a component."""
    hosts = snapshot.kind("terminal.host")
    if wanted:
        host = snapshot.get(wanted)
        if host is None or host.kind != "terminal.host":
            meant = did_you_mean(wanted, [each.id for each in hosts])
            raise NotFound(f"`{wanted}` is no terminal.host; there are {_ids(hosts)}{meant}")
        return host.id
    own = [host for host in hosts if host.origin is not Origin.MODULE]
    choice = own or hosts
    if not choice:
        raise NotFound("no terminal.host found in registry")
    if len(choice) > 1:
        raise Conflict(f"multiple terminal hosts found ({_ids(choice)}), use --host to specify")
    return choice[0].id


def _named(among: list[Command], name: str, otherwise: str, others: Iterable[str] = ()) -> Command:
    found = [command for command in among if command.name == name]
    if found:
        return found[0]
    known = ", ".join(f"`{command.name}`" for command in among) or "none"
    meant = did_you_mean(name, [*(command.name for command in among), *others])
    raise NotFound(f"{otherwise}{meant or ';'} commands: {known} (see `runtime run list`)")


def _within(namespace: str, target: str) -> bool:
    return namespace == target or namespace.startswith(target + ".")


def _ids(entries: list[Entry]) -> str:
    return ", ".join(f"`{entry.id}`" for entry in entries) or "none"
