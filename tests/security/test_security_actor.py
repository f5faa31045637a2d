"""Actors, scopes and contexts can not be changed once made."""

import pickle

import pytest

from runtime.core.errors import Invalid
from runtime.security.actor import Actor, Context, Scope


def test_a_scope_is_a_set_in_a_stable_order():
    assert Scope(["b:x", "a:x", "b:x"]).policies == ("a:x", "b:x")
    assert Scope(["b:x", "a:x"]) == Scope(("a:x", "b:x"))
    assert hash(Scope(["b:x", "a:x"])) == hash(Scope(["a:x", "b:x"]))
    assert Scope(["a:x"]) != Scope()
    assert Scope(["a:x"]) != ("a:x",)


def test_with_and_without_give_another_scope():
    first = Scope(["a:x"])
    second = first.with_policy("b:x")
    assert (first.policies, second.policies) == (("a:x",), ("a:x", "b:x"))
    assert second.without("a:x").policies == ("b:x",)
    assert second.without("c:x") is second
    assert second.contains("b:x")
    assert not first.contains("b:x")
    assert [len(first), *second] == [1, "a:x", "b:x"]


def test_a_scope_can_not_be_changed():
    scope = Scope(["a:x"])
    for change in (lambda: setattr(scope, "policies", ()), lambda: delattr(scope, "policies")):
        with pytest.raises(AttributeError, match="a scope can not be changed"):
            change()
    assert pickle.loads(pickle.dumps(scope)) == scope


@pytest.mark.parametrize("ids", ["a:x", [""], [1], [None]])
def test_a_scope_takes_policy_ids_only(ids):
    with pytest.raises(Invalid, match="a scope takes a list of policy ids"):
        Scope(ids)


def test_an_actor_keeps_a_copy_that_nobody_changes():
    meta = {"roles": ["reader"]}
    actor = Actor("user:1", meta)
    meta["roles"].append("admin")
    assert actor.meta == {"roles": ["reader"]}
    with pytest.raises(TypeError):
        actor.meta["roles"] = []
    with pytest.raises(TypeError):
        actor.meta["roles"].append("admin")
    with pytest.raises(AttributeError):
        actor.id = "user:2"
    assert hash(actor) == hash(Actor("user:1"))


@pytest.mark.parametrize(
    "arguments", [("",), (None,), (1,), ("a", []), ("a", {"x": object()}), ("a", {1: 2})]
)
def test_an_actor_needs_an_id_and_plain_data(arguments):
    with pytest.raises(Invalid):
        Actor(*arguments)


def test_the_empty_context_has_neither_actor_nor_scope():
    assert Context(None, None) == Context.EMPTY
    with pytest.raises(AttributeError):
        Context.EMPTY.actor = Actor("a")
