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
from typing import Any

from runtime.core.errors import Error, Invalid, Many, NotFound
from runtime.core.values import Value
from runtime.security.actor import Actor, Scope
from runtime.security.decision import Decision, named, undefined
from runtime.security.enforcer import Build, CasbinEnforcer, Enforcer
from runtime.security.kept import Kept
from runtime.security.loaded import Declared, Loaded
from runtime.security.model import accept_model, shipped_model
from runtime.security.policy import Policy, PolicyEntry, is_policy, read_policy
from runtime.security.reading import Reading

DECISIONS = 4096  # kept decisions
_NO_RESOURCE = "\x00"  # no resource has this name
SCOPES = 256  # kept enforcers, one for each set of (policy id, version)


@dataclass(frozen=True, slots=True, eq=False)
class _Compiled:
    """What decides for one scope: its enforcer, what it reads, and the policies that are not loaded."""

    enforcer: Enforcer
    reading: Reading
    missing: tuple[str, ...]

    def decide(self, actor: Actor, action: str, resource: str, key: object) -> Decision:
        """Return the decision on a request; `key` is what the reading gave for it."""
        facts = self.reading.facts(actor, action, resource, key)
        decision = self.enforcer.decide(actor.id, action, resource, facts)
        if decision.allowed and self.missing:
            return undefined(f"the scope names {named(self.missing)}, not loaded, so nothing is allowed")
        return decision


class _InForce:
    """One state of the policies: never changed once made, but for what is kept of what it gave."""

    __slots__ = ("__weakref__", "_enforcer", "decisions", "loaded", "scopes")

    def __init__(
        self, loaded: Loaded, enforcer: Callable[[tuple[Policy, ...]], Enforcer], decisions: int
    ) -> None:
        self.loaded = loaded
        self._enforcer = enforcer
        self.scopes: Kept[Scope, _Compiled] = Kept(SCOPES)
        self.decisions: Kept[tuple[Any, ...], Decision] = Kept(decisions)

    def compiled(self, scope: Scope) -> _Compiled:
        """Return what decides for `scope`."""
        found = self.scopes.find(scope)
        return self.scopes.put(scope, self._compile(scope)) if found is None else found

    def _compile(self, scope: Scope) -> _Compiled:
        declared = {each: self.loaded.get(each) for each in scope}
        found = tuple(each.policy for each in declared.values() if each)
        missing = tuple(name for name, each in declared.items() if each is None)
        reading = Reading(field for policy in found for field in policy.fields)
        return _Compiled(self._enforcer(found), reading, missing)


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
        self._state = self._in_force(Loaded())

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
            self._state = self._in_force(Loaded(self._read(entries)))

    def update(self, changed: Iterable[PolicyEntry], removed: Iterable[str] = ()) -> None:
        """Put the policies among `changed` in force beside those that are, without the ids `removed`.

        What is `changed` to another kind is a policy no more. Raises as `rebuild` does.
        """
        entries = list(changed)
        gone = [*removed, *(entry.id for entry in entries)]
        with self._changing:
            self._state = self._in_force(self._state.loaded.changed(self._read(entries), gone))

    def _read(self, entries: Iterable[PolicyEntry]) -> dict[str, Declared]:
        before = self._state.loaded
        found: dict[str, Declared] = {}
        faults: list[Error] = []
        for entry in entries:
            if not is_policy(entry.kind):
                continue
            try:
                if entry.id in found:
                    raise Invalid(f"policy `{entry.id}` is declared twice", place=entry.place)
                known = before.get(entry.id)
                same = known is not None and known.entry is entry
                found[entry.id] = known if known and same else Declared(entry, read_policy(entry))
            except Many as many:
                faults.extend(many.errors)
            except Error as error:
                faults.append(error)
        if faults:
            raise faults[0] if len(faults) == 1 else Many(faults)
        return found

    def _in_force(self, loaded: Loaded) -> _InForce:
        enforcers = self._enforcers

        def enforcer(found: tuple[Policy, ...]) -> Enforcer:
            return enforcers(tuple((each.id, each.version) for each in found), _Uncompared(found))

        return _InForce(loaded, enforcer, self._decisions)

    @property
    def policies(self) -> Mapping[str, Policy]:
        """The policies in force by id: a copy."""
        return {each.policy.id: each.policy for each in self._state.loaded}

    @property
    def groups(self) -> set[str]:
        """The ids of the groups of the policies in force."""
        return {group for each in self._state.loaded for group in each.policy.groups}

    def policy(self, policy_id: str) -> Policy:
        """Return a policy in force; raise NotFound."""
        found = self._state.loaded.get(policy_id)
        if found is None:
            raise NotFound(f"policy not found: `{policy_id}`")
        return found.policy

    def group(self, group_id: str) -> Scope:
        """Return the scope of all policies of the group `namespace:name`; raise NotFound where none is."""
        members = self._state.loaded.members(group_id)
        if not members:
            raise NotFound(f"policy group not found: `{group_id}`")
        return Scope(members)

    def always_allows(self, scope: Scope, actor: Actor, action: str, resource: str | None = None) -> bool:
        """Whether `action` is allowed whatever a request says of itself: on `resource`, or on all.

        False also where that can not be told without knowing the request.
        """
        decision = self.evaluate(scope, actor, action, _NO_RESOURCE if resource is None else resource)
        if not decision.allowed:
            return False
        declared = map(self._state.loaded.get, scope)
        policies = [each.policy for each in declared if each]
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
            compiled = state.scopes.young.get(scope) or state.compiled(scope)
            read = compiled.reading.key
            if read is None:
                given: object = ()
                key: tuple[Any, ...] = (compiled, actor.id, action, resource)
            else:
                given = read(actor, meta)
                key = (compiled, actor.id, action, resource, given)
            kept = state.decisions
            found = kept.young.get(key) or kept.find(key)
            if found is None:
                found = kept.put(key, compiled.decide(actor, action, resource, given))
            return found
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
