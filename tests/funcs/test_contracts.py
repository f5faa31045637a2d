"""Contracts: what they promise, who keeps it, with which values and for whom a method runs."""

from __future__ import annotations

from typing import Any

import pytest
from funcs_parts import House, function, policy, run

from runtime.core.errors import Invalid, NotFound
from runtime.funcs.contracts import ContractCommands, check_binding, read_query
from runtime.registry.entry import Entry, Origin
from runtime.services.security_commands import SecurityCommands


def definition(name: str, *methods: str) -> Entry:
    return Entry(
        f"app:{name}", "contract.definition", {}, {"methods": [{"name": m} for m in methods]}, Origin.FILE
    )


def binding(name: str, contract: str, default: bool = False, **methods: str) -> Entry:
    kept: dict[str, Any] = {"contract": contract, "methods": methods, "default": default}
    if name == "needy":
        kept["context_required"] = ["tenant"]
    return Entry(f"app:{name}", "contract.binding", {}, {"contracts": [kept]}, Origin.FILE)


GREETER = definition("greeter", "greet", "who")
ENTRIES = [
    GREETER,
    definition("empty"),
    binding("plain", "greeter", True, greet="say", who="who"),
    binding("needy", "app:greeter", greet="app:say", who="app:who"),
    function("app:say", "local name = ... return 'hello ' .. (name or 'you')"),
    function("app:who", "local c = require('ctx').all() c.n = select('#', ...) return c", modules=["ctx"]),
    policy("calls", ["funcs.call", "contract.*", "security.*"], ["*"]),
]
BODY = """
local contract = require("contract")
local function why(value, err) return err:kind() end
"""


def asked(body: str, *entries: Entry) -> Any:
    """Return what `body` returns, with the contracts of `entries`."""
    found: list[Any] = []

    async def test(house: House) -> None:
        calls = house.calls
        contracts = ContractCommands(calls, house.guard, lambda: house.registry.current)
        for handlers in (contracts.handlers(), SecurityCommands(house.guard).handlers()):
            for name, handler in handlers.items():
                house.dispatcher.register(name, handler)
        found.append(await house.run(BODY + body))

    run(test, *(entries or ENTRIES))
    return found[0]


def test_the_methods_of_a_binding_are_called() -> None:
    body = """
    local plain = assert(contract.open("app:plain"))
    local future = plain:greet_async("B")
    return { plain:greet("A"), plain:greet(), future:response():receive():data(), plain.missing == nil,
      plain.missing_async == nil, contract.is(plain, "app:greeter"), contract.is(plain, "app:empty"),
      plain:who(nil, nil).n, type(plain) }
    """
    assert asked(body) == ["hello A", "hello you", "hello B", True, True, True, False, 2, "userdata"]


def test_a_contract_tells_what_it_promises_and_who_keeps_it() -> None:
    body = """
    local greeter = assert(contract.get("app:greeter"))
    return { greeter:id(), greeter:methods()[2].name, greeter:method("greet").name, why(greeter:method("x")),
      greeter:implementations(), contract.find_implementations("app:empty"), greeter:open():greet() }
    """
    assert asked(body) == [
        *("app:greeter", "who", "greet", "NotFound", ["app:needy", "app:plain"], []),
        "hello you",
    ]


def test_values_come_from_the_query_the_contract_and_the_table() -> None:
    body = """
    local greeter = assert(contract.get("app:greeter")):with_context({ tenant = "acme", b = 1 })
    local first = greeter:open("app:needy?n=2&debug=true&b=9&text=x", { b = 3 }):who()
    return { first, contract.open("app:plain?a=1.5"):who(), why(contract.open("app:needy")) }
    """
    first, second, third = asked(body)
    assert first == {"tenant": "acme", "b": 3, "n": 0, "debug": True, "text": "x"}
    assert second == {"a": 1.5, "n": 0}
    assert third == "Invalid"
    assert read_query("a=&b=false&c=-3&d=1e2") == {"a": "", "b": False, "c": -3, "d": 100.0}


def test_what_is_not_there_says_so() -> None:
    body = """
    return { why(contract.get("")), why(contract.get("app:gone")), why(contract.get("app:plain")),
      why(contract.open("")), why(contract.open("plain")), why(contract.open("app:greeter")),
      why(assert(contract.get("app:empty")):open()), why(assert(contract.get("app:empty")):open("app:plain")),
      pcall(contract.is, {}, "app:greeter") == false }
    """
    assert asked(body) == [
        *("Invalid", "NotFound", "NotFound", "Invalid", "Invalid", "NotFound", "NotFound", "NotFound", True)
    ]


def test_authority_only_narrows_through_a_contract() -> None:
    narrow = [
        *(entry for entry in ENTRIES if entry.id != "app:calls"),
        policy("calls", ["contract.get", "contract.open", "security.*"], ["*"]),
    ]
    body = """
    local greeter = assert(contract.get("app:greeter"))
    local _, called = assert(greeter:open()):greet()
    local _, carried = greeter:with_context({ a = 1 })
    local _, wider = greeter:with_actor(require("security").new_actor("app:other"))
    return { called:details().action, carried:details().action, wider:details().action }
    """
    assert asked(body, *narrow) == ["contract.call", "contract.context", "contract.security"]


@pytest.mark.parametrize(
    ("entry", "kind", "message"),
    [
        (binding("b", "app:gone", greet="say"), NotFound, "contract `app:gone` of `app:b` is not there"),
        (binding("b", "greeter", greet="say", who="who", x="say"), NotFound, "has no method `x`"),
        (binding("b", "greeter", greet="gone", who="who"), NotFound, "function `app:gone`"),
        (binding("b", "greeter", greet="say"), Invalid, "does not keep method `who`"),
    ],
)
def test_a_binding_that_can_not_be_kept_is_refused(entry: Entry, kind: type[Exception], message: str) -> None:
    async def test(house: House) -> None:
        with pytest.raises(kind, match=message):
            check_binding(entry, house.registry.current)

    run(test, *ENTRIES)
