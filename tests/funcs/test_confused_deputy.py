"""A tool born at run time has what its entry declares and its caller may do, never more, whoever calls it."""

from __future__ import annotations

from typing import Any

import pytest
from funcs_parts import CALLER, House, function, policy, run, tool

from runtime.core.redact import Redactor
from runtime.registry.entry import Entry, Origin
from runtime.security.actor import Actor, Context, Scope
from runtime.services.environment import EnvironmentCommands
from runtime.services.security_commands import SecurityCommands

OWNER = Context(Actor("app:owner"), Scope(["app:everything"]))
EVERYTHING = policy("everything", ["*"], ["*"])
COLOUR = Entry("app:colour", "env.variable", {}, {"storage": "app:os", "variable": "COLOUR"}, Origin.FILE)
READ = (
    "local v, err = env.get('COLOUR') return v or {kind = err:kind(), action = (err:details() or {}).action}"
)
CALL = (
    "local v, err = funcs.call('%s', ...)"
    " return v or {kind = err:kind(), action = (err:details() or {}).action}"
)
REFUSED = {"kind": "PermissionDenied", "action": "env.get"}


def with_environment(house: House) -> House:
    commands = EnvironmentCommands(
        house.guard, lambda: house.registry.current, {"COLOUR": "blue"}, Redactor()
    )
    for name, handler in {**commands.handlers(), **SecurityCommands(house.guard).handlers()}.items():
        house.dispatcher.register(name, handler)
    return house


def deputies(*entries: Entry) -> tuple[Entry, ...]:
    calls = policy("calls", ["funcs.call"], ["app:*", "app.tools:*", "app.generated:*"])
    return (EVERYTHING, calls, COLOUR, *entries)


@pytest.mark.parametrize("caller", [OWNER, CALLER], ids=["an owner", "an agent"])
@pytest.mark.parametrize("module", ["env", "funcs", "registry", "http_client", "security"])
def test_a_module_that_a_tool_does_not_declare_is_not_there(caller: Context, module: str) -> None:
    body = f"local ok = pcall(require, '{module}') return {{ok, _G.{module} == nil, {module} == nil}}"

    async def test(house: House) -> None:
        found = await house.run("return funcs.call('app.generated:probe')", caller)
        assert found == [False, True, True]

    run(test, *deputies(tool("app.generated:probe", body, modules=["time"])))


@pytest.mark.parametrize(("caller", "expected"), [(OWNER, "blue"), (CALLER, REFUSED)])
def test_a_declared_module_works_only_as_far_as_the_caller_may(caller: Context, expected: Any) -> None:
    async def test(house: House) -> None:
        with_environment(house)
        assert await house.run("return funcs.call('app.generated:reads')", caller) == expected

    run(test, *deputies(tool("app.generated:reads", READ, modules=["env"])))


def test_a_tool_does_not_borrow_the_authority_of_what_it_calls() -> None:
    powerful = function("app:powerful", READ, modules=["env"])
    asks = tool("app.generated:asks", CALL % "app:powerful", modules=["funcs"])

    async def test(house: House) -> None:
        with_environment(house)
        assert await house.run("return funcs.call('app.generated:asks')", CALLER) == REFUSED
        assert [denial.actor for denial in house.denied] == ["app:agent"]

    run(test, *deputies(powerful, asks))


def test_a_tool_does_not_gain_the_modules_of_who_calls_it() -> None:
    deputy = function("app:deputy", CALL % "app.generated:probe", modules=["env", "funcs"])
    probe = tool("app.generated:probe", "return {pcall(require, 'env')}", modules=["json"])

    async def test(house: House) -> None:
        with_environment(house)
        found = await house.run("return funcs.call('app:deputy')", OWNER)
        assert found[0] is False

    run(test, *deputies(deputy, probe))


def test_a_tool_can_not_take_another_actor_or_a_wider_scope() -> None:
    body = (
        "local e = funcs.new():with_actor(security.new_actor('app:owner'))"
        ":with_scope(security.new_scope({security.policy('app:everything')}))"
        " return e:call('app:powerful')"
    )
    climbs = tool(
        "app.generated:climbs", f"return {{pcall(function() {body} end)}}", modules=["funcs", "security"]
    )

    async def test(house: House) -> None:
        with_environment(house)
        found = await house.run("return funcs.call('app.generated:climbs')", CALLER)
        assert found[0] is False
        assert "blue" not in str(found)

    run(test, *deputies(function("app:powerful", READ, modules=["env"]), climbs))


def test_a_tool_called_by_a_tool_is_bounded_by_the_first_caller() -> None:
    inner = tool("app.generated:inner", READ, modules=["env"])
    outer = tool("app.generated:outer", CALL % "app.generated:inner", modules=["funcs"])

    async def test(house: House) -> None:
        with_environment(house)
        assert await house.run("return funcs.call('app.generated:outer')", CALLER) == REFUSED
        assert await house.run("return funcs.call('app.generated:outer')", OWNER) == "blue"

    run(test, *deputies(inner, outer))


def test_a_deny_of_the_caller_follows_into_every_call() -> None:
    deny = policy("no_colours", ["env.get"], ["*"], "deny")
    bounded = Context(Actor("app:owner"), Scope(["app:everything", "app:no_colours"]))
    climbs = tool(
        "app.generated:outer",
        "return funcs.new():with_scope(security.new_scope({security.policy('app:everything')}))"
        ":call('app.generated:inner')",
        modules=["funcs", "security"],
    )

    async def test(house: House) -> None:
        with_environment(house)
        found = await house.run("return funcs.call('app.generated:outer')", bounded)
        assert found == REFUSED

    run(test, *deputies(deny, climbs, tool("app.generated:inner", READ, modules=["env"])))
