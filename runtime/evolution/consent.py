"""A run-time change to anything that can run, or that steers what runs, needs the consent of the owner.

Three ways to give it: a question at the terminal that shows the source and the modules; ahead of time, for
tools whose modules are all within `evolution.unattended`; and not at all. Without consent nothing is written,
the one who asked is told why, and the run ends saying that something waits. Beside them stands
`Approve.DIRECT`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from runtime.core.errors import PermissionDenied, Unavailable
from runtime.core.values import Value
from runtime.registry.entry import Entry, Op
from runtime.registry.gate import Proposed

STEERING_TYPES = (
    "agent.",
    "llm.",
    "setting",
)  # meta.type of free entries that decide what runs, or where it calls


class Approve(StrEnum):
    """How consent is to be had in this run."""

    ASK = "ask"
    UNATTENDED = "unattended"
    NEVER = "never"
    DIRECT = "direct"
    """Whatever policy allows is written: for projects of another runtime, where a person asked for that."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an owner decides about: the operation, the whole entry and what it may use."""

    op: str
    entry: Entry
    modules: tuple[str, ...]
    digest: str
    changed: bool


Record = Callable[[str, Mapping[str, Value]], None]


class Consent:
    """The gate of this version.

    `ask` puts a `Question` to the owner and returns the answer, or is None where nobody can be asked.
    `on_pending` is told the id of each change that waits for an owner. `record` writes a proposal event.
    """

    def __init__(
        self,
        approve: Approve,
        unattended: frozenset[str],
        *,
        ask: Callable[[Question], Awaitable[bool]] | None,
        on_pending: Callable[[str], None],
        record: Record,
    ) -> None:
        self._approve = approve
        self._unattended = unattended
        self._ask = ask
        self._on_pending = on_pending
        self._record = record

    async def admit(self, change: Proposed) -> None:
        """Return when every operation of `change` has consent; see `ChangeGate.admit`."""
        for op, before in zip(change.ops, change.before, strict=True):
            if _needs_consent(op, before):
                await self._decide(_question(op, before), change.actor)

    async def _decide(self, question: Question, actor: str) -> None:
        facts: dict[str, Value] = {
            "id": question.entry.id,
            "op": question.op,
            "digest": question.digest,
            "modules": list(question.modules),
            "asked_by": actor,
        }
        if self._approve is Approve.DIRECT:
            self._record("proposal.approved", {**facts, "by": "direct"})
            return
        if self._approve is Approve.ASK and self._ask is not None:
            if await self._ask(question):
                self._record("proposal.approved", {**facts, "by": "terminal"})
                return
            self._record("proposal.rejected", {**facts, "by": "terminal"})
            raise PermissionDenied(
                f"the owner refused `{question.entry.id}`; do not try it again now",
                details={"id": question.entry.id, "refused": True},
            )
        beyond = self._beyond_unattended(question)
        if self._approve is Approve.UNATTENDED and not beyond:
            self._record("proposal.approved", {**facts, "by": "unattended"})
            return
        self._record("proposal.suspended", facts)
        self._on_pending(question.entry.id)
        reason = f": {beyond}" if self._approve is Approve.UNATTENDED else ""
        raise Unavailable(
            f"`{question.entry.id}` needs the consent of the owner{reason}: run at a terminal to answer, or "
            "with --yes for tools of harmless modules",
            retryable=False,
            details={"id": question.entry.id, "pending": True},
        )

    def _beyond_unattended(self, question: Question) -> str:
        """Return why `question` is not covered by consent given ahead, or an empty string."""
        if question.entry.kind != "function.lua" or question.op == "delete":
            return f"a {question.op} of kind `{question.entry.kind}` is never approved unattended"
        if question.entry.fields.get("imports"):
            return "it imports other entries"
        more = sorted(set(question.modules) - self._unattended)
        return f"it uses {', '.join(f'`{name}`' for name in more)}" if more else ""


def _needs_consent(op: Op, before: Entry | None) -> bool:
    return any(_can_act(entry) for entry in (op.entry if op.kind != "delete" else None, before) if entry)


def _can_act(entry: Entry) -> bool:
    if entry.kind != "registry.entry":
        return True
    kind = entry.meta.get("type")
    return isinstance(kind, str) and kind.startswith(STEERING_TYPES)


def _question(op: Op, before: Entry | None) -> Question:
    entry = before if op.kind == "delete" and before else op.entry
    modules = entry.fields.get("modules")
    names = tuple(str(name) for name in modules) if isinstance(modules, list) else ()
    return Question(op.kind, entry, names, entry.digest, before is not None)
