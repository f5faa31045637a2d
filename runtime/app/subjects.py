"""Under whom things run: `meta.command.security` of commands and `lifecycle.security` of services.

The run and every explanation read a declaration here, so that what is explained is what runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.app.commands import Command, commands
from runtime.core.errors import Invalid, NotFound
from runtime.core.ids import qualify
from runtime.core.values import Value
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.wording import nearest


@dataclass(frozen=True, slots=True)
class Subject:
    """A command or a service and what it declares about its authority; None where it declares none."""

    role: str
    name: str
    entry: Entry
    declared: Value

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
        place = self.entry.place
        if not isinstance(declared, Mapping):
            raise Invalid(
                f"`security` of a {self.role} must be a map of actor, policies and groups", place=place
            )
        if not self.actor_id:
            raise Invalid(f"the {self.role} `{self.name}` has no `security.actor.id`", place=place)
        ids: set[str] = set()
        for name in declared.get("policies") or ():
            ids.add(engine.policy(qualify(str(name), self.entry.namespace)).id)
        for name in declared.get("groups") or ():
            ids.update(engine.group(qualify(str(name), self.entry.namespace)))
        meta = declared["actor"].get("meta")
        return Context(Actor(self.actor_id, meta if isinstance(meta, Mapping) else {}), Scope(ids))


def subject_of(command: Command) -> Subject:
    """Return under whom `command` runs."""
    declared: Any = command.entry.meta.get("command")
    security = declared.get("security") if isinstance(declared, dict) else None
    return Subject("command", command.name, command.entry, security)


def service_subject(entry: Entry) -> Subject:
    """Return under whom the service `entry` runs."""
    lifecycle: Any = entry.fields.get("lifecycle")
    security = lifecycle.get("security") if isinstance(lifecycle, Mapping) else None
    return Subject("service", entry.id, entry, security)


def subjects(snapshot: Snapshot) -> list[Subject]:
    """Return the commands and services of a project: commands first, each by name."""
    found = [subject_of(command) for command in commands(snapshot)]
    return found + [service_subject(entry) for entry in snapshot.kind("process.service")]


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
    near = nearest(wanted, known)
    meant = f"; did you mean `{near}`?" if near else ""
    there = ", ".join(f"`{each}`" for each in known) or "none"
    raise NotFound(
        f"`{wanted}` is no actor of a command or service of this project; there are {there}{meant or ';'}"
        " with --scope any name will do"
    )
