"""Consent: what needs it, who gives it, and that without it the answer is a refusal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from runtime.core.errors import PermissionDenied, Unavailable
from runtime.core.values import Value
from runtime.evolution.consent import Approve, Consent, Question
from runtime.registry.entry import Entry, Op
from runtime.registry.gate import Proposed

PURE = frozenset({"time", "json"})


class Story:
    """What the gate said and wrote."""

    def __init__(self) -> None:
        self.pending: list[str] = []
        self.events: list[str] = []
        self.asked: list[Question] = []

    def record(self, event: str, _facts: Mapping[str, Value]) -> None:
        self.events.append(event)

    def consent(self, approve: Approve, answer: bool | None = None) -> Consent:
        async def ask(question: Question) -> bool:
            self.asked.append(question)
            return bool(answer)

        return Consent(
            approve,
            PURE,
            ask=None if answer is None else ask,
            on_pending=self.pending.append,
            record=self.record,
        )


def tool(modules: list[str] | None = None, **data: Any) -> Entry:
    return Entry(
        "app.generated:x",
        "function.lua",
        {"type": "tool"},
        {"source": "return 1", "modules": modules or [], **data},
    )


def change(*ops: Op, before: Entry | None = None) -> Proposed:
    return Proposed(ops, tuple(before for _ in ops), "app:agent")


def test_a_yes_at_the_terminal_lets_the_change_through_and_is_recorded() -> None:
    story = Story()
    asyncio.run(story.consent(Approve.ASK, True).admit(change(Op("create", tool(["http_client"])))))
    assert story.events == ["proposal.approved"]
    assert story.asked[0].modules == ("http_client",)


def test_a_no_at_the_terminal_is_a_refusal_and_nothing_waits() -> None:
    story = Story()
    with pytest.raises(PermissionDenied, match="the owner refused"):
        asyncio.run(story.consent(Approve.ASK, False).admit(change(Op("create", tool()))))
    assert (story.events, story.pending) == (["proposal.rejected"], [])


@pytest.mark.parametrize(
    "op",
    [
        Op("create", tool(["time", "http_client"])),
        Op("create", tool(imports={"other": "app:other"})),
        Op("create", Entry("app.generated:p", "process.lua", {}, {"source": "return 1"})),
        Op("create", Entry("app.generated:s", "security.policy", {}, {})),
        Op("create", Entry("app.generated:a", "registry.entry", {"type": "agent.gen1"}, {})),
        Op("create", Entry("app.generated:m", "registry.entry", {"type": "llm.provider"}, {})),
    ],
)
def test_unattended_consent_covers_only_tools_of_the_listed_modules(op: Op) -> None:
    story = Story()
    with pytest.raises(Unavailable, match="needs the consent"):
        asyncio.run(story.consent(Approve.UNATTENDED).admit(change(op)))
    assert story.pending == [op.entry.id]


def test_unattended_consent_lets_a_pure_tool_through() -> None:
    story = Story()
    asyncio.run(story.consent(Approve.UNATTENDED).admit(change(Op("create", tool(["time"])))))
    assert story.events == ["proposal.approved"]


def test_deleting_what_runs_needs_consent_too() -> None:
    story = Story()
    with pytest.raises(Unavailable):
        asyncio.run(
            story.consent(Approve.UNATTENDED).admit(change(Op.delete("app.generated:x"), before=tool()))
        )


def test_turning_a_tool_into_plain_data_needs_consent() -> None:
    story = Story()
    plain = Entry("app.generated:x", "registry.entry", {}, {"text": "note"})
    with pytest.raises(Unavailable):
        asyncio.run(story.consent(Approve.NEVER).admit(change(Op("update", plain), before=tool())))


def test_plain_data_needs_no_consent() -> None:
    story = Story()
    note = Entry("app.generated:n", "registry.entry", {"type": "note"}, {"text": "hello"})
    asyncio.run(story.consent(Approve.NEVER).admit(change(Op("create", note))))
    assert story.events == []


def test_asking_where_nobody_can_answer_leaves_the_change_waiting() -> None:
    story = Story()
    with pytest.raises(Unavailable):
        asyncio.run(story.consent(Approve.ASK).admit(change(Op("create", tool()))))
    assert story.pending == ["app.generated:x"]
