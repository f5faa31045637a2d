"""Tokens stand for an actor and a scope: made, asked about, revoked; what is none of ours gets one answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from walk_parts import KEY, Walk, allowing, loopback, walk

from runtime.core.clock import SystemClock
from runtime.core.errors import Unavailable
from runtime.registry.entry import Entry
from runtime.security.actions import ACTIONS
from runtime.services.stores import MAX_BYTES, MemoryStore, Stores

OPEN = """
local tokens = security.token_store("shop:{store}")
local guest = security.new_actor("shop:guest", {{ team = "red" }})
local scope = security.new_scope({{ security.policy("shop:env.get") }})
"""

CASES: dict[str, tuple[str, Any]] = {
    "a token gives back whom it stands for": (
        """
        local actor, held, err = tokens:validate(tokens:create(guest, scope, { expiration = "7d" }))
        return { actor:id(), actor:meta().team, #held:policies(), held:contains("shop:env.get"), err == nil }
        """,
        ["shop:guest", "red", 1, True, True],
    ),
    "no two tokens are alike and none is short": (
        """
        local one, two = tokens:create(guest, scope), tokens:create(guest, scope)
        return { one ~= two, #one >= 43, one:find("[^%w_.-]") == nil }
        """,
        [True, True, True],
    ),
    "a revoked token is none": (
        """
        local token = tokens:create(guest, scope)
        local done = tokens:revoke(token)
        local actor, held, err = tokens:validate(token)
        local again, err2 = tokens:revoke(token)
        return { done, actor == nil, held == nil, err:kind(), err:retryable(), again == nil, err2:kind() }
        """,
        [True, True, True, "Invalid", False, True, "Invalid"],
    ),
    "an expired token is none": (
        """
        local token = tokens:create(guest, scope, { expiration = 1 })
        time.sleep("20ms")
        local actor, _, err = tokens:validate(token)
        return { actor == nil, err:message() }
        """,
        [True, "token is not valid: unknown, expired or revoked"],
    ),
    "what is no token gets the same answer": (
        """
        local token = tokens:create(guest, scope)
        local said = {}
        for _, bad in ipairs({ "x", token .. "A", token .. "=", token:sub(2), "." .. token, token .. ".", "é",
            token .. "." .. token, ("A"):rep(5000), "\\n" .. token, (token:gsub(".$", "~")) }) do
          local actor, _, err = tokens:validate(bad)
          said[#said + 1] = actor == nil and err:message()
        end
        local same = #said == 11
        for _, each in ipairs(said) do
          same = same and each == "token is not valid: unknown, expired or revoked"
        end
        return same
        """,
        True,
    ),
    "a closed store gives nothing": (
        """
        local token = tokens:create(guest, scope)
        tokens:close()
        local actor, _, err = tokens:validate(token)
        local made, err2 = tokens:create(guest, scope)
        return { actor == nil, err:kind(), made == nil, err2:kind() }
        """,
        [True, "Internal", True, "Internal"],
    ),
    "how long a token holds must be said clearly": (
        """
        local kinds = {}
        for _, given in ipairs({ "soon", "-1h", -5, 0 / 0, 1 / 0, "99999h", true, {} }) do
          local token, err = tokens:create(guest, scope, { expiration = given })
          kinds[#kinds + 1] = token == nil and err:kind()
        end
        return kinds
        """,
        ["Invalid"] * 8,
    ),
    "a token is made of an actor and a scope and nothing else": (
        """
        local said = {}
        for _, given in ipairs({ { "shop:admin", scope }, { guest, { "shop:env.get" } }, { {}, scope } }) do
          said[#said + 1] = pcall(tokens.create, tokens, given[1], given[2])
        end
        return said
        """,
        [False, False, False],
    ),
    "a store that is not there is not found": (
        """
        local none, err = security.token_store("shop:none")
        local kind, err2 = security.token_store("shop:shelf")
        return { none == nil, err:kind(), kind == nil, err2:kind() }
        """,
        [True, "NotFound", True, "NotFound"],
    ),
}

PLANTED = """
local shelf = store.get("shop:shelf")
local tokens = security.token_store("shop:tokens")
tokens:create(security.new_actor("shop:guest"), security.scope())
local raw = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
local digest = hash.sha256(("\\0"):rep(32))
local planted = { actor = { id = "shop:admin", meta = {} }, policies = {}, meta = {} }
shelf:set("token:shop:tokens:" .. digest, planted)
shelf:set(digest, planted)
local actor, _, err = tokens:validate(raw)
local seen = {}
for _, item in ipairs(shelf:list().items) do
  seen[#seen + 1] = item.key
end
return { actor == nil, err ~= nil, #seen == 2 }
"""

ACROSS = """
local plain, signed = security.token_store("shop:tokens"), security.token_store("shop:signed")
local guest, scope = security.new_actor("shop:guest"), security.scope()
local a, b = plain:create(guest, scope), signed:create(guest, scope)
local point = b:find(".", 1, true)
local forged = b:sub(1, point) .. ("A"):rep(#b - point)
local function is_valid(tokens, token)
  return (tokens:validate(token)) ~= nil
end
return { is_valid(plain, a), is_valid(signed, b), is_valid(plain, b), is_valid(signed, a),
  is_valid(plain, b:sub(1, point - 1)), is_valid(signed, b:sub(1, point - 1)), is_valid(signed, forged) }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found: dict[str, Any] = {}
    bodies = {
        f"{number}.{store}": OPEN.format(store=store) + body
        for number, (body, _) in enumerate(CASES.values())
        for store in ("tokens", "signed")
    }
    bodies["across"] = ACROSS
    bodies["planted"] = PLANTED

    async def visit(walk: Walk) -> None:
        for name in bodies:
            found[name], _ = await walk.run(name, allowing(ACTIONS), keep=True)
        found["journal"] = walk.everything()

    folder = Path(tmp_path_factory.mktemp("tokens")) / "shop"
    with loopback() as url:
        asyncio.run(walk(folder, url, visit, bodies))
    return found


@pytest.mark.parametrize("store", ["tokens", "signed"])
@pytest.mark.parametrize("number", range(len(CASES)), ids=list(CASES))
def test_tokens(results: Any, number: int, store: str) -> None:
    expected = list(CASES.values())[number][1]
    assert results[f"{number}.{store}"] == {"value": expected}


def test_a_token_of_one_store_is_none_of_another_and_none_without_its_signature(results: Any) -> None:
    assert results["across"] == {"value": [True, True, False, False, False, False, False]}


def test_a_script_with_the_same_store_neither_plants_nor_sees_a_token(results: Any) -> None:
    assert results["planted"] == {"value": [True, True, True]}


def test_the_key_is_nowhere_in_the_journal(results: Any) -> None:
    assert "shop:signed" in results["journal"]
    assert KEY not in results["journal"]


def test_a_store_forgets_what_expired_before_it_is_full() -> None:
    now = [0.0]
    store = MemoryStore("shop:shelf", 2, lambda: now[0])
    store.set("a", 1, 5.0)
    store.set("b", 2)
    with pytest.raises(Unavailable, match="max_size"):
        store.set("c", 3)
    store.set("b", 4)
    now[0] = 5.0
    assert (store.get("a"), store.get("b")) == (None, 4)
    store.set("a", 1, 5.0)
    now[0] = 10.0
    store.set("c", 3)
    assert (store.get("a"), store.get("c"), store.delete("c"), store.delete("c")) == (None, 3, True, False)


def test_a_store_takes_so_many_bytes_in_all() -> None:
    now = [0.0]
    store = MemoryStore("shop:shelf", 10, lambda: now[0])
    store.set("a", "x", size=MAX_BYTES - 1)
    store.set("b", "y", 5.0, size=1)
    store.set("a", "z", size=MAX_BYTES - 1)  # in the place of what was there
    with pytest.raises(Unavailable, match="bytes"):
        store.set("c", "x", size=1)
    assert store.get("a") == "z"
    now[0] = 5.0
    store.set("c", "x", size=1)
    assert store.delete("a")
    store.set("d", "x", size=MAX_BYTES - 1)


def test_a_store_lives_as_long_as_its_entry() -> None:
    stores = Stores(SystemClock())
    shelf = Entry("shop:shelf", "store.memory", {}, {"max_size": 1})
    stores.get(shelf).set("a", 1)
    assert stores.get(Entry("shop:shelf", "store.memory", {}, {"max_size": 2})).get("a") == 1
    assert stores.get(shelf, "tokens").get("a") is None  # what the host keeps is no script's
    stores.get(shelf, "shop:tokens").set("a", 2)
    assert stores.get(shelf).get("a") == 1
    stores.forget("shop:tokens")
    assert (stores.get(shelf).get("a"), stores.get(shelf, "shop:tokens").get("a")) == (1, None)
    stores.forget("shop:shelf")
    assert stores.get(shelf).get("a") is None
