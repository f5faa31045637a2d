"""What an actor may do is read off the policies of its scope, each guarded action in one section."""

import pytest
from security_cases import engine_of, entry, scope

from runtime.security.actions import ACTIONS
from runtime.security.effective import OWN, SECTIONS, effective, section_of
from runtime.security.patterns import Filter, covers

CONDITION = [{"field": "meta.kind", "operator": "eq", "value": "function.lua"}]


def lines(*entries):
    found = effective(engine_of(*entries), scope(*(each.name for each in entries)))
    return [(each.section, each.effect, each.action, each.resources, each.when) for each in found]


@pytest.mark.parametrize("action", ACTIONS)
def test_every_guarded_action_has_a_section(action):
    assert section_of(action) in (*SECTIONS, "other")


def test_a_policy_speaks_in_each_section_that_its_actions_reach():
    assert lines(entry("p", "allow", ["registry.*"], "app:*", CONDITION)) == [
        ("reads", "allow", "registry.get", ("app:*",), 'meta.kind eq "function.lua"'),
        ("writes", "allow", "registry.apply", ("app:*",), 'meta.kind eq "function.lua"'),
        ("writes", "allow", "registry.apply_version", ("app:*",), 'meta.kind eq "function.lua"'),
    ]


def test_a_star_speaks_of_every_guarded_action():
    assert {line[2] for line in lines(entry("p", "deny", "*", "app:*"))} == set(ACTIONS)


def test_an_action_of_scripts_stands_apart():
    assert lines(entry("p", "allow", ["invoice.approve", "env.get"], "x"))[-1][:3] == (
        OWN,
        "allow",
        "invoice.approve",
    )


def test_an_allow_that_a_deny_covers_whole_is_overruled():
    entries = [
        entry("all", "allow", "registry.get", ["app:x", "app:y*"]),
        entry("half", "deny", "registry.get", "app:x"),
        entry("whole", "deny", "registry.*", "app*"),
        entry("perhaps", "deny", "*", "*", CONDITION),
    ]
    found = effective(engine_of(*entries), scope("all", "half", "whole", "perhaps"))
    assert [each.overruled for each in found if each.policy == "app:all"] == [("app:whole",)]
    found = effective(engine_of(*entries), scope("all", "half", "perhaps"))
    assert [each.overruled for each in found if each.policy == "app:all"] == [()]


PATTERNS = ["*", "app", "app:x", "app:*", "app*", "app.*", "a*", ".*", "app.tools:*", "*x", "**"]
WORDS = ["app", "app:x", "app.tools:x", "apple", "a", "", "*", ".", ".*", "*x", "app:*", "x", "**", "*y"]


@pytest.mark.parametrize("outer", PATTERNS)
@pytest.mark.parametrize("inner", PATTERNS)
def test_a_pattern_covers_only_what_it_matches_too(outer, inner):
    if covers(outer, inner):
        assert all(Filter([outer]).matches(word) for word in WORDS if Filter([inner]).matches(word))
