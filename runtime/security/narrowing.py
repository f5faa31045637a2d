"""Authority only narrows: what a caller hands on is never more than what it has, unless a policy lets it.

A scope narrows when it holds no allow that the parent lacks and every deny that the parent has.
"""

from __future__ import annotations

from typing import Literal

from runtime.security.actor import Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard

SecurityAction = Literal["funcs.security", "process.security", "contract.security"]


def narrow(guard: Guard, parent: Context, child: Context, action: SecurityAction) -> Context:
    """Return the context of what `parent` starts as `child`; what `child` leaves out is inherited.

    Another actor, or an allow that the parent's scope lacks, needs `action` on `security`; without it raises
    PermissionDenied. Where it is not needed, the parent's denies stay.
    """
    if child == Context.EMPTY:
        return parent
    wished = Context(child.actor or parent.actor, parent.scope if child.scope is None else child.scope)
    if wished.actor == parent.actor and wished.scope is not None and parent.scope is not None:
        narrowed = intersect(guard.engine, parent.scope, wished.scope)
        if all(map(narrowed.contains, wished.scope)):
            return Context(parent.actor, narrowed)
    guard.require(parent, action, "security")
    return wished


def intersect(engine: Engine, parent: Scope, child: Scope) -> Scope:
    """Return the scope that allows only what both allow and denies whatever one of them denies.

    An id that is not loaded is kept as a deny is: a scope that holds it allows nothing.
    """
    kept = {each for each in (*parent, *child) if engine.denies(each)}
    return Scope(kept.union(set(parent) & set(child)))
