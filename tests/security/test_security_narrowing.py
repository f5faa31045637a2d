"""What a caller hands on is never more than what it has, unless a policy lets it."""

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import PermissionDenied
from runtime.security.actor import Actor, Context, Scope
from runtime.security.guard import Guard
from runtime.security.narrowing import intersect, narrow

ENGINE = engine_of(
    entry("a", "allow", "registry.get"),
    entry("b", "allow", "funcs.call"),
    entry("all", "allow"),
    entry("d", "deny", "registry.apply"),
    entry("e", "deny", "env.get"),
    entry("may_change", "allow", "funcs.security", "security"),
)
GUARD = Guard(ENGINE)
PARENT = Context(AGENT, scope("a", "b", "d"))
STRONG = Context(AGENT, scope("a", "d", "may_change"))


def hand_on(parent, child, action="funcs.security", guard=GUARD):
    return narrow(guard, parent, child, action)


def test_nothing_said_is_inherited():
    assert hand_on(PARENT, Context.EMPTY) == PARENT
    assert hand_on(Context.EMPTY, Context.EMPTY) == Context.EMPTY
    assert hand_on(PARENT, Context(AGENT, None)) == PARENT


def test_a_narrower_scope_needs_no_permission_and_keeps_the_denies_of_the_parent():
    assert hand_on(PARENT, Context(None, scope("a"))) == Context(AGENT, scope("a", "d"))
    assert hand_on(PARENT, Context(AGENT, Scope())) == Context(AGENT, scope("d"))


def test_a_further_deny_only_narrows():
    assert hand_on(PARENT, Context(None, scope("a", "e"))) == Context(AGENT, scope("a", "d", "e"))


@pytest.mark.parametrize("action", ["funcs.security", "process.security"])
def test_an_allow_that_the_parent_lacks_needs_permission(action):
    with pytest.raises(PermissionDenied, match=f"not allowed: {action} on `security`"):
        hand_on(PARENT, Context(None, scope("a", "all")), action)


@pytest.mark.parametrize(
    "actor", [Actor("app:owner"), Actor("app:agent"), Actor("app:agent", {"role": "owner"})]
)
def test_another_actor_needs_permission(actor):
    with pytest.raises(PermissionDenied):
        hand_on(PARENT, Context(actor, None))


def test_with_permission_the_child_runs_as_wished():
    wished = Context(Actor("app:owner"), scope("all"))
    assert hand_on(STRONG, wished) == wished
    with pytest.raises(PermissionDenied, match=r"process\.security"):
        hand_on(STRONG, wished, "process.security")


def test_a_caller_without_actor_or_scope_hands_on_nothing_in_strict_mode():
    for parent in (Context.EMPTY, Context(AGENT, None), Context(None, scope("all"))):
        with pytest.raises(PermissionDenied):
            hand_on(parent, Context(AGENT, scope("a")))
    loose = Guard(ENGINE, strict=False)
    wished = Context(AGENT, scope("a"))
    assert hand_on(Context.EMPTY, wished, guard=loose) == wished


def test_a_policy_that_is_not_loaded_does_not_widen():
    narrowed = hand_on(PARENT, Context(None, scope("a", "gone")))
    assert narrowed.scope == scope("a", "d", "gone")
    assert not GUARD.check(narrowed, "registry.get", "app:x").allowed


def test_an_intersection_allows_only_what_both_allow_and_denies_what_one_denies():
    assert intersect(ENGINE, scope("a", "b", "d"), scope("b", "all", "e")) == scope("b", "d", "e")
    assert intersect(ENGINE, scope("a"), Scope()) == Scope()
    assert intersect(ENGINE, scope("gone"), scope("a")) == scope("gone")


def test_an_intersection_is_never_wider_than_either_side():
    names = ["a", "b", "all", "d", "e"]
    requests = [("registry.get", "x"), ("funcs.call", "x"), ("registry.apply", "x"), ("env.get", "x")]
    for left in range(32):
        for right in range(32):
            sides = [scope(*(n for i, n in enumerate(names) if mask >> i & 1)) for mask in (left, right)]
            both = intersect(ENGINE, *sides)
            for action, resource in requests:
                if ENGINE.evaluate(both, AGENT, action, resource).allowed:
                    assert all(ENGINE.evaluate(side, AGENT, action, resource).allowed for side in sides)
