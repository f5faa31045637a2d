"""Services: the order of their start and end, restarts after errors, and what gives them up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from process_parts import HOST, House, program, run

from runtime.core.clock import SystemClock
from runtime.core.errors import Invalid, NotFound
from runtime.journal.memory import MemoryJournal
from runtime.process.lifecycle import Restart, in_order, read_lifecycle
from runtime.process.supervisor import Service, Supervisor
from runtime.process.task import Task
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry

WAITS = "process.events():receive()"
DEAF = "process.inbox():receive()"
FAILS = "error('broken')"
QUICK = {"initial_delay": "1ms", "max_delay": "4ms", "jitter": 0}


def service(name: str, source: str, **lifecycle: Any) -> Entry:
    """Return a service whose process, in these tests, has the source `source`."""
    data = {"process": "p", "host": HOST, "input": [source], "lifecycle": {"auto_start": True, **lifecycle}}
    return Entry(f"app:{name}", "process.service", {}, data, Origin.FILE)


class Watched:
    """A supervisor, what it started in order, and what it said."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.started: list[str] = []
        self.ended: list[str] = []
        self.said: list[str] = []
        self.supervisor = Supervisor(house.tasks, self._spawn, self.said.append)

    def _spawn(self, entry: Entry) -> Task:
        inputs: Any = entry.fields["input"]
        if not inputs[0]:
            raise NotFound("nothing to run")
        self.started.append(entry.name)
        task = self.house.tasks.spawn(program(inputs[0], id=entry.id), [], host=HOST)
        task.result.add_done_callback(lambda _: self.ended.append(entry.name))
        return task

    def get(self, name: str) -> Service:
        found = self.supervisor.get(f"app:{name}")
        assert found is not None
        return found


async def until(found: Service, state: str) -> None:
    while found.state != state:
        await found.changed.wait()


def test_services_start_after_what_they_require_and_end_before_it() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        watched.supervisor.start_all(
            [
                service("web", WAITS, requires=["app:cache", "db"]),
                service("db", WAITS, auto_start=False),
                service("cache", WAITS, depends_on=["db"]),
                service("idle", WAITS, auto_start=False),
            ]
        )
        assert watched.started == ["db", "cache", "web"]
        await watched.supervisor.stop_all()
        assert watched.ended == ["web", "cache", "db"]
        assert watched.supervisor.services() == []

    run(test)


def test_a_clean_end_is_not_started_again() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("once", "return 1"))
        await until(found, "done")
        assert watched.started == ["once"] and watched.said == []

    run(test)


def test_an_error_starts_it_again_until_it_is_given_up() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("bad", FAILS, restart={**QUICK, "max_attempts": 3}))
        await until(found, "failed")
        assert watched.started == ["bad"] * 4
        assert len(watched.said) == 4
        assert "starts again in" in watched.said[0] and "broken" in watched.said[0]
        assert "given up" in watched.said[3]

    run(test)


def test_a_stable_run_makes_failures_forgotten() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        life = {"stable_threshold": 0, "restart": {**QUICK, "max_attempts": 1}}
        found = watched.supervisor.start(service("flaky", FAILS, **life))
        while len(watched.started) < 5:
            await found.changed.wait()
        assert found.failures <= 1
        await watched.supervisor.stop_all()

    run(test)


def test_what_does_not_end_by_itself_is_ended() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        watched.supervisor.start(service("deaf", DEAF, stop_timeout="10ms"))
        await watched.supervisor.stop_all()
        assert watched.ended == ["deaf"]
        assert "did not end by itself" in watched.said[0]

    run(test)


def test_a_required_service_that_can_not_start_keeps_the_run_from_starting() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        with pytest.raises(Invalid, match="service `app:gone` does not start: nothing to run"):
            watched.supervisor.start_all([service("gone", "")])
        found = watched.supervisor.start(service("hoped", "", startup="optional", restart={**QUICK}))
        await until(found, "waiting")
        await watched.supervisor.stop_all()
        assert watched.started == []

    run(test)


def test_a_change_of_the_registry_starts_stops_and_replaces_services() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        registry = Registry(MemoryJournal(), SystemClock())
        changes: list[Any] = []
        registry.subscribe(changes.append)

        async def loaded(*entries: Entry) -> None:
            registry.load(entries)
            for change in changes:
                await watched.supervisor.reconcile(change)
            changes.clear()

        await loaded(service("one", WAITS), service("two", WAITS), service("three", WAITS, auto_start=False))
        assert sorted(watched.started) == ["one", "two"]
        first = watched.get("two").task
        await loaded(service("one", WAITS), service("two", WAITS, stop_timeout="3s"))
        assert watched.get("two").task is not first
        await loaded(service("two", WAITS, stop_timeout="3s"))
        assert [each.entry.name for each in watched.supervisor.services()] == ["two"]
        assert watched.ended == ["two", "one"]
        await watched.supervisor.stop_all()

    run(test)


def test_a_ring_of_services_is_refused() -> None:
    ring = [service("a", WAITS, requires=["b"]), service("b", WAITS, requires=["app:a"])]
    with pytest.raises(Invalid, match="app:a -> app:b -> app:a"):
        in_order(ring)


def test_waits_grow_and_settings_are_read_in_seconds() -> None:
    life = read_lifecycle(service("a", WAITS, stop_timeout=2_000_000_000, restart={"initial_delay": "1m"}))
    assert (life.stop_timeout, life.restart.initial_delay, life.restart.max_delay) == (2.0, 60.0, 90.0)
    restart = Restart(jitter=0)
    assert [restart.delay(attempt) for attempt in (1, 2, 3, 8, 99999)] == [1, 2, 4, 90, 90]
    assert not restart.gives_up(10**9)


def test_the_wait_of_a_service_ends_with_it() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("bad", FAILS, restart={"initial_delay": "1h"}))
        await until(found, "waiting")
        async with asyncio.timeout(5):
            await watched.supervisor.stop_all()
        assert found.state == "stopped"

    run(test)
