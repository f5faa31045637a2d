"""The module `funcs`: calls, executors that never change, futures; actors that no script can forge."""

from __future__ import annotations

import pytest
from module_host import ModuleHost, deny, given, run


def test_a_call_carries_id_and_arguments_with_their_gaps() -> None:
    host = ModuleHost({"funcs.call": lambda options, *args: len(args)})
    assert run('return funcs.call("a.b:c", nil, { x = 1 }, nil)', "funcs", host) == 3
    assert given(host) == [("funcs.call", [{"id": "a.b:c"}, None, {"x": 1}, None])]


def test_a_call_may_stand_inside_pcall_and_its_error_keeps_its_kind() -> None:
    host = ModuleHost({"funcs.call": deny})
    body = 'local ok, value, err = pcall(funcs.call, "a:b") return { ok, value == nil, err:kind() }'
    assert run(body, "funcs", host) == [True, True, "PermissionDenied"]


@pytest.mark.parametrize(
    ("call_id", "part"), [("nil", "ID required"), ('"b"', "namespace"), ('"a:"', "name required")]
)
def test_an_id_that_is_none_is_refused_before_the_host_is_asked(call_id: str, part: str) -> None:
    for form in ("funcs.call", "funcs.async"):
        host = ModuleHost()
        message = run(f"local _, err = {form}({call_id}) return err:message()", "funcs", host)
        assert part in message
        assert host.commands == []


def test_an_executor_adds_values_actor_and_scope_and_never_changes() -> None:
    host = ModuleHost(
        {
            "funcs.call": lambda *_: "done",
            "security.actor.create": lambda actor_id, meta: {"id": actor_id, "meta": meta},
            "security.policy_group.get": lambda _: {"policies": ["p:q"]},
        }
    )
    body = """
    local base = funcs.new():with_context({ a = 1, b = 1 })
    local full = base:with_context({ b = 2 }):with_actor(security.new_actor("u", { role = "r" }))
      :with_scope(security.named_scope("g:h")):with_options({})
    full:call("a:b", 5)
    base:call("a:b")
    local _, err = base:with_options({ network = "a:b" })
    return err:message()
    """
    assert "`network` is not available" in run(body, "funcs", host, "security")
    calls = [args for name, args in given(host) if name == "funcs.call"]
    assert calls == [
        [
            {
                "id": "a:b",
                "context": {"a": 1, "b": 2},
                "actor": {"id": "u", "meta": {"role": "r"}},
                "scope": {"policies": ["p:q"]},
            },
            5,
        ],
        [{"id": "a:b", "context": {"a": 1, "b": 1}}],
    ]


@pytest.mark.parametrize(
    "forged",
    [
        '{ id = "root" }',
        'errors.new("security.Actor{root}")',
        'setmetatable({ id = "root" }, { __tostring = function() return "security.Actor{root}" end })',
        "channel.new()",
        'security.policy("a:b")',
        '"security.Actor{root}"',
    ],
)
def test_an_actor_can_not_be_forged(forged: str) -> None:
    host = ModuleHost({"security.policy.get": lambda policy_id: {"id": policy_id}})
    body = f"""
    local ok, err = pcall(function() return funcs.new():with_actor({forged}) end)
    return {{ ok, tostring(err):find("expects a security.Actor", 1, true) ~= nil }}
    """
    assert run(body, "funcs", host, "security") == [False, True]


def test_a_future_gives_its_payload_once_and_keeps_the_result() -> None:
    host = ModuleHost({"funcs.call": lambda options, value: {"twice": 2 * value}})
    body = """
    local future = funcs.async("a:b", 21)
    local before = { future:is_complete(), future:result() == nil, select(2, future:error()) }
    local payload, open = future:response():receive()
    local _, still = future:channel():receive()
    return { before, payload:data().twice, open, still, future:is_complete(), future:is_canceled(),
      future:result():data().twice, select(2, future:error()), future:cancel() }
    """
    found = run(body, "funcs", host)
    assert found == [[False, True, False], 42, True, False, True, False, 42, False, True]
    assert [command.args[0]["key"] for command in host.commands] == ["call 1"]


def test_a_future_that_failed_gives_the_error() -> None:
    body = """
    local future = funcs.async("a:b")
    local err = future:response():receive()
    return { err:kind(), select(2, future:result()):kind(), future:error():kind(), select(2, future:error()) }
    """
    host = ModuleHost({"funcs.call": deny})
    assert run(body, "funcs", host) == ["PermissionDenied"] * 3 + [True]


def test_a_canceled_future_tells_the_host_which_call() -> None:
    body = """
    local future = funcs.async("a:b", 1)
    future:cancel()
    local err = future:response():receive()
    return { future:is_canceled(), err:kind(), select(2, future:result()):kind() }
    """
    host = ModuleHost({"funcs.call": lambda *_: 1, "funcs.cancel": lambda _: True})
    assert run(body, "funcs", host) == [True, "Canceled", "Canceled"]
    assert ("funcs.cancel", ["call 1"]) in given(host)
