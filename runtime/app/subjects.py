"""Under whom things run: `meta.command.security` of commands and `lifecycle.security` of services.

The run and every explanation read a declaration here, so that what is explained is what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.app.commands import Command, command_of, commands
from runtime.core.errors import Error, Invalid, Many, NotFound
from runtime.core.ids import qualify
from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.registry.declaration import FieldPath
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.policy import EXPRESSION_KIND, KIND

SERVICE = "process.service"


@dataclass(frozen=True, slots=True)
class Subject:
    """A command or a service and what it declares about its authority; None where it declares none."""

    role: str
    name: str
    entry: Entry
    declared: Value
    at: FieldPath
    """Where in the entry it declares it."""

    @property
    def label(self) -> str:
        """What it is, in words."""
        return f"{self.role} {self.name}"

    @property
    def entry_id(self) -> str:
        """The id of its entry."""
        return self.entry.id

    @property
    def actor_id(self) -> str:
        """The id of its actor, empty where it declares none."""
        actor = self.declared.get("actor") if isinstance(self.declared, Mapping) else None
        found = actor.get("id") if isinstance(actor, Mapping) else None
        return found if isinstance(found, str) else ""

    def context(self, engine: Engine) -> Context:
        """Return its actor and scope; Context.EMPTY where it declares none.

        Raises Invalid for a malformed declaration and NotFound for a policy or group that is not loaded: what
        has not all of its rules does not start.
        """
        declared: Any = self.declared
        if declared is None:
            return Context.EMPTY
        place = self.entry.place_of(*self.at)
        if not isinstance(declared, Mapping):
            raise Invalid(
                f"`security` of a {self.role} must be a map of actor, policies and groups", place=place
            )
        if not self.actor_id:
            raise Invalid(f"the {self.role} `{self.name}` has no `security.actor.id`", place=place)
        ids: set[str] = set()
        for field, wanted, path in self._named():
            try:
                ids.update(engine.group(wanted) if field == "groups" else [engine.policy(wanted).id])
            except NotFound:
                known = engine.groups if field == "groups" else engine.policies
                raise self._missing(field, wanted, path, known) from None
        meta = declared["actor"].get("meta")
        return Context(Actor(self.actor_id, meta if isinstance(meta, Mapping) else {}), Scope(ids))

    def missing(self, view: Snapshot) -> Iterator[Error]:
        """Yield a NotFound for each policy and group that it names and that is not declared in `view`."""
        named = list(self._named())
        if not named:
            return
        policies = [entry for kind in (KIND, EXPRESSION_KIND) for entry in view.kind(kind)]
        known = {"policies": {entry.id for entry in policies}, "groups": set(_groups(policies))}
        for field, wanted, path in named:
            if wanted not in known[field]:
                yield self._missing(field, wanted, path, known[field])

    def _named(self) -> Iterator[tuple[str, str, FieldPath]]:
        """Yield each policy and group that it names: which it is, its id, and where it is named."""
        declared: Any = self.declared if isinstance(self.declared, Mapping) else {}
        for field in ("policies", "groups"):
            for index, name in enumerate(declared.get(field) or ()):
                yield field, qualify(str(name), self.entry.namespace), (*self.at, field, index)

    def _missing(self, field: str, wanted: str, path: FieldPath, known: Iterable[str]) -> NotFound:
        what = "policy group" if field == "groups" else "policy"
        return NotFound(
            f"{what} not found: `{wanted}`, which the {self.role} `{self.name}` names"
            f"{did_you_mean(wanted, known)}",
            place=self.entry.place_of(*path),
            details={"id": wanted},
        )


def subject_of(command: Command) -> Subject:
    """Return under whom `command` runs."""
    declared: Any = command.entry.meta.get("command")
    security = declared.get("security") if isinstance(declared, dict) else None
    return Subject("command", command.name, command.entry, security, ("meta", "command", "security"))


def service_subject(entry: Entry) -> Subject:
    """Return under whom the service `entry` runs."""
    lifecycle: Any = entry.fields.get("lifecycle")
    security = lifecycle.get("security") if isinstance(lifecycle, Mapping) else None
    return Subject("service", entry.id, entry, security, ("data", "lifecycle", "security"))


def check_authority(entry: Entry, view: Snapshot) -> None:
    """Raise NotFound where a command or a service names a policy or a group that is not there."""
    command = command_of(entry)
    subject = subject_of(command) if command else service_subject(entry) if entry.kind == SERVICE else None
    if subject is not None and (faults := list(subject.missing(view))):
        raise faults[0] if len(faults) == 1 else Many(faults)


def _groups(policies: Iterable[Entry]) -> Iterator[str]:
    for entry in policies:
        groups = entry.fields.get("groups")
        for name in groups if isinstance(groups, list | tuple) else ():
            yield qualify(str(name), entry.namespace)


def subjects(snapshot: Snapshot) -> list[Subject]:
    """Return the commands and services of a project: commands first, each by name."""
    found = [subject_of(command) for command in commands(snapshot)]
    return found + [service_subject(entry) for entry in snapshot.kind(SERVICE)]


def find_subject(snapshot: Snapshot, wanted: str) -> Subject:
    """Return what `wanted` names: the id of an actor, the name of a command, or the id of an entry.

    Raises NotFound with what there is, also where an actor has several scopes: then name the entry.
    """
    every = subjects(snapshot)
    for attribute in ("actor_id", "name", "entry_id"):
        found = [each for each in every if getattr(each, attribute) == wanted]
        if len({str(each.declared) for each in found}) > 1:
            ways = ", ".join(f"`{each.entry.id}` ({each.label})" for each in found)
            raise NotFound(f"`{wanted}` stands for several, each with its own scope; name one of {ways}")
        if found:
            return found[0]
    known = dict.fromkeys(each.actor_id or each.name for each in every)
    meant = did_you_mean(wanted, {*known, *(each.name for each in every), *(each.entry_id for each in every)})
    there = ", ".join(f"`{each}`" for each in known) or "none"
    raise NotFound(
        f"`{wanted}` is no actor of a command or service of this project; there are {there}{meant or ';'}"
        " with --scope any name will do"
    )
