"""A `security.policy` or `security.policy.expr` as a rule. What can not be understood never becomes one.

Every fault of an entry is reported, with the entry's id, its place, what is allowed and the nearest name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from runtime.core.canonical import value_digest
from runtime.core.errors import Error, Invalid, Many, Place
from runtime.core.ids import check_id, qualify, split_id
from runtime.core.values import Value
from runtime.security.conditions import read_condition
from runtime.security.expressions import read_expression
from runtime.security.fields import Facts, Field
from runtime.security.patterns import Filter
from runtime.security.wording import expected, shown, type_name

KIND = "security.policy"
EXPRESSION_KIND = "security.policy.expr"
EFFECTS = ("allow", "deny")
_DATA_KEYS = ("policy", "groups")
_COMMON_KEYS = ("actions", "resources", "effect")
_POLICY_KEYS = {KIND: (*_COMMON_KEYS, "conditions"), EXPRESSION_KIND: (*_COMMON_KEYS, "expression")}

Effect = Literal["allow", "deny"]


class Requirement(Protocol):
    """What must hold for a policy to apply: a condition, or an expression."""

    @property
    def fields(self) -> tuple[Field, ...]: ...
    @property
    def text(self) -> str: ...
    def holds(self, facts: Facts) -> bool: ...
    def why_not(self, facts: Facts) -> str: ...


class PolicyEntry(Protocol):
    """What is asked of an entry; the registry's `Entry` is one. `place_of(*path)` is used where it has it."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Value: ...
    @property
    def place(self) -> Place | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """One rule: it applies when an action and a resource pattern match and all conditions hold.

    `version` is the digest of the declaration: equal content, equal version.
    """

    id: str
    effect: Effect
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: tuple[Requirement, ...]
    groups: tuple[str, ...]
    version: str
    action_filter: Filter
    resource_filter: Filter

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that the conditions read."""
        return tuple(field for condition in self.conditions for field in condition.fields)

    def holds(self, facts: Facts) -> bool:
        """Whether all conditions hold; without conditions they do."""
        return all(condition.holds(facts) for condition in self.conditions)


def is_policy(kind: str) -> bool:
    """Whether entries of `kind` declare a policy."""
    return kind in (KIND, EXPRESSION_KIND)


def read_policy(entry: PolicyEntry) -> Policy:
    """Return the policy of `entry`; raise Invalid (Many, where there are several faults) when it is none."""
    return _Reader(entry).read()


class _Reader:
    """Reads one entry and keeps every fault that it finds."""

    def __init__(self, entry: PolicyEntry) -> None:
        self.entry = entry
        self.faults: list[Error] = []

    def complain(self, message: str, *path: str | int) -> None:
        place_of = getattr(self.entry, "place_of", None)
        place = place_of("data", *path) if place_of else self.entry.place
        self.faults.append(Invalid(f"policy `{self.entry.id}`: {message}", place=place))

    def read(self) -> Policy:
        policy = self._policy()
        if len(self.faults) > 1:
            raise Many(self.faults)
        if self.faults or policy is None:
            raise self.faults[0]
        return policy

    def _policy(self) -> Policy | None:
        kind = self.entry.kind
        if kind not in _POLICY_KEYS:
            self.complain(f"kind `{shown(kind)}` declares no policy, {expected(kind, _POLICY_KEYS)}")
            return None
        data = self.entry.data
        if not isinstance(data, Mapping):
            self.complain(f"its data must be a map with `policy`, not {type_name(data)}")
            return None
        self._known(data, _DATA_KEYS)
        rule = data.get("policy")
        groups = self._groups(data.get("groups"))
        if not isinstance(rule, Mapping):
            self.complain(
                f"`policy` must be a map of actions, resources and effect, not {type_name(rule)}", "policy"
            )
            return None
        self._known(rule, _POLICY_KEYS[kind], "policy")
        effect = self._effect(rule.get("effect"))
        actions = self._patterns("actions", rule.get("actions"))
        resources = self._patterns("resources", rule.get("resources"))
        by_conditions = kind == KIND
        conditions = self._conditions(rule.get("conditions")) if by_conditions else self._expression(rule)
        return Policy(
            id=self.entry.id,
            effect=effect,
            actions=actions,
            resources=resources,
            conditions=conditions,
            groups=groups,
            version=self._version(data),
            action_filter=Filter(actions),
            resource_filter=Filter(resources),
        )

    def _version(self, data: Mapping[str, Value]) -> str:
        try:
            return value_digest(cast("Value", data))
        except Invalid as error:
            self.complain(error.message)
            return ""

    def _known(self, given: Mapping[str, Value], keys: Sequence[str], *path: str) -> None:
        for key in given:
            if key not in keys:
                self.complain(f"unknown key `{shown(key)}`, {expected(str(key), keys)}", *path, key)

    def _effect(self, effect: Value) -> Effect:
        if effect not in EFFECTS:
            given = "nothing is given" if effect is None else shown(effect)
            self.complain(
                f"invalid policy effect: {given}; {expected(str(effect), EFFECTS)}", "policy", "effect"
            )
        return "allow" if effect == "allow" else "deny"

    def _patterns(self, name: str, value: Value) -> tuple[str, ...]:
        if isinstance(value, str):
            if not value:
                self.complain(f"{name} string cannot be empty", "policy", name)
            self._visible(value, name, "policy", name)
            return (value,)
        if not isinstance(value, list | tuple):
            what = "nothing is given" if value is None else f"not {type_name(value)}"
            self.complain(f"{name} must be a string or list; {what}", "policy", name)
            return ()
        if not value:
            self.complain(f"{name} list cannot be empty", "policy", name)
        for index, item in enumerate(value):
            if not isinstance(item, str) or not item:
                fault = "cannot be empty" if item == "" else f"must be a string, not {type_name(item)}"
                self.complain(f"{name}[{index}] {fault}", "policy", name, index)
            else:
                self._visible(item, f"{name}[{index}]", "policy", name, index)
        return tuple(item for item in value if isinstance(item, str))

    def _visible(self, pattern: str, name: str, *path: str | int) -> None:
        # A mark or a blank that nobody sees makes a deny that denies nothing.
        if pattern != pattern.strip() or not pattern.isprintable():
            self.complain(
                f"{name} `{shown(pattern)}` has blanks around it or characters that can not be seen", *path
            )

    def _expression(self, rule: Mapping[str, Value]) -> tuple[Requirement, ...]:
        def complain(message: str) -> None:
            self.complain(message, "policy", "expression")

        expression = read_expression(rule.get("expression"), complain)
        return (expression,) if expression else ()

    def _conditions(self, value: Value) -> tuple[Requirement, ...]:
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.complain(f"conditions must be a list, not {type_name(value)}", "policy", "conditions")
            return ()
        conditions = []
        for index, raw in enumerate(value):

            def complain(message: str, *path: str | int, index: int = index) -> None:
                self.complain(f"condition {index}: {message}", "policy", "conditions", index, *path)

            condition = read_condition(raw, complain)
            if condition:
                conditions.append(condition)
        return tuple(conditions)

    def _groups(self, value: Value) -> tuple[str, ...]:
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.complain(f"groups must be a list of names, not {type_name(value)}", "groups")
            return ()
        namespace, _ = split_id(self.entry.id)
        groups = []
        for index, name in enumerate(value):
            if not isinstance(name, str):
                self.complain(f"groups[{index}] must be a string, not {type_name(name)}", "groups", index)
                continue
            try:
                groups.append(check_id(qualify(name, namespace)))
            except Invalid as error:
                self.complain(f"groups[{index}]: {error.message}", "groups", index)
        return tuple(dict.fromkeys(groups))
