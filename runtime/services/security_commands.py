"""The commands of the Lua module `security`: objects of Lua hold ids only, the host decides every time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Internal, Invalid, NotFound, PermissionDenied
from runtime.lua.dispatch import Caller, Handler
from runtime.security.actor import Actor, Scope
from runtime.security.guard import Guard
from runtime.services.arguments import argument, shown, table, text


class SecurityCommands:
    """Answers `security.*` for Lua code."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "security.context": self._context,
            "security.can": self._can,
            "security.actor.create": self._new_actor,
            "security.scope.create": self._new_scope,
            "security.policy.get": self._policy,
            "security.policy_group.get": self._group,
            "security.scope.evaluate": self._evaluate,
        }

    async def _context(self, caller: Caller, _args: list[Any]) -> dict[str, Any]:
        actor, scope = caller.context.actor, caller.context.scope
        return {
            "actor": {"id": actor.id, "meta": dict(actor.meta)} if actor else None,
            "scope": {"policies": list(scope.policies)} if scope is not None else None,
        }

    async def _can(self, caller: Caller, args: list[Any]) -> bool:
        action, resource = text(argument(args), "action"), text(argument(args, 1), "resource")
        return self._guard.can(caller.context, action, resource, table(argument(args, 2), "meta"))

    async def _new_actor(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        actor = Actor(text(argument(args), "actor id"), table(argument(args, 1), "meta"))
        self._guard.require(caller.context, "security.actor.create", actor.id)
        return {"id": actor.id, "meta": dict(actor.meta)}

    async def _new_scope(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        wanted = table(argument(args))
        how = wanted.get("how")
        if how not in ("custom", "with", "without"):
            raise Invalid(f"a scope is made by custom, with or without, not `{shown(how)}`")
        self._guard.require(caller.context, "security.scope.create", how)
        return {"policies": list(Scope(_ids(wanted.get("ids"))).policies)}

    async def _policy(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        found = text(argument(args), "policy id")
        self._ask(caller, "security.policy.get", found, "policy")
        try:
            return {"id": self._guard.engine.policy(found).id}
        except NotFound as error:
            meant = self._guard.meant(
                caller.context, "security.policy.get", found, self._guard.engine.policies
            )
            raise Internal(f"access policy: {error.message}{meant}", details={"id": found}) from error

    async def _group(self, caller: Caller, args: list[Any]) -> dict[str, Any]:
        found = text(argument(args), "policy group id")
        self._ask(caller, "security.policy_group.get", found, "policy group")
        try:
            return {"policies": list(self._guard.engine.group(found).policies)}
        except NotFound as error:
            meant = self._guard.meant(
                caller.context, "security.policy_group.get", found, self._guard.engine.groups
            )
            raise Internal(f"access policy group: {error.message}{meant}", details={"id": found}) from error

    async def _evaluate(self, _caller: Caller, args: list[Any]) -> str:
        wanted = table(argument(args))
        who = table(wanted.get("actor"), "actor")
        decision = self._guard.engine.evaluate(
            Scope(_ids(wanted.get("policies"))),
            Actor(text(who.get("id", ""), "actor id"), table(who.get("meta"), "meta")),
            text(wanted.get("action"), "action"),
            text(wanted.get("resource"), "resource"),
            table(wanted.get("meta"), "meta"),
        )
        return decision.result

    def _ask(self, caller: Caller, action: str, resource: str, what: str) -> None:
        # The documented kind of these two denials is Invalid; the denial is recorded all the same.
        try:
            self._guard.require(caller.context, action, resource)
        except PermissionDenied as error:
            raise Invalid(f"permission denied: access {what} `{resource}`", details=error.details) from error


def _ids(value: Any) -> list[str]:
    if value is None or value == {}:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Invalid("a scope takes a list of policy ids")
    return value
