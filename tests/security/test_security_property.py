"""A plain reference, casbin and the cache give the same decisions, for any policies, requests and changes: by
an update, by a reload through the registry, and while threads ask.

SECURITY_CASES in the environment sets how many decisions are compared (2,000 without it).
"""

import os
import threading
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from policy_reference import EXPRESSIONS, decide

from runtime.app.checks import keep_policies, policy_check
from runtime.core.clock import SystemClock
from runtime.journal.memory import MemoryJournal
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Scope
from runtime.security.engine import Engine
from runtime.security.explain import Request, explain
from runtime.security.model import shipped_model

REQUESTS = 8  # of one example, asked before and after an update
EXAMPLES = int(os.environ.get("SECURITY_CASES", "2000")) // (2 * REQUESTS)

NAMES = [f"app:p{index}" for index in range(5)]
ACTIONS = ["doc.read", "doc.write", "doc", "run"]
RESOURCES = ["app:x", "app.tools:x", "app", "apple:1", "7"]
PATTERNS = [
    "*",
    "doc.*",
    "doc*",
    "doc.read",
    "app:*",
    "app.*",
    "app*",
    "app.tools:x",
    "*.read",
    "ap*e",
    "run",
    "7",
]
SCALARS = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    2.5,
    -3,
    "",
    "1",
    "1.0",
    "2.5",
    "true",
    "app",
    "app:x",
    "admin",
    "doc.read",
]
FIELDS = [
    "actor.id",
    "actor.meta",
    "actor.meta.role",
    "actor.meta.in.side",
    "action",
    "resource",
    "meta.a",
    "meta.b.c",
    "b",
    "some.key",
]

scalars = st.sampled_from(SCALARS)
values = st.one_of(scalars, st.lists(scalars, max_size=3))
metas = st.fixed_dictionaries(
    {},
    optional={
        "a": values,
        "b": st.one_of(values, st.dictionaries(st.just("c"), values, max_size=1)),
        "some.key": values,
    },
)
actors = st.builds(
    Actor,
    st.sampled_from(["app", "user:1"]),
    st.fixed_dictionaries({}, optional={"role": values, "in": st.dictionaries(st.just("side"), scalars)}),
)
patterns = st.one_of(st.sampled_from(PATTERNS), st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3))


def condition(operator, value):
    fields = st.sampled_from(FIELDS)
    given_value = st.fixed_dictionaries({"field": fields, "operator": st.just(operator), "value": value})
    other = st.fixed_dictionaries({"field": fields, "operator": st.just(operator), "value_from": fields})
    return given_value if "matches" in operator else st.one_of(given_value, other)


present = values.filter(lambda value: value is not None)
conditions = st.one_of(
    *(condition(each, present) for each in ("eq", "ne", "contains", "ncontains")),
    *(condition(each, st.sampled_from([0, 1.5, "1", "-3"])) for each in ("lt", "gt", "lte", "gte")),
    *(condition(each, st.one_of(st.lists(scalars), st.sampled_from(["1", "app"]))) for each in ("in", "nin")),
    *(condition(each, st.booleans()) for each in ("exists", "nexists")),
    *(
        condition(each, st.sampled_from(["^app", "x$", "[0-9]", "^$", "tr.e"]))
        for each in ("matches", "nmatches")
    ),
)
rule = {"actions": patterns, "resources": patterns, "effect": st.sampled_from(["allow", "allow", "deny"])}
policies = st.one_of(
    st.fixed_dictionaries(rule, optional={"conditions": st.lists(conditions, max_size=2)}),
    st.fixed_dictionaries({**rule, "expression": st.sampled_from(list(EXPRESSIONS))}),
).map(lambda rule: {"policy": rule})
loaded = st.dictionaries(st.sampled_from(NAMES), policies, min_size=1, max_size=5)
requests = st.tuples(
    st.one_of(st.none(), st.lists(st.sampled_from(NAMES), max_size=4)),
    actors,
    st.sampled_from(ACTIONS),
    st.sampled_from(RESOURCES),
    metas,
)


def entry(policy_id, data):
    kind = "security.policy.expr" if "expression" in data["policy"] else "security.policy"
    return Entry(policy_id, kind, {}, data)


UNCACHED, CACHED, RELOADED = Engine(decisions=0), Engine(), Engine()
REGISTRY = Registry(MemoryJournal(), SystemClock())
REGISTRY.check_with(policy_check)
REGISTRY.subscribe(keep_policies(RELOADED))


def reload(declared):
    """Put in force what the files declare now, as a start and a reload do."""
    REGISTRY.load([replace(entry(each, data), origin=Origin.FILE) for each, data in declared.items()])


def check(entries, asked):
    for wished, actor, action, resource, meta in asked:
        ids = list(entries) if wished is None else wished
        result, reasons = decide(entries, ids, (actor.id, dict(actor.meta)), action, resource, meta)
        for engine in (UNCACHED, CACHED, CACHED, RELOADED, RELOADED):
            decision = engine.evaluate(Scope(ids), actor, action, resource, meta)
            assert (decision.result, list(decision.reasons)) == (result, reasons), decision.why
        explanation = explain(CACHED, Scope(ids), Request(actor, action, resource, meta))
        applied = [each.policy.id for each in explanation.decided if result in ("deny", "allow")]
        assert set(reasons) <= set(applied)


@pytest.mark.timeout(900)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(loaded, loaded, st.lists(requests, min_size=REQUESTS, max_size=REQUESTS))
def test_reference_casbin_and_cache_agree_before_and_after_an_update(before, after, asked):
    for engine in (UNCACHED, CACHED):
        engine.rebuild([entry(each, data) for each, data in before.items()])
    reload(before)
    check(before, asked)
    changed = [entry(each, data) for each, data in after.items()]
    for engine in (UNCACHED, CACHED):
        engine.update(changed, before.keys() - after.keys())
    reload(after)
    check(after, asked)


THREADS, SHORT = 4, max(2, EXAMPLES // 50)


@pytest.mark.timeout(900)
@settings(
    max_examples=SHORT,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(loaded, min_size=4, max_size=6), st.lists(requests, min_size=4, max_size=6))
def test_while_policies_change_each_thread_gets_the_decision_of_a_state_that_was_in_force(states, asked):
    def expected(state, request):
        wished, actor, action, resource, meta = request
        ids = NAMES if wished is None else wished
        return decide(state, ids, (actor.id, dict(actor.meta)), action, resource, meta)

    answers = [[expected(state, request) for request in asked] for state in states]
    engine = Engine()
    engine.rebuild([entry(each, data) for each, data in states[0].items()])
    begun, ended, wrong = [0], [0], []  # the last state whose swap began, and the last whose swap ended
    finished = threading.Event()

    def work():
        while True:
            last = finished.is_set()
            for at, (wished, actor, action, resource, meta) in enumerate(asked):
                first = ended[0]
                scope = Scope(NAMES if wished is None else wished)
                decision = engine.evaluate(scope, actor, action, resource, meta)
                possible = [answers[state][at] for state in range(first, begun[0] + 1)]
                if (decision.result, list(decision.reasons)) not in possible:
                    wrong.append((decision, possible))
            if last:
                return

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for number in range(1, len(states)):
        gone = states[number - 1].keys() - states[number].keys()
        begun[0] = number
        engine.update([entry(each, data) for each, data in states[number].items()], gone)
        ended[0] = number
        engine.use_model(f"# {number}\n{shipped_model()}")
        for at, (wished, actor, action, resource, meta) in enumerate(asked):
            scope = Scope(NAMES if wished is None else wished)
            decision = engine.evaluate(scope, actor, action, resource, meta)
            assert (decision.result, list(decision.reasons)) == answers[number][at]
    finished.set()
    for thread in threads:
        thread.join()
    assert wrong == []
