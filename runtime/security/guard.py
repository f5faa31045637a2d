"""The one question before a guarded operation: may this context do that? Only an explicit allow says yes.

In strict mode, the default, a context without actor or scope is refused too; where a user switched it off
such a context may do everything, while one that has both is still decided by its policies alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from runtime.core.errors import Internal, PermissionDenied
from runtime.core.nearest import nearest
from runtime.core.values import Value
from runtime.security.actions import ACTIONS
from runtime.security.actor import Context
from runtime.security.decision import Decision, undefined
from runtime.security.engine import Engine

_SHOWN = 200  # characters of a resource in a message


@dataclass(frozen=True, slots=True)
class Denial:
    """One refused operation, as it is recorded; `actor` is empty where there was none."""

    action: str
    resource: str
    actor: str
    policies: tuple[str, ...]
    why: str

    @property
    def message(self) -> str:
        """The refusal in one line, for people and for scripts."""
        what = f"{self.action} on `{self.resource}`" if self.resource else self.action
        who = f"actor `{self.actor}`, " if self.actor else ""
        return f"not allowed: {what} ({who}{self.why})"

    def to_value(self) -> dict[str, Value]:
        """Return {action, resource, actor, policies} as plain data."""
        return {
            "action": self.action,
            "resource": self.resource,
            "actor": self.actor,
            "policies": list(self.policies),
        }


class Guard:
    """Asks `engine` for every guarded operation; `on_denied` hears of each refusal of `require`."""

    def __init__(
        self, engine: Engine, strict: bool = True, on_denied: Callable[[Denial], None] | None = None
    ) -> None:
        self.engine = engine
        self.strict = strict
        self._on_denied = on_denied

    def check(
        self, context: Context, action: str, resource: str, meta: Mapping[str, Value] | None = None
    ) -> Decision:
        """Return the decision on a guarded action; only `.allowed` lets it go on.

        Raises Internal for an action that is not in the table of guarded actions: a fault of the runtime.
        """
        if action not in ACTIONS:
            raise Internal(f"`{action}` is not in the table of guarded actions")
        return self.weigh(context, action, resource, meta)

    def weigh(
        self, context: Context, action: str, resource: str, meta: Mapping[str, Value] | None = None
    ) -> Decision:
        """Return what `check` returns, for any action: a question that lets nothing go on."""
        if context.actor is None or context.scope is None:
            return self._incomplete(context)
        return self.engine.evaluate(context.scope, context.actor, action, resource, meta)

    def require(
        self, context: Context, action: str, resource: str, meta: Mapping[str, Value] | None = None
    ) -> Decision:
        """Return the decision that allows; else tell `on_denied` and raise PermissionDenied with the reasons.

        The details of the error are {action, resource, actor, policies}.
        """
        decision = self.check(context, action, resource, meta)
        if not decision.allowed:
            raise self.refuse(context, action, resource, decision)
        return decision

    def is_standing(self, context: Context, action: str, resource: str | None = None) -> bool:
        """Whether `context` may do `action` whatever it says of itself: on `resource`, or on all."""
        if context.actor is None or context.scope is None:
            return not self.strict
        return self.engine.always_allows(context.scope, context.actor, action, resource)

    def refuse(self, context: Context, action: str, resource: str, decision: Decision) -> PermissionDenied:
        """Tell `on_denied` that `decision` stops the operation and return the error to raise."""
        actor = context.actor.id if context.actor else ""
        denial = Denial(action, without_secrets(resource), actor, decision.reasons, decision.why)
        if self._on_denied:
            self._on_denied(denial)
        return PermissionDenied(denial.message, details=denial.to_value())

    def can(
        self, context: Context, action: str, resource: str, meta: Mapping[str, Value] | None = None
    ) -> bool:
        """Return what a script's own question gets: any action, and False where actor or scope is missing."""
        if context.actor is None or context.scope is None:
            return False
        return self.engine.evaluate(context.scope, context.actor, action, resource, meta).allowed

    def meant(self, context: Context, action: str, wanted: str, names: Iterable[str]) -> str:
        """Return "; did you mean `x`?" for the nearest of `names`, where `context` may do `action` on it.

        So an error tells nobody of what they may not touch.
        """
        near = nearest(wanted, names)
        allowed = near is not None and self.weigh(context, action, near).allowed
        return f"; did you mean `{near}`?" if allowed else ""

    def _incomplete(self, context: Context) -> Decision:
        missing = "actor" if context.actor is None else "scope"
        if self.strict:
            return undefined(f"the call has no {missing}, and strict mode is on")
        return Decision("allow", (), f"the call has no {missing}, and strict mode is off")


def without_secrets(resource: str) -> str:
    """Return `resource` as it may be shown: a URL without user, password and query; a long one cut."""
    if "://" in resource:
        try:
            parts = urlsplit(resource)
        except ValueError:
            return resource.partition("://")[0] + "://..."
        host = parts.netloc.rpartition("@")[2]
        hidden = "?..." if parts.query or parts.fragment else ""
        resource = f"{parts.scheme}://{host}{parts.path}{hidden}"
    return resource if len(resource) <= _SHOWN else resource[:_SHOWN] + "..."
