"""The guard: only an explicit allow lets a guarded operation go on, and a refusal says why."""

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Internal, PermissionDenied
from runtime.security.actions import ACTIONS
from runtime.security.actor import Actor, Context, Scope
from runtime.security.guard import Denial, Guard, without_secrets

ENGINE = engine_of(
    entry("reads", "allow", "registry.get", "app:*"),
    entry("deny_core", "deny", "registry.*", "app:core"),
    entry("deny_more", "deny", "*", "app:core"),
    entry("everything", "allow", "*", "*"),
)
CONTEXT = Context(AGENT, scope("reads", "deny_core"))


@pytest.fixture
def denials():
    return []


@pytest.fixture
def guard(denials):
    return Guard(ENGINE, True, denials.append)


def test_an_allowed_operation_goes_on_and_is_no_event(guard, denials):
    assert guard.require(CONTEXT, "registry.get", "app:x").reasons == ("app:reads",)
    assert denials == []


def test_what_no_policy_allows_is_refused_with_an_event_and_the_reason(guard, denials):
    with pytest.raises(PermissionDenied) as caught:
        guard.require(CONTEXT, "registry.get", "other:x")
    assert caught.value.message == (
        "not allowed: registry.get on `other:x` (actor `app:agent`, no policy allows it)"
    )
    assert caught.value.details == {
        "action": "registry.get",
        "resource": "other:x",
        "actor": "app:agent",
        "policies": [],
    }
    assert denials == [Denial("registry.get", "other:x", "app:agent", (), "no policy allows it")]


def test_what_policies_deny_is_refused_with_their_ids(guard, denials):
    context = Context(AGENT, scope("reads", "deny_core", "deny_more"))
    with pytest.raises(PermissionDenied) as caught:
        guard.require(context, "registry.get", "app:core")
    assert caught.value.message == (
        "not allowed: registry.get on `app:core`"
        " (actor `app:agent`, denied by policies `app:deny_core`, `app:deny_more`)"
    )
    assert caught.value.details["policies"] == ["app:deny_core", "app:deny_more"]
    assert denials[0].policies == ("app:deny_core", "app:deny_more")


def test_a_question_is_no_event(guard, denials):
    assert guard.check(CONTEXT, "registry.get", "app:core").result == "deny"
    assert not guard.can(CONTEXT, "registry.get", "app:core")
    assert denials == []


@pytest.mark.parametrize(
    ("context", "missing"),
    [
        (Context.EMPTY, "actor"),
        (Context(None, scope("everything")), "actor"),
        (Context(AGENT, None), "scope"),
    ],
)
def test_strict_mode_refuses_a_call_without_actor_or_scope(guard, denials, context, missing):
    with pytest.raises(PermissionDenied, match=f"the call has no {missing}, and strict mode is on"):
        guard.require(context, "registry.get", "app:x")
    assert len(denials) == 1
    loose = Guard(ENGINE, strict=False)
    assert (
        loose.require(context, "registry.get", "app:x").why
        == f"the call has no {missing}, and strict mode is off"
    )
    assert not loose.can(context, "registry.get", "app:x")


def test_without_strict_mode_a_complete_context_is_still_decided_by_its_policies():
    loose = Guard(ENGINE, strict=False)
    for asked in (Context(AGENT, Scope()), CONTEXT):
        with pytest.raises(PermissionDenied):
            loose.require(asked, "registry.get", "other:x")


def test_an_empty_scope_is_refused(guard):
    with pytest.raises(PermissionDenied, match="the scope holds no policy"):
        guard.require(Context(AGENT, Scope()), "registry.get", "app:x")


def test_an_action_outside_the_table_is_a_fault_of_the_runtime_and_never_let_through(guard):
    with pytest.raises(Internal, match=r"`registry\.peek` is not in the table of guarded actions"):
        guard.check(Context(AGENT, scope("everything")), "registry.peek", "app:x")


def test_a_script_may_ask_for_actions_of_its_own(guard):
    assert guard.can(Context(AGENT, scope("everything")), "invoice.approve", "invoice:7")
    assert not guard.can(CONTEXT, "invoice.approve", "invoice:7")


@pytest.mark.parametrize("action", ACTIONS)
def test_each_guarded_action_needs_its_allow(action):
    allowing = engine_of(entry("p", "allow", action, "thing"))
    context = Context(AGENT, scope("p"))
    assert Guard(allowing).require(context, action, "thing").allowed
    with pytest.raises(PermissionDenied):
        Guard(allowing).require(context, action, "another")
    for other in ACTIONS.keys() - {action}:
        assert not Guard(allowing).check(context, other, "thing").allowed


def test_each_guarded_action_says_what_it_means():
    for name, action in ACTIONS.items():
        assert action.name == name
        assert action.meaning
        assert action.resource


def test_the_meta_of_an_operation_reaches_the_conditions():
    updates = [{"field": "meta.op", "operator": "eq", "value": "update"}]
    guard = Guard(engine_of(entry("p", conditions=updates)))
    context = Context(AGENT, scope("p"))
    assert guard.check(context, "registry.apply", "app:x", {"op": "update"}).allowed
    assert not guard.check(context, "registry.apply", "app:x", {"op": "delete"}).allowed
    assert not guard.check(context, "registry.apply", "app:x").allowed


def test_a_refusal_without_resource_or_actor_reads_well(guard):
    with pytest.raises(PermissionDenied) as caught:
        guard.require(Context(None, scope("reads")), "registry.apply_version", "")
    assert caught.value.message == (
        "not allowed: registry.apply_version (the call has no actor, and strict mode is on)"
    )


def test_a_refusal_holds_no_secret_of_a_url(guard, denials):
    url = "https://user:pass@example.com/path?key=sk-1234#frag"
    with pytest.raises(PermissionDenied) as caught:
        guard.require(CONTEXT, "http_client.request", url)
    for said in (caught.value.message, str(caught.value.details), str(denials)):
        assert "https://example.com/path?..." in said
        assert "pass" not in said
        assert "sk-1234" not in said


def test_a_url_that_can_not_be_read_is_not_shown():
    assert without_secrets("http://[user:pass/?k=v") == "http://..."
    assert without_secrets("app:x?y#z") == "app:x?y#z"
    assert without_secrets("x" * 500) == "x" * 200 + "..."


def test_a_listener_that_fails_lets_nothing_through():
    def listener(_denial):
        raise RuntimeError("the journal is full")

    with pytest.raises(RuntimeError):
        Guard(ENGINE, True, listener).require(CONTEXT, "registry.get", "other:x")


def test_the_same_request_of_another_actor_is_another_decision():
    only = [{"field": "actor.id", "operator": "eq", "value": "app:agent"}]
    guard = Guard(engine_of(entry("p", conditions=only)))
    assert guard.check(Context(AGENT, scope("p")), "registry.get", "x").allowed
    assert not guard.check(Context(Actor("app:other"), scope("p")), "registry.get", "x").allowed
