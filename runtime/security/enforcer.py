"""casbin decides: one small enforcer over the rows of the policies of one scope, never changed once made.

The effector is casbin's own for the model's effect, but it is never allowed to stop early, so that all
policies that decide are known. What casbin answers and what was collected must agree; where they do not,
nothing is allowed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from runtime.core.errors import Internal, Unavailable
from runtime.security.decision import Decision, decided, undefined
from runtime.security.fields import Facts
from runtime.security.policy import Policy

# casbin's enforcers can not be called by two threads at once (SystemError), and its evaluator changes the
# process-wide list of warning filters: so one lock for all of them.
_ONE_AT_A_TIME = threading.Lock()


class Enforcer(Protocol):
    """What decides for one set of policies."""

    def decide(self, actor: str, action: str, resource: str, facts: Facts) -> Decision:
        """Return the decision on a request; whatever is raised allows nothing."""


Build = Callable[[str, Sequence[Policy]], Enforcer]


class CasbinEnforcer:
    """The rows of `policies` under the casbin model `model_text`, which has been accepted."""

    def __init__(self, model_text: str, policies: Sequence[Policy]) -> None:
        casbin = the_casbin()
        model = casbin.Model()
        model.load_model_from_text(model_text)
        self._policies = {policy.id: policy for policy in policies}
        self._casbin = casbin.Enforcer(model)
        self._effects = _CollectingEffector(self._casbin.eft)
        self._casbin.set_effector(self._effects)
        self._casbin.add_function("matches", _matcher(policies))
        self._casbin.add_function("holds", self._holds)
        for policy in self._policies.values():
            model.add_policy("p", "p", _row(policy))

    @property
    def rows(self) -> list[list[str]]:
        """A copy of the rows that casbin decides by."""
        return [list(row) for row in self._casbin.get_policy()]

    def decide(self, actor: str, action: str, resource: str, facts: Facts) -> Decision:
        """Return the decision on a request; without rows it is undefined. Raises what casbin raises."""
        if not (isinstance(action, str) and isinstance(resource, str)):
            raise Internal("action and resource must be strings")
        if not self._policies:
            return undefined("the scope holds no policy")
        with _ONE_AT_A_TIME:
            self._effects.begin()
            allowed = self._casbin.enforce(actor, action, resource, facts)
            applied = [self._policies[each] for each in self._effects.matched]
        decision = decided(_ids(applied, "allow"), _ids(applied, "deny"))
        if allowed is not decision.allowed:
            raise Internal(
                f"casbin answered `{allowed}` where the policies that apply say `{decision.result}`"
            )
        return decision

    def _holds(self, policy: str, facts: Facts) -> bool:
        self._effects.row = policy
        return self._policies[policy].holds(facts)


def the_casbin() -> Any:
    """Return the package that decides; raise Unavailable where it can not be had: then nothing is decided."""
    try:
        import casbin
    except ImportError as error:
        raise Unavailable(
            f"policies are decided by casbin, and it can not be imported ({error}): install `pycasbin`"
        ) from None
    if not all(hasattr(casbin, name) for name in ("Enforcer", "Model")):
        raise Unavailable(
            "policies are decided by casbin, and the package of that name is another one: install `pycasbin`"
        )
    return casbin


class _CollectingEffector:
    """casbin's effector of the model, which learns every row that applies before it decides."""

    def __init__(self, stock: Any) -> None:
        self._stock = stock
        self._undecided = type(stock).INDETERMINATE
        self.begin()

    def begin(self) -> None:
        self.row = ""
        self.matched: list[str] = []

    def intermediate_effect(self, _effects: set[int]) -> Any:
        self.matched.append(self.row)  # called once for each row that applies, right after `holds` named it
        return self._undecided

    def final_effect(self, effects: set[int]) -> Any:
        return self._stock.final_effect(effects)


def _row(policy: Policy) -> list[str]:
    return [policy.id, "\n".join(policy.actions), "\n".join(policy.resources), policy.effect]


def _matcher(policies: Sequence[Policy]) -> Callable[[str, str], bool]:
    filters = {"\n".join(each.actions): each.action_filter for each in policies}
    filters.update({"\n".join(each.resources): each.resource_filter for each in policies})
    return lambda value, patterns: filters[patterns].matches(value)


def _ids(policies: Sequence[Policy], effect: str) -> tuple[str, ...]:
    return tuple(sorted(each.id for each in policies if each.effect == effect))
