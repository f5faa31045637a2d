"""A host runs once its entry is in force; where a change is taken back, so is what was started for it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from walk_parts import Walk, loopback, walk

from runtime.core.errors import Invalid
from runtime.registry.entry import Entry, Op, Origin
from runtime.registry.handlers import Step

EXTRA = Entry("shop:extra", "process.host", {}, {})


def visited(folder: Path, visit: Any) -> None:
    with loopback() as url:
        asyncio.run(walk(folder / "shop", url, visit, {}))


@pytest.mark.parametrize("elsewhere", [False, True], ids=["on the loop", "on another thread"])
def test_a_new_host_is_open_when_its_change_is_in_force(tmp_path: Path, elsewhere: bool) -> None:
    async def visit(walk: Walk) -> None:
        walk.parts.services.start()

        def change() -> None:
            walk.registry.apply([Op("create", EXTRA)], actor="me", origin=Origin.RUNTIME)
            assert EXTRA.id in walk.parts.tasks.hosts()

        await asyncio.to_thread(change) if elsewhere else change()

    visited(tmp_path, visit)


def test_the_host_of_a_rejected_change_is_closed_again(tmp_path: Path) -> None:
    async def visit(walk: Walk) -> None:
        walk.parts.services.start()
        opened: list[bool] = []

        def reject(step: Step) -> None:
            opened.append(EXTRA.id in walk.parts.tasks.hosts())
            raise Invalid("not with us")

        walk.registry.handle("registry.entry", reject)
        both = [Op("create", EXTRA), Op("create", Entry("shop:plain", "registry.entry", {}, {}))]
        with pytest.raises(Invalid, match="not with us"):
            walk.registry.apply(both, actor="me", origin=Origin.RUNTIME)
        assert opened == [True]
        assert EXTRA.id not in walk.parts.tasks.hosts()
        assert EXTRA.id not in walk.registry.current

    visited(tmp_path, visit)
