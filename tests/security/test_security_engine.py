"""The engine: what is in force, what is kept, and that whatever fails allows nothing."""

import sys
import threading
import weakref

import pytest
from security_cases import AGENT, engine_of, entry, scope

from runtime.core.errors import Invalid, Many, NotFound
from runtime.registry.entry import Entry
from runtime.security.actor import Actor, Scope
from runtime.security.decision import Decision, undefined
from runtime.security.enforcer import CasbinEnforcer


def ask(engine, asked, action="doc.read", resource="doc:1", meta=None):
    return engine.evaluate(asked, AGENT, action, resource, meta)


def test_any_deny_wins_and_all_deciding_policies_are_named():
    engine = engine_of(
        entry("a", "allow"),
        entry("d2", "deny"),
        entry("b", "allow"),
        entry("d1", "deny"),
        entry("n", "allow", "x"),
    )
    assert ask(engine, scope("a", "b", "n", "d1", "d2")) == Decision(
        "deny", ("app:d1", "app:d2"), "denied by policies `app:d1`, `app:d2`"
    )
    assert ask(engine, scope("b", "a", "n")) == Decision(
        "allow", ("app:a", "app:b"), "allowed by policies `app:a`, `app:b`"
    )
    assert ask(engine, scope("n")) == Decision("undefined", (), "no policy allows it")


def test_an_empty_scope_decides_nothing():
    assert ask(engine_of(entry("a")), Scope()) == Decision("undefined", (), "the scope holds no policy")


def test_a_scope_that_names_a_policy_not_loaded_allows_nothing_and_still_denies():
    engine = engine_of(entry("a"), entry("d", "deny", resources="doc:secret"))
    asked = scope("a", "d", "gone")
    assert ask(engine, asked) == Decision(
        "undefined", (), "the scope names policy `app:gone`, not loaded, so nothing is allowed"
    )
    assert ask(engine, asked, resource="doc:secret").reasons == ("app:d",)


def test_policies_outside_the_scope_do_not_count():
    engine = engine_of(entry("a"), entry("d", "deny"))
    assert ask(engine, scope("a")).allowed


def test_a_policy_and_a_group_are_found_or_said_to_be_missing():
    engine = engine_of(entry("a"), entry("b", groups=["g", "other:h"]), entry("c", groups=[]))
    assert engine.policy("app:a").effect == "allow"
    assert engine.group("app:g") == scope("a", "b")
    assert engine.group("other:h") == scope("b")
    with pytest.raises(NotFound, match="policy not found: `app:z`"):
        engine.policy("app:z")
    with pytest.raises(NotFound, match="policy group not found: `app:h`"):
        engine.group("app:h")


def test_entries_of_other_kinds_are_no_policies():
    engine = engine_of(entry("a"), Entry("app:f", "function.lua", {}, {"source": "x"}))
    assert set(engine.policies) == {"app:a"}


def test_invalid_policies_are_all_named_and_what_was_in_force_stays():
    engine = engine_of(entry("a"))
    with pytest.raises(Many) as caught:
        engine.rebuild([entry("b"), entry("x", "Deny"), entry("y", actions="")])
    assert [error.message.split(":")[2].strip() for error in caught.value.errors] == [
        "invalid policy effect",
        "actions string cannot be empty",
    ]
    with pytest.raises(Invalid, match="policy `app:x`"):
        engine.update([entry("x", "Deny")], ["app:a"])
    assert set(engine.policies) == {"app:a"}
    assert ask(engine, scope("a")).allowed


def test_an_entry_that_is_no_policy_any_more_is_none():
    engine = engine_of(entry("a"))
    engine.update([Entry("app:a", "registry.entry")])
    assert engine.policies == {}


def test_one_id_is_declared_once():
    with pytest.raises(Invalid, match="policy `app:a` is declared twice"):
        engine_of(entry("a"), entry("a"))


class Counting(CasbinEnforcer):
    """casbin, and a count of how often it is asked."""

    asked = 0

    def decide(self, *request):
        type(self).asked += 1
        return super().decide(*request)


def counting_engine(*entries, **options):
    class Own(Counting):
        pass

    engine = engine_of(*entries, build=Own, **options)
    Own.asked = 0
    return engine, Own


def test_a_decision_is_made_once_until_something_it_depends_on_changes():
    owner = [{"field": "meta.owner", "operator": "eq", "value_from": "actor.id"}]
    engine, casbin = counting_engine(entry("a", conditions=owner), entry("b", "deny", "x"))
    for _ in range(3):
        assert ask(engine, scope("a"), meta={"owner": "app:agent", "irrelevant": object()}).allowed
        assert not ask(engine, scope("a"), meta={"owner": "app:other"}).allowed
    assert casbin.asked == 2
    engine.evaluate(scope("a"), Actor("app:other"), "doc.read", "doc:1", {"owner": "app:agent"})
    ask(engine, scope("a", "b"), meta={"owner": "app:agent"})
    ask(engine, scope("a"), action="doc.write", meta={"owner": "app:agent"})
    ask(engine, scope("a"), resource="doc:2", meta={"owner": "app:agent"})
    assert casbin.asked == 6
    engine.rebuild([entry("a", conditions=owner)])
    assert ask(engine, scope("a"), meta={"owner": "app:agent"}).allowed
    assert casbin.asked == 7


def test_values_that_python_takes_for_equal_do_not_share_a_decision():
    engine = engine_of(entry("a", conditions=[{"field": "meta.x", "operator": "eq", "value": "true"}]))
    assert [ask(engine, scope("a"), meta={"x": x}).allowed for x in (1, True, 1.0, "true")] == [
        False,
        True,
        False,
        True,
    ]


def test_the_number_of_kept_decisions_is_bounded():
    engine, casbin = counting_engine(entry("a"), decisions=10)
    for _ in range(2):
        for number in range(20):
            ask(engine, scope("a"), resource=f"doc:{number}")
    assert casbin.asked == 40
    ask(engine, scope("a"), resource="doc:19")
    assert casbin.asked == 40


def test_an_update_is_in_force_at_once_and_never_answered_from_the_old_state():
    engine = engine_of(entry("a"))
    for turn in range(20):
        assert ask(engine, scope("a")).allowed
        engine.update([entry("a", "deny")])
        assert ask(engine, scope("a")).result == "deny"
        engine.update([], ["app:a"])
        assert ask(engine, scope("a")).result == "undefined"
        engine.update([entry("a"), entry(f"other{turn}", "deny")])
    assert len(engine.policies) == 21


def test_a_state_that_was_replaced_is_not_kept():
    engine = engine_of(entry("a"))
    ask(engine, scope("a"))
    engine.group("app:g")
    before = weakref.ref(engine._state)
    engine.update([entry("a", "deny")])
    assert before() is None


def test_threads_see_the_old_or_the_new_policies_and_after_the_change_only_the_new():
    engine = engine_of(entry("a", resources="doc:0*"), entry("d", "deny", resources="secret:*"))
    asked, stop, wrong = scope("a", "d"), threading.Event(), []
    in_force = [0, 0]  # a round that is certainly in force, a round that may be

    def look():
        turn = 0
        while not stop.is_set():
            turn += 1
            oldest = in_force[0]
            decision = ask(engine, asked, resource=f"doc:{oldest}:{turn % 50}")
            newest = in_force[1]
            if not decision.allowed and newest == oldest:
                wrong.append((oldest, decision))
            if ask(engine, asked, resource=f"secret:{turn % 50}").result != "deny":
                wrong.append("a deny was lost")
            if ask(engine, asked, resource=f"doc:{oldest - 1}:{turn % 50}").allowed:
                wrong.append(f"round {oldest - 1} was answered after its end")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=look, daemon=True) for _ in range(6)]
    try:
        for thread in threads:
            thread.start()
        for turn in range(1, 150):
            in_force[1] = turn
            engine.update([entry("a", resources=f"doc:{turn}*")])
            in_force[0] = turn
            if turn % 10 == 0:
                engine.rebuild(
                    [entry("a", resources=f"doc:{turn}*"), entry("d", "deny", resources="secret:*")]
                )
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)
        sys.setswitchinterval(interval)
    assert wrong == []


def failing(error):
    class Failing(CasbinEnforcer):
        def decide(self, actor, action, resource, facts):
            if action == "probe.read":
                return super().decide(actor, action, resource, facts)
            raise error

    return Failing


@pytest.mark.parametrize(
    "error",
    [RuntimeError("secret-token"), SystemError("busy"), RecursionError(), MemoryError(), KeyError("m")],
)
def test_whatever_fails_inside_the_enforcer_allows_nothing(error):
    engine = engine_of(entry("a"), build=failing(error))
    decision = ask(engine, scope("a"))
    name = type(error).__name__
    assert decision == undefined(f"the policy engine failed (`{name}`), so nothing is allowed")


def test_an_enforcer_that_is_switched_off_allows_nothing():
    made = []

    class Kept(CasbinEnforcer):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    engine = engine_of(entry("a", "allow", "doc.read"), build=Kept, decisions=0)
    assert ask(engine, scope("a")).allowed
    made[-1]._casbin.enable_enforce(False)  # casbin then answers yes to everything
    assert ask(engine, scope("a")).result == "undefined"
    assert ask(engine, scope("a"), action="other").result == "undefined"


@pytest.mark.parametrize("resource", [None, 1, ["doc:1"], b"doc:1"])
def test_a_resource_that_is_no_string_is_refused_even_by_a_star(resource):
    assert not ask(engine_of(entry("a")), scope("a"), resource=resource).allowed


def test_meta_that_is_no_plain_data_is_refused_where_a_condition_reads_it():
    engine = engine_of(entry("a", conditions=[{"field": "meta.x", "operator": "exists", "value": True}]))
    assert ask(engine, scope("a"), meta={"x": object()}).result == "undefined"
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert ask(engine, scope("a"), meta={"x": deep}).result == "undefined"


def test_a_thousand_policies_in_one_scope_still_decide():
    engine = engine_of(*(entry(f"p{index}", actions=f"act.{index}") for index in range(1000)))
    asked = Scope(engine.policies)
    assert ask(engine, asked, action="act.7").reasons == ("app:p7",)
    assert ask(engine, asked, action="act.7x").result == "undefined"


def standing(policies, resource=None, action="doc.read"):
    asked = scope(*(each.id.partition(":")[2] for each in policies))
    return engine_of(*policies).always_allows(asked, AGENT, action, resource)


def test_what_is_always_allowed_hangs_on_nothing_but_the_actor():
    of_meta = [{"field": "meta.size", "operator": "eq", "value": 1}]
    of_resource = [{"field": "resource", "operator": "ne", "value": "doc:x"}]
    of_actor = [{"field": "actor.id", "operator": "eq", "value": AGENT.id}]
    assert standing([entry("a", resources="*")])
    assert standing([entry("a", resources="*", conditions=of_actor)])
    assert standing([entry("a", resources="doc:*")], "doc:1")
    assert standing([entry("a", resources="*"), entry("n", "deny", "other")])
    assert standing([entry("a", resources="*"), entry("n", "deny", resources="doc:2")], "doc:1")
    assert standing([entry("a", resources="*"), entry("b", conditions=of_meta)])
    assert not standing([entry("a", resources="doc:*")])
    assert not standing([entry("a", resources="*"), entry("n", "deny", resources="doc:2")])
    assert not standing([entry("a", resources="*"), entry("n", "deny", conditions=of_meta)], "doc:1")
    assert not standing([entry("a", resources="*", conditions=of_meta)], "doc:1")
    assert not standing([entry("a", resources="*", conditions=of_resource)])
    assert not standing([entry("n", "deny", resources="*")])
    assert not standing([])
