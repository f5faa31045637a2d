"""Why a request is decided as it is: what decided, what nearly did, and what would change it.

The decision is the engine's own. The policies are then weighed one by one, part by part; nothing that is
found here lets an operation go on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.nearest import did_you_mean
from runtime.core.values import Value
from runtime.security.actions import ACTIONS
from runtime.security.actor import Actor, Scope
from runtime.security.decision import Decision, named
from runtime.security.engine import Engine
from runtime.security.fields import Facts, read_key
from runtime.security.policy import Policy

NEAR = 10  # near misses that are shown


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks for what: an actor, an action, a resource, and what the operation says beside them."""

    actor: Actor
    action: str
    resource: str
    meta: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Weighed:
    """One policy and a request: whether its action and resource patterns match, and which conditions fail."""

    policy: Policy
    action: bool
    resource: bool
    failed: tuple[str, ...]
    """Each condition that does not hold, with what was found in its place."""

    @property
    def applies(self) -> bool:
        """Whether the policy decides the request."""
        return self.action and self.resource and not self.failed

    @property
    def missed(self) -> tuple[str, ...]:
        """The parts that the request missed, among `condition`, `resource` and `action`."""
        parts = (("condition", not self.failed), ("resource", self.resource), ("action", self.action))
        return tuple(part for part, met in parts if not met)

    @property
    def near(self) -> bool:
        """Whether exactly one part stopped the policy from deciding."""
        return len(self.missed) == 1

    @property
    def why(self) -> str:
        """What stopped it, in words; empty where it applies."""
        said = []
        if not self.action:
            said.append(f"its actions are {', '.join(self.policy.actions)}")
        if not self.resource:
            said.append(f"its resources are {', '.join(self.policy.resources)}")
        return "; ".join((*said, *self.failed))


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision with the policies that made it, those that nearly did, and what would change it."""

    request: Request
    decision: Decision
    decided: tuple[Weighed, ...]
    near: tuple[Weighed, ...]
    changes: tuple[str, ...]
    suggestion: str
    """A policy as YAML that would allow the request; empty where one more allow would not help."""
    notes: tuple[str, ...]

    def to_value(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        request = self.request
        return {
            "actor": request.actor.id,
            "action": request.action,
            "resource": request.resource,
            "meta": dict(request.meta),
            "decision": self.decision.result,
            "why": self.decision.why,
            "reasons": list(self.decision.reasons),
            "near": [
                {
                    "policy": each.policy.id,
                    "effect": each.policy.effect,
                    "missed": list(each.missed),
                    "why": each.why,
                }
                for each in self.near
            ],
            "changes": list(self.changes),
            "suggestion": self.suggestion,
            "notes": list(self.notes),
        }


def explain(engine: Engine, scope: Scope, request: Request) -> Explanation:
    """Return why the policies of `scope` decide `request` so; raise Invalid for meta that is no data."""
    decision = engine.evaluate(scope, request.actor, request.action, request.resource, request.meta)
    policies = engine.policies
    weighed = [weigh(policies[each], request) for each in scope if each in policies]
    decided = tuple(each for each in weighed if each.applies)
    near = sorted((each for each in weighed if each.near), key=_closeness)
    missing = tuple(each for each in scope if each not in policies)
    outside = [
        each.policy.id
        for each in (weigh(policy, request) for name, policy in policies.items() if not scope.contains(name))
        if each.applies and each.policy.effect == "allow"
    ]
    changes = tuple(
        _after_an_allow(decision, near)
        if decision.allowed
        else _after_a_deny(decision, decided)
        if decision.result == "deny"
        else _after_nothing(request, near, missing, outside)
    )
    suggestion = "" if decision.allowed or decision.result == "deny" or missing else _suggestion(request)
    return Explanation(request, decision, decided, tuple(near[:NEAR]), changes, suggestion, _notes(request))


def weigh(policy: Policy, request: Request) -> Weighed:
    """Return which parts of `policy` the request meets."""
    facts = Facts(
        policy.fields,
        read_key(policy.fields, request.actor, request.action, request.resource, request.meta),
    )
    failed = tuple(each.why_not(facts) for each in policy.conditions if not each.holds(facts))
    return Weighed(
        policy,
        policy.action_filter.matches(request.action),
        policy.resource_filter.matches(request.resource),
        failed,
    )


def _closeness(weighed: Weighed) -> tuple[int, str]:
    order = ("condition", "resource", "action")
    return order.index(weighed.missed[0]), weighed.policy.id


def _after_an_allow(decision: Decision, near: list[Weighed]) -> Iterator[str]:
    yield f"without {named(decision.reasons)} nothing would allow it"
    for each in [each for each in near if each.policy.effect == "deny"][:NEAR]:
        yield f"policy `{each.policy.id}` would deny it, but {each.why}"


def _after_a_deny(decision: Decision, decided: tuple[Weighed, ...]) -> Iterator[str]:
    yield f"narrow {named(decision.reasons)}, or take it out of the scope: no allow outweighs a deny"
    if not any(each.policy.effect == "allow" for each in decided):
        yield "besides, no policy of the scope allows it"


def _after_nothing(
    request: Request, near: list[Weighed], missing: tuple[str, ...], outside: list[str]
) -> Iterator[str]:
    if missing:
        yield f"load {named(missing)}, or take what is not there out of the scope"
    for each in [each for each in near if each.policy.effect == "allow"][:NEAR]:
        yield from _closing(each, request.resource)
    for policy in sorted(outside)[:NEAR]:
        yield f"policy `{policy}` allows it and is not in the scope: add it there"


def _closing(near: Weighed, resource: str) -> Iterator[str]:
    # To widen the actions of a policy that is about other things is no remedy to offer.
    if near.missed == ("condition",):
        yield f"meet the conditions of policy `{near.policy.id}`: {'; '.join(near.failed)}"
    elif near.missed == ("resource",):
        yield f"name `{resource}` among the resources of policy `{near.policy.id}`"


def _suggestion(request: Request) -> str:
    if any(each != each.strip() or not each.isprintable() for each in (request.action, request.resource)):
        return ""  # no policy can name what nobody sees
    resource = request.resource or "*"
    return (
        "policy:\n"
        f"  actions: {request.action}\n"
        f"  resources: {json.dumps(resource, ensure_ascii=False)}\n"
        "  effect: allow\n"
    )


def _notes(request: Request) -> tuple[str, ...]:
    if request.action in ACTIONS:
        return ()
    meant = did_you_mean(request.action, ACTIONS)
    return (f"`{request.action}` guards no operation of the runtime, a script may ask for it{meant}",)
