"""The net of events: what one call causes in the journal is counted, bounded, and written whole."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from jail_parts import Yard, program, run

from runtime.core.errors import Invalid
from runtime.jail.limits import JailLimits
from runtime.jail.report import ABOUT, FROM_OUTSIDE
from runtime.journal import types
from runtime.journal.counting import counting
from runtime.journal.events import Draft
from runtime.journal.memory import MemoryJournal

DENIED = Draft(types.POLICY_DENIED, {"action": "env.get"})


class Scribe:
    """Answers each command and writes `each` events for it."""

    def __init__(self, each: int) -> None:
        self.journal = MemoryJournal()
        self._each = each

    async def dispatch(self, _name: str, _args: list[Any]) -> tuple[Any, ...]:
        await asyncio.sleep(0)
        self.journal.append("session:1", [DENIED] * self._each)
        return (True,)

    @property
    def written(self) -> int:
        return len(list(self.journal.read()))


@pytest.mark.parametrize("body", ["while true do env.get('A') end", "while true do print('x') end"])
def test_a_call_that_causes_more_events_than_its_budget_is_ended(body: str) -> None:
    async def test() -> None:
        scribe, yard = Scribe(3), Yard(JailLimits(events=10))
        with pytest.raises(Invalid, match="caused more than 10 events in the journal"):
            await yard.jail.call(program(body, ["env"]), [], scribe.dispatch)
        assert yard.reasons == ["budget"]
        assert scribe.written == 12, "what was begun is written whole, and nothing after it"

    run(test)


def test_a_call_within_its_budget_goes_on_and_the_next_starts_anew() -> None:
    async def test() -> None:
        scribe, yard = Scribe(1), Yard(JailLimits(events=5))
        body = "for _ = 1, 5 do env.get('A') end return true"
        for _ in range(3):
            assert await yard.jail.call(program(body, ["env"]), [], scribe.dispatch) is True
        assert scribe.written == 15
        assert yard.reasons == []

    run(test)


def test_events_of_others_do_not_count() -> None:
    async def test() -> None:
        scribe, yard = Scribe(0), Yard(JailLimits(events=5))
        call = asyncio.create_task(
            yard.jail.call(program("return env.get('A')", ["env"]), [], scribe.dispatch)
        )
        scribe.journal.append("session:2", [DENIED] * 50)
        assert await call is True

    run(test)


def test_counts_nest() -> None:
    journal = MemoryJournal()
    with counting() as outer:
        journal.append("session:1", [DENIED])
        with counting() as inner:
            journal.append("session:1", [DENIED, DENIED])
    journal.append("session:1", [DENIED])
    assert (outer.events, inner.events) == (3, 2)


def test_doctor_tells_the_budgets() -> None:
    assert {"host_calls", "events", "output"} <= set(FROM_OUTSIDE)
    assert ABOUT["events"] == "at most 1000 events in the journal"
