"""The walk over the guarded actions: each is refused without its allow, recorded, and works with it.

One file of `actions/` is one action: the body of a Lua function that needs it. It runs under all allows but
its own, and then under all of them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from walk_parts import BODIES, Walk, allowing, loopback, walk

from runtime.security.actions import ACTIONS
from runtime.security.actor import Context

KIND_OF_REFUSAL = {
    "security.policy.get": "Invalid",
    "security.policy_group.get": "Invalid",
    "security.token.create": "Invalid",
    "security.token.validate": "Invalid",
    "security.token.revoke": "Invalid",
}
"""The documented kind, where it is not PermissionDenied; what is recorded is the same."""

ALLOWED_AND_NO_MORE = ("registry.apply_version", "env.set")
"""Operations that this version refuses for other reasons, after policy allowed them."""

WALKED = sorted(action for action in ACTIONS if action in BODIES)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found: dict[str, Any] = {}

    async def visit(walk: Walk) -> None:
        for action in WALKED:
            found[action] = {
                "without": await walk.run(action, allowing(set(ACTIONS) - {action})),
                "with": await walk.run(action, allowing(ACTIONS)),
                "nobody": await walk.run(action, Context.EMPTY),
            }

    with loopback() as url:
        asyncio.run(walk(Path(tmp_path_factory.mktemp("walk")) / "shop", url, visit))
    return found


def test_every_guarded_action_is_walked() -> None:
    assert set(BODIES) == set(ACTIONS)


@pytest.mark.parametrize("action", WALKED)
def test_without_its_allow_an_operation_is_refused_and_recorded(results: Any, action: str) -> None:
    value, denied = results[action]["without"]
    assert value["kind"] == KIND_OF_REFUSAL.get(action, "PermissionDenied"), value
    assert value["details"]["action"] == action
    assert value["details"]["actor"] == "shop:clerk"
    assert [each["action"] for each in denied] == [action]
    assert denied[0]["resource"] == value["details"]["resource"]


@pytest.mark.parametrize("action", WALKED)
def test_with_its_allow_the_operation_works(results: Any, action: str) -> None:
    value, denied = results[action]["with"]
    assert denied == []
    if action in ALLOWED_AND_NO_MORE:
        assert value.get("kind") in (None, "Invalid")
    else:
        assert value == {"done": True}


@pytest.mark.parametrize("action", WALKED)
def test_without_an_actor_every_operation_is_refused(results: Any, action: str) -> None:
    value, denied = results[action]["nobody"]
    if action == "llm.generate":  # nobody sees a model either, so there is none to ask
        assert value["kind"] == "NotFound"
        return
    assert value["kind"] in ("PermissionDenied", "Invalid")
    assert denied
    assert denied[0]["actor"] == ""
