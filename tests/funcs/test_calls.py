"""Function calls: what is checked, for whom they work, and where they run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from funcs_parts import CALLER, HOST, House, function, policy, run, tool

from runtime.core.errors import NotFound, PermissionDenied
from runtime.lua.dispatch import Caller
from runtime.registry.entry import Entry, Op, Origin
from runtime.security.actor import Actor, Context, Scope

ADD = function("app:add", "local a, b = ... return a + b")
WHO = "local v, err = funcs.call('app:who') if err then return {kind = err:kind()} end return v"


def test_a_function_gets_its_arguments_and_gives_its_value() -> None:
    async def test(house: House) -> None:
        assert await house.run("return funcs.call('app:add', 1, 2)") == 3

    run(test, ADD)


def test_nil_arguments_keep_their_place() -> None:
    async def test(house: House) -> None:
        body = "return funcs.call('app:third', nil, nil, 'x')"
        assert await house.run(body) == "x"

    run(test, function("app:third", "local a, b, c = ... return c"))


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("", "function ID required"),
        ("add", "namespace required in function ID"),
        (":add", "namespace required in function ID"),
        ("app:", "name required in function ID"),
    ],
)
def test_an_id_that_is_none_says_what_is_missing(id: str, message: str) -> None:
    async def test(house: House) -> None:
        found = await house.run(f"local _, err = funcs.call('{id}') return {{err:kind(), err:message()}}")
        assert found[0] == "Invalid"
        assert message in found[1]
        with pytest.raises(Exception, match=message):  # the host does not rely on the script's check
            await house.dispatcher.dispatch(
                Caller("t", "app:main", context=CALLER), "funcs.call", [{"id": id}]
            )

    run(test)


def test_a_function_that_is_not_there_is_not_found() -> None:
    async def test(house: House) -> None:
        with pytest.raises(NotFound, match="no handler registered for target `app:nothing`"):
            await house.run("return funcs.call('app:nothing')")
        with pytest.raises(NotFound, match=r"it is a `registry.entry`, not a `function.lua`"):
            await house.run("return funcs.call('app:data')")

    run(test, Entry("app:data", "registry.entry", {}, {"a": 1}, Origin.FILE))


def test_what_policy_does_not_allow_is_refused_and_said() -> None:
    async def test(house: House) -> None:
        with pytest.raises(PermissionDenied, match=r"not allowed: funcs\.call on `other:add`"):
            await house.run("return funcs.call('other:add', 1, 2)")
        assert [denial.resource for denial in house.denied] == ["other:add"]
        assert house.told() == []

    run(test, function("other:add", "return 1"))


def test_without_actor_and_scope_nothing_is_called() -> None:
    async def test(house: House) -> None:
        with pytest.raises(PermissionDenied):
            await house.run("return funcs.call('app:add', 1, 2)", Context.EMPTY)

    run(test, ADD)


def test_a_call_inherits_actor_scope_and_values() -> None:
    async def test(house: House) -> None:
        seen: list[Caller] = []

        async def note(caller: Caller, _args: list[Any]) -> bool:
            seen.append(caller)
            return True

        house.dispatcher.register("logger.log", note)
        assert await house.run("return funcs.call('app:who')", request="r1") == "r1"
        assert (seen[0].context, seen[0].session, seen[0].entry) == (CALLER, "session:s1", "app:who")

    run(test, function("app:who", "logger:info('x') return ctx.get('request')", modules=["ctx", "logger"]))


def test_values_of_ones_own_need_an_allow() -> None:
    body = "return funcs.new():with_context({request = 'mine'}):call('app:who')"
    who = function("app:who", "return {ctx.get('request'), ctx.get('other')}", modules=["ctx"])

    async def refused(house: House) -> None:
        with pytest.raises(PermissionDenied, match=r"funcs\.context"):
            await house.run(body)

    async def allowed(house: House) -> None:
        assert await house.run(body, request="r1", other="o1") == ["mine", "o1"]

    run(refused, who)
    run(allowed, who, policy("calls", ["funcs.call", "funcs.context"], ["app:*", "context"]))


def test_authority_only_narrows() -> None:
    who = function(
        "app:who", "return {security.actor():id(), #security.scope():policies()}", modules=["security"]
    )
    wide = policy("wide", ["*"], ["app:*"])

    async def test(house: House) -> None:
        async def context(caller: Caller, _args: list[Any]) -> dict[str, Any]:
            actor, scope = caller.context.actor, caller.context.scope
            return {
                "actor": {"id": actor.id, "meta": {}} if actor else None,
                "scope": {"policies": list(scope or ())},
            }

        house.dispatcher.register("security.context", context)
        call = house.dispatcher.dispatch
        caller = Caller("t", "app:main", context=CALLER, host=HOST)
        same = [{"id": "app:who", "scope": {"policies": ["app:calls"]}}]
        assert await call(caller, "funcs.call", same) == (["app:agent", 1],)
        less = [{"id": "app:who", "scope": {"policies": []}}]
        assert await call(caller, "funcs.call", less) == (["app:agent", 0],)
        for more in ({"scope": {"policies": ["app:wide"]}}, {"actor": {"id": "app:owner"}}):
            with pytest.raises(PermissionDenied, match=r"funcs\.security"):
                await call(caller, "funcs.call", [{"id": "app:who", **more}])

    run(test, who, wide)


def test_another_actor_comes_with_its_allow() -> None:
    async def test(house: House) -> None:
        seen: list[Context] = []

        async def note(caller: Caller, _args: list[Any]) -> bool:
            seen.append(caller.context)
            return True

        house.dispatcher.register("logger.log", note)
        caller = Caller("t", "app:main", context=CALLER, host=HOST)
        request = {"id": "app:note", "actor": {"id": "app:other", "meta": {"a": 1}}}
        await house.dispatcher.dispatch(caller, "funcs.call", [request])
        assert seen == [Context(Actor("app:other", {"a": 1}), Scope(["app:calls"]))]

    run(
        test,
        function("app:note", "logger:info('x')", modules=["logger"]),
        policy("calls", ["funcs.call", "funcs.security"], ["app:*", "security"]),
    )


def test_calls_nest_and_cross_pcall() -> None:
    async def test(house: House) -> None:
        body = "local ok, v, err = pcall(funcs.call, 'app:outer', 20) return v"
        assert await house.run(body) == 21

    run(test, ADD, function("app:outer", "return funcs.call('app:add', ..., 1)", modules=["funcs"]))


def test_an_error_object_keeps_kind_and_details_through_every_call() -> None:
    failing = "return nil, errors.new({kind='Conflict', message='taken', details={who='me'}, retryable=true})"

    async def test(house: House) -> None:
        body = """
          local _, err = funcs.call('app:outer')
          return {err:kind(), err:message(), err:details().who, err:retryable()}
        """
        assert await house.run(body) == ["Conflict", "taken", "me", True]

    run(
        test,
        function("app:failing", failing),
        function("app:outer", "return funcs.call('app:failing')", modules=["funcs"]),
    )


GIVES_UP = "error(errors.new({kind = 'Canceled', message = 'interrupted', details = {kind = 'x', n = 1}}))"
SAYS_SO = "return nil, errors.new({kind = errors.CANCELED, message = 'interrupted'})"


@pytest.mark.parametrize("body", [GIVES_UP, SAYS_SO])
@pytest.mark.parametrize("make", [function, tool])
@pytest.mark.parametrize("namespace", ["app", "app.generated"])
def test_a_function_can_not_say_that_its_caller_was_interrupted(
    namespace: str, make: Callable[..., Entry], body: str
) -> None:
    async def test(house: House) -> None:
        caught = "return {err:kind(), err:message(), err:details().kind}"
        source = f"local _, err = funcs.call('{namespace}:quits') {caught}"
        said = f"`{namespace}:quits` gave up: interrupted"
        assert await house.run(source) == ["Internal", said, "Canceled"]
        if make is tool:
            (failed,) = house.events("tool.failed")
            assert failed.payload["error"]["kind"] == "Internal"

    run(test, make(f"{namespace}:quits", body))


def test_a_changed_function_runs_as_it_is_now() -> None:
    async def test(house: House) -> None:
        body = "return funcs.call('app.generated:f')"
        assert await house.run(body) == 1
        house.apply(Op("update", function("app.generated:f", "return 2")))
        assert await house.run(body) == 2
        house.apply(Op.delete("app.generated:f"))
        with pytest.raises(NotFound):
            await house.run(body)

    run(test, function("app.generated:f", "return 1"))


def test_a_program_is_linked_once_while_nothing_of_it_changes() -> None:
    async def test(house: House) -> None:
        add = house.registry.current.require("app:add")
        first = house.programs.get(add)
        house.apply(Op("create", function("app.generated:other", "return 1")))
        assert house.programs.get(add) is first

    run(test, ADD)


def test_a_future_gives_its_result_and_can_be_canceled() -> None:
    async def test(house: House) -> None:
        ended = asyncio.Event()

        async def wait(_caller: Caller, _args: list[Any]) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        house.dispatcher.register("env.get", wait)
        body = """
          local quick, slow = funcs.async('app:add', 1, 2), funcs.async('app:slow')
          local value = quick:response():receive():data()
          slow:cancel()
          local err = slow:response():receive()
          return {value, slow:is_canceled(), err:kind()}
        """
        assert await house.run(body) == [3, True, "Canceled"]
        assert ended.is_set()

    run(test, ADD, function("app:slow", "env.get('A')", modules=["env"]))


def test_a_generated_function_runs_in_the_jail_and_a_declared_one_does_not() -> None:
    async def test(house: House) -> None:
        found = await house.run("return {funcs.call('app:where'), funcs.call('app.generated:where')}")
        assert found == ["file", "runtime"]

    async def where(caller: Caller, _args: list[Any]) -> str:
        return caller.origin

    async def with_where(house: House) -> None:
        house.dispatcher.register("env.get", where)
        await test(house)

    body = "return (env.get('A'))"
    run(
        with_where,
        function("app:where", body, modules=["env"]),
        function("app.generated:where", body, modules=["env"]),
    )


def test_a_declared_function_with_a_library_born_at_run_time_goes_to_the_jail() -> None:
    source = "return { origin = function() return (env.get('A')) end }"
    library = Entry("app.generated:lib", "library.lua", {}, {"source": source, "modules": ["env"]})

    async def where(caller: Caller, _args: list[Any]) -> str:
        return f"{caller.entry} {caller.origin}"

    async def test(house: House) -> None:
        house.dispatcher.register("env.get", where)
        house.apply(Op("create", library))
        user = function("app:user", "return lib.origin()", imports={"lib": "app.generated:lib"})
        caller = Caller("t", "app:main", context=CALLER, host=HOST)
        assert await house.tasks.call(caller, house.programs.get(user), []) == "app:user runtime"

    run(test)


def test_a_jailed_function_calls_others_with_the_authority_of_its_caller() -> None:
    async def test(house: House) -> None:
        body = """
          local a = funcs.call('app.generated:outer', 'app:add')
          local _, err = funcs.call('app.generated:outer', 'other:add')
          return {a, err:kind()}
        """
        assert await house.run(body) == [3, "PermissionDenied"]

    run(
        test,
        ADD,
        function("other:add", "return 1"),
        function("app.generated:outer", "local id = ... return funcs.call(id, 1, 2)", modules=["funcs"]),
    )


def test_calls_that_nest_without_end_are_refused() -> None:
    async def test(house: House) -> None:
        assert await house.run("return funcs.call('app:deep', 1)") == {"kind": "Invalid", "depth": 64}

    body = """
      local depth = ...
      local value, err = funcs.call('app:deep', depth + 1)
      return value or {kind = err:kind(), depth = depth + 1}
    """
    run(test, function("app:deep", body, modules=["funcs"]))


def test_jailed_calls_that_call_themselves_do_not_fill_the_machine() -> None:
    async def test(house: House) -> None:
        assert await house.run("return funcs.call('app.generated:bomb')") == "Unavailable"

    bomb = "local v, err = funcs.call('app.generated:bomb') return v or err:kind()"
    run(test, function("app.generated:bomb", bomb, modules=["funcs"]), most_jailed=3)


def test_ending_the_caller_ends_its_jailed_call() -> None:
    async def test(house: House) -> None:
        reached, ended = asyncio.Event(), asyncio.Event()

        async def wait(_caller: Caller, _args: list[Any]) -> None:
            reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        house.dispatcher.register("env.get", wait)
        task = house.start("return funcs.call('app.generated:slow')")
        await reached.wait()
        house.tasks.kill(task, PermissionDenied("enough"))
        with pytest.raises(PermissionDenied, match="enough"):
            await house.tasks.wait(task)
        assert ended.is_set()
        assert house.told() == ["tool.requested", "tool.failed"]

    run(test, tool("app.generated:slow", "env.get('A')", modules=["env"]))


def test_a_function_that_says_much_harms_nobody_in_its_lua_state() -> None:
    async def test(house: House) -> None:
        ticking = house.start("for i = 1, 50 do time.sleep('1ms') end return 'ticked'")
        said = "return funcs.call('app:loud')"
        assert await house.run(said) == "said"
        assert await house.tasks.wait(ticking) == "ticked"

    run(test, function("app:loud", "for i = 1, 60 do print(('y'):rep(1e6)) end return 'said'"))
