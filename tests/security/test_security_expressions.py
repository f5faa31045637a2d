"""A `security.policy.expr` decides as any policy does, where its expression gives exactly true."""

import threading

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.registry.entry import Entry
from runtime.security.actor import Actor
from runtime.security.explain import Request, explain


def rule(name, expression, effect="allow", actions="*", resources="*"):
    policy = {"actions": actions, "resources": resources, "effect": effect, "expression": expression}
    return Entry(f"app:{name}", "security.policy.expr", {}, {"policy": policy, "groups": ["g"]})


def ask(expression, *, actor=AGENT, action="document.read", resource="document:1", meta=None):
    engine = engine_of(rule("e", expression))
    return engine.evaluate(scope("e"), actor, action, resource, meta).result


@pytest.mark.parametrize(
    ("expression", "meta"),
    [
        ("true", None),
        ('actor.meta.role == "agent"', None),
        ('actor.id == "app:agent" and actor.meta.clearance >= 2', None),
        (
            'actor.meta.role == "admin" || (action == "document.read" && meta.public == true)',
            {"public": True},
        ),
        ('resource matches "^document:.*" && action == "document.read"', None),
        ("meta.owner == actor.id", {"owner": "app:agent"}),
        ('action in ["document.read", "document.list"] && all(meta.tags, {# != "private"})', {"tags": ["a"]}),
        ("meta.a?.b ?? true", {}),
        ("len(meta) == 0", None),
        ('actor["meta"]["role"] startsWith "ag"', None),
        ("let m = meta; m.x == 1", {"x": 1}),
    ],
)
def test_an_expression_that_gives_true_lets_its_policy_apply(expression, meta):
    assert ask(expression, meta=meta) == "allow"


@pytest.mark.parametrize(
    ("expression", "meta"),
    [
        ("false", None),
        ("1", None),
        ('"true"', None),
        ("nil", None),
        ("meta.missing", None),
        ("meta.a.b == 1", None),
        ("meta.n > 1", {"n": "2"}),
        ("meta.list[3] == 1", {"list": []}),
        ("len(map(1..100000, # * 2)) > 0", None),
        ("meta.tags contains 1", {"tags": "a"}),
    ],
)
def test_what_fails_or_gives_no_boolean_decides_nothing(expression, meta):
    assert ask(expression, meta=meta) == "undefined"


def test_action_and_resource_patterns_still_count():
    engine = engine_of(rule("e", "true", actions="doc.*", resources="app:*"))
    assert engine.evaluate(scope("e"), AGENT, "doc.read", "app:x").allowed
    assert not engine.evaluate(scope("e"), AGENT, "run", "app:x").allowed
    assert not engine.evaluate(scope("e"), AGENT, "doc.read", "other:x").allowed


def test_a_deny_by_expression_wins_over_any_allow():
    engine = engine_of(entry("a"), rule("d", "meta.blocked == true", "deny"))
    asked = scope("a", "d")
    assert engine.evaluate(asked, AGENT, "x", "y", {"blocked": True}).reasons == ("app:d",)
    assert engine.evaluate(asked, AGENT, "x", "y", {"blocked": False}).reasons == ("app:a",)
    assert engine.evaluate(asked, AGENT, "x", "y").allowed


def test_a_kept_decision_is_never_that_of_another_request():
    engine = engine_of(rule("e", "meta.n == 1 and actor.meta.role == 'agent' and type(meta.n) == 'int'"))
    other = Actor(AGENT.id, {"role": "other"})
    for _ in range(2):
        assert engine.evaluate(scope("e"), AGENT, "x", "y", {"n": 1}).allowed
        assert not engine.evaluate(scope("e"), AGENT, "x", "y", {"n": 1.0}).allowed
        assert not engine.evaluate(scope("e"), AGENT, "x", "y", {"n": True}).allowed
        assert not engine.evaluate(scope("e"), other, "x", "y", {"n": 1}).allowed


def test_it_belongs_to_groups_and_is_swapped_as_other_policies():
    engine = engine_of(rule("e", "true"))
    assert engine.group("app:g") == scope("e")
    engine.update([rule("e", "false")])
    assert not engine.evaluate(scope("e"), AGENT, "x", "y").allowed


def test_an_explanation_says_what_it_gave_what_it_read_and_how_it_failed():
    engine = engine_of(rule("no", 'meta.kind == "a"'), rule("fails", "meta.n > 1", "deny"))
    explanation = explain(
        engine, scope("no", "fails"), Request(AGENT, "registry.get", "x", {"kind": "b", "n": "2"})
    )
    why = {each.policy.id: each.why for each in explanation.near}
    assert why["app:no"] == '`meta.kind == "a"` gives false (meta.kind is "b")'
    assert why["app:fails"].startswith("`meta.n > 1` fails: `>` needs two numbers or two strings")


def test_many_threads_get_the_decision_of_their_own_request():
    engine = engine_of(rule("e", "let k = meta.n; all(1..5, # < k)"), decisions=0)
    wrong = []

    def work(n):
        for _ in range(30):
            if engine.evaluate(scope("e"), AGENT, "x", "y", {"n": n}).allowed is not (n > 5):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
