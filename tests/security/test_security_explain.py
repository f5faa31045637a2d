"""An explanation says what decided, what nearly did, and what would change it; it never decides."""

import pytest
import yaml
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Invalid
from runtime.registry.entry import Entry
from runtime.security.actor import Actor
from runtime.security.explain import Request, explain

ROLE = [{"field": "actor.meta.role", "operator": "eq", "value": "owner"}]
ENGINE = engine_of(
    entry("reads", "allow", "registry.get", "app:*"),
    entry("owner", "allow", "registry.get", "vault:*", ROLE),
    entry("deny_core", "deny", "*", "app:core"),
    entry("outside", "allow", "registry.get", "other:*"),
    entry("calls", "allow", "funcs.call", "vault:*"),
)
SCOPE = scope("reads", "owner", "deny_core", "calls")


def ask(resource, action="registry.get", asked=SCOPE, meta=None):
    return explain(ENGINE, asked, Request(AGENT, action, resource, meta or {}))


def ids(weighed):
    return [each.policy.id for each in weighed]


def test_an_allow_is_explained_by_the_policy_that_allows_and_the_deny_that_nearly_applied():
    explanation = ask("app:x")
    assert explanation.decision.result == "allow"
    assert ids(explanation.decided) == ["app:reads"]
    assert "without policy `app:reads` nothing would allow it" in explanation.changes
    assert "policy `app:deny_core` would deny it, but its resources are app:core" in explanation.changes
    assert explanation.suggestion == ""


def test_a_deny_is_explained_by_all_that_decided_and_no_allow_is_suggested():
    explanation = ask("app:core")
    assert explanation.decision.result == "deny"
    assert ids(explanation.decided) == ["app:deny_core", "app:reads"]
    assert explanation.changes == (
        "narrow policy `app:deny_core`, or take it out of the scope: no allow outweighs a deny",
    )
    assert explanation.suggestion == ""
    assert "besides, no policy of the scope allows it" in ask("app:core", "funcs.call").changes


def test_a_condition_that_missed_is_named_with_what_was_found():
    explanation = ask("vault:key")
    first = explanation.near[0]
    assert (first.policy.id, first.missed) == ("app:owner", ("condition",))
    assert first.why == 'actor.meta.role eq "owner" does not hold (actor.meta.role is "agent")'
    assert f"meet the conditions of policy `app:owner`: {first.why}" in explanation.changes


def test_a_field_that_is_not_there_is_said_to_be_missing():
    explanation = explain(ENGINE, SCOPE, Request(Actor("x:y"), "registry.get", "vault:key", {}))
    assert explanation.near[0].why.endswith("(actor.meta.role is not there)")


def test_the_part_that_missed_is_action_or_resource():
    near = {each.policy.id: each.missed for each in ask("vault:key", "registry.apply").near}
    assert near == {"app:calls": ("action",), "app:deny_core": ("resource",)}
    assert ask("nowhere:x").near[0].missed == ("resource",)
    assert "name `nowhere:x` among the resources of policy `app:reads`" in ask("nowhere:x").changes


def test_an_allow_outside_the_scope_is_named_as_one_to_add():
    assert "policy `app:outside` allows it and is not in the scope: add it there" in ask("other:x").changes


@pytest.mark.parametrize("resource", ["odd:'x\"", "- a: #", "true", ""])
def test_the_suggested_policy_allows_the_request(resource):
    rule = yaml.safe_load(ask(resource).suggestion)
    engine = engine_of(Entry("app:new", "security.policy", {}, rule))
    assert engine.evaluate(scope("new"), AGENT, "registry.get", resource).allowed


def test_nothing_is_suggested_for_what_no_policy_can_name():
    assert ask("odd:x\n").suggestion == ""


def test_a_policy_that_is_not_loaded_is_the_first_thing_to_change():
    explanation = ask("app:x", asked=scope("reads", "gone"))
    assert explanation.decision.result == "undefined"
    assert explanation.changes[0] == "load policy `app:gone`, or take what is not there out of the scope"
    assert explanation.suggestion == ""


def test_an_action_that_guards_nothing_is_said_with_the_nearest_name():
    (note,) = ask("app:x", "registry.gett").notes
    assert note.startswith("`registry.gett` guards no operation of the runtime, a script may ask for it;")
    assert note.endswith("did you mean `registry.get`?")


def test_meta_that_is_no_data_is_refused():
    engine = engine_of(entry("c", "allow", "*", "*", [{"field": "meta.a", "operator": "eq", "value": 1}]))
    with pytest.raises(Invalid):
        explain(engine, scope("c"), Request(AGENT, "registry.get", "x", {"a": object()}))


def test_an_explanation_as_data_holds_the_decision_and_everything_said():
    value = ask("vault:key").to_value()
    assert value["decision"] == "undefined"
    assert value["near"][0]["policy"] == "app:owner"
    assert value["suggestion"].startswith("policy:\n")
