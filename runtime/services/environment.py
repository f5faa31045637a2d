"""Environment variables for Lua: only those that the project declares, and never a provider's credential.

An `env.variable` entry names a variable and its storage. A script asks by the variable's name or by the
entry's id; policy is asked with what the script said. Provider keys belong to the host's drivers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.core.errors import Invalid, NotFound, PermissionDenied
from runtime.core.redact import Redactor
from runtime.lua.dispatch import Caller, Handler
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot
from runtime.security.guard import Guard
from runtime.services.arguments import argument, text

KIND = "env.variable"
CREDENTIALS = frozenset({"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_COMPAT_API_KEY", "GEMINI_API_KEY"})


class EnvironmentCommands:
    """Answers `env.*` from `environment`; values handed out are known to the redactor from then on."""

    def __init__(
        self,
        guard: Guard,
        snapshot: Callable[[], Snapshot],
        environment: Mapping[str, str],
        redactor: Redactor,
    ) -> None:
        self._guard = guard
        self._snapshot = snapshot
        self._environment = environment
        self._redactor = redactor

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {"env.get": self._get, "env.get_all": self._get_all, "env.set": self._set}

    async def _get(self, caller: Caller, args: list[Any]) -> str:
        key = text(argument(args), "the name of a variable")
        self._guard.require(caller.context, "env.get", key)
        declared = variables(self._snapshot())
        variable = declared.get(key)
        if variable is None:
            meant = self._guard.meant(caller.context, "env.get", key, declared)
            raise NotFound(f"variable `{key}` is not declared: add an env.variable entry for it{meant}")
        self._refuse_credential(variable)
        value = self._environment.get(variable_of(variable), variable.fields.get("default"))
        if not isinstance(value, str):
            raise NotFound(f"variable `{key}` is not set")
        self._redactor.learn(value)
        return value

    async def _get_all(self, caller: Caller, _args: list[Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for entry in self._snapshot().find({".kind": KIND}):
            name = variable_of(entry)
            value = self._environment.get(name)
            if value is None or name in CREDENTIALS:
                continue
            if self._guard.check(caller.context, "env.get", name).allowed:
                self._redactor.learn(value)
                found[name] = value
        return found

    async def _set(self, caller: Caller, args: list[Any]) -> bool:
        key = text(argument(args), "the name of a variable")
        self._guard.require(caller.context, "env.set", key)
        raise Invalid(f"variable `{key}` is read-only: variables of the operating system can not be set")

    def _refuse_credential(self, variable: Entry) -> None:
        if variable_of(variable) in CREDENTIALS:
            raise PermissionDenied(
                f"variable `{variable_of(variable)}` is a provider's credential: only the host reads it"
            )


def variables(snapshot: Snapshot) -> dict[str, Entry]:
    """Return the declared variables, each by the id of its entry and by the variable's name."""
    found: dict[str, Entry] = {}
    for entry in snapshot.find({".kind": KIND}):
        found[entry.id] = entry
        found[variable_of(entry)] = entry
    return found


def variable_of(entry: Entry) -> str:
    """Return the name of the variable that an entry declares."""
    name = entry.fields.get("variable")
    return name if isinstance(name, str) and name else entry.name
