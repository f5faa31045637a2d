"""Stores: what is kept is found until its time is over, no write is lost, policy is asked for each key."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.core.clock import SystemClock
from runtime.core.errors import (
    AlreadyExists,
    Conflict,
    Error,
    Invalid,
    NotFound,
    PermissionDenied,
    Unavailable,
)
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.services.store_commands import StoreCommands
from runtime.services.stores import Stores

WHO = Context(Actor("app:tester"), Scope(["app:all", "app:no"]))


class Clock(SystemClock):
    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return self.passed


class House:
    """Two stores, one of two keys; nobody may touch the key `secret`."""

    def __init__(self) -> None:
        def policy(name: str, effect: str, **rule: Any) -> Entry:
            data = {"policy": {"actions": "store.*", "resources": "*", "effect": effect, **rule}}
            return Entry(f"app:{name}", "security.policy", {}, data, Origin.FILE)

        secret = [{"field": "meta.key", "operator": "eq", "value": "secret"}]
        registry = Registry(MemoryJournal(), SystemClock())
        registry.load(
            [
                Entry("app:kept", "store.memory", {}, {}, Origin.FILE),
                Entry("app:small", "store.memory", {}, {"max_size": 2}, Origin.FILE),
                policy("all", "allow"),
                policy("no", "deny", conditions=secret),
            ]
        )
        engine = Engine()
        engine.rebuild(registry.current.entries())
        self.clock = Clock()
        self._dispatcher = Dispatcher()
        commands = StoreCommands(Guard(engine), lambda: registry.current, Stores(self.clock))
        for name, handler in commands.handlers().items():
            self._dispatcher.register(name, handler)

    def do(self, name: str, *args: Any, store: str = "app:kept", who: Context = WHO) -> Any:
        (result,) = self._dispatcher.answer(
            Caller("t", "app:main", context=who), f"store.{name}", [store, *args]
        )
        return result


def test_what_is_kept_is_found_until_its_time_is_over() -> None:
    house = House()
    house.do("key.set", "a", {"x": [1]}, {"ttl": 10})
    assert house.do("key.get", "a")["value"] == {"x": [1]}
    assert house.do("key.has", "a") is True
    house.clock.passed = 11.0
    assert house.do("key.has", "a") is False
    with pytest.raises(NotFound, match="key not found: `a`"):
        house.do("key.get", "a")


def test_a_key_is_deleted_once() -> None:
    house = House()
    house.do("key.set", "a", False)
    assert [house.do("key.delete", "a"), house.do("key.delete", "a")] == [True, False]


def test_who_writes_with_the_version_that_was_read_loses_no_other_write() -> None:
    house = House()
    read = house.do("key.set", "a", 1, {"only_if_absent": True})["version"]
    with pytest.raises(AlreadyExists):
        house.do("key.set", "a", 2, {"only_if_absent": True})
    assert house.do("key.set", "a", 2, {"if_version": read})["version"] != read
    with pytest.raises(Conflict) as caught:
        house.do("key.set", "a", 3, {"if_version": read})
    assert caught.value.retryable is True
    house.do("key.delete", "a")
    house.do("key.set", "a", 1)
    with pytest.raises(Conflict):  # a version never comes again
        house.do("key.set", "a", 3, {"if_version": read})


def test_keys_are_listed_in_order_page_by_page() -> None:
    house = House()
    for key in ("b2", "a", "b1", "b3"):
        house.do("key.set", key, key)
    page = house.do("key.list", {"prefix": "b", "limit": 2})
    assert [each["key"] for each in page["items"]] == ["b1", "b2"]
    assert page["has_more"] is True
    rest = house.do("key.list", {"prefix": "b", "after": page["cursor"]})
    assert [each["value"] for each in rest["items"]] == ["b3"]
    assert rest["has_more"] is False


def test_a_full_store_takes_what_it_knows_and_no_more() -> None:
    house = House()
    for key in ("a", "b", "a"):
        house.do("key.set", key, 1, store="app:small")
    with pytest.raises(Unavailable, match="is full"):
        house.do("key.set", "c", 1, store="app:small")


def test_policy_is_asked_for_each_key() -> None:
    house = House()
    for name, more in (("key.get", ()), ("key.set", (1,)), ("key.has", ()), ("key.delete", ())):
        with pytest.raises(PermissionDenied):
            house.do(name, "secret", *more)
    for name in ("get", "info", "key.list"):
        with pytest.raises(PermissionDenied):
            house.do(name, who=Context.EMPTY)


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("get", ("app:none",), NotFound),
        ("key.get", ("app:all", "a"), NotFound),
        ("key.get", ("app:kept", ""), Invalid),
        ("key.get", ("app:kept", "k" * 5000), Invalid),
        ("key.set", ("app:kept", "a"), Invalid),
        ("key.set", ("app:kept", "a", 1, {"ttl": -1}), Invalid),
        ("key.set", ("app:kept", "a", 1, {"ttl": float("nan")}), Invalid),
        ("key.set", ("app:kept", "a", 1, {"later": 1}), Invalid),
        ("key.set", ("app:kept", "a", 1, {"only_if_absent": True, "if_version": "1"}), Invalid),
        ("key.list", ("app:kept", {"limit": 0}), Invalid),
        ("key.list", ("app:kept", {"prefix": 1}), Invalid),
    ],
    ids=str,
)
def test_what_is_wrong_says_so(name: str, args: tuple[Any, ...], kind: type[Error]) -> None:
    store, *rest = args
    with pytest.raises(kind):
        House().do(name, *rest, store=store)
