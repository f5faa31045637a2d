"""What a scope lets its actor do, sorted by what it reaches: hosts, reads, writes, functions and so on.

Policies are read as they are written, so this is what may be asked for, not a list of what there is. A deny
that covers an allow whole overrules it; one that covers a part of it stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runtime.security.actions import ACTIONS
from runtime.security.actor import Scope
from runtime.security.engine import Engine
from runtime.security.patterns import covers
from runtime.security.policy import Policy

OWN = "own actions"
"""Actions that guard no operation: scripts ask for them."""

_REACHES = {
    "http_client": "hosts",
    "registry.get": "reads",
    "registry": "writes",
    "funcs": "functions",
    "env": "variables",
    "process": "processes",
    "llm": "models",
    "security": "security",
}
SECTIONS = tuple(dict.fromkeys(_REACHES.values()))


@dataclass(frozen=True, slots=True)
class Ability:
    """One line: a policy allows or denies an action on resources, perhaps only `when` its conditions hold."""

    section: str
    effect: str
    action: str
    resources: tuple[str, ...]
    when: str
    policy: str
    overruled: tuple[str, ...] = ()
    """The denies that cover the whole line, so that it allows nothing."""

    def to_value(self) -> dict[str, Any]:
        """Return the line as plain data."""
        return {
            "section": self.section,
            "effect": self.effect,
            "action": self.action,
            "resources": list(self.resources),
            "when": self.when,
            "policy": self.policy,
            "overruled": list(self.overruled),
        }


def section_of(action: str) -> str:
    """Return what a guarded action reaches."""
    return _REACHES.get(action) or _REACHES.get(action.partition(".")[0]) or "other"


def effective(engine: Engine, scope: Scope) -> list[Ability]:
    """Return what `scope` allows and denies, by section and action; what is not loaded says nothing."""
    in_force = engine.policies
    policies = [in_force[each] for each in scope if each in in_force]
    found = [ability for policy in policies for ability in _abilities(policy, policies)]
    order = [*SECTIONS, "other", OWN]
    return sorted(found, key=lambda each: (order.index(each.section), each.action, each.effect, each.policy))


def _abilities(policy: Policy, policies: list[Policy]) -> Iterator[Ability]:
    guarded = [action for action in ACTIONS if policy.action_filter.matches(action)]
    every = len(guarded) == len(ACTIONS)
    for action in guarded:
        yield _ability(section_of(action), action, policy, policies)
    for pattern in policy.actions:
        if not every and not any(covers(pattern, action) for action in ACTIONS):
            yield _ability(OWN, pattern, policy, policies)


def _ability(section: str, action: str, policy: Policy, policies: list[Policy]) -> Ability:
    when = " and ".join(condition.text for condition in policy.conditions)
    overruled: tuple[str, ...] = ()
    if policy.effect == "allow":
        overruled = tuple(each.id for each in policies if _overrules(each, action, policy.resources))
    return Ability(section, policy.effect, action, policy.resources, when, policy.id, overruled)


def _overrules(deny: Policy, action: str, resources: tuple[str, ...]) -> bool:
    return (
        deny.effect == "deny"
        and not deny.conditions
        and any(covers(pattern, action) for pattern in deny.actions)
        and all(any(covers(pattern, resource) for pattern in deny.resources) for resource in resources)
    )
