"""One save is one reload, whatever the editor does; a broken save changes nothing; the watching goes on."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reload_editor import SAVES
from reload_parts import INDEX, editor, following, project, text

from runtime.core.values import Value
from runtime.registry.entry import Entry
from runtime.reload.reloader import PATIENCE
from runtime.reload.watch import Watch

BROKEN = {
    "a map that does not end": "namespace: app\nentries: {",
    "an unknown kind": "namespace: app\nentries:\n  - {name: a, kind: nothing.known}\n",
    "a doubled id": text(9, "aa"),
    "a doubled key": "namespace: app\nnamespace: app\nentries: []\n",
    "bytes": "namespace: app\x00",
}


@pytest.mark.parametrize("way", SAVES)
def test_a_save_is_exactly_one_reload(tmp_path: Path, way: str) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            for value in (2, 3):
                await other.save(way, text(value))
                await source.until(lambda value=value: source.value() == value)  # type: ignore[misc]
            # A last save shows that what came before it was over, and left nothing behind.
            await other.save("in_place", text(4))
            await source.until(lambda: source.value() == 4)
            assert source.types == ["reload.applied"] * 3
            assert [payload["version"] for _, payload in source.events] == [2, 3, 4]
            assert {entry.id for entry in source.registry.current} == {"app:a", "app:b"}

    asyncio.run(scenario())


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_save_keeps_what_is_in_force_says_the_place_and_recovers(tmp_path: Path, fault: str) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            await other.save("in_place", BROKEN[fault])
            await source.until(lambda: bool(source.events))
            assert source.types == ["reload.rejected"]
            assert (source.value(), source.registry.current.version) == (1, 1)
            assert any(f"{INDEX}:" in line for line in source.told), source.told
            await other.save("in_place", text(1))
            await source.until(lambda: len(source.events) == 2)
            await other.save("in_place", text(2))
            await source.until(lambda: source.value() == 2)
            assert source.types == ["reload.rejected", "reload.applied", "reload.applied"]

    asyncio.run(scenario())


def test_truncate_then_broken_then_good(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            await other.save("truncate_pause_write", BROKEN["an unknown kind"])
            await source.until(lambda: bool(source.events))
            await other.save("truncate_pause_write", text(5))
            await source.until(lambda: source.value() == 5)
            assert source.types == ["reload.rejected", "reload.applied"]

    asyncio.run(scenario())


def test_an_emptied_file_takes_nothing_away_and_is_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            await other.save("in_place", "")
            await source.until(lambda: bool(source.events))
            assert source.types == ["reload.rejected"]
            assert source.value() == 1
            await other.save("delete", "")
            await source.until(lambda: source.value() is None)

    asyncio.run(scenario())


def test_a_deleted_file_takes_its_entries_away(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        (root / "src/more.yaml").write_text(text(1, "c"))
        async with following(root) as source, editor(root) as other:
            await other.save("delete", "", "src/more.yaml")
            await source.until(lambda: source.value("c") is None)
            assert source.events[0][1]["deleted"] == ["app:c"]
            assert source.value("a") == 1

    asyncio.run(scenario())


def test_a_touched_file_is_no_reload(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            await other.save("touch", "")
            await other.save("in_place", text(2))
            await source.until(lambda: source.value() == 2)
            assert source.types == ["reload.applied"]

    asyncio.run(scenario())


def test_a_file_of_somebody_else_that_stays_open_delays_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        with (root / "other.db").open("w") as file:
            async with following(root) as source, editor(root) as other:
                for value in (2, 3):
                    file.write("x")
                    file.flush()
                    async with asyncio.timeout(PATIENCE):
                        await other.save("write_temp_and_rename", text(value))
                        await source.until(lambda value=value: source.value() == value)  # type: ignore[misc]

    asyncio.run(scenario())


def test_a_new_folder_is_followed_and_a_folder_that_came_again_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root) as source, editor(root) as other:
            (root / "src/deep/er").mkdir(parents=True)
            await other.save("in_place", text(1, "c"), "src/deep/er/x.yaml")
            await source.until(lambda: source.value("c") == 1)
            for value in (2, 3):
                await other.save("delete_folder_and_create", text(value))
                await source.until(lambda value=value: source.value() == value)  # type: ignore[misc]
            await other.save("in_place", text(4, "c"), "src/deep/er/x.yaml")
            await source.until(lambda: source.value("c") == 4)

    asyncio.run(scenario())


def test_a_swapped_link_is_followed_to_its_new_target(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)
        (root / "src").rename(root / "release-0")
        (root / "src").symlink_to("release-0")
        async with following(root) as source, editor(root) as other:
            for value in (2, 3):
                await other.save("link_swap", text(value))
                await source.until(lambda value=value: source.value() == value)  # type: ignore[misc]
            await other.save("in_place", text(4))
            await source.until(lambda: source.value() == 4)
            assert source.types == ["reload.applied"] * 3

    asyncio.run(scenario())


def test_a_refused_changeset_leaves_all_of_the_old_and_recovers(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)

        def is_bad(entry: Entry) -> bool:
            return entry.name == "b" and entry.fields["value"] == 2

        async with following(root) as source, editor(root) as other:
            source.refuse = is_bad
            await other.save("in_place", text(2))
            await source.until(lambda: bool(source.events))
            assert (source.value("a"), source.value("b")) == (1, 1)
            await other.save("in_place", text(3))
            await source.until(lambda: source.value("b") == 3)

    asyncio.run(scenario())


def test_the_watching_survives_any_exception_of_what_it_calls(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = project(tmp_path)

        def explode(_entry: Entry) -> bool:
            raise ZeroDivisionError("the check itself is broken")

        async with following(root) as source, editor(root) as other:
            source.refuse = explode
            await other.save("in_place", text(2))
            await source.until(lambda: bool(source.events))
            source.refuse = lambda _entry: False
            failing, source.record = source.record, _failing  # type: ignore[method-assign]
            await other.save("in_place", text(3))
            source.record = failing  # type: ignore[method-assign]
            await other.save("in_place", text(4))
            await source.until(lambda: source.value() == 4)

    asyncio.run(scenario())


def _failing(_type: str, _payload: dict[str, Value]) -> None:
    raise OSError("the journal is gone")


class _FullSystem:
    """An observer on a system that has no watch left."""

    def start(self) -> None: ...

    def is_alive(self) -> bool:
        return False

    def schedule(self, *_args: Any, **_more: Any) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")


def test_where_nothing_can_be_watched_files_are_looked_at_and_that_is_said_once(tmp_path: Path) -> None:
    def blind(wake: Callable[[], None]) -> Watch:
        return Watch(wake, observer=_FullSystem)

    async def scenario() -> None:
        root = project(tmp_path)
        async with following(root, watch=blind) as source, editor(root) as other:
            await other.save("write_temp_and_rename", text(2))
            await source.until(lambda: source.value() == 2)
            await other.save("vim", text(3))
            await source.until(lambda: source.value() == 3)
            assert source.types == ["reload.applied"] * 2
            assert sum("inotify watch limit reached" in line for line in source.told) == 1

    asyncio.run(scenario())
