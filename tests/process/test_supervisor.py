"""Services: the order of their start and end, restarts after errors, and what gives them up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from process_parts import HOST, House, program, run

from runtime.core.clock import SystemClock
from runtime.core.errors import Canceled, Invalid, NotFound
from runtime.journal.memory import MemoryJournal
from runtime.process.lifecycle import Restart, read_lifecycle
from runtime.process.start_order import start_order
from runtime.process.supervisor import Service, Supervisor
from runtime.process.task import Task
from runtime.registry.entry import Entry, Origin
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot

WAITS = "process.events():receive()"
DEAF = "process.inbox():receive()"
STUBBORN = "process.events() process.inbox():receive()"
FAILS = "error('broken')"
QUICK = {"initial_delay": "1ms", "max_delay": "4ms", "jitter": 0}


def service(name: str, source: str, **lifecycle: Any) -> Entry:
    """Return a service whose process, in these tests, has the source `source`."""
    data: dict[str, Any] = {
        "process": "p",
        "host": HOST,
        "input": [source],
        "lifecycle": {"auto_start": True, **lifecycle},
    }
    return Entry(f"app:{name}", "process.service", {}, data, Origin.FILE)


def view(*entries: Entry) -> Snapshot:
    return Registry(MemoryJournal(), SystemClock()).load(entries)


NOBODY = view()


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
            view(
                service("web", WAITS, requires=["app:cache", "db"]),
                service("db", WAITS, auto_start=False),
                service("cache", WAITS, depends_on=["db"]),
                service("idle", WAITS, auto_start=False),
            )
        )
        assert watched.started == ["db", "cache", "web"]
        await watched.supervisor.stop_all()
        assert watched.ended == ["web", "cache", "db"]
        assert watched.supervisor.services() == []

    run(test)


def test_requirements_lead_through_other_kinds() -> None:
    data: dict[str, Any] = {"lifecycle": {"requires": ["app:z"]}}
    host = Entry(HOST, "process.host", {}, data, Origin.FILE)
    assert [each.name for each in ordered(host, service("a", WAITS), service("z", WAITS))] == ["z", "a"]
    far = Entry("app:processes", "process.host", {}, {"lifecycle": {"requires": ["y"]}}, Origin.FILE)
    near = Entry("app:y", "registry.entry", {}, {"lifecycle": {"depends_on": ["z"]}}, Origin.FILE)
    other = Entry("app:other", "process.host", {}, {}, Origin.FILE)
    z = Entry("app:z", "process.service", {}, {"process": "p", "host": "other", "lifecycle": {}}, Origin.FILE)
    assert [each.name for each in ordered(far, near, other, z, service("a", WAITS))] == ["z", "a"]


def test_what_is_referred_to_starts_first_where_that_closes_no_ring() -> None:
    process = Entry("app:p", "process.lua", {"depends_on": ["app:b", "app:a"]}, {"source": " "}, Origin.FILE)
    alone = Entry("app:q", "process.lua", {}, {"source": " "}, Origin.FILE)
    b = Entry("app:b", "process.service", {}, {"process": "q", "host": HOST, "lifecycle": {}}, Origin.FILE)
    assert [each.name for each in ordered(process, alone, service("a", WAITS), b)] == ["b", "a"]
    requires = Entry(
        "app:b",
        "process.service",
        {},
        {"process": "q", "host": HOST, "lifecycle": {"requires": ["a"]}},
        Origin.FILE,
    )
    assert [each.name for each in ordered(process, alone, service("a", WAITS), requires)] == ["a", "b"]


def ordered(*entries: Entry) -> list[Entry]:
    found = view(*entries)
    return start_order(found.kind("process.service"), found)


def test_a_service_waits_for_one_that_it_requires_and_that_does_not_run() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        entries = view(
            service("db", "", startup="optional", restart={"initial_delay": "1h"}),
            service("web", WAITS, requires=["db"]),
        )
        watched.supervisor.start_all(entries)
        web = watched.get("web")
        await until(watched.get("db"), "waiting")
        assert (web.state, watched.started) == ("waiting", [])
        await watched.supervisor.stop(watched.get("db"))
        watched.supervisor.start(service("db", WAITS), entries)
        await until(web, "running")
        assert watched.started == ["db", "web"]
        await watched.supervisor.stop_all()

    run(test)


def test_what_nobody_should_try_again_is_not_started_again() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        never = "error(errors.new({ message = 'wrong key', kind = errors.INVALID, retryable = false }))"
        found = watched.supervisor.start(service("never", never), NOBODY)
        await until(found, "done")
        assert (found.why, watched.said) == ("wrong key", ["service `app:never` has ended: wrong key"])
        killed = watched.supervisor.start(service("killed", DEAF), NOBODY)
        assert killed.task is not None
        house.tasks.kill(killed.task, Canceled("process terminated", retryable=False))
        await until(killed, "done")
        assert watched.started == ["never", "killed"]

    run(test)


def test_a_clean_end_is_not_started_again() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("once", "return 1"), NOBODY)
        await until(found, "done")
        assert watched.started == ["once"] and watched.said == []

    run(test)


def test_an_error_starts_it_again_until_it_is_given_up() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("bad", FAILS, restart={**QUICK, "max_attempts": 3}), NOBODY)
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
        found = watched.supervisor.start(service("flaky", FAILS, **life), NOBODY)
        while len(watched.started) < 5:
            await found.changed.wait()
        assert found.failures <= 1
        await watched.supervisor.stop_all()

    run(test)


def test_what_does_not_end_in_time_is_ended() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        watched.supervisor.start(service("stubborn", STUBBORN, stop_timeout="10ms"), NOBODY)
        await watched.supervisor.stop_all()
        assert watched.ended == ["stubborn"]
        assert "did not end in time" in watched.said[0]

    run(test)


def test_who_does_not_listen_keeps_nobody_waiting() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        watched.supervisor.start(service("deaf", DEAF, stop_timeout="1h"), NOBODY)
        await watched.supervisor.stop_all()
        assert (watched.ended, watched.said) == (["deaf"], [])

    run(test)


def test_in_a_hurry_nobody_is_waited_for() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        for name in ("one", "two"):
            watched.supervisor.start(service(name, STUBBORN, stop_timeout="1h"), NOBODY)
        stopping = asyncio.create_task(watched.supervisor.stop_all())
        await until(watched.get("two"), "stopping")
        watched.supervisor.hurry()
        await stopping
        assert (watched.ended, watched.said) == (["two", "one"], [])

    run(test)


def test_a_required_service_that_can_not_start_keeps_the_run_from_starting() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        with pytest.raises(Invalid, match="service `app:gone` does not start: nothing to run"):
            watched.supervisor.start_all(view(service("gone", "")))
        found = watched.supervisor.start(service("hoped", "", startup="optional", restart={**QUICK}), NOBODY)
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


def test_a_change_keeps_the_order_and_what_was_started_for_others() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        registry = Registry(MemoryJournal(), SystemClock())
        heard: list[Any] = []
        registry.subscribe(heard.append)

        def declared(seconds: str) -> list[Entry]:
            return [
                service("web", WAITS, requires=["db"], stop_timeout=seconds),
                service("db", WAITS, auto_start=False, stop_timeout=seconds),
            ]

        watched.supervisor.start_all(registry.load(declared("1s")))
        heard.clear()
        registry.load(declared("2s"))
        await watched.supervisor.reconcile(heard[0])
        assert watched.started == ["db", "web", "db", "web"]
        assert watched.ended == ["web", "db"]
        await watched.supervisor.reconcile(heard[0], ["app:db"])
        assert watched.ended == ["web", "db", "web", "db"]
        await watched.supervisor.stop_all()

    run(test)


def test_a_ring_of_services_is_refused() -> None:
    with pytest.raises(Invalid, match="app:a -> app:b -> app:a"):
        ordered(service("a", WAITS, requires=["b"]), service("b", WAITS, requires=["app:a"]))


def test_waits_grow_and_settings_are_read_in_seconds() -> None:
    life = read_lifecycle(service("a", WAITS, stop_timeout=2_000_000_000, restart={"initial_delay": "1m"}))
    assert (life.stop_timeout, life.restart.initial_delay, life.restart.max_delay) == (2.0, 60.0, 90.0)
    restart = Restart(jitter=0)
    assert [restart.delay(attempt) for attempt in (1, 2, 3, 8, 99999)] == [1, 2, 4, 90, 90]
    assert not restart.gives_up(10**9)


def test_the_wait_of_a_service_ends_with_it() -> None:
    async def test(house: House) -> None:
        watched = Watched(house)
        found = watched.supervisor.start(service("bad", FAILS, restart={"initial_delay": "1h"}), NOBODY)
        await until(found, "waiting")
        async with asyncio.timeout(5):
            await watched.supervisor.stop_all()
        assert found.state == "stopped"

    run(test)


def test_a_delay_that_grows_beyond_all_numbers_is_the_longest() -> None:
    restart = Restart(initial_delay=0.001, max_delay=3.0, backoff_factor=1e300, jitter=0)
    assert [restart.delay(attempt) for attempt in (1, 3, 1000)] == [0.001, 3.0, 3.0]
