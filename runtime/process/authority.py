"""Whose authority a script hands on, as its commands say it: actor, scope and context values, read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.security.actor import Actor, Scope


def read_actor(value: Any) -> Actor | None:
    """Return the actor of `{id, meta}`, None for None; raise Invalid for anything else."""
    if value is None:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise Invalid("actor must hold an id")
    meta = value.get("meta")
    return Actor(value["id"], meta if isinstance(meta, dict) else {})


def read_scope(value: Any) -> Scope | None:
    """Return the scope of `{policies}`, None for None; raise Invalid for anything else."""
    if value is None:
        return None
    policies = value.get("policies") if isinstance(value, dict) else None
    if policies == {}:  # an empty table of Lua may arrive as a map
        policies = []
    if not isinstance(policies, list):
        raise Invalid("scope must hold a list of policies")
    return Scope(policies)


def read_values(value: Any) -> Mapping[str, Value] | None:
    """Return the context values of a table, None for None; raise Invalid for anything else."""
    if value == []:  # an empty table of Lua may arrive as a list
        return {}
    if value is not None and not isinstance(value, dict):
        raise Invalid("context must be a table of values by name")
    return value
