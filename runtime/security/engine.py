"""The policies in force and their decisions: swapped whole, never answered from a stale cache.

A decision is kept for (policies of the scope, actor, action, resource, the fields that their conditions
read), in the same object as the policies that it was made from: when that object is swapped, its decisions
go with it. Whatever fails on the way to a decision allows nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from runtime.core.errors import Error, Invalid, Many, NotFound
from runtime.core.values import Value
from runtime.security.actor import Actor, Scope
from runtime.security.decision import Decision, named, undefined
from runtime.security.enforcer import Build, CasbinEnforcer, Enforcer
from runtime.security.fields import Facts, Field, Key, read_key
from runtime.security.model import accept_model, shipped_model
from runtime.security.policy import Policy, PolicyEntry, is_policy, read_policy

DECISIONS = 4096  # kept decisions
_NO_RESOURCE = "\x00"  # no resource has this name
SCOPES = 256  # kept enforcers, one for each set of (policy id, version)


@dataclass(frozen=True, slots=True, eq=False)
class _Compiled:
    """What decides for one scope: its enforcer, the fields to read, and the policies that are not loaded."""

    enforcer: Enforcer
    fields: tuple[Field, ...]
    missing: tuple[str, ...]


class _Loaded(NamedTuple):
    """A policy and the entry that declared it."""

    entry: PolicyEntry
    policy: Policy


class _InForce:
    """One state of the policies: never changed once made, but for what its caches keep."""

    __slots__ = ("__weakref__", "compiled", "decided", "group", "loaded")

    def __init__(
        self,
        loaded: dict[str, _Loaded],
        enforcer: Callable[[tuple[Policy, ...]], Enforcer],
        decisions: int,
    ) -> None:
        def compile_scope(scope: Scope) -> _Compiled:
            found = tuple(loaded[each].policy for each in scope if each in loaded)
            fields = {field.path: field for policy in found for field in policy.fields}
            missing = tuple(each for each in scope if each not in loaded)
            return _Compiled(enforcer(found), tuple(fields.values()), missing)

        def members(group: str) -> Scope:
            return Scope(each for each, (_, policy) in loaded.items() if group in policy.groups)

        self.loaded = loaded
        self.compiled = lru_cache(SCOPES)(compile_scope)
        self.decided = lru_cache(decisions)(_decide)
        self.group = lru_cache(SCOPES)(members)


class Engine:
    """Decides under the casbin model `model_text` (the shipped one without it); starts with no policy.

    Raises Invalid for a model that is refused. `build` makes the enforcers; `decisions` bounds the kept ones.
    Any thread may ask while another one changes the policies.
    """

    def __init__(
        self, model_text: str | None = None, *, build: Build = CasbinEnforcer, decisions: int = DECISIONS
    ) -> None:
        self._build = build
        self._decisions = decisions
        self._changing = threading.Lock()
        self._take(shipped_model() if model_text is None else model_text)
        self._state = self._in_force({})

    @property
    def model(self) -> str:
        """The text of the model in force."""
        return self._model

    def use_model(self, model_text: str) -> None:
        """Decide under another model from now on; raise Invalid, and change nothing, for one that is refused.

        Whether a project may bring it is for others to know: see `trust`.
        """
        with self._changing:
            self._take(model_text)
            self._state = self._in_force(self._state.loaded)

    def _take(self, model_text: str) -> None:
        build, model = self._build, accept_model(model_text, self._build)

        @lru_cache(SCOPES)
        def enforcer(_versions: tuple[tuple[str, str], ...], policies: _Uncompared) -> Enforcer:
            return build(model, policies.policies)

        self._model, self._enforcers = model, enforcer

    def rebuild(self, entries: Iterable[PolicyEntry]) -> None:
        """Put exactly the policies among `entries` in force, all or none of them.

        Raises Invalid (Many with every fault, where there are several); then what was in force stays.
        """
        with self._changing:
            self._swap({}, entries)

    def update(self, changed: Iterable[PolicyEntry], removed: Iterable[str] = ()) -> None:
        """Put the policies among `changed` in force beside those that are, without the ids `removed`.

        Raises as `rebuild` does.
        """
        with self._changing:
            loaded = dict(self._state.loaded)
            for each in removed:
                loaded.pop(each, None)
            self._swap(loaded, changed)

    def _swap(self, loaded: dict[str, _Loaded], entries: Iterable[PolicyEntry]) -> None:
        before = self._state.loaded
        given: set[str] = set()
        faults: list[Error] = []
        for entry in entries:
            if not is_policy(entry.kind):
                loaded.pop(entry.id, None)
                continue
            try:
                if entry.id in given:
                    raise Invalid(f"policy `{entry.id}` is declared twice", place=entry.place)
                given.add(entry.id)
                known = before.get(entry.id)
                loaded[entry.id] = (
                    known if known and known.entry is entry else _Loaded(entry, read_policy(entry))
                )
            except Many as many:
                faults.extend(many.errors)
            except Error as error:
                faults.append(error)
        if faults:
            raise faults[0] if len(faults) == 1 else Many(faults)
        self._state = self._in_force(loaded)

    def _in_force(self, loaded: dict[str, _Loaded]) -> _InForce:
        def enforcer(found: tuple[Policy, ...]) -> Enforcer:
            return self._enforcers(tuple((each.id, each.version) for each in found), _Uncompared(found))

        return _InForce(loaded, enforcer, self._decisions)

    @property
    def policies(self) -> Mapping[str, Policy]:
        """The policies in force by id: a copy."""
        return {each: policy for each, (_, policy) in self._state.loaded.items()}

    def policy(self, policy_id: str) -> Policy:
        """Return a policy in force; raise NotFound."""
        found = self._state.loaded.get(policy_id)
        if found is None:
            raise NotFound(f"policy not found: `{policy_id}`")
        return found.policy

    def group(self, group_id: str) -> Scope:
        """Return the scope of all policies of the group `namespace:name`; raise NotFound where none is."""
        members = self._state.group(group_id)
        if not members:
            raise NotFound(f"policy group not found: `{group_id}`")
        return members

    def always_allows(self, scope: Scope, actor: Actor, action: str, resource: str | None = None) -> bool:
        """Whether `action` is allowed whatever a request says of itself: on `resource`, or on all.

        False also where that can not be told without knowing the request.
        """
        decision = self.evaluate(scope, actor, action, _NO_RESOURCE if resource is None else resource)
        if not decision.allowed:
            return False
        loaded = self._state.loaded
        policies = [loaded[each].policy for each in scope if each in loaded]
        if any(
            policy.effect == "deny"
            and policy.action_filter.matches(action)
            and (resource is None or policy.resource_filter.matches(resource))
            for policy in policies
        ):
            return False
        return any(
            policy.id in decision.reasons
            and policy.effect == "allow"
            and (resource is not None or "*" in policy.resources)
            and all(field.is_of_actor for field in policy.fields)
            for policy in policies
        )

    def denies(self, policy_id: str) -> bool:
        """Whether a scope allows less for holding `policy_id`: it is a deny, or is not loaded."""
        found = self._state.loaded.get(policy_id)
        return found is None or found.policy.effect == "deny"

    def evaluate(
        self,
        scope: Scope,
        actor: Actor,
        action: str,
        resource: str,
        meta: Mapping[str, Value] | None = None,
    ) -> Decision:
        """Return what the policies of `scope` say; raise nothing: what fails is undefined, and `why` says so.

        A scope that names a policy which is not loaded allows nothing; its denies count.
        """
        state = self._state
        try:
            compiled = state.compiled(scope)
            fields = compiled.fields
            key = read_key(fields, actor, action, resource, meta) if fields else ()
            return state.decided(compiled, actor.id, action, resource, key)
        except Exception as error:  # the one place where any failure whatever becomes a refusal
            return undefined(f"the policy engine failed (`{type(error).__name__}`), so nothing is allowed")


class _Uncompared:
    """Carries policies beside a key that stands for them: equal to any other."""

    __slots__ = ("policies",)

    def __init__(self, policies: tuple[Policy, ...]) -> None:
        self.policies = policies

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Uncompared)

    def __hash__(self) -> int:
        return 0


def _decide(compiled: _Compiled, actor: str, action: str, resource: str, key: Key) -> Decision:
    facts = Facts(compiled.fields, key)
    decision = compiled.enforcer.decide(actor, action, resource, facts)
    if decision.allowed and compiled.missing:
        return undefined(f"the scope names {named(compiled.missing)}, not loaded, so nothing is allowed")
    return decision
